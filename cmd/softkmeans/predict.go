package main

// This file holds the command predict.

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"softkmeans"
	"softkmeans/internal/rows"
	"softkmeans/internal/table"
)

const predictHelp = `Usage: softkmeans predict -model FILE [flags] [FILE]

Compute the memberships of new rows in the prototypes of a model that fit -model
wrote: the mixture with the least squared distance to the row. Rows are scaled
as the fitted ones were. A warning, on standard error if the memberships take
standard output, names rows that are farther from their mixture than any row of
the fit, and columns that seem to have another unit.

Models of lsd and tilsd compare new rows with the fitted rows, and need all
values; with -kernel matrix a new row is its similarities to them. With lsd, a
fitted row gets about, but not exactly, its memberships of the fit.

FILE is read as by fit. If both FILE and the fitted table have a header, columns
are found by name, in any order, and other columns are ignored. Otherwise FILE
must have the columns of the model in the same order. Where a row lacks values,
its memberships are those of the least squared distance in its other columns. A
row without any value has no label and no memberships, but one row must have a
value.

  -model FILE   the model, required
  -o FILE       write the memberships as CSV: label,p0,p1,… after the id and the
                columns of -keep. Default -, standard output; what was found
                out about FILE is then on standard error. With a file, a summary
                is printed as well. Labels are by the rule of the fit
  -details      three more columns, as with fit: residual, distance, entropy
` + rolesHelp + turnHelp + textHelp + runHelp + `
Example: softkmeans fit -k 3 -model iris.json testdata/iris.csv
         softkmeans predict -model iris.json -o memberships.csv new.csv

` + exitHelp

// predictFlags is the command line of predict.
type predictFlags struct {
	inputFlags
	model, out string
	details    bool
}

func newPredictFlagSet(f *predictFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("predict", flag.ContinueOnError)
	f.addText(fs)
	f.addTurn(fs)
	f.addRoles(fs)
	f.addRun(fs)
	fs.StringVar(&f.model, "model", "", "")
	fs.StringVar(&f.out, "o", "-", "")
	fs.BoolVar(&f.details, "details", false, "")
	return fs
}

func parsePredict(args []string) (f predictFlags, err error) {
	if err := f.parse(newPredictFlagSet(&f), args); err != nil {
		return f, err
	}
	f.dialect.Missing = true
	switch {
	case f.model == "":
		return f, usageErrorf("-model is missing; give a file that softkmeans fit -model wrote")
	case f.model == "-":
		return f, usageErrorf("-model -: must be a file")
	}
	return f, nil
}

// run reads the model, predicts the rows and writes the outputs.
func (f *predictFlags) run(s *session) error {
	model, err := readModel(s.ctx, f.model)
	if err != nil {
		return err
	}
	if err := f.use(model); err != nil {
		return err
	}
	s.places["centers"] = place{f.model, model.Columns}
	predict, err := model.predictor()
	if err != nil {
		return fmt.Errorf("%s: %w", f.model, err)
	}
	a, errA := os.Stat(f.model)
	b, errB := os.Stat(f.out)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return usageErrorf("-o %s would overwrite the model; give another file", f.out)
	}
	w, err := s.add("o", f.out)
	if err != nil {
		return err
	}
	f.quiet = f.quiet || s.mixed()
	p := &prediction{model: model, predict: predict, w: newMembershipWriter(w), sizes: make([]int, model.K()),
		details: f.details, name: numbered}
	p.watch = newWatch(model)
	if p.details && p.watch.yardstick == nil {
		return usageErrorf("-details: a model of method %s has no prototypes to measure from",
			short(model.Method, mostName))
	}
	if err := f.predict(s, p); err != nil {
		return err
	}
	if err := p.w.finish(); err != nil {
		return err
	}
	if note := p.w.doubles(model.K()); note != "" {
		p.notes = append(p.notes, note)
	}
	return s.finish(func(w io.Writer) error { return p.summary(w, s.source, s.taken) })
}

// prediction writes the memberships of rows and counts their labels.
type prediction struct {
	model   *modelFile
	predict predictor
	w       *membershipWriter
	watch   *watch
	details bool
	name    naming
	rows    int
	sizes   []int
	notes   []string
}

