package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
)

// certificateOf returns the certificate that was printed. Its solver must be gram.
func certificateOf(j *answer.Certificate) softkmeans.Certificate {
	cert := softkmeans.Certificate{Objective: j.Objective, Floor: j.Floor,
		FloorError: j.FloorError, Total: j.Total, Gap: j.Gap,
		MinMembership: j.MinMembership, MaxSumError: j.MaxSumError, Repair: j.Repair, SpanError: *j.SpanError}
	if j.Solver == "gram" {
		cert.Solver = softkmeans.SolverGram
	}
	return cert
}

// The output of fit is certified with the same bits and the same lines.
func TestCertifyFit(t *testing.T) {
	for _, name := range sets {
		dir := t.TempDir()
		data := someRows(t, setFile(name), 4)
		x := readTable(t, data)
		g, f := filepath.Join(dir, "g.csv"), filepath.Join(dir, "f.csv")
		code, report, stderr := do(t, "", "fit", "-v", "-method", "global", "-scale", "none", "-k",
			"3", "-o", g, "-centers", f, data)
		if code != 0 {
			t.Fatal(stderr)
		}
		m, err := softkmeans.Fit(t.Context(), x, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := softkmeans.Certify(t.Context(), x, m.Centers, m.Memberships, nil)
		if err != nil {
			t.Fatal(err)
		}
		code, text, stderr := do(t, "", "certify", "-scale", "none", "-centers", f, "-memberships", g, data)
		if code != 0 || stderr != "" {
			t.Fatalf("%s: code %d, %s", name, code, stderr)
		}
		_, quality, _ := strings.Cut(report, "\nSquared error, and how it compares")
		if quality, _, _ = strings.Cut(quality, "\n\n"); len(quality) < 200 || !strings.HasSuffix(text, quality+"\n") {
			t.Errorf("%s:\n%s\ndoes not end as the report of fit,\n%s", name, text, report)
		}
		if head, _, _ := strings.Cut(text, "\n\n"); !strings.Contains(strings.Join(strings.Fields(head), " "),
			"; 3 prototypes of "+f+"; memberships of "+g+".") {
			t.Errorf("%s: begins\n%.300s", name, text)
		}
		code, text, _ = do(t, "", "certify", "-json", "-scale", "none",
			"-centers", f, "-memberships", g, data)
		got := parseJSON[answer.Answer](t, text)
		c := certificateOf(got.Certificate)
		if near(c.SpanError, want.SpanError, 1e-15) { // the file has no centers of 1e-20
			c.SpanError = want.SpanError
		}
		if code != 0 || c != want || *got.Certificate.Explained != 1-want.Objective/want.Total ||
			!got.Certificate.Certified || got.Tol != 1e-9 ||
			got.K != 3 || got.Rows != x.Rows || len(got.Columns) != x.Cols || got.Source != data ||
			got.CentersFile != f || got.MembershipsFile != g || !strings.HasPrefix(got.Sentence, "Certified: ") {
			t.Errorf("%s: %s\nwant %+v", name, text, want)
		}
	}
}

// A model has its scaling and finds its columns by name.
func TestCertifyModel(t *testing.T) {
	inFolder(t, flowers(t))
	for _, args := range []string{"-k 3", "-k 3 -scale zscore", "-k 2 -scale minmax -enclosure tight"} {
		report := must(t, append(strings.Fields("fit -v -method global -drop id,species -weights weight "+
			"-model m.json -o g.csv data.csv"), strings.Fields(args)...)...)
		for _, memberships := range []string{"-memberships g.csv", ""} {
			text := must(t, append(strings.Fields("certify -model m.json -weights weight data.csv"),
				strings.Fields(memberships)...)...)
			for _, name := range []string{"objective", "floor", "total"} {
				if a, b := value(t, text, name), value(t, report, name); !near(a, b, 1e-9*b) {
					t.Errorf("%s: %s is %v, was %v", args, name, a, b)
				}
			}
			if !strings.Contains(text, "\nCertified: ") || !strings.Contains(text, "150 rows, 4 columns") {
				t.Errorf("%s: %s", args, text)
			}
		}
	}
	must(t, strings.Fields("fit -k 2 -method tilsd -drop id,species,weight -model m.json data.csv")...)
	code, _, stderr := do(t, "", "certify", "-model", "m.json", "data.csv")
	if want := "softkmeans: m.json: a model of method tilsd has no prototypes; certify needs a model of " +
		"global, minvol or alternating\n"; code != 1 || stderr != want {
		t.Errorf("code %d, %q", code, stderr)
	}
}

// The verdict is on repaired memberships: it names the repair, and how far from the minimum
// the result may be.
func TestCertifyNot(t *testing.T) {
	dir := t.TempDir()
	x := writeText(t, filepath.Join(dir, "x.csv"), "0,0\n4,0\n0,4\n1,2\n")
	f := writeText(t, filepath.Join(dir, "f.csv"), "0,0\n4,0\n0,4\n")
	for _, test := range []struct {
		g    string
		code int
		says string
	}{
		{"1,0,0\n0,1,0\n0,0,1\n0,.5,.5\n", 1, "Not certified: the squared error may be above the minimum " +
			"by up to 1.01. Leave out -memberships"},
		{"1,0,0\n0,1,0\n0,0,1\n.25,.25,.75\n", 1, "repaired memberships, which differ from the given ones " +
			"by up to 0.15. Leave out"},
		{"1,0,0\n0,1,0\n-1,0,2\n.25,.25,.5\n", 0, "This is about repaired memberships, which differ from " +
			"the given ones by up to 1. Squared"},
		{"1,0,0\n0,1,0\n0,0,1\n.5,.5,1\n", 0,
			"largest error of a sum 1 rows are divided by their sums repair 0.5 "},
		{"1e150,1e150,-1e150\n0,1,0\n0,0,1\n.25,.25,.5\n", 1, "Not certified: "},
		{"1e150,1e150,1e150\n-1e150,-1e150,-1e150\n0,0,1\n.25,.25,.5\n", 1, "Not certified: "},
	} {
		g := writeText(t, filepath.Join(dir, "g.csv"), test.g)
		code, text, stderr := do(t, "", "certify", "-centers", f, "-memberships", g, x)
		if code != test.code || stderr != "" ||
			!strings.Contains(strings.Join(strings.Fields(text), " "), test.says) {
			t.Errorf("%q: code %d, %q\n%s", test.g, code, stderr, text)
		}
		code, text, _ = do(t, "", "certify", "-json", "-centers", f, "-memberships", g, x)
		if got := parseJSON[answer.Answer](t, text); code != test.code ||
			got.Certificate.Certified != (code == 0) ||
			strings.HasPrefix(got.Sentence, "Not certified: ") != (code == 1) {
			t.Errorf("%q: code %d\n%s", test.g, code, text)
		}
	}
	// Wrong row sums do not take the error below the floor: they are repaired.
	line := writeText(t, filepath.Join(dir, "line.csv"), "1\n3\n")
	one := writeText(t, filepath.Join(dir, "one.csv"), "1\n")
	g := writeText(t, filepath.Join(dir, "g.csv"), "1\n3\n")
	must(t, "certify", "-tol", "2", "-centers", one, "-memberships", g, line)
	if code, text, _ := do(t, "", "certify", "-centers", one, "-memberships", g, line); code != 1 ||
		!near(value(t, text, "objective"), 4, 1e-9) ||
		!strings.Contains(lined(text), "excess / total 1.01 excess / floor 1.01 ") ||
		!strings.Contains(text, "repair                         2") {
		t.Errorf("code %d\n%s", code, text)
	}
}

// Inputs whose certificates were false when memberships were judged as they are: far
// means, centers and row sums that a small tolerance magnifies, and mixtures that are
// nearly exact. The exit code is 0 only for the theorem.
func TestCertifyFalse(t *testing.T) {
	t.Chdir(t.TempDir())
	column := func(values ...float64) (text string) {
		for _, v := range values {
			text += fmt.Sprintf("%.17g\n", v)
		}
		return text
	}
	const far = 4e9
	small := func(x float64) string { return fmt.Sprintf("%.17g,%.17g\n", 1+x/far, -x/far) }
	for _, test := range []struct {
		name, x, f, g string
		code          int
		share         [2]float64 // of the total variance: the excess is between
		says          []string
	}{
		{"far mean, wrong center", column(1e14, 1e14+1, 1e14+2), column(1e14 + 2.875), "1\n1\n1\n", 1,
			[2]float64{5.27, 5.28}, []string{"-527 %"}},
		{"farther", column(1e15, 1e15+1, 1e15+2), column(1e15 + 2.875), "1\n1\n1\n", 1,
			[2]float64{5.27, 5.28}, []string{"-527 %"}},
		{"far mean, right center", column(1e14, 1e14+1, 1e14+2), column(1e14 + 1), "1\n1\n1\n",
			0, [2]float64{0, 1e-12}, nil},
		// The memberships of 0, 1 and 2 are those of centers 0 and -4e9, just not on the simplex.
		{"centers far apart", column(0, 1, 2), column(0, -far),
			small(0) + small(1) + small(2), 1, [2]float64{2.5, 2.51},
			[]string{"by up to 5", "smallest membership -5e-10 below 0 counts as 0"}},
		// Row sums of 1 − 1e-9 with a mean of 1e9 leave out what the mean is.
		{"row sums", column(1e9, 1e9+1, 1e9+2), column((1e9 + 1) / (1 - 1e-9)),
			"0.999999999\n0.999999999\n0.999999999\n", 1, [2]float64{1.49, 1.51},
			[]string{"by up to 1e-09", "largest error of a sum 1e-09"}},
		{"row sums, right", column(1e9, 1e9+1, 1e9+2), column(1e9 + 1),
			"0.999999999\n0.999999999\n0.999999999\n", 0, [2]float64{0, 1e-12},
			[]string{"by up to 1e-09"}},
		// The floor is 6e-12 of the total, and the error 20 to 100 times it.
		{"nearly exact", "0,0\n1,1e-6\n2,-1e-6\n3,0\n", "0,1e-5\n3,1e-5\n",
			"1,0\n.6666666666666666,.3333333333333333\n.3333333333333333,.6666666666666666\n0,1\n", 0,
			[2]float64{1e-12, 1e-9}, []string{"Certified: ", "excess / floor 2"}},
		{"exact", "0\n1\n2\n", "0\n2\n", "1,0\n.5,.5\n0,1\n", 0, [2]float64{0, 1e-12},
			[]string{"excess / floor –"}},
	} {
		writeText(t, "x.csv", test.x)
		writeText(t, "f.csv", test.f)
		writeText(t, "g.csv", test.g)
		code, text, stderr := do(t, "",
			strings.Fields("certify -header no -scale none -centers f.csv -memberships g.csv x.csv")...)
		share := value(t, text, "excess / total")
		if code != test.code || stderr != "" || strings.Contains(text, "\nCertified: ") != (code == 0) ||
			share < test.share[0] || share > 1.1*test.share[1] {
			t.Errorf("%s: code %d, %s\n%s", test.name, code, stderr, text)
		}
		for _, says := range test.says {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), says) {
				t.Errorf("%s: no %q in\n%s", test.name, says, text)
			}
		}
	}
}

