package main

// The command report: three fits of a table on one HTML page.

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"softkmeans/internal/report"
	"softkmeans/internal/rows"
	"softkmeans/internal/table"
)

const reportHelp = `Usage: softkmeans report -o FILE [flags] [FILE]

Write one HTML page about a table: what is proved, the global solution, an
alternating one and one of minimal volume beside each other, and pictures of
data, memberships and centers. The page needs no script, network or other file.

` + fileHelp + `
  -o FILE       the page; required. With - it goes to standard output
  -k N          the number of centers, up to 64; auto (default) takes what the
                floors propose
  -classes FILE known classes, a row's on a line, to color by and to compare
                with: for tables without a -label column. Of several columns
                the one named label is taken
  -slack S      of the minimal volume: how much more squared error than the
                least, 0.25 by default
  -seed N       of the starts of both iterations; 0 is the default
  -image RxC    rows are pictures of R rows and C columns of pixels, and centers
                are drawn as such: 8x8
` + scaleHelp + columnsHelp + textHelp + runHelp + `
Examples: softkmeans report -k 3 -o iris.html testdata/iris.csv
          softkmeans report -k 10 -image 8x8 -o digits.html testdata/digits.csv

` + exitHelp

// reportFlags is the command line of report.
type reportFlags struct {
	inputFlags
	k             int // 0: as proposed
	out           string
	classes       string
	slack         float64 // 0: the package's default
	seed          uint64
	height, width int // of a row that is a picture
}

func newReportFlagSet(f *reportFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("report", flag.ContinueOnError)
	f.inputFlags.add(fs)
	clustersFlag(fs, &f.k)
	fs.StringVar(&f.out, "o", "", "")
	fs.StringVar(&f.classes, "classes", "", "")
	aboveZeroFlag(fs, &f.slack, "slack")
	seedFlag(fs, &f.seed)
	fs.Func("image", "", func(s string) error {
		high, wide, _ := strings.Cut(strings.ReplaceAll(s, "×", "x"), "x")
		h, err := strconv.Atoi(high)
		w, err2 := strconv.Atoi(wide)
		if err != nil || err2 != nil || h < 1 || w < 1 || h > math.MaxInt32/w {
			return errors.New("must be rows and columns of pixels, such as 8x8")
		}
		f.height, f.width = h, w
		return nil
	})
	return fs
}

func parseReport(args []string) (f reportFlags, err error) {
	rest, err := parseFlags(newReportFlagSet(&f), args, 1)
	if err != nil {
		return f, err
	}
	if err := f.check(rest); err != nil {
		return f, err
	}
	switch {
	case f.out == "":
		return f, usageErrorf("-o is missing: where to write the page? (- is standard output)")
	case f.classes != "" && f.dialect.Label != "":
		return f, usageErrorf("-label and -classes both have classes; give one")
	case f.classes == "-":
		return f, usageErrorf("-classes: must be a file")
	case f.k > report.MostPrototypes:
		return f, usageErrorf("-k %d: a page shows up to %d centers", f.k, report.MostPrototypes)
	}
	return f, nil
}

func runReport(ctx context.Context, args []string, s streams) error {
	f, err := parseReport(args)
	if err != nil {
		return err
	}
	in, source, err := openInput(ctx, f.source, s.in)
	if err != nil {
		return err
	}
	defer in.Close()
	out := &outputs{ctx: ctx, in: in, stdout: s.out}
	defer out.discard()
	w, err := out.add("o", f.out)
	if err != nil {
		return err
	}
	show := newProgress(s.err, f.quiet || out.mixedWith(s.err))
	defer show.clear()
	show.step("reading")
	d, err := f.read(ctx, in, source)
	if err != nil {
		return err
	}
	if err := checkClusters(d.Source, d.Rows, f.k); err != nil {
		return err
	}
	if f.classes != "" {
		if err := f.readClasses(ctx, d); err != nil {
			return err
		}
	}
	if f.height > 0 && f.height*f.width != d.x.Cols {
		return fmt.Errorf("%s: -image %dx%d is of %s, not of %d", d.Source, f.height, f.width, count(f.height*f.width, "column"), d.x.Cols)
	}
	content := &report.Input{Table: d.Table, X: d.x, Scaling: d.scale, Weights: d.Weights, Rows: f.height, Cols: f.width,
		Command: commandLine(append([]string{"softkmeans", "report"}, args...)), Version: version()}
	_, err = await(ctx, func() (struct{}, error) {
		return struct{}{}, content.Fit(ctx, report.Options{K: f.k, Slack: f.slack, Seed: f.seed, Workers: f.workers, Step: show.step, Iteration: show.iteration})
	})
	switch {
	case err != nil && f.k == 0 && content.Proposal.K == 0 && content.Proposal.Reason != "":
		return fmt.Errorf("%s: %w; choose one with -k N", d.Source, err)
	case err != nil:
		return err
	}
	show.step("page")
	page, err := report.HTML(content)
	if err != nil {
		return err
	}
	if _, err := w.Write(page); err != nil {
		return err
	}
	show.clear()
	if out.taken {
		return out.finish(s, nil)
	}
	return out.finish(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s\n", f.out, content.Answer())
		return err
	})
}

// readClasses gives d's rows the classes of another file.
func (f *reportFlags) readClasses(ctx context.Context, d *data) error {
	in, source, err := openInput(ctx, f.classes, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	c, err := await(ctx, func() (*table.Classes, error) { return rows.ReadClasses(in, source, table.Dialect{}, "") })
	if err != nil {
		return err
	}
	if n := len(c.Class); n != d.Rows {
		return fmt.Errorf("%s: classes of %s, but %s has %s", source, count(n, "row"), d.Source, count(d.Rows, "row"))
	}
	sortClasses(c)
	d.Class, d.Classes = c.Class, c.Classes
	return nil
}

// commandLine is what would be typed into a shell. What is not printed as itself is
// written as in $'…', so that the page is text, and the file still named.
func commandLine(words []string) string {
	var b strings.Builder
	for i, s := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
			quoted := strings.ReplaceAll(strconv.Quote(s), "'", `\'`)
			s = "$'" + quoted[1:len(quoted)-1] + "'"
		case s == "" || strings.ContainsFunc(s, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,+@%", r) || r > 127)
		}):
			s = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
		b.WriteString(s)
	}
	return b.String()
}
