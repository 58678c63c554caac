package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"softkmeans"
	"softkmeans/internal/rows"
)

const predictHelp = `Usage: softkmeans predict -model FILE [flags] [FILE]

Find the memberships of new rows in the centers of a model that fit -model has
written. They are exact: the mixture of centers that is nearest to the row.
Rows are scaled as those that were fitted. Models of lsd and tilsd compare new
rows with the fitted ones; those of -kernel matrix take rows of similarities to
them. With lsd the fitted rows get nearly, not exactly, what they had.

FILE is read as fit reads it. Where both it and the fitted table have a header,
columns are found by their names, in any order, and others are left out;
otherwise there must be as many columns as the model has, in its order.

  -model FILE   the model; required
  -o FILE       where the memberships go, as CSV: label,p0,p1,… The default
                is -, standard output. To a file, there is a summary, too
` + textHelp + runHelp + `
Example: softkmeans fit -k 3 -model iris.json testdata/iris.csv
         softkmeans predict -model iris.json -o memberships.csv new.csv

` + exitHelp

// predictFlags is the command line of predict.
type predictFlags struct {
	inputFlags
	model, out string
}

func newPredictFlagSet(f *predictFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("predict", flag.ContinueOnError)
	f.addText(fs)
	f.addRun(fs)
	fs.StringVar(&f.model, "model", "", "")
	fs.StringVar(&f.out, "o", "-", "")
	return fs
}

func runPredict(ctx context.Context, args []string, s streams) error {
	var f predictFlags
	rest, err := parseFlags(newPredictFlagSet(&f), args, 1)
	if err != nil {
		return err
	}
	if err := f.check(rest); err != nil {
		return err
	}
	switch {
	case f.model == "":
		return usageErrorf("-model is missing: softkmeans fit -model FILE writes one")
	case f.model == "-":
		return usageErrorf("-model: must be a file")
	}
	model, err := readModel(ctx, f.model)
	if err != nil {
		return err
	}
	if err := f.use(model); err != nil {
		return err
	}
	predict, err := model.predictor()
	if err != nil {
		return fmt.Errorf("%s: %w", f.model, err)
	}
	in, source, err := openInput(ctx, f.source, s.in)
	if err != nil {
		return err
	}
	defer in.Close()
	a, errA := os.Stat(f.model)
	b, errB := os.Stat(f.out)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return usageErrorf("-o %s would replace the model", f.out)
	}
	out := &outputs{ctx: ctx, in: in, stdout: s.out}
	defer out.discard()
	w, err := out.add("o", f.out)
	if err != nil {
		return err
	}
	f.quiet = f.quiet || out.mixedWith(s.err)
	p := &prediction{predict: predict, w: newMembershipWriter(w), sizes: make([]int, model.K), width: max(model.K, len(model.Samples))}
	if err := f.predict(ctx, in, source, model, p, s.err); err != nil {
		return err
	}
	if err := p.w.Flush(); err != nil {
		return err
	}
	if out.taken {
		return out.finish(s, nil)
	}
	return out.finish(s, func(w io.Writer) error { return p.summary(w, source) })
}

// prediction is the memberships in the making.
type prediction struct {
	predict predictor
	width   int // of a row of similarities or memberships
	w       *membershipWriter
	rows    int
	sizes   []int
}

// predict reads a file in blocks, anything else at once.
func (f *predictFlags) predict(ctx context.Context, in io.Reader, source string, model *modelFile, p *prediction, stderr io.Writer) error {
	if _, ok := rows.Replayable(in); !ok || !f.named() {
		d, err := f.read(ctx, in, source)
		if err != nil {
			return err
		}
		if err := model.checkColumns(d.Names, source); err != nil {
			return err
		}
		return p.add(ctx, d.x)
	}
	s, err := f.openStream(ctx, source, stderr)
	if err != nil {
		return err
	}
	defer s.progress.clear()
	s.progress.most = 1
	if err := model.checkColumns(s.file.Names, source); err != nil {
		return err
	}
	_, err = await(ctx, func() (struct{}, error) {
		return struct{}{}, s.each(func(x *softkmeans.Matrix) error { return p.add(ctx, x) })
	})
	return err
}

// predictRows is how many rows are predicted at a time, and predictValues how many
// similarities, of which a row has one for each sample, or memberships.
const (
	predictRows   = 1024
	predictValues = 1 << 22
)

// add takes the next rows.
func (p *prediction) add(ctx context.Context, x *softkmeans.Matrix) error {
	most := max(1, min(predictRows, predictValues/p.width))
	for lo := 0; lo < x.Rows; lo += most {
		hi := min(lo+most, x.Rows)
		g, err := p.predict(softkmeans.NewMatrix(hi-lo, x.Cols, x.Data[lo*x.Cols:hi*x.Cols]))
		if err != nil {
			return err
		}
		labels := labelsOf(g)
		for _, label := range labels {
			p.sizes[label]++
		}
		if err := p.w.add(ctx, labels, g); err != nil {
			return err
		}
	}
	p.rows += x.Rows
	return nil
}

func (p *prediction) summary(w io.Writer, source string) error {
	_, err := fmt.Fprintf(w, "%s: %s by their largest membership\n\n%s", source, count(p.rows, "row"), sizeLines(p.sizes))
	return err
}
