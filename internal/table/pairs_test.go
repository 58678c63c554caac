package table

import (
	"strings"
	"testing"
)

// TestPairs: samples that have a column of wavelengths each are refused, with the names in one line or two, and
// text below. Columns that only have such names are read.
func TestPairs(t *testing.T) {
	rows, fall := "", "800.0,1,800.0,101\n795.0,2,795.0,102\n790.0,3,790.0,103\n785.0,4,785.0,104\n"
	for range 3 {
		rows += "5,1,6,2\n3,2,4,4\n7,1,5,3\n"
	}
	about := "\nS1\nCollection Time: 5/3/2020\nStart (nm)                  800.0\n\nS2\n"
	ends := strings.ReplaceAll(fall, "\n", ",\n")
	for text, want := range map[string]string{
		"S1,,S2,,\nWavelength (nm),Abs,Wavelength (nm),Abs,\n" + ends:         "own column of Wavelength (nm)",
		"S1,,S2,,\nWavelength (nm),Abs,Wavelength (nm),Abs,\n" + ends + about: "own column of Wavelength (nm)",
		"S1,,S2,\nWavelength (nm),Abs,Wavelength (nm),Abs\n" + fall + about:   "own column of Wavelength (nm)",
		",S1,,S2\nnm,Abs,nm,Abs\n" + fall:                                     "own column of nm",
		"nm,Abs,nm,Abs\nS1,,S2,\n" + fall:                                     "own column of nm",
		"nm,S1,nm.1,S2\n" + fall:                                              "own column of nm",
		"nm,S1,nm,S2\n" + fall + "780.0,5\n":                                  "own column of nm",
		"Baseline: yes\nS1,,S2,\nnm,Abs,nm,Abs\n" + fall:                      "own column of nm",
		"w_nm1,w_nm2,w_nm3,w_nm4\n" + fall:                                    "",
		"Energy 1,Yield 1,Energy 2,Yield 2\n" + rows:                          "",
	} {
		_, err := Read(strings.NewReader(text), "t", Dialect{Guess: true})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.30q: %v, not %s", text, err, want)
		}
	}
	got, err := Read(strings.NewReader("nm,S1,nm,S2\n"+fall), "t", Dialect{Guess: true, Transpose: TransposeNo})
	if err != nil || got.Rows != 4 {
		t.Errorf("%v, %v as it stands", got, err)
	}
}
