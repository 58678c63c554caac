package table

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layoutOf makes the text of a table: first is the field of line i in column 1, head the name
// of column 1 and, with %d, of the others; "" for a text without a header.
type layoutOf struct {
	head, name    string
	first         func(i int) string
	rows, columns int
	smooth        bool // along the columns
}

func (l layoutOf) text() string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	if l.name != "" {
		b.WriteString(l.head)
		for j := range l.columns {
			b.WriteString("," + strings.ReplaceAll(l.name, "%d", fmt.Sprint(j+1)))
		}
		b.WriteString("\n")
	}
	for i := range l.rows {
		b.WriteString(l.first(i))
		for j := range l.columns {
			v := 5 + rng.NormFloat64()
			if l.smooth {
				v = 5 + math.Sin(float64(i)/8+float64(j)) + 0.02*rng.NormFloat64()
			}
			fmt.Fprintf(&b, ",%.4f", v)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func steps(from, by float64) func(int) string {
	return func(i int) string { return fmt.Sprint(from + float64(i)*by) }
}

func named(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

func mutation(i int) string {
	return "ACGT"[i%4:i%4+1] + "[C>T]" + "ACGT"[i/4%4:i/4%4+1] + "ACGT"[i/16:i/16+1]
}

func oxide(i int) string {
	return strings.Fields("SiO2 TiO2 Al2O3 FeO MnO MgO CaO Na2O K2O P2O5")[i]
}

// Only tables whose names or axis leave no doubt are turned, some are asked about, and all
// others stay as they are.
func TestWayRound(t *testing.T) {
	t.Parallel()
	waves, clock := steps(400, 5), steps(0, 10)
	for _, c := range []struct {
		layoutOf
		want turning
	}{
		{layoutOf{"wavelength", "S%d", waves, 60, 12, true}, certain},
		{layoutOf{"Wavenumber (cm-1)", "leaf_%d.txt", steps(4000, -4), 60, 12, true}, certain},
		{layoutOf{"wavelength", "%d", waves, 60, 12, true}, certain},
		{layoutOf{"m/z", "sample %d", func(i int) string { return fmt.Sprint(100 + i*i) }, 60, 12, false},
			certain},
		{layoutOf{"", "", waves, 60, 12, true}, likely},
		{layoutOf{"", "Map_%d", waves, 60, 12, true}, likely},
		{layoutOf{"gene", "AAACCTG-%d", named("G%d"), 60, 12, false}, certain},
		{layoutOf{"Gene symbol", "tumour%d", named("G%d"), 60, 12, false}, certain},
		{layoutOf{"Type", "X%d", mutation, 30, 4, false}, certain},
		{layoutOf{"TargetID", "GSM%d.AVG_Beta", named("cg%d"), 60, 12, false}, certain},
		{layoutOf{"Size (µm)", "Core %d", func(i int) string { return fmt.Sprint(1 << i) }, 30, 12, true},
			certain},
		{layoutOf{"wt%", "L%d", oxide, 10, 12, false}, certain},

		{layoutOf{"wavelength", "material", waves, 60, 5, true}, likely},
		{layoutOf{"", "", mutation, 30, 4, false}, likely},
		{layoutOf{"time", "S%d", clock, 60, 12, true}, likely},
		{layoutOf{"", "", steps(0, 0.5), 60, 12, true}, likely},
		{layoutOf{"gene", "tissue", named("G%d"), 60, 7, false}, likely},
		{layoutOf{"", "control_%d", named("G%d"), 60, 7, false}, likely},
		{layoutOf{"Compound", "Oil_%d", named("C%d"), 15, 24, false}, likely},
		{layoutOf{"row ID,row m/z", "S%d.mzML Peak area", named("%d,300.5"), 60, 12, false}, likely},
		{layoutOf{"nm", "%d.5", waves, 60, 5, true}, likely},

		{layoutOf{"time", "sensor%d", clock, 60, 12, true}, asItStands},
		{layoutOf{"time", "CO", clock, 60, 6, true}, asItStands},
		{layoutOf{"hour", "S%d", steps(1, 1), 60, 12, true}, asItStands},
		{layoutOf{"year", "S%d", steps(1900, 1), 60, 12, true}, asItStands},
		{layoutOf{"", "", steps(1900, 1), 60, 12, true}, asItStands},
		{layoutOf{"depth", "Ca", clock, 60, 12, true}, asItStands},
		{layoutOf{"id", "x%d", steps(1, 1), 60, 12, false}, asItStands},
		{layoutOf{"", "V%d", steps(0, 1), 60, 12, false}, asItStands},
		{layoutOf{"", "S%d", steps(1, 1), 60, 12, true}, asItStands},
		{layoutOf{"", "", steps(100, 5), 60, 12, false}, asItStands},
		{layoutOf{"age", "x%d", steps(20, 0.5), 60, 12, true}, asItStands},
		{layoutOf{"Type", "Q%d", named("T%d"), 60, 4, false}, asItStands},
		{layoutOf{"Probe", "X%d", named("P%d"), 60, 7, false}, asItStands},
		{layoutOf{"energy", "mu", waves, 60, 2, true}, asItStands},
		{layoutOf{"wavelength", "S%d", waves, 6, 12, true}, asItStands},
	} {
		text := c.text()
		_, err := Read(strings.NewReader(text), "t.csv", Dialect{Guess: true})
		got := asItStands
		var asks *Error
		if errors.As(err, &asks) && strings.Contains(err.Error(), "-transpose yes") {
			got = likely
		}
		table, err := Read(strings.NewReader(text), "t.csv",
			Dialect{Guess: true, Words: Words{Header: "Header"}})
		switch {
		case err != nil:
			t.Errorf("%+v: %v", c, err)
			continue
		case table.Turned:
			got = certain
		}
		rows := map[bool]int{false: c.rows, true: c.columns}[table.Turned]
		if got != c.want || table.Rows != rows {
			t.Errorf("%q, %q, %s: %d, not %d; %d rows", c.head, c.name, c.first(1), got, c.want, table.Rows)
		}
		if said := strings.Contains(strings.Join(table.Notes, "\n"), "samples of this table may be"); said !=
			(got == likely) {
			t.Errorf("%q, %q: notes %q", c.head, c.name, table.Notes)
		}
		_, err = Read(strings.NewReader(text), "t.csv", Dialect{Guess: true, Transpose: No})
		if err != nil {
			t.Errorf("%q, %q: %v", c.head, c.name, err)
		}
	}
}

// One spectrum a file has a warning; other tables of two columns have none.
func TestLone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		layoutOf
		want bool
	}{
		{layoutOf{"wavelength", "intensity", steps(400, 5), 60, 1, true}, true},
		{layoutOf{"", "", steps(4000, -4), 60, 1, true}, true},
		{layoutOf{"", "", steps(4000, -4), 60, 1, false}, true},
		{layoutOf{"height", "weight", steps(150, 0.5), 60, 1, true}, false},
		{layoutOf{"", "", steps(1900, 1), 60, 1, true}, false},
		{layoutOf{"wavelength", "S%d", steps(400, 5), 60, 2, true}, true},
		{layoutOf{"", "", steps(4000, -4), 60, 2, true}, false},
	} {
		got, err := Read(strings.NewReader(c.text()), "t", Dialect{Guess: true})
		if err != nil ||
			strings.Contains(strings.Join(got.Notes, ""), "warning: this seems to be ") != c.want {
			t.Errorf("%q: %v, %v", c.head, got, err)
		}
	}
}

// Columns that are no samples are left out of a turned text, and errors keep their places.
func TestAside(t *testing.T) {
	t.Parallel()
	const head = "Gene symbol,Entrez ID,note,GSM1,GSM2,GSM3\n"
	rows := func(last string) (s string) {
		for i := range 12 {
			s += fmt.Sprintf("G%d,%d,n%d,1,2,%s\n", i, 100+7*i, i%3, last)
		}
		return s
	}
	got, err := Read(strings.NewReader(head+rows("3")), "t", Dialect{Guess: true})
	if err != nil || got.Rows != 3 || len(got.Names) != 12 || got.Names[11] != "G11" ||
		got.IDs[2] != "GSM3" || !strings.Contains(strings.Join(got.Notes, ""),
		"left out as no samples: column 2 (Entrez ID), column 3 (note)") {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = Read(strings.NewReader(head+rows("3")+"G99,5,n,1,2,x\n"), "t",
		Dialect{Guess: true, Transpose: Yes})
	if err == nil || !strings.HasPrefix(err.Error(), "t:14:6: \"x\"") {
		t.Error(err)
	}
	_, err = Read(strings.NewReader(head+rows("3")+"G99,5,n,1,,1\n"), "t", Dialect{Guess: true})
	if err == nil || !strings.Contains(err.Error(), `1 in column 14 (G99) (first in its column 5)`) {
		t.Error(err)
	}
}

// What featureCounts, GenomeStudio and mzMine write beside the samples is none.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	text := "Geneid,Chr,Start,End,Length,s1,s1.Detection Pval,s2,s2.Detection Pval,s3,s3.Detection Pval,\n"
	for i := range 12 {
		text += fmt.Sprintf("G%d,chr1,%d,%d,70,4,0,5,0,6,0,\n", i, 90+100*i, 160+100*i)
	}
	got, err := Read(strings.NewReader(text), "t", Dialect{Guess: true})
	if err != nil || !slices.Equal(got.IDs, []string{"s1", "s2", "s3"}) || len(got.Names) != 12 ||
		!strings.Contains(strings.Join(got.Notes, ""), "column 2 (Chr), column 3 (Start), 5 others") {
		t.Errorf("%+v, %v", got, err)
	}
}

// Turned twice, a table is what it was.
func TestTurnedTwice(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		",a,\"b,\"\"c\"\"\",d\nx,1,2,3\ny,4,,6\nz,7,8,9\n",
		"# a comment\n x y z\n1 2 3\n4 5 6\n7 8 10\n",
		"c1;c2;c3\n1,5;2,5;3\n4;5,25;6\n1;2;3\n",
	} {
		d := Dialect{Guess: true, Missing: true, Transpose: No}
		plain, err := Read(strings.NewReader(text), "t", d)
		if err != nil {
			t.Fatal(err)
		}
		d.Transpose = Yes
		once, err := Read(strings.NewReader(text), "t", d)
		if err != nil {
			t.Fatal(err)
		}
		if once.Rows != len(plain.Names) || len(once.Names) != plain.Rows || !once.Turned {
			t.Fatalf("%q: %d rows of %q", text, once.Rows, once.Names)
		}
		for i := range plain.Rows {
			for j := range plain.Names {
				a, b := plain.Data[i*len(plain.Names)+j], once.Data[j*plain.Rows+i]
				if a != b && (a == a || b == b) {
					t.Errorf("%q: row %d, column %d: %v, turned %v", text, i, j, a, b)
				}
			}
		}
		if once.IDs != nil && !slices.Equal(once.IDs, plain.Names) {
			t.Errorf("%q: ids %q", text, once.IDs)
		}
	}
}

