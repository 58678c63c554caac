package unmix

// Mixtures of any brightness.

import (
	"math"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
)

// Predictor finds memberships of rows x, as missing.Predict does; dst is nil.
type Predictor func(m *softkmeans.Model, dst, x *softkmeans.Matrix) (*softkmeans.Matrix, error)

// Mix returns the memberships (n×k) of the rows of x (n×d) in spectra (k×d), and the brightness of each row.
// Row i is brightness[i] times a mixture: the a ≥ 0 with the least ‖x_i − Σa_j·spectrum_j‖ have the sum
// brightness[i] and the memberships a/Σa; 1/k each if Σa is 0. Pass the Centers of a [Result] of unit rows.
//
// predict finds memberships that add up to at most 1 for rows in range; nil: softkmeans.Model.Predict. With
// missing.Predict rows of x may have gaps. A row is scaled down by a power of two until its memberships add
// up to less than 1, so that the bound on the sum does nothing.
//
// Cost and errors: those of predict, called two or three times on fewer and fewer rows.
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

// The bound of 1 did nothing if memberships add up to mostSum at most. A row smaller than the spectra by
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
