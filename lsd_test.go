package softkmeans

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
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
func seeds() uint64 { return fewer[uint64](20, 3) }

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
	for k := 2; k <= 8; k += fewer(1, 3) {
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
	t.Parallel()
	for k := 2; k <= 8; k += fewer(1, 3) {
		for seed := range seeds() {
			p := dirichlet(fewer(30, 15)*k, k, 0.5, seed)
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
			if seed >= 3 {
				continue
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

// TestLSDNearlyExact: where little is left to gain the descent never ends above
// its start, to the last bit.
func TestLSDNearlyExact(t *testing.T) {
	for seed := range fewer[uint64](40, 8) {
		kernel := disturbed(similarityOf(dirichlet(60, 3, 0.5, seed), 2), math.Pow(10, -5-float64(seed%8)/2), seed)
		start, err := LSD(bg, kernel, 3, &LSDOptions{MaxIter: -1})
		if err != nil {
			t.Fatal(err)
		}
		end, err := LSD(bg, kernel, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		if end.Objective > start.Objective {
			t.Errorf("seed %d: from %g to %g", seed, start.Objective, end.Objective)
		}
	}
}

// TestLSDAveraged: a matrix that is symmetric to rounding of its source is taken
// as the mean with its mirror image.
func TestLSDAveraged(t *testing.T) {
	kernel := similarityOf(dirichlet(50, 3, 0.5, 1), 2)
	lopsided := mapped(kernel, func(i, j int, v float64) float64 {
		if i < j {
			return v + 1e-9
		}
		return v
	})
	want := mapped(kernel, func(i, j int, v float64) float64 {
		if i != j {
			return v + 0.5e-9
		}
		return v
	})
	a, err := LSD(bg, lopsided, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := LSD(bg, want, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.Total-b.Total) > 1e-14*b.Total || math.Abs(a.Objective-b.Objective) > 1e-3*b.Objective || maxDiff(a.Memberships, b.Memberships) > 1e-8 {
		t.Errorf("objective %g of %g, of the mean %g of %g", a.Objective, a.Total, b.Objective, b.Total)
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
	n := fewer(300, fullOrder+2)
	x := randomData(n, 12, 2, 9)
	rbf, err := RBFKernel(x, 0)
	if err != nil {
		t.Fatal(err)
	}
	kernels := map[string]*Matrix{
		"linear":     mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 { return dot(x.Row(i), x.Row(j)) }),
		"rbf":        NewMatrix(n, n, nil),
		"indefinite": disturbed(NewMatrix(80, 80, slices.Repeat([]float64{1}, 6400)), 2, 1),
		"small":      disturbed(similarityOf(dirichlet(30, 4, 1, 1), 1e-3), 0.2, 1),
	}
	rbf.Rows(kernels["rbf"], 0)
	for name, kernel := range kernels {
		values, _, err := EigenSym(centredKernel(kernel))
		if err != nil {
			t.Fatal(err)
		}
		for _, factor := range fewer([]float64{1, 1e140, 1e-140}, []float64{1e140, 1e-140}) {
			scaled := mapped(kernel, func(_, _ int, v float64) float64 { return v * factor })
			for _, k := range fewer([]int{1, 2, 3, 7}, []int{1, 3}) {
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
	for _, x := range []*Matrix{loadCSV(t, "iris"), loadCSV(t, "wine"), randomData(40, 90, 3, 1), randomData(fewer(400, 150), 5, 3, 1)} {
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
					w, err := m.Coordinates(nil, rows)
					if err != nil {
						t.Fatal(err)
					}
					own, err := m.Coordinates(nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					if diff := maxDiff(w, own); diff > 1e-8*math.Sqrt(fit.Total) {
						t.Errorf("%d×%d k=%d %s: coordinates of the training rows with and without K differ by %g", n, d, k, name, diff)
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
	// Coordinates are those of which HKH keeps all but the objective.
	all, err := linear.Cross(nil, train)
	if err != nil {
		t.Fatal(err)
	}
	w, err := saved.Coordinates(nil, all)
	if err != nil {
		t.Fatal(err)
	}
	left := centredKernel(all)
	axpy(left.Data, -1, outer(w).Data)
	if got := sumSquares(left.Data); math.Abs(got-m.Objective) > 1e-9*m.Total || w.Cols != 2 {
		t.Errorf("‖HKH − WWᵀ‖² = %g, objective %g", got, m.Objective)
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

// outer returns XXᵀ.
func outer(x *Matrix) *Matrix { return similarityOf(x, 1) }

func shifted(x *Matrix, by ...float64) *Matrix {
	return mapped(x, func(_, j int, v float64) float64 { return v + by[j] })
}

// TestLSDTheorems: {LSDable} ⊆ {TI-LSDable} ⊆ {SkMable} with matrices that are in
// one and not in the other.
func TestLSDTheorems(t *testing.T) {
	check := func(name string, x *Matrix, k int, lsd ObstacleKind, ti ObstacleKind, skm bool) {
		t.Helper()
		o, err := LSDObstacle(outer(x), k, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := TILSDObstacle(outer(x), k, 0)
		if err != nil {
			t.Fatal(err)
		}
		s, err := SkMable(x, k, 1e-7)
		if err != nil {
			t.Fatal(err)
		}
		if o.Kind != lsd || p.Kind != ti || s != skm {
			t.Errorf("%s: LSDable %v, TI-LSDable %v, SkMable %v", name, o, p, s)
		}
		if yes, err := LSDable(outer(x), k, 0); err != nil || yes != (lsd == ObstacleNone) {
			t.Errorf("%s: LSDable is %v, %v", name, yes, err)
		}
		if yes, err := TILSDable(outer(x), k, 0); err != nil || yes != (ti == ObstacleNone) {
			t.Errorf("%s: TILSDable is %v, %v", name, yes, err)
		}
	}
	for k := 2; k <= 6; k++ {
		// X = √(1/c)·P is LSDable; moved it is TI-LSDable only; noise is neither.
		p := dirichlet(20*k, k, 0.7, uint64(k))
		x := mapped(p, func(_, _ int, v float64) float64 { return v / 3 })
		check("P", x, k, ObstacleNone, ObstacleNone, true)
		move := make([]float64, k)
		move[0], move[1] = 0.3, -0.2
		// In k dimensions the moved samples lie in another hyperplane off the origin,
		// at another angle and distance; or have angles above 90°.
		o, err := LSDObstacle(outer(shifted(x, move...)), k, 0)
		if err != nil || o.Kind != ObstacleSimplex && o.Kind != ObstacleEntry {
			t.Errorf("k=%d: moved: %v, %v", k, o, err)
		}
		if yes, err := TILSDable(outer(shifted(x, move...)), k, 0); err != nil || !yes {
			t.Errorf("k=%d: moved: TI-LSDable %v, %v", k, yes, err)
		}
		check("one more direction", randomData(40, k, 0, 1), k, ObstacleEntry, ObstacleRank, false)
	}
	// SkMable and TI-LSDable are the same for XXᵀ as long as the translation may
	// leave the span: two clusters on a line.
	check("a line", NewMatrix(3, 1, []float64{0, 1, 2}), 2, ObstacleRange, ObstacleNone, true)
	// The reasons.
	for _, c := range []struct {
		k      *Matrix
		c      int
		lsd    ObstacleKind
		ti     ObstacleKind
		row    int
		value  float64
		phrase string
	}{
		{NewMatrix(2, 2, []float64{1, 0, 0, -1}), 2, ObstacleSign, ObstacleNone, 0, -1, "negative eigenvalue"},
		{NewMatrix(2, 2, []float64{-1, 0, 0, -1}), 2, ObstacleSign, ObstacleSign, 0, -1, "negative eigenvalue"},
		{NewMatrix(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), 2, ObstacleRank, ObstacleRank, 0, 1, "too many positive"},
		{NewMatrix(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), 3, ObstacleNone, ObstacleNone, 0, 0, "none"},
		{NewMatrix(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), 5, ObstacleNone, ObstacleNone, 0, 0, "none"},
		{NewMatrix(2, 2, []float64{1, -0.5, -0.5, 1}), 2, ObstacleEntry, ObstacleNone, 0, -0.5, "[0,1] is negative"},
		{NewMatrix(3, 3, nil), 2, ObstacleRange, ObstacleNone, 0, 1, "range"},
		{NewMatrix(2, 2, []float64{1, 1, 1, 4}), 2, ObstacleSimplex, ObstacleNone, 0, 0.300376, "no simplex"},
		{NewMatrix(2, 2, []float64{1, 2, 2, 4}), 2, ObstacleRange, ObstacleNone, 0, 0.4, "range"},
		{NewMatrix(2, 2, []float64{2, 2, 2, 2}), 4, ObstacleNone, ObstacleNone, 0, 0, "none"},
	} {
		o, err := LSDObstacle(c.k, c.c, 0)
		if err != nil || o.Kind != c.lsd || o.Row != c.row || math.Abs(o.Value-c.value) > 1e-6 || !strings.Contains(o.String(), c.phrase) {
			t.Errorf("%v, k=%d: %+v (%v), %v", c.k.Data, c.c, o, o, err)
		}
		if o, err = TILSDObstacle(c.k, c.c, 0); err != nil || o.Kind != c.ti {
			t.Errorf("%v, k=%d: TI: %v, %v", c.k.Data, c.c, o, err)
		}
	}
	// Translation breaks LSDable, never TI-LSDable; neither minds scale.
	p := dirichlet(40, 3, 1, 8)
	for _, f := range []float64{1e-150, 1, 1e150} {
		kernel := similarityOf(p, 1/f)
		if yes, err := LSDable(kernel, 3, 0); err != nil || !yes {
			t.Errorf("×%g: %v, %v", f, yes, err)
		}
		if yes, err := LSDable(kernel, 2, 0); err != nil || yes {
			t.Errorf("×%g: k=2 %v, %v", f, yes, err)
		}
	}
}

// TestLSDBits: the same bits for any number of workers, for a strided view, for a
// matrix, a function and a kernel of samples, whatever the Krylov iteration and
// the descent do.
func TestLSDBits(t *testing.T) {
	t.Parallel()
	n, most := fewer(290, fullOrder+8), fewer(30, 3)
	x := randomData(n, 6, 1, 5)
	rbf, err := RBFKernel(x, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	kernel := NewMatrix(n, n, nil)
	rbf.Rows(kernel, 0)
	wide := &Matrix{Rows: n, Cols: n, Stride: n + 10, Data: slices.Repeat([]float64{math.NaN()}, n*(n+10))}
	for i := range n {
		copy(wide.Row(i), kernel.Row(i))
	}
	type call = func(s Similarity, dense *Matrix, o *LSDOptions) (*LSDModel, error)
	for name, f := range map[string]call{
		"LSD": func(s Similarity, dense *Matrix, o *LSDOptions) (*LSDModel, error) {
			if dense != nil {
				return LSD(bg, dense, 4, o)
			}
			return LSDOf(bg, s, 4, o)
		},
		"TILSD": func(s Similarity, dense *Matrix, o *LSDOptions) (*LSDModel, error) {
			if dense != nil {
				return TILSD(bg, dense, 4, o)
			}
			return TILSDOf(bg, s, 4, o)
		},
		"HierarchicalLSD": func(s Similarity, dense *Matrix, o *LSDOptions) (*LSDModel, error) {
			var tree *LSDTree
			var err error
			if dense != nil {
				tree, err = HierarchicalLSD(bg, dense, 4, o)
			} else {
				tree, err = HierarchicalLSDOf(bg, s, 4, o)
			}
			if err != nil {
				return nil, err
			}
			return &tree.Model, nil
		},
	} {
		want, err := f(nil, kernel, &LSDOptions{Workers: 1, MaxIter: most})
		if err != nil {
			t.Fatal(err)
		}
		first, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range fewer([]int{1, 2, 7}, []int{1, 7}) {
			o := &LSDOptions{Workers: workers, MaxIter: most}
			for kind, get := range map[string]func() (*LSDModel, error){
				"strided":  func() (*LSDModel, error) { return f(nil, wide, o) },
				"function": func() (*LSDModel, error) { return f(KernelFunc(n, kernel.At), nil, o) },
				"rbf":      func() (*LSDModel, error) { return f(rbf, nil, o) },
			} {
				m, err := get()
				if err != nil {
					t.Fatal(err)
				}
				b, err := m.MarshalBinary()
				if err != nil || string(b) != string(first) {
					t.Errorf("%s, %s, %d workers: other bits (%v)", name, kind, workers, err)
				}
			}
		}
		// A power of two is a change of units.
		m, err := f(nil, mapped(kernel, func(_, _ int, v float64) float64 { return math.Ldexp(v, 300) }), &LSDOptions{MaxIter: most})
		if err != nil || maxDiff(m.Memberships, want.Memberships) != 0 || m.Scale != math.Ldexp(want.Scale, -300) || m.Gap != want.Gap {
			t.Errorf("%s: other bits for K·2^300: %v", name, err)
		}
	}
}

// TestLSDFloor: the floor is a lower bound, with the Krylov iteration (n > fullOrder)
// as with all eigenvalues, also where eigenvalues are close and where the largest
// in magnitude is negative, and tight.
func TestLSDFloor(t *testing.T) {
	t.Parallel()
	n := fewer(200, fullOrder+8)
	rng := rand.New(rand.NewPCG(3, 3))
	q := randomData(n, n, 0, 7)
	orthonormalize(q, 0)
	for name, value := range map[string]func(i int) float64{
		"falling":      func(i int) float64 { return math.Pow(0.9, float64(i)) },
		"close":        func(i int) float64 { return 1 - 1e-3*float64(i)/float64(n) },
		"multiple":     func(i int) float64 { return float64(5 - i/10) },
		"few positive": func(i int) float64 { return map[bool]float64{true: 1, false: -0.5}[i < 3] },
		"negative end": func(i int) float64 { return map[bool]float64{true: -100, false: rng.Float64()}[i == 0] },
	} {
		values := make([]float64, n)
		kernel := NewMatrix(n, n, nil)
		for i := range n {
			values[i] = value(i)
			for a := range n {
				axpy(kernel.Row(a), values[i]*q.Row(i)[a], q.Row(i))
			}
		}
		slices.Sort(values)
		slices.Reverse(values)
		for _, k := range fewer([]int{1, 4, 9}, []int{1}) {
			want := 0.0
			for i, v := range values {
				if i >= k || v < 0 {
					want += v * v
				}
			}
			m, err := LSD(bg, kernel, k, &LSDOptions{MaxIter: -1})
			if err != nil {
				t.Fatal(err)
			}
			if name == "few positive" && m.Status != StatusConverged {
				t.Errorf("%s, k=%d: %v", name, k, m.Status)
			}
			if slack := 1e-12 * m.Total; m.Floor > want+slack || m.Floor+m.FloorError < want-slack || m.FloorError > 1e-8*m.Total || m.Objective < m.Floor {
				t.Errorf("%s, k=%d: floor %g + %g, the eigenvalues say %g; objective %g", name, k, m.Floor, m.FloorError, want, m.Objective)
			}
		}
	}
}

// TestLSDErrors: what is no similarity is an error that says why, before any work.
func TestLSDErrors(t *testing.T) {
	good := similarityOf(dirichlet(12, 2, 1, 1), 1)
	lopsided := good.Clone()
	lopsided.Set(7, 3, lopsided.At(3, 7)+1)
	lopsided.Set(2, 1, lopsided.At(1, 2)+0.5)
	for _, c := range []struct {
		kernel *Matrix
		k      int
		opts   *LSDOptions
		err    error
		phrase string
	}{
		{nil, 2, nil, ErrShape, "kernel is nil"},
		{NewMatrix(3, 4, nil), 2, nil, ErrShape, "3×4, not square"},
		{NewMatrix(0, 0, nil), 2, nil, ErrTooFewSamples, "no rows"},
		{lopsided, 2, nil, ErrShape, "worst at [7,3]"},
		{mapped(good, func(i, j int, v float64) float64 {
			if i == 4 && j == 5 {
				return math.NaN()
			}
			return v
		}), 2, nil, ErrNonFinite, "kernel[4,5] = NaN"},
		{good, 0, nil, ErrOption, "k is 0"},
		{good, -1, nil, ErrOption, "k is -1"},
		{good, math.MaxInt / 2, nil, ErrOption, "too large"},
		{good, 2, &LSDOptions{Workers: -1}, ErrOption, "Workers is -1"},
		{good, 2, &LSDOptions{Starts: -1}, ErrOption, "Starts is -1"},
		{good, 2, &LSDOptions{Tol: math.NaN()}, ErrOption, "Tol is NaN"},
		{good, 2, &LSDOptions{Enclosure: 7}, ErrOption, "Enclosure"},
		{good, 2, &LSDOptions{Orientation: NewMatrix(2, 2, nil)}, ErrShape, "Orientation"},
	} {
		_, one := LSD(bg, c.kernel, c.k, c.opts)
		_, two := TILSD(bg, c.kernel, c.k, c.opts)
		_, three := HierarchicalLSD(bg, c.kernel, c.k, c.opts)
		for _, err := range []error{one, two, three} {
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.phrase) {
				t.Errorf("%v, want %v with %q", err, c.err, c.phrase)
			}
		}
		if c.opts == nil {
			_, one = LSDable(c.kernel, c.k, 0)
			_, two = TILSDable(c.kernel, c.k, 0)
			for _, err := range []error{one, two} {
				if c.k < 1e6 && (!errors.Is(err, c.err) || !strings.Contains(err.Error(), c.phrase)) {
					t.Errorf("%v, want %v with %q", err, c.err, c.phrase)
				}
			}
		}
	}
	if _, err := LSDOf(bg, KernelFunc(4, nil), 2, nil); !errors.Is(err, ErrShape) {
		t.Errorf("no function: %v", err)
	}
	lsd, err := LSD(bg, good, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lsd.Coordinates(nil, good); !errors.Is(err, ErrShape) {
		t.Errorf("coordinates of a model without a map: %v", err)
	}
	for _, tol := range []float64{-1, 1, math.NaN()} {
		if _, err := LSDable(good, 2, tol); !errors.Is(err, ErrOption) {
			t.Errorf("tol %g: %v", tol, err)
		}
	}
	for name, c := range map[string]struct {
		s   Similarity
		err error
	}{
		"nil":        {nil, ErrShape},
		"empty":      {KernelFunc(0, nil), ErrTooFewSamples},
		"negative":   {KernelFunc(-3, nil), ErrTooFewSamples},
		"NaN":        {KernelFunc(5, func(i, j int) float64 { return math.Log(float64(i - 3)) }), ErrNonFinite},
		"asymmetric": {KernelFunc(5, func(i, j int) float64 { return float64(i - 2*j) }), ErrShape},
	} {
		if _, err := LSDOf(bg, c.s, 2, nil); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := TILSDOf(bg, c.s, 2, nil); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, gamma := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := RBFKernel(good, gamma); !errors.Is(err, ErrOption) {
			t.Errorf("gamma %g: %v", gamma, err)
		}
	}
	rbf, err := RBFKernel(good, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rbf.Cross(nil, NewMatrix(2, 5, nil)); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if _, err := rbf.Cross(nil, NewMatrix(1, 12, slices.Repeat([]float64{math.Inf(1)}, 12))); !errors.Is(err, ErrNonFinite) {
		t.Error(err)
	}
}

// TestLSDDegenerate: what is documented for similarities without structure.
func TestLSDDegenerate(t *testing.T) {
	for name, c := range map[string]struct {
		kernel   *Matrix
		rank     int
		c        float64 // for k = 2; 0: any
		relative float64 // objective for k = 2 over the total
	}{
		"zero":              {NewMatrix(5, 5, nil), 0, math.MaxFloat64, 0},
		"negative definite": {NewMatrix(2, 2, []float64{-1, 0, 0, -3}), 0, math.MaxFloat64, 1},
		"one":               {NewMatrix(1, 1, []float64{4}), 1, 1.0 / 8, 0},
		"one below 0":       {NewMatrix(1, 1, []float64{-4}), 0, math.MaxFloat64, 1},
		"constant":          {NewMatrix(4, 4, slices.Repeat([]float64{2}, 16)), 1, 0.25, 0},
		"no positive entry": {NewMatrix(2, 2, []float64{0, -1, -1, 0}), 1, math.MaxFloat64, 1},
		"1 not in range":    {NewMatrix(2, 2, []float64{1, -1, -1, 1}), 1, 1, 0.5},
	} {
		for _, f := range []float64{1, 1e150, 1e-150} {
			scaled := mapped(c.kernel, func(_, _ int, v float64) float64 { return f * v })
			for _, k := range []int{1, 2, 3, 9} {
				m, err := LSD(bg, scaled, k, nil)
				if err != nil {
					t.Fatal(err)
				}
				checkFeasible(t, m.Memberships)
				if m.Rank != min(c.rank, k) || m.Status != StatusConverged && m.Status != StatusIterationLimit || m.Gap < -1e-12 {
					t.Errorf("%s ×%g, k=%d: %+v", name, f, k, m)
				}
				if k == 2 {
					want := c.c
					if want < math.MaxFloat64 {
						want /= f
					}
					if math.Abs(m.Scale/want-1) > 1e-9 || m.Total > 0 && math.Abs(m.Objective/m.Total-c.relative) > 1e-12 {
						t.Errorf("%s ×%g: c = %g, want %g; objective %g of %g", name, f, m.Scale, want, m.Objective, m.Total)
					}
				}
				ti, err := TILSD(bg, scaled, k, nil)
				if err != nil {
					t.Fatal(err)
				}
				checkFeasible(t, ti.Memberships)
				if ti.Status != StatusOptimal || !(ti.Scale > 0) || !isFinite(ti.Scale) {
					t.Errorf("%s ×%g, k=%d: TI %+v", name, f, k, ti)
				}
				tree, err := HierarchicalLSD(bg, scaled, k, nil)
				if err != nil {
					t.Fatal(err)
				}
				checkFeasible(t, tree.Model.Memberships)
			}
		}
	}
}

// TestHierarchicalLSD: nested clusters, found where they are clear; memberships
// are those of LSD for two.
func TestHierarchicalLSD(t *testing.T) {
	n := fewer(160, 100)
	p := dirichlet(n, 5, 0.05, 2)
	kernel := disturbed(similarityOf(p, 1), 0.02, 2)
	truth := (&LSDModel{Memberships: p}).Labels(nil)
	var last *LSDTree
	for k := 1; k <= fewer(7, 5); k++ {
		tree, err := HierarchicalLSD(bg, kernel, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkFeasible(t, tree.Model.Memberships)
		if len(tree.Splits) != k-1 || tree.Model.Objective < tree.Model.Floor {
			t.Fatalf("k=%d: %d splits, objective %g, floor %g", k, len(tree.Splits), tree.Model.Objective, tree.Model.Floor)
		}
		sizes := make([]int, k)
		for _, l := range tree.Leaves {
			sizes[l]++
		}
		// The splits tell the sizes.
		count := make([]int, k)
		count[0] = n
		for i, s := range tree.Splits {
			if count[s.Cluster] != s.Size[0]+s.Size[1] {
				t.Errorf("k=%d: split %d of %d samples makes %v", k, i, count[s.Cluster], s.Size)
			}
			count[s.Cluster], count[i+1] = s.Size[0], s.Size[1]
		}
		if !slices.Equal(sizes, count) {
			t.Errorf("k=%d: leaves have %v samples, splits say %v", k, sizes, count)
		}
		if last != nil { // nested: all but the last split are the same
			// Its gain is what the similarity within clusters rose by; sums of up to n²
			// entries below 1, over sizes from 1.
			within := func(leaves []int) (total float64) {
				size, sum := make([]float64, k), make([]float64, k)
				for i, a := range leaves {
					size[a]++
					for j, b := range leaves {
						if a == b {
							sum[a] += kernel.At(i, j)
						}
					}
				}
				for a, s := range sum {
					total += s / max(size[a], 1)
				}
				return total
			}
			if rise := within(tree.Leaves) - within(last.Leaves); math.Abs(tree.Splits[k-2].Gain-rise) > float64(n*n)*0x1p-50 {
				t.Errorf("k=%d: the gain is %g, the similarity within clusters rose by %g", k, tree.Splits[k-2].Gain, rise)
			}
			for i, l := range tree.Leaves {
				if l != last.Leaves[i] && l != k-1 {
					t.Fatalf("k=%d: sample %d went from %d to %d", k, i, last.Leaves[i], l)
				}
			}
		}
		last = tree
		if k == 2 {
			two, err := LSD(bg, kernel, 2, nil)
			if err != nil || matched(two.Memberships, tree.Model.Memberships) > 1e-15 || math.Abs(two.Objective-tree.Model.Objective) > 1e-12*two.Total {
				t.Errorf("k=2 differs from LSD: %v", err)
			}
		}
		if k == 5 {
			if acc, err := Accuracy(truth, tree.Leaves); err != nil || acc < 0.9 {
				t.Errorf("accuracy %g, %v", acc, err)
			}
		}
	}
	// Samples that cannot be told apart are not divided.
	same, err := HierarchicalLSD(bg, NewMatrix(6, 6, slices.Repeat([]float64{1}, 36)), 3, nil)
	if err != nil || len(same.Splits) != 0 || slices.Max(same.Leaves) != 0 {
		t.Errorf("identical samples: %+v, %v", same, err)
	}
	// Similarities with a large constant part, where every sample has its larger
	// membership on the same side, are divided all the same.
	offset, err := LinearKernel(randomData(60, 5, 3, 1))
	if err != nil {
		t.Fatal(err)
	}
	if tree, err := HierarchicalLSDOf(bg, offset, 5, nil); err != nil || len(tree.Splits) != 4 {
		t.Errorf("samples far from the origin: %v, %v", tree.Splits, err)
	}
	// Through samples.
	x, _ := mixtures(120, 6, 3, 0.1, 1, 3)
	linear, err := LinearKernel(x)
	if err != nil {
		t.Fatal(err)
	}
	one, err := HierarchicalLSDOf(bg, linear, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := HierarchicalLSD(bg, outer(x), 3, nil)
	if err != nil || !slices.Equal(one.Leaves, two.Leaves) || math.Abs(one.Model.Objective-two.Model.Objective) > 1e-6*two.Model.Objective {
		t.Errorf("linear kernel: objective %g, as a matrix %g; %v", one.Model.Objective, two.Model.Objective, err)
	}
}

// TestLSDCancel: whenever ctx ends its error comes back, with memberships that
// are feasible or none.
func TestLSDCancel(t *testing.T) {
	n := fewer(150, 60)
	kernel := disturbed(similarityOf(dirichlet(n, 4, 1, 1), 1), 0.05, 1)
	for name, f := range map[string]func(ctx context.Context) (*Matrix, Status, error){
		"LSD": func(ctx context.Context) (*Matrix, Status, error) {
			m, err := LSD(ctx, kernel, 4, &LSDOptions{Workers: 1})
			if m == nil {
				return nil, 0, err
			}
			return m.Memberships, m.Status, err
		},
		"TILSD": func(ctx context.Context) (*Matrix, Status, error) {
			m, err := TILSD(ctx, kernel, 4, &LSDOptions{Workers: 1})
			if m == nil {
				return nil, 0, err
			}
			return m.Memberships, m.Status, err
		},
		"HierarchicalLSD": func(ctx context.Context) (*Matrix, Status, error) {
			m, err := HierarchicalLSD(ctx, kernel, 4, &LSDOptions{Workers: 1})
			if m == nil {
				return nil, 0, err
			}
			return m.Model.Memberships, m.Model.Status, err
		},
	} {
		kept := 0
		for looks := 1; ; looks += 1 + looks/fewer(8, 3) {
			left := looks
			ctx := countdown{bg, &left}
			g, status, err := f(ctx)
			if err == nil {
				if looks < 20 {
					t.Errorf("%s looks at ctx less than %d times", name, looks)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s after %d looks: %v", name, looks, err)
			}
			if g != nil {
				kept++
				checkFeasible(t, g)
				if name == "LSD" && maxDiff(g, uniform(n, 4)) < 1e-3 {
					t.Errorf("%s after %d looks: memberships of nothing", name, looks)
				}
				if status != StatusCancelled {
					t.Errorf("%s after %d looks: %v", name, looks, status)
				}
			}
		}
		if kept == 0 && name != "TILSD" {
			t.Errorf("%s never gave the best so far", name)
		}
	}
}

// TestLSDProgress: the descent tells every step, and the last is at most the
// first.
func TestLSDProgress(t *testing.T) {
	kernel := disturbed(similarityOf(dirichlet(90, 3, 1, 1), 1), 0.05, 1)
	var steps []Iteration
	m, err := LSD(bg, kernel, 3, &LSDOptions{Progress: func(it Iteration) { steps = append(steps, it) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) < 2 || steps[0].Iteration != 0 || steps[0].Restart != 0 {
		t.Fatalf("%d calls", len(steps))
	}
	least := math.Inf(1)
	for _, it := range steps {
		least = min(least, it.Objective)
		if it.Floor != m.Floor || it.Fit != it.Objective {
			t.Fatalf("%+v, floor %g", it, m.Floor)
		}
	}
	if math.Abs(least-m.Objective) > 1e-12*m.Total || m.Objective > steps[0].Objective {
		t.Errorf("objective %g, lowest told %g, first %g", m.Objective, least, steps[0].Objective)
	}
}

// TestStandOut: the widest drop of at least a hundredfold decides, and all count
// where there is none.
func TestStandOut(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   int
	}{{nil, 0}, {[]float64{3}, 1}, {[]float64{3, 2, 1}, 3}, {[]float64{300, 4, 3}, 3}, {[]float64{300, 3, 2}, 1},
		{[]float64{5, 4, 0.01, 0.009}, 2}, {[]float64{1e6, 1e3, 1, 1e-5, 1e-6}, 3}} {
		if got := standOut(c.values); got != c.want {
			t.Errorf("%v: %d stand out, want %d", c.values, got, c.want)
		}
	}
}

// TestSampleKernel: kernels of samples against their definitions.
func TestSampleKernel(t *testing.T) {
	x := randomData(70, 5, 4, 3)
	for _, factor := range []float64{1, 1e150, 1e-150} {
		scaled := mapped(x, func(_, _ int, v float64) float64 { return v * factor })
		rbf, err := RBFKernel(scaled, 0)
		if err != nil {
			t.Fatal(err)
		}
		var distances []float64
		for i := range 70 {
			for j := range i {
				distances = append(distances, math.Sqrt(squaredDistance(x.Row(i), x.Row(j))))
			}
		}
		slices.Sort(distances)
		median := (distances[len(distances)/2] + distances[(len(distances)-1)/2]) / 2
		gamma := 1 / (2 * median * median)
		if want := gamma / factor / factor; want < math.MaxFloat64 && want > 0 && math.Abs(rbf.Gamma()/want-1) > 1e-2 {
			t.Errorf("×%g: gamma %g, want %g", factor, rbf.Gamma(), want)
		}
		got := NewMatrix(70, 70, nil)
		rbf.Rows(got, 0)
		cross, err := rbf.Cross(nil, scaled)
		if err != nil || maxDiff(got, cross) != 0 {
			t.Errorf("×%g: Cross and Rows differ: %v", factor, err)
		}
		for i := range 70 {
			for j := range 70 {
				want := math.Exp(-rbf.gamma * math.Ldexp(squaredDistance(scaled.Row(i), scaled.Row(j)), -2*rbf.s.exp))
				if factor != 1 {
					want = got.At(j, i)
				}
				if math.Abs(got.At(i, j)-want) > 1e-14 || i == j && got.At(i, j) != 1 {
					t.Fatalf("×%g: K[%d,%d] = %g, want %g", factor, i, j, got.At(i, j), want)
				}
			}
		}
		// Units do not matter.
		m, err := LSDOf(bg, rbf, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := RBFKernel(x, 0)
		if err != nil {
			t.Fatal(err)
		}
		same, err := LSDOf(bg, plain, 3, nil)
		if err != nil || maxDiff(m.Memberships, same.Memberships) > 1e-4 { // where the descent stops
			t.Errorf("×%g: other memberships, by %g, %v", factor, maxDiff(m.Memberships, same.Memberships), err)
		}
		linear, err := LinearKernel(scaled)
		if err != nil {
			t.Fatal(err)
		}
		ti, err := TILSDOf(bg, linear, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := Fit(bg, scaled, 3, nil)
		if err != nil || maxDiff(outer(ti.Memberships), outer(fit.Memberships)) > 1e-9 {
			t.Errorf("×%g: TILSD of the linear kernel is not Fit: %v", factor, err)
		}
	}
	// Duplicates: three pairs of six are 0 apart, three 2; of ten, six and four, so
	// that the median is of the pairs that differ; none differ.
	twins, err := RBFKernel(NewMatrix(4, 1, []float64{1, 1, 1, 3}), 0)
	if err != nil || math.Abs(twins.Gamma()-0.5) > 1e-15 {
		t.Errorf("gamma %g, %v", twins.Gamma(), err)
	}
	if twins, err = RBFKernel(NewMatrix(5, 1, []float64{1, 1, 1, 1, 3}), 0); err != nil || math.Abs(twins.Gamma()-1.0/8) > 1e-15 {
		t.Errorf("gamma %g, %v", twins.Gamma(), err)
	}
	if same, err := RBFKernel(NewMatrix(3, 1, []float64{1, 1, 1}), 0); err != nil || !(same.Gamma() > 0) {
		t.Errorf("%v, %v", same.Gamma(), err)
	}
	if linear, _ := LinearKernel(x); linear.Gamma() != 0 || linear.Len() != 70 {
		t.Error("a linear kernel with a gamma")
	}
}

// TestLSDBinary: an LSDModel comes back from its bytes, and from nothing else.
func TestLSDBinary(t *testing.T) {
	kernel := similarityOf(dirichlet(30, 3, 1, 1), 2)
	lsd, err := LSD(bg, kernel, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	ti, err := TILSD(bg, kernel, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	single, err := TILSD(bg, kernel, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range []*LSDModel{lsd, ti, single, {}} {
		b, err := m.MarshalBinary()
		if err != nil || cap(b) != len(b) {
			t.Fatalf("model %d: %v, %d of %d bytes", i, err, len(b), cap(b))
		}
		back := LSDModel{Rank: 77}
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		if !reflect.DeepEqual(&back, m) {
			t.Errorf("model %d came back as %+v, was %+v", i, back, m)
		}
		for cut := range b {
			if err := back.UnmarshalBinary(b[:cut]); !errors.Is(err, ErrFormat) {
				t.Fatalf("model %d cut at %d: %v", i, cut, err)
			}
			wrong := slices.Clone(b)
			wrong[cut] ^= 4
			if err := back.UnmarshalBinary(wrong); !errors.Is(err, ErrFormat) {
				t.Fatalf("model %d with byte %d wrong: %v", i, cut, err)
			}
		}
		if err := new(Model).UnmarshalBinary(b); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "a softkmeans model of similarities, not a softkmeans model") {
			t.Errorf("read as a Model: %v", err)
		}
		j, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var text LSDModel
		if err := json.Unmarshal(j, &text); err != nil || !reflect.DeepEqual(&text, m) {
			t.Errorf("model %d: json: %v", i, err)
		}
	}
	for _, bad := range []*LSDModel{
		{Status: 9}, {Rank: -1}, {Iterations: -1}, {Scale: math.NaN()}, {Memberships: &Matrix{Rows: 2, Cols: 2}},
		{Map: ti.Map}, {Memberships: NewMatrix(3, 3, nil), Map: ti.Map},
	} {
		if _, err := bad.MarshalBinary(); err == nil {
			t.Errorf("%+v was written", bad)
		}
	}
}

// TestLSDMemory: nothing of K's size is allocated, all passes together.
func TestLSDMemory(t *testing.T) {
	if quick() {
		skip(t, "takes seconds under the race detector")
		return
	}
	const n, k = 2500, 6
	kernel := disturbed(similarityOf(dirichlet(n, k, 0.3, 1), 1), 0.05, 1)
	for name, f := range map[string]func() error{
		"TILSD": func() error { _, err := TILSD(bg, kernel, k, &LSDOptions{Workers: 2}); return err },
		"LSD":   func() error { _, err := LSD(bg, kernel, k, &LSDOptions{Workers: 2, MaxIter: 20}); return err },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := f(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %.1f MB in all, K has %.1f MB", name, float64(used)/1e6, 8*n*n/1e6)
		if used > 8*n*n {
			t.Errorf("%s allocated %d bytes, K has %d", name, used, 8*n*n)
		}
	}
}

// FuzzLSD: similarities of any numbers.
func FuzzLSD(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 2, 1)
	f.Add([]byte{200, 0, 255, 128, 1}, 6, 4, 900)
	f.Fuzz(func(t *testing.T, raw []byte, n, k, exp int) {
		n, k = 1+(n&15), 1+(k&7)
		if len(raw) == 0 {
			raw = []byte{0}
		}
		kernel := NewMatrix(n, n, nil)
		at := 0
		for i := range n {
			for j := range i + 1 {
				v := math.Ldexp(float64(int8(raw[at%len(raw)])), exp%1000)
				if !isFinite(v) {
					v = 0
				}
				kernel.Set(i, j, v)
				kernel.Set(j, i, v)
				at++
			}
		}
		o := &LSDOptions{MaxIter: 50}
		m, err := LSD(bg, kernel, k, o)
		if err != nil {
			t.Fatal(err)
		}
		ti, err := TILSD(bg, kernel, k, o)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := HierarchicalLSD(bg, kernel, k, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range []*LSDModel{m, ti, &tree.Model} {
			checkFeasible(t, m.Memberships)
			if !(m.Scale > 0) || !isFinite(m.Scale) || m.Gap < 0 || m.Floor > m.Objective || !isFinite(m.Objective) || !isFinite(m.Distortion) {
				t.Fatalf("%d: %+v", i, m)
			}
			if _, err := m.MarshalBinary(); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Predict(nil, kernel); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := LSDObstacle(kernel, k, 0); err != nil {
			t.Fatal(err)
		}
	})
}

// TestLineSearch: where the whole step will not do, the one taken along a line is at
// the least of φ there, as a fine grid of φ itself finds it.
func TestLineSearch(t *testing.T) {
	const n, k, grid = 40, 3, 256
	op, _, err := openSimilarity(bg, &denseKernel{m: disturbed(similarityOf(dirichlet(n, k, 0.3, 1), 1), 0.05, 1)}, k, nil)
	if err != nil {
		t.Fatal(err)
	}
	left, err := op.without(NewMatrix(0, n, nil))
	if err != nil {
		t.Fatal(err)
	}
	d := &descent{operator: op, k: k, total: left.total}
	at := func(p *Matrix) *fitted {
		f := &fitted{p: p}
		if err := d.product(f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	inside := 0
	for seed := range uint64(8) {
		p, to := dirichlet(n, k, 1, seed+2), dirichlet(n, k, 0.3, 1)
		dir := mapped(to, func(i, j int, v float64) float64 { return (v - p.At(i, j)) * (1 + float64(seed)/2) })
		along := func(s float64) *Matrix {
			return mapped(p, func(i, j int, v float64) float64 { return v + s*dir.At(i, j) })
		}
		f, kd := at(p), at(dir).q
		one, two := NewMatrix(k, k, nil), NewMatrix(k, k, nil)
		timesT(one, p.transposed(), dir.transposed())
		timesT(two, dir.transposed(), dir.transposed())
		s := d.along(f, dir, kd, one, two, math.Inf(-1))
		best, least := 0.0, math.Inf(1)
		for i := range grid + 1 {
			if v := at(along(float64(i) / grid)).objective; v < least {
				best, least = float64(i)/grid, v
			}
		}
		if best > 0.1 && best < 1 {
			inside++
		}
		// φ is a difference of sums of n² products, right to n roundings of the total.
		if got := at(along(s)).objective; got > least+n*0x1p-52*left.total {
			t.Errorf("seed %d: φ is %g at %g, %g at %g", seed, got, s, least, best)
		}
	}
	if inside < 3 {
		t.Errorf("only %d of the lines have their least inside", inside)
	}
}

// TestCrossView: the destination may be a view that ends with its last entry.
func TestCrossView(t *testing.T) {
	x := randomData(3, 2, 0, 1)
	for _, k := range []*SampleKernel{mustDo(LinearKernel(x))(t), mustDo(RBFKernel(x, 1))(t)} {
		want := mustDo(k.Cross(nil, x))(t)
		dst := &Matrix{Rows: 3, Cols: 3, Stride: 5, Data: nans(2*5 + 3)}
		mustDo(k.Cross(dst, x))(t)
		if !laSameBits(dst.Clone().Data, want.Data) || !math.IsNaN(dst.Data[3]) || !math.IsNaN(dst.Data[9]) {
			t.Errorf("%v, want %v", dst.Data, want.Data)
		}
	}
}
