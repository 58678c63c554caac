package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/npy"
	"softkmeans/internal/table"
)

// writeText writes a file.
func writeText(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// centersFile writes a matrix as CSV.
func centersFile(t *testing.T, path string, m *softkmeans.Matrix) string {
	t.Helper()
	names := make([]string, m.Cols)
	for j := range names {
		names[j] = table.Column(j)
	}
	return writeText(t, path, string(answer.CentersCSV(names, nil, answer.RowsOf(m))))
}

// gzipped compresses a text.
func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// runFor runs the program and interrupts it after some milliseconds.
func runFor(t *testing.T, ms int, args []string, in io.Reader, stderr io.Writer) int {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(time.Duration(ms)*time.Millisecond, cancel)
	return run(ctx, args, in, io.Discard, stderr)
}

// readInts reads a file of integers.
func readInts(t *testing.T, path string) (labels []int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range strings.Fields(string(text)) {
		v, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		labels = append(labels, v)
	}
	return labels
}

func truthFile(name string) string {
	return filepath.Join("..", "..", "testdata", name+".labels.csv")
}

func distinct(labels []int) map[int]bool {
	m := map[int]bool{}
	for _, v := range labels {
		m[v] = true
	}
	return m
}

// TestMain lets a test run the program as a process.
func TestMain(m *testing.M) {
	if os.Getenv("SOFTKMEANS_TEST_MAIN") != "" {
		main()
	}
	debug.SetGCPercent(400) // the tests make much garbage of little memory
	os.Exit(m.Run())
}

// process returns the program as a process.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes here")
	}
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), "SOFTKMEANS_TEST_MAIN=1")
	return c
}

// readers are command lines that read the table DATA and write files.
var readers = []string{
	"fit -k 2 -o out.csv -centers centers.csv -model model.json DATA",
	"fit -k 2 -stream yes -o out.csv -model model.json DATA",
	"fit -k 2 -method minvol -scale zscore -o out.csv DATA",
	"fit -k 2 -method lsd -o out.csv DATA",
	"fit -k auto -json DATA",
	"predict -model good.json -o out.csv DATA",
	"floors -o out.csv DATA",
	"floors -stream yes -json -o out.csv DATA",
	"report -k 2 -o out.html DATA",
	"unmix -k 2 -spectra out.csv -model model.json -report page.html DATA",
	"certify -centers good-centers.csv DATA",
	"certify -centers good-centers.csv -memberships good.csv -json DATA",
}

// inputs makes a folder with the other files that the readers need.
func inputs(t *testing.T) (dir string) {
	t.Helper()
	dir = inFolder(t, "1,2\n3,4\n5,7\n9,1\n")
	must(t, strings.Fields("fit -k 2 -model good.json -o good.csv -centers good-centers.csv data.csv")...)
	return dir
}

// repeat is a reader that repeats a text until left bytes are read.
type repeat struct {
	text string
	left int64
}

func (r *repeat) Read(p []byte) (n int, err error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	for n < len(p) {
		m := copy(p[n:], r.text)
		n += m
	}
	r.left -= int64(n)
	return n, nil
}

const iris = "../../testdata/iris.csv"

// irisFloor is the minimum for iris and k = 3: the sum of the two smallest eigenvalues of
// its scatter matrix, from the characteristic polynomial in exact fractions.
const irisFloor = 15.204644359438953

// value returns the number on the line of the report that begins with name.
func value(t *testing.T, report, name string) float64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(name) +
		` +(\S+?)(?: %)?(\s|$)`).FindStringSubmatch(report)
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

