package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans/internal/answer"
	"softkmeans/internal/npy"
	"softkmeans/internal/view"
)

// shares reads the columns of these names from memberships, and the labels.
func shares(t *testing.T, text string, names ...string) (g [][]float64, labels []string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for j, name := range lines[0] {
		at[name] = j
	}
	for _, line := range lines[1:] {
		row := make([]float64, len(names))
		for j, name := range names {
			place, ok := at[name]
			if !ok {
				t.Fatalf("no column %q in %q", name, lines[0])
			}
			row[j] = math.NaN()
			if line[place] != "" {
				if row[j], err = strconv.ParseFloat(line[place], 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		g, labels = append(g, row), append(labels, line[at[answer.LabelName]])
	}
	return g, labels
}

// sameShares fails where shares differ by more than tol.
func sameShares(t *testing.T, what string, got, want [][]float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, not %d", what, len(got), len(want))
	}
	for i := range want {
		for j, v := range want[i] {
			if !near(got[i][j], v, tol) {
				t.Fatalf("%s: row %d is %v, not %v", what, i+1, got[i], want[i])
			}
		}
	}
}

// mixtures are made of sources: their shares are known.
type mixtures struct {
	columns, names []string
	sources, g, x  [][]float64
}

func newMixtures(n, k, d int, seed uint64) *mixtures {
	r := rand.New(rand.NewPCG(seed, 0))
	m := &mixtures{}
	for j := range d {
		m.columns = append(m.columns, fmt.Sprintf("v%d", j))
	}
	for j := range k {
		m.names = append(m.names, fmt.Sprintf("source %c", 'A'+j))
		f := make([]float64, d)
		for c := range f {
			f[c] = 10 * r.Float64()
		}
		m.sources = append(m.sources, f)
	}
	for range n {
		g, x, sum := make([]float64, k), make([]float64, d), 0.0
		for j := range g {
			g[j] = r.ExpFloat64()
			if r.IntN(3) == 0 && j > 0 {
				g[j] = 0
			}
			sum += g[j]
		}
		for j := range g {
			g[j] /= sum
			for c, v := range m.sources[j] {
				x[c] += g[j] * v
			}
		}
		m.g, m.x = append(m.g, g), append(m.x, x)
	}
	return m
}

// csvOf writes a table with names of its rows, if they are not nil.
func csvOf(corner string, columns, names []string, rows [][]float64) string {
	var b strings.Builder
	if columns != nil {
		if names != nil {
			b.WriteString(corner + ",")
		}
		b.WriteString(strings.Join(columns, ",") + "\n")
	}
	for i, row := range rows {
		if names != nil {
			b.WriteString(names[i] + ",")
		}
		for j, v := range row {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func turnedRows(rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows[0]))
	for j := range out {
		for _, row := range rows {
			out[j] = append(out[j], row[j])
		}
	}
	return out
}

func numberedNames(what string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("%s%d", what, i+1))
	}
	return names
}

// Shares in known prototypes are those that the rows are made of, whichever way either file has
// its columns, and in all forms of the file of prototypes.
func TestKnown(t *testing.T) {
	m := newMixtures(40, 4, 7, 3)
	inFolder(t, csvOf("", m.columns, nil, m.x))
	samples := numberedNames("s", len(m.x))
	writeText(t, "bare.csv", csvOf("", nil, nil, m.x))
	writeText(t, "ids.csv", csvOf("sample", m.columns, samples, m.x))
	writeText(t, "across.csv", csvOf("variable", samples, m.columns, turnedRows(m.x)))
	last := len(m.columns) - 1
	var other strings.Builder // the columns from the last to the first, with others around
	fmt.Fprintf(&other, "batch,v%d,note,", last)
	for j := last - 1; j >= 0; j-- {
		fmt.Fprintf(&other, "v%d,", j)
	}
	other.WriteString("more\n")
	for i, row := range m.x {
		fmt.Fprintf(&other, "%d,%v,n%d,", i%3, row[last], i%2)
		for j := last - 1; j >= 0; j-- {
			fmt.Fprintf(&other, "%v,", row[j])
		}
		other.WriteString("7\n")
	}
	writeText(t, "other.csv", other.String())

	writeText(t, "library.csv", csvOf("name", m.columns, m.names, m.sources))
	writeText(t, "turned.tsv", strings.ReplaceAll(csvOf("variable", m.names, m.columns,
		turnedRows(m.sources)), ",", "\t"))
	writeText(t, "more.csv", csvOf("name", append([]string{"n"}, m.columns...), m.names,
		turnedRows(append([][]float64{{9, 9, 8, 9}}, turnedRows(m.sources)...))))
	writeText(t, "plain.csv", csvOf("", nil, nil, m.sources))
	writeText(t, "library.csv.gz", gzipped(t, readFile(t, "library.csv")))
	var b strings.Builder
	b.WriteString(npy.HeaderText(4, 7))
	for _, row := range m.sources {
		if err := npy.WriteValues(&b, row); err != nil {
			t.Fatal(err)
		}
	}
	writeText(t, "library.npy", b.String())
	p := []string{"p0", "p1", "p2", "p3"}
	for _, c := range []struct {
		centers, rows string
		names         []string
	}{
		{"library.csv", "data.csv", m.names}, {"library.csv", "bare.csv", m.names},
		{"library.csv", "ids.csv", m.names}, {"library.csv", "across.csv", m.names},
		{"library.csv", "other.csv", m.names}, {"turned.tsv", "data.csv", m.names},
		{"turned.tsv", "across.csv", m.names}, {"turned.tsv", "other.csv", m.names},
		{"library.csv.gz", "ids.csv", m.names}, {"more.csv", "data.csv", m.names},
		{"more.csv", "other.csv", m.names},
		{"plain.csv", "bare.csv", p}, {"plain.csv", "data.csv", p}, {"library.npy", "ids.csv", p},
		{"library.npy", "bare.csv", p},
	} {
		what := c.centers + ", " + c.rows
		text := must(t, "predict", "-centers", c.centers, "-o", "g.csv", c.rows)
		if !strings.Contains(text, "No row is outside of the prototypes") {
			t.Errorf("%s: %s", what, text)
		}
		g, labels := shares(t, readFile(t, "g.csv"), c.names...)
		sameShares(t, what, g, m.g, 1e-12)
		for i, label := range labels {
			for j, v := range m.g[i] {
				if c.names[j] != label && v > g[i][indexOf(c.names, label)]+1e-12 {
					t.Fatalf("%s: row %d, %v, is labelled %s", what, i+1, g[i], label)
				}
			}
		}
	}
	// A column of the rows that -drop names is no column of the prototypes either.
	fewer := must(t, strings.Fields("predict -drop v3 -centers library.csv -o g.csv ids.csv")...)
	g, _ := shares(t, readFile(t, "g.csv"), m.names...)
	sameShares(t, "-drop v3", g, m.g, 1e-12)
	if !strings.Contains(fewer,
		"6 columns joined by name with library.csv; its column v3 is not used.") {
		t.Error(fewer)
	}
	// -names gives names as a header does.
	must(t, strings.Fields("predict -names v0,v1,v2,v3,v4,v5,v6 -centers turned.tsv -o g.csv bare.csv")...)
	g, _ = shares(t, readFile(t, "g.csv"), m.names...)
	sameShares(t, "-names", g, m.g, 1e-12)
	text := must(t, strings.Fields("predict -centers library.csv -o g.csv other.csv")...)
	if !strings.Contains(text, "Columns that the prototypes lack are left out: batch, note, more; "+
		"-keep carries such along.") {
		t.Error(text)
	}
	// The page of report saves prototypes with the means and deviations of columns before them.
	page := append([][]float64{{5, 4, 5, 6, 7, 5, 5}, {1, 2, 1, 1, 2, 1, 1}}, m.sources...)
	writeText(t, "page.csv", csvOf("column", append([]string{"mean", "deviation"}, p...), m.columns,
		turnedRows(page)))
	must(t, strings.Fields("predict -centers page.csv -o g.csv data.csv")...)
	g, _ = shares(t, readFile(t, "g.csv"), p...)
	sameShares(t, "page.csv", g, m.g, 1e-12)
	if head, _, _ := strings.Cut(readFile(t, "g.csv"), "\n"); head != "label,p0,p1,p2,p3,residual,outside" {
		t.Error(head)
	}
	// Sparse rows with names and one column more.
	mm := "%%MatrixMarket matrix array real general\n40 8\n"
	for _, column := range append(turnedRows(m.x), make([]float64, 40)) {
		for _, v := range column {
			mm += fmt.Sprintln(v)
		}
	}
	writeText(t, "x.mtx", mm)
	more := must(t, strings.Fields("predict -names v0,v1,v2,v3,v4,v5,v6,w "+
		"-centers library.csv -o g.csv x.mtx")...)
	g, _ = shares(t, readFile(t, "g.csv"), m.names...)
	sameShares(t, "x.mtx", g, m.g, 1e-12)
	if !strings.Contains(more, "7 columns joined by name with library.csv.") {
		t.Error(more)
	}
	// As names of columns numbers may be written in any way, and be those of a first column.
	numbers := []string{"400", "410.0", "4.2e2", "430", "440", "450", "460"}
	waves := []string{"400", "410", "420", "430.00", "440", "450", "460"}
	writeText(t, "waves.csv", csvOf("", waves, nil, m.x))
	writeText(t, "axis.csv", csvOf("wavelength", m.names, numbers, turnedRows(m.sources)))
	writeText(t, "sites.csv", csvOf("site", waves, samples, m.x))
	writeText(t, "words.csv", csvOf("name", numbers, m.names, m.sources))
	for _, args := range []string{"axis.csv waves.csv", "axis.csv sites.csv", "words.csv waves.csv",
		"words.csv sites.csv"} {
		must(t, append([]string{"predict", "-o", "g.csv", "-centers"}, strings.Fields(args)...)...)
		g, _ := shares(t, readFile(t, "g.csv"), m.names...)
		sameShares(t, args, g, m.g, 1e-12)
	}
}

func indexOf(names []string, name string) int {
	for i, s := range names {
		if s == name {
			return i
		}
	}
	return -1
}

// The file of prototypes may be a model, whose shares are those of -model.
func TestKnownModel(t *testing.T) {
	m := newMixtures(60, 3, 5, 4)
	inFolder(t, csvOf("", m.columns, nil, m.x))
	must(t, strings.Fields("fit -k 3 -method global -scale zscore -model m.json data.csv")...)
	must(t, strings.Fields("predict -model m.json -o a.csv data.csv")...)
	must(t, strings.Fields("predict -centers m.json -o b.csv data.csv")...)
	if a, b := readFile(t, "a.csv"), readFile(t, "b.csv"); a != b {
		t.Errorf("%s\n%s", a, b)
	}
	// Four prototypes in a plane: shares are open.
	writeText(t, "flat.csv", csvOf("", []string{"a", "b"}, nil,
		[][]float64{{0, 0}, {4, 0}, {0, 4}, {4, 4}, {2, 2}, {1, 3}, {2, 1}}))
	must(t, strings.Fields("fit -k 4 -method alternating -scale none -model flat.json flat.csv")...)
	must(t, strings.Fields("predict -model flat.json -o a.csv flat.csv")...)
	text := must(t, strings.Fields("predict -centers flat.json -o b.csv flat.csv")...)
	if !strings.Contains(strings.ReplaceAll(text, "\n", " "),
		"Shares are not unique: the columns determine the shares of at most 3 prototypes, and there are 4.") {
		t.Error(text)
	}
	names := view.Names(4)
	a, _ := shares(t, readFile(t, "a.csv"), names...)
	b, _ := shares(t, readFile(t, "b.csv"), names...)
	sameShares(t, "flat.json", b, a, 1e-6)
	shares(t, readFile(t, "b.csv"), "p0_low", "p3_high", "residual", "outside")
}

// Shares that are not unique have ranges: of the centre of a square every corner has 0 to a half.
func TestKnownRanges(t *testing.T) {
	inFolder(t, "id,a,b\nr1,1,1\nr2,2,2\nr3,1,0\nr4,.5,1\nr5,3,1\nr6,,1\nr7,,\n")
	writeText(t, "square.csv", "corner,a,b\nSW,0,0\nSE,2,0\nNW,0,2\nNE,2,2\n")
	text := must(t, strings.Fields("predict -centers square.csv -o g.csv -details data.csv")...)
	for _, want := range []string{
		"Shares are not unique: the columns determine the shares of at most 3 prototypes, and there are 4.",
		"1 row is outside of the prototypes", "r5 (1)", "1 row without any value"} {
		if !strings.Contains(strings.ReplaceAll(text, "\n", " "), want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	var names []string
	for _, c := range []string{"SW", "SE", "NW", "NE"} {
		names = append(names, c+"_low", c+"_high")
	}
	none := math.NaN()
	got, _ := shares(t, readFile(t, "g.csv"), append(names, "residual", "outside", "entropy")...)
	want := [][]float64{
		{0, .5, 0, .5, 0, .5, 0, .5, 0, 0}, {0, 0, 0, 0, 0, 0, 1, 1, 0, 0},
		{.5, .5, .5, .5, 0, 0, 0, 0, 0, 0},
		{.25, .5, 0, .25, .25, .5, 0, .25, 0, 0}, {0, 0, .5, .5, 0, 0, .5, .5, 1, 1},
		{0, .5, 0, .5, 0, .5, 0, .5, 0, 0}, // the first value may be any
		{none, none, none, none, none, none, none, none, none, none},
	}
	for i := range want {
		for j, v := range want[i] {
			if !near(got[i][j], v, 1e-9) && got[i][j] == got[i][j] {
				t.Errorf("row %d: %v, not %v", i+1, got[i], want[i])
				break
			}
		}
	}
	if got[6][0] == got[6][0] {
		t.Error("a row without values has shares")
	}
	// With the rest of a sum below one the origin is a source.
	writeText(t, "two.csv", "a,b\n1,1\n")
	must(t, strings.Fields("predict -sum at-most-one -centers square.csv -o g.csv two.csv")...)
	got, _ = shares(t, readFile(t, "g.csv"), "SW_low", "SW_high", "NE_low", "NE_high")
	sameShares(t, "at most one", got, [][]float64{{0, .5, 0, .5}}, 1e-9)
}

// Sources with standard deviations have ranges by draws, the same in every run, and those that no
// draw encloses are outside.
func TestKnownDraws(t *testing.T) {
	const head = ",Mean_d13C,SD_d13C,Mean_d15N,SD_d15N,n\n"
	const means = "Grass,-27,%s,2,%s,10\nAlgae,-19,%[1]s,3,%[2]s,8\nCorn,-11,%[1]s,9,%[2]s,12\n"
	inFolder(t, "pack,d13C,d15N\n1,-19,4.6\n2,-18,3.2\n2,-19,9\n1,-20,2.9\n")
	writeText(t, "sources.csv", head+fmt.Sprintf(means, "1", ".5"))
	writeText(t, "sharp.csv", head+fmt.Sprintf(means, "0", "0"))
	text := must(t, strings.Fields("predict -json -centers sources.csv -o g.csv data.csv")...)
	j := parseJSON[answer.Answer](t, text)
	if j.Draws != 200 || !j.Unique || j.Outside != 1 || len(j.Farthest) != 1 || j.Farthest[0].Row != 3 ||
		len(j.Prototypes) != 3 || j.Prototypes[1].Name != "Algae" || !strings.Contains(strings.Join(j.Notes, ";"),
		"left out: pack") || !strings.Contains(strings.Join(j.Notes, ";"), "its column n is not used") {
		t.Errorf("%s", text)
	}
	var names []string
	for _, c := range []string{"Grass", "Algae", "Corn"} {
		names = append(names, c, c+"_low", c+"_high")
	}
	first := readFile(t, "g.csv")
	g, _ := shares(t, first, names...)
	for i, row := range g[:2] {
		for c := 0; c < len(row); c += 3 {
			if !(row[c+1] <= row[c] && row[c] <= row[c+2] && row[c+2]-row[c+1] > .01 &&
				row[c+2]-row[c+1] < .8) {
				t.Errorf("row %d: %v", i+1, row)
			}
		}
	}
	must(t, strings.Fields("predict -workers 1 -centers sources.csv -o g.csv data.csv")...)
	if again := readFile(t, "g.csv"); again != first {
		t.Errorf("%s\n%s", first, again)
	}
	// Without spread the ranges are the shares.
	must(t, strings.Fields("predict -centers sharp.csv -o g.csv data.csv")...)
	g, _ = shares(t, readFile(t, "g.csv"), names...)
	for i, row := range g {
		for c := 0; c < len(row); c += 3 {
			if !near(row[c], row[c+1], 1e-12) || !near(row[c], row[c+2], 1e-12) {
				t.Errorf("row %d: %v", i+1, row)
			}
		}
	}
}

// Prototypes of one class add up, by their names or by a column.
func TestKnownClasses(t *testing.T) {
	m := newMixtures(30, 5, 8, 5)
	inFolder(t, csvOf("", m.columns, nil, m.x))
	class := []string{"soil", "leaf", "soil", "water", "leaf"}
	writeText(t, "same.csv", csvOf("class", m.columns, class, m.sources))
	text := csvOf("name", m.columns, m.names, m.sources)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	lines[0] += ",kind"
	for i := range class {
		lines[i+1] += "," + class[i]
	}
	writeText(t, "column.csv", strings.Join(lines, "\n")+"\n")
	writeText(t, "across.csv", csvOf("v", class, m.columns, turnedRows(m.sources)))
	want := make([][]float64, len(m.g))
	for i, g := range m.g {
		want[i] = []float64{g[0] + g[2], g[1] + g[4], g[3]}
	}
	for _, args := range []string{"same.csv", "column.csv -class kind", "across.csv"} {
		text := must(t, strings.Fields("predict -o g.csv data.csv -centers "+args)...)
		if !strings.Contains(text, "Shares of 5 prototypes add up to those of 3 classes.") {
			t.Error(text)
		}
		g, _ := shares(t, readFile(t, "g.csv"), "soil", "leaf", "water")
		sameShares(t, args, g, want, 1e-12)
		if strings.Contains(readFile(t, "g.csv"), "_low") {
			t.Errorf("%s: ranges of shares that are unique", args)
		}
	}
	// A spectrum given twice: its shares are open, but their sum is not.
	twice := append(append([][]float64{}, m.sources...), m.sources[3])
	writeText(t, "twice.csv", csvOf("class", m.columns, append(class, "water"), twice))
	must(t, strings.Fields("predict -o g.csv data.csv -centers twice.csv")...)
	g, _ := shares(t, readFile(t, "g.csv"), "soil", "leaf", "water")
	sameShares(t, "twice.csv", g, want, 1e-9)
	if strings.Contains(readFile(t, "g.csv"), "_low") {
		t.Error("ranges of sums that are unique")
	}
}

// Rows with a length of their own are seen, and have the shares of the mixture.
func TestKnownLengths(t *testing.T) {
	m := newMixtures(30, 3, 6, 6)
	var lengths [][]float64
	for i := range m.x {
		length := 1 + float64(i%7)*30
		for j := range m.x[i] {
			m.x[i][j] *= length
		}
		lengths = append(lengths, []float64{length})
	}
	inFolder(t, csvOf("", m.columns, nil, m.x))
	writeText(t, "library.csv", csvOf("name", m.columns, m.names, m.sources))
	text := must(t, strings.Fields("predict -o g.csv -centers library.csv data.csv")...)
	if !strings.Contains(text, "Each row is a mixture times a length of its own, since ") {
		t.Error(text)
	}
	g, _ := shares(t, readFile(t, "g.csv"), m.names...)
	sameShares(t, "unit", g, m.g, 1e-12)
	l, _ := shares(t, readFile(t, "g.csv"), "length")
	sameShares(t, "lengths", l, lengths, 1e-9)
	text = must(t, strings.Fields("predict -rows given -o g.csv -centers library.csv data.csv")...)
	if strings.Contains(text, "length of its own") || strings.Contains(readFile(t, "g.csv"), "length") {
		t.Error(text)
	}
}

// Columns of large numbers decide shares, and one line says so; -scale zscore lifts this. Standard
// deviations of prototypes do so by themselves, and -scale none leaves columns as they are.
func TestKnownScale(t *testing.T) {
	m := newMixtures(80, 3, 6, 8)
	r := rand.New(rand.NewPCG(8, 9))
	for i := range m.x {
		for j := range m.x[i] {
			m.x[i][j] += .5 * r.NormFloat64()
		}
		m.x[i][0] *= 6800
	}
	deviations := make([][]float64, 3)
	for i := range deviations {
		m.sources[i][0] *= 6800
		deviations[i] = []float64{3400, .5, .5, .5, .5, .5}
	}
	inFolder(t, csvOf("", m.columns, nil, m.x))
	writeText(t, "library.csv", csvOf("name", m.columns, m.names, m.sources))
	columns := slices.Clone(m.columns)
	for _, name := range m.columns {
		columns = append(columns, name+"_sd")
	}
	for i := range deviations {
		deviations[i] = append(slices.Clone(m.sources[i]), deviations[i]...)
	}
	writeText(t, "deviations.csv", csvOf("name", columns, m.names, deviations))
	for _, c := range []struct {
		args, says string
		right      bool
	}{
		{"library.csv", "Column v0 decides: 99 % of the squared differences between prototypes are in it; " +
			"-scale zscore divides columns by their standard deviations.", false},
		{"library.csv -scale zscore", "Columns are divided by their standard deviations among the rows, and so " +
			"are residuals; -scale none leaves them as they are.", true},
		{"deviations.csv", "Columns are divided by the pooled standard deviations of the prototypes, and so", true},
		{"deviations.csv -scale none", "Column v0 decides", false},
	} {
		text := must(t, strings.Fields("predict -rows given data.csv -o g.csv -centers "+c.args)...)
		if !strings.Contains(strings.ReplaceAll(text, "\n", " "), c.says) {
			t.Errorf("%s: %s", c.args, text)
		}
		g, _ := shares(t, readFile(t, "g.csv"), m.names...)
		sum := 0.0
		for i := range g {
			for j, v := range m.g[i] {
				sum += (g[i][j] - v) * (g[i][j] - v) / 240
			}
		}
		if sum < .07*.07 != c.right {
			t.Errorf("%s: shares are off by %v", c.args, math.Sqrt(sum))
		}
	}
}

// Any column of text of the library may have the names of the columns of rows.
func TestKnownNames(t *testing.T) {
	m := newMixtures(20, 3, 8, 9)
	inFolder(t, csvOf("", m.columns, nil, m.x))
	lines := strings.SplitAfter(csvOf("symbol", m.names, m.columns, turnedRows(m.sources)), "\n")
	for i := range lines[:9] {
		lines[i] = fmt.Sprintf("probe %c,%s", 'a'+i, lines[i])
	}
	writeText(t, "library.csv", strings.Join(lines, ""))
	must(t, strings.Fields("predict -o g.csv -centers library.csv data.csv")...)
	g, _ := shares(t, readFile(t, "g.csv"), m.names...)
	sameShares(t, "symbols", g, m.g, 1e-12)
}

// Rows farther away than noise explains are counted, and those with the noise alone are not.
func TestKnownOutside(t *testing.T) {
	m := newMixtures(200, 3, 12, 7)
	r := rand.New(rand.NewPCG(9, 9))
	for i := range m.x {
		for j := range m.x[i] {
			m.x[i][j] += .01 * r.NormFloat64()
		}
	}
	for _, i := range []int{20, 70} { // one in the plane, beyond a source; one at right angles to it
		for j := range m.x[i] {
			m.x[i][j] = m.sources[0][j] + .05*(m.sources[0][j]-m.sources[1][j])
			if i == 70 {
				m.x[i][j] = m.sources[0][j] + .1*float64(j%2*2-1)
			}
		}
	}
	inFolder(t, csvOf("", m.columns, nil, m.x))
	writeText(t, "library.csv", csvOf("name", m.columns, m.names, m.sources))
	j := parseJSON[answer.Answer](t,
		must(t, strings.Fields("predict -json -o g.csv -centers library.csv data.csv")...))
	if j.Outside < 2 || j.Outside > 4 || !near(j.Noise, .01, .001) {
		t.Errorf("%+v", j)
	}
	out, _ := shares(t, readFile(t, "g.csv"), "outside")
	if out[20][0] != 1 || out[70][0] != 1 {
		t.Error("the rows that are outside are not called so")
	}
	for i := range m.x { // an offset that the library lacks
		for j := range m.x[i] {
			m.x[i][j] += 30 * float64(j%2)
		}
	}
	writeText(t, "data.csv", csvOf("", m.columns, nil, m.x))
	text := must(t, strings.Fields("predict -rows given -o g.csv -centers library.csv data.csv")...)
	if !strings.Contains(text, "as a whole is not explained") || strings.Contains(text, "No row is outside") {
		t.Error(text)
	}
}

func TestKnownUsage(t *testing.T) {
	inFolder(t, "a,b\n3,4\n5,7\n")
	for name, text := range map[string]string{
		"f.csv": "name,a,b\nx,1,2\ny,4,7\n", "three.csv": "1.5,-2.5,3.1\n2,-4,4\n",
		"other.csv": "name,c,d\nx,1,2\ny,4,7\n",
		"gap.csv":   "name,a,b\nx,1,\ny,4,7\n", "twice.csv": "name,a,a,b\nx,1,2,3\ny,4,5,6\n",
		"sd.csv":      "name,a,a_sd,b\nx,1,-1,2\ny,4,2,7\n",
		"classes.csv": "v,x,y,kind\na,1,2,k\nb,4,7,l\n", "large.csv": "name,a,b\nx,1e200,2\ny,4,7\n",
		"corner.csv": "name,1.5,2.5\nx,1,2\ny,4,7\nz,5,9\n",
		"doubt.csv":  "name,400,410,420,430,440\nx,1,2,1.5,1,1\ny,4,5,7,8,9\nz,5,9,3,1,1\n",
	} {
		writeText(t, name, text)
	}
	must(t, strings.Fields("fit -k 1 -model model.json data.csv")...)
	for _, f := range []failure{
		{"-centers f.csv -model model.json data.csv", 2,
			"-model and -centers both have prototypes; give one"},
		{"-model model.json -class a data.csv", 2, "-class is for -centers; a model has its own"},
		{"-model model.json -sum one data.csv", 2, "-sum is for -centers"},
		{"-model model.json -rows unit data.csv", 2, "-rows is for -centers"},
		{"-centers model.json -sum one data.csv", 2, "-sum: model.json is a model"},
		{"-centers model.json -scale none data.csv", 2, "-scale: model.json is a model"},
		{"-model model.json -scale none data.csv", 2, "-scale is for -centers"},
		{"-centers model.json -class a data.csv", 2, "-class: model.json is a model"},
		{"-centers f.csv -rows unit -sum at-most-one data.csv", 2,
			"-rows unit has shares that add up to one"},
		{"-centers f.csv -o f.csv data.csv", 2, "-o f.csv would overwrite the prototypes"},
		{"-centers missing.csv data.csv", 1, "missing.csv"},
		{"-centers f.csv -class kind data.csv", 1, `no column is named "kind"`},
		{"-centers three.csv data.csv", 1,
			"three.csv: 2 prototypes of 3 columns, but data.csv has 2 columns"},
		{"-centers other.csv data.csv", 1,
			"other.csv and data.csv have no column in common: there are c, d, and a, b"},
		{"-centers gap.csv data.csv", 1, "gap.csv"},
		{"-centers twice.csv data.csv", 1, `twice.csv: two columns are named "a"`},
		{"-centers sd.csv data.csv", 1, "sd.csv: the standard deviation of a in row 1 is -1"},
		{"-centers classes.csv -class kind data.csv", 1, "its columns are read as prototypes"},
		{"-centers large.csv data.csv", 1, "large.csv"},
		{"-centers corner.csv data.csv", 1,
			"corner.csv: line 1 may be a header of numbers or a prototype, and data.csv has no such names"},
		{"-centers doubt.csv data.csv", 1,
			"doubt.csv:1: line 1 may be a header of numbers (400, 410, …) or a row"},
	} {
		f.args = "predict " + f.args
		f.check(t)
	}
}

// The page of known prototypes has the answer of the command and pictures of the shares: side by side for few rows,
// sorted for many, and also for rows with missing values and for columns that are not two.
func TestPredictPage(t *testing.T) {
	inFolder(t, "food,d13C,d15N,S\nA,-18.09,2.48,1\nB,-16.92,4.2,2\nC,-16.9,,1\nD,-18.21,3.66,\n")
	writeText(t, "two.csv", ",Meand13C,SDd13C,Meand15N,SDd15N\nGrass,-27.3,.6,2.3,.5\nAlgae,-19.2,.9,3.4,.6\n"+
		"Shrub,-25.7,.5,6.0,.7\nCorn,-11.4,.4,1.9,.4\n")
	writeText(t, "three.csv", "food,d13C,d15N,S\nx,-28,1,0\ny,-10,1,2\nz,-20,9,4\n")
	writeText(t, "line.csv", "food,d13C\nx,-28\ny,-10\n")
	many := "d13C,d15N\n"
	for i := range 40 {
		many += fmt.Sprintf("%d,%d\n", -25+i/4, i%5)
	}
	writeText(t, "many.csv", many)
	for args, want := range map[string][]string{
		"two.csv data.csv":   {"Shares and their ranges", "Grass", "inside of the outline", ">B<", ">d15N<", " (0–"},
		"three.csv data.csv": {"Memberships as a triangle", "first direction, ", ">Shares<", "Shares of all rows"},
		"line.csv data.csv":  {"On average a row is ", "Rows and prototypes"},
		"two.csv many.csv":   {"ranges-3", "from the smallest to the largest. Dotted", ">row 40<"},
	} {
		f := strings.Fields(args)
		text := must(t, "predict", "-centers", f[0], "-report", "p.html", f[1])
		page := readFile(t, "p.html")
		if strings.Contains(text, "label,") || !strings.Contains(text, "mean share") {
			t.Errorf("%s: %s", args, text)
		}
		for _, want := range append(want, "<h2>Shares</h2>", "softkmeans predict -centers "+f[0]) {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in the page", args, want)
			}
		}
		if strings.Contains(page, "NaN") {
			t.Errorf("%s: the page has a NaN", args)
		}
		_, csv, _ := do(t, "", "predict", "-centers", f[0], "-report", "q.html", "-o", "-", f[1])
		code, alone, _ := do(t, "", "predict", "-centers", f[0], f[1])
		if code != 0 || csv != alone || strings.ReplaceAll(readFile(t, "q.html"), "-report q.html -o -", "-report p.html") != page {
			t.Errorf("%s: -o - changes the page, or the page the shares", args)
		}
	}
	must(t, strings.Fields("fit -k 2 -model m.json many.csv")...)
	for args, want := range map[string]string{
		"predict -model m.json -report p.html many.csv":   "-report is for -centers",
		"predict -centers m.json -report p.html many.csv": "softkmeans report has a page",
	} {
		if code, _, stderr := do(t, "", strings.Fields(args)...); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: %d, %s", args, code, stderr)
		}
	}
}
