package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/xuri/excelize/v2"
)

// command builds softkmeans itself, once, from the folder above.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "convert")
	if err != nil {
		return "", err
	}
	built = dir
	name := filepath.Join(dir, "softkmeans.exe")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", name, "./cmd/softkmeans")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

var built string // the folder of the program; "": none

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// load reads a set of the package's testdata.
func load(t testing.TB, name string) [][]float64 {
	t.Helper()
	b, err := os.ReadFile("../../testdata/" + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float64, len(records))
	for i, r := range records {
		for _, f := range r {
			v, _ := strconv.ParseFloat(f, 64)
			rows[i] = append(rows[i], v)
		}
	}
	return rows
}

// converted runs the program.
func converted(t testing.TB, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(args, &out); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}

// numbers fits what is on the pipe, and returns the numbers of the report.
func numbers(t testing.TB, input string, args ...string) []float64 {
	t.Helper()
	name, err := command()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(name, append([]string{"fit", "-k", "3", "-json", "-scale", "none", "-quiet"}, args...)...)
	c.Stdin = strings.NewReader(input)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	var all []float64
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := token.(float64); ok {
			all = append(all, v)
		}
	}
	if len(all) < 3+3*4 {
		t.Fatalf("few numbers in %s", out)
	}
	return all
}

// record has the rows as columns of float64, and further ones of other types.
func record(rows [][]float64, more bool) arrow.RecordBatch {
	fields := []arrow.Field{}
	for j := range rows[0] {
		fields = append(fields, arrow.Field{Name: "c" + strconv.Itoa(j+1), Type: arrow.PrimitiveTypes.Float64})
	}
	if more {
		fields = append(fields, arrow.Field{Name: "name", Type: arrow.BinaryTypes.String}, arrow.Field{Name: "count", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
			arrow.Field{Name: "day", Type: arrow.FixedWidthTypes.Date32}, arrow.Field{Name: "pair", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32)}, arrow.Field{Name: "on", Type: arrow.FixedWidthTypes.Boolean})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	for i, row := range rows {
		for j, v := range row {
			b.Field(j).(*array.Float64Builder).Append(v)
		}
		if !more {
			continue
		}
		d := len(row)
		b.Field(d).(*array.StringBuilder).Append("a, \"b\" " + strconv.Itoa(i))
		if i%3 == 1 {
			b.Field(d + 1).(*array.Int64Builder).AppendNull()
		} else {
			b.Field(d + 1).(*array.Int64Builder).Append(int64(i) << 40)
		}
		b.Field(d + 2).(*array.Date32Builder).Append(arrow.Date32FromTime(time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC)))
		list := b.Field(d + 3).(*array.FixedSizeListBuilder)
		list.Append(true)
		list.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{float32(i), 0.5}, nil)
		b.Field(d + 4).(*array.BooleanBuilder).Append(i%2 == 0)
	}
	return b.NewRecordBatch()
}

