package chart

import (
	"strconv"
	"strings"
	"testing"
)

func TestSample(t *testing.T) {
	const n = 100000
	class := make([]int, n)
	for i := range class {
		switch {
		case i == 77777:
			class[i] = 9 // one row only
		case i%4 == 0:
			class[i] = 1
		case i%3 == 0:
			class[i] = -1
		}
	}
	for _, most := range []int{0, 5000, 999, 1} {
		rows, notes := sample(n, 0, class, most, func(i int) bool { return i != 5 })
		want := most
		if most == 0 {
			want = 5000
		}
		if len(rows) != want {
			t.Errorf("%d rows of at most %d", len(rows), want)
		}
		if notes[0] != strconv.Itoa(want)+" of 99999 rows are shown, evenly spaced" ||
			!strings.HasPrefix(notes[1], "1 of 100000 rows are left out") {
			t.Errorf("%q", notes)
		}
		if most == 1 {
			continue // fewer than classes
		}
		count := map[int]int{}
		last := map[int]int{}
		for _, i := range rows {
			c := classOf(class, i)
			if j, ok := last[c]; ok && (i <= j || i-j > 30*n/want) {
				t.Fatalf("class %d: row %d after %d", c, i, j)
			}
			last[c] = i
			count[c]++
		}
		if count[9] != 1 || !near(float64(count[1])/float64(want), .25, .01) {
			t.Errorf("classes %v of %d", count, want)
		}
	}
	rows, notes := sample(10, 0, nil, 10, func(int) bool { return true })
	if len(rows) != 10 || len(notes) != 0 {
		t.Errorf("%v, %q", rows, notes)
	}
	for want, of := range map[string]int{"10 of 70 rows are shown, evenly drawn": 70,
		"10 of 30 rows are shown, evenly spaced": 30} {
		if _, notes := sample(30, of, nil, 10, func(int) bool { return true }); len(notes) != 1 ||
			notes[0] != want {
			t.Errorf("of %d rows: %q", of, notes)
		}
	}
	ids := make([]int, 30)
	for i := range ids {
		ids[i] = i
	}
	if rows, _ := sample(30, 30, ids, 10, func(int) bool { return true }); len(rows) != 10 {
		t.Errorf("as many classes as rows: %d", len(rows))
	}
}
