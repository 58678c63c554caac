package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestMend(t *testing.T) {
	t.Parallel()
	skip := func(s string) (k Skip) {
		if err := k.Add(s); err != nil {
			t.Fatal(err)
		}
		return k
	}
	for _, c := range []struct {
		text string
		d    Dialect
		data string // as fmt prints it
		ids  string
		note string
		fail string
	}{
		{text: "a,b\n1,-999\n2,-999.0\n3,5\n", d: Dialect{NA: []string{"-999"}}, data: "1 NaN 2 NaN 3 5"},
		{text: "a;b\n1,5;-999,0\n2,5;5\n", d: Dialect{NA: []string{"-999"}}, data: "1.5 NaN 2.5 5"},
		{text: "a,b\n1,nd\n2,ND\n3,4\n", d: Dialect{NA: []string{"nd", "ND", "BDL"}}, data: "1 NaN 2 NaN 3 4",
			note: `no entry is "BDL"`},
		{text: "id,a\n97,1\n98,99\n99,2\n100,4\n101,5\n102,3\n103,7\n104,1\n105,2\n",
			d: Dialect{NA: []string{"99"}}, data: "1 NaN 2 4 5 3 7 1 2", ids: "97|98|99|100|101|102|103|104|105"},
		{text: "1,2\n-9,4\n", d: Dialect{NA: []string{"-9"}}, data: "1 2 NaN 4"},
		{text: "1,NA\n2,3\n7,4\n", d: Dialect{NA: []string{"NA"}}, data: "1 NaN 2 3 7 4"}, // no header
		{text: "nd\n1\nnd\n", d: Dialect{NA: []string{"nd"}}, data: "1 NaN"},              // a name, too
		{text: "a,b\n1,<4\n2,≤ 3.5\n3,<=2\n4,8\n", d: Dialect{Below: BelowHalf}, data: "1 2 2 1.75 3 1 4 8",
			note: "taken as half of it: column 2 (b)"},
		{text: "a;b\n1,5;<0,5\n2;3,25\n", d: Dialect{Below: BelowHalf}, data: "1.5 0.25 2 3.25"},
		{text: "a;b\n1;<0,5\n2;3\n", d: Dialect{Below: BelowHalf}, data: "1 0.25 2 3"},
		{text: "a;b\n1;<1.500\n2;3\n", d: Dialect{Below: BelowHalf},
			fail: "1.500 may be a number of thousands"},
		{text: "a,b\n1,<4\n2,<4\n3,<4\n", d: Dialect{Below: BelowHalf}, data: "1 2 2 2 3 2"},
		{text: "a,b\n1,<4 mg/l\n2,8 mg/l\n", d: Dialect{Below: BelowHalf}, data: "1 2 2 8"},
		{text: "a,b\n1,>9\n2,5\n3,6\n", d: Dialect{Below: BelowHalf}, fail: `add -na '>9'`},
		{text: "a,b\n1,<4\n2,<4\n3,<4\n", fail: `f.csv:2:2: "<4" in column "b" is not a ` +
			`number, and may be below a limit, 3 times (add -below half`},
		{text: "a,b\n9,9\n1,2\n3,4\n5,6\n", d: Dialect{Skip: skip("1")},
			data: "1 2 3 4 5 6", note: "1 row is left out"},
		{text: "a,b\n1,2\n3,4\n5,6\n\n,\n", d: Dialect{Skip: skip("last")}, data: "1 2 3 4"},
		{text: "a,b\n1,2\n3,4\n\nSum of,it,all\n", d: Dialect{Skip: skip("last")}, data: "1 2 3 4"},
		{text: "a,b\n1,2\n,\n3,4\n", d: Dialect{Skip: skip("last")}, data: "1 2"},
		{text: "a,b\n1,2\n\n,\nx y\n3,4\n", d: Dialect{Skip: skip("2")}, data: "1 2 3 4"},
		{text: "1,2\n3,4\n5,6\n7,8\n", d: Dialect{Skip: skip("2-3, 9")}, data: "1 2 7 8",
			note: "2 rows are left out"},
		{text: "a,b\n1,2\n3,4\n5,7\n9,13\n9,9\n", d: Dialect{Skip: skip("last")}, data: "1 2 3 4 5 7 9 13",
			note: "row 4 of 4 seems to be totals, statistics or limits, since its numbers are the sums of the " +
				"columns; -skip 4 leaves it out"},
		{text: "400,4,<4,3\n2,2,0.11,0.69\n4,3,5,0.5\n", d: Dialect{Below: BelowHalf},
			data: "400 4 2 3 2 2 0.11 0.69 4 3 5 0.5"},
		{text: "row,400,<4,3\n4,2,0.11,0.69\n4,3,5,0.5\n", d: Dialect{Below: BelowMissing},
			fail: "\"row\" is not a number"},
		{text: "1,2\n3,4\n", d: Dialect{Skip: skip("5")}, data: "1 2 3 4", note: "0 rows are left out"},
		{text: "a,b\n1,2\n,\n3,4\nx y,z\n", d: Dialect{Skip: skip("4-")}, fail: "f.csv:3: a blank line"},
		{text: "a,b\n1,2\n", d: Dialect{Skip: skip("last")}, fail: "there are no rows"},
		{text: "year,b\n2001,2\n2002,3\n2003,4\nTotal,9\n", fail: "(add -skip last, which leaves that line out"},
		{text: "year,b\n2001,2\n2002,3\nTotal,5\n2003,4\n2004,4\n", fail: "(add -skip 3, which"},
		{text: "year,b\n2001,2\n2002,3\nTotal,5\n2003,4\n", d: Dialect{Skip: skip("1")},
			fail: "(add -skip 3, which"},
		{text: "year,b\n2001,2\n2002,3\n2003,4\nMean,3\nTotal,9\n", d: Dialect{Skip: skip("last")},
			fail: "(add -skip 4, which"},
		{text: "a;b\n1,5;2.5\n2,5;1,5\n3,5;1.5\n", fail: "1 in column 2 (b), \"1,5\" (first on line 3)$"},
		{text: "a;b\n1;<2\n2;nd\n3;<3\n4;<4\n5;<5\n6;5\n7;5\n8;5\n", fail: "4 in column 2 (b), below a " +
			"limit, such as \"<2\" (first on line 2), 1 in column 2 (b), \"nd\" (first on line 3) (add " +
			"-below half -na nd, which takes half of each limit (missing: counts it as missing) and counts " +
			"\"nd\" as missing)"},
		{text: "b1,b2\n-1.23e34,1\n-1.22999998e+34,2\n3,-1.23e+034\n", data: "NaN 1 NaN 2 3 NaN",
			note: "-1.23e34, a deleted channel"},
		{text: "a,b,c\n1,2,3\n4,5,6\n7,8\n1,2,4\n4,5,7\n7,8,9\n1,2,5\n4,5,8\n",
			fail: "3 expected as on the first line$"},
		{text: "b1,b2\n-1.23e34,1\n-1.23e34,2\n", data: "1 2", note: "column 1 (b1) is empty and left out"},
		{text: "b1,b2\n-1.22e34,1\n3,2\n", data: "-1.22e+34 1 3 2"},
	} {
		for _, chunk := range []int{0, 7} {
			d := c.d
			d.Guess, d.Missing, d.chunk, d.Workers = true, true, chunk, 2
			got, err := Read(strings.NewReader(c.text), "f.csv", d)
			switch {
			case c.fail != "":
				if err == nil || !strings.Contains(err.Error()+"$", c.fail) {
					t.Errorf("%q: error %v, not %s", c.text, err, c.fail)
				}
			case err != nil:
				t.Errorf("%q: %v", c.text, err)
			case strings.Trim(fmt.Sprint(got.Data), "[]") != c.data || strings.Join(got.IDs, "|") != c.ids ||
				!strings.Contains(strings.Join(got.Notes, "\n"), c.note):
				t.Errorf("%q: %v, ids %q, notes %q", c.text, got.Data, got.IDs, got.Notes)
			}
		}
	}
	for _, s := range []string{"", "0", "3-1", "-2", "a", "1,", "last-", "1--2"} {
		if err := new(Skip).Add(s); err == nil {
			t.Errorf("%q is a list of rows", s)
		}
	}
}

