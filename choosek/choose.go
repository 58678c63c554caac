package choosek

// The number of prototypes, by four criteria that do not share their assumptions.

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// Options tunes [Choose] and [ProposeScene], which does not call Progress. The zero value and nil
// are the defaults.
type Options struct {
	// Weights has a weight ≥ 0 for every row, as in [softkmeans.Options]; nil: all 1. They decide how likely
	// a row is drawn. Where no draw is needed all rows of positive weight count alike.
	Weights []float64
	Workers int    // 0: GOMAXPROCS. The result's bits do not depend on it.
	Seed    uint64 // of the draw, the halves and the starts: the same seed gives the same result
	// MaxK is the largest number tried; 0: 12 prototypes, and 50 clusters. Fewer are tried if there are fewer
	// than 8 rows for each.
	MaxK int
	// Divided says that the rows were divided by their sums. Such rows lie in a cone, so that the ends of
	// halves differ: the number is certain if noise and held-out entries say the same.
	Divided bool
	// Filled says that missing values were replaced by the means of columns. Such rows look like clusters of
	// their own, so that these are not counted.
	Filled bool
	// Progress is called after each of the total steps, on the goroutine of the caller;
	// nil: not. It may cancel the context.
	Progress func(done, total int)
}

// Choice is the number of prototypes that [Choose] found, with the numbers that it rests on.
type Choice struct {
	K       int    // 0: nothing supports any number
	Certain bool   // criteria confirm each other; otherwise K is a candidate
	Reason  string // a sentence, with the numbers of the criteria
	// Edge, HeldOut, Stable and Clusters are the numbers that the criteria support; 0: none. Edge or HeldOut
	// may be the most that it can say for so many columns, rows, or MaxK: that means at least so many.
	Edge, HeldOut, Stable, Clusters int

	Rows     int  // how many rows were looked at
	Drawn    bool // they were drawn from more
	Permuted bool // Edge compares with permuted columns, not with white noise
	// Standardized is the choice for columns of mean 0 and variance 1. It was tried if no criteria confirm each
	// other, rows lie in no clusters that are apart, and columns differ in spread by more than 2 times; else nil.
	Standardized *Choice

	divided           bool // Options.Divided
	most, limit, dims int  // the largest number that halves and held-out entries try, MaxK, directions

	// The entry [k−1] of the following lists belongs to k prototypes. A list ends
	// where there is nothing to measure.

	// Step has the share of the total variance in the (k−1)-th direction, and Bound the share
	// that it must be above to stand out of the noise.
	Step, Bound []float64
	// Error has the squared error of held-out entries as a share of the total, and
	// ErrorDeviation its standard error.
	Error, ErrorDeviation []float64
	// Agreement has the adjusted Rand index of labels from two halves of the rows, and Chance that of halves
	// of a normal cloud with the same covariance: 0 where Agreement is too low for it to matter.
	Agreement, Chance []float64
	// Silhouette[k-1] is the mean silhouette of k clusters, up to one k more than is tried. Cloud is the largest
	// mean silhouette of a normal cloud with the same covariance; 0 if Silhouette alone gives no answer.
	Silhouette []float64
	Cloud      float64
}

const (
	defaultMaxK = 12
	// At most mostRows rows are looked at, fewer where they have more than
	// mostEntries/mostRows columns, but no fewer than leastRows.
	mostRows    = 1000
	mostEntries = 1 << 21
	leastRows   = 200
	// Prototypes are stable from an agreement of stableFrom on, if it is larger than chance by
	// stableMargin. If the other opinions are the same, confirmFrom will do.
	stableFrom   = 0.8
	confirmFrom  = 0.7
	stableMargin = 0.15
	chooseStream = 0xc4005e // of random numbers
	// fewestOfNoise is how many directions of noise tell its variance.
	fewestOfNoise = 3
	// sameError is the share of the total below which held-out errors do not differ.
	sameError = 1e-9
)

