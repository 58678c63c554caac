package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"unicode/utf8"

	"softkmeans"
	"softkmeans/internal/rows"
	"softkmeans/internal/table"
)

const fitHelp = `Usage: softkmeans fit -k N [flags] [FILE]

Fit soft k-means to the rows of a table: N centers, and for every row its
memberships, which are the shares (at least 0, together 1) of the mixture of
centers that stands for the row. With -method global the result is a global
minimum of the squared error, and the report proves it. With -method minvol the
centers are near the rows, for a little more error than the proven minimum.
Columns with different units should have one scale before.

FILE is CSV, with a row on each line and nothing but numbers, except for a
header and the -label column; or NumPy's .npy, told by its content. Without
FILE, or with -, standard input is read. A last line without an end is taken
as it is. What is wrong with FILE is told with its place, file:line:field.

  -k N          the number of centers; required
  -o FILE       write the memberships as CSV: label,m0,m1,… The label is the
                number of the largest membership, from 0. With - they go
                to standard output and the report to standard error.
  -method M     global: the least squared error, by centers around the data
                (default)
                minvol: compact centers for an error of (1 + slack) times
                the least; clusters and mixtures to look at
                alternating: an iteration from k-means centers
  -slack S      of minvol; 0.25 is the default. At most half of what can be
                explained is given up. With more centers than columns the
                least error is 0, and a tenth of the variance stands for it
  -seed N       of the starts of minvol and alternating; 0 is the default
  -enclosure E  of global:
                ball: the centers enclose a ball around the data (default)
                tight: they enclose the data more closely, for the same error
  -label COL    leave out one column, given by its name in the header or by its
                number from 1 (a whole number is always a number)
  -header H     auto: line 1 is a header if it has no number in it (default)
                yes, no: it is, it is not
  -delimiter D  the character between fields, or tab, or space; auto (default)
                takes tab, semicolon or comma by what line 1 has
  -workers N    how many threads to use; 0 (default) is one for each core
  -solver S     of global: auto (default), gram, jacobi or krylov
  -stream Y     of global and minvol:
                yes: FILE is read block by block, three times or more, for
                tables larger than the memory. minvol fits some 16000 rows
                then, and corrects and measures the result on all
                no: it is kept in memory
                auto: yes for files above 64 MB, no for pipes and standard
                input (default)
  -quiet        do not show on a terminal how far a -stream is

Examples: softkmeans fit -k 3 -o memberships.csv testdata/iris.csv
          softkmeans fit -k 3 -method minvol testdata/iris.csv

Exit code: 0 done, 1 the data or a file is at fault, 2 the command line is.
`

// fitFlags is the command line of fit.
type fitFlags struct {
	k       int
	source  string // "" or "-": standard input
	out     string // "": no memberships; "-": standard output
	dialect table.Dialect
	options softkmeans.Options
	method  method
	slack   float64 // 0: the package's default
	seed    uint64
	seeded  bool // -seed was given
	stream  choose
	quiet   bool
}

// choose is what is done always, never, or where it makes sense.
type choose int

const (
	chooseAuto choose = iota
	chooseYes
	chooseNo
)

// method is the way in which fit finds its centers.
type method int

const (
	methodGlobal method = iota
	methodMinVolume
	methodAlternating
)

