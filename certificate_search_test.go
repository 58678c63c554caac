package softkmeans

// The search for a false certificate. Candidates are tables with weights, and centers and
// memberships for them, of kinds that rounding is hardest on. Hill climbing goes on from
// them to the largest lie. Every claim is judged by the exact oracle.
//
//	SOFTKMEANS_LONG=1 SOFTKMEANS_CANDIDATES=1000000 go test -v -timeout 0 -run TestNoFalseCertificate .

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// pairing is what a certificate is asked for.
type pairing struct {
	family  string // what made the table
	pair    string // what made the pair
	x, f, g *Matrix
	w       []float64
	path    string // what computes the floor beside Certify
	sum     Sum
	truth   *truth // of x and w; nil: not known yet
}

// The ways to a floor, beside Certify's.
var floorPaths = []string{"Fit gram", "Fit jacobi", "Fit krylov", "Stats", "FitSeq gram", "FitSeq jacobi", "FitSeq krylov"}

// String is the candidate as Go has it.
func (c *pairing) String() string {
	matrix := func(m *Matrix) string {
		if len(m.Data) > 200 {
			return "of " + shape(m.Rows, m.Cols)
		}
		return fmt.Sprintf("NewMatrix(%d, %d, %#v)", m.Rows, m.Cols, m.Data)
	}
	return fmt.Sprintf("x := %s\nw := %#v\nf := %s\ng := %s // %s; %s; %s; sum %v", matrix(c.x), c.w, matrix(c.f), matrix(c.g), c.family, c.pair, c.path, c.sum)
}

// lost reports whether squares of the table are below the range of float64, in its units or
// in those of its largest entry. Nothing is accepted then, and errors are wide.
func (c *pairing) lost() bool {
	_, exp := math.Frexp(maxAbs(c.x))
	if c.w != nil {
		_, wexp := math.Frexp(slices.Max(c.w))
		exp += wexp / 2
	}
	total := c.truth.total.MantExp(nil)
	return c.truth.total.Sign() > 0 && (total < -800 || total-2*exp < -800)
}

// tally counts what was claimed, and which claims were false.
type tally struct {
	checked, wrong int
	gross          int     // of the false ones those that are so by ten times and more
	worst          float64 // of the false ones: what is true over what is claimed
	first, extreme string
	of             map[string]int // the false ones by the kind of table
}

// findings are the tallies of one search.
type findings struct {
	claims   map[string]*tally
	accepted map[string]*[2]int // pairs that are optimal to half of 1e-9, by what made them: all, and those that Optimal takes
	widest   map[string]float64 // the largest FloorError over Total, and (Excess − excess) over Total
	refusals map[string]string  // of pairs that are optimal, one of each kind
	wide     map[string]string  // where the largest are
	refused  int                // errors
	seen     int
}

func newFindings() *findings {
	return &findings{claims: map[string]*tally{}, accepted: map[string]*[2]int{}, widest: map[string]float64{}, refusals: map[string]string{}, wide: map[string]string{}}
}

// judge notes a claim: that what is true is at most what is claimed. off is what the oracle
// may be wrong by.
func (s *findings) judge(c *pairing, kind string, is, claimed, off *big.Float) (worse float64) {
	a := s.claims[kind]
	if a == nil {
		a = &tally{of: map[string]int{}}
		s.claims[kind] = a
	}
	a.checked++
	above := truthDigits.sub(is, claimed)
	if above.Cmp(off) <= 0 {
		return 0
	}
	a.wrong++
	a.of[c.family]++
	worse = math.Inf(1)
	if claimed.Sign() > 0 {
		worse = double(truthDigits.quo(is, claimed))
	}
	if worse >= 10 {
		a.gross++
	}
	if a.wrong == 1 {
		a.first = c.String()
	}
	if worse >= a.worst {
		a.worst, a.extreme = worse, c.String()
	}
	return worse
}

// The tolerances of Optimal. 0 is 1e-9.
var optimalTols = []float64{1e-12, 0, 1e-6}

