package choosek

// Cross-validation of entries: how well leading directions predict entries that were held out.

import (
	"context"
	"math"
	"math/rand/v2"

	"softkmeans"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// The columns are split into heldOutParts parts and the rows into two halves, heldOutRepeats times at random.
const (
	heldOutParts   = 2
	heldOutRepeats = 4
	heldOutStream  = 0xbc5
)

// heldOutErrors cross-validates the entries of centred rows z (n×p) by blocks (Owen & Perry 2009). The
// columns are rotated at random first, so that no direction is in one part of them (Perry 2009). In one half
// of the rows the held-out columns are regressed on the r leading directions of the other columns. errors[r],
// for r = 0, 1, … up to most, is the squared error of the prediction in the other half, summed over all parts
// and halves, so that every entry counts once. deviation[r] is its standard error over rows.
func heldOutErrors(
	ctx context.Context, z *softkmeans.Matrix, most int, seed uint64,
) (errors, deviation []float64, err error) {
	n, p := z.Rows, z.Cols
	parts := min(heldOutParts, p)
	most = min(most, p-(p+parts-1)/parts, n/2-1)
	if most < 0 {
		return nil, nil, nil
	}
	each := softkmeans.NewMatrix(most+1, n, nil) // errors of each row
	rng := rand.New(rand.NewPCG(seed, heldOutStream))
	for range heldOutRepeats {
		q := softkmeans.RandomOrientation(p+1, rng.Uint64())
		y := timesT(z, q)
		order := rng.Perm(n)
		for half := range 2 {
			split := split{y: y, train: order[:n/2], test: order[n/2:]}
			if half == 1 {
				split.train, split.test = split.test, split.train
			}
			for part := range parts {
				if err := fault.Stopped(ctx); err != nil {
					return nil, nil, err
				}
				if err := split.addErrors(each, part*p/parts, (part+1)*p/parts); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	for r := range each.Rows {
		sum := la.Sum(each.Row(r)) / heldOutRepeats
		var squares float64
		for _, v := range each.Row(r) {
			squares += (v/heldOutRepeats - sum/float64(n)) * (v/heldOutRepeats - sum/float64(n))
		}
		errors = append(errors, sum)
		deviation = append(deviation, math.Sqrt(squares*float64(n)/float64(n-1)))
	}
	return errors, deviation, nil
}

// split is a table whose rows are in two parts.
type split struct {
	y           *softkmeans.Matrix
	train, test []int
}

// block returns the columns lo…hi−1 of the given rows, transposed; if others is set, all other columns.
func (s *split) block(rows []int, lo, hi int, others bool) *softkmeans.Matrix {
	var list []int
	for j := range s.y.Cols {
		if (lo <= j && j < hi) != others {
			list = append(list, j)
		}
	}
	out := softkmeans.NewMatrix(len(list), len(rows), nil)
	for a, j := range list {
		for b, i := range rows {
			out.Data[a*out.Cols+b] = s.y.Row(i)[j]
		}
	}
	return out
}

// addErrors adds, for each r, the squared errors in columns lo…hi−1 of the rows in s.test. The means of the
// columns in s.train are subtracted from the rows of both parts.
func (s *split) addErrors(each *softkmeans.Matrix, lo, hi int) error {
	seen, hidden := s.block(s.train, lo, hi, true), s.block(s.train, lo, hi, false)
	given, wanted := s.block(s.test, lo, hi, true), s.block(s.test, lo, hi, false)
	about(seen, given)
	about(hidden, wanted)
	values, vectors, err := softkmeans.EigenSym(timesT(seen, seen))
	if err != nil {
		return err
	}
	for r := range each.Rows {
		if r > 0 && values[r-1] > exactFloor*values[0] {
			// The r-th component of both parts, and its regression.
			t, at := make([]float64, seen.Cols), make([]float64, given.Cols)
			for j := range seen.Rows {
				la.Axpy(t, vectors.At(j, r-1), seen.Row(j))
				la.Axpy(at, vectors.At(j, r-1), given.Row(j))
			}
			for j := range hidden.Rows {
				la.Axpy(wanted.Row(j), -la.Dot(hidden.Row(j), t)/values[r-1], at)
			}
		}
		for j := range wanted.Rows {
			for b, i := range s.test {
				each.Row(r)[i] += wanted.At(j, b) * wanted.At(j, b)
			}
		}
	}
	return nil
}

// timesT returns a·bᵀ.
func timesT(a, b *softkmeans.Matrix) *softkmeans.Matrix {
	c := softkmeans.NewMatrix(a.Rows, b.Rows, nil)
	for i := range a.Rows {
		for j := range b.Rows {
			c.Set(i, j, la.Dot(a.Row(i), b.Row(j)))
		}
	}
	return c
}

// about subtracts the mean of each row of a from the entries of this row and of the same row of b.
func about(a, b *softkmeans.Matrix) {
	for i := range a.Rows {
		mean := la.Sum(a.Row(i)) / float64(a.Cols)
		for _, row := range [][]float64{a.Row(i), b.Row(i)} {
			for j := range row {
				row[j] -= mean
			}
		}
	}
}
