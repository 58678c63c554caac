package report

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Of many rows and classes a page has some, and says so.
func TestLarge(t *testing.T) {
	const n = 1500
	r := rand.New(rand.NewPCG(1, 2))
	in := input(n, 6, func(i, j int) float64 {
		if i%3 == j%3 {
			return 1 + r.Float64()
		}
		return .1 * r.NormFloat64()
	})
	for i := range n {
		in.Table.Class = append(in.Table.Class, i%1000)
		if i < 1000 {
			in.Table.Classes = append(in.Table.Classes, "kind "+strconv.Itoa(i))
		}
	}
	page, all := made(t, in, 3)
	if len(page) > 3<<19 {
		t.Errorf("it has %d bytes", len(page))
	}
	for _, want := range []string{"1000 of 1500 rows are shown", "980 others"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := len(named(all, "tr")); n > 80 {
		t.Errorf("the tables have %d rows", n)
	}
}
