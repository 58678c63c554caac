package table

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// guessed is what a text is taken for.
type guessed struct {
	text  string
	names string // joined by |
	rows  int
	ids   string
	note  string // some of the notes
	fail  string // instead: some of the error
}

// TestGuess tries what is near the border of each guess.
func TestGuess(t *testing.T) {
	t.Parallel()
	many := func(n int, row func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(row(i) + "\n")
		}
		return b.String()
	}
	noise := func(i int) string { return fmt.Sprint(i * i % 7) }
	for _, g := range []guessed{
		{text: "1,2\n3,4\n", names: "c1|c2", rows: 2},
		{text: "5\n", names: "c1", rows: 1},
		{text: "a\n5\n", names: "a", rows: 1},
		// Numbers that rise are a header if those of no row do.
		{text: "1,2,3\n3,2,1\n2,2,2\n", names: "1|2|3", rows: 2, note: "header"},
		{text: "1,2,3\n4,5,6\n2,2,2\n", fail: "-header yes or no"},
		{text: "1,2,3\n4,5,6\n7,8,9\n", names: "c1|c2|c3", rows: 3},
		{text: "3,5,9\n3,2,1\n2,2,2\n", names: "c1|c2|c3", rows: 3},
		{text: "3,5,9,9.5,11\n3,2,1,0,0\n2,2,2,0,0\n", names: "3|5|9|9.5|11", rows: 2},
		{text: "0,1,2\n1,0,3\n2,3,0\n", names: "c1|c2|c3", rows: 3},
		// So are quotes that no row has.
		{text: "\"3\",\"1\",\"2\"\n3,2,1\n2,2,2\n", names: "3|1|2", rows: 2},
		{text: "\"0\"\n5\n4\n", names: "0", rows: 2},
		{text: "\"3\",\"1\"\n\"3\",\"2\"\n2,2\n", names: "c1|c2", rows: 3},
		{text: "\"3\",1\n3,2\n2,2\n", names: "c1|c2", rows: 3},
		{text: "1990,2000,2010\n3,2,1\n", names: "1990|2000|2010", rows: 1},
		{text: "NA,2000,2010\n3,2,1\n4,5,4\n", fail: "1 missing value"},
		// Words above numbers are a header; one among many numbers is a slip.
		{text: "x,2000\n3,2\n4,5\n", names: "x|2000", rows: 2},
		{text: "country,1990,2000,2010\nF,3,2,1\nG,4,2,2\nH,1,2,0\n",
			names: "1990|2000|2010", rows: 3, ids: "F|G|H"},
		{text: "1.5,x,3,2\n1,2,3,4\n4,3,2,1\n", fail: "not a number"},
		{text: "1,2\n3,4\n5,seven\n", fail: "f.csv:3:2: \"seven\" is not a number"},
		// A column that is named X is one of coordinates, unless its numbers count the rows.
		{text: "X,Y\n1,4\n3,1\n7,2\n", names: "X|Y", rows: 3},
		// Ids.
		{text: "id,v\n3,1\n4,2\n", names: "v", rows: 2, ids: "3|4"},
		{text: "id,v\n3,1\n3,2\n", names: "id|v", rows: 2},
		{text: "v,w\n1,1\n2,4\n3,1\n4,2\n", names: "v|w", rows: 4},
		{text: many(5, func(i int) string { return fmt.Sprint(i+8, ",", noise(i)) }), names: "c2",
			rows: 5, ids: "8|9|10|11|12"},
		{text: many(9, func(i int) string { return fmt.Sprint(3*i, ",", noise(i)) }), names: "c1|c2",
			rows: 9},
		{text: many(10, func(i int) string { return fmt.Sprint(i*i, ",", noise(i)) }), names: "c2", rows: 10,
			ids: "0|1|4|9|16|25|36|49|64|81"},
		{text: many(12, func(i int) string { return fmt.Sprint(i) }), names: "c1", rows: 12},
		{text: "v,name\n1,a\n2,b\n1,c\n", names: "v", rows: 3, ids: "a|b|c", note: "text"},
		{text: "v,name\n1,a\n2,b\n1,b\n", fail: "-drop name"},
		{text: "v,day\n1,2020-01-01\n2,2020-01-02\n1,2020-01-02\n", fail: "-id day takes it for the ids"},
		{text: "v,day\n1,2020-01-01 10:00\n2,2020-01-02 10:00\n1,2020-01-03 10:00\n", names: "v", rows: 3,
			ids:  "2020-01-01 10:00|2020-01-02 10:00|2020-01-03 10:00",
			note: "it holds dates, and none comes twice"},
		{text: "day,who\n1/1/20,a\n1/2/20,b\n1/3/20,c\n", fail: "no column"},
		{text: "day,who,v\n1/1/20,a,1\n1/2/20,b,4\n1/3/20,c,2\n", names: "v", rows: 3, ids: "a|b|c",
			note: "column 1 (day) is left out"},
		{text: "v,sex\n1,f\n2,m\n1,m\n", fail: `2 values such as "f" and "m"`},
		// Signs.
		{text: "a;b\n1,5;2\n", names: "a|b", rows: 1, note: "comma"},
		{text: "a;b\n1,5;2.5\n", fail: "not a number"},
		{text: "a;b\n1.234;2\n12.345;2\n638;2\n", fail: "f.csv:2: 1.234 may be a number of thousands"},
		{text: "# of\na;b\n1;1\n\n2;12.345\n", fail: "f.csv:4: " + blankLine}, // whatever 12.345 is
		{text: "1,2,3\n4,5\n7,8,9\n", fail: "f.csv:2: 2 fields found, 3 expected"},
		{text: "a;b\n1.234;2\n0.345;2\n", names: "a|b", rows: 2},
		{text: "a\n5 \x80\n6 \x80\n", names: "a", rows: 2, note: "currencies"},
		{text: "a,b\n1,#NV\n2,3\n", fail: "1 missing value"},
		{text: "Nr.,v\n1000,3\n1007,4\n1021,9\n", names: "v", rows: 3, ids: "1000|1007|1021"},
		{text: "year of it,v\n" + many(10, func(i int) string { return fmt.Sprint(2*i, ",", noise(i)) }),
			names: "year of it|v", rows: 10, note: "-drop 1 leaves it out"},
		{text: "id,v\nx,3\nx,4\n", fail: "-id id takes it for the ids"},
		{text: "a,b\n\"1,234\",2\n\"12,345\",2\n", names: "a|b", rows: 2, note: "thousands"},
		{text: "a,b\n\"1,23\",2\n", names: "a|b", rows: 1, note: "decimal sign"},
		{text: "a\n5 %\n7 %\n", names: "a", rows: 2, note: "percent"},
		{text: "a|b\n1|2\n", names: "a|b", rows: 1},
		{text: "a  b\n1  2\n", names: "a|b", rows: 1},
		// Lines.
		{text: "id,v\na,1\n#b,2\nc,3\n", fail: "begin with #, the first with \"#b\""},
		{text: "# run 7, b\n400,410\n5,6\n", names: "run 7|b", rows: 2},
		{text: "# run 7, b, c\n400,410,420\n5,6,1\n", names: "400|410|420", rows: 1},
		{text: "temp\n1,5\n2,5\n", fail: "2 fields found, 1 expected"},
		{text: "1,5 2,7\n3,1 4,2\n2,0 1,1\n", names: "c1|c2", rows: 3, note: "comma"},
		{text: "v\tw\n950\t1\n1,050\t2\n", fail: "-decimal comma or point"},
		{text: "x,y\n0.1,2,3\n0.1,5,6\n", fail: "3 fields found"},
		{text: "name,x,y\nfoo,unknown,n.d.\nbar,1,2\nbaz,2,1\n", fail: "add -na unknown,n.d. -missing fit"},
		{text: "v,dose\n1,0.5 mg\n2,<0.1\n3,0.7 mg\n", fail: "a column of text"},
		// Names that a shell, a list or a range would break are given as numbers.
		{text: "a b,x,x,7,ok-1,$c,n,d,e,f,g,h\nq,q,q,q,q,q,1,1,5,2,2,9\nr,r,r,r,r,r,,3,2,8,1,4\n" +
			"q,q,q,q,q,q,3,4,7,7,3,2\n",
			fail: "; and 1 missing value: 1 in column 7 (n) (first on line 3) (add -drop 1,2,3,4,ok-1,6 -missing " +
				"fit, " +
				"which leaves them out and fits the values that are present; "},
		{text: "n,k\n1,u\n2,v\n3,u\n4,v,5\n", fail: "\"u\" and \"v\"; and on line 5: 3 fields found, 2 " +
			"expected as on the first line$"},
		{text: "v\n\u22121.5\n2\n", names: "v", rows: 2},
		{text: "MG,NA\n1,2\n3,4\n", names: "MG|NA", rows: 2},
		{text: "#id1,2\n#id2,3\n#id3,2\n", names: "c2", rows: 3, ids: "#id1|#id2|#id3"},
		{text: "# a b\n1 2\n3 4\n# end\n", names: "a|b", rows: 2},
		// A column that is always 100 is left out, and no other with one number.
		{text: "a,b,c,d\n" + many(8, func(i int) string {
			return fmt.Sprint(noise(i), ",", noise(i+3), ",100,",
				i*i%5)
		}),
			names: "a|b|d", rows: 8, note: "column 3 (c) is always 100 and left out"},
		{text: "a,b,c,d\n" + many(8, func(i int) string {
			return fmt.Sprint(noise(i), ",", noise(i+3), ",5,",
				i*i%5)
		}),
			names: "a|b|c|d", rows: 8},
		{text: "name,a,b,c\nclass,low,high,mid\n" + many(8, func(i int) string {
			return fmt.Sprint("s", i, ",", noise(i), ",", noise(i+2), ",", noise(i+3))
		}), fail: "-transpose yes reads it so"},
		{text: "# a b\n# % mg/l\n1 2\n3 4\n", names: "a|b", rows: 2},
		{text: " % a b\n1 2\n3 4\n4 3\n", names: "a|b", rows: 3},
		{text: "a,b\n1,2\n,\n3,4\n",
			fail: "f.csv:3: " + blankLine},
		{text: "a,b,w\n1,2,1\n,,\n\n3,4,1\n", fail: "f.csv:3: " + blankLine},
		{text: "a,b\nkg,\n1,2\n3,4\n", names: "a|b", rows: 2, note: "units (kg"},
		{text: "id,a,b,c,d\nx1,north,ND,BDL,over\n" + many(6, func(i int) string {
			return fmt.Sprint("x", i+2, ",", noise(i), ",", noise(i+1), ",", noise(i+2), ",", noise(i+3))
		}), fail: "\"north\" (first on line 2)"}, // a row, no units
		{text: "a,b\n1,2,\n3,4,\n", names: "a|b", rows: 2},
		{text: "a,b,c\n1,2,\n3,,\n", fail: "1 missing value: 1 in column 2 (b) (first on line 3)"},
		{text: "", fail: "no rows"},
		{text: "#1.2", fail: "no rows"}, // the start of a GCT file
		{text: "a,b\n", fail: "no rows"},
	} {
		got, err := Read(strings.NewReader(g.text), "f.csv", Dialect{Guess: true})
		switch {
		case g.fail != "":
			if err == nil || !strings.Contains(err.Error()+"$", g.fail) {
				t.Errorf("%q: error %v, not %s", g.text, err, g.fail)
			}
		case err != nil:
			t.Errorf("%q: %v", g.text, err)
		case strings.Join(got.Names, "|") != g.names || got.Rows != g.rows ||
			strings.Join(got.IDs, "|") != g.ids ||
			!strings.Contains(strings.Join(got.Notes, "\n"), g.note):
			t.Errorf("%q: %q, %d rows, ids %q, notes %q", g.text, got.Names, got.Rows, got.IDs, got.Notes)
		}
	}
}