func TestUnitsBehind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"w;v\n1.291,5 kg;2\n1 305,5 kg;3\n":           "[1291.5 2 1305.5 3] [kg ]",
		"w,v\n5kg,1\n6kg,2\n0,3\n":                    "[5 1 6 2 0 3] [kg ]",
		"w,v\n-4 °C,1\n7 °C,2\n":                      "[-4 1 7 2] [°C ]",
		"w,v\n5 pcs,1\n6 pcs,2\n":                     "[5 1 6 2] [pcs ]",
		"w,v\n5 EUR,1 €\n6 EUR,2 €\n":                 "[5 1 6 2] [EUR €]",
		"w,v\n5 kg,1\n6 g,2\n":                        "such as \"5 kg\" and \"6 g\"",
		"w,v\n5 kg,1\n600,2\n7 kg,3\n":                "such as \"5 kg\" and \"7 kg\"",
		"w,v\n$5,1\n€6,2\n":                           "such as \"$5\" and \"€6\"",
		"w,v\n12 Main,1\n14 Elm,2\n12 Main,2\n":       "\"12 Main\" and \"14 Elm\"",
		"lat,v\n52.1 N,1\n51.9 N,2\n1.5 S,3\n":        "such as \"52.1 N\"",
		"w,v\n12 Jan,1\n13 Jan,2\n12 Jan,2\n":         "\"12 Jan\" and \"13 Jan\"",
		"w,v\n12A,1\n13A,2\n12A,2\n":                  "\"12A\" and \"13A\"",
		"w,v\n,cm\n5 kg,1\n6 kg,2\n":                  "[5 1 6 2] [kg cm]",
		"450 nm,460 nm\n5,1\n6,2\n":                   "[5 1 6 2] []",
		"w\n" + strings.Repeat("5 kg\n", 20) + "9\n":  `"9" in column "w" is not in kg, as others are`,
		"w\n" + strings.Repeat("5 kg\n", 20) + "9 g":  `"9 g" in column "w" is not in kg, as others are`,
		"w\n" + strings.Repeat("5\n6\n", 20) + "9 kg": `"9 kg" in column "w" is not a number`,
	} {
		got, err := Read(strings.NewReader(text), "f.csv", Dialect{Guess: true})
		if s := fmt.Sprint(err); err != nil && !strings.Contains(s, want) {
			t.Errorf("%q: %v, not %s", text, err, want)
		} else if err == nil && fmt.Sprint(got.Data, " ", got.Units) != want {
			t.Errorf("%q: %v %v, not %s", text, got.Data, got.Units, want)
		}
	}
}

