package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"softkmeans"
)

// The model's file says what the fit was, in the table's units, and by the
// names of its columns; the centers' file has the same numbers.
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

	// The same fit, by the package.
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

// Any model that was cut, and what never was one, is told from a good one.
func TestModelFaults(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	for _, args := range []string{"-k 2 -scale zscore", "-k 2 -method tilsd"} {
		must(t, append(strings.Fields("fit -model model.json data.csv"), strings.Fields(args)...)...)
		good := readFile(t, "model.json")
		if _, err := parseModel([]byte(good)); err != nil {
			t.Fatal(err)
		}
		for n := range len(strings.TrimSpace(good)) {
			if _, err := parseModel([]byte(good[:n])); err == nil {
				t.Fatalf("%s: a model cut after %d bytes of %d is none", args, n, len(good))
			} else if n > 0 && !strings.Contains(err.Error(), "cut") {
				t.Fatalf("%s: a model cut after %d bytes of %d: %v", args, n, len(good), err)
			}
		}
	}
	must(t, strings.Fields("fit -k 2 -scale zscore -model model.json data.csv")...)
	good := readFile(t, "model.json")
	replaced := func(old, new string) string {
		s := strings.Replace(good, old, new, 1)
		if s == good {
			t.Fatalf("no %q in %s", old, good)
		}
		return s
	}
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
		if err := os.WriteFile("bad.json", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := do(t, "", "predict", "-model", "bad.json", "-o", "out.csv", "data.csv")
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "softkmeans: bad.json: ") || !strings.Contains(stderr, want) {
			t.Errorf("%.60q: code %d, %q, want %q", text, code, stderr, want)
		}
		if _, err := os.Stat("out.csv"); err == nil {
			t.Errorf("%.60q: there is an output", text)
		}
	}
	// Divisors that would make nonsense of every row.
	i := strings.Index(good, `"divisor": [`) + len(`"divisor": [`)
	j := i + strings.Index(good[i:], ",")
	if _, err := parseModel([]byte(good[:i] + "-1" + good[j:])); err == nil || !strings.Contains(err.Error(), "divisor 1 is -1") {
		t.Errorf("%v", err)
	}

	// Parts that do not fit each other.
	lsd, plain := written(t, "-k 2 -method lsd"), written(t, "-k 2")
	matrix := written(t, "-k 1 -method lsd -kernel matrix -drop 3") // by columns
	swapped := func(text, old, new string) string { return strings.Replace(text, old, new, 1) }
	for text, want := range map[string]string{
		swapped(lsd, `"k": 2`, `"k": 1`):                                                    "does not have k = 1 clusters",
		swapped(lsd, `"k": 2`, `"k": 1000000000`):                                           "does not have k = 1000000000 clusters",
		swapped(lsd, `"samples": [`, `"samples": [[1, 2], `):                                "has 3 samples, but the model has 4 and",
		swapped(lsd, `"samples"`, `"others"`):                                               "has 3 samples, but the model has 0 and 2 columns",
		swapped(matrix, `"c1", "c2"`, `"c1", "c2", "c3"`):                                   "has 2 samples, but the model has 0 and 3 columns",
		swapped(plain, `"centers"`, `"scaledCenters": [[1, 2], [3, 4], [5, 6]], "centers"`): "scale none, and scaledCenters",
	} {
		writeText(t, "bad.json", text)
		code, stdout, stderr := do(t, "", "predict", "-model", "bad.json", "-o", "out.csv", "data.csv")
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "softkmeans: bad.json: damaged model: ") || !strings.Contains(stderr, want) {
			t.Errorf("%.60q: code %d, %q, want %q", text, code, stderr, want)
		}
	}

	for args, want := range map[string]string{
		"predict data.csv":                                  "-model is missing",
		"predict -model - data.csv":                         "-model -: must be a file",
		"predict -model model.json -o  model.json data.csv": "-o model.json would overwrite the model",
		"predict -model model.json -o data.csv data.csv":    "-o data.csv would overwrite the data",
		"predict -model model.json -k 2 data.csv":           "not defined: -k",
	} {
		if code, _, stderr := do(t, "", strings.Fields(args)...); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %q", args, code, stderr)
		}
	}
	for args, want := range map[string]string{
		"predict -model missing.json data.csv":  "missing.json",
		"predict -model model.json missing.csv": "missing.csv",
		"predict -model model.json three.csv":   "three.csv: 3 columns, but the model has 2 (c1, c2)",
		"predict -model model.json text.csv":    "text.csv:2:2: ",
		"predict -model named.json other.csv":   `"b"`,
	} {
		for name, text := range map[string]string{"three.csv": "1,2,3\n", "text.csv": "1,2\n3,x\n", "other.csv": "a,c\n1,2\n", "named.csv": "a,b\n1,2\n3,4\n"} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		must(t, "fit", "-k", "1", "-model", "named.json", "named.csv")
		if code, stdout, stderr := do(t, "", strings.Fields(args)...); code != 1 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %q", args, code, stderr)
		}
	}
}

// Whatever is in a model, it is refused or gives every row memberships in k
// clusters.
func FuzzModel(f *testing.F) {
	for _, args := range []string{
		"-k 2", "-k 2 -scale zscore", "-k 3 -scale minmax", "-k 2 -method minvol", "-k 2 -method lsd", "-k 2 -method tilsd -scale zscore",
		"-k 2 -method tilsd -kernel linear", "-k 1 -method lsd -kernel matrix -drop 3",
	} {
		f.Add(written(f, args))
	}
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
