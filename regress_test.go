package softkmeans

// Seeded results, pinned: testdata/regress.txt has them to the last bit, so that no
// change of a number goes unseen. After one that is wanted
//
//	go test -run Regress -update .
//
// writes the file anew, and CHANGELOG.md says so under "Numeric results changed".
//
// The bits are those of plain builds for amd64. Elsewhere multiplications and additions are fused, vectors
// have other lengths, and functions such as math.Exp round otherwise: there the same file is compared to
// derived tolerances, and what is counted, labels among it, must be equal.

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/regress.txt
var regressText string

// pinned is a result: what is counted, as it is written, and numbers.
type pinned struct {
	name   string
	exp    bool // the result depends on math.Exp
	fields []pinnedField
}

// pinnedField is text, a number, or the entries of a matrix: their hash and a
// probe, a sum with fixed weights, that machines without the bits can compare.
type pinnedField struct {
	key, said string
	hash      uint64
	value     float64
	tol       float64 // of value, where bits differ
}

func (f pinnedField) String() string {
	switch {
	case f.said != "":
		return f.key + "=" + f.said
	case f.hash != 0:
		return fmt.Sprintf("%s=%016x/%s", f.key, f.hash, strconv.FormatFloat(f.value, 'g', -1, 64))
	}
	return f.key + "=" + strconv.FormatFloat(f.value, 'g', -1, 64)
}

func (p *pinned) text(key string, v any) {
	p.fields = append(p.fields, pinnedField{key: key, said: fmt.Sprint(v)})
}

func (p *pinned) number(key string, v, tol float64) {
	p.fields = append(p.fields, pinnedField{key: key, value: v, tol: tol})
}

// entries pins the rows of m, or if byColumn the columns. The order inside of each does not
// count: it is that of clusters. tol is the error on other machines, in lengths of m.
func (p *pinned) entries(key string, m *Matrix, byColumn bool, tol float64) {
	h := fnv.New64a()
	var b [8]byte
	var probe, square float64
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			h.Write(b[:])
			at := i
			if byColumn {
				at = j
			}
			w := math.Ldexp(float64(int32(uint32(at+1)*2654435769)), -31) // of a Weyl sequence, in [−1, 1)
			probe += w * v * v
			square += v * v
		}
	}
	// |Σw(v² − v'²)| ≤ ‖v − v'‖·‖v + v'‖, and the rounding of the sum itself.
	p.fields = append(p.fields, pinnedField{key: key, hash: h.Sum64(), value: probe, tol: (2*tol + float64(len(m.Data))*0x1p-53) * square})
}

func (p *pinned) list(key string, v []float64, tol float64) {
	p.entries(key, &Matrix{Rows: len(v), Cols: 1, Stride: 1, Data: v}, false, tol)
}

// labels pins them with the clusters in the order of their first rows.
func (p *pinned) labels(labels []int) {
	h := fnv.New64a()
	names := map[int]int{}
	for _, l := range labels {
		if _, ok := names[l]; !ok {
			names[l] = len(names)
		}
		h.Write([]byte(strconv.Itoa(names[l]) + ","))
	}
	p.text("labels", fmt.Sprintf("%016x", h.Sum64()))
}

// plainBuild reports whether this build has the bits of the file.
func plainBuild() bool {
	return runtime.GOARCH == "amd64" && runtime.Compiler == "gc" && !useSIMD && !fusesProducts(1+0x1p-30, 1-0x1p-30, -1)
}

// fusedExp reports which of two ways of rounding math.Exp has here: on amd64 it takes fused multiplications
// where the processor has them, which no build setting tells. λ of FitMinVolume is found with it.
func fusedExp(t *testing.T) bool {
	var p pinned
	v := make([]float64, 1000)
	for i := range v {
		v[i] = math.Exp(float64(i)/25 - 20)
	}
	p.list("exp", v, 0)
	switch h := p.fields[0].hash; h {
	case 0xfc14e105f4aa0ba8:
		return true
	case 0x4074079181d19076:
		return false
	default:
		t.Errorf("math.Exp has other bits than in Go 1.24 to 1.27: %016x", h)
		return false
	}
}

