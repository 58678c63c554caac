package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// inBlocks reads a table in blocks of so many rows.
func inBlocks(in io.Reader, d Dialect, rows int) (*Table, error) {
	r, err := NewReader(in, "f.csv", d)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t := &Table{Head: r.Head}
	width := len(r.Names)
	data := make([]float64, rows*width+width-1) // rows, and less than another
	for {
		n, err := r.ReadRows(data)
		if (n == 0) != (err != nil) || n > rows {
			return nil, fmt.Errorf("%d rows of %d and the error %w", n, rows, err)
		}
		if err == io.EOF {
			if n, err := r.ReadRows(data); n != 0 || err != io.EOF {
				return nil, fmt.Errorf("after the end: %d, %w", n, err)
			}
			t.Classes = r.Classes
			return t, nil
		}
		if err != nil {
			if n, again := r.ReadRows(data); n != 0 || again != err {
				return nil, fmt.Errorf("after %w: %d, %w", err, n, again)
			}
			return nil, err
		}
		t.Data = append(t.Data, data[:n*width]...)
		if t.LabelColumn > 0 {
			t.Class = append(t.Class, r.Class...)
		}
		if t.WeightsColumn > 0 {
			t.Weights = append(t.Weights, r.Table.Weights...)
		}
		t.Rows += n
	}
}

func sameTable(a, b *Table) bool {
	bits := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	return reflect.DeepEqual(a.Head, b.Head) && a.Rows == b.Rows && slices.EqualFunc(a.Data, b.Data, bits) &&
		slices.EqualFunc(a.Weights, b.Weights, bits) && slices.Equal(a.Class, b.Class) &&
		slices.Equal(a.Classes, b.Classes)
}

// atOnce is the table of a text, or its error, read at once without plainRows.
type atOnce struct {
	text string
	want *Table
	err  error
}

func readAtOnce(text string, d Dialect) *atOnce {
	d.Workers, d.chunk, d.slow = 0, 0, true
	want, err := Read(strings.NewReader(text), "f.csv", d)
	return &atOnce{text, want, err}
}

// check compares reading in blocks to reading at once.
func (a *atOnce) check(t *testing.T, d Dialect, rows int) {
	t.Helper()
	got, err := inBlocks(strings.NewReader(a.text), d, rows)
	if (err == nil) != (a.err == nil) || err != nil && err.Error() != a.err.Error() {
		t.Fatalf("%.200q in chunks of %d, blocks of %d rows, %d workers: %v, want %v", a.text,
			d.chunk, rows, d.Workers, err, a.err)
	}
	if err == nil && !sameTable(got, a.want) {
		t.Fatalf("%.200q in chunks of %d, blocks of %d rows, %d workers: %v, want %v", a.text,
			d.chunk, rows, d.Workers, got, a.want)
	}
}

// blockTexts are the texts that Read is tested with, and tables with one odd line
// among plain rows.
func blockTexts() (texts []string, dialects []Dialect) {
	add := func(text string, d Dialect) { texts, dialects = append(texts, text), append(dialects, d) }
	for _, test := range readTests {
		add(test.text, test.dialect)
	}
	for _, test := range readErrors {
		add(test.text, test.dialect)
	}
	for _, s := range splitTexts {
		add(s, Dialect{})
		add(s, Dialect{Label: "2"})
	}
	for _, end := range []string{"\n", "\r\n"} {
		row := "1.5,-2e3, 0.30000000000000004 ,x" + end
		for _, odd := range []string{"", end, " \t" + end, "1,2,3,\"y\nz\"" + end, `"1",2,3,4` + end,
			"1,2,3" + end, "1,2,3,4,5" + end, "1,2,q,4" + end,
			"1,2,1e999,4" + end, "1,\"2\"x,3,4" + end, "1,2,\"3,4" + end, "1,2\",3,4" + end,
			"1,2,0x10,4" + end, "1,2,\u20033\u2003,\u2003w" + end, "1,2,3\r,4" + end, "\r" + end} {
			for _, after := range []string{strings.Repeat(row, 3), end + end, "\r", "1,2,3,4"} {
				add("a,b,c,d"+end+strings.Repeat(row, 3)+odd+after, Dialect{Label: "d"})
				add("a,b,c,d"+end+strings.Repeat(row, 3)+odd+after,
					Dialect{Weights: "1", Drop: []string{"d"}, Pick: pick("c", "b")})
			}
			add(strings.ReplaceAll(strings.Repeat(row, 2)+odd+row, ",", "  "),
				Dialect{Delimiter: ' ', Label: "4"})
			add(strings.ReplaceAll(strings.Repeat(row, 2)+odd+row, ",", "\t"), Dialect{Label: "4"})
			add(strings.ReplaceAll(strings.Repeat(row, 2)+odd+row, ",", "1"),
				Dialect{Delimiter: '1', Label: "2"})
		}
	}
	return texts, dialects
}

