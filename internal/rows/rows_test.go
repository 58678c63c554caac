package rows

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"softkmeans"
	"softkmeans/internal/npy"
	"softkmeans/internal/table"
	"softkmeans/internal/tables"
	"softkmeans/stream"
)

// write writes a file with the given content and returns its path.
func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	tables.OK(t, os.WriteFile(path, content, 0o666))
	return path
}

func npyFile(t *testing.T, rows, cols int, values []float64) []byte {
	t.Helper()
	var b bytes.Buffer
	tables.OK(t, errors.Join(npy.WriteHeader(&b, rows, cols), npy.WriteValues(&b, values)))
	return b.Bytes()
}

func random(n int) []float64 { return tables.Normal(1, n, 1).Data }

// allOf are the values of all blocks.
func allOf(t *testing.T, f *File) (data []float64) {
	t.Helper()
	for x, err := range f.Blocks(t.Context()) {
		tables.OK(t, err)
		data = append(data, x.Data...)
	}
	return data
}

func csvText(cols int, values []float64) []byte {
	var b bytes.Buffer
	for i, v := range values {
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		if (i+1)%cols > 0 {
			b.WriteByte(',')
		} else {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// Every pass has the rows of ReadAll, in blocks of the requested size.
func TestBlocks(t *testing.T) {
	const rows, cols = 9011, 3
	values := random(rows * cols)
	for _, path := range []string{write(t, "a.csv", csvText(cols, values)),
		write(t, "named as it likes.csv", npyFile(t, rows, cols, values))} {
		whole, err := ReadAll(openFile(t, path), path, table.Dialect{})
		if err != nil || whole.Rows != rows || !slices.Equal(whole.Data, values) ||
			!slices.Equal(whole.Names, []string{"c1", "c2", "c3"}) {
			t.Fatalf("%s: %v", path, err)
		}
		for _, o := range []Options{{}, {BlockRows: 1000}, {BlockRows: 7, Dialect: table.Dialect{Workers: 3}},
			{BlockRows: 1 << 20, Dialect: table.Dialect{Workers: 2}}} {
			f := tables.Must(Open(path, o))(t)
			if !slices.Equal(f.Names, whole.Names) || f.Source != path {
				t.Errorf("%s: %+v", path, f.Head)
			}
			most := o.BlockRows
			if most == 0 {
				most = 8192
			}
			blocks := f.Blocks(t.Context())
			for pass := range 2 {
				at := 0
				for x, err := range blocks {
					if err != nil {
						t.Fatal(err)
					}
					n := len(x.Data)
					if x.Rows != min(most, (len(values)-at)/cols) || x.Cols != cols ||
						!slices.Equal(x.Data, values[at:at+n]) {
						t.Fatalf("%s, %+v, pass %d: a block of %d×%d after %d values",
							path, o, pass, x.Rows, x.Cols, at)
					}
					at += n
				}
				if at != len(values) || f.BytesRead() != f.Size {
					t.Errorf("%s, %+v, pass %d: %d values, %d of %d bytes", path, o,
						pass, at, f.BytesRead(), f.Size)
				}
			}
		}
	}
}

// A fit of the blocks equals the fit of the table.
func TestFitSeq(t *testing.T) {
	const rows, cols = 3000, 5
	values := random(rows * cols)
	x := softkmeans.NewMatrix(rows, cols, values)
	want := tables.Must(softkmeans.Fit(t.Context(), x, 3, nil))(t)
	f := tables.Must(Open(write(t, "a.csv", csvText(cols, values)),
		Options{BlockRows: 100, Dialect: table.Dialect{Workers: 2}}))(t)
	m, err := stream.Fit(t.Context(), f.Blocks(t.Context()), 3, nil)
	if err != nil || math.Abs(m.Objective-want.Objective) > 1e-10*want.Objective {
		t.Fatalf("%v, want %v, %v", m, want.Objective, err)
	}
}

func TestErrors(t *testing.T) {
	nan := npyFile(t, 3, 2, []float64{1, 2, 3, 4, math.NaN(), 6})
	for _, test := range []struct {
		content []byte
		options Options
		want    string
		opens   bool
	}{
		{[]byte("1,2\n3,x\n"), Options{}, `F:2:2: "x" is not a number`, true},
		{[]byte("1,2\n\n3,4\n"), Options{BlockRows: 1}, `F:2: a blank line between rows`, true},
		{[]byte("1,x\n3,4\n"), Options{}, `F:1:2: "x" is not a number`, false},
		{nil, Options{}, "F: there are no rows", false},
		{[]byte(strings.Repeat("% Title: glass\n", 999) + "@relation g\n@data\n1,x\n"), Options{},
			"F: this is an ARFF file", false},
		{nan, Options{}, "F: row 3, column 1: NaN", true},
		{nan[:len(nan)-20], Options{},
			"F: the file is cut: 20 of 48 bytes of values are missing, from row 2 on", false},
		{append(slices.Clone(nan), 0), Options{}, "F: there is more after", false},
		{nan, Options{Dialect: table.Dialect{Label: "kind"}},
			`F: the columns of a .npy file have no names, only numbers from 1 ("kind")`, false},
		{nan, Options{Dialect: table.Dialect{Label: "3"}},
			`F: there is no column 3 for -label, only 2 columns`, false},
		{nan, Options{Dialect: table.Dialect{Drop: []string{"1", "2"}}},
			`F: there is no column of data`, false},
		{nan, Options{Dialect: table.Dialect{Drop: []string{"2"}}}, "F: row 3, column 1: NaN", true},
		{nan, Options{Dialect: table.Dialect{Pick: func([]string) []string { return []string{"c9"} }}},
			`F: there is no column "c9"; there are "c1", "c2"`, false},
		{[]byte("1,2\n3,-4\n"), Options{Dialect: table.Dialect{Weights: "2"}},
			`F: a file that is read block by block cannot have weights`, false},
		{bytes.Replace(nan, []byte("(3, 2)"), []byte("(1, 9999999999)"), 1), Options{}, "F: ", false},
	} {
		path := write(t, "f", test.content)
		f, err := Open(path, test.options)
		if (err == nil) != test.opens {
			t.Errorf("%.30q: %v", test.content, err)
		}
		if f != nil {
			for range 2 { // and again
				n := 0
				for x, e := range f.Blocks(t.Context()) {
					if err = e; (x == nil) != (e != nil) {
						t.Errorf("%v and %v", x, e)
					}
					n++
				}
				if n == 0 || err == nil {
					t.Errorf("%.30q: no error", test.content)
				}
			}
		}
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), path, "F"), test.want) {
			t.Errorf("%.30q: %v, want %s", test.content, err, test.want)
		}
		if _, all := ReadAll(bytes.NewReader(test.content), path, test.options.Dialect); all == nil {
			t.Errorf("%.30q was read", test.content)
		}
	}
	for name, want := range map[string]string{"": "only once", "-": "only once",
		t.TempDir(): "is a directory", "missing": "missing: "} {
		if _, err := Open(name, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
	if runtime.GOOS == "linux" {
		if _, err := Open("/dev/null", Options{}); err == nil || !strings.Contains(err.Error(), "only once") {
			t.Errorf("a device: %v", err)
		}
	}
}

// A file that has changed before the next pass is an error, also if only its time has.
func TestChanged(t *testing.T) {
	path := write(t, "f.csv", []byte("1,2\n3,4\n"))
	for name, change := range map[string]func() error{
		"longer":   func() error { return os.WriteFile(path, []byte("1,2\n3,4\n5,6\n"), 0o666) },
		"later":    func() error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) },
		"replaced": func() error { return os.Rename(write(t, "g", []byte("1,2\n3,5\n")), path) },
	} {
		f := tables.Must(Open(path, Options{}))(t)
		tables.OK(t, change())
		var err error
		for x, e := range f.Blocks(t.Context()) {
			if err = e; x != nil {
				t.Errorf("%s: %v", name, x)
			}
		}
		if !errors.Is(err, softkmeans.ErrChanged) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// If a file changes during a pass, the error is ErrChanged and not that of its text.
// Otherwise it is that of the text.
func TestChangedWhileRead(t *testing.T) {
	const cols = 2
	text := csvText(cols, random(100000*cols)) // far more than is read ahead
	broken := slices.Concat(text, []byte("1,x\n"))
	for name, change := range map[string]func(path string) error{
		"":          func(string) error { return nil },
		"later":     func(path string) error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) },
		"truncated": func(path string) error { return os.Truncate(path, int64(bytes.LastIndexByte(text, ','))) },
	} {
		for workers := 1; workers <= 2; workers++ {
			path := write(t, "f.csv", broken)
			f := tables.Must(Open(path, Options{Dialect: table.Dialect{Workers: workers}}))(t)
			blocks, err := 0, error(nil)
			for _, e := range f.Blocks(t.Context()) {
				if blocks++; blocks == 1 {
					e = change(path)
				}
				err = e
			}
			var place *table.Error
			switch {
			case blocks < 2:
				t.Errorf("%q: %v in the first block", name, err)
			case name == "" && (!errors.As(err, &place) || place.Line != 100001 || place.Column != 2):
				t.Errorf("unchanged: %v", err)
			case name != "" && (!errors.Is(err, softkmeans.ErrChanged) ||
				!strings.Contains(err.Error(), "while it was read")):
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A pass that is left early or cancelled leaves no goroutine and no open file.
func TestLeft(t *testing.T) {
	values := random(40000)
	before := runtime.NumGoroutine()
	for _, path := range []string{write(t, "a.csv", csvText(2, values)),
		write(t, "a.npy", npyFile(t, 20000, 2, values))} {
		f := tables.Must(Open(path, Options{BlockRows: 10, Dialect: table.Dialect{Workers: 3}}))(t)
		for i := range 10 {
			n := 0
			for _, err := range f.Blocks(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n > i*30 {
					break
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			var last error
			for _, last = range f.Blocks(ctx) {
				if n--; n < 0 {
					cancel()
				}
			}
			cancel()
			if !errors.Is(last, context.Canceled) {
				t.Fatalf("%v after a cancel", last)
			}
		}
	}
	for i := 0; runtime.NumGoroutine() > before; i++ {
		if i == 200 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil && len(fds) > 30 {
		t.Errorf("%d files are open", len(fds))
	}
}

// A .npy stream has no size to compare with its header.
func TestStream(t *testing.T) {
	values := random(60000)
	content := npyFile(t, 20000, 3, values)
	got, err := ReadAll(io.MultiReader(bytes.NewReader(content)), "<stdin>", table.Dialect{})
	if err != nil || got.Rows != 20000 || !slices.Equal(got.Data, values) {
		t.Error(err)
	}
	wide := bytes.Replace(content, []byte("(20000, 3), }  "), []byte("(1, 99999999), }"), 1)
	if _, err := ReadAll(io.MultiReader(bytes.NewReader(wide)), "<stdin>", table.Dialect{}); err == nil {
		t.Error("a row of 800 MB was believed")
	}
}
