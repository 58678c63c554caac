package softkmeans

// The search for false claims: what the package says of tables whose truth is cheap to know, held to that
// truth. A kind draws tables that rounding, chance or changes of the data are hardest on.
//
//	SOFTKMEANS_CLAIMS=1000 go test -v -timeout 0 -run TestClaims .
//
// makes a thousand times as many draws as go test, of up to 2^22 rows, with seeds from the clock. A false
// claim names its draw, which SOFTKMEANS_DRAW=kind/seed repeats; SOFTKMEANS_DRAW=kind makes those of a kind.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// claims counts what a kind of draws claims. It is the testing.TB of its draws, whose errors name them.
type claims struct {
	testing.TB
	kind        string
	seed        uint64
	made, wrong int
	most        int // rows of a table
}

// claimKinds are the kinds of draws, with how many go test makes.
var claimKinds = []struct {
	name  string
	draws int
	first uint64 // its seeds
	draw  func(c *claims, rng *rand.Rand)
}{
	{"pairs", 12, 25, drawPair}, {"many rows", 2, 13, drawManyRows}, {"hidden", 2, 1, drawHidden},
	{"similarities", 20, 1, drawSimilarity}, {"volumes", 3, 1, drawVolume},
	{"losses", 20, 1, drawLoss},
}

// TestClaims: of the claims of random and adversarial draws none is false.
func TestClaims(t *testing.T) {
	t.Parallel()
	if outgrown(t) {
		return
	}
	times, most, clock := 1, 1<<20, uint64(0)
	if n, err := strconv.Atoi(os.Getenv("SOFTKMEANS_CLAIMS")); err == nil {
		times, most, clock = n, 1<<22, uint64(time.Now().UnixNano())
	}
	only, number, again := strings.Cut(os.Getenv("SOFTKMEANS_DRAW"), "/")
	for _, k := range claimKinds {
		c := &claims{TB: t, kind: k.name, seed: k.first + clock, most: most}
		draws := k.draws * times
		switch {
		case only != "" && only != k.name:
			continue
		case again:
			c.seed, draws = mustDo(strconv.ParseUint(number, 10, 64))(t), 1
		}
		for range draws {
			k.draw(c, rand.New(rand.NewPCG(c.seed, 0xc1a1)))
			c.seed++
		}
		t.Logf("%-12s %9d claims of %d draws, %d false", k.name, c.made, draws, c.wrong)
	}
}

// Errorf names the draw of the first errors of a kind.
func (c *claims) Errorf(format string, args ...any) {
	c.TB.Helper()
	if c.wrong++; c.wrong <= 8 {
		c.TB.Errorf("SOFTKMEANS_DRAW='%s/%d': %s", c.kind, c.seed, fmt.Sprintf(format, args...))
	} else {
		c.TB.Fail()
	}
}

// claim fails unless a claim holds, and counts it in a search.
func claim(t testing.TB, holds bool, format string, args ...any) {
	t.Helper()
	if c, ok := t.(*claims); ok {
		c.made++
	}
	if !holds {
		t.Errorf(format, args...)
	}
}

// drawPair draws a candidate and, every other time, climbs from it towards a lie.
func drawPair(t *claims, rng *rand.Rand) {
	c := drawCandidate(rng)
	look := func(c *pairing) [4]float64 { return c.judge(t, rand.New(rand.NewPCG(1, 1))) }
	best := look(c)
	if rng.IntN(2) == 0 {
		return
	}
	goal := []int{0, 0, 0, 1, 2, 3}[rng.IntN(6)]
	for range 40 {
		next := mutated(c, rng)
		if lies := look(next); lies[goal] >= best[goal] {
			c, best = next, lies
		}
	}
}

// Uint64 makes an input a rand.Source, so that the bytes choose candidates.
func (in *input) Uint64() (v uint64) {
	for range 8 {
		v = v<<8 | uint64(in.byte())
	}
	return v
}

// FuzzFalseCertificate: the bytes draw a candidate of TestNoFalseCertificate, and the steps that change it.
func FuzzFalseCertificate(f *testing.F) {
	addMatrices(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		rng := rand.New(newInput(data))
		c := drawCandidate(rng)
		for range rng.IntN(8) {
			c = mutated(c, rng)
		}
		c.judge(t, rng)
	})
}