// Choose looks for the number of prototypes of the rows of x by four criteria:
//
//   - Edge: how many directions stand above the noise, and one more. The bound is that of white
//     noise (Marchenko & Pastur 1967; Kritchman & Nadler 2009). Where more than half of the
//     directions are above it, or fewer than 3 below, the noise is not known to be white. Then
//     each direction is compared with those of the table with permuted columns (Horn 1965;
//     Buja & Eyuboglu 1992).
//   - HeldOut: with how many directions entries that were held out are predicted best, and one
//     more (Owen & Perry 2009): the fewest within one standard error of the least error.
//   - Stable: for how many prototypes fits by [softkmeans.FitMinVolume] of two halves of the
//     rows give the same labels: the largest k with an adjusted Rand index of 0.8 or more
//     (after Tibshirani & Walther 2005), 0.15 above that of a normal cloud with the covariance
//     of the data (after Dudoit & Fridlyand 2002).
//   - Clusters: the number of clusters of standardized rows (Ward 1963) with the largest mean
//     silhouette (Rousseeuw 1987). The silhouette must be 0.5 or more, and 0.15 above every one of a
//     normal cloud. The clusters must be at least 4, and none of them tiny.
//
// The first two count the directions of a mixture, the third prototypes that come back, the last groups of rows
// that are apart, whatever their number of columns. Certain is Edge if halves of the rows agree on that many.
// If the noise is not known to be white, it must be the largest number they agree on, and HeldOut at most one
// off. If the noise is white and HeldOut is Edge, an index of 0.7 will do. Stable is certain if HeldOut is the
// same. A criterion that says the most it can say confirms nothing.
//
// K is Clusters, unless a number as large is certain; else the certain number; else a candidate: the number
// that two of the others share, the certain number of standardized columns, or the number of one
// criterion: of halves, if it is the largest, since clusters may share directions; of noise; of halves; of
// held-out entries if noise says more than 1. Clusters is nearly a lower bound, since clusters that are close
// count as one. Noise about one point has no K. docs/accuracy.md has how often K is right.
//
// At most 1000 rows are looked at, drawn by weight, or 2^21 entries, but 200 rows. Cost: 16
// fits of half of these for each k at most, the spectra of seven tables, and some n² distances in at most 50
// directions; the fits and six spectra again for standardized columns, which Progress is not told of. Errors:
// those of FitMinVolume, [softkmeans.ErrTooFewSamples] for fewer than 16 rows, and ctx's, wrapped.
func Choose(ctx context.Context, x *softkmeans.Matrix, opts *Options) (Choice, error) {
	s := search{ctx: ctx, o: draws.OrZero(opts)}
	switch {
	case s.o.MaxK < 0 || s.o.Workers < 0:
		return Choice{}, fault.New(softkmeans.ErrOption, "MaxK or Workers is below 0")
	case s.o.MaxK == 0:
		s.o.MaxK, s.mostApart = defaultMaxK, mostApart
	default:
		s.mostApart = min(s.o.MaxK, mostApart)
	}
	if err := x.Check("x"); err != nil {
		return Choice{}, err
	}
	if x.Cols == 0 {
		return Choice{}, fault.New(softkmeans.ErrShape, "x has no columns")
	}
	rows, err := draws.Rows(s.o.Weights, x.Rows)
	if err != nil {
		return Choice{}, err
	}
	rows, s.c.Drawn = drawn(rows, s.o.Weights, rowsOf(x.Cols), s.o.Seed)
	s.most = min(s.o.MaxK, len(rows)/(2*fewestOfCenter))
	if s.most < 2 {
		return Choice{}, fault.New(softkmeans.ErrTooFewSamples,
			len(rows), " rows of positive weight; a choice of k takes 16, and a MaxK of 2")
	}
	s.c.Rows, s.c.most, s.c.limit, s.c.divided = len(rows), s.most, s.o.MaxK, s.o.Divided
	s.x = scaled(draws.Chosen(x, rows))
	return s.c, s.choose()
}

// choose sets c by the rows looked at.
func (s *search) choose() error {
	if err := s.mix(); err != nil {
		return err
	}
	if s.total == 0 {
		if s.c.Reason = "all samples that were drawn are equal"; !s.c.Drawn {
			s.c.K, s.c.Certain, s.c.Reason = 1, true, "all samples are equal"
		}
		return nil
	}
	z := standardized(s.x)
	if err := s.findClusters(cmp.Or(z, s.x)); err != nil {
		return err
	}
	s.c.decide()
	if z == nil || s.c.Certain || s.c.agreed() || s.c.Clusters > 0 {
		return nil
	}
	t := search{ctx: s.ctx, o: s.o, most: s.c.most, x: z}
	t.c = Choice{Rows: s.c.Rows, Drawn: s.c.Drawn, most: s.c.most, limit: s.c.limit}
	t.o.Progress = nil
	if err := t.mix(); err != nil {
		return err
	}
	t.c.decide()
	s.c.Standardized = &t.c
	s.c.decide()
	return nil
}

