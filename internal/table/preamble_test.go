package table

import (
	"fmt"
	"strings"
	"testing"
)

// Text before a table is left out where it is certain, and said; what may be a header or rows is not.
func TestPreamble(t *testing.T) {
	rows := func(comma string, decimal string, columns ...string) string {
		var b strings.Builder
		for i := range 12 {
			for j, c := range columns {
				if j > 0 {
					b.WriteString(comma)
				}
				if c == "" {
					c = strings.Replace(fmt.Sprint(float64(7*i*i%10+j)+.5), ".", decimal, 1)
				}
				b.WriteString(strings.Replace(c, "N", fmt.Sprint(i), 1))
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	named, bare := rows(",", ".", "sN", "", "", ""), rows(",", ".", "", "", "", "")
	two := rows(",", ".", "40N", "")
	for _, c := range []struct {
		text  string
		lines int    // that are left out
		names string // "": an error
	}{
		{"Instrument: X200\nDate, 12.05.2024\n\nname,a,b,c\n" + named, 3, "a b c"},
		{"Table 3. Sizes\nname,a,b,c\n" + named, 1, "a b c"},
		{"Table 3. Sizes\na,b,c\n" + named, 1, "a b c"},
		{"Table 3. Sizes\n,a,b,c\n,mg,mg,mg\n" + named, 1, "a b c"},
		{"Instrument: X200,,,\nDate,12.05.2024,,\n,,,\nname,a,b,c\n" + named, 3, "a b c"},
		{"Instrument: X200\nDate, 12.05.2024\n" + bare, 2, "c1 c2 c3 c4"},
		{"Gerät: X;Y\nDatum;12.05.2024\nname;a;b;c\n" + rows(";", ",", "sN", "", "", ""), 2, "a b c"},
		{"Plot File [Thu]\nColumn 1: x\nColumn 2: y\n" + rows(" ", ".", "", "", "", ""), 3, "c1 c2 c3 c4"},
		{"TITLE\tS 1\nDATA TYPE\tUV\nXYDATA\n" + rows("\t", ".", "40N", ""), 3, "c2"},
		{"Operator,Smith\nDate,12.05.2024\nWavelength (nm),Abs\n" + two, 2, "Wavelength (nm) Abs"},
		{"Serial,AB12\nDate,12.05.2024\nx,y\n" + two, 2, "x y"},
		{"Run by \"Smith\"\nname,a,b,c\n" + named, 1, "a b c"},
		{"Export\n\n# a comment\nname,a,b,c\n" + named, 2, "a b c"},
		{"Title\nnm Abs b\n" + rows(" ", ",", "40N,5", "", ""), 1, "nm Abs b"},
		{"Scan,1\nGain,2.5\nname,a,b,c\n" + named, 2, "a b c"},
		{"instrument= HI: 123 x\ndata=\n" + rows(" ", ".", "", "", "", ""), 2, "c1 c2 c3 c4"},
		{"integration= 40.0 20.0 10.0 40.0 20.0\n" + rows(" ", ".", "", "", "", ""), 1, "c1 c2 c3 c4"},
		{"sep=;\nTitle\nname;a;b;c\n" + rows(";", ".", "sN", "", "", ""), 1, "a b c"},
		{"name,a,b,c\n" + named, 0, "a b c"},
		{"a,b,c\n" + named, 0, "a b c"},
		{";a;b\n" + rows(";", ".", "sN", "", ""), 0, "a b"},
		{"; made by hand\nname;a;b\n" + rows(";", ".", "sN", "", ""), 1, "a b"},
		{"name,a,b,c\n,mg,mg,mg\n" + named, 0, "a b c"},
		{"Wavelength,Abs\nnm,AU\n" + two, 0, "Wavelength Abs"},
		{"x,y\nmm,AU\n" + two, 0, "x y"},
		{"Title\nx,y\nmm,AU\n" + two, 1, "x y"},
		{"a,b\nnm,µm\n" + two, 0, "a b"},
		{"name,a,SO4=,c:\n" + named, 0, "a SO4= c:"},
		{"name:,a:,b:,c:\n" + named, 0, "a: b: c:"},
		{"\"Long\nname\",a,b,c\n" + named, 0, "a b c"},
		{"a,b\n" + named, 0, ""},
		{"1,2\n" + named, 0, ""},
		{"121\nname,a,b,c\n" + named, 1, "a b c"},
		{"name,a,b,c\ns,1\n" + named, 0, ""},
		{"x,y\nfoo,bar\nbaz,qux\n" + rows(",", ".", "nN", ""), 0, ""},
		{"name,a,b,c\n" + strings.Repeat("s,n.d. 1,2,n.d. 3\n", 5) + named, 0, ""},
		{"x,y\n" + strings.Repeat("5,<0.1\n", 4) + two, 0, ""},
	} {
		got, err := Read(strings.NewReader(c.text), "t", Dialect{Guess: true})
		if err != nil {
			if c.names != "" {
				t.Errorf("%.40q: %v", c.text, err)
			}
			continue
		}
		note := ""
		for _, n := range got.Notes {
			if strings.Contains(n, "text before the table") {
				note = n
			}
		}
		want := map[int]string{0: "", 1: " is left out", 2: "lines 1-2 are", 3: "lines 1-3 are"}[c.lines]
		if strings.Join(got.Names, " ") != c.names || got.Rows != 12 || !strings.Contains(note, want) ||
			(note == "") != (want == "") {
			t.Errorf("%.40q: %d rows, %q, %q", c.text, got.Rows, got.Names, got.Notes)
		}
	}
	_, err := Read(strings.NewReader("Title\nname,a,b,c\n"+named+"x,1,2,n.d. 3\n"), "t", Dialect{Guess: true})
	if err == nil || !strings.Contains(err.Error(), "t:15:4: ") {
		t.Errorf("%v", err)
	}
}
