package sparse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"softkmeans"
	"softkmeans/internal/tables"
)

// dense is a table with its zeros, row after row.
func dense(t testing.TB, x *softkmeans.SparseMatrix) string {
	t.Helper()
	m := tables.Must(x.Dense())(t)
	var b strings.Builder
	for i := range m.Rows {
		fmt.Fprintln(&b, m.Row(i))
	}
	return b.String()
}

const general = "%%MatrixMarket matrix coordinate real general\n"

func TestMarket(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"entries in any order", general + "% a comment\n\n 2 3 4 \n2 3 -1.5\n1 1 2\n\n%\n2 1 1e2\n1 2 +.5",
			"[2 0.5 0]\n[100 0 -1.5]\n"},
		{"duplicates", general + "1 2 3\n1 2 1\n1 2 2\n1 2 4\n", "[0 7]\n"},
		{"CRLF and tabs", strings.ReplaceAll(general+"2\t2\t1\n2\t1\t\t3\t\n", "\n", "\r\n"),
			"[0 0]\n[3 0]\n"},
		{"capitals", "%%matrixmarket MATRIX Coordinate REAL General\n1 1 1\n1 1 1\n", "[1]\n"},
		{"no entries", general + "2 2 0\n", "[0 0]\n[0 0]\n"},
		{"a zero", general + "1 2 1\n1 1 0\n", "[0 0]\n"},
		{"integers", "%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 2 -7\n", "[0 -7]\n"},
		{"a pattern", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n",
			"[0 1]\n[1 0]\n"},
		{"symmetric", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 5\n",
			"[3 5]\n[5 0]\n"},
		{"skew-symmetric", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n",
			"[0 -5]\n[5 0]\n"},
		{"a symmetric pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
			"[0 1]\n[1 0]\n"},
		{"an array", "%%MatrixMarket matrix array real general\n% c\n2 3\n1\n2\n3 4\n\n0\n6\n",
			"[1 3 0]\n[2 4 6]\n"},
		{"one percent sign", "%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "[0 1]\n[1 0]\n"},
		{"a symmetric array", "%%MatrixMarket matrix array real symmetric\n3 3\n1 2 3 4 5 6\n",
			"[1 2 3]\n[2 4 5]\n[3 5 6]\n"},
		{"a skew-symmetric array", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1 2 3\n",
			"[0 -1 -2]\n[1 0 -3]\n[2 3 0]\n"},
	} {
		got, err := Read(strings.NewReader(test.text), "F", MatrixMarket, 0)
		if err != nil || dense(t, got.X) != test.want || got.Full != strings.Contains(test.text, " array ") {
			t.Errorf("%s: %v, %+v", test.name, err, got)
		}
		if f := Sniff(NewReader(iotest.OneByteReader(strings.NewReader(test.text))),
			true); f != MatrixMarket {
			t.Errorf("%s: format %v", test.name, f)
		}
	}
}

func TestMarketErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"", "F:1: the first line must be"},
		{"%%MatrixMarket matrix\n", "F:1: the first line must be"},
		{"%%MatrixMarketX matrix coordinate real general\n1 1 0\n", "F:1: the first line must be"},
		{"%%MatrixMarket vector coordinate real general\n1 1 0\n", `F:1:2: "vector" is no table`},
		{"%%MatrixMarket matrix table real general\n1 1 0\n",
			`F:1:3: "table" is neither coordinate nor array`},
		{"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "F:1:4: complex numbers"},
		{"%%MatrixMarket matrix coordinate quaternion general\n", `F:1:4: "quaternion" is none of`},
		{"%%MatrixMarket matrix coordinate real hermitian\n", "F:1:5: a hermitian matrix"},
		{"%%MatrixMarket matrix coordinate real odd\n", `F:1:5: "odd" is none of`},
		{"%%MatrixMarket matrix array real symmetric\n2 2\n", "F: the file is cut: 3 of 3 numbers are missing"},
		{"%%MatrixMarket matrix array pattern general\n2 2\n", "F:1:4: an array has no pattern"},
		{general, "F: the file is cut in its header"},
		{general + "% more\n\n", "F: the file is cut in its header"},
		{general + "2 2\n", `F:2:3: "" is not a size`},
		{general + "2 2 x\n", `F:2:3: "x" is not a size`},
		{general + "-2 2 1\n", `F:2:1: "-2" is not a size`},
		{general + "2 2.5 1\n", `F:2:2: "2.5" is not a size`},
		{general + "99999999999 2 1\n", `F:2:1: "99999999999" is not a size`},
		{general + "2 2 1 7\n1 1 1\n", `F:2:4: "7" follows the sizes`},
		{general + "0 2 0\n", "F:2:1: there are no rows"},
		{general + "2 0 0\n", "F:2:2: there are no columns"},
		{general + "1000000000 1000000000 0\n",
			"F: 1000000000 rows for 0 entries; a file may have 1048576, or 16 for each entry"},
		{general + "1 2000000000 1\n1 1 1\n", "F: 2000000000 columns for 1 entries"},
		{general + "1 1 2000000000\n1 1 1\n",
			"F: the file is cut: 1999999999 of 2000000000 entries are missing"},
		{general + "2 2 2\n1 1 1\n", "F: the file is cut: 1 of 2 entries are missing"},
		{general + "2 2 1\n1 1 1\n2 2 1\n", "F:4: more entries than the 1 of the header"},
		{general + "2 2 1\n0 1 1\n", `F:3:1: "0" is no row from 1 to 2`},
		{general + "2 2 1\n3 1 1\n", `F:3:1: "3" is no row from 1 to 2`},
		{general + "2 2 1\n1 0 1\n", `F:3:2: "0" is no column from 1 to 2`},
		{general + "2 2 1\n1 3 1\n", `F:3:2: "3" is no column from 1 to 2`},
		{general + "2 2 1\n99999999999999999999 1 1\n",
			`F:3:1: "99999999999999999999" is no row from 1 to 2`},
		{general + "2 2 1\n-1 1 1\n", `F:3:1: "-1" is not the number of a row`},
		{general + "2 2 1\n1 1.5 1\n", `F:3:2: "1.5" is not the number of a column`},
		{general + "2 2 1\n1\n", "F:3:2: a column is missing"},
		{general + "2 2 1\n1 1\n", "F:3:3: a number is missing"},
		{general + "2 2 1\n1 1 x\n", `F:3:3: "x" is not a number`},
		{general + "2 2 1\n1 1 0x1p3\n", `F:3:3: "0x1p3" is not a`},
		{general + "2 2 1\n1 1 nan\n", `F:3:3: "nan" is not a finite number`},
		{general + "2 2 1\n1 1 -Inf\n", `F:3:3: "-Inf" is not a finite number`},
		{general + "2 2 1\n1 1 1e999\n", `F:3:3: "1e999" is not a finite number`},
		{general + "2 2 1\n1 1 1 0\n", `F:3:4: "0" follows the entry`},
		{general + "3 2 3\n1 1 1\n3 2 1e308\n3 2 1e308\n",
			"F: row 3, column 2: the entries for this place add up to +Inf"},
		{"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n", `F:3:4: "1" follows the entry`},
		{"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n", `F:3:3: "1.5" is no integer`},
		{"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n",
			"F:2: 2 rows and 3 columns are not symmetric"},
		{"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n",
			"F:3:2: column 2 is above the diagonal"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
			"F:3:2: a skew-symmetric matrix has no entries on its diagonal"},
		{"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
			"F: the file is cut: 1 of 4 numbers are missing"},
		{"%%MatrixMarket matrix array real general\n1 1\n1 2\n",
			"F:3:2: more numbers than the 1 of the header"},
		{"%%MatrixMarket matrix array real general\n1 1\ninf\n", `F:3:1: "inf" is not a finite number`},
		{"%%MatrixMarket matrix array real general\n2000000000 2000000000\n",
			"F:2: 2000000000×2000000000 numbers are too many"},
		{"%%MatrixMarket matrix array real general\n1000000000 2\n1\n",
			"F: the file is cut: 1999999999 of 2000000000 numbers are missing"},
	} {
		_, err := Read(strings.NewReader(test.text), "F", MatrixMarket, 0)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

func TestSVMLight(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		labels           []float64
		zero             bool
	}{
		{"rows", "+1 1:2 3:-4.5\n-1 2:1e1\n1\n", "[2 0 -4.5]\n[0 10 0]\n[0 0 0]\n",
			[]float64{1, -1, 1}, false},
		{"comments", "# head\n\n2 1:1 # row 1:9\n# between\n3 qid:7 2:1\n",
			"[1 0]\n[0 1]\n", []float64{2, 3}, false},
		{"from 0", "0 0:1\n0 2:5\n", "[1 0 0]\n[0 0 5]\n", []float64{0, 0}, true},
		{"from 0 in a later row", "0 1:1\n0 0:5\n", "[0 1]\n[5 0]\n", []float64{0, 0}, true},
		{"from 0 by a zero", "0 0:0 2:5\n", "[0 0 5]\n", []float64{0}, true},
		{"CRLF, tabs, no end", "1\t1:1\t\t2:2\t\r\n2.5 1:3", "[1 2]\n[3 0]\n", []float64{1, 2.5}, false},
	} {
		got, err := Read(strings.NewReader(test.text), "F", SVMLight, 0)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if dense(t, got.X) != test.want || !slices.Equal(got.Labels, test.labels) || got.Full {
			t.Errorf("%s: %+v\n%s", test.name, got, dense(t, got.X))
		}
		if strings.Contains(got.Note, "counted from 0") != test.zero ||
			strings.Contains(got.Note, "counted from 1") == test.zero {
			t.Errorf("%s: %s", test.name, got.Note)
		}
		if f := Sniff(NewReader(iotest.OneByteReader(strings.NewReader(test.text))), true); f != SVMLight {
			t.Errorf("%s: format %v", test.name, f)
		}
		if f := Sniff(NewReader(strings.NewReader(test.text)), false); f != None {
			t.Errorf("%s: format %v, though rows are none", test.name, f)
		}
	}
	if got, err := Read(strings.NewReader("1 2:5\n"), "F", SVMLight, 4); err != nil ||
		dense(t, got.X) != "[0 5 0 0]\n" {
		t.Errorf("of 4 columns: %v", err)
	}
	if got, err := Read(strings.NewReader("1 2:5\n"), "F", SVMLight, 1); err != nil ||
		dense(t, got.X) != "[0 5]\n" {
		t.Errorf("of more columns than 1: %v", err)
	}
}

func TestSVMLightErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"", "F: there are no rows"},
		{"# nothing\n", "F: there are no rows"},
		{"1\n2\n", "F: no row has an entry"},
		{"9007199254740993 1:2\n", `F:1:1: the label "9007199254740993" is too large`},
		{"1,3 1:2\n", `F:1:1: several labels, "1,3"; a row has one`},
		{"1 1:1\n2,5\n", `F:2:1: several labels`},
		{"1:2 2:3\n", `F:1:1: the row begins with "1:2", not with a label`},
		{"spam 1:2\n", `F:1:1: "spam" is not a number`},
		{"nan 1:2\n", `F:1:1: "nan" is not a finite number`},
		{"1 2:1 1:1\n", "F:1:3: column 1 after 2; columns must ascend"},
		{"1 2:1 2:1\n", "F:1:3: column 2 after 2; columns must ascend"},
		{"1 -1:1\n", `F:1:2: "-1:1" is not of the form column:value`},
		{"1 1.5:1\n", `F:1:2: "1.5:1" is not of the form column:value`},
		{"1 1:1 2\n", `F:1:3: "2" is not of the form column:value`},
		{"1 1:\n", "F:1:2: a number is missing"},
		{"1 1: 2:1\n", `F:1:2: "" is not a number`},
		{"1 1:x\n", `F:1:2: "x" is not a number`},
		{"1 1:2x\n", `F:1:2: "2x" is not a number`},
		{"1 1:2:3\n", `F:1:2: "2:3" is not a number`},
		{"1 1:NaN\n", `F:1:2: "NaN" is not a finite number`},
		{"1 1:1e999\n", `F:1:2: "1e999" is not a finite number`},
		{"1 1:1 qid:3\n", `F:1:3: "qid:3" is not of the form`},
		{"1 2147483647:1\n", `F:1:2: "2147483647:1" is a column above 2147483646`},
		{"1 99999999999:1\n", `F:1:2: "99999999999:1" is a column above 2147483647`},
		{"1 2000000000:1\n",
			"F: 2000000000 columns for 1 entries; a file may have 1048576, or 16 for each entry"},
	} {
		_, err := Read(strings.NewReader(test.text), "F", SVMLight, 0)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

// What begins like a CSV file is none of these formats.
func TestSniff(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "1", "1\n2\n3\n", "1,2\n3,4\n", "5.1 3.5 1.4\n", "a b\n1 2\n",
		"1 12:30:15\n", "1 2:3 4\n", "1 2:3 x\n",
		"# 1 2:3\na,b\n", "1:2 3:4\n", "x 1:2\n", "1;2:3\n", "1 :2\n", "1 2:\n", "%%Matrix\n1\n", "%",
		"%%matrixmarkets"[:10], "1, 2:3\n",
		strings.Repeat("1\n", labelLines) + "1 2:3\n", strings.Repeat("1 ", sniffed),
		strings.Repeat("1", sniffed+10)} {
		if f := Sniff(NewReader(strings.NewReader(text)), true); f != None {
			t.Errorf("%.40q: format %v", text, f)
		}
	}
	for _, text := range []string{"1 1:2", "1 1:2 3:" + strings.Repeat("4", 2*sniffed), "1\n\n1 2:3",
		"1,2 1:2\n", "1 qid:4 1:2\n", "1 1:2 3:x\n" + strings.Repeat("y", sniffed)} {
		if f := Sniff(NewReader(strings.NewReader(text)), true); f != SVMLight {
			t.Errorf("%.40q: format %v", text, f)
		}
	}
	// A pipe is not waited for where its start tells.
	for text, want := range map[string]Format{"%%MatrixMarket": MatrixMarket, "1 1:2 3": SVMLight,
		"1.5 2.5 3": None, "a": None} {
		r, w := io.Pipe()
		go io.WriteString(w, text)
		found := make(chan Format)
		go func() { found <- Sniff(NewReader(r), true) }()
		select {
		case f := <-found:
			if f != want {
				t.Errorf("%q: format %v", text, f)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%q: waits for more", text)
		}
		w.Close()
	}
}

// TestMark: a mark of the byte order before the first line is no part of it.
func TestMark(t *testing.T) {
	t.Parallel()
	for text, f := range map[string]Format{general + "1 2 1\n1 1 1\n": MatrixMarket,
		"1 1:1 2:0\n": SVMLight} {
		text = "\ufeff" + text
		if got := Sniff(NewReader(strings.NewReader(text)), true); got != f {
			t.Errorf("%q is taken for format %v", text, got)
		}
		got, err := Read(strings.NewReader(text), "F", f, 0)
		if err != nil || got.X.Rows != 1 || got.X.Cols != 2 || got.X.Data[0] != 1 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A line may be longer than the buffer, but not endless. An error of the file has its name.
func TestLines(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for j := range 20000 {
		fmt.Fprintf(&b, " %d:%d", j+1, j)
	}
	got, err := Read(strings.NewReader("1"+b.String()+"\n2 20001:1\n"), "F", SVMLight, 0)
	if err != nil || got.X.Rows != 2 || got.X.Cols != 20001 ||
		len(got.X.Data) != 20001 || got.X.Data[19999] != 19999 {
		t.Errorf("a long line: %v", err)
	}
	if os.Getenv("SOFTKMEANS_LONG") == "1" {
		_, err = Read(io.MultiReader(strings.NewReader("1 1:1\n2 "), &spaces{mostLine + 1<<20}), "F",
			SVMLight, 0)
		if err == nil || err.Error() != "F:2: a line of more than 64 MB" {
			t.Errorf("an endless line: %v", err)
		}
	}
	_, err = Read(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(general))), "F", MatrixMarket,
		0)
	if err == nil || err.Error() != "F:1: timeout" {
		t.Errorf("an error of the file: %v", err)
	}
	broken := iotest.ErrReader(errors.New("broken"))
	for text, f := range map[string]Format{general + "2 2 2\n1 1 1": MatrixMarket,
		general + "% c\n2 2 1":                            MatrixMarket,
		"%%MatrixMarket matrix array real general\n1 1\n": MatrixMarket, "# c\n1 1:1\n": SVMLight} {
		if _, err := Read(io.MultiReader(strings.NewReader(text), broken), "F", f, 0); err == nil ||
			err.Error() != "F:3: broken" && err.Error() != "F:4: broken" {
			t.Errorf("an error after %q: %v", text, err)
		}
	}
}

type spaces struct{ left int }

func (s *spaces) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = ' '
	}
	s.left -= len(p)
	return len(p), nil
}

