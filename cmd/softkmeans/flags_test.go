package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

// No command line panics. A wrong one gets a message, and not a long one.
func FuzzFlags(f *testing.F) {
	for _, args := range []string{
		"fit -k 3 -scale zscore -drop 1,2 -label x f.csv", "fit -k auto -slack 1e-3 -lambda 0x1p-3 -seed " +
			"18446744073709551615", "fit -k 2 -method lsd -kernel rbf -gamma .5 -workers 3",
		"fit -delimiter \\t -decimal , -header no -weights 2 -k=+7 -- -k", "predict -model m -o - f",
		"floors -most 9 -stream no -json f", "certify -centers a -memberships b -tol 1e-9 f",
		"evaluate -labels a -truth 2 x y", "report -k 64 -o p -image 8x8 -classes c f",
		"report -o p -image 2147483647×2147483647", "unmix -k auto -size 3x1 -order columns -o g.img " +
			"-spectra s.sli -report p -stream no f", "unmix -k 2 -sum at-most-one f.hdr",
		"simulate -k 2 -size 8x5 -purity none -snr 9 -seed 1 s", "version", "help fit", "-k 3 x", "",
	} {
		f.Add(strings.ReplaceAll(args, " ", "\n"))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, words string) {
		if strings.ContainsAny(words, "/") || len(words) > 1<<12 {
			return // stay in the folder
		}
		t.Chdir(dir)
		if err := os.WriteFile("f.csv", []byte("1,2\n3,4\n5,7\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		code := run(t.Context(), strings.Split(words, "\n"), strings.NewReader("1,2\n3,5\n4,4\n"), io.Discard,
			&stderr)
		said := stderr.String()
		if code < 0 || code > 2 || code == 2 && said == "" || len(said) > 10000 || code > 0 && words != "" &&
			!strings.Contains(said, "softkmeans") && said != "" {
			t.Errorf("%q: code %d, %q", words, code, said)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if code == 2 && e.Name() != "f.csv" || strings.HasSuffix(e.Name(), ".tmp") &&
				!strings.Contains(words, ".tmp") {
				t.Errorf("%q: code %d, and there is %q", words, code, e.Name())
			}
			os.RemoveAll(e.Name())
		}
	})
}

