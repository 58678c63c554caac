package chart

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// defaultPoints is the default of MaxPoints. More points hide each other and make a large file.
const defaultPoints = 5000

// sample returns the rows below n that ok accepts, sorted by class. Of more than most (0: 5000) it returns
// the same share of every class, at least one row of each, evenly spaced in the order of the rows. The notes
// say how many rows are shown and left out. Where of is above n, the n rows were drawn from so many.
func sample(n, of int, class []int, most int, ok func(i int) bool) (rows []int, notes []string) {
	if most <= 0 {
		most = defaultPoints
	}
	total := 0
	size := map[int]int{}
	for i := range n {
		if ok(i) {
			total++
			size[classOf(class, i)]++
		}
	}
	if len(size) > most {
		size, class = map[int]int{0: total}, nil
	}
	quota, left := map[int]int{}, most
	for c, k := range size {
		quota[c] = k
		if total > most {
			quota[c] = max(1, int(int64(k)*int64(most)/int64(total)))
		}
		left -= quota[c]
	}
	// The quotas are rounded down; the remainder goes to the first classes.
	for _, c := range slices.Sorted(maps.Keys(size)) {
		if left > 0 && quota[c] < size[c] {
			quota[c]++
			left--
		}
	}
	seen := map[int]int{}
	for i := range n {
		if !ok(i) {
			continue
		}
		c := classOf(class, i)
		j, q, k := int64(seen[c]), int64(quota[c]), int64(size[c])
		seen[c]++
		if (j+1)*q/k > j*q/k {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		return cmp.Compare(classOf(class, a), classOf(class, b))
	})
	if of > n {
		notes = append(notes, strconv.Itoa(len(rows))+" of "+strconv.Itoa(of)+" rows are shown, evenly drawn")
	} else if len(rows) < total {
		notes = append(notes,
			strconv.Itoa(len(rows))+" of "+strconv.Itoa(total)+" rows are shown, evenly spaced")
	}
	if total < n {
		notes = append(notes,
			strconv.Itoa(n-total)+" of "+strconv.Itoa(n)+" rows are left out: not finite, or too large")
	}
	return rows, notes
}
