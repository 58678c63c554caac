package main

// The passes as a pipeline. Machines exchange names of shards and, once a shard,
// statistics of a fixed size. Rows in a shuffle would take ten times their memory.

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"softkmeans"
	"softkmeans/stream"
)

// pipeline builds
//
//	shards ─ fold ─┬─ summaries ─ merge ─ subspace ─┐
//	               └─ shards as read ─ extent ──────┴─ extents ─ merge ─ model ─┐
//	                             └──── memberships ─────────────────────────────┴─ qualities ─ merge ─ finish
//
// where the values from above are side inputs of the lower line.
func (j *job) pipeline(root beam.Scope, shards []shard) {
	// Without Reshuffle a runner would execute all that follows on one machine.
	names := beam.Reshuffle(root.Scope("Spread"), beam.CreateList(root, shards))
	summaries, read := beam.ParDo2(root.Scope("Fold"), &foldFn{*j}, names)
	total := beam.Combine(root.Scope("MergeSummaries"), &mergeSummaries{}, summaries)
	subspace := beam.ParDo(root.Scope("StreamSubspace"), &subspaceFn{*j}, total)
	extents := beam.ParDo(root.Scope("Extent"), &extentFn{*j}, read, beam.SideInput{Input: subspace})
	extent := beam.Combine(root.Scope("MergeExtents"), &mergeExtents{}, extents)
	model := beam.ParDo(root.Scope("Model"), &modelFn{}, extent, beam.SideInput{Input: subspace})
	qualities := beam.ParDo(root.Scope("Memberships"), &membershipsFn{*j}, read, beam.SideInput{Input: model})
	quality := beam.Combine(root.Scope("MergeQualities"), &mergeQualities{}, qualities)
	beam.ParDo0(root.Scope("Finish"), &finishFn{*j}, quality,
		beam.SideInput{Input: total}, beam.SideInput{Input: model})
}

func init() {
	beam.RegisterType(reflect.TypeFor[shard]())
	register.DoFn4x1[context.Context, shard, func(*summary), func(shard), error](&foldFn{})
	register.Emitter1[*summary]()
	register.Emitter1[shard]()
	register.Combiner1[*summary](&mergeSummaries{})
	register.DoFn2x2[context.Context, *summary, *stream.Subspace, error](&subspaceFn{})
	register.DoFn3x2[context.Context, shard, *stream.Subspace, *stream.Extent, error](&extentFn{})
	register.Combiner1[*stream.Extent](&mergeExtents{})
	register.DoFn2x2[*stream.Extent, *stream.Subspace, *softkmeans.Model, error](&modelFn{})
	register.DoFn3x2[context.Context, shard, *softkmeans.Model, *quality, error](&membershipsFn{})
	register.Combiner1[*quality](&mergeQualities{})
	register.DoFn4x1[context.Context, *quality, *summary, *softkmeans.Model, error](&finishFn{})
}

// Each DoFn calls a method of job, and puts an error between brackets for plainError.

type foldFn struct{ Job job }

func (f *foldFn) ProcessElement(ctx context.Context, s shard, summaries func(*summary), read func(shard)) (err error) {
	defer bracket(&err)
	sum, s, err := f.Job.fold(ctx, s)
	if err == nil {
		summaries(sum)
		read(s)
	}
	return err
}

type subspaceFn struct{ Job job }

func (f *subspaceFn) ProcessElement(ctx context.Context, s *summary) (p *stream.Subspace, err error) {
	defer bracket(&err)
	return f.Job.subspace(ctx, s)
}

type extentFn struct{ Job job }

func (f *extentFn) ProcessElement(ctx context.Context, s shard, p *stream.Subspace) (e *stream.Extent, err error) {
	defer bracket(&err)
	return f.Job.extent(ctx, s, p)
}

type modelFn struct{}

func (*modelFn) ProcessElement(e *stream.Extent, p *stream.Subspace) (m *softkmeans.Model, err error) {
	defer bracket(&err)
	return p.Model(e)
}

type membershipsFn struct{ Job job }

func (f *membershipsFn) ProcessElement(ctx context.Context, s shard, m *softkmeans.Model) (q *quality, err error) {
	defer bracket(&err)
	return f.Job.memberships(ctx, s, m)
}

type finishFn struct{ Job job }

func (f *finishFn) ProcessElement(ctx context.Context, q *quality, s *summary, m *softkmeans.Model) (err error) {
	defer bracket(&err)
	return f.Job.finish(ctx, s, m, q)
}

// The combiners. The result of one without inputs must be a valid start of a merge.

type mergeSummaries struct{}

func (*mergeSummaries) CreateAccumulator() *summary { return &summary{} }

func (*mergeSummaries) MergeAccumulators(a, b *summary) (s *summary, err error) {
	defer bracket(&err)
	return a, a.merge(b)
}

type mergeExtents struct{}

func (*mergeExtents) CreateAccumulator() *stream.Extent { return &stream.Extent{} }

func (*mergeExtents) MergeAccumulators(a, b *stream.Extent) (e *stream.Extent, err error) {
	defer bracket(&err)
	return a, a.Merge(b)
}

type mergeQualities struct{}

func (*mergeQualities) CreateAccumulator() *quality { return newQuality(0) }

func (*mergeQualities) MergeAccumulators(a, b *quality) *quality {
	a.merge(b)
	return a
}
