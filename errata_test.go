package softkmeans

// The errata of the paper that this package deviates from, with numbers that show the printed version
// failing and the corrected one holding. Those of statements alone are in examples/paper.

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Erratum 1. Algorithm 1, lines 2 and 6, take singular vectors of X and project
// X; Theorem 1 needs the centred data.
func TestErratumCentring(t *testing.T) {
	x := moved(randomData(50, 6, 0, 6), 10)
	const k = 3
	_, _, v, err := SVD(x)
	must(t, err)
	// As printed, with samples in rows: W = XU, F = s·BUᵀ + 1x̄ᵀ, G = WBᵀ/s + 1/k.
	b := RegularSimplex(k)
	w := NewMatrix(50, k-1, nil)
	r := 0.0
	mean := make([]float64, 6)
	for i := range 50 {
		axpy(mean, 1.0/50, x.Row(i))
		for c := range k - 1 {
			for j := range 6 {
				w.Row(i)[c] += x.At(i, j) * v.At(j, c)
			}
		}
		r = max(r, norm2(w.Row(i)))
	}
	s := r * math.Sqrt(k*(k-1))
	f, g := NewMatrix(k, 6, nil), NewMatrix(50, k, nil)
	for l := range k {
		for j := range 6 {
			f.Set(l, j, mean[j]+s*(b.At(l, 0)*v.At(j, 0)+b.At(l, 1)*v.At(j, 1)))
		}
		for i := range 50 {
			g.Set(i, l, 1.0/k+dot(b.Row(l), w.Row(i))/s)
		}
	}
	printed := plainObjective(x, f, g, nil)
	m := mustDo(Fit(bg, x, k, nil))(t)
	if printed < 50*m.Objective {
		t.Errorf("as printed %g, centred %g: the printed version does not fail here", printed, m.Objective)
	}
	if floors, total := oracle(x, nil); math.Abs(m.Objective-floors[k-1]) > 1e-12*total {
		t.Errorf("centred %g, floor %g", m.Objective, floors[k-1])
	}
}

func product(a, b *Matrix) *Matrix {
	c := NewMatrix(a.Rows, b.Cols, nil)
	for i := range a.Rows {
		for l, v := range a.Row(i) {
			axpy(c.Row(i), v, b.Row(l))
		}
	}
	return c
}

// Erratum 4. The MVSkM objective has λ/2, the printed update λD: with it the
// printed objective rises. With (λ/2)D it falls at every step.
func TestErratumLambdaHalf(t *testing.T) {
	x := randomData(60, 3, 0, 8)
	const lambda, eps = 8, 1e-2
	m := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Lambda: lambda, Epsilon: eps, Volume: VolumeOrigin,
		Init: InitGlobal, Tol: 1e-12, MaxIter: 3000}))(t)
	// From the point where the corrected iteration has come to rest, factor
	// times (λ/2)D in the package's own update.
	run := func(factor float64) (rises int, trace []float64) {
		j := mustDo(openMinVolume(bg, x, 3, &MinVolumeOptions{Epsilon: eps, Volume: VolumeOrigin}, true))(t)
		at, next := j.newIterate(), j.newIterate()
		copy(at.f.Data, j.fromData(m.Centers).Data)
		for step := range 6 {
			scaled := j.scaledLambda(lambda)
			must(t, j.pass(at, nil))
			trace = append(trace, at.lossAt(scaled))
			if step > 0 && trace[step] > trace[step-1]+1e-9*math.Abs(trace[step-1]) {
				rises++
			}
			j.centersStep(next.f, at, factor*scaled)
			at, next = next, at
		}
		return rises, trace
	}
	if rises, trace := run(2); rises < 5 {
		t.Errorf("the printed update does not fail here: %v", trace)
	}
	if rises, trace := run(1); rises > 0 {
		t.Errorf("the corrected update rises: %v", trace)
	}
	for i, v := range m.Trace[1:] {
		if v > m.Trace[i]+1e-12*math.Abs(m.Trace[i]) {
			t.Errorf("the objective rises to %g from %g", v, m.Trace[i])
		}
	}
}