// newFitFlagSet returns the flags, bound to f. Their help is fitHelp.
func newFitFlagSet(f *fitFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("fit", flag.ContinueOnError)
	fs.StringVar(&f.out, "o", "", "")
	fs.StringVar(&f.dialect.Label, "label", "", "")
	fs.IntVar(&f.options.Workers, "workers", 0, "")
	fs.BoolVar(&f.quiet, "quiet", false, "")
	fs.Func("k", "", func(s string) (err error) {
		if f.k, err = strconv.Atoi(s); err != nil || f.k < 1 {
			return errors.New("must be a whole number, at least 1")
		}
		return nil
	})
	fs.Func("seed", "", func(s string) (err error) {
		f.seeded = true
		if f.seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			return errors.New("must be a whole number, at least 0")
		}
		return nil
	})
	fs.Func("slack", "", func(s string) (err error) {
		if f.slack, err = strconv.ParseFloat(s, 64); err != nil || !(f.slack > 0 && f.slack <= math.MaxFloat64) {
			return errors.New("must be a number above 0")
		}
		return nil
	})
	choiceFlag(fs, &f.method, "method", []choice[method]{
		{"global", methodGlobal}, {"minvol", methodMinVolume}, {"alternating", methodAlternating}})
	fs.Func("delimiter", "", func(s string) (err error) {
		f.dialect.Delimiter, err = parseDelimiter(s)
		return err
	})
	choiceFlag(fs, &f.dialect.Header, "header", []choice[table.Header]{
		{"auto", table.HeaderAuto}, {"yes", table.HeaderYes}, {"no", table.HeaderNo}})
	choiceFlag(fs, &f.stream, "stream", []choice[choose]{
		{"auto", chooseAuto}, {"yes", chooseYes}, {"no", chooseNo}})
	choiceFlag(fs, &f.options.Enclosure, "enclosure", []choice[softkmeans.Enclosure]{
		{"ball", softkmeans.EnclosureBall}, {"tight", softkmeans.EnclosureTight}})
	choiceFlag(fs, &f.options.Solver, "solver", []choice[softkmeans.Solver]{
		{"auto", softkmeans.SolverAuto}, {"gram", softkmeans.SolverGram},
		{"jacobi", softkmeans.SolverJacobi}, {"krylov", softkmeans.SolverKrylov}})
	return fs
}

func parseFit(args []string) (f fitFlags, err error) {
	rest, err := parseFlags(newFitFlagSet(&f), args, 1)
	if err != nil {
		return f, err
	}
	if len(rest) == 1 {
		f.source = rest[0]
	}
	label := f.dialect.Label
	number, notNumber := strconv.Atoi(label)
	switch {
	case f.k == 0:
		return f, usageErrorf("-k is missing: how many centers?")
	case f.slack > 0 && f.method != methodMinVolume:
		return f, usageErrorf("-slack is for -method minvol")
	case f.seeded && f.method == methodGlobal:
		return f, usageErrorf("-seed is for -method minvol and alternating")
	case f.method != methodGlobal && (f.options.Enclosure != softkmeans.EnclosureBall || f.options.Solver != softkmeans.SolverAuto):
		return f, usageErrorf("-enclosure and -solver are for -method global")
	case f.method == methodAlternating && f.stream == chooseYes:
		return f, usageErrorf("-stream yes is for -method global and minvol")
	case (f.source == "" || f.source == "-") && f.stream == chooseYes:
		return f, usageErrorf("-stream yes: standard input can be read only once; give a file")
	case f.options.Workers < 0:
		return f, usageErrorf("-workers %d: must be at least 0", f.options.Workers)
	case notNumber == nil && number < 1:
		return f, usageErrorf("-label %s: columns are counted from 1", label)
	case notNumber != nil && label != "" && f.dialect.Header == table.HeaderNo:
		return f, usageErrorf("-label %q is a name, but with -header no columns have none", label)
	}
	if f.dialect.Workers = f.options.Workers; f.dialect.Workers == 0 {
		f.dialect.Workers = runtime.GOMAXPROCS(0)
	}
	return f, nil
}

func parseDelimiter(s string) (rune, error) {
	switch s {
	case "auto":
		return 0, nil
	case "tab", `\t`:
		return '\t', nil
	case "space":
		return ' ', nil
	}
	r, size := utf8.DecodeRuneInString(s)
	if s == "" || size < len(s) || r == utf8.RuneError || r == '"' || r == '\r' || r == '\n' {
		return 0, errors.New("must be auto, tab, space or one character that is not a quote")
	}
	return r, nil
}