// TestIDAboveNumbers: the name of a column of ids that is given makes a header of numbers that do not rise.
func TestIDAboveNumbers(t *testing.T) {
	t.Parallel()
	text := "wl,101,205,103,note\n" + linesOf(12, "4%d0,0.$,0.4,0.%d,n$")
	d := Dialect{Guess: true, Transpose: No, ID: "1", Text: TextDrop}
	if got, err := Read(strings.NewReader(text), "f.csv", d); err != nil || got.Rows != 12 ||
		got.Names[0] != "101" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestUnits returns the units of the columns of data.
func TestUnits(t *testing.T) {
	t.Parallel()
	got, err := Read(strings.NewReader("id,a,pH\n,mg/L,\nx,1,2\ny,3,1\n"), "f.csv", Dialect{Guess: true})
	if err != nil || !slices.Equal(got.Units, []string{"mg/L", ""}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestKept carries columns along, of text and of data, with ids and labels.
func TestKept(t *testing.T) {
	t.Parallel()
	text := "id,site,v,w,kind\na1, x ,1,2,k\na2,y,3,4,l\na3,x,,6,k\n"
	d := Dialect{Guess: true, Keep: []string{"site", "v"}, Drop: []string{"2"}, Label: "kind", Missing: true}
	for d.Workers = range 3 {
		got, err := Read(strings.NewReader(text), "f.csv", d)
		if err != nil {
			t.Fatal(err)
		}
		if s := fmt.Sprint(got.IDs, got.KeptNames, got.Kept, got.Names,
			got.Data, got.Class, got.Missing); s !=
			"[a1 a2 a3] [site v] [[x 1] [y 3] [x ]] [v w] [1 2 3 4 NaN 6] [0 1 0] [1 0]" {
			t.Error(s)
		}
	}
}

// TestOneHot makes columns of 0 and 1, and finds them again by their names.
func TestOneHot(t *testing.T) {
	t.Parallel()
	text := "v,city,sex\n1,Rome,m\n2,Bonn,f\n3,Oslo,f\n4,Rome,m\n"
	got, err := Read(strings.NewReader(text), "f.csv", Dialect{Guess: true, Text: TextOneHot})
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(got.Names, got.Data); s != "[v city=Rome city=Bonn city=Oslo sex=m sex=f] [1 1 0 0 "+
		"1 0 2 0 1 0 0 1 3 0 0 1 0 1 4 1 0 0 1 0]" {
		t.Error(s)
	}
	again := func([]string) []string { return []string{"sex=f", "city=Oslo", "city=Rome", "sex=m", "v"} }
	got, err = Read(strings.NewReader(text), "f.csv", Dialect{Guess: true, Pick: again})
	if err == nil || !strings.Contains(err.Error(), `"Bonn"`) {
		t.Errorf("an unknown value: %v, %v", got, err)
	}
	got, err = Read(strings.NewReader("sex,v,city\nm,1,Rome\nf,2,Oslo\n"), "f.csv",
		Dialect{Guess: true, Pick: again})
	if err != nil || fmt.Sprint(got.Data) != "[0 0 1 1 1 1 1 0 0 2]" {
		t.Errorf("%v, %v", got, err)
	}
}

// FuzzGuess reads texts with all guesses: at once and in chunks, by one goroutine and by
// several, the result is the same.
func FuzzGuess(f *testing.F) {
	folder := filepath.Join("..", "..", "testdata", "tables")
	files, err := os.ReadDir(folder)
	if err != nil {
		f.Fatal(err)
	}
	for i, e := range files {
		if text, err := os.ReadFile(filepath.Join(folder, e.Name())); err == nil && len(text) < 1000 &&
			!strings.HasSuffix(e.Name(), ".go") {
			f.Add(string(text), 1+i%20, i%3, i%2 == 0, i%4 == 0)
		}
	}
	f.Add("#a\n1\n#\n2\n#", 1, 2, true, false)
	f.Add(",S1,S2,S3\n400,1,2,3\n405,2,3,4\n410,3,,4\n415,2,5,3\n420,1,2,4\n", 2, 1, true, true)
	f.Add("n\td\tm\nc\td\ts\n\tclass\tmeta\n1\ta\tx\n2\tb\ty\n3.5\ta\tz\n", 2, 1, true, false)
	f.Add("0.5,1.5 ; a\n1.5,2.5 ; b\n2.5,.5 ; c\n", 2, 1, true, false)
	f.Add("a;a\n1,5;x\n2,5;y\n", 3, 1, false, true)
	f.Add("a;b\n1;2\n;\n;\n\n;\n3;4\n;\n", 4, 2, true, false)
	f.Fuzz(func(t *testing.T, text string, chunk, workers int, missing, hot bool) {
		if len(text) > 1<<12 {
			return
		}
		d := Dialect{Guess: true, Missing: missing, Text: TextDrop}
		if hot {
			d.Text = TextOneHot
		} else if workers%2 == 0 {
			d.Text = TextError
		}
		if d.Transpose = Auto; missing && hot {
			d.Transpose = Yes
		}
		want, wantErr := Read(strings.NewReader(text), "f.csv", d)
		d.chunk, d.Workers = min(max(chunk, 1), 1000), min(max(workers, 1), 4)
		got, err := Read(strings.NewReader(text), "f.csv", d)
		if fmt.Sprint(got, err) != fmt.Sprint(want, wantErr) {
			t.Fatalf("%v, %v in chunks of %d, %v, %v at once", got, err, d.chunk, want, wantErr)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Fatalf("error without the name of the file: %v", err)
			}
			return
		}
		if got.Rows*len(got.Names) != len(got.Data) || got.IDs != nil && len(got.IDs) != got.Rows {
			t.Fatalf("%+v", got)
		}
		if !missing && slices.ContainsFunc(got.Data, func(v float64) bool { return v != v }) {
			t.Fatalf("NaN in %+v", got)
		}
	})
}

// Headers of numbers, and comments at the ends of lines, that are none or are hard to see.
func TestHardHeaders(t *testing.T) {
	t.Parallel()
	const rows = "0\t0\t5\t1\t9\t2\t8\n0\t1\t4\t8\t1\t9\t3\n1\t0\t3\t9\t0\t7\t2\n"
	falling := "90,80.5,70,60,50,40,30,20.5\n" +
		strings.Repeat("95,3,80,5,7,99,1,60\n1,90,2,91,4,96,5,97\n", 3)
	for _, c := range []struct{ text, names, kept, err string }{
		{"\t\t1\t3\t4\t7\t9\n" + rows, "1|3|4|7|9", "c1|c2", ""}, // positions have no names
		{"1\t3\t4\t7\t9\n" + strings.ReplaceAll(strings.ReplaceAll(rows, "0\t0\t", ""), "1\t0\t", ""),
			"", "", "fields found"},
		{"10,20,30,40,50\n12,44,15,48,11\n49,13,46,12,47\n", "", "", "-header yes or no"},
		{"95,80,75.5,60,55,40,30,20\n" + falling[28:], "", "", "-header yes or no"},
		{"Class,400,410,420,430,440,450,460,470,465,475,485,495,505,515,525,535\n" + // detectors overlap
			strings.Repeat("A,3,1,4,1,5,9,2,6,5,3,5,8,9,7,9,3\nB,2,7,1,8,2,8,1,8,2,8,4,5,9,0,4,5\n", 3),
			"", "", "a column of text: column 1 (Class)"},
		{"1.234,5 ; Berlin\n2.345,5 ; Paris\n1.111,5 ; Bonn\n", "c1", "", ""}, // text, not comments
		{"1.5,2.5 ; Berlin\n2.5,3.5 ; Paris\n", "", "", "a column of text: column 2"},
	} {
		got, err := Read(strings.NewReader(c.text), "f.csv", Dialect{Guess: true})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, %v", c.text, got, err)
			}
		} else if err != nil || strings.Join(got.Names, "|") != c.names ||
			strings.Join(got.KeptNames, "|") != c.kept {
			t.Errorf("%q: %+v, %v", c.text, got, err)
		}
	}
}

