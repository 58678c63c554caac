package softkmeans

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"syscall"
	"testing"
)

// growing is a public call on n rows, d columns and k centers: the sizes to begin with, and the exponents
// that its comment names; 0: the call does not have that size.
type growing struct {
	name       string
	size, most [3]int
	call       func(n, d, k int) func() error
}

// growingCalls returns the functions that compute.
func growingCalls(t *testing.T) []growing {
	wide, small, tall, square := [3]int{2000, 32, 8}, [3]int{500, 64, 3}, [3]int{2000}, [3]int{150, 8, 3}
	// In small k stays below d: centers that depend on each other cost up to ten times as much.
	all, pairs := [3]int{1, 2, 2}, [3]int{2, 1, 2}
	normal := func(n, d int) *Matrix {
		return mapped(randomData(n, d, 0, 1), func(_, j int, v float64) float64 { return v * float64(4+j) })
	}
	mixed := func(n, d, k int) *Matrix { x, _ := mixtures(n, d, k, .5, 1, 1); return noisy(x, 25, 1) }
	// words has 20 entries a row.
	words := func(n, d int) *SparseMatrix {
		x := normal(n, 20)
		m := &SparseMatrix{Rows: n, Cols: d, Indptr: []int{0}, Data: x.Data}
		for i := range n {
			for j := range 20 {
				m.Indices = append(m.Indices, (d/20)*j+(i*(j+1))%(d/20))
			}
			m.Indptr = append(m.Indptr, 20*i+20)
		}
		return m
	}
	rbf := func(n, d int) Similarity { return mustDo(RBFKernel(normal(n, d), 0))(t) }
	fit := func(o Options) func(n, d, k int) func() error {
		return func(n, d, k int) func() error {
			x := normal(n, d)
			return func() error { return second(Fit(bg, x, k, &o)) }
		}
	}
	volume := func(f func(x *Matrix, k int) error) func(n, d, k int) func() error {
		return func(n, d, k int) func() error { x := mixed(n, d, k); return func() error { return f(x, k) } }
	}
	similar := func(f func(s Similarity, k int) error) func(n, d, k int) func() error {
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
	v := &MinVolumeOptions{MaxIter: 200}
	return []growing{
		{"Fit", wide, [3]int{1, 2, 1}, fit(Options{})},
		{"Fit tight", wide, [3]int{1, 2, 2}, fit(Options{Enclosure: EnclosureTight})},
		{"Fit, k above n and d", [3]int{30, 1000, 500}, [3]int{2, 1, 1}, fit(Options{})},
		{"Fit at most one, no half-space", wide, [3]int{1, 2, 3}, fit(Options{Sum: SumAtMostOne})},
		{"Fit smallest", [3]int{20000, 0, 0}, [3]int{1}, func(n, _, _ int) func() error {
			x := NewMatrix(n, 2, nil)
			for i := range n {
				x.Data[2*i], x.Data[2*i+1] = math.Sincos(2 * math.Pi * float64(i) / float64(n))
			}
			return func() error { return second(Fit(bg, x, 3, &Options{Enclosure: EnclosureSmallest})) }
		}},
		{"Fit sparse", [3]int{2000, 2000, 4}, all, func(n, d, k int) func() error {
			x := words(n, d)
			return func() error { return second(Fit(bg, x, k, nil)) }
		}},
		{"Floors", wide, [3]int{1, 3}, func(n, d, _ int) func() error {
			x := normal(n, d)
			return func() error { return second(Floors(bg, x, nil)) }
		}},
		{"Certify", wide, all, func(n, d, k int) func() error {
			x := normal(n, d)
			m := mustDo(Fit(bg, x, k, nil))(t)
			return func() error { return second(Certify(bg, x, m.Centers, m.Memberships, nil)) }
		}},
		{"SkMable", wide, [3]int{1, 3}, func(n, d, k int) func() error {
			x := normal(n, d)
			return func() error { return second(SkMable(bg, x, k, .1)) }
		}},
		{"Principal", [3]int{2000, 128, 8}, [3]int{1, 3, 1}, volume(func(x *Matrix, k int) error {
			_, _, err := Principal(bg, x, k-1, nil)
			return err
		})},
		{"FitAlternating", small, all, volume(func(x *Matrix, k int) error {
			return second(FitAlternating(bg, x, k, v))
		})},
		{"FitMinVolume", small, all, volume(func(x *Matrix, k int) error {
			return second(FitMinVolume(bg, x, k, v))
		})},
		{"FitMinVolume sparse", [3]int{1000, 1000, 3}, all, func(n, d, k int) func() error {
			x := words(n, d)
			return func() error { return second(FitMinVolume(bg, x, k, v)) }
		}},
		{"MinVolumePath", small, all, volume(func(x *Matrix, k int) error {
			return second(MinVolumePath(bg, x, k, []float64{.1, 1}, v))
		})},
		{"Unmix", small, all, volume(func(x *Matrix, k int) error { return second(Unmix(bg, x, k, v)) })},
		{"FitSeq", wide, all, volume(func(x *Matrix, k int) error {
			return second(FitSeq(bg, inBlocks(x, 500), k, nil))
		})},
		{"FitMinVolumeSeq", small, all, volume(func(x *Matrix, k int) error {
			return second(FitMinVolumeSeq(bg, inBlocks(x, 500), k, nil))
		})},
		{"Stats and Extent", wide, [3]int{1, 3, 2}, volume(func(x *Matrix, k int) error {
			var s Stats
			var e Extent
			if err := s.Add(x); err != nil {
				return err
			}
			p, err := s.Subspace(k, nil)
			return firstError(err, e.Add(p, x, nil))
		})},
		{"Predict", wide, [3]int{1, 1, 3}, volume(func(x *Matrix, k int) error {
			m := &Model{Centers: rowsOf(x, 0, k)}
			return second(m.Predict(nil, x))
		})},
		{"PredictLabels", wide, [3]int{1, 1, 1}, volume(func(x *Matrix, k int) error {
			m := &Model{Centers: rowsOf(x, 0, k), ClusterMeans: rowsOf(x, 0, k)}
			return second(m.PredictLabels(nil, x))
		})},
		{"LSD", square, [3]int{2, 1, 4}, similar(func(s Similarity, k int) error {
			return second(LSD(bg, s, k, nil))
		})},
		{"TILSD", square, pairs, similar(func(s Similarity, k int) error {
			return second(TILSD(bg, s, k, nil))
		})},
		{"LSDFloors", square, pairs, similar(func(s Similarity, k int) error {
			return second(LSDFloors(bg, s, k, nil))
		})},
		{"LSDFloors, K near I", square, [3]int{3, 1, 2}, func(n, d, k int) func() error {
			s := mustDo(RBFKernel(normal(n, d), 1))(t)
			return func() error { return second(LSDFloors(bg, s, k, nil)) }
		}},
		{"TILSDFloors", square, pairs, similar(func(s Similarity, k int) error {
			return second(TILSDFloors(bg, s, k, nil))
		})},
		{"SimilarityMatrix", square, [3]int{2, 1}, similar(func(s Similarity, _ int) error {
			return second(SimilarityMatrix(s))
		})},
		{"DistanceKernel", square, [3]int{2, 0}, func(n, _, _ int) func() error {
			x := normal(n, 1)
			at := similarityFunc(n, func(i, j int) float64 { return math.Abs(x.Data[i] - x.Data[j]) })
			m := mustDo(SimilarityMatrix(at))(t)
			return func() error { _, _, err := DistanceKernel(m, 1); return err }
		}},
		{"EigenSym (of order n)", square, [3]int{3}, func(n, _, _ int) func() error {
			m := mustDo(SimilarityMatrix(rbf(n, 8)))(t)
			return func() error { _, _, err := EigenSym(m); return err }
		}},
		{"SVD", [3]int{300, 16}, [3]int{1, 3}, func(n, d, _ int) func() error {
			x := normal(n, d)
			return func() error { _, _, _, err := SVD(x); return err }
		}},
		{"Assignment (of order n)", square, [3]int{3}, func(n, _, _ int) func() error {
			x := normal(n, n)
			return func() error { Assignment(x); return nil }
		}},
		{"LogVolume", [3]int{0, 500, 10}, [3]int{0, 1, 2}, func(_, d, k int) func() error {
			x := normal(k, d)
			return func() error { return second(LogVolume(x)) }
		}},
		{"ProjectSimplex", tall, [3]int{1}, func(n, _, _ int) func() error {
			x := normal(n, 1)
			return func() error { ProjectSimplex(nil, x.Data); return nil }
		}},
		{"Accuracy", tall, [3]int{1}, labels(Accuracy)},
		{"AdjustedRand", tall, [3]int{1}, labels(AdjustedRand)},
		{"NMI", tall, [3]int{1}, labels(NMI)},
		{"Purity", tall, [3]int{1}, labels(Purity)},
		{"RandomOrientation", [3]int{0, 0, 50}, [3]int{0, 0, 3}, func(_, _, k int) func() error {
			return func() error { RandomOrientation(k, 1); return nil }
		}},
	}
}

// TestGrowth doubles n, d and k three times each. It prints by which power the processor time of a call
// grows over the last two doublings, and the power that the comment of the function allows. The variable is a
// regular expression of the names to try, such as LSD:
//
//	SOFTKMEANS_GROWTH=. go test -run TestGrowth -v .
func TestGrowth(t *testing.T) {
	only := os.Getenv("SOFTKMEANS_GROWTH")
	if only == "" {
		t.Skip("SOFTKMEANS_GROWTH is not set")
	}
	names := mustDo(regexp.Compile(only))(t)
	spent := func() float64 {
		var u syscall.Rusage
		must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	for _, c := range growingCalls(t) {
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
					must(t, call())
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
