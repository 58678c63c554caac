package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/answer"
)

// The one line on the scale and the bounds where nothing but bounds is taken, and what ends the line
// where more is.
const (
	onlyBounds = "columns are not standardized (-scale zscore does). Prototypes are kept at 0 or above (-bounds)"
	alsoBounds = ". Prototypes are kept at 0 or above (-bounds)"
	wideWords  = "64 columns or more, taken to be of one unit: not standardized (-scale zscore does)"
	sumWords   = "rows add up to %v, as parts of a whole: columns are not standardized (-scale zscore does)" + alsoBounds
	byDivision = "the numbers are counts divided by a number, which is undone: rows are fitted as shares and are " +
		"weighted by the sums of the counts (-scale none takes them as they are)" + alsoBounds
)

// spectraOf returns n rows of mixtures of three spectra of d columns, of which column j is of the size of
// size(j).
func spectraOf(r *rand.Rand, n, d int, size func(j int) float64) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		g := [3]float64{r.ExpFloat64(), r.ExpFloat64(), r.ExpFloat64()}
		sum := g[0] + g[1] + g[2]
		for j := range d {
			v := 0.0
			for a, share := range g {
				v += share / sum * (1 + math.Sin(float64(j)/5+2*float64(a)))
			}
			rows[i] = append(rows[i], size(j)*(v+.01*r.Float64()))
		}
	}
	return rows
}

// each returns rows with f of each entry.
func each(rows [][]float64, f func(v float64) float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		for _, v := range row {
			out[i] = append(out[i], f(v))
		}
	}
	return out
}

// sums returns rows that add up to so much.
func sums(rows [][]float64, to float64) [][]float64 {
	out := slices.Clone(rows)
	for i, row := range rows {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		out[i] = each(rows[i:i+1], func(v float64) float64 { return v / sum * to })[0]
	}
	return out
}

