package main

// This file holds what all commands that read a table share: their flags, opening
// the input, and the table in memory.

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"softkmeans"
	"softkmeans/internal/absent"
	"softkmeans/internal/answer"
	"softkmeans/internal/kinds"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
	"softkmeans/internal/sources"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/unmix"
)

type inputFlags struct {
	source   string // "" or "-": standard input
	dialect  table.Dialect
	scale    scale.Kind
	scaling  *scale.Scaling // of a model; replaces scale
	noCounts bool           // auto takes no counts, as similarities have no weights
	perRow   unmix.Scaling  // with ScaleUnit rows are divided by their sums
	settled  bool           // the scale is that of a model, or of predict -centers
	parts    bool           // the rows of the model are parts of a whole, so that those of zeros have no shares
	reading  *sources.Rows  // of a library of known prototypes that a fit keeps; nil: none
	missing  absent.Rule
	workers  int
	quiet    bool

	mostStreamed int // the most columns that -stream yes would take with the other flags
}

// use takes the columns and the scaling of a model. Columns are found by name if both the
// model and the table have names, otherwise by place.
func (f *inputFlags) use(m *modelFile) error {
	notNumber := func(name string) bool { _, err := strconv.ParseFloat(name, 64); return err != nil }
	if m.Named && f.dialect.Header == table.Auto && len(m.Columns) < 3 &&
		!slices.ContainsFunc(m.Columns, notNumber) {
		return usageErrorf("the names of the model's columns are numbers (%s), so line 1 may be a header "+
			"or a row; give -header yes or no",
			view.Abridged(m.Columns))
	}
	f.scaling, f.scale, f.settled, f.parts = m.scaling(), scale.None, true, m.parts()
	f.dialect.Least = m.leastColumns()
	plain, twice := true, len(table.Set(m.Columns)) < len(m.Columns)
	for j, name := range m.Columns {
		plain = plain && name == table.Column(j)
		if m.Named && !strings.Contains(name, "=") { // as of a column of 0 and 1
			f.dialect.Known = append(f.dialect.Known, name)
		}
	}
	if plain && f.dialect.ID == "" { // the fit left no column out
		f.dialect.ID = table.NoID
	}
	f.dialect.Pick = func(names []string) []string {
		switch {
		case m.Named && names != nil && !(twice && slices.Equal(names, m.Columns)),
			!m.Named && names == nil && !plain:
			return m.Columns
		}
		return nil
	}
	return nil
}

// add adds all flags about the input.
func (f *inputFlags) add(fs *flag.FlagSet) {
	f.addText(fs)
	f.addTurn(fs)
	fs.StringVar(&f.dialect.Label, "label", "", "")
	fs.StringVar(&f.dialect.Weights, "weights", "", "")
	f.addRoles(fs)
	f.addMend(fs)
	choiceFlag(fs, &f.missing, "missing", []choice[absent.Rule]{{"error", absent.Error}, {"drop", absent.Drop},
		{"mean", absent.Mean}, {"fit", absent.Fit}})
	choiceFlag(fs, &f.scale, "scale", []choice[scale.Kind]{
		{"auto", scale.Auto}, {"none", scale.None}, {"zscore", scale.ZScore}, {"minmax", scale.MinMax},
		{"standard", scale.ZScore}, {"counts", scale.Counts}, {"words", scale.Words}})
	rowsFlag(fs, &f.perRow)
	f.addRun(fs)
}

func (f *inputFlags) addRoles(fs *flag.FlagSet) {
	fs.StringVar(&f.dialect.ID, "id", "", "")
	columnsFlag(fs, &f.dialect.Drop, "drop")
	columnsFlag(fs, &f.dialect.Keep, "keep")
	columnsFlag(fs, &f.dialect.Names, "names")
	choiceFlag(fs, &f.dialect.Text, "encode", []choice[table.Text]{
		{"none", table.TextError}, {"onehot", table.TextOneHot}, {"drop", table.TextDrop}})
}

func columnsFlag(fs *flag.FlagSet, list *[]string, name string) {
	fs.Func(name, "", func(s string) error {
		more, err := parseColumns(s)
		*list = append(*list, more...)
		return err
	})
}

func (f *inputFlags) addText(fs *flag.FlagSet) {
	fs.Func("delimiter", "", func(s string) (err error) {
		f.dialect.Delimiter, err = parseDelimiter(s)
		return err
	})
	choiceFlag(fs, &f.dialect.Decimal, "decimal", []choice[rune]{
		{"auto", 0}, {"point", '.'}, {"comma", ','}, {".", '.'}, {",", ','}})
	choiceFlag(fs, &f.dialect.Guess, "guess", []choice[bool]{{"yes", true}, {"no", false}})
	choiceFlag(fs, &f.dialect.Header, "header", answers)
}

