package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans"
)

// The pipeline and the loop differ only in the order of their sums, and both agree with
// Fit of all rows.
func TestAsPlainAndAsFit(t *testing.T) {
	rows := "10000"
	if testing.Short() {
		rows = "500"
	}
	for _, enclosure := range []string{"ball", "tight"} {
		dir := t.TempDir()
		must(t, "-generate", dir+"/in", "-shards", "20", "-rows", rows, "-columns", "32")
		args := []string{"-k", "5", "-enclosure", enclosure}
		piped := must(t, append(args, "-out", dir+"/beam", dir+"/in/shard-*.csv")...)
		plain := must(t, append(args, "-out", dir+"/plain", "-plain", "-manifest", dir+"/in/manifest.csv")...)

		if got, want := tree(t, dir+"/beam"), tree(t, dir+"/plain"); !slices.Equal(got, want) || len(got) != 22 {
			t.Fatalf("%q and %q", got, want)
		}
		text, err := os.ReadFile(dir + "/beam/report.txt")
		if err != nil || string(text) != piped || !strings.Contains(piped, "\nCertified: ") || !strings.Contains(plain, "\nCertified: ") {
			t.Errorf("%v, report\n%s", err, piped)
		}
		m, n := readModel(t, dir+"/beam"), readModel(t, dir+"/plain")
		const tol = 1e-12
		if !closeTo(m.Objective, n.Objective, tol) || !closeTo(m.Floor, n.Floor, tol) || !closeTo(m.Total, n.Total, tol) {
			t.Errorf("%s: objective %v, floor %v, total %v, plainly %v, %v, %v", enclosure, m.Objective, m.Floor, m.Total, n.Objective, n.Floor, n.Total)
		}
		if off := difference(m.Centers, n.Centers); off > tol {
			t.Errorf("%s: centers differ by %g", enclosure, off)
		}

		x, g, worst := compareMemberships(t, dir)
		if worst > 1e-9 {
			t.Errorf("%s: memberships differ by %g", enclosure, worst)
		}
		t.Logf("%s: centers differ by %.1g, memberships by %.1g", enclosure, difference(m.Centers, n.Centers), worst)

		table, err := softkmeans.FromRows(x)
		if err != nil {
			t.Fatal(err)
		}
		kind := softkmeans.EnclosureBall
		if enclosure == "tight" {
			kind = softkmeans.EnclosureTight
		}
		all, err := softkmeans.Fit(t.Context(), table, 5, &softkmeans.Options{Enclosure: kind})
		if err != nil {
			t.Fatal(err)
		}
		memberships, err := softkmeans.FromRows(g)
		if err != nil {
			t.Fatal(err)
		}
		if !closeTo(m.Objective, all.Objective, 1e-10) || // both with their rounding
			difference(m.Centers, all.Centers) > 1e-9 || difference(memberships, all.Memberships) > 1e-9 {
			t.Errorf("%s: not as Fit: objective %v, %v; centers differ by %g, memberships by %g", enclosure, m.Objective, all.Objective,
				difference(m.Centers, all.Centers), difference(memberships, all.Memberships))
		}
		cert, err := softkmeans.Certify(t.Context(), table, m.Centers, memberships, nil)
		if err != nil || !cert.Optimal(0) {
			t.Errorf("%s: %+v, %v", enclosure, cert, err)
		}
	}
}

// compareMemberships compares the memberships in beam and plain, which must have the rows
// of in. It returns the rows, the memberships of beam, and their largest difference.
func compareMemberships(t *testing.T, dir string) (x, g [][]float64, worst float64) {
	t.Helper()
	for _, name := range tree(t, dir+"/beam/memberships") {
		_, shard := readNumbers(t, filepath.Join(dir, "in", name))
		header, a := readNumbers(t, filepath.Join(dir, "beam/memberships", name))
		_, b := readNumbers(t, filepath.Join(dir, "plain/memberships", name))
		if header != "label,p0,p1,p2,p3,p4" || len(a) != len(shard) || len(b) != len(shard) {
			t.Fatalf("%s: header %q, %d and %d rows", name, header, len(a), len(b))
		}
		for i := range a {
			if a[i][0] != b[i][0] || a[i][int(a[i][0])+1] != slices.Max(a[i][1:]) {
				t.Fatalf("%s: row %d is labeled %v and %v, memberships %v", name, i, a[i][0], b[i][0], a[i])
			}
			for j := range a[i] {
				worst = max(worst, math.Abs(a[i][j]-b[i][j]))
			}
			g = append(g, a[i][1:])
		}
		x = append(x, shard...)
	}
	return x, g, worst
}

func closeTo(a, b, tol float64) bool { return math.Abs(a-b) <= tol*math.Abs(b) }

// difference is the largest difference of entries, relative to the largest entry.
func difference(a, b *softkmeans.Matrix) (worst float64) {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return math.Inf(1)
	}
	size := 0.0
	for i := range a.Rows {
		for j := range a.Cols {
			worst = max(worst, math.Abs(a.At(i, j)-b.At(i, j)))
			size = max(size, math.Abs(b.At(i, j)))
		}
	}
	return worst / size
}

