package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

// No words on the command line are a panic, and all that are wrong are told so, in a
// message that is not long.
func FuzzFlags(f *testing.F) {
	for _, args := range []string{
		"fit -k 3 -scale zscore -drop 1,2 -label x f.csv", "fit -k auto -slack 1e-3 -lambda 0x1p-3 -seed 18446744073709551615", "fit -k 2 -method lsd -kernel rbf -gamma .5 -workers 3",
		"fit -delimiter \\t -decimal , -header no -weights 2 -k=+7 -- -k", "predict -model m -o - f", "floors -most 9 -stream no -json f", "certify -centers a -memberships b -tol 1e-9 f",
		"evaluate -labels a -truth 2 x y", "report -k 64 -o p -image 8x8 -classes c f", "report -o p -image 2147483647×2147483647", "version", "help fit", "-k 3 x", "",
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
		code := run(t.Context(), strings.Split(words, "\n"), strings.NewReader("1,2\n3,5\n4,4\n"), io.Discard, &stderr)
		said := stderr.String()
		if code < 0 || code > 2 || code == 2 && said == "" || len(said) > 10000 || code > 0 && words != "" && !strings.Contains(said, "softkmeans") && said != "" {
			t.Errorf("%q: code %d, %q", words, code, said)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if code == 2 && e.Name() != "f.csv" || strings.HasSuffix(e.Name(), ".tmp") && !strings.Contains(words, ".tmp") {
				t.Errorf("%q: code %d, and there is %q", words, code, e.Name())
			}
			os.RemoveAll(e.Name())
		}
	})
}

// Nothing is not a name: not that of a file, nor of a column.
func TestEmptyWords(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"fit", "-k", "2", ""}, {"fit", "-k", "2", "-o", ""}, {"fit", "-k", "2", "-model="}, {"fit", "-k", "2", "-centers", ""}, {"fit", "-k", "2", "-label", ""},
		{"fit", "-k", "2", "-weights", ""}, {"fit", "-k", "2", "-drop", ""}, {"fit", "-k", ""}, {"fit", "-k", "2", "-method", ""}, {"fit", "-k", "2", "-delimiter", ""},
		{"predict", "-model", ""}, {"predict", "-model", "m.json", "-o", ""}, {"floors", "-o", ""}, {"certify", "-centers", ""}, {"evaluate", "a.csv", ""},
		{"evaluate", "-truth", "", "a.csv", "b.csv"}, {"report", "-k", "2", "-o", ""}, {"report", "-k", "2", "-o", "a.html", "-classes", ""},
	} {
		if code, stdout, stderr := do(t, "1,2\n3,4\n", args...); code != 2 || stdout != "" || !strings.HasPrefix(stderr, "softkmeans: ") {
			t.Errorf("%q: code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

// What the methods do not take is said before anything is read.
func TestFitUsageOfMethods(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	for args, want := range map[string]string{
		"-k 2 -lambda 1": "-lambda is only for -method minvol",
		"-k 2 -method minvol -lambda 1 -slack .1":       "give one",
		"-k 2 -method minvol -lambda -1":                "must be a number above 0",
		"-k 2 -gamma 1":                                 "-gamma is only for -method lsd and tilsd",
		"-k 2 -kernel rbf":                              "-kernel is only for",
		"-k 2 -method lsd -kernel linear -gamma 1":      "-gamma is only for -kernel rbf",
		"-k 2 -method lsd -gamma -1":                    "at least 0",
		"-k auto -method lsd -kernel matrix":            "-k auto needs rows",
		"-k 2 -method lsd -kernel matrix -scale zscore": "-scale needs rows",
		"-k 2 -method lsd -centers c.csv":               "-centers is only for -method global, minvol and alternating",
		"-k 2 -method tilsd -weights 1":                 "-weights is only for",
		"-k 2 -method tilsd -stream yes":                "-stream yes is only for -method global and minvol",
		"-k 2 -weights 1 -stream yes":                   "-stream yes does not go with -weights",
		"-k 2 -scale log":                               "must be none, zscore, minmax",
		"-k 2 -drop 0":                                  "-drop 0: columns are counted from 1",
		"-k 2 -drop a,,b":                               "with commas between them",
		"-k 2 -weights a -header no":                    `-weights "a" is a name`,
		"-k 2 -o x.csv -centers x.csv":                  "-o and -centers name the same file, x.csv",
		"-k 2 -o - -model -":                            "-model -: standard output is already taken",
		"-k 2 -model data.csv":                          "-model data.csv would overwrite the data",
	} {
		if code, stdout, stderr := do(t, "", append(strings.Fields("fit data.csv"), strings.Fields(args)...)...); code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %q; want %q", args, code, stderr, want)
		}
	}
	for args, want := range map[string]string{
		"-k 2 -method lsd -kernel matrix": "3 rows of 2 columns; a matrix of similarities is square",
		"-k 2 -label 3":                   "3",
		"-k 2 -label 1 -weights 1":        "1",
	} {
		if code, stdout, stderr := do(t, "", append(strings.Fields("fit data.csv"), strings.Fields(args)...)...); code != 1 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, %q; want %q", args, code, stderr, want)
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) != 1 {
		t.Errorf("left over: %v", entries)
	}
}
