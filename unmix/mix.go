package unmix

// Mixtures of any brightness.

import (
	"math"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
)

// Predictor computes the memberships of the rows of x in the centers of m, as missing.Predict does. [Mix]
// calls it with a nil dst.
type Predictor func(m *softkmeans.Model, dst, x *softkmeans.Matrix) (*softkmeans.Matrix, error)

// Mix returns the memberships (n×k) of the rows of x (n×d) in spectra (k×d), and the brightness of each row.
// For the a ≥ 0 that minimise ‖x_i − Σa_j·spectrum_j‖, the brightness of row i is Σa. Its memberships are
// a/Σa, or 1/k each if Σa is 0. Pass the Centers of a [Result] with ScaleUnit.
//
// predict must compute memberships for SumAtMostOne; nil means softkmeans.Model.Predict. With missing.Predict
// entries of x may be missing (NaN). A row is scaled by powers of two until its memberships add up to less
// than 1, so that the bound on the sum is not active.
//
// Cost and errors: as for predict, which is called two or three times, each time on fewer rows.
func Mix(spectra, x *softkmeans.Matrix, predict Predictor) (
	memberships *softkmeans.Matrix, brightness []float64, err error,
) {
	if predict == nil {
		predict = func(m *softkmeans.Model, dst, x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
			return m.Predict(dst, x)
		}
	}
	cone := &softkmeans.Model{Centers: spectra, Sum: softkmeans.SumAtMostOne}
	g, err := predict(cone, nil, x)
	if err != nil {
		return nil, nil, err
	}
	most := la.Largest(spectra.Data)
	_, unit := math.Frexp(most)
	memberships, brightness = g, make([]float64, x.Rows)
	exps, again := make([]int, x.Rows), la.Indices(x.Rows) // row i is scaled by 2^-exps[i]
	for round := 0; ; round++ {
		var left []int
		for a, i := range again {
			sum, size := la.Sum(g.Row(a)), la.Largest(x.Row(i))
			_, exp := math.Frexp(size)
			switch {
			case size == 0 || most == 0:
				sum = 0
			case round == 0 && (exp <= unit-sizeBits || sum > mostSum):
				exps[i] = exp - unit + 3
				left = append(left, i)
				continue
			case sum > mostSum && round < mostRounds:
				exps[i] += 3
				left = append(left, i)
				continue
			}
			copy(memberships.Row(i), g.Row(a))
			settle(memberships.Row(i), sum)
			brightness[i] = min(math.Ldexp(sum, exps[i]), math.MaxFloat64)
		}
		if again = left; len(again) == 0 {
			return memberships, brightness, nil
		}
		some := draws.Chosen(x, again)
		for a, i := range again {
			for c, v := range some.Row(a) {
				some.Set(a, c, math.Ldexp(v, -exps[i]))
			}
		}
		if g, err = predict(cone, nil, some); err != nil {
			return nil, nil, err
		}
	}
}

// If memberships add up to at most mostSum, the bound of 1 on the sum is not active. A row is scaled up if it
// is smaller than the spectra by sizeBits bits. If many spectra are 0, the sum may stay above mostSum; after
// mostRounds rounds it is accepted.
const (
	mostSum    = 1 - 1e-9
	sizeBits   = 8
	mostRounds = 40
)

// settle divides the k memberships in row by their sum; if the sum is 0, it sets each to 1/k.
func settle(row []float64, sum float64) {
	for j, v := range row {
		if row[j] = 1 / float64(len(row)); sum > 0 {
			row[j] = v / sum
		}
	}
}
