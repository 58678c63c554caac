package kinds

// Rows that are mixtures times a brightness of their own, as spectra of samples of any concentration.

import (
	"context"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/scale"
)

// Thresholds of [Open]. 2 was chosen on 4330 random tables, .98 on 1600 others: of their open tables, with a
// spread of brightness of .2 to .6, .87 were found, .00 of the closed ones, .01 of the mixtures of k+1
// prototypes and .01 of the tables with a baseline were taken for such. With .95 that was .88, .00, .02 and
// .05. Of 1 297 files, 14 pass the other thresholds. The sums of 12 vary by .31 or more, and the sums of two
// tables of weather by .04 or less.
const (
	clearOf       = 2    // how many times the direction of the brightness exceeds the next
	explained     = .98  // the share of its energy that a plane through the origin explains
	leastBeyond   = 3    // columns beyond k
	leastBright   = .1   // standard deviation of the sums of rows, as a share of their mean
	mostInColumns = .9   // of the directions that k columns hold
	leastShare    = 1e-6 // of the total variance; less is rounding, or no brightness to speak of
)

// OpenWords is the note about a table that is [Open].
const OpenWords = "rows differ in brightness (their sums): each is divided by its sum, and rows of larger sums count more"

// Open reports whether the rows x, of no missing value, are mixtures of k prototypes times a brightness of
// their own. nil weights are all 1. Counts and parts of a whole are not, nor are tables with entries below 0
// beyond noise, whose sums say nothing. chosen says that k was chosen by these rows, to which brightness
// looks like one prototype more: k−1 is tried, too.
//
// With brightness, the rows of k materials span k directions about their mean, one more than without, and the
// same k directions through the origin. So the k-th direction stands out from the next, and the floor falls
// by its energy for k directions through the origin. A k+1st material has a direction that these do not
// explain. The mean of the rows is one more direction about the origin: it saves the noise of one row.
func Open(
	ctx context.Context, x *softkmeans.Matrix, weights []float64, k int, chosen bool,
) (open bool, err error) {
	if kind := Look(x); kind.Counts || kind.Sum > 0 || kind.Total > 0 || !scale.AboveZero(x.Data, x.Cols) {
		return false, nil
	}
	if chosen && k > 2 {
		open, err = openFor(ctx, x, weights, k-1)
	}
	if err == nil && !open && k > 1 {
		open, err = openFor(ctx, x, weights, k)
	}
	return open, err
}

// openFor is [Open] for one k, without a look at the entries.
func openFor(ctx context.Context, x *softkmeans.Matrix, weights []float64, k int) (bool, error) {
	rows, err := draws.Rows(weights, x.Rows)
	if err != nil || min(x.Cols, len(rows)) < k+leastBeyond {
		return false, err
	}
	bright := scale.ColumnsOf(scale.SumsOf(x.Data, x.Cols), 1, weights, nil)
	if bright.Spread[0] < leastBright*bright.Mean[0] {
		return false, nil
	}
	about, err := softkmeans.Principal(ctx, x, k+1, &softkmeans.Options{Weights: weights})
	if err != nil || len(about.Squares) <= k {
		return false, err
	}
	energy, next := about.Squares[k-1], about.Squares[k]
	if !(energy > max(clearOf*next, leastShare*about.Total)) || inColumns(about.Basis, k) > mostInColumns {
		return false, nil
	}
	origin, err := softkmeans.Principal(ctx, x, k,
		&softkmeans.Options{Weights: weights, Sum: softkmeans.SumAtMostOne})
	if err != nil {
		return false, err
	}
	beyond := next + about.Floor // the floor of k+1 prototypes
	saved := energy + beyond - origin.Floor + beyond/float64(len(rows)-1-k)
	return saved > explained*energy, nil
}

// inColumns returns which share of the span of k orthonormal directions k columns hold: 1 if it is theirs.
// Any rows in k columns of large numbers are in a plane through the origin.
func inColumns(basis *softkmeans.Matrix, k int) float64 {
	held := make([]float64, basis.Cols)
	for i := range k {
		for j, v := range basis.Row(i) {
			held[j] += v * v
		}
	}
	slices.Sort(held)
	return la.Sum(held[len(held)-k:]) / float64(k)
}
