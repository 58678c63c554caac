package softkmeans

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// blocksOf returns similarities with noise of k classes, shifted and scaled, and the classes: in class j the
// similarity is 1 + j/k more than between classes.
func blocksOf(n, k int, noise, shift, size float64) (*Matrix, []int) {
	rng, classes := rand.New(rand.NewPCG(uint64(n), uint64(k))), make([]int, n)
	for i := range classes {
		classes[i] = i * i % n * k / n
	}
	s := NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			v := shift + noise*rng.NormFloat64()
			if classes[i] == classes[j] {
				v += 1 + float64(classes[i])/float64(k)
			}
			s.Set(i, j, size*v)
			s.Set(j, i, size*v)
		}
	}
	return s, classes
}

// TestLSDLabels: TILSD finds blocks below and above 0, however large, and labels their rows anew as its own.
// Memberships, objective and floor do not depend on labels, and LSD's labels are its largest memberships.
func TestLSDLabels(t *testing.T) {
	for _, k := range []int{2, 3, 5, 8} {
		for _, shift := range []float64{0, -5, 100} {
			for _, size := range []float64{1, 1e148, 1e-148} {
				s, classes := blocksOf(100, k, 0.3, shift, size)
				m := mustDo(TILSD(bg, s, k, nil))(t)
				labels := m.Labels(nil)
				if got := accuracyOf(classes, labels); got < 1 {
					t.Errorf("k=%d, shift %g, size %g: accuracy %.3f", k, shift, size, got)
				}
				if err := m.Clustering.Check(); err != nil {
					t.Error(err)
				}
				w := mustDo(m.Coordinates(nil, s))(t)
				if again := mustDo(m.Clustering.PredictLabels(nil, w))(t); !slices.Equal(again, labels) {
					t.Errorf("k=%d, shift %g, size %g: labels %v again %v", k, shift, size, labels, again)
				}
				if g := mustDo(m.Clustering.Predict(nil, w))(t); maxDiff(g, m.Memberships) > 1e-6 {
					t.Errorf("k=%d: memberships differ by %g", k, maxDiff(g, m.Memberships))
				}
				one := mustDo(TILSD(bg, s, k, &LSDOptions{Workers: 1}))(t)
				if !slices.Equal(one.Labels(nil), labels) || maxDiff(one.Memberships, m.Memberships) != 0 {
					t.Error("the labels depend on the number of workers")
				}
			}
		}
		s, _ := blocksOf(60, k, 0.3, 0, 1)
		lsd := mustDo(LSD(bg, s, k, nil))(t)
		if !slices.Equal(lsd.Labels(nil), largest(nil, lsd.Memberships)) || lsd.Clustering != nil {
			t.Error("LSD's labels are not its largest memberships")
		}
	}
}

// TestLSDLabelsEdges: k of 1, n and more; ties, negative and identical similarities; samples without coordinates.
func TestLSDLabelsEdges(t *testing.T) {
	for name, at := range map[string]func(i, j int) float64{
		"zero":     func(i, j int) float64 { return 0 },
		"the same": func(i, j int) float64 { return 3 },
		"identity": func(i, j int) float64 { return float64(1 - min(1, max(i-j, j-i))) },
		"two":      func(i, j int) float64 { return float64(1 - (i+j)%2) },
		"negative": func(i, j int) float64 { return -1 - float64((i*j)%5) },
		"apart":    func(i, j int) float64 { return -float64((i - j) * (i - j)) },
	} {
		for _, n := range []int{1, 2, 3, 12} {
			s := similarity(n, at)
			for _, k := range []int{1, 2, n, n + 3} {
				m := mustDo(TILSD(bg, s, k, nil))(t)
				labels := m.Labels(nil)
				if len(labels) != n || slices.Min(labels) < 0 || slices.Max(labels) >= k {
					t.Fatalf("%s, n=%d, k=%d: labels %v", name, n, k, labels)
				}
				if (m.Clustering == nil) != (m.Vertices.Cols == 0) {
					t.Errorf("%s, n=%d, k=%d: %d coordinates", name, n, k, m.Vertices.Cols)
				}
				for i := range n {
					for j := range i {
						if name == "two" && k > 1 && (labels[i] == labels[j]) != ((i-j)%2 == 0) ||
							name == "the same" && labels[i] != labels[j] {
							t.Errorf("%s, n=%d, k=%d: labels %v", name, n, k, labels)
						}
					}
				}
			}
		}
	}
}
