package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// incomes are rows of an income and an age, the income in a unit.
func incomes(seed uint64, unit float64) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("income,age\n")
	for i := range 200 {
		fmt.Fprintf(&b, "%g,%.1f\n", unit*float64(30000+30000*(i%3)+random.IntN(5000)),
			20+25*float64(i%2)+5*random.Float64())
	}
	return b.String()
}

// predict names columns of another unit and rows that are farther out than those of the
// fit: where a file is read in blocks and where standard input is not, on standard error
// where the memberships take standard output. Other rows of the same kind raise no word.
func TestPredictWarns(t *testing.T) {
	inFolder(t, incomes(1, 1))
	far := incomes(2, 1) + "90000,300\n-20000,30\n"
	for _, args := range []string{"-method minvol", "-scale zscore -stream yes",
		"-method global -scale minmax"} {
		must(t, append(strings.Fields("fit -k 3 -model m.json data.csv"), strings.Fields(args)...)...)
		fitted := readFile(t, "m.json")
		if !strings.Contains(fitted, `"largestResidual": `) {
			t.Fatalf("%s: %s", args, fitted)
		}
		for _, test := range []struct{ text, want string }{
			{readFile(t, "data.csv"), ""},
			{incomes(2, 1000), "Warning: Column income: values 300"},
			{incomes(2, .001), "Warning: Column income: values 30."},
			{far, "Warning: "}, {"income,age\n60000,45\n", ""},
		} {
			writeText(t, "new.csv", test.text)
			_, _, blocks := do(t, "", "predict", "-model", "m.json", "new.csv")
			code, _, piped := do(t, test.text, "predict", "-model", "m.json")
			_, summary, _ := do(t, "", "predict", "-model", "m.json", "-o", "g.csv", "new.csv")
			if code != 0 || blocks != piped || !strings.Contains(summary, blocks) ||
				!strings.Contains(blocks, test.want) || test.want == "" &&
				strings.Contains(strings.Replace(blocks, "Warning: The fit warned", "", 1), "Warning: ") {
				t.Errorf("%s: code %d, %q, from a pipe %q, summary %q; want %q", args, code,
					blocks, piped, summary, test.want)
			}
			if test.text == far && (!strings.Contains(lined(blocks),
				"farther from the prototypes than any row of the fit") ||
				!strings.Contains(blocks, "row 202 (") || strings.Contains(args, "scale") &&
				!strings.Contains(blocks, "row 201 (") || strings.Contains(blocks, "unit")) {
				t.Errorf("%s: %s", args, blocks)
			}
			if strings.Contains(test.want, "Column") && (!strings.Contains(blocks, ", in the fit 30") ||
				!strings.Contains(blocks, "; another unit?\n") || strings.Contains(blocks, "column age")) {
				t.Errorf("%s: %s", args, blocks)
			}
		}
	}
	// A model of version 1 has no such figures.
	writeText(t, "m.json", `{"format": "softkmeans model", "version": 1, "method": "global", "k": 2,
		"columns": ["income", "age"], "named": true,
		"scale": "none", "centers": [[1, 2], [3, 4]], "rows": 10, "sizes": [5, 5]}`)
	if code, _, stderr := do(t, "", "predict", "-model", "m.json", "new.csv"); code != 0 || stderr != "" {
		t.Errorf("code %d, %s", code, stderr)
	}
}