// A chunk may end at any byte.
func TestReaderChunks(t *testing.T) {
	texts, dialects := blockTexts()
	for i, text := range texts {
		want := readAtOnce(text, dialects[i])
		for chunk := 1; chunk <= min(len(text)+1, 24); chunk++ {
			d := dialects[i]
			d.chunk = chunk
			want.check(t, d, 1+chunk%4)
			if (i+chunk)%3 == 0 {
				d.Workers = 2 + chunk%2
				want.check(t, d, 1+chunk%3)
			}
		}
	}
}

func TestReaderTestdata(t *testing.T) {
	names, err := filepath.Glob("../../testdata/*.csv")
	if err != nil || len(names) < 8 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		plain, labelled := readAtOnce(string(data), Dialect{}), readAtOnce(string(data), Dialect{Label: "1"})
		for _, chunk := range []int{100, 5000, 0} {
			if chunk == 100 && len(data) > 50000 {
				continue // many
			}
			for _, workers := range []int{0, 1, 3} {
				plain.check(t, Dialect{chunk: chunk, Workers: workers}, 7)
				labelled.check(t, Dialect{chunk: chunk, Workers: workers, Label: "1"}, 1000)
			}
		}
	}
}

// Rows are complete and errors have the right line far after the first chunk,
// whatever the sizes of the reads.
func TestReaderLong(t *testing.T) {
	var b strings.Builder
	const rows = 30000
	for i := range rows {
		fmt.Fprintf(&b, "%d,%v,c%d\n", i, 1/float64(i+1), i%3)
		if i == rows/2 {
			b.WriteString("0,\"1\",\"two\nlines\"\n")
		}
	}
	for _, workers := range []int{1, 5} {
		d := Dialect{Label: "3", Workers: workers}
		got, err := inBlocks(iotest.HalfReader(strings.NewReader(b.String())), d, 999)
		if err != nil || got.Rows != rows+1 ||
			!slices.Equal(got.Classes, []string{"c0", "c1", "c2", "two\nlines"}) {
			t.Fatalf("%d workers: %v, %v", workers, got.Classes, err)
		}
		for i := range rows {
			at := i
			if i > rows/2 {
				at++
			}
			if got.Data[2*at] != float64(i) || got.Data[2*at+1] != 1/float64(i+1) || got.Class[at] != i%3 {
				t.Fatalf("%d workers, row %d: %v, %s", workers, at, got.Data[2*at:2*at+2], got.Label(at))
			}
		}
		for _, test := range []struct{ more, want string }{
			{"1,x,2\n", "f.csv:30003:2: \"x\" is not a number"},
			{"\n1,2,2\n", "f.csv:30003: " + blankLine},
			{"1,2\n", "f.csv:30003: 2 fields found, 3 expected as on the first line"},
			{"1,2,\"", "f.csv:30003:3: a quoted field that does not end in a quote (\")"},
		} {
			if _, err := inBlocks(strings.NewReader(b.String()+test.more+strings.Repeat("1,2,3\n", 2e4)), d,
				100); err == nil || err.Error() != test.want {
				t.Errorf("%d workers: %v, want %s", workers, err, test.want)
			}
		}
	}
}

// The rows before an error are delivered, by any number of workers.
func TestReaderRowsBeforeError(t *testing.T) {
	broken := errors.New("disk on fire")
	text := strings.Repeat("1,2\n", 50000)
	for workers := range 4 {
		for _, in := range []io.Reader{strings.NewReader(text + "1,x\n"),
			io.MultiReader(strings.NewReader(text+"3,4"), iotest.ErrReader(broken))} {
			r, err := NewReader(in, "f.csv", Dialect{Workers: workers, chunk: 1000})
			if err != nil {
				t.Fatal(err)
			}
			dst := make([]float64, 2*777)
			rows := 0
			for err == nil {
				var n int
				n, err = r.ReadRows(dst)
				rows += n
			}
			if rows != 50000 || err.Error() != `f.csv:50001:2: "x" is not a number` &&
				!errors.Is(err, broken) {
				t.Errorf("%d workers: %d rows, %v", workers, rows, err)
			}
		}
	}
}

