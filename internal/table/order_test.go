package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestOrder: columns in the order of a design are told, and the same numbers in any other order are not.
func TestOrder(t *testing.T) {
	const n = 24
	designs := map[string]func(i int) float64{
		"blocks":   func(i int) float64 { return []float64{2.5, 7, 3, 5}[i/6] },
		"halves":   func(i int) float64 { return float64(3 + i/12) },
		"again":    func(i int) float64 { return float64(1 + []int{i, i - 7, i - 17}[min(i/7, 1)+i/17]) },
		"cycle":    func(i int) float64 { return float64(i%8) / 2 },
		"runs":     func(i int) float64 { return float64(i / 2 % 4) },
		"clock":    func(i int) float64 { return float64(81200 + i*i + 7*i) },
		"time":     func(i int) float64 { return 12.5 + float64(i)/16 },
		"fallen":   func(i int) float64 { return 50 - 1.25*float64(i) },
		"measured": nil, "sorted": func(i int) float64 { return 0.37 + float64(i*i)/97 }, // a measurement may be
	}
	r := rand.New(rand.NewPCG(60, 1))
	for name, design := range designs {
		order := r.Perm(n)
		text := [2]string{"a,v,w,u\n", "a,v,w,u\n"} // in order, and not
		for i := range n {
			v := [2]float64{r.NormFloat64(), r.NormFloat64()}
			if design != nil {
				v = [2]float64{design(i), design(order[i])}
			}
			for j := range text {
				text[j] += fmt.Sprintf("%.3f,%.4f,%.3f,%.3f\n", r.NormFloat64(), v[j], r.NormFloat64(), r.NormFloat64())
			}
		}
		for j, s := range text {
			got, err := Read(strings.NewReader(s), "f", Dialect{Guess: true})
			if err != nil {
				t.Fatal(err)
			}
			told := strings.Contains(strings.Join(got.Notes, "\n"), "column 2 (v) is used as data, but may be times")
			if want := j == 0 && name != "measured" && name != "sorted"; told != want {
				t.Errorf("%s, %d: %q", name, j, got.Notes)
			}
		}
	}
}

// TestOrderOfCurves: columns that rise are told if others do not, and not if most do.
func TestOrderOfCurves(t *testing.T) {
	r := rand.New(rand.NewPCG(60, 2))
	for rising := range 5 {
		text := "a,b,c,d\n"
		for i := range 12 {
			fields := make([]string, 4)
			for j := range fields {
				if fields[j] = fmt.Sprint(r.IntN(50)); j < rising {
					fields[j] = fmt.Sprint(3*i + i*i*j)
				}
			}
			text += strings.Join(fields, ",") + "\n"
		}
		got, err := Read(strings.NewReader(text), "f", Dialect{Guess: true})
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(strings.Join(got.Notes, ""), "may be times"); told != (rising == 1 ||
			rising == 2) {
			t.Errorf("%d columns rise: %q", rising, got.Notes)
		}
	}
}

// TestDoubts: a column has one warning at most, and advice does not leave one column, or none of the values.
func TestDoubts(t *testing.T) {
	number, plot, strains := "v,Sample Number\n", "v,plot\n", "strain,gene,value,group\n"
	for i := range 12 {
		number += fmt.Sprintf("%.2f,%d\n", math.Sin(float64(i)), 1+i*i%3)
		plot += fmt.Sprintf("%.2f,%d\n", math.Sin(float64(i)), i*i%3%2)
		strains += fmt.Sprintf("%d,gene%d,%.2f,%c\n", 1+i/3, 1+i%3, math.Sin(float64(i)), "tc"[i/3%2])
	}
	flags := Dialect{Guess: true, Words: Words{}.orFlags()}
	for text, name := range map[string]string{number: "(Sample Number)", plot: "(plot)"} {
		got, err := Read(strings.NewReader(text), "f", flags)
		if err != nil || strings.Count(strings.Join(got.Notes, "\n"), name+" is used as data") != 1 {
			t.Errorf("%s: %q, %v", name, got.Notes, err)
		}
	}
	for text, want := range map[string]string{
		"a,b,v\nx,p,1\ny,q,2\nx,q,3\nz,p,4\nx,p,1\ny,q,2.5\n": "without them 1 column of numbers is left",
		"a,v\n" + strings.Repeat("1.5,2\n2.5,4\n", 9) +
			"1p,3\n2p,4\n3p,5\n4p,6\n": "marks behind numbers have to be removed",
		strains: `makes a row of each sample, of column 3 (value)`,
	} {
		if _, err := Read(strings.NewReader(text), "f", flags); err == nil ||
			!strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "-drop a") || strings.Contains(err.Error(), "-drop 1,") {
			t.Errorf("%v", err)
		}
	}
}

// TestDoubted: a warning tells of a column by its name, or by its number if it has none.
func TestDoubted(t *testing.T) {
	got, err := Read(strings.NewReader(linesOf(12, "$.5,201%d,7.$,001,2.$")), "f", Dialect{Guess: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"c4": true, "c1": false, "c44": false, "c": false} {
		if got.Doubted(name) != want {
			t.Errorf("%s: %v in %q", name, !want, got.Notes)
		}
	}
	got, err = Read(strings.NewReader("x,Plot,b\n"+linesOf(12, "$.5,$,7.%d")), "f", Dialect{Guess: true})
	if err != nil || !got.Doubted("Plot") || got.Doubted("Plo") || got.Doubted("b") {
		t.Errorf("%v, %q", err, got.Notes)
	}
}
