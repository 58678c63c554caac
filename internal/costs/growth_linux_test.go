package costs

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"testing"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/enclosure"
	"softkmeans/kernel"
	"softkmeans/metrics"
	"softkmeans/missing"
	"softkmeans/proof"
	"softkmeans/stability"
	"softkmeans/stream"
	"softkmeans/unmix"
)

// growing is a public call on n rows, d columns and k centers: the sizes to begin with, and the exponents
// that its comment names; 0: the call does not have that size.
type growing struct {
	name       string
	size, most [3]int
	call       func(n, d, k int) func() error
}

// growingCalls returns the functions that compute.
func growingCalls() []growing {
	wide, small, tall, square := [3]int{2000, 32, 8}, [3]int{500, 64, 3}, [3]int{2000}, [3]int{150, 8, 3}
	// In small k stays below d: centers that depend on each other cost up to ten times as much.
	all, pairs, steps := [3]int{1, 2, 2}, [3]int{2, 1, 2}, [3]int{1, 3, 3}
	rising := func(j float64) float64 { return 4 + j }
	normal := func(n, d int) *matrix { return random(n, d, 1, rising) }
	// words has 20 entries a row.
	words := func(n, d int) *softkmeans.SparseMatrix {
		x := normal(n, 20)
		m := &softkmeans.SparseMatrix{Rows: n, Cols: d, Indptr: []int{0}, Data: x.Data}
		for i := range n {
			for j := range 20 {
				m.Indices = append(m.Indices, (d/20)*j+(i*(j+1))%(d/20))
			}
			m.Indptr = append(m.Indptr, 20*i+20)
		}
		return m
	}
	rbf := func(n, d int) *matrix { return must(kernel.RBF(normal(n, d), 0)) }
	fit := func(o options) func(n, d, k int) func() error {
		return func(n, d, k int) func() error {
			x := normal(n, d)
			return func() error { return second(softkmeans.Fit(bg, x, k, &o)) }
		}
	}
	volume := func(f func(x *matrix, k int) error) func(n, d, k int) func() error {
		return func(n, d, k int) func() error {
			x := mixtures(n, d, k)
			return func() error { return f(x, k) }
		}
	}
	similar := func(f func(s *matrix, k int) error) func(n, d, k int) func() error {
		return func(n, d, k int) func() error { s := rbf(n, d); return func() error { return f(s, k) } }
	}
	labels := func(f func(a, b []int) (float64, error)) func(n, _, _ int) func() error {
		return func(n, _, _ int) func() error {
			a, b := make([]int, n), make([]int, n)
			for i := range a {
				a[i], b[i] = i%7, i/3%11
			}
			return func() error { return second(f(a, b)) }
		}
	}
	v := &minimal{MaxIter: 200}
	modelled := func(f func(x *matrix, m *softkmeans.Model) error) func(n, d, k int) func() error {
		return func(n, d, k int) func() error {
			x := mixtures(n, d, k)
			m := must(softkmeans.FitMinVolume(bg, x, k, v))
			return func() error { return f(x, m) }
		}
	}
	holes := func(f func(x *matrix, k int) error) func(n, d, k int) func() error {
		return func(n, d, k int) func() error {
			x := gaps(mixtures(n, d, k))
			return func() error { return f(x, k) }
		}
	}
	floor := func(k int) func(n, d, _ int) func() error {
		return func(n, d, _ int) func() error {
			x := mixtures(n, d, k)
			return func() error { return second(proof.VolumeFloor(bg, x, k, .1, nil)) }
		}
	}
	unique := func(k int) func(n, _, _ int) func() error {
		return func(n, _, _ int) func() error {
			g := mixed(n, k)
			return func() error { return second(proof.Unique(bg, g)) }
		}
	}
	return []growing{
		{"Fit", wide, [3]int{1, 2, 1}, fit(options{})},
		{"Fit tight", wide, [3]int{1, 2, 2}, fit(options{Enclosure: softkmeans.EnclosureTight})},
		{"Fit, k above n and d", [3]int{30, 1000, 500}, [3]int{2, 1, 1}, fit(options{})},
		{"Cone, no half-space", wide, [3]int{1, 2, 3}, func(n, d, k int) func() error {
			x := random(n, d, 1, nil)
			return func() error { return second(enclosure.Cone(bg, x, k, nil)) }
		}},
		{"Smallest", [3]int{20000, 0, 0}, [3]int{1}, func(n, _, _ int) func() error {
			x := softkmeans.NewMatrix(n, 2, nil)
			for i := range n {
				x.Data[2*i], x.Data[2*i+1] = math.Sincos(2 * math.Pi * float64(i) / float64(n))
			}
			m := must(softkmeans.Fit(bg, x, 3, nil))
			return func() error { return second(enclosure.Smallest(bg, m)) }
		}},
		{"Fit sparse", [3]int{2000, 2000, 4}, all, func(n, d, k int) func() error {
			x := words(n, d)
			return func() error { return second(softkmeans.Fit(bg, x, k, nil)) }
		}},
		{"Floors", wide, [3]int{1, 3}, func(n, d, _ int) func() error {
			x := normal(n, d)
			return func() error { return second(softkmeans.Floors(bg, x, nil)) }
		}},
		{"Certify", wide, all, func(n, d, k int) func() error {
			x := normal(n, d)
			m := must(softkmeans.Fit(bg, x, k, nil))
			return func() error { return second(softkmeans.Certify(bg, x, m.Centers, m.Memberships, nil)) }
		}},
		{"Principal", [3]int{2000, 128, 8}, [3]int{1, 3, 1}, volume(func(x *matrix, k int) error {
			return second(softkmeans.Principal(bg, x, k-1, nil))
		})},
		{"FitAlternating", small, [3]int{1, 3, 2}, volume(func(x *matrix, k int) error {
			return second(softkmeans.FitAlternating(bg, x, k, v))
		})},
		{"FitMinVolume", small, steps, volume(func(x *matrix, k int) error {
			return second(softkmeans.FitMinVolume(bg, x, k, v))
		})},
		{"FitMinVolume sparse", [3]int{1000, 1000, 3}, all, func(n, d, k int) func() error {
			x := words(n, d)
			return func() error { return second(softkmeans.FitMinVolume(bg, x, k, v)) }
		}},
		{"Unmix", small, steps, volume(func(x *matrix, k int) error {
			return second(unmix.Fit(bg, x, k, &unmix.Options{MinVolumeOptions: *v}))
		})},
		{"stream.Fit", wide, all, volume(func(x *matrix, k int) error {
			return second(stream.Fit(bg, inBlocks(x, 500), k, nil))
		})},
		{"stream.FitMinVolume", small, steps, volume(func(x *matrix, k int) error {
			return second(stream.FitMinVolume(bg, inBlocks(x, 500), k, nil))
		})},
		{"Stats and Extent", wide, [3]int{1, 3, 2}, volume(func(x *matrix, k int) error {
			var s softkmeans.Stats
			var e stream.Extent
			if err := s.Add(x); err != nil {
				return err
			}
			p, err := stream.NewSubspace(bg, &s, k, nil)
			if err != nil {
				return err
			}
			return e.Add(p, x, nil)
		})},
		{"Predict", wide, [3]int{1, 1, 3}, volume(func(x *matrix, k int) error {
			m := &softkmeans.Model{Centers: top(x, k)}
			return second(m.Predict(nil, x))
		})},
		{"PredictLabels", wide, [3]int{1, 1, 1}, volume(func(x *matrix, k int) error {
			m := &softkmeans.Model{Centers: top(x, k), ClusterMeans: top(x, k)}
			return second(m.PredictLabels(nil, x))
		})},
		{"LSD", square, [3]int{2, 1, 4}, similar(func(s *matrix, k int) error {
			return second(softkmeans.LSD(bg, s, k, nil))
		})},
		{"TILSD", square, pairs, similar(func(s *matrix, k int) error {
			return second(softkmeans.TILSD(bg, s, k, nil))
		})},
		{"LSDFloors", square, pairs, similar(func(s *matrix, k int) error {
			return second(softkmeans.LSDFloors(bg, s, k, nil))
		})},
		{"LSDFloors, K near I", square, [3]int{3, 1, 2}, func(n, d, k int) func() error {
			s := must(kernel.RBF(normal(n, d), 1))
			return func() error { return second(softkmeans.LSDFloors(bg, s, k, nil)) }
		}},
		{"TILSDFloors", square, pairs, similar(func(s *matrix, k int) error {
			return second(softkmeans.TILSDFloors(bg, s, k, nil))
		})},
		{"RBF", square, [3]int{2, 1}, func(n, d, _ int) func() error {
			x := normal(n, d)
			return func() error { return second(kernel.RBF(x, 1)) }
		}},
		{"Distances", square, [3]int{2, 0}, func(n, _, _ int) func() error {
			x := normal(n, 1)
			m := softkmeans.NewMatrix(n, n, nil)
			for i := range m.Data {
				m.Data[i] = math.Abs(x.Data[i/n] - x.Data[i%n])
			}
			return func() error { return second(kernel.Distances(m, 1)) }
		}},
		{"EigenSym (of order n)", square, [3]int{3}, func(n, _, _ int) func() error {
			m := rbf(n, 8)
			return func() error { _, _, err := softkmeans.EigenSym(m); return err }
		}},
		{"SVD", [3]int{300, 16}, [3]int{1, 3}, func(n, d, _ int) func() error {
			x := normal(n, d)
			return func() error { _, _, _, err := softkmeans.SVD(x); return err }
		}},
		{"Assignment (of order n)", square, [3]int{3}, func(n, _, _ int) func() error {
			x := normal(n, n)
			return func() error { metrics.Assignment(x); return nil }
		}},
		{"LogVolume", [3]int{0, 500, 10}, [3]int{0, 1, 2}, func(_, d, k int) func() error {
			x := normal(k, d)
			return func() error { return second(softkmeans.LogVolume(x)) }
		}},
		{"ProjectSimplex", tall, [3]int{1}, func(n, _, _ int) func() error {
			x := normal(n, 1)
			return func() error { softkmeans.ProjectSimplex(nil, x.Data); return nil }
		}},
		{"Accuracy", tall, [3]int{1}, labels(metrics.Accuracy)},
		{"AdjustedRand", tall, [3]int{1}, labels(metrics.AdjustedRand)},
		{"NMI", tall, [3]int{1}, labels(metrics.NMI)},
		{"Purity", tall, [3]int{1}, labels(metrics.Purity)},
		{"VolumeFloor, k = 3", [3]int{2000, 32}, [3]int{1, 2}, floor(3)},
		{"VolumeFloor, k = 6", [3]int{2000, 32}, [3]int{1, 2}, floor(6)},
		{"VolumeRatio", [3]int{2000, 32, 2}, all, volume(func(x *matrix, k int) error {
			m := must(softkmeans.Fit(bg, x, k, nil))
			return second(proof.VolumeRatio(bg, x, m, nil))
		})},
		{"Unique, k = 4", [3]int{2000}, [3]int{1}, unique(4)},
		{"Unique, k = 8", [3]int{2000}, [3]int{1}, unique(8)},
		{"LSDFloor", square, [3]int{3, 1, 2}, func(n, d, k int) func() error {
			s := rbf(n, d)
			o := &proof.LSDFloorOptions{Model: must(softkmeans.LSD(bg, s, k, nil))}
			return func() error { return second(proof.LSDFloor(bg, s, k, o)) }
		}},
		{"Choose", [3]int{2000, 16, 4}, [3]int{1, 3}, volume(func(x *matrix, _ int) error {
			return second(choosek.Choose(bg, x, nil))
		})},
		{"ProposeScene", [3]int{8192, 64, 4}, [3]int{1, 3}, volume(func(x *matrix, _ int) error {
			return second(choosek.ProposeScene(bg, x, nil))
		})},
		{"missing.Complete", small, steps, holes(func(x *matrix, k int) error {
			return second(missing.Complete(bg, x, k, nil))
		})},
		{"missing.Fit", small, steps, holes(func(x *matrix, k int) error {
			return second(missing.Fit(bg, x, k, v))
		})},
		{"Others", small, steps, modelled(func(x *matrix, m *softkmeans.Model) error {
			return stability.Others(bg, x, m, v)
		})},
		{"Bootstrap", small, steps, modelled(func(x *matrix, m *softkmeans.Model) error {
			o := &stability.BootstrapOptions{MinVolumeOptions: *v, Resamples: 8}
			return second(stability.Bootstrap(bg, x, m, o))
		})},
		{"RandomOrientation", [3]int{0, 0, 50}, [3]int{0, 0, 3}, func(_, _, k int) func() error {
			return func() error { softkmeans.RandomOrientation(k, 1); return nil }
		}},
	}
}