// Numbers come back with the same bits from both formats.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const rows, cols = 50, 30
	var market, svm bytes.Buffer
	data := make([]float64, rows*cols)
	n := 0
	for i := range rows {
		fmt.Fprint(&svm, i%3)
		for j := range cols {
			if random.IntN(4) == 0 || i+j == 0 || i == rows-1 && j == cols-1 {
				v := math.Ldexp(random.NormFloat64(), random.IntN(200)-100)
				data[i*cols+j] = v
				fmt.Fprintf(&market, "%d %d %v\n", i+1, j+1, v)
				fmt.Fprintf(&svm, " %d:%v", j+1, v)
				n++
			}
		}
		fmt.Fprintln(&svm)
	}
	want := dense(t, sparseOf(t, data, rows, cols))
	for f, text := range map[Format]string{MatrixMarket: fmt.Sprintf("%s%d %d %d\n%s", general, rows, cols, n,
		market.String()), SVMLight: svm.String()} {
		got, err := Read(strings.NewReader(text), "F", f, 0)
		if err != nil || dense(t, got.X) != want || len(got.X.Data) != n {
			t.Errorf("%v: %v", f, err)
		}
	}
}

func sparseOf(t *testing.T, data []float64, rows, cols int) *softkmeans.SparseMatrix {
	var i, j []int
	for at := range data {
		i, j = append(i, at/cols), append(j, at%cols)
	}
	x := tables.Must(softkmeans.SparseFromTriples(rows, cols, i, j, data))(t)
	return x
}