// TestTotals takes no row for totals that is none, and finds those of few digits.
func TestTotals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"a,b\n1,2\n3,4\n5,1\n9,7\n":                               true,
		"a,b\n1,2\n3,4\n5,1\n9,8\n":                               false,
		"a,b\n1,2\n3,4\n4,6\n":                                    false, // two rows meet by chance
		"a,b\n1,0\n3,0\n5,0\n9,0\n":                               false, // one column of sums
		"a,b\n1.3,-0.4\n-2,0.9\n0.4,-1.1\n-0.3,-0.6\n":            false, // near 0, as any row
		"a,b,c\n1,2,0\n3,4,0\n5,1,0\n9,7,0\n":                     true,
		"a,b\n1,2\n3,4\n5,3\n3,3\n":                               false, // means, of no more digits
		"a,b\n1,2\n3,4\n5,3\n4,1\n3.25,2.5\n":                     true,
		"a,b\n1,2\n3,4\n5,3\n4,1\n3,2.5\n":                        true,
		"a,b\n0.13,2.24\n0.21,1.49\n0.44,3.33\n0.79,7.06\n":       true, // of rounded numbers, to a digit
		"a,b\n0.13,2.24\n0.21,1.49\n0.44,3.33\n0.79,7.26\n":       false,
		"a;b\n1.100,5;2,0\n300,25;4,0\n500,0;1,0\n1.900,75;7,0\n": true,
		"id,a,b\nx,1,2\ny,3,4\nz,5,1\nTotal:,2,2\n":               true,
		"id,a,b\nx,1,2\ny,3,4\nz,5,1\nTotalis,2,2\n":              false,
		"id,a,b\nx,1,2\ny,3,4\nz,5,1\ngrand total,2,2\n\n":        true,
		"id,a,b\nx,1,2\ny,,4\nz,5,1\nw,6,7\n":                     true, // of what is there
		"id,a,b,c\nx,1,2,1\ny,3,4,2\nz,5,1,4\nw,9,7,\n":           true,
	} {
		got, err := Read(strings.NewReader(text), "f.csv", Dialect{Guess: true, Missing: true})
		if err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(strings.Join(got.Notes, "\n"),
			" seems to be totals"); warned != want {
			t.Errorf("%q: %q", text, got.Notes)
		}
	}
}

