package softkmeans

import (
	"context"
	"embed"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func randomSlice(n int, rng *rand.Rand) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// noneLeft waits for goroutines that are done to go, and fails if some stay.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	for range 60000 { // a minute: an emulated machine takes its time
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines left", runtime.NumGoroutine()-before)
}

// endingContext ends when it is looked at for the given time, so that a test can stop a computation at every
// stage.
type endingContext struct {
	context.Context
	left atomic.Int64
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func endingAt(look int) *endingContext {
	c := &endingContext{Context: bg}
	c.left.Store(int64(look))
	return c
}

// standardized returns x with columns of mean 0 and variance 1; constant columns become 0.
func standardized(x *Matrix) *Matrix {
	n := float64(x.Rows)
	mean, dev := make([]float64, x.Cols), make([]float64, x.Cols)
	for i := range x.Rows {
		axpy(mean, 1/n, x.row(i))
	}
	for i := range x.Rows {
		for j, v := range x.row(i) {
			dev[j] += (v - mean[j]) * (v - mean[j]) / n
		}
	}
	return mapped(x, func(_, j int, v float64) float64 {
		if dev[j] == 0 {
			return 0
		}
		return (v - mean[j]) / math.Sqrt(dev[j])
	})
}

// dataSet is a set of testdata/, standardized, or one of the folder that the environment names.
type dataSet struct {
	name string
	x    *Matrix
	k    int
}

func dataSets(t testing.TB) []dataSet {
	sets := []dataSet{
		{"iris", standardized(loadCSV(t, "iris")), 3}, {"wine", standardized(loadCSV(t, "wine")), 3},
		{"breast_cancer", standardized(loadCSV(t, "breast_cancer")), 2}, {"digits", standardized(loadCSV(t, "digits")), 10},
	}
	dir := os.Getenv("SOFTKMEANS_DATA")
	if dir == "" {
		return sets
	}
	for _, s := range []struct {
		name string
		k    int
	}{{"seeds", 3}, {"glass", 6}, {"ecoli", 8}, {"yeast", 10}, {"mfeat_fac", 10}, {"mfeat_fou", 10}, {"mfeat_kar", 10}, {"mfeat_mor", 10}, {"mfeat_pix", 10}, {"mfeat_zer", 10}} {
		sets = append(sets, dataSet{s.name, standardized(readCSV(t, os.DirFS(dir), s.name+".csv")), s.k})
	}
	return sets
}

// mixtures returns n samples that are mixtures, Dirichlet(α) but for those with
// a share above `most`, of k prototypes, all entries between 0 and 1.
func mixtures(n, d, k int, alpha, most float64, seed uint64) (x, prototypes *Matrix) {
	rng := rand.New(rand.NewPCG(seed, uint64(100*k+d)))
	// Marsaglia & Tsang 2000.
	var gamma func(a float64) float64
	gamma = func(a float64) float64 {
		if a < 1 {
			return gamma(a+1) * math.Pow(rng.Float64(), 1/a)
		}
		c := a - 1.0/3
		for {
			z := rng.NormFloat64()
			v := math.Pow(1+z/math.Sqrt(9*c), 3)
			if v > 0 && math.Log(rng.Float64()) < z*z/2+c-c*v+c*math.Log(v) {
				return c * v
			}
		}
	}
	prototypes, x = NewMatrix(k, d, nil), NewMatrix(n, d, nil)
	for i := range prototypes.Data {
		prototypes.Data[i] = rng.Float64()
	}
	g := make([]float64, k)
	for i := range n {
		for {
			sum := 0.0
			for j := range g {
				g[j] = gamma(alpha)
				sum += g[j]
			}
			scale(g, 1/sum)
			if slices.Max(g) <= most {
				break
			}
		}
		for j, v := range g {
			axpy(x.row(i), v, prototypes.row(j))
		}
	}
	return x, prototypes
}

// noisy adds white noise at the given ratio in dB.
func noisy(x *Matrix, db float64, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 30))
	dev := math.Sqrt(sumSquares(x.Data) / float64(len(x.Data)) / math.Pow(10, db/10))
	return mapped(x, func(_, _ int, v float64) float64 { return v + dev*rng.NormFloat64() })
}

// purest is how pure the purest sample may be; odd k take the last only, for time.
var purest = []float64{1, 0.9}

// extended reports whether tests take all sets and seeds and their full sizes, as a release has them:
//
//	SOFTKMEANS_LONG=1 go test -timeout 30m .
//
// The race detector takes ten times as long and sees the same goroutines in less.
func extended() bool {
	return os.Getenv("SOFTKMEANS_LONG") == "1" && !testing.Short() && !raceDetector
}

// raceDetector reports whether this program was built with it.
var raceDetector = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()

