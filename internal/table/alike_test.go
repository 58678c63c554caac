package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Tables of exp(row + column + noise) have the warning if rows differ far more than columns, and are not
// named as samples or times are.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		what               string
		first, names       string
		row, column, noise float64
		want               bool
	}{
		{"genes", "name", "ctrl,drugA,drugB,wild,mutant", 2, 0.1, 0.4, true},
		{"peaks", "dataMatrix", "C100a,C100b,C100c", 1.5, 0.1, 0.2, true},
		{"names in words for samples", "name", "S1,S2,S3,S4", 1, 0.1, 0.8, true},
		{"elements of soils", "field", "Ca,Mg,K,Na,P", 0.3, 1.5, 0.4, false},
		{"exams", "student", "math,physics,music,sport", 0.15, 0.1, 0.1, false},
		{"subjects again", "person", "before,midway,after", 0.3, 0.05, 0.1, false},
		{"customers by categories", "customer", "fresh,milk,grocery,frozen,paper", 1, 0.8, 1, false},
		{"months", "customer", "Jan,Feb,Mar,Apr,May,Jun", 1, 0.1, 0.3, false},
		{"counted months", "customer", "M1,M2,M3,M4,M5,M6", 1, 0.1, 0.3, false},
		{"years", "country", "1990,1991,1992,1993", 1, 0.1, 0.3, false},
		{"patients", "patient", "a,b,c,d", 1, 0.1, 0.3, false},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		names := strings.Split(c.names, ",")
		columns := make([]float64, len(names))
		for j := range columns {
			columns[j] = c.column * r.NormFloat64()
		}
		var lines strings.Builder
		fmt.Fprintf(&lines, "%s,%s\n", c.first, c.names)
		for i := range 40 {
			fmt.Fprintf(&lines, "Q%cx%dz", 'A'+i%20, 7*i)
			row := c.row * r.NormFloat64()
			for j := range names {
				fmt.Fprintf(&lines, ",%.4g", math.Exp(4+row+columns[j]+c.noise*r.NormFloat64()))
			}
			lines.WriteByte('\n')
		}
		tab, err := Read(strings.NewReader(lines.String()), "f", Dialect{Guess: true})
		if err != nil {
			t.Fatal(c.what, err)
		}
		if notes := strings.Join(tab.Notes, "; "); strings.Contains(notes,
			"columns contain similar numbers") != c.want {
			t.Error(c.what, notes)
		}
		alike, _ := tab.agreement()
		for i := range tab.Data { // in another unit
			tab.Data[i] *= 1024
		}
		if other, _ := tab.agreement(); other != alike {
			t.Error(c.what, other, alike)
		}
	}
}
