package main

// Fitting files that outgrow memory.

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"

	"softkmeans"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
)

// streamSize is what a file must exceed to be read block by block unasked: a fit
// in memory reads it once, and takes its time for other things as well. A
// compressed file counts five times.
const streamSize = 64 << 20

// large reports whether the input is a file, to be read by its name, that is to
// be read block by block unasked.
func (f *inputFlags) large(in io.Reader) bool {
	size, ok := rows.Replayable(in)
	if !ok || !f.named() {
		return false
	}
	if start := make([]byte, 2); size > streamSize/5 {
		in.(*os.File).ReadAt(start, 0) // an error comes again
		if string(start) == "\x1f\x8b" {
			size *= 5 // gzip
		}
	}
	return size > streamSize
}

// checkStream finds what does not go with -stream yes.
func (f *inputFlags) checkStream(stream choose) error {
	switch {
	case stream != chooseYes:
		return nil
	case f.dialect.Weights != "":
		return usageErrorf("-stream yes does not go with -weights")
	case !f.named():
		return usageErrorf("-stream yes: standard input can be read only once; give a file")
	}
	return nil
}

// streams reports whether the input is to be read block by block.
func (f *fitFlags) streams(in io.Reader) bool {
	can := (f.method == methodGlobal || f.method == methodMinVolume) && f.dialect.Weights == ""
	return f.stream == chooseYes || f.stream == chooseAuto && can && f.large(in)
}

// stream is a file that is read again and again, in blocks of scaled rows.
type stream struct {
	ctx      context.Context
	file     *rows.File
	scale    *scale.Scaling // nil: as they are
	progress *progress
	rows     int // of the last pass by each
	// fault is what went wrong outside of the package, which is told without its
	// words around it.
	fault error
}

func (f *inputFlags) openStream(ctx context.Context, source string, stderr io.Writer) (*stream, error) {
	file, err := await(ctx, func() (*rows.File, error) { return rows.Open(source, rows.Options{Dialect: f.dialect}) })
	if err != nil {
		return nil, err
	}
	s := &stream{ctx: ctx, file: file, scale: f.scaling, progress: newProgress(stderr, f.quiet)}
	s.progress.size, s.progress.read = file.Size, file.BytesRead
	return s, nil
}

// blocks is one pass.
func (s *stream) blocks(yield func(*softkmeans.Matrix, error) bool) {
	for x, err := range s.file.Blocks(s.ctx) {
		if s.fault = err; err == nil {
			s.scale.Apply(x.Data)
		}
		if !yield(x, err) {
			return
		}
	}
}

// each is a pass of ours, before those of the package.
func (s *stream) each(take func(*softkmeans.Matrix) error) error {
	n := 0
	for x, err := range iter.Seq2[*softkmeans.Matrix, error](s.blocks) {
		if err != nil {
			return err
		}
		if err := take(x); err != nil {
			return err
		}
		n += x.Rows
		s.progress.pass(softkmeans.Pass{Pass: 1, Rows: n})
	}
	s.progress.before++
	s.rows = n
	return nil
}

// setScale finds the scaling of the columns, in a pass of its own.
func (s *stream) setScale(kind scale.Kind) error {
	if kind == scale.None {
		return nil
	}
	c := scale.Collector{Kind: kind}
	err := s.each(func(x *softkmeans.Matrix) error {
		c.Add(x.Data, x.Cols)
		return nil
	})
	if err == nil {
		s.scale = c.Scaling()
	}
	return err
}

// statsColumns is up to how many columns floors are found of a stream: the
// scatter matrix and its eigenvalues take 50 bytes times their square.
const statsColumns = 4096

// floors are those of all rows, in a pass of their own.
func (s *stream) floors() ([]float64, error) {
	if n := len(s.file.Names); n > statsColumns {
		return nil, fmt.Errorf("%s: the floors of %d columns take a table in memory (-stream no); block by block up to %d are possible", s.file.Source, n, statsColumns)
	}
	var stats softkmeans.Stats
	if err := s.each(stats.Add); err != nil {
		return nil, err
	}
	return stats.Floors()
}