// certificate judges all that Certify says of a candidate, and returns how close to a lie
// it comes: in the excess, the objective and the floor.
func (s *findings) certificate(c *pairing, start bool) (lies [3]float64) {
	s.seen++
	if c.truth == nil {
		c.truth = truthOf(c.x, c.w, c.sum)
	}
	got, err := Certify(bg, c.x, c.f, c.g, &Options{Weights: c.w, Workers: 1, Sum: c.sum})
	if err != nil {
		s.refused++
		return [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	}
	p, q, k := truthDigits, c.truth, c.f.Rows
	objective := q.objective(c.f, c.g)
	above, off := q.excess(objective, k)
	share := math.Inf(1) // of the total
	if q.total.Sign() > 0 {
		share = double(p.quo(above, q.total))
	} else if objective.Sign() == 0 {
		share = 0
	}
	for _, tol := range optimalTols {
		if got.Optimal(tol) {
			kind := fmt.Sprintf("Optimal(%g)", tol)
			if q.total.Sign() == 0 {
				kind += " of a total of 0"
			}
			s.judge(c, kind, above, p.mul(p.num(orDefault(tol, 1e-9)), q.total), off)
		}
	}
	if start && share <= 0.5e-9 && !c.lost() {
		kind := c.pair
		if strings.Count(kind, ",") > 1 {
			kind = "optimum, several defects"
		}
		a := s.accepted[kind]
		if a == nil {
			a = new([2]int)
			s.accepted[kind] = a
		}
		a[0]++
		if got.Optimal(0) {
			a[1]++
		} else {
			s.refusals[kind] = fmt.Sprintf("%g of the total is claimed as %+v:\n%s", share, got, c)
		}
	}
	s.excess(c, got, above, off)
	lies[0] = share / max(got.ExcessShare, 1e-13)
	if got.Optimal(1e-6) { // climbing stays where there are verdicts
		lies[0] += 10
	}
	lies[1] = s.objective(c, got, objective, off)
	lies[2] = s.floor(c, "Certify", got.Floor, got.FloorError, got.Total)
	return lies
}

// excess judges the excess in its three units, and what was repaired.
func (s *findings) excess(c *pairing, got Certificate, above, off *big.Float) {
	p := truthDigits
	if got.Excess < math.MaxFloat64 {
		s.judge(c, "Excess", above, p.num(got.Excess), off)
		if total := double(c.truth.total); c.pair == "optimum" && c.w == nil && total > 0 && !c.lost() {
			over := double(p.sub(p.num(got.Excess), above)) / total
			if of := "Excess of optima"; over > s.widest[of] {
				s.widest[of], s.wide[of] = over, c.String()
			}
		}
	}
	if got.ExcessShare < math.MaxFloat64 {
		s.judge(c, "ExcessShare", above, p.mul(p.num(got.ExcessShare), c.truth.total), off)
	}
	if got.ExcessFloors < math.MaxFloat64 {
		proved := p.sub(p.num(got.Floor), p.num(got.FloorError))
		if got.Floor < 0x1p-900 || got.Floor == math.MaxFloat64 { // whose digits are lost
			proved = c.truth.minimum(c.f.Rows)
		}
		s.judge(c, "ExcessFloors", above, p.mul(p.num(got.ExcessFloors), proved), off)
	}
	most := largestRepair(c.g, c.sum)
	s.judge(c, "Repair", p.num(math.Abs(got.Repair-most)), p.num(most*0x1p-48+0x1p-48), p.zero())
}

// largestRepair is the largest |g′ − g|.
func largestRepair(g *Matrix, rule Sum) (most float64) {
	for i := range g.Rows {
		sum := centringDigits.zero()
		for _, v := range g.row(i) {
			sum.Add(sum, centringDigits.num(max(v, 0)))
		}
		if one := centringDigits.num(1); rule == SumAtMostOne && sum.Cmp(one) < 0 {
			sum = one
		}
		for _, v := range g.row(i) {
			to := 1 / float64(g.Cols)
			if sum.Sign() > 0 {
				d := centringDigits.quo(centringDigits.num(max(v, 0)), sum)
				most = max(most, math.Abs(double(d.Sub(d, centringDigits.num(v)))))
				continue
			}
			most = max(most, math.Abs(to-v))
		}
	}
	return most
}

// objective judges that Certificate.Objective is not below the true one.
func (s *findings) objective(c *pairing, got Certificate, objective, off *big.Float) (lie float64) {
	if got.Objective == math.MaxFloat64 {
		return 0
	}
	claimed := truthDigits.num(got.Objective)
	s.judge(c, "Objective", objective, claimed, off)
	if claimed.Sign() == 0 {
		return 0
	}
	return double(truthDigits.quo(truthDigits.sub(objective, claimed), claimed))
}

// floor judges that Floor − FloorError is at most the minimum.
func (s *findings) floor(c *pairing, path string, floor, wide, total float64) (lie float64) {
	if max(floor, wide, total) == math.MaxFloat64 {
		return 0
	}
	p, minimum := truthDigits, c.truth.minimum(c.f.Rows)
	s.judge(c, path+": Floor", p.sub(p.num(floor), p.num(wide)), minimum, c.truth.off)
	if total > 0 {
		if of := "FloorError of " + path; wide/total > s.widest[of] && !c.lost() {
			s.widest[of], s.wide[of] = wide/total, c.String()
		}
	}
	return double(p.sub(p.num(floor), minimum)) / max(wide, math.SmallestNonzeroFloat64)
}

// model judges the floor of a fit of the candidate's table by its path.
func (s *findings) model(t testing.TB, c *pairing, rng *rand.Rand) (lie float64) {
	o := &Options{Weights: c.w, Workers: 1, Sum: c.sum}
	k := c.f.Rows
	var m *Model
	var err error
	switch {
	case c.path == "Stats":
		for i := range c.x.Rows {
			top, _ := rowMaxAbs(c.x.row(i)) // every part has a range of its own
			if top < 0x1p-300 && top > 0 {
				return 0
			}
		}
		var p *Subspace
		if p, err = treeOf(t, rng, c.x, c.w).Subspace(k, &Options{Sum: c.sum}); err == nil {
			e := new(Extent)
			if err = e.Add(p, c.x, c.w); err == nil {
				m, err = p.Model(e)
			}
		}
	case strings.HasPrefix(c.path, "Fit "):
		o.Solver = solverNamed(c.path[4:])
		m, err = Fit(bg, c.x, k, o)
	default:
		o.Solver = solverNamed(c.path[7:])
		m, err = FitSeq(bg, inBlocks(c.x, 1+rng.IntN(c.x.Rows)), k, o)
	}
	if err != nil {
		s.refused++
		return math.Inf(-1)
	}
	if gap := (m.Objective - m.Floor) / m.Total; m.Total > 0x1p-900 && max(m.Objective, m.Total) < math.MaxFloat64 {
		s.judge(c, c.path+": Gap", truthDigits.num(math.Abs(m.Gap-gap)), truthDigits.num(1e-13*(1+math.Abs(gap))), c.truth.off)
	}
	return s.floor(c, c.path, m.Floor, m.FloorError, m.Total)
}

func solverNamed(name string) Solver {
	for s := range solverCount {
		if s.String() == name {
			return s
		}
	}
	panic("no solver " + name)
}

// hunt is one worker's search: chains of candidates, each from a seed of its own.
func hunt(t testing.TB, seed uint64, count int) *findings {
	s := newFindings()
	for chain := uint64(0); s.seen < count; chain++ {
		s.chain(t, rand.New(rand.NewPCG(seed, chain)))
	}
	return s
}

// chain draws a candidate and, every other time, climbs from it towards a lie.
func (s *findings) chain(t testing.TB, rng *rand.Rand) {
	c := drawCandidate(rng)
	look := func(c *pairing, start bool) [4]float64 {
		lies := s.certificate(c, start)
		return [4]float64{lies[0], lies[1], lies[2], s.model(t, c, rand.New(rand.NewPCG(1, 1)))}
	}
	best := look(c, true)
	if rng.IntN(2) == 0 {
		return
	}
	goal := []int{0, 0, 0, 1, 2, 3}[rng.IntN(6)]
	for range 40 {
		next := mutated(c, rng)
		if lies := look(next, false); lies[goal] >= best[goal] {
			c, best = next, lies
		}
	}
}

// merge adds what another worker found.
func (s *findings) merge(other *findings) {
	s.seen, s.refused = s.seen+other.seen, s.refused+other.refused
	for kind, a := range other.claims {
		b := s.claims[kind]
		if b == nil {
			s.claims[kind] = a
			continue
		}
		b.checked, b.wrong, b.gross = b.checked+a.checked, b.wrong+a.wrong, b.gross+a.gross
		if a.worst > b.worst {
			b.worst, b.extreme = a.worst, a.extreme
		}
		if b.first == "" {
			b.first = a.first
		}
		for family, n := range a.of {
			b.of[family] += n
		}
	}
	for kind, a := range other.accepted {
		if b := s.accepted[kind]; b != nil {
			a[0], a[1] = a[0]+b[0], a[1]+b[1]
		}
		s.accepted[kind] = a
	}
	for what, v := range other.widest {
		if v > s.widest[what] {
			s.widest[what], s.wide[what] = v, other.wide[what]
		}
	}
	for kind, c := range other.refusals {
		s.refusals[kind] = c
	}
}

// TestNoFalseCertificate: of random and adversarial pairs none is called optimal that is
// not, no objective is below the true one, and no proved floor above the minimum.
func TestNoFalseCertificate(t *testing.T) {
	t.Parallel()
	if outgrown(t) {
		return
	}
	count, shards := full(200000, 4000), full(2, 1)
	if n, err := strconv.Atoi(os.Getenv("SOFTKMEANS_CANDIDATES")); err == nil {
		count = n
	}
	seed := uint64(1)
	if n, err := strconv.ParseUint(os.Getenv("SOFTKMEANS_SEED"), 10, 64); err == nil {
		seed = n
	}
	found := make([]*findings, shards)
	search := func(i int) { found[i] = hunt(t, seed*1000+uint64(i), fewer(count, count/10)/shards) }
	var wg sync.WaitGroup
	for i := 1; i < shards; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			search(i)
		}()
	}
	search(0)
	wg.Wait()
	s := found[0]
	for _, other := range found[1:] {
		s.merge(other)
	}
	s.report(t)
}