// predict reads a file in blocks, and other input and tables that are turned at once. Sparse rows
// stay so where the model allows it.
func (f *predictFlags) predict(s *session, p *prediction) error {
	stays := p.model.takesSparse()
	_, blocks := rows.Replayable(s.in)
	var b *blockReader
	if blocks = blocks && f.named() && !(stays && rows.IsSparse(s.in, f.dialect)); blocks {
		var err error
		if b, err = f.openStream(s); errors.Is(err, table.ErrTurned) {
			blocks = false
		} else if err != nil {
			return err
		}
	}
	if !blocks {
		d, t, err := f.readAs(s, always(stays))
		if err != nil {
			return err
		}
		if t != nil {
			return f.predictSparse(s, p, t)
		}
		if err := p.model.checkColumns(d.Names, s.source); err != nil {
			return err
		}
		p.w.describe(&d.Head, d.texts)
		p.notes, p.name = d.Notes, d.texts.names()
		return p.add(s.ctx, d.x)
	}
	defer b.progress.clear()
	b.progress.passes = 1
	if err := p.model.checkColumns(b.file.Names, s.source); err != nil {
		return err
	}
	_, err := await(s.ctx, func() (struct{}, error) {
		defer p.w.follow(b)()
		if err := b.each(func(x *softkmeans.Matrix) error { return p.add(s.ctx, x) }); err != nil {
			return struct{}{}, err
		}
		if err := p.w.finish(); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, b.name([]few{p.watch.far})
	})
	p.notes = b.head().Notes
	return err
}

// predictSparse predicts sparse rows.
func (f *predictFlags) predictSparse(s *session, p *prediction, t *rows.Sparse) error {
	if err := p.model.checkColumns(t.Names, s.source); err != nil {
		return err
	}
	p.w.describe(&t.Head, rowTexts{ids: t.IDs})
	p.notes = t.Notes
	_, err := await(s.ctx, func() (struct{}, error) { return struct{}{}, p.addSparse(s.ctx, t) })
	return err
}

// Rows are predicted in groups of at most predictRows, and of at most predictValues
// memberships or similarities. A row has one similarity for each sample.
const (
	predictRows   = 1024
	predictValues = 1 << 22
)

// add predicts and writes the next rows.
func (p *prediction) add(ctx context.Context, x *softkmeans.Matrix) error {
	wide := p.model.K()
	if p.model.Samples != nil {
		wide = max(wide, p.model.Samples.Rows)
	}
	most := max(1, min(predictRows, predictValues/wide))
	hi := 0
	for lo := 0; lo < x.Rows; lo = hi {
		hi = min(lo+most, x.Rows)
		rows := softkmeans.NewMatrix(hi-lo, x.Cols, x.Data[lo*x.Cols:hi*x.Cols])
		if n := valued(rows); n == 0 {
			hi = lo + 1
			if err := p.skip(); err != nil {
				return err
			}
			continue
		} else if n < rows.Rows {
			hi = lo + n
			rows = softkmeans.NewMatrix(n, x.Cols, x.Data[lo*x.Cols:hi*x.Cols])
		}
		g, err := p.predict(rows)
		if err != nil {
			return laterRow(err, lo)
		}
		labels, err := p.model.label(rows, g)
		if err != nil {
			return laterRow(err, lo)
		}
		for _, label := range labels {
			p.sizes[label]++
		}
		if details := p.watch.add(p, rows, g, labels); p.details {
			p.w.details = details
		}
		p.rows += rows.Rows
		if err := p.w.add(ctx, labels, g); err != nil {
			return err
		}
	}
	return nil
}

// valued returns how many rows there are before the first without any value.
func valued(x *softkmeans.Matrix) int {
	for i := range x.Rows {
		if !slices.ContainsFunc(x.Row(i), func(v float64) bool { return v == v }) {
			return i
		}
	}
	return x.Rows
}

// skip writes a row without any value, which has no memberships.
func (p *prediction) skip() error {
	if p.details && p.w.details == nil {
		p.w.details = new(softkmeans.Matrix)
	}
	p.rows++
	return p.w.skip(p.model.K())
}

// summary writes the rows by label and the notes, or if short is set the notes alone, and
// the warnings.
func (p *prediction) summary(w io.Writer, source string, short bool) error {
	var b bytes.Buffer
	if !short {
		fmt.Fprintf(&b, "%s: %s by label", source, count(p.rows, "row"))
		writeNotes(&b, p.notes)
		b.WriteString("\n\n" + sizeLines(p.sizes))
	} else if len(p.notes) > 0 {
		b.WriteString(source + ":")
		writeNotes(&b, p.notes)
		b.WriteByte('\n')
	}
	for i, warning := range p.watch.warnings(p.model) {
		if i == 0 && !short {
			b.WriteByte('\n')
		}
		b.WriteString(warning + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}