// parseMemberships reads what -o writes, and takes out cluster, largest and probabilities. largest must be the
// column of the largest membership, and the label it or cluster. Probabilities must be shares, those of all
// clusters add up to 1, and that of the row be its cluster's.
func parseMemberships(t *testing.T, text string) (header string, labels []int, g [][]float64) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) == 0 {
		t.Fatalf("%v in %q", err, text)
	}
	at := slices.Index(records[0], "largest")
	if at < 0 {
		t.Fatalf("%q", records[0])
	}
	from := at
	if records[0][at-1] == "cluster" {
		from--
	}
	to := at + 1
	for to < len(records[0]) && strings.HasPrefix(records[0][to], answer.ProbabilityName) {
		to++
	}
	for i, r := range records {
		if places := r[from : at+1]; i > 0 && !slices.Contains(places, r[0]) {
			t.Fatalf("%q", r)
		}
		if each := r[min(at+2, to):to]; i > 0 && to > at+1 {
			own, sum := parsed(t, r[at+1]), 0.0
			for _, v := range each {
				sum += parsed(t, v)
			}
			if !(own >= 0 && own <= 1) || len(each) > 0 && (len(each) != from-1 || !near(sum, 1, 1e-12) ||
				each[int(parsed(t, r[from]))] != r[at+1]) {
				t.Fatalf("%q", r)
			}
		}
		records[i] = slices.Concat(r[:from], r[to:])
		if i == 0 {
			continue
		}
		most := slices.MaxFunc(r[1:from], func(a, b string) int { return cmp.Compare(parsed(t, a), parsed(t, b)) })
		if place := int(parsed(t, r[at])); r[1+place] != most {
			t.Fatalf("%q", r)
		}
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

func parsed(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// files lists a folder with the first bytes of each file.
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

// writer is an io.Writer.
type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// sets are the data sets in testdata.
var sets = []string{"iris", "wine", "digits", "breast_cancer"}

func setFile(name string) string { return filepath.Join("..", "..", "testdata", name+".csv") }

// parseJSON decodes a single value without unknown fields.
func parseJSON[T any](t *testing.T, text string) (v T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more than one value in\n%s", text)
	}
	return v
}

// memory returns the number of bytes that f allocates.
func memory(f func()) uint64 {
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	f()
	runtime.ReadMemStats(&to)
	return to.TotalAlloc - from.TotalAlloc
}

// do runs the program with the given standard input and arguments.
func do(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// readTable reads a file without the dropped columns.
func readTable(t *testing.T, name string, drop ...string) *softkmeans.Matrix {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tab, err := table.Read(f, name, table.Dialect{Drop: drop})
	if err != nil {
		t.Fatal(err)
	}
	return softkmeans.NewMatrix(tab.Rows, len(tab.Names), tab.Data)
}

// inFolder changes to a new folder in which data.csv has the given text.
func inFolder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("data.csv", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// must runs the program and fails the test on an error.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := do(t, "", args...)
	if code != 0 || stderr != "" {
		t.Fatalf("%q: code %d, %s", args, code, stderr)
	}
	return stdout
}

// predicted runs predict, which may repeat the warnings of the fit, and no others.
func predicted(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := do(t, "", append([]string{"predict"}, args...)...)
	if code != 0 || stderr != "" &&
		(!strings.HasPrefix(stderr, "Warning: The fit warned: ") || strings.Count(stderr, "Warning: ") > 1) {
		t.Fatalf("%q: code %d, %s", args, code, stderr)
	}
	return stdout
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// flowers is iris with a header and columns of classes, weights and words.
func flowers(t *testing.T) string {
	var b strings.Builder
	b.WriteString("id,petal length,\"petal, width\",weight,sepal length,sepal width,species\n")
	for i, line := range strings.Fields(readFile(t, iris)) {
		f := strings.Split(line, ",")
		b.WriteString("flower " + line[:1] + "," + f[2] + "," + f[3] + "," + []string{"1", "2", "0.5"}[i%3] +
			"," + f[0] + "," + f[1] + ",s" + string(rune('a'+i/50)) + "\n")
	}
	return b.String()
}

// someRows writes every nth row of a file without a header, from the nth on, to another.
func someRows(t *testing.T, name string, nth int) (path string) {
	t.Helper()
	var b strings.Builder
	i := 0
	for line := range strings.Lines(readFile(t, name)) {
		if i++; i%nth == 0 {
			b.WriteString(line)
		}
	}
	return writeText(t, filepath.Join(t.TempDir(), "some.csv"), b.String())
}

// sameMemberships checks that two files have the same memberships.
func sameMemberships(t *testing.T, got, want string) {
	t.Helper()
	_, _, g := parseMemberships(t, readFile(t, got))
	_, _, w := parseMemberships(t, readFile(t, want))
	if len(g) != len(w) {
		t.Fatalf("%d rows, want %d", len(g), len(w))
	}
	for i := range g {
		for j := range g[i] {
			if !near(g[i][j], w[i][j], 1e-12) {
				t.Errorf("row %d: %v, want %v", i, g[i], w[i])
			}
		}
	}
}

// written returns the model that fit writes for a small table.
func written(t testing.TB, args string) string {
	t.Helper()
	dir := t.TempDir()
	data, model := filepath.Join(dir, "data.csv"), filepath.Join(dir, "model.json")
	text := "1,2\n3,4\n5,7\n"
	if strings.Contains(args, "-kernel matrix") {
		text = "1,0.5,0\n0.5,1,0\n"
	}
	if err := os.WriteFile(data, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	if code := run(t.Context(), append([]string{"fit", "-model", model, data}, strings.Fields(args)...), nil,
		io.Discard, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	out, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// runs returns usual, or long if SOFTKMEANS_LONG=1 asks for the long tests.
func runs(usual, long int) int {
	if os.Getenv("SOFTKMEANS_LONG") == "1" {
		return long
	}
	return usual
}

// writeTables writes the same mixtures as CSV and as .npy.
func writeTables(t *testing.T, dir string, n, d int) (csvPath, npyPath string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, n*d)
	var text []byte
	for i := range values {
		values[i] = math.Round(1000*random.NormFloat64())/1000 + float64(i/d%3*(i%d))
		text = strconv.AppendFloat(text, values[i], 'g', -1, 64)
		if (i+1)%d == 0 {
			text = append(text, '\n')
		} else {
			text = append(text, ',')
		}
	}
	csvPath, npyPath = filepath.Join(dir, "x.csv"), filepath.Join(dir, "x.npy")
	var array bytes.Buffer
	err := errors.Join(npy.WriteHeader(&array, n, d), npy.WriteValues(&array, values),
		os.WriteFile(csvPath, text, 0o666), os.WriteFile(npyPath, array.Bytes(), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	return csvPath, npyPath
}

// failure is a command line that must fail with an exit code and a message.
type failure struct {
	args string
	code int
	want string // part of the message
}

// check runs the command line. Nothing may go to standard output, and the message
// must begin with the name of the program, once.
func (f failure) check(t *testing.T) {
	t.Helper()
	code, stdout, stderr := do(t, "", strings.Fields(f.args)...)
	if code != f.code || stdout != "" || !strings.Contains(stderr, f.want) && !strings.Contains(lined(stderr), f.want) ||
		!strings.HasPrefix(stderr, "softkmeans: ") || strings.Count(stderr, "softkmeans: ") != 1 {
		t.Errorf("%s: code %d, %q, %q; want code %d, %q", f.args, code, stdout, stderr, f.code, f.want)
	}
}

// fullDisk is a writer whose disk is full.
var fullDisk = writer(func([]byte) (int, error) { return 0, errors.New("disk full") })

// number formats v with ten digits, as texts do.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }
