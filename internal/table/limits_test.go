package table

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// endless is a text of head and then again without end. It counts the bytes that are
// read.
type endless struct {
	head, again string
	at          int // in again
	read        int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		some := copy(p[n:], e.head)
		e.head = e.head[some:]
		if n += some; len(e.head) == 0 {
			some = copy(p[n:], e.again[e.at:])
			e.at = (e.at + some) % len(e.again)
			n += some
		}
	}
	e.read += n
	return n, nil
}

// Of a text without an end no more is read than the limits allow, and the memory is
// bounded.
func TestLimits(t *testing.T) {
	rows := strings.Repeat("1,2\n", 200000)
	for i, test := range []struct {
		name, head, again, want string
		most                    int // bytes that may be read
	}{
		{"a quote that is not closed", "a,b\n1,\"2\n", "3,4\n",
			`f.csv:2:2: a quoted field of more than 1 MB; is its quote closed?`, 8 << 20},
		{"in the header", "a,\"b\n", "3,4\n",
			`f.csv:1:2: a quoted field of more than 1 MB; is its quote closed?`, 8 << 20},
		{"after many rows", rows + "3,4\n\"5\n", "3,4\n",
			`f.csv:200002:1: a quoted field of more than 1 MB; is its quote closed?`, 10 << 20},
		{"in a field of a second line", rows + "\"3\n\",\"5\n", "3,4\n",
			`f.csv:200002:2: a quoted field of more than 1 MB; is its quote closed?`, 10 << 20},
		{"one line", "", "1,", `f.csv:1: a line of more than 64 MB`, 65 << 20},
		{"one line after blank ones", "\n \n", "1,", `f.csv:3: a line of more than 64 MB`, 65 << 20},
		{"one line after many rows", rows, "1,", `f.csv:200001: a line of more than 64 MB`, 70 << 20},
		{"one line in quotes", "1,2\n3,\"\n", "4", `f.csv:3: a line of more than 64 MB`, 66 << 20},
		{"blank lines", "", " \n", `f.csv: the first 64 MB are blank lines`, 66 << 20},
	} {
		if os.Getenv("SOFTKMEANS_LONG") != "1" && test.most > 64<<20 {
			continue // time
		}
		workers := []int{0, 1, 2}
		if i > 0 { // one of the three
			workers = workers[i%3 : i%3+1]
		}
		for _, workers := range workers {
			in := &endless{head: test.head, again: strings.Repeat(test.again, 1000)}
			runtime.GC()
			var from, to runtime.MemStats
			runtime.ReadMemStats(&from)
			var err error
			if d := (Dialect{Workers: workers}); workers == 0 {
				_, err = Read(in, "f.csv", d)
			} else {
				_, err = inBlocks(in, d, 1000)
			}
			runtime.ReadMemStats(&to)
			if err == nil || err.Error() != test.want {
				t.Errorf("%s, %d workers: %v, want %s", test.name, workers, err, test.want)
			}
			if alloc := to.TotalAlloc - from.TotalAlloc; in.read > test.most ||
				alloc > 64<<20+8*uint64(test.most) {
				t.Errorf("%s, %d workers: %d bytes were read, %d allocated",
					test.name, workers, in.read, alloc)
			}
		}
	}
}

// A text just within the limits is read.
func TestWithinLimits(t *testing.T) {
	if os.Getenv("SOFTKMEANS_LONG") != "1" {
		t.Skip("reads lines of 64 MB; SOFTKMEANS_LONG=1 runs it")
	}
	long := strings.Repeat("x\n", (1 << 19))
	for text, want := range map[string]string{
		"1,\"" + long + "\"\n": "",
		"1,\"" + long + "x\"\n": `f.csv:1:2: a quoted field of more than 1 MB; ` +
			`is its quote closed?`,
		"1," + strings.Repeat("a", mostLine-2):        "",
		"1," + strings.Repeat("a", mostLine-1):        `f.csv:1: a line of more than 64 MB`,
		strings.Repeat(" ", 1<<20) + "1,a\r\n2,b\r\n": "",
		"1,a\r": "",
	} {
		if _, err := read(text, Dialect{Label: "2"}); err == nil && want != "" ||
			err != nil && err.Error() != want {
			t.Errorf("%.9q…, %d bytes: %v, want %s", text, len(text), err, want)
		}
	}
}

// A row of many lines has the same limit as a line.
func TestLongRow(t *testing.T) {
	if os.Getenv("SOFTKMEANS_LONG") != "1" {
		t.Skip("reads lines of 64 MB; SOFTKMEANS_LONG=1 runs it")
	}
	in := &endless{head: "1\n2,", again: "\"" + strings.Repeat(strings.Repeat("x", 255)+"\n", 1<<11) + "\","}
	if _, err := Read(in, "f.csv", Dialect{Header: No}); err == nil ||
		err.Error() != "f.csv:2: a row of more than 64 MB, on many lines" || in.read > 70<<20 {
		t.Errorf("%v, %d bytes were read", err, in.read)
	}
}

// A line of too many fields takes no more memory than the longest permitted line.
func TestManyColumns(t *testing.T) {
	if os.Getenv("SOFTKMEANS_LONG") != "1" {
		t.Skip("reads lines of 64 MB; SOFTKMEANS_LONG=1 runs it")
	}
	most := strings.Repeat("1,", mostColumns-1) + "1\n"
	if got, err := read(most, Dialect{}); err != nil || len(got.Data) != mostColumns {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"1," + most: `f.csv:1: a line of more than 1048576 fields`,
		strings.Repeat("1,", mostLine/2-1) + "1\n": `f.csv:1: a line of more than 1048576 fields`,
		"1,2\n1," + most: `f.csv:2: a line of more than 1048576 fields`,
	} {
		runtime.GC()
		var from, to runtime.MemStats
		runtime.ReadMemStats(&from)
		_, err := read(text, Dialect{})
		runtime.ReadMemStats(&to)
		if err == nil || err.Error() != want {
			t.Errorf("%.9q…, %d bytes: %v, want %s", text, len(text), err, want)
		}
		if alloc := to.TotalAlloc - from.TotalAlloc; alloc > 512<<20+raceAllows {
			t.Errorf("%.9q…, %d bytes: %d MB were allocated", text, len(text), alloc>>20)
		}
	}
}

// Text below the start of a large text is no text after the table, and columns without names are found at
// once.
func TestWide(t *testing.T) {
	t.Parallel()
	const n = 40000
	row := func(field, last string) string { return strings.Repeat(field, n-1) + last + "\n" }
	var words strings.Builder
	for j := 1; j < n; j++ {
		words.WriteString(",m" + strconv.Itoa(j))
	}
	rows := row("1.5,", "3") + row("2,", "4") + row("7,", "3") + row("3,", "5")
	for text, want := range map[string]string{
		row(",", "") + row("mg,", "mg") + rows:             "",
		"x" + row(",", "") + row("m,", "m") + rows:         "f.csv: columns of text",
		"id" + row(",", "") + words.String() + "\n" + rows: "f.csv: a line of words among the rows",
	} {
		got, err := Read(strings.NewReader(text), "f.csv", Dialect{Guess: true})
		if want == "" && (err != nil || got.Rows != 4) || want != "" && (err == nil ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%.20q: %.200v, not %s", text, err, want)
		}
	}
}