// regressions are all cases, in the order of the file.
func regressions(t *testing.T) (list []*pinned) {
	for k := 2; k <= 10; k += 4 {
		p := &pinned{name: "RegularSimplex " + strconv.Itoa(k)}
		p.entries("vertices", RegularSimplex(k), false, 0x1p-51) // a root and a quotient
		q := &pinned{name: "RandomOrientation " + strconv.Itoa(k)}
		q.entries("rows", RandomOrientation(k, 1), false, float64(k*k)*0x1p-52) // Gram–Schmidt
		list = append(list, p, q)
	}
	for _, set := range []struct {
		name string
		k    int
	}{{"iris", 3}, {"wine", 3}, {"breast_cancer", 2}, {"digits", 10}} {
		if quick() && set.name != "iris" && (raceDetector || set.name != "wine") {
			continue
		}
		raw := loadCSV(t, set.name)
		list = append(list, regressionsOf(t, set.name+" raw", raw, set.k)...)
		list = append(list, regressionsOf(t, set.name+" standardized", standardized(raw), set.k)...)
	}
	return list
}

func regressionsOf(t *testing.T, set string, x *Matrix, k int) (list []*pinned) {
	add := func(name string) *pinned {
		p := &pinned{name: set + ", " + name}
		list = append(list, p)
		return p
	}
	floors := mustDo(Floors(bg, x, nil))(t)
	r := roundingOf(x, floors, k)
	for _, e := range allEnclosures {
		m := mustDo(Fit(bg, x, k, &Options{Enclosure: e}))(t)
		add("Fit "+e.String()).global(m, r)
	}
	p := add("Floors")
	p.list("floors", floors, r.square)

	few := rowsOf(x, 0, min(x.Rows, 250)) // time
	for seed := range uint64(2) {
		name := " seed " + strconv.Itoa(int(seed))
		m := mustDo(FitMinVolume(bg, few, k, &MinVolumeOptions{Seed: seed}))(t)
		add("FitMinVolume"+name).iterated(t, m)
		m = mustDo(FitAlternating(bg, few, k, &MinVolumeOptions{Seed: seed}))(t)
		add("FitAlternating"+name).iterated(t, m)
	}

	few = rowsOf(x, 0, 120)
	kernel := outer(few)
	n := float64(few.Rows)
	top := mustDo(Floors(bg, few, nil))(t)
	c, err := TILSD(bg, kernel, k, &LSDOptions{Seed: 1})
	must(t, err)
	p = add("TILSD")
	p.text("status", c.Status)
	p.text("rank", c.Rank)
	p.labels(c.Labels(nil))
	// K's rounding is that of XXᵀ, n·2^-52·‖X‖² for the matrix, which its
	// square has twice; what is left is compared with Total.
	size := n * 0x1p-52 * sumSquares(few.Data)
	p.number("objective", c.Objective, 2*size*math.Sqrt(c.Total))
	p.number("floor", c.Floor, 2*size*math.Sqrt(c.Total))
	tol := size / roundingOf(few, top, k).gap
	p.number("scale", c.Scale, 2*tol*c.Scale)
	p.entries("memberships", c.Memberships, false, tol)
	if c, err = LSD(bg, kernel, k, &LSDOptions{Seed: 1, MaxIter: 100}); err != nil {
		t.Fatal(err)
	}
	// The best of several descents from random rotations: for k > 2 elsewhere another may win by a rounding
	// error, and where they end at MaxIter none is near a minimum. What is compared is the floor, and the
	// objective where they converged: Tol is when they end.
	p = add("LSD")
	p.text("rank", c.Rank)
	p.number("floor", c.Floor, 2*size*math.Sqrt(c.Total))
	loose := 1e-9 * c.Total
	if c.Status != StatusConverged {
		loose = c.Total - c.Floor
	}
	p.number("objective", c.Objective, loose)
	p.number("scale", c.Scale, math.Inf(1))
	p.entries("memberships", c.Memberships, false, math.Inf(1))
	return list
}

