package softkmeans

// The number of prototypes, by three opinions that do not share their assumptions.

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// ChooseKOptions tunes [ChooseK]. The zero value and nil are the defaults.
type ChooseKOptions struct {
	// Weights has a weight ≥ 0 for every row, as in [Options]; nil: all 1. They decide how
	// likely a row is drawn. Where no draw is needed all rows of positive weight count alike.
	Weights []float64
	Workers int    // 0: GOMAXPROCS. The result's bits do not depend on it.
	Seed    uint64 // of the draw, the halves and the starts: the same seed gives the same result
	MaxK    int    // the largest number tried; 0: 12. Fewer where there are fewer than 8 rows for each.
	// Progress is called after each of the total steps, on the goroutine of the caller;
	// nil: not. It may cancel the context.
	Progress func(done, total int)
}

// KChoice is the number of prototypes that [ChooseK] found, with the numbers that it rests on.
type KChoice struct {
	K      int    // 0: no answer
	Reason string // a sentence
	// Edge, HeldOut and Stable are what each of the opinions supports; 0: none. One or more
	// above the largest number tried says that it is at least that.
	Edge, HeldOut, Stable int
	Rows                  int  // how many rows were looked at
	Drawn                 bool // they were drawn from more
	Permuted              bool // the edge is that of permuted columns

	// The entry [k−1] of the following lists belongs to k prototypes. A list ends
	// where there is nothing to measure.

	// Step has the share of the total variance in the (k−1)-th direction, and Bound the share
	// that it must be above to stand out of the noise.
	Step, Bound []float64
	// Error has the squared error of held-out entries as a share of the total, and
	// ErrorDeviation its standard error.
	Error, ErrorDeviation []float64
	// Agreement has the adjusted Rand index of labels from two halves of the rows, and
	// Chance that of halves of a normal cloud with the same covariance: 0 where Agreement
	// is too low for it to matter.
	Agreement, Chance []float64
}

const (
	defaultMaxK = 12
	// At most drawnForK rows are looked at, fewer where they have more than
	// entriesForK/drawnForK columns, but no fewer than leastForK.
	drawnForK   = 1000
	entriesForK = 1 << 21
	leastForK   = 200
	// Prototypes are stable from an agreement of stableFrom on, if it is larger than chance by
	// stableMargin. If the other opinions are the same, confirmFrom will do.
	stableFrom   = 0.8
	confirmFrom  = 0.7
	stableMargin = 0.15
	chooseStream = 0xc4005e
	// fewestOfNoise is how many directions of noise tell its variance.
	fewestOfNoise = 3
)

// ChooseK looks for the number of prototypes. It asks three questions:
//
//   - Edge: how many directions stand above the noise, and one more. The bound is that of white
//     noise (Marchenko & Pastur 1967; Kritchman & Nadler 2009). Where more than half of the
//     directions are above it, or fewer than 3 below, the noise is not known to be white. Then each direction is compared with
//     those of the table with permuted columns (Horn 1965; Buja & Eyuboglu 1992).
//   - HeldOut: with how many directions entries that were held out are predicted best, and one
//     more (Owen & Perry 2009): the fewest within one standard error of the least error.
//   - Stable: for how many prototypes fits by [FitMinVolume] of two halves of the rows give
//     the same labels: the largest k with an adjusted Rand index of 0.8 or more (after
//     Tibshirani & Walther 2005), 0.15 above that of a normal cloud with the covariance of
//     the data (after Dudoit & Fridlyand 2002).
//
// K is Edge if halves of the rows agree on that many. Where the noise is not known to be white
// it must be the largest number they agree on, and HeldOut at most one off. Where it is and
// HeldOut is Edge, an index of 0.7 will do. Otherwise K is Stable if HeldOut is the same, and
// else there is no answer.
//
// The first two count the directions of a mixture, the third prototypes that come back.
// Clusters on a line share a direction, and those with a shape of their own have more
// directions than clusters need: there the first two tell nothing about clusters. So where
// halves agree on more prototypes than permuted columns and held-out entries count, the truth
// is often more, and there is no answer. Nor is there for rows on one line: two ends that
// mix, many clusters and no structure look alike. Noise about one point has no answer, either.
// A column on a much larger scale than the others decides alone.
//
// At most 1000 rows are looked at, drawn by weight, or 2^21 entries, but 200 rows. Cost: 16
// fits of half of these for each k at most, and the spectra of six tables. Errors: those of
// [FitMinVolume], [ErrTooFewSamples] for fewer than 16 rows, and ctx's, wrapped.
func ChooseK(ctx context.Context, x *Matrix, opts *ChooseKOptions) (KChoice, error) {
	o := orZero(opts)
	var c KChoice
	if err := checkCount("MaxK", o.MaxK); err != nil {
		return c, err
	}
	all, err := newSamples(ctx, x, o.Weights, o.Workers, true)
	if err != nil {
		return c, err
	}
	rows, drawn := rowsForK(all, o.Seed)
	most := min(orDefault(o.MaxK, defaultMaxK), len(rows)/(2*fewestOfCenter))
	if most < 2 {
		return c, fail(ErrTooFewSamples, strconv.Itoa(len(rows))+" rows of positive weight; a choice of k takes 16, and a MaxK of 2")
	}
	c.Rows, c.Drawn = len(rows), drawn
	s, err := newSamples(ctx, chosenRows(x, rows), nil, o.Workers, true)
	if err != nil {
		return c, err
	}
	k := &kSearch{c: &c, o: &o, s: s, most: most}
	if k.values, k.total, err = squaredSingularValues(s); err != nil {
		return c, err
	}
	switch {
	case k.total == 0 && drawn:
		c.Reason = "all samples that were drawn are equal"
		return c, nil
	case k.total == 0:
		c.K, c.Reason = 1, "all samples are equal"
		return c, nil
	}
	for _, step := range []func() error{k.findEdge, k.holdOut, k.stability} {
		if err := step(); err != nil {
			return KChoice{}, err
		}
	}
	c.decide()
	return c, nil
}

// rowsForK returns the rows to look at, ascending: of positive weight, drawn without
// replacement if they are many, by the largest of log(u)/w (Efraimidis & Spirakis 2006).
func rowsForK(s *samples, seed uint64) (rows []int, drawn bool) {
	rng := rand.New(rand.NewPCG(seed, chooseStream))
	type key struct {
		row   int
		value float64
	}
	var keys []key
	for i := range s.n {
		if w := s.weight(i); w > 0 {
			keys = append(keys, key{i, math.Log(1-rng.Float64()) / w})
		}
	}
	if most := min(drawnForK, max(leastForK, entriesForK/s.d)); len(keys) > most {
		drawn = true
		slices.SortFunc(keys, func(a, b key) int { return cmp.Compare(b.value, a.value) })
		keys = keys[:most]
	}
	for _, k := range keys {
		rows = append(rows, k.row)
	}
	slices.Sort(rows)
	return rows, drawn
}

// kSearch is a choice under way.
type kSearch struct {
	c      *KChoice
	o      *ChooseKOptions
	s      *samples // the rows looked at
	most   int
	values []float64 // squared singular values of s
	total  float64
	done   int
}

// advance tells of a step that is done. There are two, and one for each k from 2 on.
func (k *kSearch) advance() error {
	if k.done++; k.o.Progress != nil {
		k.o.Progress(k.done, k.most+1)
	}
	return cancelled(k.s.ctx)
}

// findEdge sets Edge.
func (k *kSearch) findEdge() error {
	m := min(k.s.n-1, k.s.d)
	above, edges := whiteEdge(k.values[:m], max(k.s.n-1, k.s.d))
	if 2*above > m || m-above < fewestOfNoise {
		var err error
		if edges, err = permutedEdge(k.s, k.o.Seed); err != nil {
			return err
		}
		k.c.Permuted = true
		// What differs by rounding alone, as of a single column, does not stand out.
		for above = 0; above < m && k.values[above] > edges[above]*(1+exactFloor); above++ {
		}
	}
	k.c.Edge = above + 1
	k.c.Step, k.c.Bound = []float64{0}, []float64{0}
	for i := range min(m, k.most) {
		k.c.Step = append(k.c.Step, k.values[i]/k.total)
		k.c.Bound = append(k.c.Bound, edges[i]/k.total)
	}
	return k.advance()
}

