package main

// This file holds the command report: the answer of a fit as an HTML page, with the other methods.

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"softkmeans/internal/absent"
	"softkmeans/internal/answer"
	"softkmeans/internal/report"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

type reportFlags struct {
	fitFlags // of the fit that the page is about
	args     []string
	out      string
	classes  string
	image    report.Image
}

func newReportFlagSet(f *reportFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("report", flag.ContinueOnError)
	f.inputFlags.add(fs)
	f.addSimilar(fs)
	clustersFlag(fs, &f.k)
	fs.StringVar(&f.out, "o", "", "")
	fs.StringVar(&f.classes, "classes", "", "")
	fs.StringVar(&f.memberships, "memberships", "", "")
	aboveZeroFlag(fs, &f.slack, "slack")
	boundsFlag(fs, &f.bounds)
	labelByFlag(fs, &f.labels)
	seedFlag(fs, &f.seed)
	imageFlag(fs, "image", &f.image)
	streamFlag(fs, &f.stream)
	return fs
}

func parseReport(args []string) (f reportFlags, err error) {
	f.args = args
	fs := newReportFlagSet(&f)
	if err := f.parse(fs, args); err != nil {
		return f, err
	}
	f.others, f.options.Workers = true, f.workers
	given := given(fs)
	if err := cmp.Or(f.checkSimilar(given, "image", "slack", "bounds", "labelby", "stream"), f.checkSure(given)); err != nil {
		return f, err
	}
	switch {
	case f.out == "":
		return f, usageErrorf("-o is missing; give a file for the page, or - for standard output")
	case f.classes != "" && f.dialect.Label != "":
		return f, usageErrorf("-label and -classes both have classes; give one")
	case f.classes == "-":
		return f, usageErrorf("-classes -: must be a file")
	case f.k > report.MostPrototypes:
		return f, usageErrorf("-k %d: a page shows at most %d prototypes", f.k, report.MostPrototypes)
	}
	if f.scale == scale.Auto && f.image.Rows > 0 {
		f.scale = scale.None // pixels have one unit
	}
	if f.named() && f.inBlocks() && !f.method.ofSimilarities() {
		f.mostStreamed = statsColumns
	}
	if !f.method.ofSimilarities() && f.stream != streamYes {
		f.dialect.Words.Rules = "fit drop mean"
	}
	return f, f.checkStream(f.stream)
}

// imageFlag adds a flag that takes the pixels of an image and how to draw it, such as 8x8,transpose,invert.
func imageFlag(fs *flag.FlagSet, name string, at *report.Image) {
	fs.Func(name, "", func(s string) (err error) {
		words := strings.Split(s, ",")
		*at = report.Image{}
		for _, word := range words[1:] {
			switch word {
			case "transpose":
				at.Transpose = true
			case "invert":
				at.Invert = true
			default:
				return fmt.Errorf("%q after the size; only transpose and invert can follow", word)
			}
		}
		at.Rows, at.Cols, err = parseSize(words[0])
		return err
	})
}

func (f *reportFlags) run(s *session) error {
	files, err := s.addAll([2]string{"o", f.out}, [2]string{"memberships", f.memberships})
	if err != nil {
		return err
	}
	memberships := answer.NewMembershipWriter(files[1])
	show := s.progress(f.quiet)
	defer show.clear()
	make := f.tablePage
	if f.method.ofSimilarities() {
		make = f.similarPage
	}
	page, a, err := make(s, show, memberships)
	if err != nil {
		return err
	}
	if err := memberships.Conclude(&a.Notes); err != nil {
		return err
	}
	show.step("page")
	html, err := page.HTML()
	if err != nil {
		return err
	}
	show.clear()
	if _, err := files[0].Write(html); err != nil {
		return err
	}
	if s.taken {
		return s.finish(nil)
	}
	return s.finish(func(w io.Writer) error {
		short := &answer.Answer{Sentence: f.out + ": " + a.Sentence, Warnings: a.Warnings}
		short.Notes = a.Notes
		_, err := w.Write(short.Text(false))
		return err
	})
}

// page is a page about an answer.
type page interface{ HTML() ([]byte, error) }