// Errata 5 and 7. D = V diag(1/(σ²+ε))Vᵀ needs the k×k singular vectors of the paper's d×k F, the
// right ones (Algorithm 2 says left), and both factors V (the text lacks the last): only so D is k×k,
// symmetric, and Tr(D·FᵀF) the majoriser Σσ²/(σ²+ε) of the proof.
func TestErratumD(t *testing.T) {
	const d, k, eps = 5, 3, 0.1
	f := randomData(d, k, 0, 3) // the paper's orientation
	u, s, v, err := SVD(f)
	must(t, err)
	want := 0.0
	inv := NewMatrix(k, k, nil)
	for i, x := range s {
		want += x * x / (x*x + eps)
		inv.Set(i, i, 1/(x*x+eps))
	}
	traced := func(d *Matrix) float64 { return trace(product(d, product(f.transposed(), f))) }
	if got := traced(product(product(v, inv), v.transposed())); math.Abs(got-want) > 1e-12*want {
		t.Errorf("corrected: %g, want %g", got, want)
	}
	if got := traced(product(v, inv)); math.Abs(got-want) < 1e-3*want {
		t.Errorf("without the closing Vᵀ: %g, want %g: the printed version does not fail here", got, want)
	}
	left := product(product(u, inv), u.transposed())
	if left.Rows == k {
		t.Error("the left vectors' D is k×k: the printed version does not fail here")
	}
}

// Erratum 6. The sum over k singular values of F is the log-volume only while
// F1 = 0: det(FFᵀ) = ((k−1)!·vol)²·dist(0, aff F)².
func TestErratumVolume(t *testing.T) {
	const k, d = 4, 7
	for _, mean := range []float64{0.5, 3} {
		f := randomData(k, d, mean, 11)
		values, _, err := EigenSym(product(f, f.transposed()))
		must(t, err)
		det := 0.0
		for _, v := range values {
			det += math.Log(v)
		}
		vol := mustDo(LogVolume(f))(t)
		// dist(0, aff F) by least squares over weights that add up to 1: 1/√(1ᵀ(FFᵀ)⁻¹1).
		a, ones := product(f, f.transposed()), []float64{1, 1, 1, 1}
		cholesky(a.Data, k)
		cholSolve(a.Data, k, ones)
		dist := 1 / math.Sqrt(ones[0]+ones[1]+ones[2]+ones[3])
		if want := 2 * (math.Log(6) + vol + math.Log(dist)); math.Abs(det-want) > 1e-10 {
			t.Errorf("log det %g, want %g", det, want)
		}
		// Moved by t the volume stays, the printed penalty does not.
		g := mapped(f, func(_, _ int, v float64) float64 { return v + 10 })
		moved, _ := LogVolume(g)
		values, _, _ = EigenSym(product(g, g.transposed()))
		printed := 0.0
		for _, v := range values {
			printed += math.Log(v)
		}
		if math.Abs(moved-vol) > 1e-10 {
			t.Errorf("translation changes the log-volume by %g", moved-vol)
		}
		if math.Abs(printed-det) < 0.5 {
			t.Errorf("translation changes the printed penalty by %g only: it does not fail here", printed-det)
		}
	}
}

// Erratum 8. Theorem "Condition of TI-LSDable" takes a translation by a vector of ℝ^d that is orthogonal to
// the k−1 directions of the centred samples. With d = k−1 there is none, and the statement is false
// there: PPᵀ/c has rank k, a translated XXᵀ has rank d. One dimension more is enough, and the kernel
// alone, which has no coordinates, always has it.
func TestErratumTranslation(t *testing.T) {
	for k := 2; k <= 4; k++ {
		x := randomData(12, k-1, 0, uint64(k))
		kernel := outer(x)
		if !isTILSDable(t, kernel, k) {
			t.Fatalf("k=%d: rank(HKH) ≤ k−1, and it is not TI-LSDable", k)
		}
		// No translation within ℝ^d, whatever its direction and length: a kernel PPᵀ/c has 1 in
		// its range, since P1 = 1.
		rng := rand.New(rand.NewPCG(8, uint64(k)))
		for range 200 {
			by := make([]float64, k-1)
			for j := range by {
				by[j] = rng.NormFloat64() * math.Exp(4*rng.Float64()-2)
			}
			u, _, _, err := SVD(shifted(x, by...))
			must(t, err)
			if missed := 12 - sumSquares(product(NewMatrix(1, 12, make1(12)), u).Data); missed < 1e-6 {
				t.Fatalf("k=%d: LSDable when moved by %g, as printed", k, by)
			}
		}
		// In one dimension more: from the mean, at a distance of r√(k−1).
		m := mustDo(TILSD(bg, kernel, k, nil))(t)
		more, mean, r := NewMatrix(12, k, nil), make([]float64, k), 0.0
		for i := range 12 {
			copy(more.Row(i), x.Row(i))
			axpy(mean[:k-1], -1.0/12, x.Row(i))
		}
		centred := shifted(more, mean...)
		for i := range 12 {
			r = max(r, norm2(centred.Row(i)))
		}
		mean[k-1] = r * math.Sqrt(float64(k-1))
		moved := outer(shifted(more, mean...))
		if d := maxDiff(moved, similarityOf(m.Memberships, m.Scale)); d > 1e-12*moved.At(0, 0) {
			t.Errorf("k=%d: K′ and PPᵀ/c differ by %g", k, d)
		}
	}
}
