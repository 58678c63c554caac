package table

import (
	"fmt"
	"strings"
	"testing"
)

// paired is a table of pairs of columns: samples are 10·i + j at the wavelength 800 − 5·j.
func pairedTable(head, end string, samples, waves int) string {
	var b strings.Builder
	b.WriteString(head)
	for j := range waves {
		for i := range samples {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, "%d.0,%d", 800-5*j, 100*i+j)
		}
		b.WriteString(end + "\n")
	}
	return b.String()
}

// Wavelengths and values in pairs of columns are samples where all wavelengths agree.
func TestPairs(t *testing.T) {
	const two = "S1,,S2,,\nWavelength (nm),Abs,Wavelength (nm),Abs,\n"
	plain := pairedTable(two, ",", 2, 12)
	about := "\nS1\nCollection Time: 5/3/2020\nStart (nm)                  800.0\n\nS2\n"
	for _, none := range []string{pairedTable("w_nm1,w_nm2,w_nm3,w_nm4\n", "", 2, 12),
		"Energy 1,Yield 1,Energy 2,Yield 2\n" + strings.Repeat("5,1,6,2\n3,2,4,4\n7,1,5,3\n", 4)} {
		got, err := Read(strings.NewReader(none), "t", Dialect{Guess: true})
		if err != nil || got.Rows != 12 {
			t.Errorf("%v: %.20q has pairs", err, none)
		}
	}
	_, err := Read(strings.NewReader(plain+"740.0,1\n"), "t", Dialect{Guess: true, Long: Yes})
	if err == nil || !strings.Contains(err.Error(), "a long table has at least three columns") {
		t.Errorf("%v", err)
	}
	for _, c := range []struct{ text, want string }{
		{plain, "S1 S2"},
		{plain + about, "S1 S2"},
		{pairedTable(two, ",", 2, 3000) + about, "S1 S2"},
		{pairedTable("S1,,S2,\nWavelength (nm),Abs,Wavelength (nm),Abs\n", "", 2, 12) + about, "S1 S2"},
		{pairedTable(",S1,,S2\nnm,Abs,nm,Abs\n", "", 2, 12), "S1 S2"},
		{pairedTable("nm,Abs,nm,Abs\nS1,,S2,\n", "", 2, 12), "S1 S2"},
		{pairedTable("nm,S1,nm.1,S2\n", "", 2, 12), "S1 S2"},
		{pairedTable("S1,\nWavelength (nm),Abs\n", "", 1, 12), "S1"},
		{"Baseline: yes\n" + plain, "S1 S2"},
		{strings.Replace(plain, "790.0,102", "791.0,102", 1),
			`t:5:3: "791.0" in Wavelength (nm), but "790.0" in column 1`},
		{strings.Replace(plain, "790.0,102", ",", 1), "t:5:3: "},
		{strings.Replace(pairedTable("nm,S1,nm,S2\n", "", 2, 12), "790.0,102", "791.0,102", 1),
			`t:4:3: "791.0" in nm, but`},
		{pairedTable("nm,S1,nm,S2\n", "", 2, 12) + "740.0,1\n", "t:14: 2 fields found"},
		{plain + "740.0,1\n", "t:15: 2 fields found"},
		{"nm,S1,S2,S3,nm\n4,1,6,2,4\n5,1,6,2,5\n6,1,6,2,6\n7,1,5,3,8\n8,1,1,1,8\n9,1,1,1,9\n10,1,1,1,10\n" +
			"11,1,1,1,11\n",
			`t:5:5: "8" in nm, but "7" in column 1`},
		{strings.Replace(plain, ",102,", ",n.d. 1,", 1), `t: a column of text: column 4 (790.0)`},
	} {
		got, err := Read(strings.NewReader(c.text), "t", Dialect{Guess: true})
		if strings.HasPrefix(c.want, "t:") {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, not %s", err, c.want)
			}
			continue
		}
		if err != nil || strings.Join(got.IDs, " ") != c.want || !got.Turned || got.Names[2] != "790.0" {
			t.Errorf("%.30q: %v", c.text, err)
			continue
		}
		for i := range got.Rows {
			for j := range got.Names {
				if v := got.Data[i*len(got.Names)+j]; v != float64(100*i+j) {
					t.Errorf("%.30q: row %d, column %d is %v", c.text, i, j, v)
				}
			}
		}
		if strings.Contains(c.text, "Collection") &&
			!strings.Contains(strings.Join(got.Notes, ";"), "left out: \"S1\"") {
			t.Errorf("%q", got.Notes)
		}
	}
}