// fitStream is fitTable for the named file, read block by block. Its memberships
// are written, and looked at for the certificate, as the last pass finds them.
func (f *fitFlags) fitStream(ctx context.Context, _ io.Reader, source string, w *membershipWriter, stderr io.Writer) (*result, error) {
	s, err := f.openStream(ctx, source, stderr)
	if err != nil {
		return nil, err
	}
	defer s.progress.clear()
	s.progress.most = f.passes(len(s.file.Names))
	return await(ctx, func() (*result, error) {
		if err := s.setScale(f.inputFlags.scale); err != nil {
			return nil, err
		}
		r := &result{Head: s.file.Head, k: f.k, method: f.method, scale: s.scale, streamed: true}
		if r.k == 0 {
			floors, err := s.floors()
			if err != nil {
				return nil, err
			}
			if err := r.propose(floors); err != nil {
				return nil, err
			}
		}
		// How many rows there are is known in the end; each has two bytes at least, of
		// which gzip packs up to 1032 in one.
		most := s.file.Size/2 + 1
		if s.file.Compressed {
			most *= 1032
		}
		if err := checkClusters(r.Source, int(min(most, math.MaxInt)), r.k); err != nil {
			return nil, fmt.Errorf("%s: fewer rows than -k, which is %d: there can be no more centers than rows", r.Source, r.k)
		}
		r.cert.MinMembership = math.Inf(1)
		var labels []int
		take := func(_ int, g *softkmeans.Matrix) error {
			labels = (&softkmeans.Model{Memberships: g}).Labels(slices.Grow(labels[:0], g.Rows)[:g.Rows])
			r.add(labels, g)
			if w != nil {
				s.fault = w.add(ctx, labels, g)
			}
			return s.fault
		}
		m, err := f.fitBlocks(ctx, s, r.k, take)
		if s.fault != nil {
			err = s.fault
		}
		if err != nil {
			return nil, err
		}
		if err := checkClusters(r.Source, r.rows, r.k); err != nil {
			return nil, err
		}
		r.setModel(m)
		r.summarised = f.method == methodMinVolume && s.progress.number > s.progress.before+1
		r.cert.Objective, r.cert.Floor, r.cert.Gap = m.Objective, m.Floor, m.Gap
		r.cert.Total, r.cert.FloorError = m.Total, m.FloorError
		return r, nil
	})
}

// passes is how many fitStream makes; 0: as many as it takes.
func (f *fitFlags) passes(columns int) int {
	o := f.options
	if f.method != methodGlobal || o.Solver == softkmeans.SolverKrylov || o.Solver == softkmeans.SolverAuto && columns > autoColumns {
		return 0
	}
	n := 3
	if f.inputFlags.scale != scale.None {
		n++
	}
	if f.k == 0 {
		n++
	}
	return n
}

// autoColumns is beyond how many columns SolverAuto iterates, in FitSeq.
const autoColumns = 2048

// fitBlocks runs the method that was asked for.
func (f *fitFlags) fitBlocks(ctx context.Context, s *stream, k int, take func(int, *softkmeans.Matrix) error) (*softkmeans.Model, error) {
	if f.method == methodMinVolume {
		return softkmeans.FitMinVolumeSeq(ctx, s.blocks, k, &softkmeans.MinVolumeOptions{
			Slack: f.slack, Lambda: f.lambda, Seed: f.seed, Workers: f.workers, Memberships: take, PassProgress: s.progress.pass, Progress: s.progress.iteration})
	}
	o := f.options
	o.Progress, o.Memberships = s.progress.pass, take
	return softkmeans.FitSeq(ctx, s.blocks, k, &o)
}

// add takes the next rows.
func (r *result) add(labels []int, g *softkmeans.Matrix) {
	r.count(labels)
	c := &r.cert
	for i := range labels {
		sum := 0.0
		for _, v := range g.Row(i) {
			sum += v
			c.MinMembership = min(c.MinMembership, v)
		}
		c.MaxSumError = max(c.MaxSumError, math.Abs(sum-1))
	}
	r.rows += len(labels)
}
