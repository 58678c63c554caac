package main

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/envi"
	"softkmeans/internal/scenes"
	"softkmeans/internal/table"
)

// What simulate writes is read back: pixels and shares to the digits of float32, spectra
// to the last.
func TestSimulate(t *testing.T) {
	t.Chdir(t.TempDir())
	args := strings.Fields("-k 3 -size 9x11 -purity none -snr 25 -seed 6")
	said := must(t, append(append([]string{"simulate"}, args...), "s.img")...)
	var r scenes.Recipe
	if err := newSimulateFlagSet(&r).Parse(args); err != nil {
		t.Fatal(err)
	}
	s := r.Simulate()
	h, err := envi.ReadFile("s.hdr")
	if err != nil || h.Lines != 9 || h.Samples != 11 || h.Bands != 120 || h.Wavelengths[119] != 2500 ||
		h.Units != "Nanometers" {
		t.Fatalf("%+v, %v", h, err)
	}
	for name, want := range map[string]*softkmeans.Matrix{
		"s.hdr":            softkmeans.NewMatrix(99, 120, s.Pixels),
		"s_abundances.img": softkmeans.NewMatrix(99, 3, s.Abundances),
		"s_endmembers.csv": nil} {
		m, err := new(evaluateFlags).readMaterials(t.Context(), name, table.No, streams{})
		switch {
		case err != nil:
			t.Fatal(err)
		case want == nil:
			for i := range 120 {
				for l, v := range m.values.Row(i) {
					if v != s.Endmembers[l*120+i] || strings.Join(m.names, " ") != "m0 m1 m2" {
						t.Fatalf("%s, band %d: %g of %v", name, i, v, m.names)
					}
				}
			}
		default:
			for i, v := range want.Data {
				if got := m.values.Data[i]; math.Abs(got-v) > 1e-6*math.Abs(v) {
					t.Fatalf("%s, %d: %g, not %g", name, i, got, v)
				}
			}
		}
	}
	lines := strings.Split(said, "\n")
	if !strings.Contains(lines[0], "no pure pixels") || len(lines) != 10 {
		t.Fatal(said)
	}
	for _, line := range lines[6:9] { // the commands that the report proposes
		must(t, strings.Fields(line)[1:]...)
	}
}

// evaluate -materials finds the order of the columns. Angles do not see a scale; rows
// without values in either file are left out.
func TestEvaluateMaterials(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "a.csv", "wavelength,x,y\n400,1,0\n500,0,2\n600,1,1\n700,2,nan\n800,0,1\n")
	writeText(t, "b.csv", "band,p,q\n1,0,2\n2,4,0\n3,2,2\n5,5,7\n6,2,0\n")
	var e answer.Materials
	said := must(t, "evaluate", "-json", "-materials", "a.csv", "b.csv")
	if err := json.Unmarshal([]byte(said), &e); err != nil {
		t.Fatal(err)
	}
	x, y := e.Matches[0], e.Matches[1]
	if e.Rows != 4 || e.Left != 1 || len(e.Truth.Names)+len(e.Found.Names) != 4 ||
		x.Truth != "x" || x.Found != "q" || y.Found != "p" ||
		max(x.MRSA, y.MRSA, x.Angle, y.Angle, e.MRSA, e.Angle) > 1e-5 ||
		math.Abs(x.RMSE-math.Sqrt(.5)) > 1e-12 || math.Abs(y.RMSE-math.Sqrt(1.5)) > 1e-12 ||
		math.Abs(e.RMSE-1) > 1e-12 {
		t.Error(said)
	}
	// Material x is 45° from p, and opposite to it less its mean; y has no match.
	writeText(t, "c.csv", "p\n1\n1\n0\n1\n")
	writeText(t, "d.csv", "x,y\n0,0\n0,1\n1,0\n0,0\n")
	said = must(t, "evaluate", "-materials", "d.csv", "c.csv")
	for _, want := range []string{"by 4 rows", "y p 39.18 54.74° 0.7071", "all 39.18", "x –"} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	// Two spectra of five bands each are the rows of both files.
	writeText(t, "e.csv", "u,v,w,x,z\n1,0,1,2,0\n0,2,1,0,1\n")
	writeText(t, "f.csv", "u,v,w,x,z\n0,2,1,0,1\n1,0,1,2,0\n")
	if said = must(t, "evaluate", "-materials", "e.csv", "f.csv"); !strings.Contains(said, "by 5 rows") ||
		!strings.Contains(strings.Join(strings.Fields(said), " "), "band1 band2 0.00 0.00°") {
		t.Error(said)
	}
	if e := matchMaterials(&materials{values: softkmeans.NewMatrix(2, 1, nil), names: []string{"none"}},
		&materials{values: softkmeans.NewMatrix(2, 1, []float64{1, 2}), names: []string{"p"}}); e.MRSA != 50 {
		t.Errorf("a material of 0: %+v", e)
	}
}