// write makes a file in each format of which a library writes files.
func write(t testing.TB, dir string, r arrow.RecordBatch) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"parquet", "arrow", "arrows"} {
		files[name] = filepath.Join(dir, "x."+name)
		f, err := os.Create(files[name])
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var w interface {
			Write(arrow.RecordBatch) error
			Close() error
		}
		switch name {
		case "parquet":
			w, err = pqarrow.NewFileWriter(r.Schema(), f, parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(64)), pqarrow.DefaultWriterProps())
		case "arrow":
			w, err = ipc.NewFileWriter(f, ipc.WithSchema(r.Schema()))
		default:
			w = ipc.NewWriter(f, ipc.WithSchema(r.Schema()))
		}
		if err != nil {
			t.Fatal(err)
		}
		for lo := int64(0); lo < r.NumRows(); lo += 40 { // slices have offsets
			if err := w.Write(r.NewSlice(lo, min(lo+40, r.NumRows()))); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func writeExcel(t testing.TB, file string, rows [][]float64) {
	t.Helper()
	x := excelize.NewFile()
	defer x.Close()
	if _, err := x.NewSheet("data"); err != nil {
		t.Fatal(err)
	}
	style, err := x.NewStyle(&excelize.Style{NumFmt: 1}) // shown without decimals
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range append([][]float64{nil}, rows...) {
		for j := range rows[0] {
			cell, _ := excelize.CoordinatesToCellName(j+1, i+1)
			var v any = "c" + strconv.Itoa(j+1)
			if i > 0 {
				v = row[j]
			}
			if err := errors.Join(x.SetCellValue("data", cell, v), x.SetCellStyle("data", cell, cell, style)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := x.SaveAs(file); err != nil {
		t.Fatal(err)
	}
}

// TestSameNumbers: iris and wine give the same fit through every format, to 1e-12.
func TestSameNumbers(t *testing.T) {
	for _, set := range []string{"iris", "wine"} {
		rows := load(t, set)
		b, err := os.ReadFile("../../testdata/" + set + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		want := numbers(t, string(b), "-header", "no")
		dir := t.TempDir()
		inputs := map[string]string{}
		for name, file := range write(t, dir, record(rows, false)) {
			inputs[name] = converted(t, file)
		}
		excel := filepath.Join(dir, "x.xlsx")
		writeExcel(t, excel, rows)
		inputs["excel"] = converted(t, "-sheet", "data", excel)
		if set == "iris" {
			inputs["npz"] = converted(t, "../testdata/iris.npz")
			inputs["mat"] = converted(t, "../testdata/iris.mat")
		} else {
			inputs["mat"] = converted(t, "-variable", "w", "../testdata/kinds.mat")
		}
		inputs["envi"] = converted(t, writeENVI(t, dir, rows))
		for name, input := range inputs {
			got := numbers(t, input)
			if len(got) != len(want) {
				t.Fatalf("%s, %s: %d numbers, not %d", set, name, len(got), len(want))
			}
			for i, v := range want {
				if math.Abs(got[i]-v) > 1e-12*math.Max(1, math.Abs(v)) {
					t.Errorf("%s, %s: number %d is %v, not %v", set, name, i, got[i], v)
				}
			}
		}
	}
}

// Deleted channels are missing, a byte order need not be there, and a spectral library is no image.
func TestENVI(t *testing.T) {
	name := writeENVI(t, t.TempDir(), [][]float64{{1, -1.23e34}, {3, 4}})
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	header := strings.Replace(string(text), "byte order = 0\n", "", 1)
	put(t, name, header)
	out := converted(t, name)
	got := make([]float64, 4)
	if err := binary.Read(strings.NewReader(out[len(out)-32:]), binary.LittleEndian, got); err != nil ||
		got[0] != 1 || !math.IsNaN(got[1]) || got[2] != 3 || got[3] != 4 {
		t.Errorf("%v, %v", got, err)
	}
	put(t, name, header+"file type = ENVI Spectral Library\n")
	if err := run([]string{name}, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "a spectral library") {
		t.Error(err)
	}
}

// writeENVI writes an image of one line.
func writeENVI(t testing.TB, dir string, rows [][]float64) string {
	t.Helper()
	values, err := binary.Append(nil, binary.LittleEndian, slices.Concat(rows...))
	if err != nil {
		t.Fatal(err)
	}
	header := "ENVI\nsamples = " + strconv.Itoa(len(rows)) + "\nlines = 1\nbands = " + strconv.Itoa(len(rows[0])) + "\nheader offset = 0\ndata type = 5\ninterleave = bip\nbyte order = 0\n"
	put(t, filepath.Join(dir, "x.img"), string(values))
	return put(t, filepath.Join(dir, "x.hdr"), header)
}

// put writes a file and returns its name.
func put(t testing.TB, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestSparse: SciPy's and MATLAB's sparse matrices become MatrixMarket, with all entries.
func TestSparse(t *testing.T) {
	rows := load(t, "iris")
	for _, file := range []string{"sparse.npz", "columns.npz", "sparse.mat"} {
		lines := strings.Split(strings.TrimSpace(converted(t, "../testdata/"+file)), "\n")
		if !strings.HasPrefix(lines[0], "%%MatrixMarket matrix coordinate real general") {
			t.Fatalf("%s: %s", file, lines[0])
		}
		found := len(lines[2:])
		for _, line := range lines[2:] {
			var i, j int
			var v float64
			if _, err := fmt.Sscan(line, &i, &j, &v); err != nil || rows[i-1][j-1] != v {
				t.Fatalf("%s: %s", file, line)
			}
		}
		want := 0
		for _, row := range rows {
			for _, v := range row {
				if v > 1 {
					want++
				}
			}
		}
		if found != want || lines[1] != "150 4 "+strconv.Itoa(want) {
			t.Errorf("%s: %d entries, %s, not %d", file, found, lines[1], want)
		}
		if list := converted(t, "-list", "../testdata/"+file); !strings.HasSuffix(list, "150×4 sparse\n") || strings.Count(list, "\n") != 1 {
			t.Errorf("%s: list %q", file, list)
		}
		if got := numbers(t, strings.Join(lines, "\n")+"\n", "-method", "global"); len(got) == 0 {
			t.Error("no numbers")
		}
	}
}

// TestSciPyFormats: coordinates, diagonals and blocks have the same entries.
func TestSciPyFormats(t *testing.T) {
	for _, format := range []string{"coo", "dia", "bsr"} {
		lines := strings.Split(strings.TrimSpace(converted(t, "../testdata/"+format+".npz")), "\n")
		slices.Sort(lines[2:])
		if got := strings.Join(lines[1:], "|"); got != "4 6 6|1 1 3|1 2 2|2 4 -1.5|3 3 7|4 1 1|4 6 4" {
			t.Errorf("%s: %s", format, got)
		}
	}
}

// TestTypes: every type of a column is written so that the command reads it.
func TestTypes(t *testing.T) {
	rows := load(t, "iris")[:7]
	for name, file := range write(t, t.TempDir(), record(rows, true)) {
		got, err := csv.NewReader(strings.NewReader(converted(t, file))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"c1", "c2", "c3", "c4", "name", "count", "day", "pair.0", "pair.1", "on"}; !slices.Equal(got[0], want) {
			t.Fatalf("%s: header %q", name, got[0])
		}
		for i, want := range map[int][]string{
			1: {"5.1", "3.5", "1.4", "0.2", `a, "b" 0`, "0", "2020-01-01", "0", "0.5", "1"},
			2: {"4.9", "3", "1.4", "0.2", `a, "b" 1`, "", "2020-01-02", "1", "0.5", "0"},
			7: {"4.6", "3.4", "1.4", "0.3", `a, "b" 6`, "6597069766656", "2020-01-07", "6", "0.5", "1"},
		} {
			if !slices.Equal(got[i], want) {
				t.Errorf("%s: row %d is %q", name, i, got[i])
			}
		}
		if s := converted(t, "-columns", "pair,c2", file); !strings.HasPrefix(s, "\"c2\",\"pair.0\",\"pair.1\"\n3.5,0,0.5\n") {
			t.Errorf("%s: %.60q", name, s)
		}
		if s := converted(t, "-list", file); !strings.Contains(s, "count\tint64") || !strings.Contains(s, "pair\t") {
			t.Errorf("%s: %q", name, s)
		}
	}
}

// TestErrors: what is wrong is named, with the file.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	files := write(t, dir, record(load(t, "iris"), true))
	excel := filepath.Join(dir, "x.xlsx")
	writeExcel(t, excel, load(t, "iris"))
	text, empty := put(t, filepath.Join(dir, "x.csv"), "1,2\n"), put(t, filepath.Join(dir, "empty"), "")
	hdf := put(t, filepath.Join(dir, "x.mat"), "MATLAB 7.3 MAT-file, Platform")
	esri := put(t, filepath.Join(dir, "x.hdr"), "BYTEORDER I\nLAYOUT BIL\nNBANDS 3\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{filepath.Join(dir, "none")}, "no such file"},
		{[]string{esri}, "x.hdr: not an ENVI header but one of an ESRI raster"},
		{[]string{text}, "x.csv: this is no Parquet"}, {[]string{empty}, "this is no Parquet"}, {[]string{hdf}, "-v7"},
		{[]string{"-columns", "nope", files["parquet"]}, `no column "nope"`}, {[]string{"-columns", "nope", files["arrow"]}, `no column "nope"`},
		{[]string{"-sheet", "nope", excel}, "there are Sheet1, data"}, {[]string{"-columns", "nope", "-sheet", "data", excel}, `no column "nope"`},
		{[]string{"-variable", "a", excel}, "not for Excel"}, {[]string{"-sheet", "a", "../testdata/iris.npz"}, "not for .npz"},
		{[]string{"-variable", "a", files["parquet"]}, "-variable is not for Parquet"},
		{[]string{"../testdata/several.npz"}, "give -variable with one of a, b, words"}, {[]string{"-variable", "words", "../testdata/several.npz"}, "no table of numbers"},
		{[]string{"-variable", "q", "../testdata/several.npz"}, "there are a, b, words"},
		{[]string{"../testdata/kinds.mat"}, "several tables"}, {[]string{"-variable", "z", "../testdata/kinds.mat"}, "complex double"},
		{[]string{"-variable", "q", "../testdata/kinds.mat"}, `no variable "q"`}, {[]string{"-variable", "c", "../testdata/kinds.mat"}, "cell"},
	} {
		err := run(c.args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	for _, args := range [][]string{{}, {"../testdata/iris.npz", "b"}, {"-nope", "x"}} {
		var wrong *flagError
		if err := run(args, io.Discard); !errors.As(err, &wrong) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if err := run([]string{"-help"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
	out := filepath.Join(dir, "out")
	if err := run([]string{"-o", out, text}, io.Discard); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file is left of a conversion that failed")
	}
}

// TestKinds: every class of MATLAB's numbers.
func TestKinds(t *testing.T) {
	for _, name := range []string{"f", "i", "u"} {
		s := converted(t, "-variable", name, "../testdata/kinds.mat")
		if !strings.HasPrefix(s, "\x93NUMPY") || !strings.Contains(s[:128], "(4, ") {
			t.Errorf("%s: %q", name, s[:80])
		}
	}
	if s := converted(t, "-list", "../testdata/kinds.mat"); !strings.Contains(s, "z\t2×4 complex double") || !strings.Contains(s, "w\t178×13 double") {
		t.Errorf("%q", s)
	}
	s := converted(t, "-variable", "i", "../testdata/kinds.mat")
	if v := math.Float64frombits(binary.LittleEndian.Uint64([]byte(s[len(s)-8:]))); v != 2 { // 10 times the last of the fourth flower, 0.2
		t.Error(v)
	}
}

// matOf is a file of level 5 with matrices of ones.
func matOf(variables map[string][2]int, values map[string]float64) []byte {
	b := append(bytes.Repeat([]byte(" "), 124), 0, 1, 'I', 'M')
	copy(b, "MATLAB 5.0 MAT-file")
	element := func(kind int, data []byte) []byte {
		e := binary.LittleEndian.AppendUint32(nil, uint32(kind))
		e = binary.LittleEndian.AppendUint32(e, uint32(len(data)))
		return append(append(e, data...), make([]byte, -len(data)&7)...)
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		size := variables[name]
		var numbers []byte
		for i := range size[0] * size[1] {
			v := float64(i)
			if of, ok := values[name]; ok {
				v = of
			}
			numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(v))
		}
		body := element(miUint32, []byte{mxDouble, 0, 0, 0, 0, 0, 0, 0})
		sizes, _ := binary.Append(nil, binary.LittleEndian, []int32{int32(size[0]), int32(size[1])})
		body = append(body, element(miInt32, sizes)...)
		body = append(append(body, element(miInt8, []byte(name))...), element(miDouble, numbers)...)
		b = append(b, element(miMatrix, body)...)
	}
	return b
}

// TestBands: a table of bands × pixels is turned where other variables say that it is one.
func TestBands(t *testing.T) {
	for _, c := range []struct {
		variables map[string][2]int
		flags     string
		turned    bool
	}{
		{map[string][2]int{"V": {3, 8}, "nRow": {1, 1}, "nCol": {1, 1}}, "-variable V", true},
		{map[string][2]int{"V": {3, 8}, "nRow": {1, 1}, "nCol": {1, 1}}, "-variable V -transpose no", false},
		{map[string][2]int{"V": {3, 8}, "wavelength": {3, 1}}, "-variable V", true},
		{map[string][2]int{"V": {3, 8}, "wavelength": {1, 8}}, "-variable V", false},
		{map[string][2]int{"V": {3, 8}}, "", false},
		{map[string][2]int{"V": {3, 8}}, "-transpose yes", true},
	} {
		mat := matOf(c.variables, map[string]float64{"nRow": 2, "nCol": 4})
		file := put(t, filepath.Join(t.TempDir(), "x.mat"), string(mat))
		s := converted(t, append(strings.Fields(c.flags), file)...)
		shape, second := "(3, 8)", 3.0 // the second number of column after column is 1
		if c.turned {
			shape, second = "(8, 3)", 1
		}
		values := s[len(s)-8*24:]
		got := math.Float64frombits(binary.LittleEndian.Uint64([]byte(values[8:])))
		if !strings.Contains(s[:128], shape) || got != second {
			t.Errorf("%v %s: %q, %v", c.variables, c.flags, s[:100], got)
		}
	}
}

// TestDamaged: files that are cut or changed give an error or a table, and never a panic.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	names := []string{"../testdata/iris.npz", "../testdata/iris.mat", "../testdata/kinds.mat", "../testdata/sparse.mat", "../testdata/sparse.npz"}
	for _, file := range write(t, dir, record(load(t, "iris")[:9], true)) {
		names = append(names, file)
	}
	cut := filepath.Join(dir, "cut")
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := range 60 {
			n := len(b) * at / 60
			put(t, cut, string(b[:n]))
			if err := run([]string{cut}, io.Discard); err == nil && n < len(b)*9/10 && !strings.HasSuffix(name, "arrows") {
				t.Errorf("%s: %d of %d bytes are no error", name, n, len(b))
			}
			c := slices.Clone(b)
			c[n] ^= 0x55
			put(t, cut, string(c))
			if err := run([]string{cut}, io.Discard); err != nil && !strings.Contains(err.Error(), "cut") {
				t.Errorf("%s: the error does not name the file: %v", name, err)
			}
		}
	}
}

// FuzzMAT: no file makes the reader panic, nor take memory that it does not have.
func FuzzMAT(f *testing.F) { fuzz(f, "iris.mat", "kinds.mat", "sparse.mat") }

// FuzzNPZ is the same for zip files with arrays.
func FuzzNPZ(f *testing.F) { fuzz(f, "iris.npz", "several.npz", "sparse.npz") }

func fuzz(f *testing.F, names ...string) {
	for _, name := range names {
		b, err := os.ReadFile("../testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := os.CreateTemp(dir, "x")
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file.Name())
		defer file.Close()
		_, err = file.Write(b)
		if _, failed := file.Seek(0, io.SeekStart); err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		w := newWriter(io.Discard)
		switch {
		case bytes.HasPrefix(b, []byte("MATLAB")):
			readMAT(file, &options{}, w)
		default:
			if z, err := zip.NewReader(file, int64(len(b))); err != nil || len(z.File) > 10 {
				return
			}
			readZip(file, &options{}, w)
		}
	})
}