// mix measures the three criteria of mixtures.
func (s *search) mix() (err error) {
	// As many leading directions as fits of up to most prototypes look at.
	if s.values, s.z, err = s.leading(s.x, 3*s.most+4); err != nil {
		return err
	}
	s.c.dims = len(s.values)
	if s.total = la.Sum(s.values); s.total == 0 {
		return nil
	}
	for _, step := range []func() error{s.findEdge, s.holdOut, s.stability} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// leading returns the squared singular values of the rows x about their mean, and the rows in up to p leading
// directions.
func (s *search) leading(x *softkmeans.Matrix, p int) ([]float64, *softkmeans.Matrix, error) {
	space, err := softkmeans.Principal(s.ctx, x, min(p, x.Cols, x.Rows-1), s.options())
	if err != nil {
		return nil, nil, err
	}
	z, err := space.Coordinates(nil, x)
	return space.Squares, z, err
}

// rowsOf returns how many rows of so many columns are looked at.
func rowsOf(cols int) int { return min(mostRows, max(leastRows, mostEntries/cols)) }

// drawn returns the rows to look at, ascending: of those given, or, if they are more than most, some
// of them, drawn without replacement by the largest of log(u)/w (Efraimidis & Spirakis 2006). A
// weight below 2^-500 of the largest counts as 0, as in all fits.
func drawn(of []int, weights []float64, most int, seed uint64) (rows []int, some bool) {
	rng := rand.New(rand.NewPCG(seed, chooseStream))
	type key struct {
		row   int
		value float64
	}
	exp := 0
	if weights != nil {
		_, exp = math.Frexp(slices.Max(weights))
	}
	var keys []key
	leading := func() float64 { // leaves the largest, and returns the least of these
		slices.SortFunc(keys, func(a, b key) int { return cmp.Compare(b.value, a.value) })
		keys = keys[:most]
		return keys[most-1].value
	}
	least := math.Inf(-1)
	for _, i := range of {
		w := math.Ldexp(draws.Weight(weights, i), -exp)
		if w < 0x1p-500 {
			continue
		}
		if v := math.Log(1-rng.Float64()) / w; v > least {
			keys = append(keys, key{i, v})
		}
		if len(keys) == 2*most {
			least = leading()
		}
	}
	if some = len(keys) > most || least > math.Inf(-1); some {
		leading()
	}
	for _, k := range keys {
		rows = append(rows, k.row)
	}
	slices.Sort(rows)
	return rows, some
}

// scaled multiplies x by the power of two that takes its largest entry to [½, 1).
func scaled(x *softkmeans.Matrix) *softkmeans.Matrix {
	_, exp := math.Frexp(la.Largest(x.Data))
	for i, v := range x.Data {
		x.Data[i] = math.Ldexp(v, -exp)
	}
	return x
}

// search is a choice under way.
type search struct {
	ctx             context.Context
	c               Choice
	o               Options
	x, z            *softkmeans.Matrix // the rows looked at, and these in their leading directions
	most, mostApart int                // prototypes, and clusters, that are tried
	values          []float64          // squared singular values of x, about its mean
	total           float64
	done            int
}

func (s *search) options() *softkmeans.Options {
	return &softkmeans.Options{Workers: s.o.Workers, Solver: softkmeans.SolverGram} // which has all Squares
}

// advance tells of a step that is done. There are three, and one for each k from 2 on.
func (s *search) advance() error {
	if s.done++; s.o.Progress != nil {
		s.o.Progress(s.done, s.most+2)
	}
	return fault.Stopped(s.ctx)
}

// findEdge sets Edge.
func (s *search) findEdge() error {
	m := len(s.values)
	above, edges := whiteEdge(s.values, max(s.x.Rows-1, s.x.Cols))
	if 2*above > m || m-above < fewestOfNoise {
		var err error
		if edges, err = permutedEdge(s.ctx, s.x, s.o.Seed, s.options()); err != nil {
			return err
		}
		s.c.Permuted = true
		// What differs by rounding alone, as of a single column, does not stand out.
		for above = 0; above < m && s.values[above] > edges[above]*(1+exactFloor); above++ {
		}
	}
	s.c.Edge = above + 1
	s.c.Step, s.c.Bound = []float64{0}, []float64{0}
	for i := range min(m, s.most) {
		s.c.Step = append(s.c.Step, s.values[i]/s.total)
		s.c.Bound = append(s.c.Bound, edges[i]/s.total)
	}
	return s.advance()
}

// holdOut sets HeldOut.
func (s *search) holdOut() error {
	errors, deviation, err := heldOutErrors(s.ctx, s.z, s.most, s.o.Seed)
	if err != nil || len(errors) == 0 {
		return err
	}
	least := slices.Index(errors, slices.Min(errors))
	for r, v := range errors {
		if s.c.HeldOut == 0 && v <= errors[least]+max(deviation[least], sameError*s.total) {
			s.c.HeldOut = r + 1
		}
		s.c.Error = append(s.c.Error, v/s.total)
		s.c.ErrorDeviation = append(s.c.ErrorDeviation, deviation[r]/s.total)
	}
	return s.advance()
}

// stability sets Agreement and Chance, up to two prototypes more than directions speak for.
func (s *search) stability() error {
	list := halvesOf(s.z, s.values, s.o.Seed)
	s.most = min(s.most, max(s.c.Edge, s.c.HeldOut)+2)
	s.c.Agreement, s.c.Chance = []float64{1}, []float64{1}
	for k := 2; k <= s.most; k++ {
		agreement, err := agreements(s.ctx, list[:stablePairs], k, s.o.Workers, s.o.Seed)
		if err != nil {
			return err
		}
		chance, from := 0.0, stableFrom
		if k == s.c.Edge && k == s.c.HeldOut {
			from = confirmFrom
		}
		if agreement >= from {
			if chance, err = agreements(s.ctx, list[stablePairs:], k, s.o.Workers, s.o.Seed); err != nil {
				return err
			}
		}
		s.c.Agreement, s.c.Chance = append(s.c.Agreement, agreement), append(s.c.Chance, chance)
		if err := s.advance(); err != nil {
			return err
		}
	}
	return nil
}
