package main

import (
	"bytes"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/measure"
	"softkmeans/modelfile"
)

// A model describes the fit in the table's units and with its column names. The file of
// -centers has the same numbers.
func TestModelFile(t *testing.T) {
	inFolder(t, flowers(t))
	report := must(t, "fit", "-v", "-k", "3", "-method", "minvol", "-scale", "zscore",
		"-drop", "id,weight", "-label", "7",
		"-model", "model.json", "-centers", "centers.csv", "data.csv")
	for _, want := range []string{
		"150 rows, 4 columns, and a header; column 7 (species) is left out;",
		"scaled to mean 0 and variance 1",
		"Values are in the table's units.",
	} {
		if !strings.Contains(lined(report), want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
	f, err := parseModel([]byte(readFile(t, "model.json")))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"petal length", "petal, width", "sepal length", "sepal width"}
	if !slices.Equal(f.Columns, names) || f.K() != 3 || f.Method != "minvol" || f.Scale != "zscore" ||
		f.Rows != 150 || !f.Named || f.Model.Lambda <= 0 || f.Model.Status != softkmeans.StatusConverged {
		t.Errorf("%+v", f)
	}
	if p := f.Model; p.Objective < p.Floor || p.Objective > 1.26*p.Floor || !near(p.Total, 600, 1e-9) ||
		f.Sizes[0]+f.Sizes[1]+f.Sizes[2] != 150 {
		t.Errorf("objective %v, floor %v, total %v, sizes %v", p.Objective, p.Floor, p.Total, f.Sizes)
	}
	for i, row := range answer.RowsOf(f.Centers) {
		for j, v := range row {
			if scaled := (v - f.Shift[j]) / f.Divisor[j]; !near(scaled, f.Model.Centers.At(i, j), 1e-12) {
				t.Errorf("center %d, column %d: %v, scaled %v, not %v", i, j, v,
					scaled, f.Model.Centers.At(i, j))
			}
		}
	}
	d := readTable(t, "data.csv", "id", "weight", "species")
	far := 0.0
	g, err := f.Model.Predict(nil, scaled(d, f))
	if err != nil {
		t.Fatal(err)
	}
	for j, name := range f.Columns {
		column := make([]float64, d.Rows)
		mean, spread := 0.0, 0.0
		for i := range column {
			column[i] = d.At(i, j)
			mean += column[i] / 150
		}
		for _, v := range column {
			spread += (v - mean) * (v - mean) / 150
		}
		if !near(f.ColumnLeast[j], slices.Min(column), 1e-12) ||
			!near(f.ColumnMost[j], slices.Max(column), 1e-12) || !near(f.ColumnMean[j], mean, 1e-12) ||
			!near(f.ColumnSpread[j], math.Sqrt(spread), 1e-12) {
			t.Errorf("%s: from %v to %v, mean %v, spread %v", name, f.ColumnLeast[j], f.ColumnMost[j],
				f.ColumnMean[j], f.ColumnSpread[j])
		}
	}
	details := measure.Of(f.Model, f.UnitRows).Measure(scaled(d, f), g, answer.LargestOf(g))
	for i := range d.Rows {
		far = max(far, details.At(i, 0))
	}
	if !near(f.LargestResidual, far, 1e-9) || far == 0 || f.Model.Slack != .25 {
		t.Errorf("largest residual %v, not %v", f.LargestResidual, far)
	}
	centers := readFile(t, "centers.csv")
	if !strings.HasPrefix(centers, "petal length,\"petal, width\",sepal length,sepal width\n") {
		t.Errorf("%s", centers)
	}
	x := readTable(t, "centers.csv")
	for i := range x.Rows {
		if !slices.Equal(x.Row(i), f.Centers.Row(i)) {
			t.Errorf("center %d is %v in one file and %v in the other", i, x.Row(i), f.Centers.Row(i))
		}
	}
}

// TestModelFilled: for every field of a model file there is a fit whose model has it.
func TestModelFilled(t *testing.T) {
	inFolder(t, "a,b\nnm,µm\n1,2\n2,1\n4,4\n5,3\n9,1\n8,2\n7,3\n2,2\n")
	empty := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[modelfile.File]()) {
		if field.Name != "UnitRows" { // of unmix
			empty[field.Name] = true
		}
	}
	writeText(t, "parts.csv", ".1,.2,.7\n.2,.3,.5\n.4,.4,.2\n.5,.3,.2\n.9,.05,.05\n.8,.1,.1\n")
	for _, args := range []string{
		"-method minvol -scale zscore -slack .2 -seed 3 -bounds 0,9 data.csv",
		"-method lsd -kernel rbf data.csv", "-scale none -header no parts.csv",
	} {
		must(t, strings.Fields("fit -k 2 -model m.json "+args)...)
		f, err := parseModel([]byte(readFile(t, "m.json")))
		if err != nil {
			t.Fatal(err)
		}
		for name := range empty {
			if !reflect.ValueOf(*f.File).FieldByName(name).IsZero() {
				delete(empty, name)
			}
		}
	}
	if len(empty) > 0 {
		t.Errorf("no fit fills in %v", slices.Collect(maps.Keys(empty)))
	}
}

// scaled is the table as the model's fit had it.
func scaled(d *softkmeans.Matrix, f *modelFile) *softkmeans.Matrix {
	x := d.Clone()
	f.scaling().Apply(x.Data)
	return x
}

// parseModel reads a model from a text.
func parseModel(text []byte) (*modelFile, error) {
	return readModelFrom(bytes.NewReader(text), "m.json")
}

// replacer returns a function that replaces a part of the text, which must have it.
func replacer(t testing.TB, text string) func(old, new string) string {
	return func(old, new string) string {
		t.Helper()
		s := strings.Replace(text, old, new, 1)
		if s == text {
			t.Fatalf("no %q in %s", old, text)
		}
		return s
	}
}

// checkModelFault checks that a model with that text is an error and leaves no file.
func checkModelFault(t *testing.T, text, want string) {
	t.Helper()
	writeText(t, "bad.json", text)
	code, stdout, stderr := do(t, "", "predict", "-model", "bad.json", "-o", "out.csv", "data.csv")
	if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "softkmeans: bad.json: ") ||
		!strings.Contains(stderr, want) {
		t.Errorf("%.60q: code %d, %q, want %q", text, code, stderr, want)
	}
	if _, err := os.Stat("out.csv"); err == nil {
		t.Errorf("%.60q: there is an output", text)
	}
}

// unsealed is a model whose checksum is not looked at, as after an edit on purpose.
func unsealed(text string) string {
	return regexp.MustCompile(`"checksum": "[0-9a-f]{16}"`).ReplaceAllString(text, `"checksum": "none"`)
}

// What is no model, or one that is damaged, is an error that says so. The package's tests
// have all kinds.
func TestModelFaults(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	good := written(t, "-k 2 -scale zscore")
	replaced := replacer(t, good)
	plain := replacer(t, unsealed(written(t, "-k 2")))
	lsd := replacer(t, unsealed(written(t, "-k 2 -method lsd")))
	for text, want := range map[string]string{
		"": "the file is empty",
		"1,2\n3,4\n": "not a model file: this is a table, such as CSV; give a " +
			"file that softkmeans fit -model wrote",
		replaced(`: false`, `: true`):                  "the checksum is wrong",
		plain(`"scale": "none"`, `"scale": "maximum"`): `scale is "maximum", with 0 shifts`,
		lsd(`"rbf"`, `"cosine"`):                       `kernel is "cosine"`,
		unsealed(replaced(`zscore`,
			`maximum`)): `scale is "maximum", which this softkmeans does not know`,
	} {
		checkModelFault(t, text, want)
	}
}