// quick reports whether less of the same kinds must do. Every check is the same.
func quick() bool { return !extended() }

// fewer returns `all`, or `less` in quick mode.
func fewer[T any](all, less T) T {
	if quick() {
		return less
	}
	return all
}

// head is x, of which in quick mode the first so many rows must do.
func head(x *Matrix, rows int) *Matrix {
	return rowsOf(x, 0, fewer(x.Rows, min(rows, x.Rows)))
}

// outgrown skips a test of many big numbers where the collector does not keep up.
func outgrown(t *testing.T) bool {
	if runtime.Compiler == "tinygo" {
		skip(t, "TinyGo keeps what math/big leaves, and has 4 GB in WebAssembly")
		return true
	}
	return false
}

// skip says why a test does nothing more; the caller returns. TinyGo has no Skip
// that would not fail the test.
func skip(t *testing.T, why string) {
	t.Helper()
	if runtime.Compiler == "tinygo" {
		t.Log(why)
		return
	}
	t.Skip(why)
}

var bg = context.Background()

var (
	allSolvers    = []Solver{SolverAuto, SolverGram, SolverJacobi, SolverKrylov}
	allEnclosures = []Enclosure{EnclosureBall, EnclosureTight}
	realSets      = []string{"iris", "wine", "digits", "breast_cancer"}
)

// testData is in the test program itself, for machines without files: TinyGo's WebAssembly has none.
//
//go:embed testdata/*.csv
var testData embed.FS

var loaded sync.Map // the sets that loadCSV has read

// loadCSV returns a copy of a data set of testdata.
func loadCSV(t testing.TB, name string) *Matrix {
	t.Helper()
	x, ok := loaded.Load(name)
	if !ok {
		x, _ = loaded.LoadOrStore(name, readCSV(t, testData, "testdata/"+name+".csv"))
	}
	return x.(*Matrix).Clone()
}

func readCSV(t testing.TB, files fs.FS, path string) *Matrix {
	t.Helper()
	b := mustDo(fs.ReadFile(files, path))(t)
	var rows [][]float64
	for _, line := range strings.Fields(string(b)) {
		var row []float64
		for _, f := range strings.Split(line, ",") {
			v := mustDo(strconv.ParseFloat(f, 64))(t)
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return mustDo(FromRows(rows))(t)
}

// randomData has independent normal entries times 1/(1+column), so that the
// spectrum falls, plus a mean of `mean` in every column.
func randomData(n, d int, mean float64, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 77))
	m := NewMatrix(n, d, nil)
	for i := range n {
		for j := range d {
			m.Set(i, j, mean+rng.NormFloat64()/(1+float64(j)/4))
		}
	}
	return m
}

func mapped(m *Matrix, f func(i, j int, v float64) float64) *Matrix {
	c := m.Clone()
	for i := range c.Rows {
		for j, v := range c.Row(i) {
			c.Set(i, j, f(i, j, v))
		}
	}
	return c
}

// plainObjective is Σw_i‖x_i − Σg_ij f_j‖², as printed.
func plainObjective(x, f, g *Matrix, w []float64) float64 {
	var sum float64
	rest := make([]float64, x.Cols)
	for i := range x.Rows {
		copy(rest, x.Row(i))
		for l, share := range g.Row(i) {
			for j, v := range f.Row(l) {
				rest[j] -= share * v
			}
		}
		var row float64
		for _, v := range rest {
			row += v * v
		}
		if w != nil {
			row *= w[i]
		}
		sum += row
	}
	return sum
}

// checkFeasible fails unless rows are exactly non-negative and add up to 1.
func checkFeasible(t *testing.T, g *Matrix) {
	t.Helper()
	checkShares(t, g, SumToOne)
}

// checkShares is checkFeasible, or with SumAtMostOne for rows that add up to at most 1.
func checkShares(t *testing.T, g *Matrix, sum Sum) {
	t.Helper()
	for i := range g.Rows {
		total := 0.0
		for j, v := range g.Row(i) {
			if !(v >= 0) {
				t.Fatalf("membership (%d,%d) is %g", i, j, v)
			}
			total += v
		}
		if off := float64(g.Cols) * 0x1p-52; !(total <= 1+off) || sum == SumToOne && total < 1-off {
			t.Fatalf("memberships of row %d add up to 1%+g", i, total-1)
		}
	}
}

// checkFalls fails where a trace rises.
func checkFalls(t *testing.T, what string, trace []float64) {
	t.Helper()
	for i := 1; i < len(trace); i++ {
		if trace[i] > trace[i-1] {
			t.Errorf("%s: the trace rises from %g to %g at %d", what, trace[i-1], trace[i], i)
		}
	}
}

