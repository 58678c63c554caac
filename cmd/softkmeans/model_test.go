package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"softkmeans"
)

// A model describes the fit in the table's units and with its column names. The file of
// -centers has the same numbers.
func TestModelFile(t *testing.T) {
	inFolder(t, flowers(t))
	report := must(t, "fit", "-k", "3", "-method", "minvol", "-scale", "zscore", "-drop", "id,weight", "-label", "7",
		"-model", "model.json", "-centers", "centers.csv", "data.csv")
	for _, want := range []string{
		"150 rows, 4 columns, and a header; column 7 (species) is left out\n", "scaled to mean 0 and variance 1", "\nCenters, in the table's units. ", "of the scaled columns",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
	var f modelFile
	if err := json.Unmarshal([]byte(readFile(t, "model.json")), &f); err != nil {
		t.Fatal(err)
	}
	names := []string{"petal length", "petal, width", "sepal length", "sepal width"}
	if !slices.Equal(f.Columns, names) || f.K != 3 || f.Method != "minvol" || f.Scale != "zscore" || f.Rows != 150 || !f.Named || f.Lambda <= 0 || f.Status != "converged" {
		t.Errorf("%+v", f)
	}
	if f.Objective < f.Floor || f.Objective > 1.26*f.Floor || !near(f.Total, 600, 1e-9) || f.Sizes[0]+f.Sizes[1]+f.Sizes[2] != 150 {
		t.Errorf("objective %v, floor %v, total %v, sizes %v", f.Objective, f.Floor, f.Total, f.Sizes)
	}
	for i, row := range f.Centers {
		for j, v := range row {
			if scaled := (v - f.Shift[j]) / f.Divisor[j]; !near(scaled, f.Scaled[i][j], 1e-12) {
				t.Errorf("center %d, column %d: %v, scaled %v, not %v", i, j, v, scaled, f.Scaled[i][j])
			}
		}
	}
	centers := readFile(t, "centers.csv")
	if !strings.HasPrefix(centers, "petal length,\"petal, width\",sepal length,sepal width\n") {
		t.Errorf("%s", centers)
	}
	x := readTable(t, "centers.csv")
	for i := range f.Centers {
		if !slices.Equal(x.Row(i), f.Centers[i]) {
			t.Errorf("center %d is %v in one file and %v in the other", i, x.Row(i), f.Centers[i])
		}
	}

	// The package gives the same fit.
	d := readTable(t, "data.csv", "id", "weight", "species")
	mean, scale := f.Shift, f.Divisor
	for i := range d.Rows {
		for j := range d.Cols {
			d.Set(i, j, (d.At(i, j)-mean[j])/scale[j])
		}
	}
	m, err := softkmeans.FitMinVolume(t.Context(), d, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !near(m.Objective, f.Objective, 1e-9*f.Total) || !near(m.Lambda, f.Lambda, 1e-6*m.Lambda) {
		t.Errorf("objective %v, λ %v; by the package %v, %v", f.Objective, f.Lambda, m.Objective, m.Lambda)
	}
}

// A model that is cut anywhere is an error.
func TestModelCut(t *testing.T) {
	for _, args := range []string{"-k 2 -scale zscore", "-k 2 -method tilsd"} {
		good := written(t, args)
		if _, err := parseModel([]byte(good)); err != nil {
			t.Fatal(err)
		}
		for n := range len(strings.TrimSpace(good)) {
			if _, err := parseModel([]byte(good[:n])); err == nil || n > 0 && !strings.Contains(err.Error(), "cut") {
				t.Fatalf("%s: cut after %d bytes of %d: %v", args, n, len(good), err)
			}
		}
	}
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
	if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "softkmeans: bad.json: ") || !strings.Contains(stderr, want) {
		t.Errorf("%.60q: code %d, %q, want %q", text, code, stderr, want)
	}
	if _, err := os.Stat("out.csv"); err == nil {
		t.Errorf("%.60q: there is an output", text)
	}
}

// A damaged model is an error that says what is wrong.
func TestModelFaults(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	good := written(t, "-k 2 -scale zscore")
	replaced := replacer(t, good)
	for text, want := range map[string]string{
		"":                                       "is empty",
		"1,2\n3,4\n":                             "not a model",
		"{}":                                     "not a model",
		`{"format": "something else"}`:           "not a model",
		"\x1f\x8b\x08\x00":                       "not a model",
		good[:len(good)/2]:                       "the model is cut",
		good + "{}":                              "not a model",
		replaced(`"version": 1`, `"version": 2`): "version 2",
		replaced(`"k": 2`, `"k": 3`):             "2 rows of centers, not 3",
		replaced(`"k": 2`, `"k": 0`):             "k is 0",
		replaced(`"k": 2`, `"k": "2"`):           "not a model",
		replaced(`zscore`, `maximum`):            `scale is "maximum"`,
		replaced(`zscore`, `none`):               "scale none of 2 columns has 2 shifts",
		replaced(`"divisor": [`, `"divisor": [0, `):          "2 shifts and 3 divisors",
		replaced(`"c1", "c2"`, `"c1"`):                       "scale zscore of 1 columns",
		replaced(`"columns": ["c1", "c2"]`, `"columns": []`): "no columns",
		replaced(`"scaledCenters"`, `"others"`):              "0 rows of scaledCenters",
		replaced(`"centers": [`, `"centers": [[1, null],`):   "null in place of a number",
		replaced(`"shift": [`, `"shift": [null, `):           "null in place of a number",
	} {
		checkModelFault(t, text, want)
	}
	i := strings.Index(good, `"divisor": [`) + len(`"divisor": [`)
	j := i + strings.Index(good[i:], ",")
	checkModelFault(t, good[:i]+"-1"+good[j:], "divisor 1 is -1")
}

// A model whose parts contradict each other is an error.
func TestModelParts(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	lsd, plain := replacer(t, written(t, "-k 2 -method lsd")), replacer(t, written(t, "-k 2"))
	matrix := replacer(t, written(t, "-k 1 -method lsd -kernel matrix -drop 3")) // by columns
	for text, want := range map[string]string{
		lsd(`"k": 2`, `"k": 1`):                                                    "does not have k = 1 clusters",
		lsd(`"k": 2`, `"k": 1000000000`):                                           "does not have k = 1000000000 clusters",
		lsd(`"samples": [`, `"samples": [[1, 2], `):                                "has 3 samples, but the model has 4 and",
		lsd(`"samples"`, `"others"`):                                               "has 3 samples, but the model has 0 and 2 columns",
		matrix(`"c1", "c2"`, `"c1", "c2", "c3"`):                                   "has 2 samples, but the model has 0 and 3 columns",
		plain(`"scale"`, `"rowScaling": "long", "scale"`):                          `rowScaling is "long"`,
		plain(`"scale"`, `"rowScaling": "unit", "sum": "at most one", "scale"`):    "rowScaling is unit, with sum",
		lsd(`"scale"`, `"rowScaling": "unit", "scale"`):                            "rowScaling is unit, with sum",
		plain(`"centers"`, `"scaledCenters": [[1, 2], [3, 4], [5, 6]], "centers"`): "scale none, and scaledCenters",
	} {
		checkModelFault(t, text, "damaged model: ")
		checkModelFault(t, text, want)
	}
}

// Any model is an error or gives every row memberships in k clusters.
func FuzzModel(f *testing.F) {
	for _, args := range []string{
		"-k 2", "-k 2 -scale zscore", "-k 3 -scale minmax", "-k 2 -method minvol", "-k 2 -method lsd", "-k 2 -method tilsd -scale zscore",
		"-k 2 -method tilsd -kernel linear", "-k 1 -method lsd -kernel matrix -drop 3",
	} {
		f.Add(written(f, args))
	}
	f.Add(replacer(f, written(f, "-k 2"))(`"scale"`, `"rowScaling": "unit", "scale"`))
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
		g, err := predict(x)
		if err != nil {
			return
		}
		if g.Rows != 2 || g.Cols != m.K {
			t.Fatalf("%d×%d memberships of 2 rows in %d clusters", g.Rows, g.Cols, m.K)
		}
		if label, err := m.labeler(); err == nil {
			labels, err := label(x, g)
			if err == nil && (len(labels) != 2 || min(labels[0], labels[1]) < 0 || max(labels[0], labels[1]) >= m.K) {
				t.Errorf("labels %v of 2 rows in %d clusters", labels, m.K)
			}
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
