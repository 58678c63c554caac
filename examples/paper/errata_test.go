package main

// Errata of the paper (docs/errata.md), with numbers that show the printed version failing and the corrected
// one holding. The paper keeps samples in columns, these tests in rows.

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

func transposed(m *softkmeans.Matrix) *softkmeans.Matrix {
	out := softkmeans.NewMatrix(m.Cols, m.Rows, nil)
	return tables.Mapped(out, func(i, j int, _ float64) float64 { return m.At(j, i) })
}

// leading returns the first p columns of m.
func leading(m *softkmeans.Matrix, p int) *softkmeans.Matrix {
	return &softkmeans.Matrix{Rows: m.Rows, Cols: p, Stride: m.Stride, Data: m.Data}
}

// outer returns XXᵀ.
func outer(x *softkmeans.Matrix) *softkmeans.Matrix { return la.Product(x, transposed(x)) }

// less returns a − b.
func less(a, b *softkmeans.Matrix) *softkmeans.Matrix {
	return tables.Mapped(a, func(i, j int, v float64) float64 { return v - b.At(i, j) })
}

// apart returns ‖a − b‖².
func apart(a, b *softkmeans.Matrix) float64 { return tables.Squares(less(a, b).Data) }

func scaled(m *softkmeans.Matrix, by float64) *softkmeans.Matrix {
	return tables.Mapped(m, func(_, _ int, v float64) float64 { return by * v })
}

// means returns the mean of the rows of x.
func means(x *softkmeans.Matrix) []float64 {
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += v / float64(x.Rows)
		}
	}
	return mean
}

// plus returns the rows of x with `by` added to each, times sign.
func plus(x *softkmeans.Matrix, sign float64, by []float64) *softkmeans.Matrix {
	return tables.Mapped(x, func(_, j int, v float64) float64 { return v + sign*by[j] })
}

func centred(x *softkmeans.Matrix) *softkmeans.Matrix { return plus(x, -1, means(x)) }

// spectral returns V·diag(f(λ))·Vᵀ of a symmetric matrix VΛVᵀ, and the λ.
func spectral(t *testing.T, m *softkmeans.Matrix, f func(float64) float64) (*softkmeans.Matrix, []float64) {
	t.Helper()
	values, v, err := softkmeans.EigenSym(m)
	if err != nil {
		t.Fatal(err)
	}
	scaled := tables.Mapped(v, func(_, j int, u float64) float64 { return u * f(values[j]) })
	return la.Product(scaled, transposed(v)), values
}