func TestCertifyUsage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string { return writeText(t, filepath.Join(dir, name), text) }
	x := write("x.csv", "a,b\n0,0\n4,0\n0,4\n1,2\n")
	f := write("f.csv", "0,0\n4,0\n0,4\n")
	g := write("g.csv", "1,0,0\n0,1,0\n0,0,1\n.25,.25,.5\n")
	bare, wide := write("bare.csv", "0,0\n4,0\n0,4\n1,2\n"), write("wide.csv", "c1,c2,c3\n0,0,1\n4,0,1\n0,4,2\n")
	for _, c := range []failure{
		{"-centers " + wide + " " + bare, 1, "3 prototypes of 3 columns, but " + bare + " has 2 columns"},
		{x, 2, "-centers is missing"},
		{"-model m.json -centers " + f + " " + x, 2, "both contain prototypes"},
		{"-model m.json -scale zscore " + x, 2, "-scale: the model has its own"},
		{"-model " + g + " " + x, 1, g + ": not a model"},
		{"-centers - -memberships - " + x, 2, "standard input can be read only once"},
		{"-centers -", 2, "standard input can be read only once"},
		{"-memberships - -centers " + f, 2, "standard input can be read only once"},
		{"-tol 0 -centers " + f + " " + x, 2, "-tol: must be a number above 0"},
		{"-centers missing.csv " + x, 1, "open missing.csv: "},
		{"-centers " + f + " -memberships missing.csv " + x, 1, "open missing.csv: "},
		{"-centers " + f, 1, "<stdin>: there are no rows"},
	} {
		c.args = "certify " + c.args
		c.check(t)
	}
}

