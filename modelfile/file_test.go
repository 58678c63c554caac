package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc64"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/enclosure"
	"softkmeans/internal/tables"
	"softkmeans/kernel"
	"softkmeans/missing"
)

func init() { debug.SetGCPercent(400) } // the tests make much garbage of little memory

// kinds returns models of every kind, small.
func kinds(t testing.TB) map[string]*File {
	t.Helper()
	x := tables.Normal(12, 3, 1)
	fit := func(m *softkmeans.Model, err error) *softkmeans.Model {
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	global := fit(softkmeans.Fit(t.Context(), x, 3, nil))
	minvol := fit(softkmeans.FitMinVolume(t.Context(), x, 2, &softkmeans.MinVolumeOptions{Seed: 4}))
	minvol.Warnings = []softkmeans.Warning{{Kind: softkmeans.WarnFar, Cluster: 1, Value: 3.5}, {Other: 1, Value: 1e-7}}
	minvol.Others = []softkmeans.Answer{{Centers: minvol.Centers.Clone(), Factor: .5, Moved: .25}}
	unit := &softkmeans.Model{Centers: softkmeans.NewMatrix(2, 3, []float64{1, 2, 3, 3, 2, 1})}
	cone := fit(enclosure.Cone(t.Context(), softkmeans.NewMatrix(4, 2, []float64{1, 2, 2, 1, 3, 4, 1, 1}), 2, nil))
	similarities, err := kernel.RBF(x, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	lsd, err := softkmeans.TILSD(t.Context(), similarities, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*File{
		"global": {Model: global, Method: "global"},
		"minvol": {Model: minvol, Method: "minvol", Columns: []string{"a", "b\t\"", "ü€😀<>"}, Named: true, Units: []string{"cm", "", "°"},
			Scale: "zscore", Shift: []float64{1, -2, 1e9}, Divisor: []float64{2, .1, 1e-7}, Seed: math.MaxUint64,
			ColumnLeast: []float64{0, 1, 2}, ColumnMost: []float64{3, 4, 5}, ColumnMean: []float64{1, 2, 3}, ColumnSpread: []float64{0, 1, 2}, LargestResidual: 1.5},
		"unit":    {Model: unit, UnitRows: true},
		"cone":    {Model: cone},
		"rbf":     {Similarities: lsd, Kernel: "rbf", Gamma: 0.5, Samples: x, Method: "tilsd"},
		"kernels": {Similarities: lsd, Kernel: "matrix", Method: "tilsd"},
	}
}

// text is the file.
func (f *File) written(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	n, err := f.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d of %d bytes, %v", n, b.Len(), err)
	}
	return b.String()
}

func readText(text string) (*File, error) { return Read(strings.NewReader(text)) }

// A model that was read has the numbers of the one that was written, bit by bit, and is
// written as the same bytes. Other white space and other escapes do not matter.
func TestFile(t *testing.T) {
	t.Parallel()
	for name, f := range kinds(t) {
		text := f.written(t)
		got, err := readText(text)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, text)
		}
		if again := got.written(t); again != text {
			t.Errorf("%s: written as\n%s\nand again as\n%s", name, text, again)
		}
		if got.Rows != f.Rows && f.Rows > 0 || got.Seed != f.Seed || got.Named != f.Named || !slices.Equal(got.Units, f.Units) || got.K() != f.K() {
			t.Errorf("%s: %+v, not %+v", name, got, f)
		}
		if f.Similarities != nil {
			want := *f.Similarities
			if got.Model != nil || !reflect.DeepEqual(got.Similarities, &want) || f.Samples != nil && !slices.Equal(got.Samples.Data, f.Samples.Data) {
				t.Errorf("%s: another decomposition", name)
			}
		} else {
			want := *f.Model
			want.Memberships, want.Clusters, want.Trace = nil, nil, nil
			if !reflect.DeepEqual(got.Model, &want) {
				t.Errorf("%s: %+v, not %+v", name, got.Model, want)
			}
			if f.Model.Memberships != nil && (got.Rows != f.Model.Memberships.Rows || len(got.Sizes) != f.K()) {
				t.Errorf("%s: %d rows, %v by label", name, got.Rows, got.Sizes)
			}
		}
		for what, other := range map[string]string{
			"close": strings.NewReplacer("\n", "", "\t", "").Replace(text),
			"wide":  strings.NewReplacer("\n", "\r\n  ", ",", " ,\t").Replace(text),
			"ASCII": strings.NewReplacer("ü", `\u00fc`, "😀", `\ud83d\ude00`, "<", `\u003c`, "€", `\u20AC`).Replace(text),
		} {
			if _, err := readText(other); err != nil {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

// sameMemberships reports whether two models hand out the same memberships of some rows.
func sameMemberships(t *testing.T, a, b *File) bool {
	t.Helper()
	predict := func(f *File) (*softkmeans.Matrix, error) {
		x := softkmeans.NewMatrix(2, len(a.Columns), nil)
		for i := range x.Data {
			x.Data[i] = float64(i*i%7) + .5
		}
		if f.Similarities != nil {
			return f.Similarities.Predict(nil, x)
		}
		for i := range x.Data {
			if j := i % x.Cols; f.Divisor != nil {
				x.Data[i] = (x.Data[i] - f.Shift[j]) / f.Divisor[j]
			}
		}
		return f.Model.Predict(nil, x)
	}
	g := tables.Must(predict(a))(t)
	h, err := predict(b)
	return err == nil && slices.Equal(g.Data, h.Data) && slices.Equal(a.Columns, b.Columns)
}

// A byte of a model that is replaced by another is an error, or changes nothing that it says.
func TestFileDamage(t *testing.T) {
	t.Parallel()
	bytes := "0123456789.-+eE,:[]{}\"\\ \n\x00nax\xff"
	for name, f := range kinds(t) {
		if name == "rbf" || name == "cone" {
			continue // much as kernels and global
		}
		text := []byte(f.written(t))
		good := tables.Must(readText(string(text)))(t)
		accepted, tried := 0, 0
		for i, c := range text {
			for n := range 2 {
				b := bytes[(i*7+n*11)%len(bytes)]
				if n == 0 {
					b = c ^ 1<<(i%8)
				}
				if b == c {
					continue
				}
				tried++
				text[i] = b
				if got, err := readText(string(text)); err == nil {
					if accepted++; !sameMemberships(t, good, got) || got.written(t) != good.written(t) {
						t.Errorf("%s: byte %d, %q for %q, is accepted", name, i, b, c)
					}
				} else if !errors.Is(err, softkmeans.ErrFormat) && !errors.Is(err, softkmeans.ErrRange) {
					t.Errorf("%s: byte %d, %q for %q: %v", name, i, b, c, err)
				}
			}
			text[i] = c
		}
		t.Logf("%s: %d of %d damages accepted, all of them white space", name, accepted, tried)
	}
}

// A model that is cut anywhere is an error.
func TestFileCut(t *testing.T) {
	t.Parallel()
	for name, f := range kinds(t) {
		text := f.written(t)
		for n := 0; n < len(text)-1; n += 1 + n%4 {
			if _, err := readText(text[:n]); !errors.Is(err, softkmeans.ErrFormat) {
				t.Fatalf("%s: cut after %d bytes: %v", name, n, err)
			}
		}
	}
}

// A file that is no model, or contradicts itself, is an error with its place.
func TestFileFaults(t *testing.T) {
	t.Parallel()
	files := kinds(t)
	for what, list := range map[string][][3]string{
		"minvol": {
			{`"version": 2`, `"version": 3`, "this package reads models of versions 1 and 2"},
			{"softkmeans model", "softkmeans modem", `"softkmeans modem" of version 2`},
			{`"k": 2,`, ``, `line 6: the field k is missing, or "columns" is unknown, repeated or not in its place`},
			{`"k": 2,`, `"k": 2, "k": 2,`, `columns is missing, or "k" is unknown`},
			{`"k": 2,`, `"k": 3,`, "centers: 2 in a list of 3"},
			{`"k": 2,`, `"k": -2,`, "line 5: k: -2 is not a whole number from 0"},
			{`"k": 2,`, `"k": 2.5,`, "k: 2.5 is not a whole number"},
			{`"k": 2,`, `"k": 02,`, `k: "02" is not a number`},
			{`"k": 2,`, `"k": 0,`, "k is 0"},
			{`"k": 2,`, `"k": null,`, "k: null in place of a number"},
			{`"gap": `, `"extra": 1, "gap": `, `"extra" is unknown, repeated or not in its place`},
			{`"named": true`, `"named": True`, `named: "T" in place of true or false`},
			{`"named": true,`, `"named": true, "extra": 1,`, `"extra" is unknown, repeated or not in its place`},
			{`"named": true,`, `"named": true, "named": true,`, `"named" is unknown, repeated or not in its place`},
			{`"units": ["cm", `, `"units": [`, "units: 2 in a list of 3"},
			{`"shift": [1`, `"shift": [1, 1`, "shift: more than 3 in a list"},
			{`"shift": [1`, `"shift": [NaN`, `shift: "N" in place of a number`},
			{`"shift": [1`, `"shift": [1e999`, "shift: 1e999 is out of range"},
			{`"shift": [1`, `"shift": [null`, "null in place of a number"},
			{`"shift": [1`, `"shift": [1.`, `"1." is not a number`},
			{`"shift": [1`, `"shift": ["1"`, "in place of a number"},
			{`"shift": [1`, `"shift": [2`, "which contradicts the scaled"},
			{`"divisor": [2`, `"divisor": [0`, "divisor 1 is 0"},
			{`"scale": "zscore"`, `"scale": "none"`, `scale is "none", with 3 shifts and 3 divisors`},
			{`"scaledCenters": [`, `"scaledCenters": [[1, 2, 3],`, "scaledCenters: more than 2 in a list"},
			{`"status": "`, `"status": "x`, `status: it is "x`},
			{`"kind":"far"`, `"kind":"near"`, `a warning of the kind "near"`},
			{`"kind":"far","cluster":1`, `"kind":"far","cluster":2`, "the model's warning 0"},
			{`"rows": 12,`, `"rows": 13,`, "the sizes add up to 12, not to the 13 rows"},
			{`"rows": 12,`, `"rows": 9007199254740993,`, "rows: "},
			{`"columnLeast": [0`, `"columnLeast": [4`, `column "a" has a range from 4 to 3`},
			{`"columnMean": [1`, `"columnMean": [-1`, `column "a" has a range from 0 to 3 and a mean of -1`},
			{`"columnMean": [1`, `"columnMean": [3.1`, "and a mean of 3.1"},
			{`"columnSpread": [0`, `"columnSpread": [-1`, `column "a" has a spread of -1 in a range from 0 to 3`},
			{`"columnSpread": [0`, `"columnSpread": [3.1`, "a spread of 3.1"},
			{`"seed": 1844`, `"seed": 1843`, "the checksum is wrong"},
			{`"checksum": "`, `"checksum": "0`, "the checksum is wrong"},
			{`"checksum": `, `"check": `, "checksum is missing"},
			{"\n}\n", "\n}{", "there is more behind the model's end"},
		},
		"rbf": {
			{`"k": 2,`, `"k": 1,`, "sizes: more than 1 in a list"},
			{`"rows": 12,`, `"rows": 11,`, "samples: more than 11 in a list"},
			{`"decomposition": [`, `"decomposition": [1,`, "decomposition: more than 2 in a list"},
			{`"vertices": [`, `"vertices": [[],`, "in a list of "},
			{`"means": [`, `"means": [0, `, "means: more than 12 in a list"},
		},
		"unit": {
			{`"rowScaling": "unit"`, `"rowScaling": "given"`, `"given"`},
			{`"rowScaling": "unit"`, `"sum": "at most one", "rowScaling": "unit"`, "rowScaling is unit, with sum"},
		},
	} {
		text := files[what].written(t)
		for _, c := range list {
			bad := strings.Replace(text, c[0], c[1], 1)
			if bad == text {
				t.Fatalf("no %s in %s", c[0], text)
			}
			if _, err := readText(bad); err == nil || !strings.Contains(err.Error(), c[2]) {
				t.Errorf("%s for %s: %v, want %s", c[1], c[0], err, c[2])
			}
		}
	}
	text := files["minvol"].written(t)
	at := strings.Index(text, `"checksum": "`) + len(`"checksum": "`)
	edited := strings.Replace(text[:at]+"none"+text[at+16:], `"largestResidual": 1.5`, `"largestResidual": 2.5`, 1)
	if f, err := readText(edited); err != nil || f.LargestResidual != 2.5 {
		t.Errorf("%v of an edited model", err)
	}
	for _, f := range []*File{
		{}, {Model: &softkmeans.Model{}}, {Model: files["unit"].Model, Similarities: files["rbf"].Similarities}, {Similarities: &softkmeans.LSDModel{}},
		{Model: files["unit"].Model, Columns: []string{"one"}}, {Model: files["unit"].Model, Shift: []float64{1, 2, 3}},
		{Model: files["unit"].Model, Centers: softkmeans.NewMatrix(2, 3, nil)}, {Model: &softkmeans.Model{Centers: softkmeans.NewMatrix(1, 1, []float64{math.Inf(1)})}},
		{Model: &softkmeans.Model{Centers: softkmeans.NewMatrix(1, 1, nil), Certificate: softkmeans.Certificate{Objective: math.NaN()}}}, {Model: files["unit"].Model, Sizes: []int{1}},
		{Model: files["unit"].Model, Sizes: []int{-1, 1}}, {Model: &softkmeans.Model{Centers: softkmeans.NewMatrix(1, 1, nil), Status: 99}}, {Similarities: files["rbf"].Similarities, Samples: softkmeans.NewMatrix(2, 2, nil)},
	} {
		if _, err := f.WriteTo(io.Discard); err == nil {
			t.Errorf("%+v is written", f)
		}
	}
}

// What is not a model file is told what it is.
func TestFileForeign(t *testing.T) {
	t.Parallel()
	stats, err := new(softkmeans.Stats).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	m := kinds(t)["global"].Model
	asJSON := tables.Must(json.Marshal(m))(t)
	for text, want := range map[string]string{
		"":                                  "the file is empty",
		string(stats):                       "statistics of softkmeans in binary form",
		string(asJSON):                      "a Model by encoding/json",
		"\x93NUMPY\x01\x00v\x00{'descr': '": "an array of NumPy",
		"\x80\x04\x95":                      "a pickle of Python",
		"PK\x03\x04":                        "a ZIP archive",
		"\x1f\x8b\x08":                      "a file in gzip",
		"a,b\n1,2\n":                        "a table, such as CSV",
		"1;2\n":                             "a table, such as CSV",
		"column,p0,p1\na,1,2\n":             "prototypes as older pages saved them",
		"<!doctype html>":                   "HTML or XML",
		" {\"type\": \"FeatureCollection\", \"features\": []}": "GeoJSON",
		`{"type": "Feature", "geometry": {}}`:                  "GeoJSON",
		`{"init": "k-means++", "cluster_centers_": [[1]]}`:     "an estimator of scikit-learn",
		`{"source": "x.csv", "rows": 3, "certificate": {}}`:    "a report by -json",
		`{"k": 2}`: `does not begin with "format"`,
		`{}`:       `does not begin with "format"`,
		"[1, 2]":   "a list in JSON",
		"hello\n":  "no JSON",
		"\x00\x01": "no text",
		`{"format": "softkmeans model", "version": 2, "method": "x"}`: "the field k is missing",
		`{"format": "other"}`: "the field version is missing",
	} {
		_, err := readText(text)
		if !errors.Is(err, softkmeans.ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

// The example of docs/model.md is a model, and what it says of the least one is so.
func TestFilePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/model.md")
	if err != nil {
		t.Skip("docs/model.md is not here")
	}
	_, text, _ := strings.Cut(string(page), "```json\n")
	text, _, _ = strings.Cut(text, "```")
	for _, least := range []string{text, strings.NewReplacer("\t\"method\": \"global\",\n", "", "\t\"named\": true,\n", "").Replace(text)} {
		if f, err := readText(least); err != nil || f.K() != 2 || f.Centers.At(1, 0) != 9.6 {
			t.Errorf("%v of %s", err, least)
		}
	}
	for name, f := range kinds(t) {
		for _, m := range regexp.MustCompile(`(?m)^\t"(\w+)":`).FindAllStringSubmatch(f.written(t), -1) {
			if !strings.Contains(string(page), "`"+m[1]+"`") {
				t.Errorf("docs/model.md is without %s of %s", m[1], name)
			}
		}
	}
}

// The checksum is what any CRC-64/XZ of the canonical text gives: this one is of a text by
// JSON.stringify in a browser.
func TestFileChecksum(t *testing.T) {
	t.Parallel()
	const text = `{"format":"softkmeans model","version":2,"k":1,"columns":["é\n"],"named":false,"scale":"none","centers":[[1e-7]],"rows":0,"objective":0,"floor":1e+21,"floorError":123456789012345680000,"total":0,"gap":0.000001,"iterations":0}`
	sum := strconv.FormatUint(crc64.Checksum([]byte(text), crc64.MakeTable(crc64.ECMA)), 16)
	if _, err := readText(strings.TrimSuffix(text, "}") + `,"checksum":"` + strings.Repeat("0", 16-len(sum)) + sum + `"}`); err != nil {
		t.Error(err)
	}
}

// TestFileLimits: what a reader does not take is refused by the writer with the same words,
// before it writes.
func TestFileLimits(t *testing.T) {
	t.Parallel()
	one := &softkmeans.Model{Centers: softkmeans.NewMatrix(1, 1, nil)}
	long := strings.Repeat("a", mostName) // which is taken
	for what, f := range map[string]*File{
		"method: a string of more":  {Model: one, Method: long + "a"},
		"columns: a string of more": {Model: one, Columns: []string{strings.Repeat("\xff", mostName/2)}}, // 3 bytes each when written
		"units: a string of more":   {Model: one, Units: []string{long + "a"}},
		"scale: a string of more":   {Model: one, Scale: long + "a", Shift: []float64{0}, Divisor: []float64{1}},
		"kernel: a string of more":  {Model: one, Kernel: long + "a"},
		"warnings: more than":       {Model: &softkmeans.Model{Centers: one.Centers, Warnings: make([]softkmeans.Warning, mostName+1)}},
		"others: more than":         {Model: &softkmeans.Model{Centers: one.Centers, Others: make([]softkmeans.Answer, mostName+1)}},
		"columns: more than":        {Model: one, Columns: make([]string, mostCols+1)},
	} {
		if n, err := f.WriteTo(io.Discard); n != 0 || !errors.Is(err, softkmeans.ErrFormat) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %d bytes, %v", what, n, err)
		}
	}
	contradictions := map[string]*File{"have no columns": {Model: &softkmeans.Model{Centers: softkmeans.NewMatrix(3, 0, nil)}},
		"add up to 3, not to the 2 rows": {Model: one, Rows: 2, Sizes: []int{3}}}
	if math.MaxInt > 1<<53 {
		contradictions["is not from 0 to 9007199254740992"] = &File{Model: one, Rows: math.MaxInt}
	}
	for what, f := range contradictions {
		if n, err := f.WriteTo(io.Discard); n != 0 || !errors.Is(err, softkmeans.ErrShape) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %d bytes, %v", what, n, err)
		}
	}
	f := &File{Model: one, Columns: []string{long}, Sizes: []int{3}} // rows are not known
	if got, err := readText(f.written(t)); err != nil || got.Columns[0] != long {
		t.Errorf("a name of %d bytes: %v", len(long), err)
	}
}

// endless yields a text, then another for ever.
type endless struct {
	start, again string
	read         int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.start)
	e.start = e.start[n:]
	for i := n; i < len(p); i++ {
		p[i] = e.again[(e.read+i-n)%len(e.again)]
	}
	e.read += len(p) - n
	return len(p), nil
}

// Endless input is an error before it takes memory.
func TestFileEndless(t *testing.T) {
	t.Parallel()
	head := `{"format": "softkmeans model", "version": 2, "method": "x", "k": 2, `
	for what, e := range map[string]*endless{
		"lines":   {start: "{", again: "\n"},
		"yes":     {start: "", again: "\n"},
		"end":     {start: kinds(t)["unit"].written(t), again: " "},
		"field":   {start: `{"`, again: "a"},
		"zeros":   {start: "", again: "\x00"},
		"number":  {start: head + `"columns": ["a"], "scale": "none", "shift": [`, again: "1"},
		"numbers": {start: head + `"columns": ["a"], "scale": "zscore", "shift": [`, again: "1,"},
		"centers": {start: head + `"columns": ["a"], "scale": "none", "centers": [`, again: "[1],"},
		"deep":    {start: head + `"columns": ["a"], "scale": "none", "centers": `, again: "["},
		"name":    {start: head + `"columns": ["a`, again: "a"},
	} {
		if _, err := Read(e); !errors.Is(err, softkmeans.ErrFormat) || e.read > 16<<20 {
			t.Errorf("%s: %v after %d bytes", what, err, e.read)
		}
	}
}

// FuzzRead: a text is an error or a model that is written and read again as it is.
func FuzzRead(f *testing.F) {
	for _, m := range kinds(f) {
		text := m.written(f)
		f.Add(text)
		at := strings.Index(text, `"checksum": "`) + len(`"checksum": "`)
		f.Add(text[:at] + "none" + text[at+16:])
	}
	f.Add(`{"format": "softkmeans model", "version": 1, "method": "global", "k": 1, "columns": ["a"], "named": false, "scale": "none", "centers": [[1e0]], "rows": 3, "warnings": ["w"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readText(text)
		if err != nil {
			return
		}
		again := m.written(t)
		got, err := readText(again)
		if err != nil || got.written(t) != again {
			t.Fatalf("%v of %s", err, again)
		}
		if m.Model == nil {
			return
		}
		if g, err := m.Model.Predict(nil, softkmeans.NewMatrix(1, len(m.Columns), nil)); err == nil && g.Cols != m.K() {
			t.Errorf("%d memberships in %d clusters", g.Cols, m.K())
		}
	})
}

// FuzzFittedModel: a model that was fitted is written, and what is written is read.
func FuzzFittedModel(f *testing.F) {
	f.Add([]byte{7, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	for method := range byte(4) {
		f.Add([]byte{method, 9, 3, 0x1a, 250, 3, 100, 50, 25, 12, 6, 3, 1})
	}
	odd := []float64{0, math.Copysign(0, -1), 5e-324, 1e-310, 1e-300, 1e-150, 1e150, 0x1p-500, 0x1p500, -0x1p500, 1 + 0x1p-52}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 5 {
			return
		}
		method, k, d := data[0]%4, 1+int(data[1]%3), 1+int(data[2]%5)
		x := softkmeans.NewMatrix(min((len(data)-3+d-1)/d, 12), d, nil)
		for i := range x.Data {
			v := data[3+i%(len(data)-3)]
			if x.Data[i] = float64(int8(v)) / 4; int(v) < len(odd) {
				x.Data[i] = odd[v]
			}
		}
		m, err := new(softkmeans.Model), error(nil)
		switch method {
		case 0:
			m, err = softkmeans.Fit(t.Context(), x, k, nil)
		case 1:
			m, err = softkmeans.FitMinVolume(t.Context(), x, k, &softkmeans.MinVolumeOptions{MaxIter: 9})
		case 2:
			m, err = softkmeans.FitAlternating(t.Context(), x, k, &softkmeans.MinVolumeOptions{MaxIter: 9})
		case 3:
			x.Data[len(data)%len(x.Data)] = math.NaN()
			m, err = missing.Fit(t.Context(), x, k, &softkmeans.MinVolumeOptions{MaxIter: 9})
		}
		if err != nil {
			return
		}
		if got, err := readText((&File{Model: m}).written(t)); err != nil || got.Rows != x.Rows {
			t.Fatalf("%v of %v", err, x)
		}
	})
}

// TestModelNumbers writes numbers of all magnitudes and reads the same ones.
func TestModelNumbers(t *testing.T) {
	t.Parallel()
	var all []float64
	for e := -1070; e < 500; e += 3 {
		all = append(all, -math.Ldexp(1.1, e))
	}
	m := &softkmeans.Model{Centers: softkmeans.NewMatrix(1, len(all), all)}
	m.Total = math.MaxFloat64
	got := tables.Must(readText((&File{Model: m}).written(t)))(t).Model
	if !slices.Equal(got.Centers.Data, all) || got.Total != math.MaxFloat64 {
		t.Error(got)
	}
}
