package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"softkmeans"
	"softkmeans/internal/table"
)

const iris = "../../testdata/iris.csv"

// The minimum for iris and k = 3: the sum of the two smallest eigenvalues of
// its scatter matrix, from the characteristic polynomial in exact fractions.
const irisFloor = 15.204644359438953

// value finds the line of the report that begins with name, and its number.
func value(t *testing.T, report, name string) float64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(name) + ` +(\S+?)%?(\s|$)`).FindStringSubmatch(report)
	if m == nil {
		t.Fatalf("no %q in\n%s", name, report)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol }

// parseMemberships reads what -o writes.
func parseMemberships(t *testing.T, text string) (header string, labels []int, g [][]float64) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) == 0 {
		t.Fatalf("%v in %q", err, text)
	}
	for _, r := range records[1:] {
		label, err := strconv.Atoi(r[0])
		if err != nil {
			t.Fatal(err)
		}
		row := make([]float64, len(r)-1)
		for j, s := range r[1:] {
			if row[j], err = strconv.ParseFloat(s, 64); err != nil {
				t.Fatal(err)
			}
		}
		labels, g = append(labels, label), append(g, row)
	}
	return strings.Join(records[0], ","), labels, g
}

func TestFitIris(t *testing.T) {
	code, report, stderr := do(t, "", "fit", "-k", "3", iris)
	if code != 0 || stderr != "" {
		t.Fatalf("code %d, %s", code, stderr)
	}
	if want := iris + ": 150 rows, 4 columns, no header\n"; !strings.HasPrefix(report, want) {
		t.Errorf("the report does not begin with %q:\n%s", want, report)
	}
	const objective, total = irisFloor, 681.3706
	for name, want := range map[string]float64{
		"objective": objective, "floor": objective, "total variance": total, "explained": 100 * (1 - objective/total),
	} {
		if got := value(t, report, name); !near(got, want, 5e-5) || name != "explained" && !near(got, want, 1e-8) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"gap", "largest |row sum − 1|", "span error"} {
		if got := value(t, report, name); !near(got, 0, 1e-12) {
			t.Errorf("%s is %v", name, got)
		}
	}
	if got := value(t, report, "smallest membership"); got < 0 {
		t.Errorf("smallest membership is %v", got)
	}
	if !strings.Contains(report, "\nCertified: ") || !strings.Contains(report, "no choice of 3 centers and memberships can do better.\n") {
		t.Errorf("no certificate in words:\n%s", report)
	}

	// The sizes, and the centers with their six digits, are Fit's.
	x := irisMatrix(t)
	m, err := softkmeans.Fit(t.Context(), x, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	table := strings.Split(report, "\n\n")[2]
	lines := strings.Split(table, "\n")
	if got := strings.Fields(lines[0]); !slices.Equal(got, []string{"c1", "c2", "c3", "c4"}) {
		t.Errorf("columns are %q", got)
	}
	labels := m.Labels(nil)
	for j := range 3 {
		for i, s := range strings.Fields(lines[j+1])[1:] {
			if v, err := strconv.ParseFloat(s, 64); err != nil || !near(v, m.Centers.At(j, i), 5e-5) {
				t.Errorf("center %d, column %d is %s, want %v", j, i, s, m.Centers.At(j, i))
			}
		}
		size := 0
		for _, label := range labels {
			if label == j {
				size++
			}
		}
		if want := fmt.Sprintf("\n  p%-4d %8d\n", j, size); !strings.Contains(report, want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
}

func irisMatrix(t *testing.T) *softkmeans.Matrix {
	f, err := os.Open(iris)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tab, err := table.Read(f, iris, table.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	return softkmeans.NewMatrix(tab.Rows, len(tab.Names), tab.Data)
}

// The report does not depend on where the data comes from, where the flags
// stand, or how many workers there are; every solver and enclosure reaches the
// same objective.
func TestFitVariants(t *testing.T) {
	data, err := os.ReadFile(iris)
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := do(t, "", "fit", "-k", "3", iris)
	body := func(report string) string { return report[strings.IndexByte(report, '\n'):] }
	for _, args := range [][]string{
		{"-k", "3"}, {"-k=3", "-"}, {"-", "--k", "3"}, {iris, "-k", "3"}, {"-k", "3", "--", iris},
		{"-workers", "3", iris, "-k", "3"}, {"-enclosure", "ball", iris, "-solver", "auto", "-k", "3"},
	} {
		code, report, stderr := do(t, string(data), append([]string{"fit"}, args...)...)
		if code != 0 || body(report) != body(want) {
			t.Errorf("%q: code %d, %s, report\n%s", args, code, stderr, report)
		}
	}
	for _, solver := range []string{"gram", "jacobi", "krylov"} {
		for _, enclosure := range []string{"ball", "tight"} {
			code, report, stderr := do(t, "", "fit", "-k", "3", iris, "-solver", solver, "-enclosure", enclosure)
			if code != 0 || !near(value(t, report, "objective"), irisFloor, 1e-8) || !strings.Contains(report, "\nCertified: ") {
				t.Errorf("%s, %s: code %d, %s, report\n%s", solver, enclosure, code, stderr, report)
			}
		}
	}
}

// The other methods print what their functions compute, and say how far that is
// from the floor.
func TestFitMethods(t *testing.T) {
	x := irisMatrix(t)
	for _, c := range []struct {
		args []string
		fit  func() (*softkmeans.Model, error)
		says string
	}{
		{[]string{"-method", "minvol"}, func() (*softkmeans.Model, error) { return softkmeans.FitMinVolume(t.Context(), x, 3, nil) }, "The squared error is 24.9% above the least"},
		{[]string{"-method", "minvol", "-slack", "2", "-seed", "7"}, func() (*softkmeans.Model, error) {
			return softkmeans.FitMinVolume(t.Context(), x, 3, &softkmeans.MinVolumeOptions{Slack: 2, Seed: 7})
		}, "The squared error is 19"},
		{[]string{"-method", "alternating", "-workers", "1"}, func() (*softkmeans.Model, error) { return softkmeans.FitAlternating(t.Context(), x, 3, nil) }, "The squared error is 0.00034% above the least"},
	} {
		code, report, stderr := do(t, "", append([]string{"fit", "-k", "3", iris}, c.args...)...)
		if code != 0 || stderr != "" {
			t.Fatalf("%q: code %d, %s", c.args, code, stderr)
		}
		m, err := c.fit()
		if err != nil {
			t.Fatal(err)
		}
		if got := value(t, report, "objective"); !near(got, m.Objective, 1e-8) || !near(value(t, report, "floor"), irisFloor, 1e-8) {
			t.Errorf("%q: objective %v, want %v", c.args, got, m.Objective)
		}
		if !strings.Contains(report, c.says) || strings.Contains(report, "ertified") || !strings.Contains(report, m.Status.String()) {
			t.Errorf("%q: no %q in\n%s", c.args, c.says, report)
		}
	}
	// Six samples in a line for four centers: the floor is 0 and centers idle.
	code, report, stderr := do(t, "1\n1\n2\n2\n9\n9\n", "fit", "-k", "4", "-method", "minvol")
	if code != 0 || !strings.Contains(report, "% of the total variance; 4 centers could leave over nothing") || !strings.Contains(report, "\nWarning: ") {
		t.Errorf("code %d, %s\n%s", code, stderr, report)
	}
}

func TestFitNamesAndLabel(t *testing.T) {
	text := "width;species;\"Länge, cm\"\n1;a;2\n3;b;4\n5;b;7\n"
	for _, label := range []string{"species", "2"} {
		code, report, stderr := do(t, text, "fit", "-k", "2", "-label", label)
		if code != 0 {
			t.Fatal(stderr)
		}
		if want := "<stdin>: 3 rows, 2 columns, and a header; column 2 (species) is left out\n"; !strings.HasPrefix(report, want) {
			t.Errorf("the report does not begin with %q:\n%s", want, report)
		}
		if !regexp.MustCompile(`\n +width +Länge, cm\n`).MatchString(report) {
			t.Errorf("no names in\n%s", report)
		}
	}
}

func TestFitDelimiter(t *testing.T) {
	_, want, _ := do(t, "1,2\n3,4\n5,9\n", "fit", "-k", "2")
	for flag, delimiter := range map[string]string{"auto": ";", ",": ",", "tab": "\t", `\t`: "\t", "space": "  ", "|": "|", "·": "·"} {
		text := strings.ReplaceAll("1,2\n3,4\n5,9\n", ",", delimiter)
		if code, report, stderr := do(t, text, "fit", "-k", "2", "-delimiter", flag); code != 0 || report != want {
			t.Errorf("-delimiter %s: code %d, %s, report\n%s", flag, code, stderr, report)
		}
	}
}

func TestFitEdges(t *testing.T) {
	for _, test := range []struct {
		text, k string
		floor   float64
	}{
		{"1,2\n3,4\n5,9\n", "1", 34},
		{"1,2\n3,4\n5,9\n", "3", 0},
		{"1,2\n1,2\n", "2", 0},
		{"4\n", "1", 0},
		{"0.1,4\n0.1,4\n0.1,4\n", "3", 0},
		{"1\n2\n4\n", "2", 0},
		{"1e-200,0\n0,1e-200\n", "1", 0},
		{"1e200,0\n0,1e200\n", "2", 0},
	} {
		code, report, stderr := do(t, test.text, "fit", "-k", test.k)
		certified := strings.Contains(report, "\nCertified: ")
		if code != 0 || !certified || strings.Contains(report, "NaN") {
			t.Errorf("%q, k = %s: code %d, %s, report\n%s", test.text, test.k, code, stderr, report)
			continue
		}
		if strings.HasPrefix(test.text, "1e200") {
			continue // squares are out of range, the certificate is not
		}
		if got := value(t, report, "objective"); !near(got, test.floor, 1e-12) {
			t.Errorf("%q, k = %s: objective %v, want %v", test.text, test.k, got, test.floor)
		}
	}
}

func TestMemberships(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.csv")
	code, report, stderr := do(t, "", "fit", iris, "-o", path, "-k", "3")
	if code != 0 || stderr != "" || !strings.HasPrefix(report, iris) {
		t.Fatalf("code %d, stdout %q, stderr %q", code, report, stderr)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, labels, g := parseMemberships(t, string(text))
	if header != "label,p0,p1,p2" || len(g) != 150 {
		t.Errorf("header %q, %d rows", header, len(g))
	}
	m, err := softkmeans.Fit(t.Context(), irisMatrix(t), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range g {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		if !near(sum, 1, 1e-15) || slices.Min(row) < 0 {
			t.Errorf("row %d: %v adds up to %v", i, row, sum)
		}
		if labels[i] != slices.Index(row, slices.Max(row)) {
			t.Errorf("row %d: %v has label %d", i, row, labels[i])
		}
		if !slices.Equal(row, m.Memberships.Row(i)) {
			t.Errorf("row %d: %v lost digits of %v", i, row, m.Memberships.Row(i))
		}
	}

	code, stdout, stderr := do(t, "", "fit", iris, "-o", "-", "-k", "3")
	if code != 0 || stdout != string(text) || stderr != report {
		t.Errorf("-o -: code %d, stdout %.100q, stderr %.100q", code, stdout, stderr)
	}
}

// files lists a folder, with the contents.
func files(t *testing.T, dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		fmt.Fprintf(&b, "%s: %.20q\n", e.Name(), text)
	}
	return b.String()
}

// Whatever goes wrong, the folder is as it was.
func TestFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old.csv"), filepath.Join(dir, "fresh.csv")
	if err := os.WriteFile(old, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	data, err := os.ReadFile(iris)
	if err != nil {
		t.Fatal(err)
	}
	good := func() io.Reader { return bytes.NewReader(data) }
	broken := iotest.ErrReader(errors.New("disk on fire"))
	full := writer(func([]byte) (int, error) { return 0, errors.New("disk full") })
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		in   func() io.Reader
		out  io.Writer
		want string
	}{
		{"bad value", t.Context(), func() io.Reader { return strings.NewReader("1,2\n3,x\n") }, io.Discard, "<stdin>:2:2: "},
		{"bad reader", t.Context(), func() io.Reader { return io.MultiReader(good(), broken) }, io.Discard, "<stdin>: disk on fire"},
		{"report not written", t.Context(), good, full, "disk full"},
		{"interrupted", over, good, io.Discard, "interrupted"},
	} {
		for _, path := range []string{old, fresh} {
			var stderr bytes.Buffer
			code := run(test.ctx, []string{"fit", "-k", "2", "-o", path}, test.in(), test.out, &stderr)
			if code != 1 || !strings.HasPrefix(stderr.String(), "softkmeans: "+test.want) {
				t.Errorf("%s: code %d, %q", test.name, code, &stderr)
			}
			if after := files(t, dir); after != before {
				t.Errorf("%s: the folder has\n%s, before\n%s", test.name, after, before)
			}
		}
	}
	for _, path := range []string{filepath.Join(dir, "missing", "g.csv"), dir} {
		code, stdout, stderr := do(t, string(data), "fit", "-k", "2", "-o", path)
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "softkmeans: cannot write "+path+": ") {
			t.Errorf("-o %s: code %d, stdout %q, stderr %q", path, code, stdout, stderr)
		}
	}
	code, _, stderr := do(t, string(data), "fit", "-k", "2", "-o", "-", "nothing.csv")
	if code != 1 || !strings.Contains(stderr, "nothing.csv") {
		t.Errorf("code %d, %q", code, stderr)
	}
	if after := files(t, dir); after != before {
		t.Errorf("the folder has\n%s, before\n%s", after, before)
	}

	// And where nothing goes wrong, the old file is replaced.
	if code, _, stderr := do(t, string(data), "fit", "-k", "2", "-o", old); code != 0 {
		t.Fatal(stderr)
	}
	if after := files(t, dir); !strings.HasPrefix(after, `old.csv: "label,p0,p1\n`) || strings.Count(after, "\n") != 1 {
		t.Errorf("the folder has\n%s", after)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestMembershipsNotWritten(t *testing.T) {
	full := writer(func([]byte) (int, error) { return 0, errors.New("disk full") })
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"fit", "-k", "2", "-o", "-", iris}, nil, full, &stderr)
	if code != 1 || stderr.String() != "softkmeans: disk full\n" {
		t.Errorf("code %d, %q", code, &stderr)
	}
}

// More workers than there is memory for do what one does.
func TestManyWorkers(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	must(t, strings.Fields("fit -k 2 -model model.json data.csv")...)
	for _, args := range []string{"fit -k 2 data.csv", "fit -k 2 -stream yes data.csv", "fit -k 2 -method minvol data.csv", "predict -model model.json data.csv"} {
		one := must(t, append(strings.Fields(args), "-workers", "1")...)
		if many := must(t, append(strings.Fields(args), "-workers", "2000000000")...); many != one {
			t.Errorf("%s: %s\nby one: %s", args, many, one)
		}
	}
}

// Rows that are out when an error comes are whole ones.
func TestWholeLines(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	must(t, strings.Fields("fit -k 2 -model model.json data.csv")...)
	writeText(t, "bad.csv", strings.Repeat("1.5,2.25\n3,4.125\n0.7,2.3\n", 20000)+"1,x\n")
	code, stdout, _ := do(t, "", strings.Fields("predict -model model.json bad.csv")...)
	if code != 1 || len(stdout) < 1<<16 || !strings.HasSuffix(stdout, "\n") {
		t.Fatalf("code %d, %d bytes, %.40q at the end", code, len(stdout), stdout[max(0, len(stdout)-40):])
	}
	if _, _, g := parseMemberships(t, stdout); len(g) < 1000 {
		t.Errorf("%d rows", len(g))
	}
}

// A replaced file keeps its mode and stays the target of its links; a device
// is written to, not replaced.
func TestOutputKinds(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" {
		t.Skip("no modes and links here")
	}
	dir := t.TempDir()
	file, link := filepath.Join(dir, "g.csv"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("g.csv", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, os.DevNull} {
		if code, _, stderr := do(t, "", "fit", "-k", "2", iris, "-o", path); code != 0 {
			t.Fatal(stderr)
		}
	}
	info, err := os.Lstat(file)
	if err != nil || info.Mode() != 0o640 || info.Size() < 150 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", info, err)
	}
	// A link to a file that is yet to be.
	if err := os.Symlink(filepath.Join(dir, "new.csv"), filepath.Join(dir, "ahead")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("ahead", filepath.Join(dir, "farther")); err != nil {
		t.Fatal(err)
	}
	must(t, "fit", "-k", "2", iris, "-o", filepath.Join(dir, "farther"))
	if info, err := os.Lstat(filepath.Join(dir, "new.csv")); err != nil || !info.Mode().IsRegular() || info.Size() < 150 {
		t.Errorf("behind two links: %v, %v", info, err)
	}
	for _, name := range []string{"ahead", "farther"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if info, err := os.Lstat(os.DevNull); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Fatalf("the null device: %v, %v", info, err)
	}
}

// Two outputs are not the same file, whatever it is called and wherever it is, and
// none is the data.
func TestOutputNames(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" {
		t.Skip("no links here")
	}
	dir := inFolder(t, "1,2\n3,4\n5,7\n")
	for _, err := range []error{os.Mkdir("sub", 0o777), os.Symlink("sub", "link"), os.Symlink("sub/new.csv", "ahead"), os.Link("data.csv", "hard.csv"), os.Symlink("data.csv", "soft.csv")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := files(t, dir) + files(t, "sub")
	for args, want := range map[string]string{
		"-o a.csv -centers ./a.csv":                      "-o and -centers have the same file",
		"-o a.csv -centers sub/../a.csv":                 "-o and -centers have the same file",
		"-o a.csv -model " + filepath.Join(dir, "a.csv"): "-o and -model have the same file",
		"-centers sub/a.csv -model link/a.csv":           "-centers and -model have the same file",
		"-o sub/new.csv -model ahead":                    "-o and -model have the same file",
		"-o - -model -":                                  "standard output has something else already",
		"-o hard.csv":                                    "-o hard.csv would replace the data",
		"-centers soft.csv":                              "-centers soft.csv would replace the data",
		"-model link/../data.csv":                        "-model link/../data.csv would replace the data",
	} {
		code, stdout, stderr := do(t, "", append(strings.Fields("fit -k 2 data.csv"), strings.Fields(args)...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %q", args, code, stderr)
		}
		if after := files(t, dir) + files(t, "sub"); after != before {
			t.Fatalf("%s: the folder has\n%s", args, after)
		}
	}
}

// A file that is standard output by another name has the memberships alone.
func TestOutputIsStdout(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("no such files here")
	}
	inFolder(t, "1,2\n3,4\n5,7\n")
	must(t, strings.Fields("fit -k 2 -o want.csv data.csv")...)
	c := process(t, strings.Fields("fit -k 2 -o ./out.csv data.csv")...)
	out, err := os.Create("out.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var stderr bytes.Buffer
	c.Stdout, c.Stderr = out, &stderr
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if got, want := readFile(t, "out.csv"), readFile(t, "want.csv"); got != want || !strings.Contains(stderr.String(), "Certified: ") {
		t.Errorf("the file: %q\nstandard error: %q", got, &stderr)
	}
}

// Where rows go to the terminal that progress is shown on, there is none.
func TestMixed(t *testing.T) {
	a, errA := os.Create(filepath.Join(t.TempDir(), "a"))
	b, errB := os.Create(filepath.Join(t.TempDir(), "b"))
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	defer a.Close()
	defer b.Close()
	for _, test := range []struct {
		out, err io.Writer
		taken    bool
		want     bool
	}{
		{a, a, true, true}, {a, a, false, false}, {a, b, true, false}, {a, io.Discard, true, false}, {io.Discard, io.Discard, true, false},
	} {
		if got := (&outputs{stdout: test.out, taken: test.taken}).mixedWith(test.err); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// Ctrl-C works also while standard input has nothing to say.
func TestInterruptedRead(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	time.AfterFunc(10*time.Millisecond, cancel)
	var stderr bytes.Buffer
	code := run(ctx, []string{"fit", "-k", "2", "-"}, r, io.Discard, &stderr)
	if code != 1 || stderr.String() != "softkmeans: interrupted; there is no result\n" {
		t.Errorf("code %d, %q", code, &stderr)
	}
}

// What is wrong with a line is told at once, not when a pipe has ended.
func TestErrorBeforeEnd(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, "1,2\n3,x\n5")
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"fit", "-k", "2", "-workers", "2"}, r, io.Discard, &stderr)
	if code != 1 || stderr.String() != "softkmeans: <stdin>:2:2: \"x\" is not a number\n" {
		t.Errorf("code %d, %q", code, &stderr)
	}
}

// The verdict goes by the certificate, and says what is wrong.
// Centers that had to stop at the end of float64's range are warned of, whatever the
// method, and where the certificate is of scaled columns.
func TestFitEndOfRange(t *testing.T) {
	const warning = "Warning: centers at the largest number, 1.79769e+308, may have had to stop there"
	square := "1e308,1e308\n-1e308,1e308\n1e308,-1e308\n-1e308,-1e308\n1e308,1e307\n"
	for _, test := range []struct {
		args, want string
		stopped    bool
	}{
		{"-k 3", "(Solver: gram. It ended with: out of range.)", true},
		{"-k 3 -stream yes", "(Solver: gram. It ended with: out of range.)", true},
		{"-k 3 -scale zscore", "Certified: ", true},
		{"-k 3 -method alternating", "it ended with: converged.", true},
		{"-k 3 -method minvol", "it ended with: converged.", true},
		{"-k 3 -scale minmax -method minvol", "it ended with: converged.", true},
		{"-k 2 -method alternating", "it ended with: converged.", false},
		{"-k 1", "Certified: ", false},
	} {
		inFolder(t, square)
		report := must(t, append(strings.Fields("fit data.csv"), strings.Fields(test.args)...)...)
		if !strings.Contains(report, test.want) || strings.Contains(report, warning) != test.stopped {
			t.Errorf("%s:\n%s", test.args, report)
		}
	}
}

func TestVerdict(t *testing.T) {
	x := irisMatrix(t)
	m, err := softkmeans.Fit(t.Context(), x, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		spoil  func(centers, memberships *softkmeans.Matrix)
		want   string
		absent string
	}{
		{"nothing", func(f, g *softkmeans.Matrix) {}, "Certified: ", "Not"},
		{"a center moved", func(f, g *softkmeans.Matrix) { f.Set(0, 0, f.At(0, 0)+1) }, "Not certified: better centers or memberships exist, by 0.", "negative"},
		{"a row off the simplex", func(f, g *softkmeans.Matrix) { g.Set(7, 1, -0.5) }, "a membership is negative (-0.5), and the memberships of a row miss the sum of 1 by ", "Certified"},
	} {
		f, g := m.Centers.Clone(), m.Memberships.Clone()
		test.spoil(f, g)
		c, err := softkmeans.Certify(context.Background(), x, f, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := verdict(3, c, certifiedTol); !strings.Contains(got, test.want) || strings.Contains(got, test.absent) {
			t.Errorf("%s: %s", test.name, got)
		}
	}
	for _, c := range []softkmeans.Certificate{{Gap: math.NaN()}, {MinMembership: math.NaN()}, {MaxSumError: math.NaN()}, {Gap: 2e-9}, {MinMembership: -2e-9}} {
		if got := verdict(3, c, certifiedTol); !strings.HasPrefix(got, "Not certified: ") {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// What is above the minimum is never said to be at it: there may be no variance to
// take shares of, and squares may be out of range.
func TestDistance(t *testing.T) {
	for _, test := range []struct {
		unit       float64
		rows, want string
	}{
		{1, "same", "The squared error is 96; the mean of the rows as the only center leaves over 0."},
		{1, "other", "The squared error is 93.8% above the least that any 1 center can leave over."},
		{1e200, "other", "The squared error is 93.75% of the total variance above the least that any 1 center can leave over."},
		{1e-200, "other", "The squared error is 93.75% of the total variance above the least that any 1 center can leave over."},
	} {
		x := map[string][]float64{"same": {1, 2, 1, 2, 1, 2}, "other": {1, 2, 4, 6, 7, 1}}[test.rows]
		for i := range x {
			x[i] *= test.unit
		}
		c, err := softkmeans.Certify(context.Background(), softkmeans.NewMatrix(3, 2, x), softkmeans.NewMatrix(1, 2, []float64{5 * test.unit, 6 * test.unit}), softkmeans.NewMatrix(3, 1, []float64{1, 1, 1}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := distance(1, c, certifiedTol); got != test.want {
			t.Errorf("%s of %g: %s", test.rows, test.unit, got)
		}
		if got := verdict(1, c, certifiedTol); !strings.HasPrefix(got, "Not certified: better centers ") || strings.Contains(got, "e+") {
			t.Errorf("%s of %g: %s", test.rows, test.unit, got)
		}
	}
}

// A wide table is broken into blocks that together have every column once.
func TestWriteCenters(t *testing.T) {
	m := softkmeans.NewMatrix(11, 40, nil)
	names := make([]string, 40)
	for j := range names {
		names[j] = fmt.Sprintf("name%d", j)
		for i := range 11 {
			m.Set(i, j, float64(i-5)*math.Pow(10, float64(j-20)))
		}
	}
	names[3] = strings.Repeat("w", 2*lineWidth)
	var b bytes.Buffer
	writeCenters(&b, names, m)
	var header []string
	for _, block := range strings.Split(b.String(), "\n\n") {
		lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
		if len(lines) != 12 {
			t.Fatalf("%d lines in\n%s", len(lines), block)
		}
		header = append(header, strings.Fields(lines[0])...)
		for i, line := range lines {
			if len([]rune(line)) > lineWidth && !strings.Contains(block, names[3]) {
				t.Errorf("line of %d characters: %s", len(line), line)
			}
			if i > 0 && !strings.HasPrefix(line, fmt.Sprintf("  p%d ", i-1)) {
				t.Errorf("line %d is %s", i, line)
			}
			if i > 0 && len(strings.Fields(line)) != 1+len(strings.Fields(lines[0])) {
				t.Errorf("cells are missing in %s", line)
			}
		}
	}
	if !slices.Equal(header, names) {
		t.Errorf("columns %q", header)
	}
	for top, want := range map[float64]string{0: "0.00000", 1: "1.00000", 12345.678: "12345.7", 0.00123456789: "0.00123457", 1e9: "1.00000e+09", -1e-5: "-1.00000e-05", 123456789: "123456789"} {
		if got := decimals(softkmeans.NewMatrix(1, 1, []float64{top}), 0)[0]; got != want {
			t.Errorf("%v is shown as %s, want %s", top, got, want)
		}
	}
}