// TestChoices holds the one line on scale, bounds and counts of tables in which the choice is easily
// wrong, in memory and in blocks.
func TestChoices(t *testing.T) {
	t.Parallel()
	even := func(int) float64 { return 1 }
	uneven := func(j int) float64 { return math.Pow(10, float64(j%4)) }
	r := rand.New(rand.NewPCG(1, 2))
	poisson := func(m float64) (n float64) {
		for p := r.Float64(); p > math.Exp(-m); p *= r.Float64() {
			n++
		}
		return n
	}
	counts := each(spectraOf(r, 200, 30, func(j int) float64 { return 2 * float64(1+j*j/12) }), poisson)
	withLow := func(d int, least float64) [][]float64 {
		rows := spectraOf(r, 30, d, uneven)
		most := 0.0
		for _, row := range rows {
			most = max(most, slices.Max(row))
		}
		rows[3][1] = least * most
		return rows
	}
	named := func(format string, d int) (names []string) {
		for j := range d {
			names = append(names, fmt.Sprintf(format, 400+5*j))
		}
		return names
	}
	differ := "standard deviations of columns differ * standardized (-scale none leaves them). " + unbounded
	few := "column c4 has 99 % *(-scale zscore counts all columns alike, -drop 4 leaves it out)"
	for _, c := range []struct {
		name   string
		rows   [][]float64
		header []string
		flags  string
		want   string // the line; * is anything
	}{
		{"spectra", spectraOf(r, 30, 80, even), nil, "", onlyBounds},
		{"spectra, z-score asked for", spectraOf(r, 30, 80, even), nil, "-scale zscore", unbounded},
		{"spectra, as asked for", spectraOf(r, 30, 80, even), nil, "-scale none", alsoBounds[2:]},
		{"spectra, free", spectraOf(r, 30, 80, even), nil, "-bounds none", asTheyAre},
		{"63 columns", spectraOf(r, 30, 63, uneven), nil, "", differ},
		{"64 columns", spectraOf(r, 30, 64, uneven), nil, "", wideWords + alsoBounds},
		{"64 columns, -.01 of the largest", withLow(64, -.01), nil, "", wideWords + alsoBounds},
		{"64 columns, -.03 of the largest", withLow(64, -.03), nil, "", differ},
		{"9 columns, -.01 of the largest", each(withLow(9, -.01), math.Cbrt), nil, "",
			asTheyAre + ". " + unbounded},
		{"joined views, z-score asked for", spectraOf(r, 30, 64, uneven), nil, "-scale zscore", unbounded},
		{"a header of wavelengths", spectraOf(r, 30, 12, uneven), named("%d", 12), "", "columns are named by " +
			"numbers that rise or fall, as of one unit: not standardized (-scale zscore does)" + alsoBounds},
		{"one unit", spectraOf(r, 30, 12, uneven), named("at %d (mg/l)", 12), "", "columns are all in mg/l: " +
			"not standardized (-scale zscore does)" + alsoBounds},
		{"one column in another unit", spectraOf(r, 30, 4, even), []string{"a (mg/l)", "b (mg/l)", "c (mg/l)",
			"d (°C)"}, "", "columns are in different units (mg/l, °C): standardized (-scale none leaves them). " + unbounded},
		{"64 columns, one in another unit", spectraOf(r, 30, 64, even), append(named("at %d (mg/l)", 63), "T (°C)"),
			"", "columns are in different units (mg/l, °C): standardized (-scale none leaves them). " + unbounded},
		{"names that end in no unit", spectraOf(r, 30, 4, even), []string{"t_min", "t_max", "u_mm", "v"}, "",
			onlyBounds},
		{"one column larger", spectraOf(r, 30, 4, func(j int) float64 { return 1 + 14*float64(j/3) }), nil, "",
			few + alsoBounds},
		{"shares", sums(spectraOf(r, 30, 12, uneven), 1), nil, "", fmt.Sprintf(sumWords, 1)},
		{"percent", sums(spectraOf(r, 30, 12, uneven), 100), nil, "", fmt.Sprintf(sumWords, 100)},
		{"ppm", sums(spectraOf(r, 30, 12, uneven), 1e6), nil, "", fmt.Sprintf(sumWords, "1000000")},
		{"counts", counts, nil, "", "the numbers are counts: rows are fitted as shares and are weighted by their " +
			"sums (-scale none takes them as they are)" + alsoBounds},
		{"counts per million", sums(counts, 1e6), nil, "", byDivision},
		{"counts per million, rounded", each(sums(counts, 1e6), math.Round), nil, "", byDivision},
		{"counts, divided by 7.5", each(counts, func(v float64) float64 { return v / 7.5 }), nil, "", byDivision},
		{"an offset", each(spectraOf(r, 30, 9, even), func(v float64) float64 { return v + 1e6 }), nil, "", onlyBounds},
		{"all below 0", each(spectraOf(r, 30, 9, even), func(v float64) float64 { return -v - 1 }), nil, "",
			asTheyAre + ". " + unbounded},
	} {
		var b strings.Builder
		if c.header != nil {
			b.WriteString("\"" + strings.Join(c.header, "\",\"") + "\"\n")
		}
		for _, row := range c.rows {
			for j, v := range row {
				fmt.Fprintf(&b, "%s%v", []string{"", ","}[min(j, 1)], v)
			}
			b.WriteByte('\n')
		}
		name := writeText(t, t.TempDir()+"/x.csv", b.String())
		args := append(strings.Fields("fit -k 3 -json -others no -id none "+c.flags), name, "-header")
		if c.header != nil {
			args = append(args, "yes")
		} else {
			args = append(args, "no")
		}
		notes := parseJSON[answer.Answer](t, must(t, args...)).Notes
		before, after, _ := strings.Cut(c.want, "*")
		found := slices.DeleteFunc(slices.Clone(notes), func(note string) bool {
			return !strings.Contains(note, "(-scale") && !strings.Contains(note, "(-bounds")
		})
		line := strings.Join(found, "\n")
		if len(line) < len(before)+len(after) || !strings.HasPrefix(line, before) || !strings.HasSuffix(line, after) ||
			(line == "") != (c.want == "") || before == c.want && line != c.want {
			t.Errorf("%s:\n%q, not\n%q", c.name, notes, c.want)
		}
		if strings.Contains(c.flags, "-bounds") || !strings.HasSuffix(c.want, alsoBounds[2:]) ||
			strings.Contains(c.want, "counts:") || strings.Contains(c.want, "undone") ||
			strings.Contains(c.want, "add up") {
			continue
		}
		streamed := parseJSON[answer.Answer](t, must(t, append(args, "-stream", "yes")...)).Notes
		free := strings.TrimPrefix(strings.TrimSuffix(c.want, alsoBounds[2:])+freeWords, strings.TrimSuffix(onlyBounds,
			alsoBounds[2:]))
		if n := len(streamed); n == 0 || !strings.HasSuffix(streamed[n-1], free[strings.Index(free, "*")+1:]) {
			t.Errorf("%s, in blocks:\n%q, not\n%q", c.name, streamed, free)
		}
	}
}