func (f *inputFlags) addMend(fs *flag.FlagSet) {
	fs.Func("skip", "", f.dialect.Skip.Add)
	fs.Func("na", "", func(s string) error {
		more, err := parseColumns(s)
		if err != nil {
			return errors.New("must be words, with commas between them")
		}
		f.dialect.NA = append(f.dialect.NA, more...)
		return nil
	})
	choiceFlag(fs, &f.dialect.Below, "below", []choice[table.Below]{
		{"error", table.BelowError}, {"half", table.BelowHalf}, {"missing", table.BelowMissing}})
}

// answers are those to questions about a text.
var answers = []choice[table.Choice]{{"auto", table.Auto}, {"yes", table.Yes}, {"no", table.No}}

func (f *inputFlags) addTurn(fs *flag.FlagSet) {
	choiceFlag(fs, &f.dialect.Transpose, "transpose", answers)
	choiceFlag(fs, &f.dialect.Long, "long", answers)
}

func (f *inputFlags) addRun(fs *flag.FlagSet) {
	wholeFlag(fs, &f.workers, "workers", 0)
	fs.BoolVar(&f.quiet, "quiet", false, "")
}

// parse parses and checks a command line with at most one file, the input.
func (f *inputFlags) parse(fs *flag.FlagSet, args []string) error {
	rest, err := parseFlags(fs, args, 1)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		f.source = rest[0]
	}
	f.dialect.Missing = f.missing != absent.Error
	f.dialect.Words = wordsOf(fs)
	f.dialect.Words.Rules = "mean drop"
	switch unit := f.perRow == unmix.ScaleUnit; {
	case unit && f.scale == scale.Auto:
		f.scale = scale.None
	case unit && f.scale != scale.None:
		return usageErrorf("-rows unit goes with -scale none alone; leave one out")
	}
	if f.missing == absent.Fit && fs.Name() != "fit" && fs.Name() != "report" {
		return usageErrorf("-missing fit is for softkmeans fit and report; %s takes drop and mean", fs.Name())
	}
	// Every goroutine that reads allocates buffers, even without work.
	if f.dialect.Workers = min(f.workers, 256); f.dialect.Workers == 0 {
		f.dialect.Workers = runtime.GOMAXPROCS(0)
	}
	return nil
}

// wordsOf is the words of messages, which advise the flags of fs alone.
func wordsOf(fs *flag.FlagSet) table.Words {
	return table.Flags(func(name string) bool { return fs.Lookup(name) != nil })
}

// parseColumns splits a list of columns as a line of CSV. A name that contains a comma stands in quotes.
func parseColumns(s string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(s))
	r.TrimLeadingSpace = true
	columns, err := r.Read()
	if _, more := r.Read(); err != nil || more != io.EOF || slices.Contains(columns, "") {
		return nil, errors.New("must be names or numbers of columns, with commas between them")
	}
	return columns, nil
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

// named reports whether the input is a file, not standard input.
func (f *inputFlags) named() bool { return f.source != "" && f.source != "-" }

// session is one run of a command on an input.
type session struct {
	*outputs
	in     io.ReadCloser
	source string           // the input's name in messages
	places map[string]place // of the arguments of the package
}

func (f *inputFlags) open(ctx context.Context, std streams) (*session, error) {
	if info, err := os.Stat(f.source); f.named() && err == nil && info.IsDir() {
		for _, name := range []string{"matrix.mtx", "matrix.mtx.gz"} { // of single-cell work
			if _, err := os.Stat(filepath.Join(f.source, name)); err == nil {
				f.source = filepath.Join(f.source, name)
				break
			}
		}
	}
	return newSession(ctx, f.source, std)
}

func newSession(ctx context.Context, name string, std streams) (*session, error) {
	in, source, err := openInput(name, std.in)
	if err != nil {
		return nil, err
	}
	return &session{&outputs{ctx: ctx, data: in, std: std}, in, source, map[string]place{}}, nil
}

// inputCommand is the parsed command line of a command with one input.
type inputCommand interface {
	open(ctx context.Context, std streams) (*session, error)
	run(s *session) error
}

// onInput returns a command's run function.
func onInput[F any, P interface {
	*F
	inputCommand
}](parse func(args []string) (F, error)) func(ctx context.Context, args []string, std streams) error {
	return func(ctx context.Context, args []string, std streams) error {
		f, err := parse(args)
		if err != nil {
			return err
		}
		s, err := P(&f).open(ctx, std)
		if err != nil {
			return err
		}
		defer s.close()
		return s.located(P(&f).run(s))
	}
}

// close closes the input and removes files that are not committed.
func (s *session) close() {
	s.discard()
	s.in.Close()
}

