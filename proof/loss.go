package proof

// How far the loss of a pair is above the smallest loss: a proved lower bound of ‖X − GF‖² + λ/2·Σ log(σ_i² +
// ε) for every pair (F, G).
//
// Let p = k−1, W be the sum of the weights, Y the weighted rows about their mean, and Ŷ = M·(BᵀF) as in
// volume.go, with tr MᵀM ≤ C = W(1 − 1/k). Let s_i, m_i, c_i be the singular values of Ŷ, M and BᵀF, and x_i
// = m_i². As Ŷ is of rank p at most, ‖X − GF‖² is at least Σ_{i≤p}(σ_i − s_i)² + Σ_{i>p}σ_i² (Mirsky). If M
// and BᵀF are of full rank, which small changes give them, log c majorizes log s − log m (Gel'fand and
// Naimark). As log(e^2u + ε) is convex in u, Σlog(c_i² + ε) is at least Σlog(s_i²/x_i + ε). So for every ν ≥
// 0
//
//	L ≥ Σ_{i>p} σ_i² + Σ_{i≤p} min_{s,x} [(σ_i − s)² + (λ/2)·log(s²/x + ε) + νx] − νC,
//
// since Σx_i ≤ C. The minimum rises with σ_i, so lower bounds of σ_i do. For ν = 0 it is (λ/2)·log ε.
//
// VolumeOrigin: the i-th singular value of F is at least c_i, and the k-th adds (λ/2)·log ε or more.
//
// SumAtMostOne: Y is not centred. With VolumeOrigin Ŷ = MF for M = diag(√w)G, p = k and tr MᵀM ≤ W. With
// VolumeAffine GF = (G1)·f̄ᵀ + GB·BᵀF for the mean f̄ of the centers. On the complement of f̄ only the second
// term remains. Restricted to it, Y has singular values of at least σ_{i+1}, and the weighted ‖GB‖² is the
// weighted sum of ‖g_i‖² − (1ᵀg_i)²/k.