// Shards may have no rows, and only the first may have a header, as after a file was
// split.
func TestEmptyShardsAndHeaders(t *testing.T) {
	for _, plain := range []bool{false, true} {
		in := put(t, "a.csv", "u,v,class\n0,0,x\n1,0,y\n", "b.csv", "", "c.csv", "u,v,class\n", "d.csv", "0,1,x\n4,5,y\n", "e.csv", "\n")
		out := t.TempDir()
		args := []string{"-k", "2", "-out", out, "-label", "3", in + "/?.csv"}
		if plain {
			args = append(args, "-plain")
		}
		report := must(t, args...)
		// The scatter about the mean is 10.75 and 17, off the diagonal 12.5: its
		// smaller eigenvalue is (27.75 − √(6.25² + 25²))/2.
		if m := readModel(t, out); !closeTo(m.Objective, (27.75-math.Sqrt(6.25*6.25+25*25))/2, 1e-11) || !strings.HasPrefix(report, "5 shards, 4 rows, 2 columns; 2 centers") {
			t.Errorf("plain %v: objective %v, report\n%s", plain, m.Objective, report)
		}
		want := []string{"memberships/a.csv", "memberships/b.csv", "memberships/c.csv", "memberships/d.csv", "memberships/e.csv", "model.json", "report.txt"}
		if got := tree(t, out); !slices.Equal(got, want) {
			t.Errorf("plain %v: files %q", plain, got)
		}
		for name, n := range map[string]int{"a": 2, "b": 0, "c": 0, "d": 2, "e": 0} {
			header, rows := readNumbers(t, filepath.Join(out, "memberships", name+".csv"))
			if header != "label,p0,p1" || len(rows) != n {
				t.Errorf("plain %v: %s has header %q and %d rows", plain, name, header, len(rows))
			}
		}
	}
}

// More centers than columns, and rows that are all equal.
func TestDegenerate(t *testing.T) {
	in := put(t, "a.csv", "1,2\n1,2\n", "b.csv", "1,2\n")
	for _, k := range []string{"1", "2", "4"} {
		out := t.TempDir()
		if report := must(t, "-k", k, "-out", out, in+"/a.csv", in+"/b.csv"); !strings.Contains(report, "\nCertified: ") {
			t.Errorf("k = %s:\n%s", k, report)
		}
		if m := readModel(t, out); m.Objective != 0 || m.Total != 0 {
			t.Errorf("k = %s: objective %v, total %v", k, m.Objective, m.Total)
		}
	}
}

// An earlier result is an error before anything is read, or is replaced completely.
func TestOverwrite(t *testing.T) {
	in := put(t, "a.csv", "1,2\n3,5\n", "b.csv", "0,7\n")
	out := t.TempDir()
	args := []string{"-k", "2", "-plain", "-out", out, in + "/a.csv", in + "/b.csv"}
	must(t, args...)
	first, err := os.ReadFile(out + "/report.txt")
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := do(t.Context(), args...); code != exitFailure || !strings.Contains(stderr, "report.txt is there already") {
		t.Errorf("code %d, %s", code, stderr)
	}
	if err := os.Remove(out + "/report.txt"); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := do(t.Context(), args...); code != exitFailure || !strings.Contains(stderr, "model.json is there already, but no report: a part of a result") {
		t.Errorf("without report: code %d, %s", code, stderr)
	}
	if again := must(t, append(args, "-overwrite")...); again != string(first) {
		t.Errorf("again:\n%s", again)
	}
	// A fault in the data leaves nothing that could be taken for its result.
	if err := os.WriteFile(in+"/b.csv", []byte("0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := do(t.Context(), append(args, "-overwrite")...); code != exitFailure || len(tree(t, out)) > 0 {
		t.Errorf("code %d, files %q", code, tree(t, out))
	}
}

// The same seed gives the same shards, whatever their number.
func TestGenerate(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	must(t, "-generate", a, "-shards", "3", "-rows", "40", "-columns", "2", "-prototypes", "3", "-seed", "7")
	must(t, "-generate", b, "-shards", "2", "-rows", "40", "-columns", "2", "-prototypes", "3", "-seed", "7")
	if got := tree(t, a); !slices.Equal(got, []string{"manifest.csv", "shard-0000.csv", "shard-0001.csv", "shard-0002.csv"}) {
		t.Errorf("files %q", got)
	}
	one, _ := os.ReadFile(a + "/shard-0001.csv")
	two, _ := os.ReadFile(b + "/shard-0001.csv")
	if string(one) != string(two) || strings.Count(string(one), "\n") != 41 || !strings.HasPrefix(string(one), "x1,x2\n") {
		t.Errorf("%q and %q", one, two)
	}
	if other, _ := os.ReadFile(a + "/shard-0000.csv"); string(other) == string(one) {
		t.Error("two shards are equal")
	}
}

// Fewer shards than exist already would be mixed with the others: that is an error, and
// nothing is written. As many or more replace them.
func TestGenerateBesideOthers(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-generate", dir, "-rows", "4", "-columns", "2"}
	must(t, append(args, "-shards", "3")...)
	before, _ := os.ReadFile(dir + "/shard-0000.csv")
	code, _, stderr := do(t.Context(), append(args, "-shards", "2", "-seed", "5")...)
	if code != exitFailure || !strings.Contains(stderr, dir+"/shard-0002.csv would be mixed with the 2 shards") {
		t.Errorf("code %d, %s", code, stderr)
	}
	if after, _ := os.ReadFile(dir + "/shard-0000.csv"); string(after) != string(before) || len(tree(t, dir)) != 4 {
		t.Errorf("files %q", tree(t, dir))
	}
	must(t, append(args, "-shards", "3", "-seed", "5")...)
	if after, _ := os.ReadFile(dir + "/shard-0000.csv"); string(after) == string(before) {
		t.Error("the shard was not replaced")
	}
}
