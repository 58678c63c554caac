package softkmeans

// Agreement of a clustering with known classes, from integer counts. Labels are any ints, in any number.

import (
	"math"
	"slices"
	"strconv"
)

// contingency counts the samples by class and cluster, numbered by first appearance.
type contingency struct {
	n              int
	classes, found []int // sizes
	cells          []cell
}

// cell is a pair of class and cluster that occurs.
type cell struct{ class, cluster, count int }

func count(truth, labels []int) (*contingency, error) {
	if len(truth) != len(labels) {
		return nil, fail(ErrShape,
			strconv.Itoa(len(truth))+" true labels for "+strconv.Itoa(len(labels))+" found ones")
	}
	if len(truth) == 0 {
		return nil, fail(ErrTooFewSamples, "no labels")
	}
	c := &contingency{n: len(truth)}
	classOf, clusterOf, cellOf := map[int]int{}, map[int]int{}, map[[2]int]int{}
	number := func(numbers map[int]int, sizes *[]int, label int) int {
		at, ok := numbers[label]
		if !ok {
			at = len(*sizes)
			numbers[label] = at
			*sizes = append(*sizes, 0)
		}
		(*sizes)[at]++
		return at
	}
	for i, label := range labels {
		pair := [2]int{number(classOf, &c.classes, truth[i]), number(clusterOf, &c.found, label)}
		at, ok := cellOf[pair]
		if !ok {
			at = len(c.cells)
			cellOf[pair] = at
			c.cells = append(c.cells, cell{pair[0], pair[1], 0})
		}
		c.cells[at].count++
	}
	return c, nil
}

// Accuracy returns the share of samples that are right, from 0 to 1, when clusters are
// matched one-to-one with classes in the best way (ACC). Where there are more clusters than
// classes, or fewer, the surplus stays unmatched and its samples count as wrong. Symmetric
// in its arguments. Here and in the other measures any integers name classes and clusters.
//
// The matching is that of [Assignment]: O(n + a²b) for a ≤ b classes and clusters, and a·b
// counts of memory. Errors: [ErrShape] for different lengths and for a table of
// counts that is too large, [ErrTooFewSamples] without labels.
func Accuracy(truth, labels []int) (float64, error) {
	c, err := count(truth, labels)
	if err != nil {
		return 0, err
	}
	if err := checkSize("the table of classes and clusters", len(c.classes), len(c.found)); err != nil {
		return 0, err
	}
	shared := NewMatrix(len(c.classes), len(c.found), nil)
	for _, x := range c.cells {
		shared.row(x.class)[x.cluster] = float64(x.count)
	}
	var sum float64
	for i, j := range Assignment(shared) {
		if j >= 0 {
			sum += shared.row(i)[j]
		}
	}
	return sum / float64(c.n), nil
}

// Assignment gives each row of a matrix of gains a column of its own, such that their gains
// add up to the most. It returns the column of each row. Where there are more rows than
// columns, some rows have none: −1. Gains are finite numbers.
//
// It is exact (Kuhn 1955), by shortest augmenting paths (Jonker & Volgenant 1987; Crouse 2016), in O(a²b)
// for a ≤ b rows and columns. Potentials u, v keep reduced costs −gain − u − v at 0 or more.
func Assignment(gain *Matrix) []int {
	rows, cols := gain.Rows, gain.Cols
	of := slices.Repeat([]int{-1}, rows)
	if rows > cols {
		for j, i := range Assignment(gain.transposed()) {
			of[i] = j
		}
		return of
	}
	u, v := make([]float64, rows), make([]float64, cols)
	rowOf := slices.Repeat([]int{-1}, cols) // −1: free
	dist, from := make([]float64, cols), make([]int, cols)
	done := make([]bool, cols)
	for start := range rows {
		clear(done)
		i, low, last := start, 0.0, -1
		for { // Dijkstra over the columns
			next := -1
			for j, g := range gain.row(i) {
				if done[j] {
					continue
				}
				if d := low - g - u[i] - v[j]; last < 0 || d < dist[j] {
					dist[j], from[j] = d, last
				}
				if next < 0 || dist[j] < dist[next] {
					next = j
				}
			}
			low, last = dist[next], next
			done[next] = true
			if rowOf[next] < 0 {
				break
			}
			i = rowOf[next]
		}
		u[start] += low
		for j := range cols {
			if done[j] {
				if rowOf[j] >= 0 {
					u[rowOf[j]] += low - dist[j]
				}
				v[j] -= low - dist[j]
			}
		}
		for j := last; ; j = from[j] { // assign along the path
			if from[j] < 0 {
				rowOf[j] = start
				break
			}
			rowOf[j] = rowOf[from[j]]
		}
	}
	for j, i := range rowOf {
		if i >= 0 {
			of[i] = j
		}
	}
	return of
}

// NMI returns the normalised mutual information MI/√(H(truth)·H(labels)), from 0 to 1 (Strehl & Ghosh
// 2002: the geometric mean). Symmetric. Two partitions with a single part each are equal: 1. If just one has
// a single part the result is 0. Cost: O(n). Errors as for [Accuracy].
func NMI(truth, labels []int) (float64, error) {
	c, err := count(truth, labels)
	if err != nil {
		return 0, err
	}
	if len(c.classes) == 1 || len(c.found) == 1 {
		if len(c.classes) == len(c.found) {
			return 1, nil
		}
		return 0, nil
	}
	n := float64(c.n)
	var mutual float64
	for _, x := range c.cells {
		p := float64(x.count)
		mutual += p / n * math.Log(p*n/(float64(c.classes[x.class])*float64(c.found[x.cluster])))
	}
	nmi := mutual / math.Sqrt(entropy(c.classes, n)*entropy(c.found, n))
	return min(max(nmi, 0), 1), nil
}

func entropy(sizes []int, n float64) (h float64) {
	for _, s := range sizes {
		h -= float64(s) / n * math.Log(float64(s)/n)
	}
	return h
}

// Purity returns the share of samples that belong to the most frequent class of their
// cluster, from 0 to 1 (Manning, Raghavan & Schütze 2008, 16.3). Not symmetric: a cluster
// for every sample is pure. Cost: O(n). Errors as for [Accuracy].
func Purity(truth, labels []int) (float64, error) {
	c, err := count(truth, labels)
	if err != nil {
		return 0, err
	}
	most := make([]int, len(c.found))
	for _, x := range c.cells {
		most[x.cluster] = max(most[x.cluster], x.count)
	}
	sum := 0
	for _, m := range most {
		sum += m
	}
	return float64(sum) / float64(c.n), nil
}

// AdjustedRand returns the adjusted Rand index (Hubert & Arabie 1985): 1 for equal partitions, 0 on average
// for independent ones, at least −1. Symmetric. Where both partitions have a single part, or both have only
// single samples, they are equal, and it is 1. Cost: O(n). Errors as for [Accuracy].
func AdjustedRand(truth, labels []int) (float64, error) {
	c, err := count(truth, labels)
	if err != nil {
		return 0, err
	}
	var together float64
	for _, x := range c.cells {
		together += pairs(x.count)
	}
	a, b := allPairs(c.classes), allPairs(c.found)
	all := pairs(c.n)
	if a == b && (a == 0 || a == all) {
		return 1, nil
	}
	expected := a / all * b
	return (together - expected) / ((a+b)/2 - expected), nil
}

// pairs returns n(n−1)/2, in float64, where it cannot overflow.
func pairs(n int) float64 { return float64(n) * float64(n-1) / 2 }

func allPairs(sizes []int) (sum float64) {
	for _, s := range sizes {
		sum += pairs(s)
	}
	return sum
}