// A message about the centers or the memberships names their file.
func TestCertifyFaults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string { return writeText(t, filepath.Join(dir, name), text) }
	x := write("x.csv", "a,b\n0,0\n4,0\n0,4\n1,2\n")
	f := write("f.csv", "0,0\n4,0\n0,4\n")
	wide := write("wide.csv", "u,v,w\n0,0,1\n4,0,1\n0,4,1\n")
	short := write("short.csv", "1,0,0\n0,1,0\n0,0,1\n")
	two := write("two.csv", "1,0,0\n0,1,0\n")
	bare := write("bare.csv", "0,0\n4,0\n0,4\n1,2\n")
	labelled := write("labelled.csv", "p0,p1,p2\n1,0,0\n0,1,0\n0,0,1\n.25,.25,.5\n")
	years := write("years.csv", "0,1,2\n1,0,0\n0,1,0\n0,0,1\n.25,.25,.5\n")
	narrow := write("narrow.csv", "1,0\n0,1\n1,0\n.5,.5\n")
	bad := write("bad.csv", "label,p0,p1,p2\na,1,0,0\nb,0,1,0\nc,0,x,1\nd,.25,.25,.5\n")
	broken := write("broken.csv", "p0,q\n1,a\n")
	advised := write("advised.csv", "a,b\nx (if y),2\n")
	spaced := write("spaced.csv", "1 2\n3 4\n")
	mixed := write("mixed.csv", "1,b\n1,2\n")
	empty := write("empty.csv", "")
	for _, c := range []failure{
		{"-centers " + empty + " " + x, 1, empty + ": there are no rows"},
		{"-centers " + f + " -memberships " + empty + " " + x, 1, empty + ": there are no rows"},
		{"-centers " + dir + " " + x, 1, dir},
		{"-centers " + wide + " " + x, 1, wide + ": 3 prototypes of 3 columns, but " + x +
			" has 2 columns; give the same columns or the same names\n"},
		{"-centers " + f + " -memberships " + short + " " + x, 1,
			short + ": memberships of 3 rows, but " + x + " has 4 rows\n"},
		{"-centers " + f + " -memberships " + short + " " + bare, 1, short + ": memberships of 3 rows, but " +
			bare + " has 4 rows; if line 1 of " + bare +
			" is taken wrongly for a header or a row, give -header yes or no\n"},
		{"-header yes -centers " + f + " -memberships " + labelled + " " + bare, 1,
			labelled + ": memberships of 4 rows, but " + bare + " has 3 rows; if line 1 of " + bare +
				" is taken wrongly for a header or a row, give -header yes or no\n"},
		{"-centers " + f + " -memberships " + years + " " + x, 1, years + ": memberships of 5 rows, but " +
			x + " has 4 rows; if its first line is a header of numbers, remove it\n"},
		{"-centers " + f + " -memberships " + two + " " + x, 1,
			two + ": memberships of 2 rows, but " + x + " has 4 rows\n"},
		{"-centers " + f + " -memberships " + narrow + " " + x, 1,
			narrow + ": memberships in 2 prototypes, but " + f + " has 3 prototypes\n"},
		{"-centers " + f + " -memberships " + bad + " " + x, 1,
			bad + ":4:3: \"x\" in column \"p1\" is not a number\n"},
		{"-centers " + f + " -memberships " + broken + " " + x, 1,
			broken + ":2:2: \"a\" in column \"q\" is not a number\n"},
		{"-centers " + advised + " " + x, 1,
			advised + ":2:1: \"x (if y)\" in column \"a\" is not a number\n"},
		{"-centers " + spaced + " " + x, 1,
			spaced + ":2:1: \"3 4\" in column \"1 2\" is not a number (fields are split at ',')\n"},
		{"-centers " + mixed + " " + x, 1, mixed + ":1:2: \"b\" is not a number\n"},
	} {
		c.args = "certify " + c.args
		c.check(t)
	}
}