// tablePage is the page about rows.
func (f *reportFlags) tablePage(s *session, show *progress, w *answer.MembershipWriter) (page, *answer.Answer, error) {
	b, err := f.blocks(s)
	if err != nil {
		return nil, nil, err
	}
	var content *report.Input
	if b != nil {
		defer b.progress.clear()
		content, err = f.fitStream(b, w)
	} else {
		content, err = f.fitTable(s, show, w)
	}
	if err != nil {
		return nil, nil, err
	}
	return content, content.Answer, nil
}

func (f *reportFlags) command() string {
	return commandLine(append([]string{"softkmeans", "report"}, f.args...))
}

// pageOf is a page about an answer.
func (f *reportFlags) pageOf(a *answer.Answer) report.Page {
	a.Room = report.Room
	return report.Page{Answer: a, Command: f.command(), Version: version()}
}

// fitTable fits a table in memory. It writes the memberships to w unless w is nil.
func (f *reportFlags) fitTable(s *session, show *progress, w *answer.MembershipWriter) (*report.Input, error) {
	show.step("reading")
	d, err := f.readReported(s)
	if err != nil {
		return nil, err
	}
	r, err := f.fitData(s, d, show, w)
	if err == nil {
		err = f.checkShown(r)
	}
	if err != nil {
		return nil, err
	}
	content := &report.Input{Page: f.pageOf(r.answer()), Table: d.Table, X: d.x, Scaling: d.scale, Image: f.image,
		MinVolume: report.Fit{Model: r.model, Certificate: r.cert}}
	o := report.Options{Alone: r.missing > 0, Weights: d.Weights, Seed: f.seed, Workers: f.workers, Step: show.step, Iteration: show.iteration}
	o.Lower, o.Upper = r.bounds.scaled(d.scale)
	return content, content.Others(s.ctx, o)
}

// checkShown returns an error if a page cannot show as many prototypes.
func (f *reportFlags) checkShown(r *result) error {
	if r.k > report.MostPrototypes {
		return fmt.Errorf("%s: %d prototypes are proposed: a page shows at most %d; give -k N",
			r.Source, r.k, report.MostPrototypes)
	}
	return nil
}

// readReported reads the table and the classes, and checks them against the flags.
func (f *reportFlags) readReported(s *session) (*data, error) {
	d, err := f.read(s)
	if err != nil {
		return nil, err
	}
	if err := checkCenters(d.Source, d.Rows, f.k); err != nil {
		return nil, err
	}
	if f.classes != "" {
		c, err := f.readClasses(d.Source, d.Rows, d.texts.Left)
		if err != nil {
			return nil, err
		}
		d.Class, d.Classes = c.Class, c.Classes
	}
	return d, f.checkImage(d.Source, d.x.Cols)
}

func (f *reportFlags) checkImage(source string, cols int) error {
	if at := f.image; at.Rows > 0 && at.Rows*at.Cols != cols {
		return fmt.Errorf("%s: -image %dx%d needs %s, not %d", source, at.Rows, at.Cols,
			count(at.Rows*at.Cols, "column"), cols)
	}
	return nil
}

// readClasses reads the file of -classes. left are rows that are not fitted; nil: none.
func (f *reportFlags) readClasses(of string, n int,
	left []bool) (*table.Classes, error) {
	c, err := readClasses(f.classes, nil, table.Dialect{Words: table.Words{Rules: "none"}}, "")
	if err != nil {
		return nil, err
	}
	if left != nil && len(c.Class) == len(left) {
		c.Class = absent.Without(c.Class, left, 1)
	}
	if len(c.Class) != n {
		return nil, fmt.Errorf("%s: classes of %s, but %s has %s; both must contain the same rows",
			c.Source, count(len(c.Class), "row"), of, count(n, "row"))
	}
	return c, nil
}

// commandLine quotes words for a shell. Words with characters that do not print are
// written as $'…', so that the result is plain text.
func commandLine(words []string) string {
	var b strings.Builder
	for i, s := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case !utf8.ValidString(s) || strings.ContainsFunc(s,
			func(r rune) bool { return !unicode.IsPrint(r) }):
			quoted := strings.ReplaceAll(strconv.Quote(s), "'", `\'`)
			s = "$'" + quoted[1:len(quoted)-1] + "'"
		case s == "" || strings.ContainsFunc(s, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
				strings.ContainsRune("_-./:=,+@%", r) || r > 127)
		}):
			s = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
		b.WriteString(s)
	}
	return b.String()
}