// Models of version 1 give the memberships that they gave.
func TestOldModels(t *testing.T) {
	for _, name := range []string{"global", "zscore", "cone"} {
		model := filepath.Join("testdata", "models", "v1-"+name+".json")
		code, got, stderr := do(t, "width,height\n1,2\n3,4\n5,7\n2,8\n9,1\n", "predict", "-model", model)
		if want := readFile(t, filepath.Join("testdata", "models", "v1-"+name+".csv")); code != 0 ||
			!sameText(want, got) {
			t.Errorf("%s: code %d, %s%s, want %s", name, code, stderr, got, want)
		}
	}
}

// certify -centers takes a model, as -model does.
func TestCertifyCentersForms(t *testing.T) {
	inFolder(t, flowers(t))
	common := " -drop id,species,weight data.csv"
	for _, scale := range []string{"none", "zscore"} {
		must(t, strings.Fields("fit -method global -k 3 -scale "+scale+" -model m.json -centers "+
			"c.csv -o g.csv"+common)...)
		certify := func(args, stdin string) (int, string) {
			code, stdout, stderr := do(t, stdin, strings.Fields("certify -memberships g.csv "+args+common)...)
			if code != 0 {
				t.Errorf("certify %s: code %d, %s%s", args, code, stdout, stderr)
			}
			_, text, _ := strings.Cut(stdout, "memberships\n")
			return code, text
		}
		_, want := certify("-scale "+scale+" -centers c.csv", "")
		for _, c := range [][2]string{{"-centers m.json", ""}, {"-model m.json", ""}, {"-centers -", readFile(t, "m.json")}} {
			if _, got := certify(c[0], c[1]); got != want {
				t.Errorf("certify %s:\n%s\nnot\n%s", c[0], got, want)
			}
		}
	}
	failure{"certify -centers m.json -scale minmax" + common, 2,
		"-centers m.json is a model, which has its own -scale"}.check(t)
}

// sameText: the lines have the same words, and the same numbers up to rounding.
func sameText(want, got string) bool { return len(differences(want, got)) == 0 }

// Any model is an error or gives every row memberships in k clusters.
func FuzzModel(f *testing.F) {
	for _, args := range []string{
		"-k 2", "-k 2 -scale zscore", "-k 3 -scale minmax", "-k 2 -method minvol", "-k 2 -method lsd",
		"-k 2 -method tilsd -scale zscore",
		"-k 2 -method tilsd -kernel linear", "-k 1 -method lsd -kernel matrix -drop 3",
	} {
		f.Add(unsealed(written(f, args)))
	}
	f.Add(replacer(f, unsealed(written(f, "-k 2")))(`"scale"`, `"rowScaling": "unit", "scale"`))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseModel([]byte(text))
		if err != nil {
			return
		}
		predict, err := m.predictor()
		if err != nil {
			return
		}
		x := softkmeans.NewMatrix(2, len(m.Columns), nil)
		for i := range x.Data {
			x.Data[i] = float64(i*i%7) - 2
		}
		m.scaling().Apply(x.Data)
		g, of, err := predict(x)
		if err != nil {
			return
		}
		if g.Rows != 2 || g.Cols != m.K() {
			t.Fatalf("%d×%d memberships of 2 rows in %d clusters", g.Rows, g.Cols, m.K())
		}
		labels, err := clustersOf(m.labeller(), of, g)
		if err == nil && (len(labels) != 2 || min(labels[0], labels[1]) < 0 ||
			max(labels[0], labels[1]) >= m.K()) {
			t.Errorf("labels %v of 2 rows in %d clusters", labels, m.K())
		}
		for i := range g.Rows {
			sum := 0.0
			for _, v := range g.Row(i) {
				if sum += v; !(v >= 0) {
					t.Errorf("row %d: %v", i, g.Row(i))
				}
			}
			if !near(sum, 1, 1e-9) {
				t.Errorf("row %d: %v", i, g.Row(i))
			}
		}
	})
}