func runFit(ctx context.Context, args []string, s streams) error {
	f, err := parseFit(args)
	if err != nil {
		return err
	}
	in, source, err := openInput(f.source, s.in)
	if err != nil {
		return err
	}
	defer in.Close()

	report, memberships := s.out, s.out
	var file *outputFile
	switch f.out {
	case "":
	case "-":
		report = s.err
	default:
		if sameFile(in, f.out) {
			return usageErrorf("-o %s would replace the data", f.out)
		}
		if file, err = createOutput(f.out); err != nil {
			return err
		}
		defer file.discard()
		memberships = file
	}

	fit := f.fitTable
	if f.streams(in) {
		fit = f.fitStream
	}
	var w *membershipWriter
	if f.out != "" {
		w = newMembershipWriter(memberships, f.k)
	}
	result, err := fit(ctx, in, source, w, s.err)
	if err != nil {
		return err
	}
	if w != nil {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if file != nil {
		if err := file.Close(); err != nil {
			return err
		}
	}
	if _, err := report.Write(fitReport(result, f.method)); err != nil {
		return err
	}
	if file != nil {
		return file.commit() // last, so that a failure above leaves an old file as it was
	}
	return nil
}

// result is what the report tells of.
type result struct {
	table.Head
	rows     int
	sizes    []int // of the labels
	model    *softkmeans.Model
	cert     softkmeans.Certificate
	streamed bool // the certificate is of the passes, and has no SpanError
	// summarised: the centers were found on some of the rows.
	summarised bool
}

// fitTable fits a table that is in memory.
func (f *fitFlags) fitTable(ctx context.Context, in io.Reader, source string, w *membershipWriter, _ io.Writer) (*result, error) {
	d := f.dialect
	if _, ok := rows.Replayable(in); !ok {
		d.Workers = 1 // who reads ahead of an error would wait for what a pipe has next
	}
	t, err := await(ctx, func() (*table.Table, error) { return rows.ReadAll(in, source, d) })
	if err != nil {
		return nil, err
	}
	x := softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data)
	m, err := await(ctx, func() (*softkmeans.Model, error) { return f.fit(ctx, x) })
	if err != nil {
		return nil, err
	}
	cert, err := await(ctx, func() (softkmeans.Certificate, error) {
		return softkmeans.Certify(x, m.Centers, m.Memberships)
	})
	if err != nil {
		return nil, err
	}
	labels := m.Labels(nil)
	r := &result{Head: t.Head, rows: t.Rows, sizes: make([]int, f.k), model: m, cert: cert}
	for _, label := range labels {
		r.sizes[label]++
	}
	if w != nil {
		if err := w.add(ctx, labels, m.Memberships); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fit runs the method that was asked for.
func (f *fitFlags) fit(ctx context.Context, x *softkmeans.Matrix) (*softkmeans.Model, error) {
	switch f.method {
	case methodMinVolume:
		return softkmeans.FitMinVolume(ctx, x, f.k, &softkmeans.MinVolumeOptions{Slack: f.slack, Seed: f.seed, Workers: f.options.Workers})
	case methodAlternating:
		return softkmeans.FitAlternating(ctx, x, f.k, &softkmeans.AlternatingOptions{Seed: f.seed, Workers: f.options.Workers})
	}
	return softkmeans.Fit(ctx, x, f.k, &f.options)
}

// openInput opens the named file, or takes stdin, and returns a name for
// messages. A terminal is read only if it is asked for with "-": who forgot
// the file name should not be left waiting.
func openInput(name string, stdin io.Reader) (in io.ReadCloser, source string, err error) {
	switch name {
	case "":
		if f, ok := stdin.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				return nil, "", usageErrorf("no file given, and nothing is piped in\n\n%s", fitHelp)
			}
		}
		fallthrough
	case "-":
		if f, ok := stdin.(*os.File); ok {
			return f, "<stdin>", nil
		}
		return io.NopCloser(stdin), "<stdin>", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	return f, name, nil
}

// sameFile reports whether in is the file of that name.
func sameFile(in io.Reader, name string) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	a, errA := f.Stat()
	b, errB := os.Stat(name)
	return errA == nil && errB == nil && a.Mode().IsRegular() && os.SameFile(a, b)
}

// await returns f's result, or ctx's error as soon as ctx ends: f, which may be
// in the middle of a read or of a long step that does not look at ctx, is then
// left to itself. The process ends soon after.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	c := make(chan result, 1)
	go func() {
		v, err := f()
		c <- result{v, err}
	}()
	select {
	case r := <-c:
		return r.value, r.err
	case <-ctx.Done():
		var zero T
		return zero, fmt.Errorf("stopped: %w", ctx.Err())
	}
}