// TestEmptyRows takes lines of delimiters alone for blank ones: around the rows they are skipped, and
// between rows an error, however the text is cut.
func TestEmptyRows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"id;a;b\nx;1;2\n;;\ny;3;4\n":                    "f.csv:3: " + blankLine,
		"id;a;b\nx;1;2\n;;\n# c\n;;\ny;3;4\n;;\n\n;;\n": "f.csv:3: " + blankLine,
		"id;a;b\n;;\nx;1;2\ny;3;4\n\n;;\n\n":            "[1 2 3 4] [x y]",
		"id;a;b\nx;1;2\ny;3;4\n;;\n;;\n":                "[1 2 3 4] [x y]",
		"id;a;b\nx;1;2\n\n;;\ny;3;4\n":                  "f.csv:3: " + blankLine,
		"id;a;b\nx;1;2\nu;7;8\nv;x;9\n;;\n": "f.csv:4:2: \"x\" in column \"a\" is " +
			"not a number (add -na x, which counts \"x\" as missing)",
	} {
		for chunk := range 30 {
			got, err := Read(strings.NewReader(text), "f.csv",
				Dialect{Guess: true, Missing: true, chunk: chunk, Workers: chunk % 3})
			s := ""
			if err == nil {
				s = fmt.Sprint(got.Data, " ", got.IDs)
			} else {
				s = err.Error()
			}
			if s != want {
				t.Fatalf("%q in chunks of %d: %s", text, chunk, s)
			}
		}
	}
}

// TestManyEmptyLines reads a row after more delimiters than a line may have bytes.
func TestManyEmptyLines(t *testing.T) {
	if testing.Short() {
		t.Skip("70 MB")
	}
	text := io.MultiReader(strings.NewReader("a,b\n1,2\n"), strings.NewReader(strings.Repeat(",\n",
		mostLine/2+1)),
		strings.NewReader("3,4\n"))
	if _, err := Read(text, "f.csv", Dialect{Guess: true}); err == nil || err.Error() != "f.csv:3: "+blankLine {
		t.Error(err)
	}
}
