package main

// The method: three passes over the shards, and the steps between them. The pipeline and
// the plain loop call them.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/view"
	"softkmeans/modelfile"
	"softkmeans/stream"
)

// job is the settings of all passes.
type job struct {
	ID        string // in the names of temporary files
	Out       string
	K         int
	Enclosure softkmeans.Enclosure
	Reading   reading
}

// summary is the result of the first pass: the statistics of the rows, and the columns,
// which must agree in all shards.
type summary struct {
	Shards int64
	Source string   // a shard with rows or a header; "" if there is none yet
	Names  []string // of its columns
	Header bool     // the names are from a header
	Stats  softkmeans.Stats
}

// fold is the first pass: it reads a shard and returns its summary, and the shard with
// its rows and checksum, which later passes compare.
func (j *job) fold(ctx context.Context, s shard) (*summary, shard, error) {
	sum := &summary{Shards: 1}
	c, err := j.Reading.eachBlock(ctx, s, sum.Stats.Add)
	if err != nil {
		return nil, s, err
	}
	if len(c.Names) > 0 {
		sum.Source, sum.Names, sum.Header = s.Name, c.Names, c.Header
	}
	s.Rows, s.Sum, s.Read = c.Rows, c.Sum, true
	return sum, s, nil
}

// merge adds the summary of other shards.
func (s *summary) merge(t *summary) error {
	s.Shards += t.Shards
	if t.Source == "" {
		return nil
	}
	if s.Source != "" {
		if len(s.Names) != len(t.Names) {
			return fmt.Errorf("%s:1: %s, but %s has %d", t.Source, view.Count(len(t.Names), "column"), s.Source, len(s.Names))
		}
		if s.Header && t.Header && !slices.Equal(s.Names, t.Names) {
			i := 0
			for s.Names[i] == t.Names[i] {
				i++
			}
			return fmt.Errorf("%s:1: column %d is %q, but %q in %s", t.Source, i+1, t.Names[i], s.Names[i], s.Source)
		}
	}
	if s.Source == "" || t.Header && !s.Header { // names of a header are preferred
		s.Source, s.Names, s.Header = t.Source, t.Names, t.Header
	}
	return named(t.Source, s.Stats.Merge(&t.Stats))
}

// subspace computes the subspace of the centers from the first pass.
func (j *job) subspace(ctx context.Context, s *summary) (*stream.Subspace, error) {
	if s.Stats.Rows() == 0 {
		return nil, errors.New("the shards have no rows")
	}
	return stream.NewSubspace(ctx, &s.Stats, j.K, &stream.Options{Enclosure: j.Enclosure})
}

// extent is the second pass: the extent of a shard's rows in the subspace.
func (j *job) extent(ctx context.Context, s shard, p *stream.Subspace) (*stream.Extent, error) {
	e := &stream.Extent{}
	_, err := j.Reading.eachBlock(ctx, s, func(x *softkmeans.Matrix) error { return e.Add(p, x, nil) })
	return e, err
}

// memberships is the third pass: it writes the memberships of a shard's rows. Numbers
// have the digits that are needed to read the same float64.
func (j *job) memberships(ctx context.Context, s shard, m *softkmeans.Model) (*quality, error) {
	q := newQuality(j.K)
	err := writeOutput(ctx, s.Output, j.ID, func(w *bufio.Writer) error {
		w.WriteString("label")
		for i := range j.K {
			w.WriteString(",p" + strconv.Itoa(i))
		}
		w.WriteByte('\n')
		var g *softkmeans.Matrix
		_, err := j.Reading.eachBlock(ctx, s, func(x *softkmeans.Matrix) (err error) {
			if g == nil || g.Rows != x.Rows {
				g = softkmeans.NewMatrix(x.Rows, j.K, nil)
			}
			if g, err = m.Predict(g, x); err != nil {
				return err
			}
			for i, label := range (&softkmeans.Model{Memberships: g}).Labels(nil) {
				line := strconv.AppendInt(w.AvailableBuffer(), int64(label), 10)
				for _, v := range g.Row(i) {
					line = strconv.AppendFloat(append(line, ','), v, 'g', -1, 64)
				}
				if _, err := w.Write(append(line, '\n')); err != nil {
					return err
				}
				q.add(label, x.Row(i), g.Row(i), m.Centers)
			}
			return nil
		})
		return err
	})
	return q, err
}

// finish writes the model and then the report. With a report a result is complete.
func (j *job) finish(ctx context.Context, s *summary, m *softkmeans.Model, q *quality) error {
	err := writeOutput(ctx, j.modelName(), j.ID, func(w *bufio.Writer) error {
		_, err := s.modelFile(m, q).WriteTo(w)
		return err
	})
	if err != nil {
		return err
	}
	return writeOutput(ctx, j.reportName(), j.ID, func(w *bufio.Writer) error {
		_, err := w.Write(j.report(s, m, q))
		return err
	})
}

// modelFile is the model with the names, means and deviations of its columns.
func (s *summary) modelFile(m *softkmeans.Model, q *quality) *modelfile.File {
	f := &modelfile.File{Model: m, Method: "global", Columns: s.Names, Named: s.Header, Rows: int(q.Rows), ColumnMean: s.Stats.Mean()}
	scatter := s.Stats.Scatter()
	for i := range scatter.Rows {
		f.ColumnSpread = append(f.ColumnSpread, math.Sqrt(scatter.At(i, i)/s.Stats.Weight()))
	}
	for _, n := range q.Sizes {
		f.Sizes = append(f.Sizes, int(n))
	}
	return f
}

func (j *job) modelName() string  { return join(j.Out, "model.json") }
func (j *job) reportName() string { return join(j.Out, "report.txt") }
