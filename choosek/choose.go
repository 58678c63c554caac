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

// Options tunes [Choose] and [ProposeScene]. ProposeScene reads Weights, Workers, Seed and MaxK alone. The
// zero value and nil are the defaults.
type Options struct {
	// Weights contains a weight ≥ 0 for every row, as in [softkmeans.Options]; nil: all 1. Choose uses
	// weights only to sample the rows of a large table; the rows that it reads count alike. Rows of weight 0
	// are not read.
	Weights []float64
	Workers int    // goroutines; 0: GOMAXPROCS. Results are bit-identical for any number.
	Seed    uint64 // the seed of the random sample, the halves and the starts
	// MaxK is the largest number tried; 0: 12 prototypes, and 50 clusters. Each prototype or cluster requires
	// 8 rows, so that a small table may end the search earlier.
	MaxK int
	// Divided says that the rows were divided by their sums. Halves of such rows may disagree. K is therefore
	// also Certain if Edge and HeldOut are equal.
	Divided bool
	// Filled says that missing values were replaced by column means. Such rows look like clusters of their
	// own. If Filled is set, Choose does not look for clusters.
	Filled bool
	// Progress is called after each of the total steps, on the caller's goroutine; nil: not. It may cancel
	// the context.
	Progress func(done, total int)
}

// Choice is the number of prototypes that [Choose] found, with the evidence.
type Choice struct {
	K       int    // 0: nothing supports any number
	Certain bool   // criteria confirm each other; otherwise K is a candidate
	Reason  string // a sentence, with the numbers of the criteria
	// Edge, HeldOut, Stable and Clusters are the numbers that the criteria support; 0: none. An Edge or
	// HeldOut at the limit of rows, columns or MaxK means "at least so many".
	Edge, HeldOut, Stable, Clusters int

	Rows     int  // the number of rows read
	Drawn    bool // the rows are a random sample
	Permuted bool // Edge compares with permuted columns, not with white noise
	// Standardized is the choice for columns of mean 0 and variance 1. It is nil if two criteria already
	// agree, if Clusters is above 0, or if the columns' spreads differ by a factor of 2 or less.
	Standardized *Choice

	divided bool // Options.Divided
	// most is the largest k for halves and held-out entries, limit is MaxK, and dims the number of directions
	// of the rows.
	most, limit, dims int

	// Lists of the criteria, by k:

	// Index k−1 of this and of all lists below is for k prototypes. Step is the fraction of the total
	// variance in the (k−1)-th direction. Bound is the fraction above which a direction exceeds the noise.
	Step, Bound []float64
	// Error is the squared error of held-out entries as a fraction of the total variance, and
	// ErrorDeviation its standard error.
	Error, ErrorDeviation []float64
	// Agreement is the adjusted Rand index of labels from two halves of the rows. Chance is the same index
	// for a normal cloud with the covariance of the rows; 0 if Agreement is too low for the comparison.
	Agreement, Chance []float64
	// Silhouette is the mean silhouette of k clusters, for each k tried and the next one. Cloud is the
	// largest mean silhouette of a normal cloud with the same covariance; 0 if Silhouette alone excludes
	// Clusters.
	Silhouette []float64
	Cloud      float64
}

const (
	defaultMaxK = 12
	// At most mostRows rows are read. If there are more than mostEntries/mostRows columns, at most
	// mostEntries/columns rows are read, or leastRows if that is more.
	mostRows    = 1000
	mostEntries = 1 << 21
	leastRows   = 200
	// k prototypes are stable if Agreement is at least stableFrom and exceeds Chance by at least
	// stableMargin. If Edge and HeldOut are both k, an Agreement of confirmFrom suffices.
	stableFrom   = 0.8
	confirmFrom  = 0.7
	stableMargin = 0.15
	chooseStream = 0xc4005e // of random numbers
	// fewestOfNoise is the number of directions of noise that suffice to estimate its variance.
	fewestOfNoise = 3
	// Held-out errors count as equal if they differ by at most sameError times the total.
	sameError = 1e-9
)

