package main

// What every command that reads a table has in common: flags, the file, and the
// table in memory.

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"softkmeans"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// Parts of the help of commands that read a table.
const (
	fileHelp = `FILE is CSV, with a row on each line and nothing but numbers, except for a
header and the columns named by -label and -drop; or NumPy's .npy; or one of
these compressed by gzip. Which of them is told by its content. Without FILE,
or with -, standard input is read. A last line without an end is taken as it
is. What is wrong with FILE is told with its place, file:line:field.
`
	scaleHelp = `  -scale S      none: columns as they are (default)
                zscore: each column gets mean 0 and variance 1
                minmax: each column goes from 0 to 1
                Errors are those of the scaled columns, centers are printed
                and written in the table's units
`
	columnsHelp = `  -label COL    leave out one column, of classes; it is given by its name in
                the header or by its number from 1 (a whole number is always
                a number)
  -drop COLS    leave out more columns, with commas between them
  -weights COL  a column of weights, at least 0: a weight of 2 is the row
                given twice
`
	textHelp = `  -header H     auto: line 1 is a header if it has no number in it (default)
                yes, no: it is, it is not
  -delimiter D  the character between fields, or tab, or space; auto (default)
                takes tab, semicolon or comma by what line 1 has
  -decimal D    the decimal sign: point (default), or comma
`
	runHelp = `  -workers N    how many threads to use; 0 (default) is one for each core
  -quiet        do not show on a terminal how far long work is
`
	exitHelp = `Exit code: 0 done, 1 the data or a file is at fault, 2 the command line is.
`
)

// inputFlags are the flags of what is read.
type inputFlags struct {
	source  string // "" or "-": standard input
	dialect table.Dialect
	scale   scale.Kind
	scaling *scale.Scaling // of a model, in place of scale
	workers int
	quiet   bool
}

// use has columns taken and scaled as those of a model: by their names where both
// have some.
func (f *inputFlags) use(m *modelFile) error {
	number := func(name string) bool { _, err := strconv.ParseFloat(name, 64); return err == nil }
	if m.Named && f.dialect.Header == table.HeaderAuto && !slices.ContainsFunc(m.Columns, func(name string) bool { return !number(name) }) {
		return usageErrorf("the model's columns have numbers for names (%s): is line 1 a header? Give -header yes or no", abridged(m.Columns))
	}
	f.scaling = m.scaling()
	f.dialect.Pick = func(names []string) []string {
		if names == nil || !m.Named || slices.Equal(names, m.Columns) { // a name may be there twice
			return nil
		}
		return m.Columns
	}
	return nil
}

// add adds all of them.
func (f *inputFlags) add(fs *flag.FlagSet) {
	f.addText(fs)
	fs.StringVar(&f.dialect.Label, "label", "", "")
	fs.StringVar(&f.dialect.Weights, "weights", "", "")
	fs.Func("drop", "", func(s string) (err error) {
		f.dialect.Drop, err = parseColumns(s)
		return err
	})
	choiceFlag(fs, &f.scale, "scale", []choice[scale.Kind]{
		{"none", scale.None}, {"zscore", scale.ZScore}, {"minmax", scale.MinMax}})
	f.addRun(fs)
}

// addText adds those that say how a text is to be read.
func (f *inputFlags) addText(fs *flag.FlagSet) {
	fs.Func("delimiter", "", func(s string) (err error) {
		f.dialect.Delimiter, err = parseDelimiter(s)
		return err
	})
	choiceFlag(fs, &f.dialect.Decimal, "decimal", []choice[rune]{{"point", '.'}, {"comma", ','}, {".", '.'}, {",", ','}})
	choiceFlag(fs, &f.dialect.Header, "header", []choice[table.Header]{
		{"auto", table.HeaderAuto}, {"yes", table.HeaderYes}, {"no", table.HeaderNo}})
}

