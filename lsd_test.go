package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// dirichlet returns n×k memberships, Dirichlet(alpha), of which the first k are
// pure: with them at hand PPᵀ has no other factor of its kind.
func dirichlet(n, k int, alpha float64, seed uint64) *Matrix {
	p, _ := mixtures(n, k, k, alpha, 2, seed)
	rng := rand.New(rand.NewPCG(seed, 0xd1))
	for i := range n {
		sum := 0.0
		for j := range k {
			v := math.Pow(rng.Float64(), 1/alpha)
			if i < k {
				v = 0
				if j == i {
					v = 1
				}
			}
			p.Set(i, j, v)
			sum += v
		}
		scale(p.Row(i), 1/sum)
	}
	return p
}

// seeds is of how many seeds a test looks at all.
func seeds() uint64 {
	if quick() {
		return 3
	}
	return 20
}

// similarityOf returns PPᵀ/c.
func similarityOf(p *Matrix, c float64) *Matrix {
	return mapped(NewMatrix(p.Rows, p.Rows, nil), func(i, j int, _ float64) float64 { return dot(p.Row(i), p.Row(j)) / c })
}

// disturbed adds symmetric noise, whose norm is `share` of that of m.
func disturbed(m *Matrix, share float64, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 0x401))
	e := NewMatrix(m.Rows, m.Rows, nil)
	for i := range m.Rows {
		for j := range i + 1 {
			v := rng.NormFloat64()
			e.Set(i, j, v)
			e.Set(j, i, v)
		}
	}
	f := share * math.Sqrt(sumSquares(m.Data)/sumSquares(e.Data))
	return mapped(m, func(i, j int, v float64) float64 { return v + f*e.At(i, j) })
}

// lsdObjective is ‖K − PPᵀ/c‖², entry by entry.
func lsdObjective(k, p *Matrix, c float64) (sum float64) {
	for i := range p.Rows {
		for j := range p.Rows {
			d := k.At(i, j) - dot(p.Row(i), p.Row(j))/c
			sum += d * d
		}
	}
	return sum
}

// matched is the largest difference of p and q with q's columns in the order that
// fits best.
func matched(p, q *Matrix) (worst float64) {
	used := make([]bool, p.Cols)
	for a := range p.Cols {
		least, at := math.Inf(1), -1
		for b := range p.Cols {
			top := 0.0
			for i := range p.Rows {
				top = max(top, math.Abs(p.At(i, a)-q.At(i, b)))
			}
			if !used[b] && top < least {
				least, at = top, b
			}
		}
		used[at] = true
		worst = max(worst, least)
	}
	return worst
}

// centredKernel is HKH, slowly.
func centredKernel(k *Matrix) *Matrix {
	n := k.Rows
	means, all := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			means[i] += k.At(i, j) / float64(n)
		}
	}
	for _, v := range means {
		all += v / float64(n)
	}
	return mapped(k, func(i, j int, v float64) float64 { return v - means[i] - means[j] + all })
}