// Close in the middle of a text leaves no goroutine, and r is not read after it.
func TestReaderClose(t *testing.T) {
	text := strings.Repeat("1,2\n", 100000)
	before := runtime.NumGoroutine()
	for i := range 50 {
		closed := false
		in := readerFunc(func(p []byte) (int, error) {
			if closed {
				t.Error("read after Close")
			}
			return copy(p, text), nil
		})
		r, err := NewReader(in, "f.csv", Dialect{Workers: 1 + i%4, chunk: 1 << 14})
		if err != nil {
			t.Fatal(err)
		}
		for range i % 7 {
			if n, err := r.ReadRows(make([]float64, 5000)); n != 2500 || err != nil {
				t.Fatal(n, err)
			}
		}
		r.Close()
		closed = true
		r.Close()
		if n, err := r.ReadRows(make([]float64, 2)); n != 0 || err == nil || err == io.EOF {
			t.Errorf("after Close: %d, %v", n, err)
		}
	}
	for i := 0; runtime.NumGoroutine() > before; i++ {
		if i == 100 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A reader that returns no bytes again and again is an error.
func TestReaderIdle(t *testing.T) {
	idle := readerFunc(func([]byte) (int, error) { return 0, nil })
	if _, err := Read(idle, "f.csv", Dialect{}); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

// The memory does not grow with the text.
func TestReaderMemory(t *testing.T) {
	line := []byte(strings.Repeat("0.12345678901234567,", 49) + "1\n")
	for workers := 1; workers <= 2; workers++ {
		left, at := (40<<20)/len(line)*len(line), 0
		in := readerFunc(func(p []byte) (n int, err error) {
			for n < len(p) && left > 0 {
				some := copy(p[n:], line[at:])
				n, left, at = n+some, left-some, (at+some)%len(line)
			}
			if left <= 0 {
				err = io.EOF
			}
			return n, err
		})
		runtime.GC()
		var from, to runtime.MemStats
		runtime.ReadMemStats(&from)
		r, err := NewReader(in, "f.csv", Dialect{Workers: workers})
		dst := make([]float64, 5000)
		for err == nil {
			_, err = r.ReadRows(dst)
		}
		runtime.ReadMemStats(&to)
		if err != io.EOF || to.TotalAlloc-from.TotalAlloc > 20<<20 {
			t.Errorf("%d workers: %d bytes were allocated for 40 MB of text, %v", workers,
				to.TotalAlloc-from.TotalAlloc, err)
		}
	}
}

func FuzzReader(f *testing.F) {
	texts, dialects := blockTexts()
	for i, text := range texts {
		if d := dialects[i]; len(text) < 200 {
			f.Add(text, d.Delimiter, d.Label, d.Weights, strings.Join(d.Drop, " "), i%5, 1+i%20, 1+i%5, 1+i%3)
		}
	}
	f.Fuzz(func(t *testing.T, text string, comma rune, label, weights, drop string,
		picked, chunk, rows, workers int) {
		d := Dialect{Delimiter: comma, Label: label, Weights: weights, Drop: strings.Fields(drop),
			chunk: min(max(chunk, 1), 1000), Workers: min(max(workers, 1), 4)}
		switch { // the last of the columns, or some by position
		case picked < 0:
			d.Pick = func(names []string) []string {
				slices.Reverse(names)
				return names[:min(len(names), -max(picked, -9))]
			}
		case picked > 0:
			d.Pick = pick([]string{"c2", "c1", "c3", "c9"}[:min(picked, 4)]...)
		}
		for d.Header = range No + 1 {
			readAtOnce(text, d).check(t, d, min(max(rows, 1), 100))
		}
	})
}

// A text without rows is an error with the names in its header.
func TestNoRows(t *testing.T) {
	for text, names := range map[string][]string{"": nil, "\n": nil, "\ufeffa,kind,b\r\n\n": {"a", "b"}} {
		d := Dialect{}
		if names != nil {
			d.Label = "kind"
		}
		_, err := NewReader(strings.NewReader(text), "f.csv", d)
		var none *NoRows
		if !errors.As(err, &none) || err.Error() != "f.csv: there are no rows" ||
			!slices.Equal(none.Head.Names, names) || none.Head.Header != (names != nil) {
			t.Errorf("%q: %v, %+v", text, err, none)
		}
	}
}

// TestEarlyComment: a comment among the first rows is none of later chunks, and no gap.
func TestEarlyComment(t *testing.T) {
	for _, at := range []int{2, 10, 1000} {
		var b strings.Builder
		b.WriteString("a,b,c\n")
		for i := range 60000 {
			if i == at {
				b.WriteString("# comment\n")
			}
			fmt.Fprintf(&b, "%d.5,%d.25,%d.75\n", i%7, i%5, i%11)
		}
		for _, workers := range []int{0, 1, 4} {
			got, err := Read(strings.NewReader(b.String()), "f.csv", Dialect{Guess: true, Workers: workers})
			if err != nil || got.Rows != 60000 {
				t.Errorf("row %d, %d workers: %v", at, workers, err)
			}
		}
	}
}