// TestGrowth doubles n, d and k three times each. It prints by which power the processor time of a call
// grows over the last two doublings, and the power that the comment of the function allows. The variable is a
// regular expression of the names to try, such as LSD:
//
//	SOFTKMEANS_GROWTH=. go test -run TestGrowth -timeout 60m -v ./internal/costs
func TestGrowth(t *testing.T) {
	only := os.Getenv("SOFTKMEANS_GROWTH")
	if only == "" {
		t.Skip("SOFTKMEANS_GROWTH is not set")
	}
	names := must(regexp.Compile(only))
	for _, c := range growingCalls() {
		if !names.MatchString(c.name) {
			continue
		}
		line := fmt.Sprintf("%-32s", c.name)
		for at, most := range c.most {
			if most == 0 {
				line += fmt.Sprintf("%18s", "")
				continue
			}
			var took [4]float64
			for step := range took {
				size := c.size
				size[at] <<= step
				call := c.call(size[0], size[1], size[2])
				times, from := 0, spent()
				for spent()-from < .04 || times == 0 {
					must(0, call())
					times++
				}
				took[step] = (spent() - from) / float64(times)
			}
			line += fmt.Sprintf("   %s^%5.2f of %d", "ndk"[at:at+1], math.Log2(took[3]/took[1])/2, most)
			if at == 2 || c.most[at+1] == 0 {
				line += fmt.Sprintf("   up to %.2g s", took[3])
			}
		}
		t.Log(line)
	}
}