// global pins a model of Fit.
func (p *pinned) global(m *Model, r roundOff) {
	p.text("solver", m.Solver)
	p.text("status", m.Status)
	p.labels(m.Labels(nil))
	p.number("objective", m.Objective, r.square*m.Total)
	p.number("floor", m.Floor, r.square*m.Total)
	p.number("total", m.Total, r.square*m.Total)
	p.entries("centers", m.Centers, true, r.vectors)
	p.entries("memberships", m.Memberships, false, r.vectors)
}

// iterated pins a model of the alternating methods. Elsewhere each step adds the rounding of its sums over n
// rows, √n·2^-52, which the solution for the centers multiplies by the condition of GᵀG. Up to 100 steps
// come before those that Iterations counts.
func (p *pinned) iterated(t *testing.T, m *Model) {
	values, _, err := EigenSym(product(m.Memberships.transposed(), m.Memberships))
	must(t, err)
	n := float64(m.Memberships.Rows)
	tol := float64(m.Iterations+100) * math.Sqrt(n) * values[0] / values[len(values)-1] * 0x1p-52
	p.exp = m.Lambda > 0
	p.text("status", m.Status)
	p.text("iterations", m.Iterations)
	p.labels(m.Labels(nil))
	p.number("objective", m.Objective, tol*m.Total)
	p.number("floor", m.Floor, tol*m.Total)
	p.number("lambda", m.Lambda, tol*m.Total)
	p.number("epsilon", m.Epsilon, tol*m.Total)
	p.entries("centers", m.Centers, true, tol)
	p.entries("memberships", m.Memberships, false, tol)
	p.list("trace", m.Trace, tol)
}

// TestRegress holds results to testdata/regress.txt.
func TestRegress(t *testing.T) {
	t.Parallel()
	list := regressions(t)
	if *update {
		if !plainBuild() || !fusedExp(t) || quick() {
			t.Fatal("the file is written by a plain, complete run on amd64 with fused multiplications")
		}
		var b strings.Builder
		for _, p := range list {
			b.WriteString(p.String() + "\n")
		}
		must(t, os.WriteFile("testdata/regress.txt", []byte(b.String()), 0o644))
		return
	}
	want := map[string][]string{}
	for line := range strings.Lines(regressText) {
		name, fields, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		want[name] = strings.Split(fields, "; ")
	}
	if !quick() && len(want) != len(list) {
		t.Errorf("%d results in the file, %d here", len(want), len(list))
	}
	bits := plainBuild()
	exp := bits && fusedExp(t)
	worst, same, all := map[string]float64{}, 0, 0
	defer func() {
		t.Logf("%d of %d numbers to the bit; worst errors of the others, in tolerances: %v", same, all, worst)
	}()
	for _, p := range list {
		was := want[p.name]
		if len(was) != len(p.fields) {
			t.Errorf("%s: fields %v, in the file %v", p.name, p.fields, was)
			continue
		}
		for i, f := range p.fields {
			all++
			if f.String() == was[i] {
				same++
				continue
			}
			if !f.counted() && (!bits || !exp && p.exp) {
				off := f.off(was[i])
				_, kind, _ := strings.Cut(p.name, ", ")
				worst[kind] = max(worst[kind], off)
				if off <= 1 {
					continue
				}
				t.Errorf("%s: %s, was %s: %.2g tolerances", p.name, f, was[i], off)
				continue
			}
			t.Errorf("%s: %s, was %s", p.name, f, was[i])
		}
	}
	if t.Failed() {
		t.Error("if this change is wanted: go test -run Regress -update . on amd64, and say so in CHANGELOG.md under \"Numeric results changed\"")
	}
}

// off is the distance from what the file has, in tolerances.
func (f pinnedField) off(was string) float64 {
	i := strings.LastIndexAny(was, "=/")
	v, err := strconv.ParseFloat(was[i+1:], 64)
	if err != nil {
		return math.Inf(1)
	}
	return math.Abs(v-f.value) / f.tol
}

func (f pinnedField) counted() bool { return f.said != "" }

func (p *pinned) String() string {
	var fields []string
	for _, f := range p.fields {
		fields = append(fields, f.String())
	}
	return p.name + ": " + strings.Join(fields, "; ")
}