func maxDiff(a, b *Matrix) (worst float64) {
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			worst = max(worst, math.Abs(v-b.At(i, j)))
		}
	}
	return worst
}

func product(a, b *Matrix) *Matrix {
	c := NewMatrix(a.Rows, b.Cols, nil)
	for i := range a.Rows {
		for l, v := range a.Row(i) {
			axpy(c.Row(i), v, b.Row(l))
		}
	}
	return c
}

func make1(n int) []float64 { return inTurn(n, 1) }

// inTurn has n of the values, over and over.
func inTurn(n int, values ...float64) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = values[i%len(values)]
	}
	return w
}

// canRecover is false of TinyGo's WebAssembly, which ends at a panic.
func canRecover() bool { return runtime.Compiler != "tinygo" || runtime.GOARCH != "wasm" }

// mustPanic calls f, where it can recover.
func mustPanic(t *testing.T, f func()) {
	t.Helper()
	if !canRecover() {
		return
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

// mustPanicWith is mustPanic for a panic with these words after the package's name.
func mustPanicWith(t *testing.T, want string, f func()) {
	t.Helper()
	if !canRecover() {
		return
	}
	defer func() {
		t.Helper()
		if got := recover(); got != "softkmeans: "+want {
			t.Errorf("%v, not %s", got, want)
		}
	}()
	f()
}

// mustSay expects an error with these words after the package's name.
func mustSay(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != "softkmeans: "+want {
		t.Errorf("%v, not %s", err, want)
	}
}

func abs(v int) int {
	if v < 0 {
		return -(v + 1)
	}
	return v
}

// moved is x with every entry moved by `by`.
func moved(x *Matrix, by float64) *Matrix {
	return mapped(x, func(_, _ int, v float64) float64 { return v + by })
}

func statsOf(t testing.TB, x *Matrix, w []float64) *Stats {
	t.Helper()
	var s Stats
	must(t, s.AddWeighted(x, w))
	return &s
}

// shipped is s after a way through its binary form.
func shipped(t testing.TB, s *Stats) *Stats {
	t.Helper()
	b := mustDo(s.MarshalBinary())(t)
	out := new(Stats)
	must(t, out.UnmarshalBinary(b))
	return out
}

func finiteModel(t *testing.T, m *Model) {
	t.Helper()
	finite(t, "centers", m.Centers.Data...)
	finite(t, "memberships", m.Memberships.Data...)
	finite(t, "model", m.Objective, m.Floor, m.FloorError, m.Total, m.Gap)
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// above is the next number away from 0.
func above(v float64) float64 { return math.Nextafter(v, math.Copysign(math.Inf(1), v)) }

// oneIf is 1 where it is so, otherwise 0.
func oneIf(so bool) int {
	if so {
		return 1
	}
	return 0
}

// close9 reports whether a is b to 1e-9 of itself, or to 1e-13 of the total.
func close9(a, b, total float64) bool { return math.Abs(a-b) <= max(1e-9*b, 1e-13*total) }

// scaledWeights are weights over their largest, rounded up to a power of two: those of newSamples.
func scaledWeights(w []float64, n int) []float64 {
	if w == nil {
		return make1(n)
	}
	_, exp := math.Frexp(slices.Max(w))
	out := make([]float64, n)
	for i, v := range w {
		if v = math.Ldexp(v, -exp); v >= leastScale {
			out[i] = v
		}
	}
	return out
}

// laSymmetric are symmetric matrices of one size, with a name each.
func laSymmetric(n int, rng *rand.Rand) map[string]*Matrix {
	with := func(value func(i int) float64) *Matrix { return spectral(rng, n, value) }
	wilkinson := NewMatrix(n, n, nil)
	for i := range n {
		wilkinson.Set(i, i, math.Abs(float64(i)-float64(n-1)/2))
		if i > 0 {
			wilkinson.Set(i, i-1, 1)
			wilkinson.Set(i-1, i, 1)
		}
	}
	return map[string]*Matrix{
		"zero": NewMatrix(n, n, nil), "identity": identity(n), "Wilkinson": wilkinson,
		"indefinite": with(func(int) float64 { return rng.NormFloat64() }),
		"repeated":   with(func(i int) float64 { return float64(i / 3) }),
		"graded":     with(func(i int) float64 { return math.Pow(10, -float64(i)) }),
		"rank 1":     with(func(i int) float64 { return float64(max(0, 1-i)) }),
		"tiny":       with(func(int) float64 { return 1e-149 * rng.NormFloat64() }),
		"huge":       with(func(int) float64 { return 1e149 * rng.NormFloat64() }),
		"antidiagonal": mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 {
			if i+j == n-1 {
				return 1
			}
			return 0
		}),
	}
}

// spectral is QᵀΛQ, rounded and symmetric, for a random orthogonal Q.
func spectral(rng *rand.Rand, n int, value func(i int) float64) *Matrix {
	q := laOrthogonal(n, rng)
	lambda := mapped(identity(n), func(i, _ int, v float64) float64 { return v * value(i) })
	m := product(product(q.transposed(), lambda), q)
	mirror(m.Data, n)
	return m
}

// laEigenRatios are residual and orthogonality as in laRatios, for entries of about 1.
func laEigenRatios(a *Matrix, values []float64, rows *Matrix) float64 {
	r := laRatios(a, rows.transposed(), values, rows.transposed(), 0)
	return max(r[0], r[1])
}

const laEps = 0x1p-53 // LAPACK's eps: the unit roundoff

// laOrthogonal is a random n×n orthogonal matrix.
func laOrthogonal(n int, rng *rand.Rand) *Matrix {
	m := NewMatrix(n, n, nil)
	copy(m.Data, randomSlice(len(m.Data), rng))
	orthonormalize(bg, m, 0)
	return m
}

// laNorm1 is the largest column sum of magnitudes.
func laNorm1(m *Matrix) (top float64) {
	for j := range m.Cols {
		sum := 0.0
		for i := range m.Rows {
			sum += math.Abs(m.At(i, j))
		}
		top = max(top, sum)
	}
	return top
}

// laRatios are DDRVBD's three: residual and the two orthogonality errors.
// Matrices of extreme scale are compared after scaling by 2^-exp.
func laRatios(a, u *Matrix, s []float64, v *Matrix, exp int) (ratios [3]float64) {
	m, n := a.Rows, a.Cols
	r := mapped(a, func(_, _ int, x float64) float64 { return math.Ldexp(x, -exp) })
	norm := laNorm1(r)
	for l, x := range s {
		for i := range m {
			for j := range n {
				r.Data[i*n+j] -= u.At(i, l) * math.Ldexp(x, -exp) * v.At(j, l)
			}
		}
	}
	ratios = [3]float64{laNorm1(r), orthonormality(u), orthonormality(v)}
	if norm > 0 {
		ratios[0] /= norm * float64(max(m, n)) * laEps
	}
	return ratios
}

func checkSigns(t *testing.T, v *Matrix) {
	t.Helper()
	for j := range v.Cols {
		big := 0.0
		for i := range v.Rows {
			if x := v.At(i, j); math.Abs(x) > math.Abs(big) {
				big = x
			}
		}
		if big < 0 {
			t.Errorf("column %d has its largest entry negative", j)
		}
	}
}

// laSpectrum is an m×n matrix of random singular vectors and the given values.
func laSpectrum(m, n int, values []float64, rng *rand.Rand) *Matrix {
	q1, q2 := laOrthogonal(m, rng), laOrthogonal(n, rng)
	a := NewMatrix(m, n, nil)
	for l, s := range values {
		for i := range m {
			axpy(a.Row(i), q1.At(l, i)*s, q2.Row(l))
		}
	}
	return a
}

// laStrided is a copy of m with NaN between its rows, which nothing may read or write.
func laStrided(m *Matrix) *Matrix {
	v := &Matrix{Rows: m.Rows, Cols: m.Cols, Stride: m.Cols + 3, Data: nans(m.Rows * (m.Cols + 3))}
	for i := range m.Rows {
		copy(v.Row(i), m.Row(i))
	}
	return v
}

// laSameBits reports whether two slices agree in every bit.
func laSameBits(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// laPatchwork is a symmetric n×n matrix of zeros, ones, powers of two, and
// numbers of all sizes: many coincidences.
func laPatchwork(n int, rng *rand.Rand) *Matrix {
	a := NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			var x float64
			switch rng.IntN(6) {
			case 1:
				x = 1
			case 2:
				x = -1
			case 3:
				x = math.Ldexp(rng.NormFloat64(), -rng.IntN(300))
			case 4:
				x = math.Ldexp(1, -rng.IntN(60))
			case 5:
				x = rng.NormFloat64()
			}
			a.Set(i, j, x)
			a.Set(j, i, x)
		}
	}
	return a
}

func second[A any](_ A, err error) error { return err }

// accuracyOf returns the share of labels that are right, with the best names for them.
func accuracyOf(truth, labels []int) float64 {
	k := max(slices.Max(truth), slices.Max(labels)) + 1
	shared, right := NewMatrix(k, k, nil), 0.0
	for i, c := range truth {
		shared.row(c)[labels[i]]++
	}
	for i, j := range assignment(shared) {
		right += shared.At(i, j)
	}
	return right / float64(len(truth))
}

// axpyOf returns m + a·y.
func axpyOf(m *Matrix, a float64, y *Matrix) *Matrix {
	out := m.Clone()
	axpy(out.Data, a, y.Data)
	return out
}
