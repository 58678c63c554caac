package unmix

// Mixtures of any brightness.

import (
	"math"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
)

// Predictor computes the memberships of rows x, as missing.Predict does; dst is nil.
type Predictor func(m *softkmeans.Model, dst, x *softkmeans.Matrix) (*softkmeans.Matrix, error)

// Mix returns the memberships (n×k) of the rows of x (n×d) in spectra (k×d), and the brightness of each row.
// For the a ≥ 0 that minimise ‖x_i − Σa_j·spectrum_j‖, the brightness of row i is Σa, and its memberships are
// a/Σa; 1/k each if Σa is 0. Pass the Centers of a [Result] with ScaleUnit.
//
// predict computes memberships that add up to at most 1; nil: softkmeans.Model.Predict. With missing.Predict
// rows of x may miss entries. A row is scaled by powers of two until its memberships add up to less than 1,
// so that the bound on the sum is not active.
//
// Cost and errors: as for predict, called two or three times on fewer and fewer rows.
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

// The bound of 1 was not active if memberships add up to mostSum at most. A row smaller than the spectra by
// sizeBits bits is scaled up. Many spectra of 0 may keep the sum above mostSum: mostRounds ends that.
const (
	mostSum    = 1 - 1e-9
	sizeBits   = 8
	mostRounds = 40
)

// settle divides memberships by their sum; 1/k each if it is 0.
func settle(row []float64, sum float64) {
	for j, v := range row {
		if row[j] = 1 / float64(len(row)); sum > 0 {
			row[j] = v / sum
		}
	}
}