// A row of zeros is named where it is more than chance.
func TestZeros(t *testing.T) {
	t.Parallel()
	rows := strings.Repeat("1,2,0,4\n2,2,1,0\n", 6)
	for text, want := range map[string]string{
		"a,b,c,d\n" + rows + "0,0,0,0\n":                      "a row is 0 in all columns: row 13",
		"a,b,c,d\n" + rows + "0,0,0,0\n0,0,0,0\n":             "",
		"a,b,c\n" + strings.Repeat("1,2,0\n", 12) + "0,0,0\n": "",
	} {
		got, err := Read(strings.NewReader(text), "f.csv", Dialect{Guess: true})
		if err != nil || strings.Join(got.Notes, "\n") != want {
			t.Errorf("%q: %v, not %q", text, got.Notes, want)
		}
	}
}

// What is no sample and no variable among the others is named, with the flag that leaves it out.
func TestOthersNamed(t *testing.T) {
	t.Parallel()
	rows := func(row string) (s string) {
		for i := range 12 {
			s += strings.ReplaceAll(strings.ReplaceAll(row, "I", strconv.Itoa(i)), "J", strconv.Itoa(i*i%7+1))
		}
		return s
	}
	names, values := "", ""
	for j := range 12 {
		names, values = names+",X"+strconv.Itoa(1100+10*j), values+",0.J"
	}
	for _, c := range []struct{ text, want string }{
		{"fat,m" + names + "\n" + rows("J,J"+values+"\n"),
			"column 1 (fat), column 2 (m) are used as data, but may not belong beside " +
				"12 columns from X1100 to X1210; -drop fat,m leaves them out"},
		{"a,b,c" + names + "\n" + rows("J,J,J"+values+"\n"), "12 columns from X1100 to X1210"},
		{"a,b,c,d" + names + "\n" + rows("J,J,J,J"+values+"\n"), ""},
		{"x,y,z\n6,15,24\n1,4,9\n2,5,8\n3,6,7\n",
			"row 1 of 4 seems to be totals, statistics or limits, since its numbers are the sums of the " +
				"columns; -skip 1 leaves it out"},
		{"x,y,z\n6,15,24\n1,4,9\n2,5,8\n3,6,6\n", ""},
		{"s,a,b\n" + rows("PI,1,J\n") + "Mean,1,2\nSD,0,1\n",
			"rows 13 to 14 of 14 seem to be totals, statistics or limits, since their ids are \"Mean\" to \"SD\"; " +
				"-skip 13- leaves them out"},
		{"s,a,b\n" + rows("PI,1,J\n") + "Max,1,2\nSD,3,1\n", ""},
		{"s,a,b\n" + rows("PI,1,J.5\n") + "P13,0,2.5\n", ""}, // package kinds tells of a
		{"s,a,b\n" + rows("PI,01,J.5\n") + "P13,02,2.5\n",
			"column 2 (a) is used as data, but may be classes or ids"},
		{"s,a,b\n" + rows("PI,190J,J.5\n"), "column 2 (a) is used as data, but may be dates or parts of them"},
		{"s,SiO2,Fe,Si_err\n" + rows("PI,J.5,1.J,0.J\n"),
			"column 4 (Si_err) is used as data, but may be uncertainties"},
		{"s,LAT_DEG,LONG_DEG,v\n" + rows("PI,J.5,1.J,2.J\n"),
			"column 2 (LAT_DEG), column 3 (LONG_DEG) are used as data, but may tell"},
		{"s,Long,v,w\n" + rows("PI,J.5,1.J,2.J5\n"), ""},
		{"s,a,sd\n" + rows("PI,J.5,0.J\n"), "column 3 (sd) is used as data, but may be uncertainties"},
		{"s,a,b\n" + rows("PI,J,J.5\n") + "P13,-1,2.5\nP14,3,-1\n",
			"-1 comes 2 times, in a, b; -na -1 -missing fit, if it is a missing value, in any column"},
		{"s,a,b\n" + rows("PI,J,J.5\n") + "P13,-1,2.5\nP14,-2,-1\n", ""},
		{"date,a,b\nTransform:,5,2\n" + rows("I/1/1960,1,J\n"),
			"row 1 is data, though it has \"Transform:\" " +
				"where others have dates; -skip 1 leaves it out"},
		{"0,300.5,310,320.5,330,340,350,360,370\n" + rows("I.5,2,1,4,2,3,2,1,J\n"),
			"column 1 (0) is used as data, but may be times, places, codes or parts of a design, by the order of " +
				"the " +
				"numbers down the file; -drop 1 leaves it out"},
		{"z,a,b,c,Sum,m\n" + rows("J.5,1,4,2,7,J\n") + "2.5,2,5,3,10,1\n",
			"warning: column 5 (Sum) is used as data, but may be a sum of others, or count cases\n"},
		{"z,a,Sum\n" + rows("PI,0.J,J\n"), ""}, // of too few others
	} {
		got, err := Read(strings.NewReader(c.text), "f.csv", Dialect{Guess: true, Words: Words{}.orFlags()})
		notes := ""
		if err == nil {
			notes = strings.Join(got.Notes, "\n")
		}
		named := strings.Contains(notes, "as data, ") || strings.Contains(notes, "-skip")
		if err != nil || !strings.Contains(notes, c.want) || c.want == "" && named {
			t.Errorf("%q: %q, %v, not %q", c.text, notes, err, c.want)
		}
	}
}

