package kinds

// The number of clusters of similarities.

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/table"
)

const (
	// mostSimilar is how many rows are looked at for a number of clusters.
	mostSimilar = 1000
	// mostDirections is how many directions of the similarities are: three for each of
	// the clusters that are tried.
	mostDirections = 36
	// Halves of the rows agree from an adjusted Rand index of agreeFrom on, if it is
	// larger than that of a cloud by agreeMargin, as for choosek.Choose.
	agreeFrom   = 0.8
	agreeMargin = 0.15
)

// ChooseSimilar returns the number of clusters that similarities speak for. Directions tell nothing, because those of
// similarities are bent: many may stand out where there is one cluster. What remains is whether halves of the rows
// give the same labels. The number is that for which they agree most beyond what halves of a cloud do that has no
// clusters (Dudoit & Fridlyand 2002).
func ChooseSimilar(ctx context.Context, s *softkmeans.Matrix, o *choosek.Options) (c choosek.Choice, err error) {
	x, err := coordinates(ctx, s, o)
	if err != nil {
		return c, err
	}
	if x == nil {
		return choosek.Choice{K: 1, Certain: true, Reason: "no direction of the similarities is above 0", Rows: s.Rows}, nil
	}
	all, err := choosek.Choose(ctx, x, o)
	if err != nil {
		return c, err
	}
	c = choosek.Choice{Rows: all.Rows, Agreement: all.Agreement, Chance: all.Chance,
		Reason: "for no k do the labels of two halves of the rows agree by at least " +
			strconv.FormatFloat(agreeFrom, 'f', -1, 64) + " and " + strconv.FormatFloat(agreeMargin, 'f', -1, 64) +
			" more than by chance (1 is perfect)"}
	best := agreeMargin
	for i, v := range c.Agreement {
		if beyond := v - c.Chance[i]; i > 0 && v >= agreeFrom && beyond > best {
			best, c.K, c.Certain, c.Stable = beyond, i+1, true, i+1
		}
	}
	if k := c.K; k > 0 {
		two := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
		c.Reason = "halves of the rows agree on " + table.Count(k, "cluster") + " by " + two(c.Agreement[k-1]) +
			", and halves of a cloud without clusters by " + two(c.Chance[k-1]) +
			"; this k has the largest difference"
	}
	return c, nil
}

// coordinates returns rows in the space of the similarities, in their leading directions.
// It is turned at random, so that every column has a part of all directions: choosek.Choose
// permutes columns and holds out entries. nil: there is no direction.
func coordinates(ctx context.Context, s *softkmeans.Matrix, o *choosek.Options) (*softkmeans.Matrix, error) {
	s = sample(s, o.Seed)
	k := min(mostDirections, s.Rows-1) + 1
	m, err := softkmeans.TILSD(ctx, s, k, &softkmeans.LSDOptions{Workers: o.Workers})
	if err != nil || m.Projection.Cols == 0 {
		return nil, err
	}
	w, err := m.Coordinates(nil, nil)
	if err != nil {
		return nil, err
	}
	p := w.Cols
	rng := rand.New(rand.NewPCG(o.Seed, 0x51311a2))
	normal := softkmeans.NewMatrix(p, p, nil)
	for i := range normal.Data {
		normal.Data[i] = rng.NormFloat64()
	}
	turn, _, _, err := softkmeans.SVD(normal)
	if err != nil {
		return nil, err
	}
	x := softkmeans.NewMatrix(w.Rows, p, nil)
	for i := range w.Rows {
		for c, v := range w.Row(i) {
			for j, u := range turn.Row(c) {
				x.Data[i*p+j] += v * u
			}
		}
	}
	return x, nil
}

// sample returns the similarities of some rows: of all up to mostSimilar.
func sample(s *softkmeans.Matrix, seed uint64) *softkmeans.Matrix {
	n := s.Rows
	if n <= mostSimilar {
		return s
	}
	rows := rand.New(rand.NewPCG(seed, 0xd3a35)).Perm(n)[:mostSimilar]
	slices.Sort(rows)
	part := softkmeans.NewMatrix(len(rows), len(rows), nil)
	for i, at := range rows {
		for j, other := range rows {
			part.Set(i, j, s.At(at, other))
		}
	}
	return part
}
