package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowAccuracy tries every assignment of classes to clusters.
func slowAccuracy(truth, labels []int) float64 {
	names := func(v []int) (out []int) {
		seen := map[int]bool{}
		for _, x := range v {
			if !seen[x] {
				seen[x] = true
				out = append(out, x)
			}
		}
		return out
	}
	a, b := names(truth), names(labels)
	best := 0
	used := map[int]bool{}
	var try func(i, right int)
	try = func(i, right int) {
		best = max(best, right)
		if i == len(a) {
			return
		}
		try(i+1, right)
		for _, l := range b {
			if used[l] {
				continue
			}
			used[l] = true
			hit := 0
			for s := range truth {
				if truth[s] == a[i] && labels[s] == l {
					hit++
				}
			}
			try(i+1, right+hit)
			used[l] = false
		}
	}
	try(0, 0)
	return float64(best) / float64(len(truth))
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
	p, q, pq := map[int]float64{}, map[int]float64{}, map[[2]int]float64{}
	for i := range truth {
		p[truth[i]] += 1 / n
		q[labels[i]] += 1 / n
		pq[[2]int{truth[i], labels[i]}] += 1 / n
	}
	var hp, hq, mi float64
	for _, v := range p {
		hp -= v * math.Log(v)
	}
	for _, v := range q {
		hq -= v * math.Log(v)
	}
	for k, v := range pq {
		mi += v * math.Log(v/(p[k[0]]*q[k[1]]))
	}
	if len(p) == 1 && len(q) == 1 {
		return 1
	}
	if len(p) == 1 || len(q) == 1 {
		return 0
	}
	return mi / math.Sqrt(hp*hq)
}

func slowPurity(truth, labels []int) float64 {
	sum := 0
	done := map[int]bool{}
	for _, l := range labels {
		if done[l] {
			continue
		}
		done[l] = true
		best := 0
		for _, c := range truth {
			hit := 0
			for s := range truth {
				if truth[s] == c && labels[s] == l {
					hit++
				}
			}
			best = max(best, hit)
		}
		sum += best
	}
	return float64(sum) / float64(len(truth))
}

func TestMetrics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	measures := []struct {
		name       string
		fast       func(a, b []int) (float64, error)
		slow       func(a, b []int) float64
		symmetric  bool
		low        float64
		ofItself   float64
		ofConstant float64
	}{
		{"Accuracy", Accuracy, slowAccuracy, true, 0, 1, -1},
		{"NMI", NMI, slowNMI, true, 0, 1, 0},
		{"Purity", Purity, slowPurity, false, 0, 1, -1},
		{"AdjustedRand", AdjustedRand, slowRand, true, -1, 1, 0},
	}
	for trial := range 400 {
		n := 1 + rng.IntN(25)
		a, b := make([]int, n), make([]int, n)
		ka, kb := 1+rng.IntN(5), 1+rng.IntN(6)
		for i := range a {
			a[i], b[i] = rng.IntN(ka)-2, 1000000*rng.IntN(kb)
			if trial%2 == 0 && rng.IntN(3) > 0 {
				b[i] = a[i]
			}
		}
		order := rng.Perm(n)
		pa, pb := make([]int, n), make([]int, n)
		for i, o := range order {
			pa[i], pb[i] = -7*a[o]+3, b[o] // shuffled, and renamed
		}
		for _, m := range measures {
			got, err := m.fast(a, b)
			if want := m.slow(a, b); err != nil || math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s(%v, %v) = %g, want %g (%v)", m.name, a, b, got, want, err)
			}
			if !(got >= m.low && got <= 1) {
				t.Errorf("%s is %g", m.name, got)
			}
			if v, _ := m.fast(pa, pb); math.Abs(v-got) > 1e-12 {
				t.Errorf("%s changes from %g to %g with names and order", m.name, got, v)
			}
			if v, _ := m.fast(b, a); m.symmetric && math.Abs(v-got) > 1e-12 {
				t.Errorf("%s is not symmetric: %g, %g", m.name, got, v)
			}
			if v, _ := m.fast(a, pick(a, 4)); math.Abs(v-m.ofItself) > 1e-12 {
				t.Errorf("%s of equal partitions is %g", m.name, v)
			}
		}
	}
	for _, m := range measures {
		if _, err := m.fast([]int{1}, nil); !errors.Is(err, ErrShape) {
			t.Error(m.name, err)
		}
		if _, err := m.fast(nil, nil); !errors.Is(err, ErrTooFewSamples) {
			t.Error(m.name, err)
		}
		if v, _ := m.fast([]int{1, 2, 3, 4}, []int{5, 5, 5, 5}); m.ofConstant >= 0 && v != m.ofConstant {
			t.Errorf("%s of a constant is %g", m.name, v)
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

// pick renames labels.
func pick(v []int, factor int) []int {
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = factor*x - 1
	}
	return out
}

// TestAssignmentLarge against the dual: potentials prove the sum.
func TestAssignmentLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const k = 60
	truth, labels := make([]int, 100000), make([]int, 100000)
	perm := rng.Perm(k)
	for i := range truth {
		truth[i] = rng.IntN(k)
		labels[i] = perm[truth[i]]
		if rng.IntN(4) == 0 {
			labels[i] = rng.IntN(k + 10)
		}
	}
	hits := 0
	for i := range truth {
		if labels[i] == perm[truth[i]] {
			hits++
		}
	}
	got, err := Accuracy(truth, labels)
	if want := float64(hits) / 100000; err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, planted %g (%v)", got, want, err)
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
		for i, m := range []func(a, b []int) (float64, error){Accuracy, NMI, Purity, AdjustedRand} {
			v, err := m(x, y)
			if (err != nil) != (n == 0) || !(v >= -1 && v <= 1) {
				t.Fatalf("measure %d: %g %v", i, v, err)
			}
		}
	})
}

// TestMetricsErrors: on an error a measure is 0.
func TestMetricsErrors(t *testing.T) {
	for i, m := range []func(a, b []int) (float64, error){Accuracy, NMI, Purity, AdjustedRand} {
		for _, c := range [][2][]int{{{1, 2}, {1}}, {{}, {}}} {
			if v, err := m(c[0], c[1]); v != 0 || err == nil {
				t.Errorf("measure %d: %g, %v", i, v, err)
			}
		}
	}
	_, err := count(make([]int, 2), make([]int, 3))
	if err == nil || err.Error() != "softkmeans: 2 true labels for 3 found ones: wrong shape" {
		t.Error(err)
	}
}

// TestContingency: sizes and cells by first appearance.
func TestContingency(t *testing.T) {
	c, err := count([]int{7, 7, -1, 7, -1}, []int{3, 3, 3, 0, 9})
	if err != nil || c.n != 5 || !slices.Equal(c.classes, []int{3, 2}) || !slices.Equal(c.found, []int{3, 1, 1}) ||
		!slices.Equal(c.cells, []cell{{0, 0, 2}, {1, 0, 1}, {0, 1, 1}, {1, 2, 1}}) {
		t.Errorf("%+v, %v", c, err)
	}
}
