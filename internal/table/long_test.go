package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// longTable is a long table of samples and wavelengths with these fields on each line.
func longTable(head, line string, samples, waves int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range samples {
		for j := range waves {
			n := i*waves + j + 1
			b.WriteString(strings.NewReplacer("S", fmt.Sprintf("S%d", i), "I", fmt.Sprint(i),
				"X", fmt.Sprint(i%2), "W", fmt.Sprint(400+10*j),
				"V", fmt.Sprintf("0.%03d", n), "N", fmt.Sprint(n)).Replace(line))
		}
	}
	return b.String()
}

// Long tables get a row for each sample where names leave no doubt. Others are asked about, or are
// read as they stand.
func TestLong(t *testing.T) {
	for _, c := range []struct{ head, line, want string }{
		{"sample,wavelength,intensity\n", "S,W,V\n", "S0 S1 S2 S3"},
		{"wavelength,sample,intensity\n", "W,S,V\n", "S0 S1 S2 S3"},
		{"Probe;Wellenlänge;Wert\n", "S;W,5;V\n", "S0 S1 S2 S3"},
		{"sample wavelength value\n", "S W V\n", "S0 S1 S2 S3"},
		{"\"\",\"sample\",\"nm\",\"value\"\n", "\"N\",\"S\",W,V\n", "S0 S1 S2 S3"},
		{"spectrum,wavenumber,absorbance\n", "I,W,V\n", "0 1 2 3"},
		{"cell,gene,count\n", "S,gW,V\n", "S0 S1 S2 S3"},
		{"", "S,W,V\n", "? seems to be a long table"},
		{"#X\t\t#Y\t\t#Wave\t\t#Intensity\n", "X\tI\tW\tV\n", "kept X Y"},
		{"sample,wavelength,value\n,nm,AU\n", "S,W,V\n", "S0 S1 S2 S3"},
		{"country,year,gdp\n", "S,W,V\n", "? seems to be a long table"},
		{"site,species,count\n", "S,gW,V\n", "S0 S1 S2 S3"},
		{"id,time,conc\n", "I,W,V\n", "? seems to be a long table"},
		{"sample,replicate,wavelength,value\n", "X,I,W,V\n", "kept sample replicate"},
		{"donor,replicate,wavelength,value\n", "dX,I,W,V\n", "d0 d1 d0 d1"},
		{"sample,wavelength,refl,sd\n", "S,W,V,0.1\n", "? 2 columns of values"},
		{"strain,meas,value,zscore\n", "S,gW,V,0.1\n", "? 4 samples of column 1 (strain) and 6 values"},
		{"locus,state,raw,scaled,fpkm,len,l2,l3,l4\n", "gW,S,V,N,0.N,1,,,\n",
			"? 4 samples of column 2 (state) and 6 values"},
		{"patient,assay,count,area,height\n", "S,gW,N,0.N,V\n", "? 4 samples of column 1 (patient) and 6 values"},
		{"land,kind,time,value\n", "dX,S,qW,V\n", "? 4 samples of column 1 (land), column 2 (kind) and 6 values"},
		{"x,y,z\n", "I,W,V\n", "rows 24"},
		{"id,size,weight\n", "N,W,V\n", "rows 24"},
		{"class,energy,yield\n", "X,N.5,V\n", "rows 24"},
		{"Unnamed: 0,..1,t\n", "N,N,tN\n", "rows 24"},
	} {
		d := Dialect{Guess: true}
		text := longTable(c.head, c.line, 4, 6)
		if strings.Contains(c.head, ";") {
			text = strings.ReplaceAll(text, ".", ",")
		}
		got, err := Read(strings.NewReader(text), "t", d)
		ask, asks := strings.CutPrefix(c.want, "? ")
		switch {
		case asks:
			if err == nil || !strings.Contains(err.Error(), ask) ||
				!strings.Contains(err.Error(), "-long no") {
				t.Errorf("%q: %v", c.head, err)
			}
		case err != nil:
			t.Errorf("%q: %v", c.head, err)
		case c.want == "rows 24":
			if got.Rows != 24 || got.Long {
				t.Errorf("%q: %d rows", c.head, got.Rows)
			}
		case got.Rows != 4 || len(got.Names) != 6 || !got.Long ||
			!strings.Contains(strings.Join(got.Notes, ";"), "-long no"):
			t.Errorf("%q: %d × %d, %q", c.head, got.Rows, len(got.Names), got.Notes)
		default:
			ids := strings.Join(got.IDs, " ")
			if got.IDs == nil {
				ids = "kept " + strings.Join(got.KeptNames, " ")
			}
			if ids != c.want {
				t.Errorf("%q: %s", c.head, ids)
			}
			for i, v := range got.Data {
				if v != float64(i+1)/1000 {
					t.Errorf("%q: entry %d is %v", c.head, i, v)
				}
			}
		}
	}
}

