package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
)

// slowAccuracy tries every assignment of classes to clusters.
func slowAccuracy(truth, labels []int) float64 {
	a, b := distinct(truth), distinct(labels)
	best, used := 0, map[int]bool{}
	var try func(i, right int)
	try = func(i, right int) {
		best = max(best, right)
		if i == len(a) {
			return
		}
		try(i+1, right)
		for _, l := range b {
			if !used[l] {
				used[l] = true
				try(i+1, right+both(truth, labels, a[i], l))
				used[l] = false
			}
		}
	}
	try(0, 0)
	return float64(best) / float64(len(truth))
}

func distinct(v []int) []int {
	v = slices.Clone(v)
	slices.Sort(v)
	return slices.Compact(v)
}

// both counts the samples of a class in a cluster.
func both(truth, labels []int, class, label int) (hits int) {
	for s := range truth {
		if truth[s] == class && labels[s] == label {
			hits++
		}
	}
	return hits
}

// slowRand counts pairs of samples.
func slowRand(truth, labels []int) float64 {
	var both, a, b, all float64
	for i := range truth {
		for j := range i {
			x, y := truth[i] == truth[j], labels[i] == labels[j]
			all++
			if x {
				a++
			}
			if y {
				b++
			}
			if x && y {
				both++
			}
		}
	}
	if (a+b)/2 == a*b/all {
		return 1
	}
	return (both - a*b/all) / ((a+b)/2 - a*b/all)
}

func slowNMI(truth, labels []int) float64 {
	n := float64(len(truth))
	a, b := distinct(truth), distinct(labels)
	if len(a) == 1 && len(b) == 1 {
		return 1
	}
	var hp, hq, mi float64
	share := func(c, l int) float64 { return float64(both(truth, labels, c, l)) / n }
	for _, c := range a {
		p := float64(both(truth, truth, c, c)) / n
		hp -= p * math.Log(p)
		for _, l := range b {
			q := float64(both(labels, labels, l, l)) / n
			if pq := share(c, l); pq > 0 {
				mi += pq * math.Log(pq/(p*q))
			}
		}
	}
	for _, l := range b {
		q := float64(both(labels, labels, l, l)) / n
		hq -= q * math.Log(q)
	}
	if len(a) == 1 || len(b) == 1 {
		return 0
	}
	return mi / math.Sqrt(hp*hq)
}

func slowPurity(truth, labels []int) float64 {
	sum := 0
	for _, l := range distinct(labels) {
		best := 0
		for _, c := range truth {
			best = max(best, both(truth, labels, c, l))
		}
		sum += best
	}
	return float64(sum) / float64(len(truth))
}

var measures = []struct {
	name       string
	fast       func(a, b []int) (float64, error)
	slow       func(a, b []int) float64
	symmetric  bool
	low        float64
	ofConstant float64
}{
	{"Accuracy", Accuracy, slowAccuracy, true, 0, -1}, {"NMI", NMI, slowNMI, true, 0, 0},
	{"Purity", Purity, slowPurity, false, 0, -1}, {"AdjustedRand", AdjustedRand, slowRand, true, -1, 0},
}

