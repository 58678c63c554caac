// Package stream fits data that is larger than memory, in several passes over blocks of rows. [Fit] finds the
// global solution in two passes. [FitMinVolume] finds compact prototypes, by default in up to eight passes.
//
// To fit on many machines, compute a [softkmeans.Stats] on each machine and merge them. Make a [Subspace] of
// the merged Stats. Then compute an [Extent] on each machine, merge them, and call [Subspace.Model].
package stream

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"softkmeans"
	"softkmeans/internal/draws"
)

// Options tunes [Fit]. The zero value and nil are the defaults.
type Options struct {
	Weights   []float64            // a weight ≥ 0 for every row; nil: all 1
	Enclosure softkmeans.Enclosure // EnclosureBall (the default) or EnclosureTight
	// Workers bounds the goroutines after the first pass, which takes all processors; 0: GOMAXPROCS. Results
	// are bit-identical for any number of workers.
	Workers int
	// Block is called after every block. pass counts from 1; rows is the number of rows read in this pass.
	Block func(pass, rows int)
	// Memberships is called for successive blocks with the memberships g (m×k for m rows) of rows first, …,
	// first+m−1. It may keep g. If Memberships is set, Fit makes another pass. An error that Memberships
	// returns ends the fit, and Fit returns the error, wrapped.
	Memberships func(first int, g *softkmeans.Matrix) error
}

// Fit fits k centers to the rows of all blocks, as [softkmeans.Fit] does. It calls blocks once for each pass.
// blocks must yield the same rows in every pass, for example from a file that it opens anew. It may reuse the
// memory of a block for the next one. The simplex is larger than softkmeans.Fit's by a factor of 1 + 1e-11,
// so that no row is outside because of rounding. Memberships are nil: pass Options.Memberships to receive
// them, or call [softkmeans.Model.Predict]. Results are bit-identical for any division into blocks.
//
// # Details
//
// The first pass adds up a [softkmeans.Stats], the second an [Extent]. Objective is an upper bound for the
// best memberships of these centers, rounding included. Floor is no more precise than d·2^-52 of Total.
// Squares below 2^-1000 count as 0. k is at most 4096.
//
// Cost: nd² and d³ for the statistics, 4ndk for the extent. Memory: two blocks of 16 MB, or of 24 rows if
// these take more, and 50·d² bytes: 3.4 GB for 8192 columns.
//
// Errors: softkmeans.Fit's. Errors of blocks and of Memberships are wrapped, with the pass and the row. If
// counts, squares or the floor show that data changed between passes, the error is [softkmeans.ErrChanged];
// the pass for memberships compares only the number of rows. If ctx ends, Fit returns within one block.
func Fit(
	ctx context.Context, blocks iter.Seq2[*softkmeans.Matrix, error], k int, opts *Options,
) (*softkmeans.Model, error) {
	o := draws.OrZero(opts)
	data := &passes{ctx: ctx, blocks: blocks, weights: o.Weights, progress: o.Block,
		memberships: o.Memberships, k: k}
	if err := cmp.Or(o.check(k), data.check()); err != nil {
		return nil, err
	}
	stats := new(softkmeans.Stats)
	err := data.each(func(b *block) error { return stats.AddWeighted(b.x, b.weights) })
	if err != nil {
		return nil, err
	}
	p, err := NewSubspace(ctx, stats, k, &Options{Enclosure: o.Enclosure, Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	e := new(Extent)
	if err := data.each(func(b *block) error { return p.measure(e, b, o.Workers) }); err != nil {
		return nil, err
	}
	m, err := p.Model(e)
	if err == nil {
		err = data.handOut(m, o.Workers)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// handOut makes the pass for memberships, probabilities and labels, unless all of the functions are nil.
func (p *passes) handOut(m *softkmeans.Model, workers int) error {
	if p.memberships == nil && p.labels == nil && p.probabilities == nil {
		return nil
	}
	return p.each(func(b *block) error {
		g, err := p.mixtures(m, b.x, workers)
		var labels []int
		if err == nil && p.labels != nil {
			labels, err = m.PredictLabels(nil, b.x)
		}
		if err != nil {
			return err
		}
		return p.give(m, b.first, b.x, g, labels)
	})
}

// mixtures returns the memberships of the rows of x in m.Centers. If Centers are means of clusters, it calls
// Predict, which then mixes the nearest centers.
func (p *passes) mixtures(m *softkmeans.Model, x *softkmeans.Matrix, workers int) (*softkmeans.Matrix, error) {
	if p.clusters {
		return m.Predict(nil, x)
	}
	return draws.Mixtures(p.ctx, x, m, workers)
}

// give passes memberships, probabilities and labels of the rows x, from first on, to the caller's functions.
func (p *passes) give(m *softkmeans.Model, first int, x, g *softkmeans.Matrix, labels []int) error {
	if p.memberships != nil {
		if err := p.memberships(first, g); err != nil {
			return fmt.Errorf("softkmeans: memberships from row %d: %w", first, err)
		}
	}
	if p.probabilities != nil {
		likely, err := m.ClusterProbabilities(nil, x)
		if err == nil {
			err = p.probabilities(first, likely)
		}
		if err != nil {
			return fmt.Errorf("softkmeans: probabilities from row %d: %w", first, err)
		}
	}
	if p.labels != nil {
		if err := p.labels(first, labels); err != nil {
			return fmt.Errorf("softkmeans: labels from row %d: %w", first, err)
		}
	}
	return nil
}