// What is missing, twice or wrong in a long table is told with the place in the text. Flags about
// columns that stay need no -long yes.
func TestLongFaults(t *testing.T) {
	head, line := "sample,wavelength,intensity\n", "S,W,V\n"
	text := longTable(head, line, 4, 6)
	for _, c := range []struct{ text, want string }{
		{text + "S1,400,0.7\n",
			`t:26: a second value of "S1" at 400 in column 2 (wavelength); the first is on line 8`},
		{text + "S1,400.0,0.7\n", `t:26: a second value`},
		{strings.Replace(text, "0.009", "n.d. 9", 1), `t:10:3: "n.d. 9" in column "420"`},
		{strings.Replace(text, "0.009", "0.009,4", 1), "line 10: 4 fields found, 3 expected"},
		{strings.Replace(text, "S1,420,0.009\n", "", 1), `1 in column 4 (420) (first of "S1")`},
		{strings.Replace(text, "S1,420,", "S1,,", 1), "t:10:2: a long table needs a value"},
	} {
		_, err := Read(strings.NewReader(c.text), "t", Dialect{Guess: true})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not %s", err, c.want)
		}
	}
	for _, c := range []struct {
		d    Dialect
		want string
	}{
		{Dialect{Drop: []string{"sample"}}, ""},
		{Dialect{Drop: []string{"1"}}, "-drop is about the table as it is then read"},
		{Dialect{Drop: []string{"1"}, Long: Yes}, ""},
		{Dialect{Label: "sample"}, ""},
		{Dialect{ID: NoID}, ""},
		{Dialect{Long: No}, "a column of text"},
		{Dialect{Stream: true}, "cannot be read in blocks"},
		{Dialect{Long: Yes, Transpose: Yes}, "is not turned"},
		{Dialect{Known: []string{"wavelength", "intensity"}}, "a column of text"},
	} {
		c.d.Guess = true
		got, err := Read(strings.NewReader(text), "t", c.d)
		if c.want == "" && (err != nil || got.Rows != 4 || len(got.Names) != 6) {
			t.Errorf("%+v: %v", c.d, err)
		} else if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c.d, err)
		}
		if c.d.Stream && !errors.Is(err, ErrTurned) {
			t.Errorf("%v", err)
		}
	}
	// Samples with few or no values in common.
	few, none := head, head
	for i := range 50 {
		few += fmt.Sprintf("S%d,%d,1\nS%d,%d,2\n", i/2, 400+i%30, i/2, 450+i%20)
		none += fmt.Sprintf("S%d,%d.5,1\nS%d,%d.6,2\n", i, 400+i, i, 400+i)
	}
	_, err := Read(strings.NewReader(few), "t", Dialect{Guess: true})
	if err == nil || !strings.Contains(err.Error(), "a column of text") {
		t.Errorf("%v", err)
	}
	_, err = Read(strings.NewReader(none), "t", Dialect{Guess: true, Long: Yes})
	if err == nil || !strings.Contains(err.Error(), "must have values in common") {
		t.Errorf("%v", err)
	}
	d := Dialect{Guess: true, Missing: true}
	got, err := Read(strings.NewReader(strings.Replace(text, "S1,420,0.009\n", "", 1)), "t", d)
	if err != nil || !slices.Equal(got.Missing, []int{0, 0, 1, 0, 0, 0}) || !math.IsNaN(got.Data[8]) {
		t.Errorf("%v, %+v", err, got)
	}
}