import (
	"context"
	"math"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// LossGap returns an upper bound for the difference between the loss of m and the smallest loss, as a
// fraction of Total. Pass a model of [softkmeans.FitMinVolume] and the rows x (n×d) of its fit. The loss is
// the squared error plus the penalty λ/2·Σ log(σ_i² + ε) with the model's Lambda, Epsilon and Volume. The
// bound includes rounding. It assumes that Objective comes from a fit or from [softkmeans.Certify].
//
// For a model without a penalty the result is the ExcessShare of its certificate. The result is
// [math.MaxFloat64] if nothing is proved: if all rows are equal, or if squares times weights are out of
// range.
//
// LossGap reads the options Weights, which must be the fit's, Solver and Workers. Cost:
// [softkmeans.Principal]'s for k−1 directions, and O(ndk). Errors: Principal's and Model.Check's. A model
// without centers, or with another number of columns than x, causes [softkmeans.ErrShape]. Other options, and
// a Lambda below 0 or not finite, cause [softkmeans.ErrOption].
func LossGap(
	ctx context.Context, x softkmeans.Samples, m *softkmeans.Model, opts *softkmeans.Options,
) (float64, error) {
	if err := checkModel(m, opts); err != nil {
		return 0, err
	}
	if !(m.Lambda >= 0 && m.Lambda <= math.MaxFloat64) {
		return 0, fault.New(softkmeans.ErrOption, "λ of the model is ", m.Lambda, ", not finite, or below 0")
	}
	l, err := openLoss(ctx, x, m, opts)
	if err != nil {
		return 0, err
	}
	if m.Lambda == 0 {
		return l.without.ExcessShare(), nil
	}
	most, err := l.of(m)
	if err != nil {
		return 0, err
	}
	if gap := max(0, most-l.least()) / l.total; l.plain && gap <= math.MaxFloat64 {
		return gap, nil
	}
	return math.MaxFloat64, nil
}

// loss contains the numbers of the data from which the bounds are computed, in units of powers of two.
type loss struct {
	k, terms  int // singular values in the penalty
	exp, wexp int // the unit of the rows is 2^exp, and the unit of the weights is 2^wexp
	centred   bool
	affine    bool
	mean      []float64
	shift     float64   // at least the distance between mean and the exact mean of the rows
	half, eps float64   // λ/2 and ε
	mass      float64   // at least Σw
	total     float64   // ‖Y‖²
	beyond    float64   // at most Σ_{i>p} σ_i²
	sigma     []float64 // at most the leading singular values of Y
	plain     bool      // nothing is out of range
	// without is the certificate of the pair without the penalty.
	without softkmeans.Certificate
}

// openLoss returns the numbers of the loss of m for the rows of x, and checks that both have the same
// columns.
func openLoss(
	ctx context.Context, x softkmeans.Samples, m *softkmeans.Model, opts *softkmeans.Options,
) (*loss, error) {
	o := draws.OrZero(opts)
	n, d := draws.Size(x)
	_, far := x.(*softkmeans.SparseMatrix)
	l := &loss{k: m.Centers.Rows, terms: m.Centers.Rows, centred: m.Sum == softkmeans.SumToOne,
		affine: m.Volume == softkmeans.VolumeAffine}
	p, rank := l.k, n
	if l.centred {
		p, rank = p-1, rank-1
	}
	if l.affine {
		l.terms--
	}
	space, err := softkmeans.Principal(ctx, x, max(0, min(p, rank, d)),
		&softkmeans.Options{Weights: o.Weights, Solver: o.Solver, Workers: o.Workers, Sum: m.Sum})
	if err != nil {
		return nil, err
	}
	if d != m.Centers.Cols {
		return nil, fault.New(softkmeans.ErrShape, "x has ", d, " columns, centers have ", m.Centers.Cols)
	}
	l.without = softkmeans.Certificate{Objective: m.Objective, Floor: space.Floor,
		FloorError: space.FloorError, Total: space.Total, Solver: space.Solver}
	w, err := space.Coordinates(nil, x)
	if err == nil {
		err = fault.Stopped(ctx)
	}
	if err != nil {
		return nil, err
	}
	l.mean, l.total = space.Mean, space.Total
	weights, top := make([]float64, n), 0.0
	_, l.wexp = math.Frexp(space.Weight / float64(n))
	for i := range weights {
		weights[i] = math.Ldexp(draws.Weight(o.Weights, i), -l.wexp)
		if weights[i] > 0 {
			top = max(top, la.Norm(w.Row(i)))
		}
	}
	_, l.exp = math.Frexp(top)
	for i := range w.Data {
		w.Data[i] = math.Ldexp(w.Data[i], -l.exp)
	}
	l.plain = true
	l.mass = math.Ldexp(space.Weight*(1+0x1p-40), -l.wexp)
	l.total, l.half = l.unit(space.Total, l.wexp), l.unit(m.Lambda, l.wexp)/2
	l.eps = l.unit(m.Epsilon, 0)
	l.beyond = math.Ldexp(max(0, space.Floor-space.FloorError), -2*l.exp-l.wexp)
	l.shift = l.slipOfMean(n, far)
	l.measure(w, weights, d, far)
	return l, fault.Stopped(ctx)
}

// unit converts a number in squared units of the data, and in 2^wexp, to the units of l.
func (l *loss) unit(v float64, wexp int) float64 {
	l.plain = l.plain && v > 0x1p-1000 && v < math.MaxFloat64
	return math.Ldexp(v, -2*l.exp-wexp)
}

// slipOfMean bounds the distance of the computed mean from the exact mean of n rows, which are sparse if far
// is set. The mean of dense rows is the first of the heaviest rows plus the mean of n differences from it,
// rounded once. That row is at most √n times the spread from the mean. Sums over sparse rows are compensated,
// but their terms are rounded in proportion to the distance of the mean from 0.
func (l *loss) slipOfMean(n int, far bool) float64 {
	if !l.centred {
		return 0
	}
	away, own := math.Ldexp(la.Norm(l.mean), -l.exp)*(1+0x1p-20), 1.0
	if far {
		own += float64(64 + n>>19)
	}
	return own*0x1p-53*away + 1.1*la.Gamma(2*n+64)*(1+math.Sqrt(float64(n)))*math.Sqrt(l.total/l.mass)
}

// measure sets sigma for the rows in the leading directions. Sparse rows and their mean are projected
// separately, so that rounding is in proportion to their own lengths.
func (l *loss) measure(w *softkmeans.Matrix, weights []float64, d int, far bool) {
	length := math.Sqrt(l.total) + math.Sqrt(l.mass)*l.shift
	if far {
		length += math.Sqrt(l.mass) * math.Ldexp(la.Norm(l.mean), -l.exp)
	}
	l.sigma = singularValues(w, weights, l.centred)
	rounding := float64(d+8) * 0x1p-52 // in w; and the axes are orthonormal to within this
	for i, v := range l.sigma {
		l.sigma[i] = max(0, v-math.Sqrt(float64(w.Cols))*rounding*length) * (1 - rounding)
	}
}

// slip bounds the rounding of a sum of squares and logarithms. No logarithm exceeds 2^10 in magnitude. The
// bound grows with the number of terms.
func (l *loss) slip(squares float64) float64 {
	terms := float64(l.terms)
	return (squares + 0x1p11*l.half*terms) * (0x1p-40 + terms*0x1p-52)
}

// of returns a number that is at least the loss of a model. The Objective is an upper bound. The singular
// values of centers are off by a few roundings of the largest (one-sided Jacobi; Demmel and Veselić 1992). An
// error of the mean changes these singular values by at most √k times the error. BᵀF does not depend on the
// mean: it is computed from differences from the first center.
func (l *loss) of(m *softkmeans.Model) (float64, error) {
	f, origin, shift := softkmeans.NewMatrix(l.k, m.Centers.Cols, nil), l.mean, l.shift
	if l.affine {
		origin, shift = m.Centers.Row(0), 0
	}
	k := float64(l.k)
	for i := range l.k {
		for j, v := range m.Centers.Row(i) {
			f.Row(i)[j] = math.Ldexp(v, -l.exp) - math.Ldexp(origin[j], -l.exp)
		}
	}
	if l.affine { // BᵀF
		f = la.Product(la.Transpose(softkmeans.RegularSimplex(l.k)), f)
	}
	_, values, _, err := softkmeans.SVD(f)
	if err != nil {
		return 0, err
	}
	sum := float64(l.terms-len(values)) * math.Log(l.eps)
	for _, v := range values {
		v += (16*(k+float64(f.Cols))+k*k)*0x1p-52*values[0] + math.Sqrt(k)*shift*(1+0x1p-40)
		sum += math.Log(v*v + l.eps)
	}
	l.plain = l.plain && m.Objective >= 0 && m.Objective < math.MaxFloat64
	objective := math.Ldexp(m.Objective, -2*l.exp-l.wexp)
	return objective + l.half*sum + l.slip(objective+l.total), nil
}

// least returns a number that is at most the loss of every pair.
func (l *loss) least() float64 {
	k, terms, most := float64(l.k), l.k-1, l.mass*(1-1/float64(l.k))
	empty := l.half * math.Log(l.eps) // the term of a singular value of 0
	sigma, least := l.sigma, l.beyond
	switch {
	case l.centred && !l.affine:
		least += empty
	case !l.affine:
		terms, most = l.k, l.mass
	case !l.centred:
		sigma = sigma[min(1, len(sigma)):]
	}
	// The dual is concave in ν. Its slope Σx_i − C is below 0 from high on, as x_i ≤ λ/(2ν).
	high := k * l.half / max(most, 0x1p-500)
	low, best := high*0x1p-64, float64(len(sigma))*empty
	for range 50 {
		nu := math.Sqrt(low) * math.Sqrt(high)
		value, used := -nu*most, 0.0
		for _, v := range sigma {
			term, x := leastTerm(v*v, l.half, l.eps, nu)
			value, used = value+term, used+x
		}
		if best = max(best, value); used > most {
			low = nu
		} else {
			high = nu
		}
	}
	return least + best + float64(terms-len(sigma))*empty - l.slip(la.SumSquares(sigma)+math.Abs(least))
}

// leastTerm returns the least of (σ − s)² + (λ/2)·log(s²/x + ε) + νx, for σ², λ/2 and ν > 0, and its x.
//
// For a given r = s²/x it is σ²ν/(r+ν) + (λ/2)·log(r + ε), and s = σr/(r+ν). The slope in y = r+ν is 0 if y²
// − 2ay + 2a(ν−ε) = 0, a = σ²ν/λ, and the value is least at the larger root or at r = 0. The square root is
// off by 2^-25 of its part at most, since 2(ν−ε)/a ≤ 1 if there is a root. The second derivative in log y is
// at most 2λ near it: there y−ν+ε = y²/(2a) ≥ y/2. So the error of the value is about 2^-48·λ and the
// rounding of the formula.
func leastTerm(square, half, eps, nu float64) (least, x float64) {
	empty, a, t := half*math.Log(eps), square*nu/(2*half), nu-eps
	if !(a > 0x1p-500) { // no term is less
		return empty, 0
	}
	y := max(nu, a*(1+math.Sqrt(max(0, 1-2*t/a))))
	least = square*(nu/y) + half*math.Log(max(y-t, eps))
	if square+empty <= least {
		return square + empty, 0
	}
	return least, square * ((y - nu) / y) / y
}
