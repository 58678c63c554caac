package main

import (
	"context"

	"softkmeans/stream"
)

// plainly executes the job in one loop, without Beam. Tests compare the pipeline to it,
// and it is the shorter text to learn the method from.
func (j *job) plainly(ctx context.Context, shards []shard) error {
	total := &summary{}
	for i, s := range shards {
		sum, read, err := j.fold(ctx, s)
		if err != nil {
			return err
		}
		if err := total.merge(sum); err != nil {
			return err
		}
		shards[i] = read
	}
	p, err := j.subspace(ctx, total)
	if err != nil {
		return err
	}
	extent := &stream.Extent{}
	for _, s := range shards {
		e, err := j.extent(ctx, s, p)
		if err != nil {
			return err
		}
		if err := extent.Merge(e); err != nil {
			return err
		}
	}
	m, err := p.Model(extent)
	if err != nil {
		return err
	}
	q := newQuality(j.K)
	for _, s := range shards {
		part, err := j.memberships(ctx, s, m)
		if err != nil {
			return err
		}
		q.merge(part)
	}
	return j.finish(ctx, total, m, q)
}