// TestLSDExact: K = PPᵀ/c gives P and c back.
func TestLSDExact(t *testing.T) {
	var worstC, worstObjective, worstP float64
	for k := 2; k <= 8; k++ {
		for seed := range seeds() {
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			c := math.Exp(math.Log(0.01) + rng.Float64()*math.Log(250/0.01))
			p := dirichlet(30*k, k, 0.5, seed)
			kernel := similarityOf(p, c)
			m, err := LSD(bg, kernel, k, &LSDOptions{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			checkFeasible(t, m.Memberships)
			total := sumSquares(kernel.Data)
			relative := lsdObjective(kernel, m.Memberships, m.Scale) / total
			worstC = max(worstC, math.Abs(m.Scale/c-1))
			worstObjective = max(worstObjective, relative)
			worstP = max(worstP, matched(p, m.Memberships))
			if math.Abs(m.Scale/c-1) > 1e-6 || relative > 1e-10 || matched(p, m.Memberships) > 1e-5 {
				t.Errorf("k=%d seed=%d c=%g: c off by %.1e, objective %.1e of ‖K‖², memberships off by %.1e",
					k, seed, c, m.Scale/c-1, relative, matched(p, m.Memberships))
			}
			if m.Status != StatusConverged || m.Rank != k || m.Floor > m.Objective || math.Abs(m.Objective/total-relative) > 1e-25 {
				t.Errorf("k=%d seed=%d: %v, rank %d, floor %g, objective %g, here %g", k, seed, m.Status, m.Rank, m.Floor, m.Objective, relative*total)
			}
		}
	}
	t.Logf("worst: c %.1e, objective %.1e, memberships %.1e", worstC, worstObjective, worstP)
}

// TestLSDNoisy: with noise the objective is at most that of the true P with its
// best scale, at least the floor, and what the model says it is.
func TestLSDNoisy(t *testing.T) {
	for k := 2; k <= 8; k++ {
		for seed := range seeds() {
			p := dirichlet(30*k, k, 0.5, seed)
			kernel := disturbed(similarityOf(p, 3), 0.01, seed)
			m, err := LSD(bg, kernel, k, &LSDOptions{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			checkFeasible(t, m.Memberships)
			pp := similarityOf(p, 1)
			best := sumSquares(pp.Data) / dot(pp.Data, kernel.Data)
			truth, got := lsdObjective(kernel, p, best), lsdObjective(kernel, m.Memberships, m.Scale)
			if got > truth || got < m.Floor || math.Abs(got-m.Objective) > 1e-12*m.Total {
				t.Errorf("k=%d seed=%d: objective %g (said to be %g), of the true memberships %g, floor %g", k, seed, got, m.Objective, truth, m.Floor)
			}
			source, err := LSD(bg, kernel, k, &LSDOptions{Seed: seed, MaxIter: -1})
			if err != nil {
				t.Fatal(err)
			}
			if source.Objective < m.Objective || source.Iterations != 0 {
				t.Errorf("k=%d seed=%d: the descent rose from %g to %g", k, seed, source.Objective, m.Objective)
			}
		}
	}
}

// TestLSDTwo: for k = 2 the closed form of the source, p = ½(1 ± √(2cK_jj − 1)).
func TestLSDTwo(t *testing.T) {
	p := dirichlet(60, 2, 1, 4)
	kernel := similarityOf(p, 7)
	m, err := LSD(bg, kernel, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	star := 0
	for j := range 60 {
		if kernel.At(j, j) > kernel.At(star, star) {
			star = j
		}
	}
	closed := NewMatrix(60, 2, nil)
	for j := range 60 {
		s := math.Sqrt(max(0, 2*m.Scale*kernel.At(j, j)-1))
		if m.Scale*kernel.At(star, j) < 0.5 {
			s = -s
		}
		closed.Set(j, 0, (1+s)/2)
		closed.Set(j, 1, (1-s)/2)
	}
	if d := matched(closed, m.Memberships); d > 1e-7 { // of a square root near 0
		t.Errorf("memberships and closed form differ by %g", d)
	}
}

// TestTILSDMinimum: the objective is the sum of the squares of the other
// eigenvalues of HKH, by an independent way, and no other K′ of the class does
// better.
func TestTILSDMinimum(t *testing.T) {
	x := randomData(300, 12, 2, 9)
	rbf, err := RBFKernel(x, 0)
	if err != nil {
		t.Fatal(err)
	}
	kernels := map[string]*Matrix{
		"linear":     mapped(NewMatrix(300, 300, nil), func(i, j int, _ float64) float64 { return dot(x.Row(i), x.Row(j)) }),
		"rbf":        NewMatrix(300, 300, nil),
		"indefinite": disturbed(NewMatrix(80, 80, slices.Repeat([]float64{1}, 6400)), 2, 1),
		"small":      disturbed(similarityOf(dirichlet(30, 4, 1, 1), 1e-3), 0.2, 1),
	}
	rbf.Rows(kernels["rbf"], 0)
	for name, kernel := range kernels {
		for _, factor := range []float64{1, 1e140, 1e-140} {
			scaled := mapped(kernel, func(_, _ int, v float64) float64 { return v * factor })
			values, _, err := EigenSym(centredKernel(kernel))
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range []int{1, 2, 3, 7} {
				for _, enclosure := range []Enclosure{EnclosureBall, EnclosureTight} {
					m, err := TILSD(bg, scaled, k, &LSDOptions{Enclosure: enclosure})
					if err != nil {
						t.Fatal(err)
					}
					checkFeasible(t, m.Memberships)
					want, trace, total := 0.0, 0.0, 0.0
					for i, v := range values {
						total += v * v
						if i >= k-1 || v < 0 {
							want += v * v
							trace += v
						}
					}
					want, total = want*factor*factor, total*factor*factor
					if math.Abs(m.Objective-want) > 1e-9*want || math.Abs(m.Floor-want) > 1e-9*want || math.Abs(m.Total-total) > 1e-9*total || m.Status != StatusOptimal {
						t.Errorf("%s ×%g k=%d: objective %g, floor %g, total %g, %v; the eigenvalues say %g of %g", name, factor, k, m.Objective, m.Floor, m.Total, m.Status, want, total)
					}
					if math.Abs(m.Distortion-trace*factor) > 1e-9*math.Abs(trace*factor)+1e-12*math.Sqrt(total) {
						t.Errorf("%s ×%g k=%d: distortion %g, want %g", name, factor, k, m.Distortion, trace*factor)
					}
					if k == 1 {
						continue
					}
					// H(K − PPᵀ/c)H, by its definition.
					fitted := centredKernel(similarityOf(m.Memberships, m.Scale*factor))
					centred := centredKernel(kernel)
					axpy(centred.Data, -1, fitted.Data)
					if got := sumSquares(centred.Data) * factor * factor; math.Abs(got-want) > 1e-9*want {
						t.Errorf("%s ×%g k=%d %v: ‖H(K−PPᵀ/c)H‖² = %g, want %g", name, factor, k, enclosure, got, want)
					}
				}
			}
		}
	}
}

// TestTILSDFit: TI-LSD of XXᵀ is Fit of X, through a dense kernel and through
// LinearKernel, and the scale is 1/(r²k(k−1)).
func TestTILSDFit(t *testing.T) {
	for _, x := range []*Matrix{loadCSV(t, "iris"), loadCSV(t, "wine"), randomData(40, 90, 3, 1), randomData(400, 5, 3, 1)} {
		n, d := x.Dims()
		kernel := mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 { return dot(x.Row(i), x.Row(j)) })
		linear, err := LinearKernel(x)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{1, 2, 3, 5} {
			for _, enclosure := range []Enclosure{EnclosureBall, EnclosureTight} {
				fit, err := Fit(bg, x, k, &Options{Enclosure: enclosure})
				if err != nil {
					t.Fatal(err)
				}
				dense, err := TILSD(bg, kernel, k, &LSDOptions{Enclosure: enclosure})
				if err != nil {
					t.Fatal(err)
				}
				factored, err := TILSDOf(bg, linear, k, &LSDOptions{Enclosure: enclosure})
				if err != nil {
					t.Fatal(err)
				}
				for name, m := range map[string]*LSDModel{"dense": dense, "linear": factored} {
					if math.Abs(m.Distortion-fit.Objective) > 1e-9*fit.Total {
						t.Errorf("%d×%d k=%d %s: distortion %g, Fit's objective %g", n, d, k, name, m.Distortion, fit.Objective)
					}
					if math.Abs(m.Objective-dense.Objective) > 1e-9*dense.Total {
						t.Errorf("%d×%d k=%d %s: objective %g, dense %g", n, d, k, name, m.Objective, dense.Objective)
					}
					// Signs of eigenvectors differ: compare PPᵀ, which does not know them
					// with the ball, and the map's vertices through Predict.
					if enclosure == EnclosureBall {
						if diff := maxDiff(similarityOf(m.Memberships, 1), similarityOf(fit.Memberships, 1)); diff > 1e-9 {
							t.Errorf("%d×%d k=%d %s: PPᵀ differs from Fit's by %g", n, d, k, name, diff)
						}
						r := 0.0
						for j := range k {
							row := append([]float64(nil), fit.Centers.Row(j)...)
							for i := range n {
								axpy(row, -1/float64(n), x.Row(i))
							}
							r = max(r, norm2(row)/float64(max(k-1, 1)))
						}
						if want := 1 / (r * r * float64(k*(k-1))); k > 1 && math.Abs(m.Scale/want-1) > 1e-9 {
							t.Errorf("%d×%d k=%d %s: c = %g, 1/(r²k(k−1)) = %g", n, d, k, name, m.Scale, want)
						}
					}
					rows, err := linear.Cross(nil, x)
					if err != nil {
						t.Fatal(err)
					}
					g, err := m.Predict(nil, rows)
					if err != nil {
						t.Fatal(err)
					}
					if diff := maxDiff(g, m.Memberships); diff > 1e-8 && k <= min(n-1, d)+1 {
						t.Errorf("%d×%d k=%d %s: Predict of the training rows differs by %g", n, d, k, name, diff)
					}
				}
			}
		}
	}
}

// TestKernelPredict: new samples through a kernel get what Fit's model gives them.
func TestKernelPredict(t *testing.T) {
	x := loadCSV(t, "wine")
	train, rest := rowsOf(x, 0, 120), rowsOf(x, 120, 178)
	fit, err := Fit(bg, train, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	linear, err := LinearKernel(train)
	if err != nil {
		t.Fatal(err)
	}
	m, err := TILSDOf(bg, linear, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var saved LSDModel
	if err := saved.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	rows, err := linear.Cross(nil, rest)
	if err != nil {
		t.Fatal(err)
	}
	g, err := saved.Predict(nil, rows)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fit.Predict(nil, rest)
	if err != nil {
		t.Fatal(err)
	}
	if d := maxDiff(similarityOf(g, 1), similarityOf(want, 1)); d > 1e-8 {
		t.Errorf("PPᵀ of new samples differs by %g", d)
	}
	// An RBF kernel's rows of the training samples give the memberships back; LSD's
	// too where K = PPᵀ/c.
	rbf, err := RBFKernel(train, 0)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = TILSDOf(bg, rbf, 4, &LSDOptions{Enclosure: EnclosureTight}); err != nil {
		t.Fatal(err)
	}
	if rows, err = rbf.Cross(nil, train); err != nil {
		t.Fatal(err)
	}
	if g, err = m.Predict(nil, rows); err != nil || maxDiff(g, m.Memberships) > 1e-9 {
		t.Errorf("rbf: %v, differs by %g", err, maxDiff(g, m.Memberships))
	}
	p := dirichlet(90, 4, 0.5, 1)
	kernel := similarityOf(p, 5)
	if m, err = LSD(bg, kernel, 4, nil); err != nil {
		t.Fatal(err)
	}
	if g, err = m.Predict(nil, kernel); err != nil || maxDiff(g, m.Memberships) > 1e-7 {
		t.Errorf("LSD: %v, differs by %g", err, maxDiff(g, m.Memberships))
	}
	mustPanic(t, func() { m.Predict(kernel, kernel) })
}

var _ = context.Background
var _ = errors.Is
var _ = strings.Contains