// fitted returns the optimum of x.
func fitted(t *testing.T, x *softkmeans.Matrix, k int, o *softkmeans.Options) *softkmeans.Model {
	t.Helper()
	m, err := softkmeans.Fit(t.Context(), x, k, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Erratum 1. Algorithm 1, lines 2 and 6, take singular vectors of X and project X; Theorem 1 needs the
// centred data.
func TestErratumCentring(t *testing.T) {
	const n, d, k = 50, 6, 3
	x := tables.Mapped(tables.Normal(n, d, 6), func(_, _ int, v float64) float64 { return v + 10 })
	_, _, v, err := softkmeans.SVD(x)
	if err != nil {
		t.Fatal(err)
	}
	// As printed, with samples in rows: W = XU, F = s·BUᵀ + 1x̄ᵀ, G = WBᵀ/s + 1/k.
	b := softkmeans.RegularSimplex(k)
	u := leading(v, k-1)
	w, r := la.Product(x, u), 0.0
	for i := range n {
		r = max(r, math.Hypot(w.At(i, 0), w.At(i, 1)))
	}
	s := r * math.Sqrt(k*(k-1))
	f := plus(scaled(la.Product(b, transposed(u)), s), 1, means(x))
	g := plus(scaled(la.Product(w, transposed(b)), 1/s), 1, []float64{1. / k, 1. / k, 1. / k})
	printed, m := apart(x, la.Product(g, f)), fitted(t, x, k, nil)
	if printed < 50*m.Objective {
		t.Errorf("as printed %g, centred %g: the printed version does not fail here", printed, m.Objective)
	}
	_, values, _, _ := softkmeans.SVD(centred(x))
	if floor := tables.Squares(values[k-1:]); !tables.Near(m.Objective, floor, 1e-12*m.Total) {
		t.Errorf("centred %g, floor %g", m.Objective, floor)
	}
}

// sharpest returns the largest (√floor + p + q)² + p² for p² + q² = e².
func sharpest(floor, e float64) (most float64) {
	for a := range 10001 {
		q, p := math.Sincos(math.Pi / 2 * float64(a) / 10000)
		most = max(most, math.Pow(math.Sqrt(floor)+e*(p+q), 2)+e*e*p*p)
	}
	return most
}

// Erratum 2. Theorem 3 (Stability) has ‖X − F̃G̃‖² ≤ floor + 2‖E‖². It is at most
// sharpest(floor, ‖E‖), and some tables attain that. docs/errata.md has the proof.
func TestErratumStability(t *testing.T) {
	left := func(x, e *softkmeans.Matrix, k int) (left, floor float64) {
		t.Helper()
		m := fitted(t, less(x, scaled(e, -1)), k, nil)
		c, err := softkmeans.Certify(t.Context(), x, m.Centers, m.Memberships, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c.Objective, c.Floor
	}
	// Two orthogonal centred directions, of lengths √floor + p + q and √floor. E takes q of the one and
	// gives a little more than p to the other, so that the solution of X + E keeps the wrong one.
	a := math.Sqrt(0.5)
	data := func(first, second float64) *softkmeans.Matrix {
		return softkmeans.NewMatrix(4, 2, []float64{a * first, 0, -a * first, 0, 0, a * second, 0,
			-a * second})
	}
	for _, root := range []float64{0, 0.5, 1, 100} {
		best, p, q := 0.0, 0.0, 0.0
		for i := range 1001 {
			b, c := math.Sincos(math.Pi / 2 * float64(i) / 1000)
			if v := math.Pow(root+b+c, 2) + b*b; v > best {
				best, p, q = v, b, c
			}
		}
		e := data(-q, p*(1+1e-9))
		got, floor := left(data(root+p+q, root), e, 2)
		if most := sharpest(floor, 1); got > most*(1+1e-8) || got < most*(1-1e-5) {
			t.Errorf("√floor %g: left %g, sharp bound %g", root, got, most)
		}
		if printed := floor + 2; got <= printed {
			t.Errorf("√floor %g: left %g, printed bound %g: the printed version does not fail here", root,
				got, printed)
		}
		if loose := math.Pow(root+2, 2); got > loose {
			t.Errorf("√floor %g: left %g, bound by norms %g", root, got, loose)
		}
	}
	if golden := (3 + math.Sqrt(5)) / 2; !tables.Near(sharpest(0, 1), golden, 1e-7) {
		t.Errorf("at floor 0: %g, not %g", sharpest(0, 1), golden)
	}
	// No violation on random tables, of E with a mean, too.
	rng := rand.New(rand.NewPCG(2, 2))
	for range 100 {
		n, d, k := 2+rng.IntN(5), 1+rng.IntN(4), 1+rng.IntN(3)
		k = min(k, n)
		e := tables.Normal(n, d, rng.Uint64())
		size := math.Exp(4*rng.Float64() - 3)
		got, floor := left(tables.Normal(n, d, rng.Uint64()), scaled(e, size), k)
		if most := sharpest(floor, size*math.Sqrt(tables.Squares(e.Data))); got > most*(1+1e-7) {
			t.Errorf("%d×%d, k = %d: left %g, sharp bound %g", n, d, k, got, most)
		}
	}
}

// Erratum 3. Theorem (Lower bound) divides by r√(k(k−1)) in place of its square and so depends on the
// units of X. It counts swapped labels as another solution. Its proof has ½(‖a‖² + ‖b‖²) ≥
// ½‖a − b‖², where ¼ is right, and 2‖W‖² for the distance of mirror images, where 4 is.
func TestErratumLowerBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	x := softkmeans.NewMatrix(150, 4, nil)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64() * float64(4-i%4)
	}
	apartOf := func(a, b *softkmeans.Matrix, from func(j int) int) (sum float64) {
		for i := range a.Rows {
			for j, v := range a.Row(i) {
				sum += math.Pow(v-b.At(i, from(j)), 2)
			}
		}
		return sum
	}
	for _, k := range []int{2, 3} {
		mirrored := softkmeans.NewMatrix(k-1, k-1, nil)
		for j := range k - 1 {
			mirrored.Set(j, j, -1)
		}
		for _, unit := range []float64{1, 1e6} {
			y := x.Clone()
			for i := range y.Data {
				y.Data[i] *= unit
			}
			m, other := fitted(t, y, k, nil), fitted(t, y, k, &softkmeans.Options{Orientation: mirrored})
			// ‖W‖² = total − floor; r from the centers: they are (k−1)r from x̄.
			r := 0.0
			for c, v := range m.Centers.Row(0) {
				mean := 0.0
				for j := range k {
					mean += m.Centers.At(j, c) / float64(k)
				}
				r = math.Hypot(r, (v-mean)/float64(k-1))
			}
			root := r * math.Sqrt(float64(k*(k-1)))
			printed, corrected := (m.Total-m.Floor)/root, (m.Total-m.Floor)/(root*root)
			apart := apartOf(m.Memberships, other.Memberships, func(j int) int { return j })
			if math.Abs(apart/(4*corrected)-1) > 1e-12 {
				t.Errorf("k = %d: mirror images are %g apart, want 4·%g", k, apart, corrected)
			}
			swapped := apartOf(m.Memberships, other.Memberships, func(j int) int { return k - 1 - j })
			if k == 2 && swapped > 1e-24*apart {
				t.Errorf("the mirror image differs by %g with its labels swapped", swapped)
			}
			if possible := 2 * float64(x.Rows); unit > 1 && printed <= possible {
				t.Errorf("printed %g, possible %g: the printed version does not fail here", printed, possible)
			}
		}
	}
}

// inverse returns that of a positive definite matrix.
func inverse(t *testing.T, a *softkmeans.Matrix) *softkmeans.Matrix {
	t.Helper()
	m, _ := spectral(t, a, func(v float64) float64 { return 1 / v })
	return m
}

// Erratum 4. The MVSkM objective has λ/2, the printed update λD: with it the printed objective rises. With
// (λ/2)D it falls at every step, and λD belongs to an objective with λ.
func TestErratumLambdaHalf(t *testing.T) {
	const k, lambda, eps = 3, 8, 1e-2
	x := centred(tables.Normal(60, 3, 8))
	m, err := softkmeans.FitMinVolume(t.Context(), x, k, &softkmeans.MinVolumeOptions{
		Lambda: lambda, Epsilon: eps,
		Volume: softkmeans.VolumeOrigin, Init: softkmeans.InitGlobal, Tol: 1e-12, MaxIter: 3000})
	if err != nil {
		t.Fatal(err)
	}
	// From the point where the corrected iteration has come to rest, steps of `step`·D on the loss with
	// `own` in place of λ/2.
	rises := func(step, own float64) (n int) {
		f, before := m.Centers, math.Inf(1)
		for range 6 {
			g, err := softkmeans.SimplexLeastSquares(nil, x, f, nil)
			if err != nil {
				t.Fatal(err)
			}
			d, squares := spectral(t, outer(f), func(v float64) float64 { return 1 / (max(v, 0) + eps) })
			loss := apart(x, la.Product(g, f))
			for _, v := range squares {
				loss += own * math.Log(max(v, 0)+eps)
			}
			if loss > before+1e-9*math.Abs(before) {
				n++
			}
			gt := transposed(g)
			f, before = la.Product(inverse(t, less(la.Product(gt, g), scaled(d, -step))), la.Product(gt, x)), loss
		}
		return n
	}
	if n := rises(lambda, lambda/2); n < 4 {
		t.Errorf("the printed update rises %d times: it does not fail here", n)
	}
	if n := rises(lambda/2, lambda/2) + rises(lambda, lambda); n > 0 {
		t.Errorf("the corrected updates rise %d times", n)
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
	f := tables.Normal(d, k, 3) // the paper's orientation
	u, s, v, err := softkmeans.SVD(f)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	inv := softkmeans.NewMatrix(k, k, nil)
	for i, x := range s {
		want += x * x / (x*x + eps)
		inv.Set(i, i, 1/(x*x+eps))
	}
	traced := func(d *softkmeans.Matrix) (sum float64) {
		m := la.Product(d, la.Product(transposed(f), f))
		for i := range k {
			sum += m.At(i, i)
		}
		return sum
	}
	if got := traced(la.Product(la.Product(v, inv), transposed(v))); math.Abs(got-want) > 1e-12*want {
		t.Errorf("corrected: %g, want %g", got, want)
	}
	if got := traced(la.Product(v, inv)); math.Abs(got-want) < 1e-3*want {
		t.Errorf("without the closing Vᵀ: %g, want %g: the printed version does not fail here", got, want)
	}
	if left := la.Product(la.Product(u, inv), transposed(u)); left.Rows == k {
		t.Error("the left vectors' D is k×k: the printed version does not fail here")
	}
}

// Errata 6 and 15. The sum over k singular values of F is the log-volume only while F1 = 0: det(FFᵀ) =
// ((k−1)!·vol)²·dist(0, aff F)². But where F1 = 0 the k-th of them is 0, and its logarithm −∞.
func TestErratumVolume(t *testing.T) {
	const k, d = 4, 7
	printed := func(f *softkmeans.Matrix) (sum float64) {
		_, s, _, err := softkmeans.SVD(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range s {
			sum += 2 * math.Log(v)
		}
		return sum
	}
	volume := func(f *softkmeans.Matrix) float64 {
		v, err := softkmeans.LogVolume(f)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, mean := range []float64{0.5, 3} {
		f := plus(tables.Normal(k, d, 11), mean, slices.Repeat([]float64{1}, d))
		// dist(0, aff F) by least squares over weights that add up to 1: 1/√(1ᵀ(FFᵀ)⁻¹1).
		ones := 0.0
		for _, v := range inverse(t, outer(f)).Data {
			ones += v
		}
		if want := 2*(math.Log(6)+volume(f)) - math.Log(ones); math.Abs(printed(f)-want) > 1e-10 {
			t.Errorf("log det %g, want %g", printed(f), want)
		}
		// Moved the volume stays, the printed penalty does not.
		moved := plus(f, 10, slices.Repeat([]float64{1}, d))
		if math.Abs(volume(moved)-volume(f)) > 1e-10 {
			t.Errorf("translation changes the log-volume by %g", volume(moved)-volume(f))
		}
		if math.Abs(printed(moved)-printed(f)) < 0.5 {
			t.Errorf("translation changes the printed penalty by %g only: it does not fail here",
				printed(moved)-printed(f))
		}
		if zero := centred(f); printed(zero) > 2*(volume(zero)+math.Log(6))-60 {
			t.Errorf("F1 = 0: a penalty of %g: the printed version does not fail here", printed(zero))
		}
	}
	// The determinant of (F, 1) has the sign of the order of the centers; and (k−1)! is added, whatever
	// λ is.
	for _, order := range [][]float64{{0, 0, 4, 0, 0, 3}, {0, 0, 0, 3, 4, 0}} {
		f := softkmeans.NewMatrix(3, 2, order)
		det := (f.At(1, 0)-f.At(0, 0))*(f.At(2, 1)-f.At(0, 1)) -
			(f.At(2, 0)-f.At(0, 0))*(f.At(1, 1)-f.At(0, 1))
		if math.Abs(math.Log(math.Abs(det))-math.Log(2)-volume(f)) > 1e-12 || det < 0 != (order[2] == 0) {
			t.Errorf("det %g, log-volume %g", det, volume(f))
		}
	}
}

// Erratum 8. Theorem 7 (Condition of TI-LSDable) takes a translation by a vector of ℝ^d that is
// orthogonal to the k−1 directions of the centred samples. There is one iff rank(XH) < d: PPᵀ/c has 1
// in its range, which adds 1 to the rank. One dimension more is enough, and the kernel alone, which has no
// coordinates, has it.
func TestErratumTranslation(t *testing.T) {
	const n = 12
	for k := 2; k <= 4; k++ {
		x := centred(tables.Normal(n, k-1, uint64(k)))
		kernel := outer(x)
		m, err := softkmeans.TILSD(t.Context(), kernel, k, nil)
		if err != nil || m.Objective > 1e-14*m.Total {
			t.Fatalf("k=%d: rank(HKH) ≤ k−1, and it is not TI-LSDable: %v", k, err)
		}
		// No translation within ℝ^d, whatever its direction and length.
		rng := rand.New(rand.NewPCG(8, uint64(k)))
		for range 200 {
			by := make([]float64, k-1)
			for j := range by {
				by[j] = rng.NormFloat64() * math.Exp(4*rng.Float64()-2)
			}
			u, _, _, err := softkmeans.SVD(plus(x, 1, by))
			if err != nil {
				t.Fatal(err)
			}
			ones := softkmeans.NewMatrix(1, n, slices.Repeat([]float64{1}, n))
			if missed := n - tables.Squares(la.Product(ones, u).Data); missed < 1e-6 {
				t.Fatalf("k=%d: LSDable when moved by %g, as printed", k, by)
			}
		}
		// In one dimension more: from the mean, at a distance of r√(k−1).
		r := 0.0
		for i := range n {
			r = max(r, math.Sqrt(tables.Squares(x.Row(i))))
		}
		moved := tables.Mapped(kernel, func(_, _ int, v float64) float64 { return v + r*r*float64(k-1) })
		if off := apart(moved, scaled(outer(m.Memberships), 1/m.Scale)); off > 1e-24*m.Total {
			t.Errorf("k=%d: K′ and PPᵀ/c differ by %g", k, math.Sqrt(off))
		}
	}
	// Points on a line in the plane, k = 3: d = k−1, and there is one, orthogonal to the line.
	line, most := centred(tables.Normal(n, 1, 8)), 0.0
	for _, v := range line.Data {
		most = max(most, math.Abs(v))
	}
	x, p := softkmeans.NewMatrix(n, 2, nil), softkmeans.NewMatrix(n, 3, nil)
	for i, v := range line.Data {
		copy(x.Row(i), []float64{v, most})
		copy(p.Row(i), []float64{(1 + v/most) / 2, (1 - v/most) / 2})
	}
	if off := apart(outer(x), scaled(outer(p), 2*most*most)); off > 1e-24*most*most {
		t.Errorf("a line in the plane: K′ and PPᵀ/c differ by %g", math.Sqrt(off))
	}
}

// Erratum 9. Sections I and II-B say that FCPM with m = 0, Σ_j ‖x − g_j f_j‖², is soft k-means, ‖x
// − Σ_j g_j f_j‖². On X = {0, 1} with k = 2 soft k-means leaves nothing. FCPM leaves something with any
// centers: x = 0 leaves nothing only where one of them is 0, and then x = 1 leaves at least 1.
func TestErratumProportional(t *testing.T) {
	if m := fitted(t, softkmeans.NewMatrix(2, 1, []float64{0, 1}), 2, nil); m.Objective > 1e-30 {
		t.Fatalf("soft k-means leaves %v", m.Objective)
	}
	// The least over g, which is a parabola's for one row and two centers.
	least := func(x, f, h float64) float64 {
		g := 0.5
		if f != 0 || h != 0 {
			g = max(0, min(1, (x*f+h*(h-x))/(f*f+h*h)))
		}
		return (x-g*f)*(x-g*f) + (x-(1-g)*h)*(x-(1-g)*h)
	}
	for f := -10.0; f <= 10; f += 0.125 {
		for h := -10.0; h <= 10; h += 0.125 {
			if left := least(0, f, h) + least(1, f, h); left < 0.5 {
				t.Errorf("centers %g and %g leave %g: FCPM is soft k-means here, as printed", f, h, left)
			}
		}
	}
}

// Erratum 13. The lemma of the trace, Σ σ_{n−i+1}(A)σ_i(B) ≤ Tr(AB) for symmetric A and B,
// has singular values; it holds for eigenvalues. Where it is used both are semidefinite.
func TestErratumTrace(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	const n = 4
	fails := 0
	for range 50 {
		symmetric := func() *softkmeans.Matrix {
			m := softkmeans.NewMatrix(n, n, nil)
			for i := range n {
				for j := range i + 1 {
					m.Set(i, j, rng.NormFloat64())
					m.Set(j, i, m.At(i, j))
				}
			}
			return m
		}
		a, b, right := symmetric(), symmetric(), 0.0
		for i, v := range a.Data {
			right += v * b.Data[i] // both are symmetric
		}
		left := func(of func(*softkmeans.Matrix) []float64) (sum float64) {
			p, q := of(a), of(b)
			for i := range n {
				sum += p[n-1-i] * q[i]
			}
			return sum
		}
		singular := left(func(m *softkmeans.Matrix) []float64 { _, s, _, _ := softkmeans.SVD(m); return s })
		eigen := left(func(m *softkmeans.Matrix) []float64 { e, _, _ := softkmeans.EigenSym(m); return e })
		if eigen > right+1e-12 {
			t.Errorf("with eigenvalues %g, trace %g", eigen, right)
		}
		if singular > right+1e-12 {
			fails++
		}
	}
	if fails == 0 {
		t.Error("with singular values it does not fail here")
	}
}

// leastSquares returns the least ‖X − GF‖² over all F.
func leastSquares(t *testing.T, x, g *softkmeans.Matrix) float64 {
	t.Helper()
	f, err := softkmeans.CentersOf(t.Context(), x, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return apart(x, la.Product(g, f))
}

// Erratum 16. Lemma 3 needs rank(F) = k−1 and 1ᵀv⊥ ≠ 0. With f₁ = f₂ the mixtures with sums of
// 1 are a line, and the lemma's value that of a plane. Where F1 = 0, which Lemma 2 leads to, it holds.
func TestErratumLemma3(t *testing.T) {
	const n, d, k = 40, 5, 3
	x, f := tables.Normal(n, d, 1), tables.Normal(k, d, 2)
	copy(f.Row(1), f.Row(0))
	value := func(f *softkmeans.Matrix, rank int) float64 { // ‖X(I − UUᵀ)‖², and 1ᵀv⊥
		_, _, u, err := softkmeans.SVD(f)
		if err != nil {
			t.Fatal(err)
		}
		u = leading(u, rank)
		return apart(x, la.Product(la.Product(x, u), transposed(u)))
	}
	// The least over sums of 1: from one center, along the directions to the others.
	least := func(f *softkmeans.Matrix, rank int) float64 {
		x := plus(x, -1, f.Row(0))
		_, _, u, err := softkmeans.SVD(plus(f, -1, f.Row(0)))
		if err != nil {
			t.Fatal(err)
		}
		u = leading(u, rank)
		return apart(x, la.Product(la.Product(x, u), transposed(u)))
	}
	if printed, right := value(f, k-1), least(f, 1); printed > 0.9*right {
		t.Errorf("the lemma's value %g, the least %g: it does not fail here", printed, right)
	}
	f = centred(tables.Normal(k, d, 3))
	if printed, right := value(f, k-1), least(f, k-1); !tables.Near(printed, right, 1e-12) {
		t.Errorf("F1 = 0: the lemma's value %g, the least %g", printed, right)
	}
}

// Erratum 17. Lemma 5's proof says that rank(X − s1ᵀ) + rank((s − x̄)1ᵀ) is never rank(XH). It is
// at s = x̄. The lemma holds, since XH = (X − s1ᵀ)H.
func TestErratumRank(t *testing.T) {
	x := tables.Normal(9, 4, 5)
	rank := func(m *softkmeans.Matrix) (n int) {
		_, s, _, err := softkmeans.SVD(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range s {
			if v > 1e-12*s[0] {
				n++
			}
		}
		return n
	}
	moved := plus(x, -1, means(x))
	if sum := rank(moved) + rank(less(plus(x, -1, means(x)), moved)); sum != rank(centred(x)) {
		t.Errorf("ranks add up to %d: the printed version does not fail here", sum)
	}
	for _, s := range [][]float64{means(x), {1, 2, 3, 4}} {
		if off := apart(centred(plus(x, -1, s)), centred(x)); off > 1e-24 {
			t.Errorf("(X − s1ᵀ)H is off by %g", off)
		}
	}
}

// Erratum 18. Algorithm 1 divides by r√(k(k−1)), which is 0 for k = 1 and for rows that are all equal.
// Every G of a row's sum 1 is right there; 1/k is what the package takes.
func TestErratumZero(t *testing.T) {
	equal := plus(softkmeans.NewMatrix(5, 2, nil), 1, []float64{3, 4})
	for k, x := range map[int]*softkmeans.Matrix{1: tables.Normal(5, 2, 1), 2: equal, 3: equal} {
		m := fitted(t, x, k, nil)
		for _, v := range m.Memberships.Data {
			if v != 1/float64(k) {
				t.Fatalf("k = %d: a membership of %g", k, v)
			}
		}
		if !tables.Near(m.Objective, apart(x, plus(softkmeans.NewMatrix(5, 2, nil), 1, means(x))), 1e-12) {
			t.Errorf("k = %d leaves %g", k, m.Objective)
		}
	}
}

// Theorem 6: where K = XXᵀ is LSDable the memberships of LSD are optimal for X, too. Theorem 8: those of
// TI-LSD always are, for a kernel of full rank as well (erratum 19).
func TestErratumKernels(t *testing.T) {
	const n, k = 20, 3
	p := softkmeans.NewMatrix(n, k, nil)
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range n {
		sum := 0.0
		for j := range k {
			p.Row(i)[j] = rng.ExpFloat64() * rng.ExpFloat64()
			sum += p.Row(i)[j]
		}
		for j := range k {
			p.Row(i)[j] /= sum
		}
	}
	for j := range k { // a pure row of each makes G unique
		clear(p.Row(j))
		p.Row(j)[j] = 1
	}
	x := scaled(p, 2)
	lsd, err := softkmeans.LSD(t.Context(), outer(x), k, nil)
	if err != nil {
		t.Fatal(err)
	}
	if left := leastSquares(t, x, lsd.Memberships); left > 1e-8*tables.Squares(x.Data) {
		t.Errorf("LSD of an LSDable kernel: its memberships leave %g of X", left)
	}
	x = tables.Normal(n, n, 7)
	tilsd, err := softkmeans.TILSD(t.Context(), outer(x), k, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := fitted(t, x, k, nil)
	if left := leastSquares(t, x, tilsd.Memberships); !tables.Near(left, m.Floor, 1e-10) {
		t.Errorf("TI-LSD: its memberships leave %g of X, the least is %g", left, m.Floor)
	}
}