// TestWhateverIsAnswered: a fault that follows from each answer of a question is told alone, without advice
// that was not tried.
func TestWhateverIsAnswered(t *testing.T) {
	const text = "a;b;c\n1,234;2,345;3,456\n1,111;2,222;3,333\n1,236;2,344;3,455\nx;2,345;3,111\n1,222;2,111\n" +
		"1,234;2,333;3,222\n"
	_, err := Read(strings.NewReader(text), "f.csv", Dialect{Guess: true, Words: Words{}.orFlags()})
	if err == nil || !strings.HasPrefix(err.Error(), "f.csv:5:1: ") || strings.Contains(err.Error(), "(") {
		t.Errorf("%v", err)
	}
}

// The line of totals after empty lines is an error, or the last row, however the text is cut.
func TestTotalAfterEmptyLines(t *testing.T) {
	t.Parallel()
	text := "a,b\n" + strings.Repeat("1,22\n", 60000) + strings.Repeat(",\n", 300) + "Total,1\n"
	for _, chunk := range []int{50, 333} {
		_, err := Read(strings.NewReader(text), "f.csv", Dialect{Guess: true, Missing: true, chunk: chunk})
		if err == nil || err.Error() != "f.csv:60002: "+blankLine {
			t.Error(err)
		}
		d := Dialect{Guess: true, chunk: chunk}
		_ = d.Skip.Add("last")
		if got, err := Read(strings.NewReader(text), "f.csv", d); err != nil || got.Rows != 60000 {
			t.Error(err)
		}
	}
}