// Choose chooses the number of prototypes for the rows of x (n×d). Read K, Certain and Reason. Four criteria
// support a number each:
//
//   - Edge is the number of directions that exceed the noise, plus one.
//   - HeldOut is the number of directions that predict held-out entries best, plus one.
//   - Stable is the largest k for which fits of two halves of the rows give the same labels.
//   - Clusters is the number of groups of rows that lie apart. Groups that touch count as one.
//
// K is Certain if halves of the rows confirm Edge or HeldOut, and Clusters is not above K. An Edge or HeldOut
// at its limit confirms nothing. An Edge that comes from permuted columns must also equal Stable. HeldOut
// must then be below its limit and differ from Edge by at most one. For Divided rows an equal Edge and
// HeldOut are enough. Otherwise K is the best supported candidate: Clusters, a number that two criteria
// share, or the number of one criterion. For rows that are noise about one point K is 0. docs/accuracy.md
// reports how often K is right.
//
// At most 1000 rows are read. A larger table is sampled by weight. For more than 2097 columns fewer rows are
// read, but at least 200.
//
// # Details
//
// Edge compares with white noise (Marchenko & Pastur 1967; Kritchman & Nadler 2009). If fewer than half of
// the directions, or fewer than 3, are noise, Edge compares with permuted columns (Horn 1965; Buja & Eyuboglu
// 1992). HeldOut is the smallest number within one standard error of the least error (Owen & Perry 2009).
// Stable requires an adjusted Rand index of 0.8 (Tibshirani & Walther 2005), and 0.15 more than for a normal
// cloud (Dudoit & Fridlyand 2002). Clusters requires at least four of Ward's clusters (1963), with a mean
// silhouette (Rousseeuw 1987) of 0.5, and 0.15 more than for a normal cloud.
//
// Cost: at most 16 fits by [softkmeans.FitMinVolume] for each k, seven spectra, and n² distances. A
// Standardized choice nearly doubles this cost, and does not call Progress. Errors: FitMinVolume's and ctx's,
// wrapped. Fewer than 16 rows of positive weight, or a MaxK of 1, cause [softkmeans.ErrTooFewSamples].
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
			len(rows), " rows of positive weight; a choice of k requires 16 rows, and a MaxK of at least 2")
	}
	s.c.Rows, s.c.most, s.c.limit, s.c.divided = len(rows), s.most, s.o.MaxK, s.o.Divided
	s.x = scaled(draws.Chosen(x, rows))
	err = s.choose() // before s.c is read: the language leaves the order of the two in one return open
	return s.c, err
}

// choose sets c from the rows that were read.
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

// mix sets values, z and total, and the three criteria of mixtures: Edge, HeldOut and Stable's Agreement.
func (s *search) mix() (err error) {
	// As many leading directions as fits of up to s.most prototypes use.
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

// rowsOf returns the number of rows to read of a table with the given number of columns.
func rowsOf(cols int) int { return min(mostRows, max(leastRows, mostEntries/cols)) }

// drawn returns the rows to read, ascending. If there are more than `most` rows, drawn samples `most` of
// these without replacement, and returns some = true. It takes the largest log(u)/w (Efraimidis & Spirakis
// 2006). A weight below 2^-500 of the largest counts as 0, as in all fits.
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
	leading := func() float64 { // keeps the `most` largest keys, and returns the least value of them
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
	ctx context.Context
	c   Choice
	o   Options
	// x, z: the rows that were read, and their coordinates in the leading directions.
	x, z            *softkmeans.Matrix
	most, mostApart int       // prototypes, and clusters, that are tried
	values          []float64 // squared singular values of x, about its mean
	total           float64
	done            int
}

func (s *search) options() *softkmeans.Options {
	return &softkmeans.Options{Workers: s.o.Workers, Solver: softkmeans.SolverGram} // finds all Squares
}

// advance reports a finished step. There are three steps, and one for each k from 2 on.
func (s *search) advance() error {
	if s.done++; s.o.Progress != nil {
		s.o.Progress(s.done, s.most+2)
	}
	return fault.Stopped(s.ctx)
}

// findEdge sets Edge, Step, Bound and Permuted from the singular values of the rows.
func (s *search) findEdge() error {
	m := len(s.values)
	above, edges := whiteEdge(s.values, max(s.x.Rows-1, s.x.Cols))
	if 2*above > m || m-above < fewestOfNoise {
		var err error
		if edges, err = permutedEdge(s.ctx, s.x, s.o.Seed, s.options()); err != nil {
			return err
		}
		s.c.Permuted = true
		// Values that differ by rounding alone, as for a single column, do not exceed the noise.
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

// holdOut sets HeldOut, Error and ErrorDeviation from the rows in leading directions.
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

// stability sets Agreement and Chance for k up to max(Edge, HeldOut) + 2, to which it lowers s.most.
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
