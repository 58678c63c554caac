// Package metrics measures how well clusters agree with known classes, and matches clusters with classes. Any
// integers may name classes and clusters. All measures are computed from integer counts.
package metrics

import (
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/fault"
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
		return nil, fault.New(softkmeans.ErrShape, len(truth), " classes for ", len(labels), " found ones")
	}
	if len(truth) == 0 {
		return nil, fault.New(softkmeans.ErrTooFewSamples, "no labels")
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

// Accuracy matches clusters one-to-one with classes by [Assignment]. It returns the fraction of samples whose
// cluster is matched with their class, from 0 to 1 (ACC). Samples of unmatched classes or clusters count as
// wrong. Accuracy is symmetric.
//
// Cost: O(n + ab·min(a, b)) and ab numbers of memory for a classes and b clusters. Errors:
// [softkmeans.ErrShape] for different lengths or ab above 2^27, [softkmeans.ErrTooFewSamples] without labels.
func Accuracy(truth, labels []int) (float64, error) {
	c, err := count(truth, labels)
	if err != nil {
		return 0, err
	}
	a, b := len(c.classes), len(c.found)
	if a > mostCells/b {
		return 0, fault.New(softkmeans.ErrShape, "a table of ", a, "×", b, " classes and clusters is too large")
	}
	shared := softkmeans.NewMatrix(a, b, nil)
	for _, x := range c.cells {
		shared.Set(x.class, x.cluster, float64(x.count))
	}
	var sum float64
	for i, j := range Assignment(shared) {
		if j >= 0 {
			sum += shared.At(i, j)
		}
	}
	return sum / float64(c.n), nil
}

// mostCells is the size of the largest table of classes and clusters: 1 GB.
const mostCells = 1 << 27

// NMI returns the normalized mutual information MI/√(H(truth)·H(labels)), from 0 to 1 (Strehl & Ghosh 2002).
// NMI is symmetric. It is 1 if both partitions consist of a single part, and 0 if only one does. Cost: O(n).
// Errors: [softkmeans.ErrShape] for different lengths, [softkmeans.ErrTooFewSamples] without labels.
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

// Purity returns the fraction of samples that belong to the most frequent class of their cluster, from 0 to 1
// (Manning, Raghavan & Schütze 2008, 16.3). Purity is not symmetric: one cluster for every sample is pure.
// Cost: O(n). Errors as for [NMI].
func Purity(truth, labels []int) (float64, error) {
	c, err := count(truth, labels)
	if err != nil {
		return 0, err
	}
	most, sum := make([]int, len(c.found)), 0
	for _, x := range c.cells {
		most[x.cluster] = max(most[x.cluster], x.count)
	}
	for _, m := range most {
		sum += m
	}
	return float64(sum) / float64(c.n), nil
}

// AdjustedRand returns the adjusted Rand index (Hubert & Arabie 1985): 1 for equal partitions, 0 on average
// for independent ones, at least −1. The index is symmetric. It is also 1 if both partitions consist of a
// single part, or both of single samples. Cost: O(n). Errors as for [NMI].
func AdjustedRand(truth, labels []int) (float64, error) {
	c, err := count(truth, labels)
	if err != nil {
		return 0, err
	}
	var together float64
	for _, x := range c.cells {
		together += pairs(x.count)
	}
	a, b, all := allPairs(c.classes), allPairs(c.found), pairs(c.n)
	if a == b && (a == 0 || a == all) {
		return 1, nil
	}
	expected := a / all * b
	return (together - expected) / ((a+b)/2 - expected), nil
}

// pairs returns n(n−1)/2 as a float64, which cannot overflow.
func pairs(n int) float64 { return float64(n) * float64(n-1) / 2 }

func allPairs(sizes []int) (sum float64) {
	for _, s := range sizes {
		sum += pairs(s)
	}
	return sum
}

// Assignment assigns each row of a matrix of finite gains a different column, so that the sum of the gains is
// the largest. It returns the column of each row. If there are more rows than columns, a row without a column
// gets −1.
//
// The result is exact (Kuhn 1955), by shortest augmenting paths (Jonker & Volgenant 1987; Crouse 2016). Cost:
// O(a²b) for a×b or b×a gains, a ≤ b.
func Assignment(gain *softkmeans.Matrix) []int {
	rows, cols := gain.Rows, gain.Cols
	at := gain.At
	if rows > cols {
		rows, cols = cols, rows
		at = func(i, j int) float64 { return gain.At(j, i) }
	}
	u, v := make([]float64, rows), make([]float64, cols) // potentials: −gain − u − v is at least 0
	rowOf := slices.Repeat([]int{-1}, cols)              // −1: free
	dist, from := make([]float64, cols), make([]int, cols)
	done := make([]bool, cols)
	for start := range rows {
		clear(done)
		i, low, last := start, 0.0, -1
		for { // Dijkstra over the columns
			next := -1
			for j := range cols {
				if done[j] {
					continue
				}
				if d := low - at(i, j) - u[i] - v[j]; last < 0 || d < dist[j] {
					dist[j], from[j] = d, last
				}
				if next < 0 || dist[j] < dist[next] {
					next = j
				}
			}
			low, last = dist[next], next
			done[next] = true
			if i = rowOf[next]; i < 0 {
				break
			}
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
		for ; from[last] >= 0; last = from[last] { // assign along the path
			rowOf[last] = rowOf[from[last]]
		}
		rowOf[last] = start
	}
	if rows < gain.Rows {
		return rowOf // of the transpose
	}
	of := make([]int, rows)
	for j, i := range rowOf {
		if i >= 0 {
			of[i] = j
		}
	}
	return of
}