// coordinates returns the rows in as many leading directions as fits of up to most
// prototypes look at.
func (k *kSearch) coordinates() (*Matrix, error) {
	pc, err := findPrincipal(k.s, min(narrowColumns(k.most), k.s.d, k.s.n-1), SolverAuto)
	if err != nil {
		return nil, err
	}
	zt, err := multiply(k.s, pc.basis)
	if err != nil {
		return nil, err
	}
	return zt.transposed(), nil
}

// holdOut sets HeldOut.
func (k *kSearch) holdOut() error {
	z, err := k.coordinates()
	if err != nil {
		return err
	}
	errors, deviation, err := heldOutErrors(k.s.ctx, z, k.most, k.o.Seed)
	if err != nil || len(errors) == 0 {
		return err
	}
	least := slices.Index(errors, slices.Min(errors))
	for r, v := range errors {
		if k.c.HeldOut == 0 && v <= errors[least]+max(deviation[least], exactHeldOut*k.total) {
			k.c.HeldOut = r + 1
		}
		k.c.Error = append(k.c.Error, v/k.total)
		k.c.ErrorDeviation = append(k.c.ErrorDeviation, deviation[r]/k.total)
	}
	return k.advance()
}

// exactHeldOut is the share of the total below which held-out errors do not differ.
const exactHeldOut = 1e-9

// stability sets Agreement and Chance, up to two prototypes more than directions speak for.
func (k *kSearch) stability() error {
	z, err := k.coordinates()
	if err != nil {
		return err
	}
	list := halvesOf(z, k.values, k.o.Seed)
	k.most = min(k.most, max(k.c.Edge, k.c.HeldOut)+2)
	k.c.Agreement, k.c.Chance = []float64{1}, []float64{1}
	for i := 2; i <= k.most; i++ {
		agreement, err := agreements(k.s.ctx, list[:stablePairs], i, k.s.workers, k.o.Seed)
		if err != nil {
			return err
		}
		chance, from := 0.0, stableFrom
		if i == k.c.Edge && i == k.c.HeldOut {
			from = confirmFrom
		}
		if agreement >= from {
			if chance, err = agreements(k.s.ctx, list[stablePairs:], i, k.s.workers, k.o.Seed); err != nil {
				return err
			}
		}
		k.c.Agreement, k.c.Chance = append(k.c.Agreement, agreement), append(k.c.Chance, chance)
		if err := k.advance(); err != nil {
			return err
		}
	}
	return nil
}

// stable reports whether halves of the rows agree on k prototypes, from this index on.
func (c *KChoice) stable(k int, from float64) bool {
	return k >= 2 && k <= len(c.Agreement) && c.Agreement[k-1] >= from && c.Agreement[k-1] >= c.Chance[k-1]+stableMargin
}

// decide sets Stable, K and Reason.
func (c *KChoice) decide() {
	for k := range c.Agreement {
		if c.stable(k+1, stableFrom) {
			c.Stable = k + 1
		}
	}
	count := func(k int) string { return strconv.Itoa(k) + " prototypes" }
	const agreed = ", and halves of the rows agree on them"
	switch {
	case c.stable(c.Edge, stableFrom) && (!c.Permuted || c.Edge == c.Stable && max(c.Edge-c.HeldOut, c.HeldOut-c.Edge) <= 1):
		c.K, c.Reason = c.Edge, "noise leaves directions for "+count(c.Edge)+agreed
	case !c.Permuted && c.Edge == c.HeldOut && c.stable(c.Edge, confirmFrom):
		c.K, c.Reason = c.Edge, "noise and held-out entries speak for "+count(c.Edge)+", and halves of the rows agree well enough"
	case c.Stable > 0 && c.Stable == c.HeldOut:
		c.K, c.Reason = c.Stable, "held-out entries speak for "+count(c.Stable)+agreed
	case c.Stable > 0:
		c.Reason = "the opinions differ"
	case c.Edge <= 1 && c.HeldOut <= 1:
		c.Reason = "nothing stands out of the noise"
	default:
		c.Reason = "halves of the rows agree on no number of prototypes"
	}
}