// Rows of zeros of counts and shares are named and left out; in other tables they are rows like others.
func TestRowsOfZeros(t *testing.T) {
	counts := strings.Split(strings.TrimSpace(readFile(t, turnedCounts(t, 1))), "\n")
	inFolder(t, "")
	zeros := strings.TrimSuffix(strings.Repeat("0,", 48), ",")
	counts = slices.Insert(append(counts, zeros), 3, zeros)
	shares := func(line, by string) string {
		return strings.Join([]string{"u,v,w", ".2,.3,.5", ".1,.3,.6", line, ".7,.1,.2", ".4,.3,.3", ".2,.2,.6",
			".3,.4,.3" + by, ""}, "\n")
	}
	n := len(counts) - 1
	for _, c := range []struct {
		name, text, flags, says, empty string
		rows                           []int
	}{
		{"counts", strings.Join(counts, "\n") + "\n", "-k 4", fmt.Sprintf(
			"2 rows of zeros are left out, as zeros have no shares: row 3, row %d", n), ",,,,,,,,", []int{3, n}},
		{"shares", shares("0,0,0", ""), "-k 3", "1 row of zeros is left out, as zeros have no shares: row 3",
			",,,,,,", []int{3}},
		{"shares and gaps", shares("0,0,0", "\n,.1,.9"), "-k 3 -missing drop",
			"1 row of zeros is left out, as zeros have no shares: row 3", ",,,,,,", []int{3, 8}},
		{"counts asked for, and gaps", shares("0,0,0", "\n,.1,.9"), "-k 3 -missing drop -scale counts",
			"1 row of zeros is left out, as zeros have no shares: row 3", ",,,,,,,", []int{3}},
		{"others", shares("0,0,0", "\n7,5,3"), "-k 3", "", "", nil},
	} {
		name := writeText(t, "x.csv", c.text)
		args := append(strings.Fields("fit -json -others no -o g.csv -model m.json "+c.flags), name)
		notes := strings.Join(parseJSON[answer.Answer](t, must(t, args...)).Notes, "\n")
		if !strings.Contains(notes, c.says) || strings.Contains(notes, "of zeros") != (c.says != "") {
			t.Errorf("%s: %s", c.name, notes)
		}
		fitted := readFile(t, "g.csv")
		lines := strings.Split(fitted, "\n")
		for _, i := range c.rows {
			if lines[i] != c.empty {
				t.Errorf("%s: row %d is %s", c.name, i, lines[i])
			}
		}
		if strings.Contains(c.flags, "drop") {
			continue // new rows may lack values
		}
		if _, report, fault := do(t, "", "certify", "-model", "m.json", "-memberships", "g.csv", name); fault != "" {
			t.Errorf("%s: certify: %s%s", c.name, report, fault)
		}
		predicted(t, "-model", "m.json", "-o", "p.csv", name)
		again := readFile(t, "p.csv")
		if !strings.HasSuffix(c.empty, ",0") { // no counts: memberships differ by rounding
			label := regexp.MustCompile("(?m),.*$")
			fitted, again = label.ReplaceAllString(fitted, ""), label.ReplaceAllString(again, "")
		}
		if again != fitted {
			t.Errorf("%s: predicted are\n%.300s, not\n%.300s", c.name, again, fitted)
		}
	}
}