// An empty word is neither a file nor a value.
func TestEmptyWords(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"fit", "-k", "2", ""}, {"fit", "-k", "2", "-o", ""}, {"fit", "-k", "2", "-model="},
		{"fit", "-k", "2", "-drop", ""}, {"fit", "-k", ""}, {"evaluate", "a.csv", ""},
	} {
		if code, stdout, stderr := do(t, "1,2\n3,4\n", args...); code != 2 || stdout != "" ||
			!strings.HasPrefix(stderr, "softkmeans: ") {
			t.Errorf("%q: code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

func TestFlags(t *testing.T) {
	inFolder(t, "1,2\n3,4\n")
	for _, f := range []failure{
		{"fit data.csv", 2, "-k is missing"},
		{"fit -k", 2, "flag needs an argument: -k"},
		{"fit -k 0 data.csv", 2, `"0" for flag -k: must be a whole number, at least 1`},
		{"fit -k 1.5 data.csv", 2, `"1.5" for flag -k: must be`},
		{"fit -k 2 -slack 0 data.csv", 2, `"0" for flag -slack: must be a number above 0`},
		{"fit -k 2 -slack NaN -method minvol data.csv", 2, `"NaN" for flag -slack: must be`},
		{"fit -k 2 -slack 0.1 -method global data.csv", 2, "-slack is only for -method minvol"},
		{"fit -k 2 -solver gram data.csv", 2, "-solver is only for -method global"},
		{"fit -k 2 -seed 1 -method global data.csv", 2,
			"-seed is only for -method minvol, alternating and lsd"},
		{"fit -k 2 -seed -1 data.csv", 2, `"-1" for flag -seed`},
		{"fit data.csv -k 2 -nothing", 2, "not defined: -nothing"},
		{"fit -k 2 data.csv more.csv", 2, `fit takes 1 file, not 2: ["data.csv" "more.csv"]`},
		{"fit -k 2 -workers -1 data.csv", 2, "flag -workers: must be a whole number, at least 0"},
		{"fit -k 2 -method lsd -sum one data.csv", 2,
			"-sum is only for -method minvol, global and alternating"},
		{"certify -model m.json -sum one data.csv", 2, "-sum: the model has its own; leave the flag out"},
		{"fit -k 2 -solver fast data.csv", 2, `"fast" for flag -solver: must be auto, gram, jacobi or krylov`},
		{"fit -k 2 -header maybe data.csv", 2, `"maybe" for flag -header: must be auto, yes or no`},
		{"fit -k 2 -delimiter ab data.csv", 2, `"ab" for flag -delimiter: must be auto`},
		{"fit -k 2 -delimiter \" data.csv", 2, `for flag -delimiter: must be auto`},

		{"fit -k 2 missing.csv", 1, "open missing.csv: "},
		{"fit -k 2 .", 1, "softkmeans: read .: "},
		{"fit -k 2", 1, "softkmeans: <stdin>: there are no rows"},
		{"fit -k 2 -- -k", 1, "open -k: "},
	} {
		f.check(t)
	}
}

// A flag that the method does not take is an error before anything is read.
func TestFlagsOfMethods(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	for _, f := range []failure{
		{"-k 2 -method global -lambda 1", 2, "-lambda is only for -method minvol"},
		{"-k 2 -method global -bootstrap 20", 2, "-bootstrap is only for -method minvol"},
		{"-k 2 -method minvol -bootstrap 1", 2, "must be a whole number, at least 2"},
		{"-k 2 -method minvol -bootstrap 20 -stream yes", 2, "-bootstrap is for tables in memory"},
		{"-from m.json -method global", 2, "-from is only for -method minvol and alternating"},
		{"-from m.json -method minvol -k 2", 2, "-k: the model of -from has its own"},
		{"-from m.json -method minvol -scale none", 2, "-scale: the model of -from has its own"},
		{"-from m.json -method minvol -stream yes", 2, "-from is for tables in memory"},
		{"-from m.json -method minvol", 1, "open m.json: "},
		{"-from data.csv -method minvol", 1, "data.csv: not a model"},
		{"-k 2 -method minvol -lambda 1 -slack .1", 2, "give one"},
		{"-k 2 -method global -plain", 2, "-plain is only for -method minvol and alternating"},
		{"-k 2 -method minvol -stream yes -others yes", 2, "-others yes is for tables in memory"},
		{"-k 2 -method global -others no", 2, "-others is only for -method minvol"},
		{"-k 2 -method tilsd -enclosure smallest", 2, "-enclosure smallest is only for -method global"},
		{"-k 2 -method global -stream yes -enclosure smallest", 2, "tables in memory, without -stream yes"},
		{"-k 2 -method global -stream yes -sum at-most-one", 2, "tables in memory, without -stream yes"},
		{"-k 2 -gamma 1", 2, "-gamma is only for -method tilsd and lsd"},
		{"-k 2 -method minvol -kernel rbf", 2, "-kernel is only for"},
		{"-k 2 -method lsd -kernel linear -gamma 1", 2, "-gamma is only for -kernel rbf"},
		{"-k 2 -method lsd -gamma -1", 2, "at least 0"},
		{"-k 2 -method lsd -kernel matrix -scale zscore", 2, "-scale needs rows"},
		{"-k 2 -method lsd -centers c.csv", 2, "-centers is only for -method minvol, global and alternating"},
		{"-k 2 -method tilsd -weights 1", 2, "-weights is only for"},
		{"-k 2 -method tilsd -stream yes", 2, "-stream yes is only for -method minvol and global"},
		{"-k 2 -weights 1 -stream yes", 2, "-stream yes does not go with -weights"},
		{"-k 2 -scale log", 2, "must be auto, none, zscore, minmax"},
		{"-k 2 -drop a,,b", 2, "with commas between them"},
		{"-k 2 -method lsd -kernel matrix", 1, "3 rows of 2 columns; a matrix of similarities is square"},
		{"-k 2 -label 3", 1, "3"},
		{"-k 2 -label 1 -weights 1", 1, "1"},
	} {
		f.args = "fit data.csv " + f.args
		f.check(t)
	}
	if entries, _ := os.ReadDir("."); len(entries) != 1 {
		t.Errorf("left over: %v", entries)
	}
}