// Rows before one that is no number are returned, and the error has those of all columns.
func TestStrays(t *testing.T) {
	t.Parallel()
	text := "a,b,c\n" + strings.Repeat("1,2,3\n", 50) + "x,2,3\n1,y,3\n" + strings.Repeat("1,2,3\n", 50) +
		"x,<3,4\n"
	want := "f.csv: entries that are not numbers: 2 in column 1 (a), \"x\" (first on line 52), 1 in column " +
		"2 (b), " +
		"\"y\" (first on line 53), 1 in column 2 (b), below a limit, \"<3\" (first on line 104) " +
		"(add -below half -na x,y -missing fit, which takes half of each limit (missing: counts it as missing) " +
		"and counts these words as missing and fits the values that are present)"
	for _, workers := range []int{1, 3} {
		b, err := NewReader(strings.NewReader(text), "f.csv", Dialect{Guess: true, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		rows, data := 0, make([]float64, 300)
		for err == nil {
			var n int
			n, err = b.ReadRows(data)
			rows += n
		}
		if rows != 50 || err.Error() != want {
			t.Errorf("%d rows, then %v, not %s", rows, err, want)
		}
		if _, again := b.ReadRows(data); again != err {
			t.Errorf("then %v", again)
		}
		e := err.(*Error)
		if !slices.Equal(e.NA, []string{"x", "y"}) || !e.Below {
			t.Errorf("%q, %v", e.NA, e.Below)
		}
	}
}

// TestFar: numbers of nines below 0 stand for missing ones where all others are at least 0. A column that has
// -9 alone, and correlations, have no warning.
func TestFar(t *testing.T) {
	for list, want := range map[string]bool{
		"-9 1 2 -9 3 0": true, "-0.99 0.1 0.2 -0.99 0.3 0": true, "-999 1 -999 -5 3 2": true,
		"-9 -9 -9 -9 -9 -9": false, "-9 1 2 -9 3 -1": false, "-0.9 -0.9 -0.1 0.2 0.5 0.8": false,
	} {
		text := "a,b\n"
		for i, v := range strings.Fields(list) {
			text += v + "," + fmt.Sprint(10+i*i) + "\n"
		}
		got, err := Read(strings.NewReader(text), "f.csv", Dialect{Guess: true})
		if err != nil || strings.Contains(strings.Join(got.Notes, " "), " times, in a") != want {
			t.Errorf("%s: %v, %q", list, err, got.Notes)
		}
	}
}