// Errors of a turned text have their places in the text as it is. In blocks it is an error.
func TestTurnedErrors(t *testing.T) {
	t.Parallel()
	text := layoutOf{"wavelength", "S%d", steps(400, 5), 60, 12, true}.text()
	lines := strings.Split(text, "\n")
	fields := strings.Split(lines[50], ",")
	fields[3] = "x"
	lines[50] = strings.Join(fields, ",")
	d := Dialect{Guess: true, Transpose: Yes}
	_, err := Read(strings.NewReader("\n"+strings.Join(lines, "\n")), "t", d)
	if err == nil || !strings.HasPrefix(err.Error(), "t:52:4: \"x\"") {
		t.Error(err)
	}
	fields[3] = ""
	lines[50] = strings.Join(fields, ",")
	_, err = Read(strings.NewReader(strings.Join(lines, "\n")), "t", d)
	if err == nil || !strings.Contains(err.Error(), `1 in column 51 (645) (first in its column 4)`) {
		t.Error(err)
	}
	d.Stream = true
	if _, err = Read(strings.NewReader(text), "t", d); !errors.Is(err, ErrTurned) {
		t.Error(err)
	}
	if _, err = Read(strings.NewReader("a,b\n1,2,3\n"), "t", Dialect{Transpose: Yes}); err == nil ||
		!strings.HasPrefix(err.Error(), "t:2: 3 fields") {
		t.Error(err)
	}
}