// An error in a file is reported without reading the rest, which may be endless.
func TestCertifyPipes(t *testing.T) {
	dir := t.TempDir()
	x := writeText(t, filepath.Join(dir, "x.csv"), "a,b\n0,0\n4,0\n0,4\n1,2\n")
	f := writeText(t, filepath.Join(dir, "f.csv"), "0,0\n4,0\n0,4\n")
	for _, test := range [][2]string{
		{"\x00", "<stdin>: this is a binary file, not text"},
		{"a,b\n1,x\n", `<stdin>:2:2: "x" in column "b" is not a number`},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), []string{"certify", "-memberships", "-", "-centers", f, x}, &repeat{test[0], 1 << 40},
			io.Discard, &stderr)
		if code != 1 || stderr.String() != "softkmeans: "+test[1]+"\n" {
			t.Errorf("code %d, %q", code, &stderr)
		}
	}
	// An interrupt ends waiting for a silent pipe.
	r, w := io.Pipe()
	defer w.Close()
	var stderr bytes.Buffer
	if code := runFor(t, 10, []string{"certify", "-centers", "-", x}, r, &stderr); code != 1 ||
		stderr.String() != "softkmeans: interrupted; no file was written\n" {
		t.Errorf("code %d, %q", code, &stderr)
	}
}
