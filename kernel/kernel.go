// Package kernel computes similarities of rows for softkmeans.LSD and softkmeans.TILSD: symmetric n×n
// matrices K. Functions whose names end in Between compute the similarities of new rows to the training rows,
// for LSDModel.Predict and LSDModel.Coordinates.
//
// K takes 8n² bytes: 7.2 GB for n = 30 000. Entries of rows must be at most 2^500 in magnitude, as everywhere
// in softkmeans. Bad data, or a result too large to address, causes softkmeans.ErrShape, ErrNonFinite or
// ErrRange. Without training rows the error is ErrTooFewSamples, except in [Graph]. A γ that is negative or
// not finite causes ErrOption.
package kernel

import (
	"math"
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// Linear returns K = XXᵀ for the rows of x (n×d). TILSD of K gives the result of Fit of x, which is faster.
// If a product exceeds 2^500, LSD and TILSD return ErrRange. Cost: n²d/2.
func Linear(x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
	if _, err := check("x", x); err != nil {
		return nil, err
	}
	return symmetric(x.Rows, func(i, j int) float64 { return la.Dot(x.Row(i), x.Row(j)) })
}

// LinearBetween returns the products YXᵀ (m×n) of the rows of y (m×d) with the rows of x (n×d). Cost: mnd.
func LinearBetween(y, x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
	if err := checkBoth(y, x); err != nil {
		return nil, err
	}
	return between(y.Rows, x.Rows, func(i, j int) float64 { return la.Dot(y.Row(i), x.Row(j)) })
}

// RBF returns K_ij = exp(−γ‖x_i − x_j‖²) for the rows of x (n×d). gamma is γ; 0 stands for Gamma(x).
// Gamma(x) suits softkmeans.TILSD. For softkmeans.LSD take some 8·Gamma(x): at Gamma(x) distant rows stay
// similar, and LSD labels them badly. Cost: n²d/2 and n²/2 exponentials.
func RBF(x *softkmeans.Matrix, gamma float64) (*softkmeans.Matrix, error) {
	s, err := open(x, gamma)
	if err != nil {
		return nil, err
	}
	return symmetric(x.Rows, func(i, j int) float64 { return s.similarity(s.Row(i), s.Row(j)) })
}

// RBFBetween returns exp(−γ‖y_i − x_j‖²) for the rows of y (m×d) and x (n×d): m×n. x contains the training
// rows. gamma is γ; 0 stands for Gamma(x), as in RBF(x, 0). Cost: mnd and mn exponentials.
func RBFBetween(y, x *softkmeans.Matrix, gamma float64) (*softkmeans.Matrix, error) {
	s, err := open(x, gamma)
	if err == nil {
		err = checkBoth(y, x)
	}
	if err != nil {
		return nil, err
	}
	y = scaled(y, s.exp)
	return between(y.Rows, x.Rows, func(i, j int) float64 { return s.similarity(y.Row(i), s.Row(j)) })
}

// Gamma returns the γ of the median heuristic for the rows of x (n×d): 1/(2m²) with the median m of
// ‖x_i − x_j‖ over all pairs i < j. If the median is 0, m is the median of the distances above 0. If all
// distances are 0, m is a power of two near the largest entry. Above 1000 rows Gamma compares 1000 random
// rows, always the same. γ is at most math.MaxFloat64. Cost: min(n, 1000)²·d/2.
func Gamma(x *softkmeans.Matrix) (float64, error) {
	s, err := open(x, 0)
	if err != nil {
		return 0, err
	}
	return min(math.Ldexp(s.gamma, -2*s.exp), math.MaxFloat64), nil
}

// Distances returns K_ij = exp(−γd_ij²) for a symmetric n×n matrix of distances, which are at least 0, and 0
// on the diagonal. gamma is γ; 0 stands for GammaOfDistances(d). For Euclidean distances and the same γ, K
// equals the result of [RBF]. For other distances K may have negative eigenvalues, which LSD and TILSD cannot
// fit. An entry may differ from its mirror image by 1e-8 of the largest; K uses the entries below the
// diagonal. Cost: n²/2 exponentials.
func Distances(d *softkmeans.Matrix, gamma float64) (*softkmeans.Matrix, error) {
	gamma, err := gammaOf(d, gamma)
	if err != nil {
		return nil, err
	}
	return symmetric(d.Rows, func(i, j int) float64 { return gaussian(gamma * d.At(i, j) * d.At(i, j)) })
}

// DistancesBetween returns exp(−γd_ij²) for the distances d (m×n) of new rows to the training rows. gamma is
// the γ of the training rows, above 0. Cost: mn exponentials.
func DistancesBetween(d *softkmeans.Matrix, gamma float64) (*softkmeans.Matrix, error) {
	if _, err := checkDistances(d, gamma, false); err != nil {
		return nil, err
	}
	if gamma == 0 {
		return nil, fault.New(softkmeans.ErrOption, "gamma is 0: pass the γ of the training rows")
	}
	return between(d.Rows, d.Cols, func(i, j int) float64 { return gaussian(gamma * d.At(i, j) * d.At(i, j)) })
}

// Graph returns w_ij/√(s_i·s_j) for the symmetric n×n matrix w of a graph's weights, which are at least 0,
// and the sums s of its rows. With this matrix softkmeans.TILSD finds clusters as normalized spectral
// clustering does (A. Y. Ng, M. I. Jordan and Y. Weiss, On spectral clustering, NIPS 2001), also chains and
// rings. Rows of zeros stay. A weight may differ from its mirror image by 1e-8 of the largest; their mean
// counts. Errors: softkmeans.ErrShape also for a weight below 0. Cost: 3n².
func Graph(w *softkmeans.Matrix) (*softkmeans.Matrix, error) {
	top, err := draws.InRange("w", w)
	if err == nil {
		err = checkSymmetric("w", w, top)
	}
	if err != nil {
		return nil, err
	}
	out, roots := softkmeans.NewMatrix(w.Rows, w.Rows, nil), make([]float64, w.Rows)
	for i := range roots {
		for j, v := range w.Row(i) {
			if v < 0 {
				return nil, &softkmeans.InputError{Arg: "w", Row: i, Col: j, Value: v, Err: negative("weight")}
			}
			v = (v + w.At(j, i)) / 2
			out.Set(i, j, v)
			roots[i] += v
		}
		roots[i] = math.Sqrt(roots[i])
	}
	for i := range roots {
		for j, v := range out.Row(i) {
			if v > 0 {
				out.Set(i, j, v/roots[i]/roots[j])
			}
		}
	}
	return out, nil
}

// GammaOfDistances returns the γ of the median heuristic, as [Gamma] does, for a symmetric n×n matrix of
// distances. All pairs count. γ is 1/2 if no distance is above 0. Cost: sorting n²/2 numbers.
func GammaOfDistances(d *softkmeans.Matrix) (float64, error) { return gammaOf(d, 0) }

// gammaOf checks its arguments. It returns gamma, or the γ of the median heuristic if gamma is 0.
func gammaOf(d *softkmeans.Matrix, gamma float64) (float64, error) {
	top, err := checkDistances(d, gamma, true)
	if err != nil {
		return 0, err
	}
	var all []float64
	if err := checkSymmetric("d", d, top); err != nil {
		return 0, err
	}
	if gamma == 0 {
		for i := range d.Rows {
			all = append(all, d.Row(i)[:i]...)
		}
		m := medianOf(all, math.SmallestNonzeroFloat64)
		gamma = min(1/(2*m)/m, math.MaxFloat64)
	}
	return gamma, nil
}

// checkSymmetric returns an error, which calls m by name, unless m is square and its entries are their mirror
// images to within 1e-8 of top.
func checkSymmetric(name string, m *softkmeans.Matrix, top float64) error {
	if m.Rows != m.Cols {
		return fault.New(softkmeans.ErrShape, name, " is ", m.Rows, "×", m.Cols, ", not square")
	}
	for i := range m.Rows {
		for j, v := range m.Row(i)[:i] {
			if w := m.At(j, i); math.Abs(v-w) > 1e-8*top {
				return fault.New(softkmeans.ErrShape, name, " is not symmetric: [", i, ",", j, "] = ", v, " and [",
					j, ",", i, "] = ", w)
			}
		}
	}
	return nil
}

// checkDistances returns the largest entry, or an error for a bad gamma or an entry below 0. square requires
// zeros on the diagonal.
func checkDistances(d *softkmeans.Matrix, gamma float64, square bool) (top float64, err error) {
	if err := checkGamma(gamma); err != nil {
		return 0, err
	}
	if top, err = draws.InRange("d", d); err != nil {
		return 0, err
	}
	switch {
	case !square:
	case d.Rows != d.Cols:
		return 0, fault.New(softkmeans.ErrShape, "d is ", d.Rows, "×", d.Cols, ", not square")
	case d.Rows == 0:
		return 0, fault.New(softkmeans.ErrTooFewSamples, "d has no rows")
	}
	for i := range d.Rows {
		for j, v := range d.Row(i) {
			if v < 0 {
				return 0, &softkmeans.InputError{Arg: "d", Row: i, Col: j, Value: v, Err: negative("distance")}
			}
			if square && i == j && v > 0 {
				return 0, fault.New(softkmeans.ErrShape, "d[", i, ",", j, "] = ", v,
					"; distances are 0 on the diagonal")
			}
		}
	}
	return top, nil
}

// negative is an error that unwraps to ErrShape, about an entry below 0 of the named kind.
type negative string

func (what negative) Error() string { return "below 0, and no " + string(what) }
func (negative) Unwrap() error      { return softkmeans.ErrShape }

func checkGamma(gamma float64) error {
	if !(gamma >= 0 && gamma <= math.MaxFloat64) {
		return fault.New(softkmeans.ErrOption, "gamma is ", gamma, ", not a finite number of at least 0")
	}
	return nil
}

// check returns the size of the largest entry of x. It returns an error that calls x by arg if x has no rows,
// an entry is not finite or above 2^500, or the largest is below 2^-500 and not 0.
func check(arg string, x *softkmeans.Matrix) (top float64, err error) {
	top, err = draws.InRange(arg, x)
	switch {
	case err != nil:
	case x.Rows == 0:
		err = fault.New(softkmeans.ErrTooFewSamples, arg, " has no rows")
	case top > 0 && top < 0x1p-500:
		x = x.Clone() // without padding
		at := slices.IndexFunc(x.Data, func(v float64) bool { return math.Abs(v) == top })
		err = &softkmeans.InputError{Arg: arg, Row: at / x.Cols, Col: at % x.Cols, Value: x.Data[at],
			Err: softkmeans.ErrRange}
	}
	return top, err
}

// checkBoth checks new rows y and old rows x.
func checkBoth(y, x *softkmeans.Matrix) error {
	_, err := check("x", x)
	if err == nil {
		_, err = draws.InRange("y", y)
	}
	if err == nil && y.Cols != x.Cols {
		err = fault.New(softkmeans.ErrShape, "y has ", y.Cols, " columns, x has ", x.Cols)
	}
	return err
}

// points are rows times 2^-exp, whose largest entry is in [½, 1), and γ for them.
type points struct {
	*softkmeans.Matrix
	exp   int
	gamma float64
	given float64 // γ for the rows as given, if gamma is near an end of the range; otherwise 0
}

// open checks its arguments. gamma 0 is the median heuristic.
func open(x *softkmeans.Matrix, gamma float64) (*points, error) {
	if err := checkGamma(gamma); err != nil {
		return nil, err
	}
	top, err := check("x", x)
	if err != nil {
		return nil, err
	}
	_, exp := math.Frexp(max(top, 0x1p-500))
	p := &points{Matrix: scaled(x, exp), exp: exp, gamma: min(math.Ldexp(gamma, 2*exp), math.MaxFloat64)}
	if gamma == 0 {
		m := p.median()
		p.gamma = 1 / (2 * m) / m
	} else if p.gamma < 0x1p-900 || p.gamma > 0x1p900 {
		p.given = gamma
	}
	return p, nil
}

// scaled returns a copy of x times 2^-exp.
func scaled(x *softkmeans.Matrix, exp int) *softkmeans.Matrix {
	x = x.Clone()
	for i, v := range x.Data {
		x.Data[i] = math.Ldexp(v, -exp)
	}
	return x
}

// similarity returns exp(−γ‖a − b‖²). Entries of a may be 2^1000, so that the square is infinite. If γ is
// near an end of the range, the distance is computed before it is squared.
func (p *points) similarity(a, b []float64) float64 {
	if p.given > 0 {
		distance := 0.0
		for c, v := range a {
			distance = math.Hypot(distance, v-b[c])
		}
		distance = math.Ldexp(distance, p.exp)
		return gaussian(p.given * distance * distance)
	}
	return gaussian(p.gamma * min(la.SquaredDistance(a, b), math.MaxFloat64))
}

// gaussian returns exp(−v).
func gaussian(v float64) float64 { return math.Exp(-min(v, 1e4)) }

// medianRows is how many rows the median heuristic compares at most.
const medianRows = 1000

// median returns the median m of the distances, as Gamma describes it, in units of 2^exp.
func (p *points) median() float64 {
	if p.Cols == 0 {
		return 1
	}
	rows := la.Indices(p.Rows)
	if len(rows) > medianRows {
		rand.New(rand.NewPCG(0, 0x3ed1a)).Shuffle(len(rows),
			func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:medianRows]
	}
	all := make([]float64, 0, len(rows)*(len(rows)-1)/2)
	for i, at := range rows {
		for _, other := range rows[:i] {
			all = append(all, math.Sqrt(la.SquaredDistance(p.Row(at), p.Row(other))))
		}
	}
	return medianOf(all, 0x1p-500)
}

// medianOf returns the median or, if that is below least, the median of the other numbers; 1 without any. It
// sorts all.
func medianOf(all []float64, least float64) float64 {
	slices.Sort(all)
	if len(all) > 0 && all[len(all)/2] < least {
		all = slices.DeleteFunc(all, func(v float64) bool { return v < least })
	}
	if len(all) == 0 {
		return 1
	}
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

const (
	block = 32 // rows of a task, few enough for entries in one column to stay in a cache
	most  = min(math.MaxInt/16, 1<<44)
)

// symmetric returns the symmetric n×n matrix whose entries for j ≤ i are at(i, j).
func symmetric(n int, at func(i, j int) float64) (*softkmeans.Matrix, error) {
	if n > most/n {
		return nil, fault.New(softkmeans.ErrShape, "the similarities of ", n, " rows are too many to address")
	}
	k := softkmeans.NewMatrix(n, n, nil)
	tasks := (n + block - 1) / block
	draws.Run(0, tasks, func(task int) {
		lo := (tasks - 1 - task) * block // the longest rows first
		hi := min(lo+block, n)
		for j := range hi {
			for i := max(lo, j); i < hi; i++ {
				v := at(i, j)
				k.Data[i*n+j], k.Data[j*n+i] = v, v
			}
		}
	})
	return k, nil
}

// between returns the m×n matrix whose entries are at(i, j).
func between(m, n int, at func(i, j int) float64) (*softkmeans.Matrix, error) {
	if m > 0 && n > most/m {
		return nil, fault.New(softkmeans.ErrShape, "the similarities of ", m, " and ", n,
			" rows are too many to address")
	}
	k := softkmeans.NewMatrix(m, n, nil)
	draws.Run(0, (m+block-1)/block, func(task int) {
		for i := task * block; i < min((task+1)*block, m); i++ {
			for j := range n {
				k.Data[i*n+j] = at(i, j)
			}
		}
	})
	return k, nil
}