// TestTurnedAxis checks that a turned table has the name above the numbers that name its columns, or their
// unit.
func TestTurnedAxis(t *testing.T) {
	lines := ""
	for i := range 20 {
		lines += strconv.Itoa(400+8*i) + "," + strconv.Itoa(i%7) + "," + strconv.Itoa(i%5) + "," +
			strconv.Itoa(i%3) + "\n"
	}
	for head, want := range map[string]string{"Raman shift (cm-1),s1,s2,s3\n": "Raman shift (cm-1)",
		",s1,s2,s3\nrel. 1/cm,CCD cts,CCD cts,CCD cts\n": "rel. 1/cm"} {
		table, err := Read(strings.NewReader(head+lines), "t.csv", Dialect{Guess: true})
		if err != nil || !table.Turned || table.Axis != want {
			t.Errorf("%q, %v", table.Axis, err)
		}
	}
}

// TestTurnedLines: a field of two lines is on one line of the turned table, so that errors find their column.
func TestTurnedLines(t *testing.T) {
	text := "a,b,c\n1.5,2,x\n1,2,\"y\nz\"\n2,1,3\n"
	d := Dialect{Guess: true, Transpose: Yes, Header: No}
	_, err := Read(strings.NewReader(text), "t", d)
	if err == nil || !strings.Contains(err.Error(), `"y z" (first in its column 3)`) {
		t.Error(err)
	}
	pairs := "S1,,S2,,x\nnm,A,nm,A\n800,1,800,2\n795,2,795,3\n790,3,790,4\n" // line 1 is no part of them
	if got, err := Read(strings.NewReader(pairs), "t", Dialect{Guess: true}); err == nil {
		t.Errorf("%v", got.Names)
	}
}