// Uint64 makes an input a rand.Source, so that the bytes choose candidates.
func (in *input) Uint64() (v uint64) {
	for range 8 {
		v = v<<8 | uint64(in.byte())
	}
	return v
}

// FuzzFalseCertificate: the bytes draw a candidate of TestNoFalseCertificate, and the steps
// that change it.
func FuzzFalseCertificate(f *testing.F) {
	addMatrices(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		rng := rand.New(newInput(data))
		s, c := newFindings(), drawCandidate(rng)
		for range rng.IntN(8) {
			c = mutated(c, rng)
		}
		s.certificate(c, false)
		s.model(t, c, rng)
		s.check(t)
	})
}

// check fails for every kind of claim that was false.
func (s *findings) check(t *testing.T) {
	t.Helper()
	for _, kind := range sortedKeys(s.claims) {
		if a := s.claims[kind]; a.wrong > 0 {
			t.Errorf("%s: %d of %d are false, by up to %g times: %v; the first and the worst:\n%s\n%s", kind, a.wrong, a.checked, a.worst, a.of, a.first, a.extreme)
		}
	}
}

// report logs all figures, and checks.
func (s *findings) report(t *testing.T) {
	t.Logf("%d candidates, %d refused", s.seen, s.refused)
	for _, kind := range sortedKeys(s.claims) {
		a := s.claims[kind]
		t.Logf("%-32s %8d claims, %6d false, %6d by ten times and more", kind, a.checked, a.wrong, a.gross)
	}
	s.check(t)
	all := [2]int{}
	for _, kind := range sortedKeys(s.accepted) {
		a := s.accepted[kind]
		t.Logf("%-28s %7d optimal, %7d accepted", kind, a[0], a[1])
		all[0], all[1] = all[0]+a[0], all[1]+a[1]
	}
	for _, kind := range sortedKeys(s.refusals) {
		t.Logf("not accepted, %s: %s", kind, s.refusals[kind])
	}
	t.Logf("in all %d optimal to 5e-10, %d accepted", all[0], all[1])
	for _, what := range sortedKeys(s.widest) {
		t.Logf("the widest %s is %.3g of the total", what, s.widest[what])
		t.Logf("at\n%s", s.wide[what])
	}
}