// TestMetrics compares with the definitions. Names and order do not matter.
func TestMetrics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for trial := range 150 {
		n := 1 + rng.IntN(25)
		a, b := make([]int, n), make([]int, n)
		ka, kb := 1+rng.IntN(5), 1+rng.IntN(6)
		for i := range a {
			a[i], b[i] = rng.IntN(ka)-2, 1000000*rng.IntN(kb)
			if trial%2 == 0 && rng.IntN(3) > 0 {
				b[i] = a[i]
			}
		}
		pa, pb := make([]int, n), make([]int, n)
		for i, o := range rng.Perm(n) {
			pa[i], pb[i] = -7*a[o]+3, b[o] // shuffled, and renamed
		}
		for _, m := range measures {
			got, err := m.fast(a, b)
			if want := m.slow(a, b); err != nil || math.Abs(got-want) > 1e-12 || !(got >= m.low && got <= 1) {
				t.Fatalf("%s(%v, %v) = %g, want %g", m.name, a, b, got, want)
			}
			if v, _ := m.fast(pa, pb); math.Abs(v-got) > 1e-12 {
				t.Errorf("%s changes from %g to %g with names and order", m.name, got, v)
			}
			if v, _ := m.fast(b, a); m.symmetric && math.Abs(v-got) > 1e-12 {
				t.Errorf("%s is not symmetric: %g, %g", m.name, got, v)
			}
			if v, _ := m.fast(a, a); math.Abs(v-1) > 1e-12 {
				t.Errorf("%s of equal partitions is %g", m.name, v)
			}
		}
	}
	for _, m := range measures {
		if v, _ := m.fast([]int{1, 2, 3, 4}, []int{5, 5, 5, 5}); m.ofConstant >= 0 && v != m.ofConstant {
			t.Errorf("%s of a constant is %g", m.name, v)
		}
		v1, err1 := m.fast([]int{1, 2}, []int{1})
		v2, err2 := m.fast(nil, nil)
		if v1 != 0 || v2 != 0 || !errors.Is(err1, softkmeans.ErrShape) ||
			!errors.Is(err2, softkmeans.ErrTooFewSamples) {
			t.Errorf("%s: %g, %v; %g, %v", m.name, v1, err1, v2, err2)
		}
	}
	// By hand: three of class 0 found whole, class 1 and 2 merged.
	truth, labels := []int{0, 0, 0, 1, 1, 2}, []int{9, 9, 9, 4, 4, 4}
	if v, _ := Accuracy(truth, labels); math.Abs(v-5.0/6) > 1e-15 {
		t.Error(v)
	}
	if v, _ := Purity(labels, truth); v != 1 {
		t.Error(v)
	}
}

// TestAssignmentLarge: a planted assignment of many classes is found.
func TestAssignmentLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const k, n = 60, 20000
	truth, labels := make([]int, n), make([]int, n)
	perm := rng.Perm(k)
	hits := 0
	for i := range truth {
		truth[i] = rng.IntN(k)
		labels[i] = perm[truth[i]]
		if rng.IntN(4) == 0 {
			labels[i] = rng.IntN(k + 10)
		}
		if labels[i] == perm[truth[i]] {
			hits++
		}
	}
	if got, _ := Accuracy(truth, labels); math.Abs(got-float64(hits)/n) > 1e-12 {
		t.Errorf("%g, planted %g", got, float64(hits)/n)
	}
}

func FuzzMetrics(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		n := min(len(b)/2, 200)
		x, y := make([]int, n), make([]int, n)
		for i := range n {
			x[i], y[i] = int(b[2*i])%17, int(b[2*i+1])
		}
		for _, m := range measures {
			v, err := m.fast(x, y)
			if (err != nil) != (n == 0) || !(v >= -1 && v <= 1) {
				t.Fatalf("%s: %g %v", m.name, v, err)
			}
		}
	})
}

// TestAssignment: rectangular tables both ways, against all assignments; and a table that is too large.
func TestAssignment(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	for range 300 {
		gain := softkmeans.NewMatrix(rng.IntN(6), rng.IntN(6), nil)
		for i := range gain.Data {
			gain.Data[i] = float64(rng.IntN(9) - 4)
		}
		var best func(i, need int, used []bool) float64
		best = func(i, need int, used []bool) float64 {
			if i == gain.Rows {
				return 0
			}
			most := math.Inf(-1)
			if gain.Rows-i > need {
				most = best(i+1, need, used)
			}
			for j := range used {
				if !used[j] && need > 0 {
					used[j] = true
					most = max(most, gain.At(i, j)+best(i+1, need-1, used))
					used[j] = false
				}
			}
			return most
		}
		sum, used := 0.0, make([]bool, gain.Cols)
		for i, j := range Assignment(gain) {
			if j >= 0 {
				if used[j] {
					t.Fatal("a column twice")
				}
				used[j] = true
				sum += gain.At(i, j)
			}
		}
		want := best(0, min(gain.Rows, gain.Cols), make([]bool, gain.Cols))
		if sum != want {
			t.Fatalf("%v: %g, the best is %g", gain, sum, want)
		}
	}
	many := make([]int, 1<<14)
	for i := range many {
		many[i] = i
	}
	if _, err := Accuracy(many, many); !errors.Is(err, softkmeans.ErrShape) {
		t.Error(err)
	}
}