// data is a table that is ready to be fitted.
type data struct {
	*table.Table
	x        *softkmeans.Matrix // scaled
	sparse   *rows.Sparse       // in place of x; nil: the rows are not sparse
	scale    *scale.Scaling     // nil: none
	texts    answer.Texts       // of all rows, also of those that are left out
	missing  int                // values, that is NaN, in x
	meant    bool               // missing values of x were replaced by means of columns
	kind     kinds.Found        // with -scale auto
	mixtures bool               // rows are mixtures: their labels are the largest memberships
	above    bool               // entries are at least 0 in the table, except for noise
	sizes    []float64          // the sums of rows of counts; nil: they are none
	taken    int                // the place from 1 of the note on scale and bounds; 0: none
}

func (f *inputFlags) read(s *session) (*data, error) {
	return f.readAs(s, always(false))
}

// readAs reads the table as read does, but returns a sparse file as it is where stays returns true.
func (f *inputFlags) readAs(s *session, stays func(*rows.Sparse) bool) (*data, error) {
	d := f.dialect
	if _, ok := rows.Replayable(s.in); !ok {
		d.Workers = 1 // reading ahead would delay an error until the pipe has more
	}
	t, sparse, err := rows.Read(s.in, s.source, d)
	if sparse != nil && !stays(sparse) {
		t, err = f.fill(sparse)
	}
	if err != nil {
		return nil, err
	}
	if t == nil {
		s.places["x"] = place{s.source, sparse.Names}
		if err := f.checkSparse(sparse); err != nil {
			return nil, err
		}
		above := scale.AboveZero(sparse.X.Data, 1)
		words, err := f.sparseWords(sparse)
		if err != nil {
			return nil, err
		}
		t = &table.Table{Head: sparse.Head, Rows: sparse.X.Rows, IDs: sparse.IDs, Weights: sparse.Weights}
		return &data{Table: t, sparse: sparse, scale: words, texts: answer.Texts{IDs: t.IDs}, above: above}, nil
	}
	if f.reading != nil {
		f.reading.Settle(t)
	}
	s.places["x"] = place{s.source, t.Names}
	all := &data{Table: t, x: softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data),
		texts: answer.Texts{IDs: t.IDs, Kept: t.Kept}}
	return all, all.prepare(f)
}

func (d *data) samples() softkmeans.Samples {
	if d.sparse != nil {
		return d.sparse.X
	}
	return d.x
}

// filled returns the rows, sparse ones with all their zeros; nil if these are more than filledForK.
func (d *data) filled() (*softkmeans.Matrix, error) {
	if d.sparse != nil {
		return filledSparse(d.sparse)
	}
	return d.x, nil
}

func (d *data) prepare(f *inputFlags) (err error) {
	if d.scale = f.scaling; d.scale != nil || f.scale != scale.None || d.Missing != nil {
		if err := checkEntries(d.x, 0); err != nil {
			return err
		}
	}
	if err := d.settle(f.missing); err != nil {
		return err
	}
	d.above = scale.AboveZero(d.Data, len(d.Names))
	kind := scale.KindOf(d.scale)
	if d.scale == nil {
		kind = d.look(f)
	}
	if kind == scale.Sums || f.perRow == unmix.ScaleUnit {
		return d.divide()
	}
	if kind == scale.Counts || d.kind.Sum > 0 || f.parts {
		if err := d.leaveZeros(zeroRows(d.x), "of zeros"); err != nil {
			return err
		}
	}
	if d.scale == nil {
		d.setScale(f, kind)
	}
	d.sizes, err = kinds.ScaleRows(d.Table, d.scale, d.kind.Divided || f.scaling != nil)
	return err
}

// setScale sets the scaling of the columns, and notes why or, without one, which column decides.
func (d *data) setScale(f *inputFlags, kind scale.Kind) {
	if d.scale = scale.Of(kind, d.Data, len(d.Names), d.Weights); kind == scale.Counts || kind == scale.Words {
		return
	}
	var columns *scale.Columns
	if d.scale == nil && !f.settled && d.kind.Sum == 0 && d.kind.Total == 0 { // a note tells
		columns = scale.ColumnsOf(d.Data, len(d.Names), d.Weights, nil)
	}
	if note := scaleNote(&d.Head, d.scale, f.scale, columns); note != "" {
		d.take(note)
	}
}

// openInput opens the named file or takes stdin. It also returns the name for messages. A terminal is read
// only for "-", so that a forgotten file name is an error.
func openInput(name string, stdin io.Reader) (in io.ReadCloser, source string, err error) {
	switch name {
	case "":
		if f, ok := stdin.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				return nil, "", usageErrorf("no file given, and standard input is a terminal; give a file, " +
					"or - to type the table")
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

// sameFile reports whether the open file or pipe has that name. Devices do not count.
func sameFile(open any, name string) bool {
	f, ok := open.(*os.File)
	if !ok {
		return false
	}
	a, errA := f.Stat()
	b, errB := os.Stat(name)
	return errA == nil && errB == nil && a.Mode()&os.ModeDevice == 0 && os.SameFile(a, b)
}