// addRun adds those that say how the work is to be done.
func (f *inputFlags) addRun(fs *flag.FlagSet) {
	fs.IntVar(&f.workers, "workers", 0, "")
	fs.BoolVar(&f.quiet, "quiet", false, "")
}

// check takes what is left of the command line, FILE, and finds what is wrong
// with the flags by themselves.
func (f *inputFlags) check(rest []string) error {
	if len(rest) > 0 {
		f.source = rest[0]
	}
	columns := [][2]string{{"label", f.dialect.Label}, {"weights", f.dialect.Weights}}
	for _, c := range f.dialect.Drop {
		columns = append(columns, [2]string{"drop", c})
	}
	for _, c := range columns {
		if err := f.checkColumn(c[0], c[1]); err != nil {
			return err
		}
	}
	if f.workers < 0 {
		return usageErrorf("-workers %d: must be at least 0", f.workers)
	}
	// Each of those that read has some buffers, whether there is work for it or not.
	if f.dialect.Workers = min(f.workers, 256); f.dialect.Workers == 0 {
		f.dialect.Workers = runtime.GOMAXPROCS(0)
	}
	return nil
}

// checkColumn checks a column that a flag names.
func (f *inputFlags) checkColumn(name, column string) error {
	number, notNumber := strconv.Atoi(column)
	switch {
	case notNumber == nil && number < 1:
		return usageErrorf("-%s %s: columns are counted from 1", name, column)
	case notNumber != nil && column != "" && f.dialect.Header == table.HeaderNo:
		return usageErrorf("-%s %q is a name, but with -header no columns have none", name, column)
	}
	return nil
}

// parseColumns splits a list of columns, as a line of CSV is split: a name with a
// comma in it stands in quotes.
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

// named reports whether the input is a file with a name.
func (f *inputFlags) named() bool { return f.source != "" && f.source != "-" }

// data is a table that is ready to be fitted.
type data struct {
	*table.Table
	x     *softkmeans.Matrix // scaled
	scale *scale.Scaling     // nil: not
}

// read reads the whole table.
func (f *inputFlags) read(ctx context.Context, in io.Reader, source string) (*data, error) {
	d := f.dialect
	if _, ok := rows.Replayable(in); !ok {
		d.Workers = 1 // who reads ahead of an error would wait for what a pipe has next
	}
	return await(ctx, func() (*data, error) {
		t, err := rows.ReadAll(in, source, d)
		if err != nil {
			return nil, err
		}
		d := &data{Table: t, x: softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data), scale: f.scaling}
		if d.scale == nil {
			d.scale = scale.Of(f.scale, t.Data, len(t.Names), t.Weights)
		}
		d.scale.Apply(t.Data)
		return d, nil
	})
}

// openInput opens the named file, or takes stdin, and returns a name for
// messages. A terminal is read only if it is asked for with "-": who forgot
// the file name should not be left waiting.
func openInput(ctx context.Context, name string, stdin io.Reader) (in io.ReadCloser, source string, err error) {
	switch name {
	case "":
		if f, ok := stdin.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				return nil, "", usageErrorf("no file given, and nothing is piped in")
			}
		}
		fallthrough
	case "-":
		if f, ok := stdin.(*os.File); ok {
			return f, "<stdin>", nil
		}
		return io.NopCloser(stdin), "<stdin>", nil
	}
	f, err := openFile(ctx, name)
	if err != nil {
		return nil, "", err
	}
	return f, name, nil
}

// openFile is os.Open, which waits for somebody to write to a named pipe, until ctx
// ends.
func openFile(ctx context.Context, name string) (*os.File, error) {
	return await(ctx, func() (*os.File, error) { return os.Open(name) })
}

// sameFile reports whether an open file or pipe, but not a device, has that name.
func sameFile(open any, name string) bool {
	f, ok := open.(*os.File)
	if !ok {
		return false
	}
	a, errA := f.Stat()
	b, errB := os.Stat(name)
	return errA == nil && errB == nil && a.Mode()&os.ModeDevice == 0 && os.SameFile(a, b)
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