// FuzzMarket and FuzzSVMLight: what is accepted is a valid matrix of finite numbers, of a
// size that the text warrants.
func FuzzMarket(f *testing.F) {
	for _, text := range []string{general + "2 3 2\n1 1 2\n2 3 -1e5\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
		"%%MatrixMarket matrix coordinate integer skew-symmetric\r\n% c\r\n2 2 1\r\n2 1 4\r\n",
		"%%MatrixMarket matrix array real general\n2 1\n1\n2\n",
		general + "1000000000 1000000000 0\n", general + "1 1 2\n1 1 1e308\n1 1 1e308\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, text, MatrixMarket) })
}

func FuzzSVMLight(f *testing.F) {
	for _, text := range []string{"1 1:2 3:4\n-1 2:5 # c\n", "0 qid:3 0:1\n", "1,2 1:1\n", "1 1:1e999\n",
		"2 2000000000:1\n", "1\t1:1\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, text, SVMLight) })
}

func checkRead(t *testing.T, text string, format Format) {
	got, err := Read(strings.NewReader(text), "F", format, 0)
	if err != nil {
		if !strings.HasPrefix(err.Error(), "F:") {
			t.Errorf("%v has no place", err)
		}
		return
	}
	x := got.X
	if x.Rows < 1 || x.Cols < 1 || x.Rows > mostUnfilled+mostForEntry*len(text) ||
		x.Cols > mostUnfilled+mostForEntry*len(text) {
		t.Fatalf("%d×%d of %d bytes", x.Rows, x.Cols, len(text))
	}
	for _, v := range x.Data {
		if v-v != 0 {
			t.Errorf("%v", v)
		}
	}
	if format == SVMLight && len(got.Labels) != x.Rows {
		t.Errorf("%d labels of %d rows", len(got.Labels), x.Rows)
	}
	if x.Rows > 1000 || x.Cols > 1000 {
		return
	}
	if _, err := x.Dense(); err != nil { // checks the fields
		t.Error(err)
	}
}

// BenchmarkRead reads 100 entries a row.
func BenchmarkRead(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 3))
	const rows, each = 2000, 100
	var market, svm bytes.Buffer
	fmt.Fprintf(&market, "%s%d %d %d\n", general, rows, 50*each, rows*each)
	for i := range rows {
		svm.WriteString("1")
		for c := range each {
			j, v := c*50+random.IntN(50)+1, random.ExpFloat64()
			fmt.Fprintf(&market, "%d %d %.4f\n", i+1, j, v)
			fmt.Fprintf(&svm, " %d:%.4f", j, v)
		}
		svm.WriteString("\n")
	}
	for name, text := range map[string]string{"MatrixMarket": market.String(), "SVMLight": svm.String()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f := MatrixMarket
				if name == "SVMLight" {
					f = SVMLight
				}
				if _, err := Read(strings.NewReader(text), "F", f, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
