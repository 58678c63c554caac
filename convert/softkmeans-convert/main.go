// Command softkmeans-convert writes tables of other formats as softkmeans reads them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"softkmeans/internal/envi"
)

const usage = `Usage: softkmeans-convert [flags] FILE | softkmeans fit -k 3 -

Write the table in FILE to standard output, as softkmeans reads it from a pipe.
The content tells the format:

  Parquet, Arrow      CSV with a header, block by block
  Excel (.xlsx)       CSV; dates are Excel's day numbers
  NumPy (.npz)        the array as .npy; a sparse matrix of SciPy as MatrixMarket
  MATLAB (.mat, v5)   the matrix as .npy, a sparse one as MatrixMarket
  ENVI (.hdr)         one row for each pixel, as .npy, line by line
  JCAMP-DX (.jdx)     CSV, a row for each spectrum of one file or of several
  Galactic (.spc)     CSV, a row for each spectrum

Nulls and empty cells stay empty: see -missing of softkmeans. Text stays text: see
-encode. Lists of one length become columns.

  -list           print the sheets, variables or columns, and write no table
  -sheet NAME     of Excel: the sheet; default: the first
  -variable NAME  of .npz and .mat: the array; default: the only table
  -transpose T    of .mat: yes: write the columns as rows; no: do not; auto: do
                  where a variable has as many wavelengths as there are rows, or
                  others an image's height and width for the columns (default)
  -columns NAMES  of Parquet, Arrow and Excel: only these, with commas between
  -o FILE         write to FILE instead
`

// options are the flags.
type options struct {
	list            bool
	sheet, variable string
	columns         []string
	transpose       string   // auto, yes or no
	more            []string // further files, of JCAMP-DX
	out             string
}

func main() {
	err := run(os.Args[1:], os.Stdout)
	var wrong *flagError
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(usage)
	case errors.As(err, &wrong):
		fmt.Fprintf(os.Stderr, "softkmeans-convert: %v; -help lists the flags\n", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "softkmeans-convert: %v\n", err)
		os.Exit(1)
	}
}

// flagError is a wrong command line.
type flagError struct{ error }

// run converts the file that the arguments name.
func run(args []string, stdout io.Writer) error {
	var o options
	set := flag.NewFlagSet("softkmeans-convert", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.BoolVar(&o.list, "list", false, "")
	set.StringVar(&o.sheet, "sheet", "", "")
	set.StringVar(&o.variable, "variable", "", "")
	set.StringVar(&o.out, "o", "", "")
	set.StringVar(&o.transpose, "transpose", "auto", "")
	columns := set.String("columns", "", "")
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return &flagError{err}
	}
	if set.NArg() == 0 {
		return &flagError{errors.New("give a file, after the flags")}
	}
	o.more = set.Args()[1:]
	if !slices.Contains([]string{"auto", "yes", "no"}, o.transpose) {
		return &flagError{errors.New("-transpose must be auto, yes or no")}
	}
	if *columns != "" {
		o.columns = strings.Split(*columns, ",")
	}
	return convert(set.Arg(0), &o, stdout)
}

// format is a kind of file, by its first bytes.
type format struct {
	magic string
	name  string
	read  func(f *os.File, o *options, w *writer) error
	flags []string // that it has, beside -list and -o
}

var formats = []format{
	{"PAR1", "Parquet", readParquet, []string{"columns"}},
	{"ARROW1", "Arrow", readArrowFile, []string{"columns"}},
	{"\xff\xff\xff\xff", "Arrow stream", readArrowStream, []string{"columns"}},
	{"PK\x03\x04", "zip", readZip, []string{"sheet", "columns", "variable"}},
	{"MATLAB 5.0", "MATLAB", readMAT, []string{"variable", "transpose"}},
	{"ENVI", "ENVI", readENVI, nil},
	{"##TITLE", "JCAMP-DX", readJCAMP, nil},
	{".spc", "SPC", readSPC, nil},
}

// convert finds the format and writes the table.
func convert(name string, o *options, stdout io.Writer) (err error) {
	if name == "-" {
		return &flagError{errors.New("give a file: a pipe cannot be read from its end, where most formats begin")}
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	form, err := sniff(f, name)
	if err != nil {
		return err
	}
	if len(o.more) > 0 && form.name != "JCAMP-DX" {
		return &flagError{errors.New("give one file; only spectra of JCAMP-DX may be in several")}
	}
	for flag, given := range map[string]bool{"sheet": o.sheet != "", "variable": o.variable != "",
		"columns": o.columns != nil, "transpose": o.transpose != "auto"} {
		if given && !slices.Contains(form.flags, flag) {
			return &flagError{fmt.Errorf("-%s is not for %s files", flag, form.name)}
		}
	}
	if o.out != "" && o.out != "-" {
		out, failed := createOutput(o.out, f)
		if failed != nil {
			return failed
		}
		defer func() { err = out.finish(err) }()
		stdout = out
	}
	w := newWriter(stdout)
	if err := readSafely(func() error { return form.read(f, o, w) }, name, form.name); err != nil {
		w.cut()
		return err
	}
	return w.flush()
}

// sniff finds the format by the first bytes, and leaves the file at its start.
func sniff(f *os.File, name string) (*format, error) {
	start := make([]byte, 16)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("%s: %w: give a file, not a pipe", name, err)
	}
	text := string(start[:n])
	for i := range formats {
		if strings.HasPrefix(text, formats[i].magic) ||
			formats[i].name == "JCAMP-DX" && isJCAMP(start[:n]) ||
			formats[i].name == "SPC" && isSPC(start[:n], name) {
			return &formats[i], nil
		}
	}
	switch {
	case strings.HasPrefix(text, "\x89HDF"), strings.HasPrefix(text, "MATLAB 7.3"):
		return nil, fmt.Errorf("%s: this is HDF5, as MATLAB (-v7.3; save with -v7) and BIOM (biom convert --to-tsv) write", name)
	case strings.HasPrefix(text, "\xd0\xcf\x11\xe0"):
		return nil, fmt.Errorf("%s: this is an OLE file, as old Excel (.xls) and programs of spectrometers write; export it as text", name)
	case strings.EqualFold(filepath.Ext(name), ".hdr"):
		_, err := envi.ReadFile(name) // says what it is
		return nil, err
	case strings.HasSuffix(name, ".mat"):
		return nil, fmt.Errorf("%s: this is no .mat file of level 5; save it with -v7", name)
	}
	return nil, fmt.Errorf("%s: this is no Parquet, Arrow, Excel, .npz, .mat, ENVI, JCAMP-DX or SPC file; "+
		"softkmeans reads CSV, .npy, MatrixMarket and svmlight itself", name)
}

// choose returns the numbers of the columns of -columns, or all, in the order of the names. missing is the
// error for one that is not there.
func (o *options) choose(names []string, missing string) (chosen []int, err error) {
	for _, name := range o.columns {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf(missing, name)
		}
	}
	for i, name := range names {
		if o.columns == nil || slices.Contains(o.columns, name) {
			chosen = append(chosen, i)
		}
	}
	return chosen, nil
}

// readSafely gives errors the file's name. The libraries panic at some damaged files.
func readSafely(read func() error, name, format string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: the %s file is damaged: %v", name, format, p)
		}
	}()
	if err := read(); err != nil {
		var wrong *flagError
		if errors.As(err, &wrong) || errors.Is(err, errOutput) {
			return err
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