// evaluate -materials reads spectral libraries, by either of their files: spectra are lines there, and
// bad channels are as if they were not there, as in what unmix writes of a scene with bad bands.
func TestEvaluateLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	list := [][]float64{{.1, .2, 9, .4, .5, .7}, {.5, .1, 9, .1, .25, .2}, {.3, .3, 9, .8, .1, .1}}
	values := make([]byte, 7)
	for _, row := range list {
		for _, v := range row {
			values = binary.BigEndian.AppendUint16(values, uint16(math.Round(1e4*v)))
		}
	}
	const header = "ENVI\nfile type = ENVI Spectral Library\nsamples = 6\nlines = 3\nbands = 1\n" +
		"header offset = 7\ndata type = 12\ninterleave = bip\nbyte order = 1\n" +
		"reflectance scale factor = 10000\nwavelength = {4, 5, 6, 7, 8, 9}\nbbl = {1, 1, 0, 1, 1, 1}\n"
	writeText(t, "lib.sli", string(values))
	writeText(t, "lib.hdr", header+"spectra names = {band, soil, water}\n")
	writeText(t, "other.sli", string(values))
	writeText(t, "other.hdr", header+"spectra names = {soil}\n")
	writeText(t, "x.csv", "wavelength,water,soil,band\n"+
		"4,.3,.5,.1\n5,.3,.1,.2\n7,.8,.1,.4\n8,.1,.25,.5\n9,.1,.2,.7\n")
	for _, files := range [][2]string{{"lib.sli", "x.csv"}, {"lib.hdr", "x.csv"}, {"x.csv", "lib.sli"},
		{"lib.sli", "lib.hdr"}} {
		e := parseJSON[answer.Materials](t, must(t, "evaluate", "-json", "-materials", files[0], files[1]))
		if e.Rows != 5 || e.Left != 0 || len(e.Matches) != 3 || e.RMSE > 1e-12 || e.MRSA > 1e-5 {
			t.Errorf("%v: %+v", files, e)
		}
		for _, m := range e.Matches {
			if m.Truth != m.Found {
				t.Errorf("%v: %+v", files, m)
			}
		}
	}
	if out := must(t, "evaluate", "-materials", "x.csv", "other.sli"); !strings.Contains(lined(out),
		"water band3 0.00") || !strings.Contains(out,
		"other.sli: the list spectra names is left out: 1 values for 3 spectra.\n") {
		t.Errorf("without names: %s", out)
	}
	// Channels that are bad in one of two libraries lack values there.
	writeText(t, "first.sli", string(values))
	writeText(t, "first.hdr", strings.Replace(header, "{1, 1, 0,", "{0, 1, 1,", 1))
	both := parseJSON[answer.Materials](t, must(t, "evaluate", "-json", "-materials", "first.sli", "other.sli"))
	if both.Rows != 4 || both.Left != 2 || both.RMSE != 0 {
		t.Errorf("other bad channels: %+v", both)
	}
	// What unmix writes, as a table and as a library.
	s := newSynthetic(12, 10, 14)
	s.writeENVI(t, "s.bil", envi.Header{Type: 5, Interleave: "bil", Bad: []bool{3: true, 13: false}}, 1)
	for _, file := range []string{"f.csv", "f.sli"} {
		must(t, "unmix", "-k", "3", "-bounds", "0,1", "-spectra", file, "s.bil")
	}
	e := parseJSON[answer.Materials](t, must(t, "evaluate", "-json", "-materials", "f.csv", "f.hdr"))
	if e.Rows != 13 || e.RMSE != 0 || !slices.Equal(e.Truth.Names, e.Found.Names) {
		t.Errorf("%+v", e)
	}
	writeText(t, "two.sli", strings.Repeat("\x00", 16))
	writeText(t, "two.hdr", "ENVI\nfile type = ENVI Spectral Library\nsamples = 2\nlines = 2\nbands = 2\n"+
		"data type = 12\ninterleave = bsq\nbyte order = 0\n")
	for _, f := range []failure{
		{"evaluate -materials x.csv two.sli", 1, "two.hdr: a spectral library of 2 bands"},
		{"evaluate -materials f.csv lib.sli", 1, "f.csv has 13 rows, but lib.sli has 5"},
		{"unmix -k 2 lib.sli", 1, "is of a spectral library, not of an image"},
	} {
		f.check(t)
	}
}

// Command lines without sense write nothing.
func TestSimulateErrors(t *testing.T) {
	dir := inFolder(t, "x,y\n1,2\n3,4\n")
	writeText(t, "two.csv", "x,y\n1,2\n3,4\n5,5\n")
	writeText(t, "left.csv", "x,y\n1,nan\n3,4\n")
	writeText(t, "right.csv", "x,y\n1,4\n3,nan\n")
	before := files(t, dir)
	for args, want := range map[string]string{
		"simulate":                               "takes the name",
		"simulate -":                             "takes the name",
		"simulate a b":                           "takes 1 file",
		"simulate -k 1 a":                        "-k 1: must be from 2 to 30",
		"simulate -size 3x3 a":                   "must be 20 pixels a material",
		"simulate -size 40000x40000 a":           "must be 20 pixels a material",
		"simulate -snr 0 a":                      "above 0",
		"simulate -purity some a":                "must be few, pure or none",
		"simulate missing/a":                     "cannot write missing/a.img",
		"evaluate -materials data.csv":           "takes 2 files",
		"evaluate -materials -truth x a b":       "leave them out",
		"evaluate -materials data.csv a.csv":     "a.csv",
		"evaluate -materials data.csv two.csv":   "2 rows, but two.csv has 3",
		"evaluate -materials left.csv right.csv": "every row lacks values",
	} {
		code, _, stderr := do(t, "", strings.Fields(args)...)
		if code == 0 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") > 2 {
			t.Errorf("%s: code %d, %q", args, code, stderr)
		}
	}
	if after := files(t, dir); after != before {
		t.Errorf("the folder has\n%s", after)
	}
}
