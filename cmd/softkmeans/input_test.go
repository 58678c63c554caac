package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"softkmeans/internal/answer"
)

func TestFitNamesAndLabel(t *testing.T) {
	text := "width;species;\"Länge, cm\"\n1;a;2\n3;b;4\n5;b;7\n"
	for _, label := range []string{"species", "2"} {
		code, report, stderr := do(t, text, "fit", "-k", "2", "-label", label)
		if code != 0 {
			t.Fatal(stderr)
		}
		if want := "<stdin>: 3 rows, 2 columns, and a header; column 2 (species) " +
			"is left out.\n"; !strings.HasPrefix(report, want) {
			t.Errorf("the report does not begin with %q:\n%s", want, report)
		}
		if !regexp.MustCompile(` width +Länge, cm `).MatchString(report) {
			t.Errorf("no names in\n%s", report)
		}
	}
}

func TestFitDelimiter(t *testing.T) {
	_, want, _ := do(t, "1,2\n3,4\n5,9\n", "fit", "-k", "2")
	for flag, delimiter := range map[string]string{"auto": ";", ",": ",", "tab": "\t", `\t`: "\t",
		"space": "  ", "|": "|", "·": "·"} {
		text := strings.ReplaceAll("1,2\n3,4\n5,9\n", ",", delimiter)
		if code, report, stderr := do(t, text, "fit", "-k", "2", "-delimiter", flag); code != 0 ||
			report != want {
			t.Errorf("-delimiter %s: code %d, %s, report\n%s", flag, code, stderr, report)
		}
	}
}

// A huge number of workers does not exceed the memory, and gives the same output.
func TestManyWorkers(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	must(t, strings.Fields("fit -k 2 -model model.json data.csv")...)
	for _, args := range []string{"fit -k 2 data.csv", "fit -k 2 -stream yes data.csv",
		"fit -k 2 -method minvol data.csv", "predict -model model.json data.csv"} {
		one := must(t, append(strings.Fields(args), "-workers", "1")...)
		if many := must(t, append(strings.Fields(args), "-workers", "2000000000")...); many != one {
			t.Errorf("%s: %s\nby one: %s", args, many, one)
		}
	}
}

// An error in a line is reported before the pipe ends.
func TestErrorBeforeEnd(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, "1,2\n3,x\n5")
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"fit", "-k", "2", "-workers", "2", "-guess", "no"}, r, io.Discard,
		&stderr)
	if code != 1 || stderr.String() != "softkmeans: <stdin>:2:2: \"x\" is not a number\n" {
		t.Errorf("code %d, %q", code, &stderr)
	}
}

// Without a file a terminal is not read. The null device stands for one.
func TestNoInput(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Skip("the null device is no character device here")
	}
	var stderr bytes.Buffer
	if code := run(context.Background(), []string{"fit", "-k", "2"}, f, io.Discard, &stderr); code != 2 ||
		!strings.Contains(stderr.String(), "no file given") ||
		!strings.Contains(stderr.String(), "softkmeans help fit") {
		t.Errorf("code %d, %q", code, &stderr)
	}
}

// The message about a decimal comma says that the sign is the point. The flag -decimal reads it.
func TestDecimalComma(t *testing.T) {
	inFolder(t, "Länge;Preis\n1,5;2\n3;4,25\n5;7\n")
	writeText(t, "points.csv", "Länge;Preis\n1.5;2\n3;4.25\n5;7\n")
	code, _, stderr := do(t, "", "fit", "-k", "2", "-guess", "no", "data.csv")
	if code != 1 || !strings.Contains(stderr, `data.csv:2:1: "1,5" in column "Länge" is not a number `+
		`(the decimal sign is the point)`) {
		t.Errorf("code %d, %s", code, stderr)
	}
	want := strings.ReplaceAll(must(t, "fit", "-k", "2", "points.csv"), "points", "data")
	for _, args := range []string{"-guess no -decimal comma", "-guess no -decimal ,", "-decimal auto",
		"-decimal comma -stream yes -o -"} {
		code, stdout, stderr := do(t, "",
			append(strings.Fields("fit -k 2 data.csv"), strings.Fields(args)...)...)
		if strings.Contains(args, "stream") {
			if code != 0 || strings.Count(stdout, "\n") != 4 {
				t.Errorf("%s: code %d, %s%s", args, code, stdout, stderr)
			}
		} else if stdout = strings.Replace(stdout, "\nThe decimal sign is the comma.", "", 1); code != 0 ||
			stdout != want {
			t.Errorf("%s: code %d, %s\n%s", args, code, stderr, stdout)
		}
	}
}

// A .npy array can come from standard input.
func TestNpyInput(t *testing.T) {
	dir := t.TempDir()
	_, path := writeTables(t, dir, 500, 3)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := do(t, "", "fit", "-k", "2", "-method", "minvol", path)
	code, report, stderr := do(t, string(data), "fit", "-k", "2", "-method", "minvol")
	if code != 0 || report != strings.Replace(want, path, "<stdin>", 1) {
		t.Errorf("code %d, %s\n%s", code, stderr, report)
	}
	code, _, stderr = do(t, string(data[:len(data)-9]), "fit", "-k", "2")
	if code != 1 || stderr != "softkmeans: <stdin>: the file is cut: 9 of 12000 bytes of values are "+
		"missing, from row 500 on\n" {
		t.Errorf("code %d, %s", code, stderr)
	}
}

// TestProgramNames: a note that shows the name of a column of ids does not say that it has none.
func TestProgramNames(t *testing.T) {
	inFolder(t, "")
	for _, name := range []string{"", "Unnamed: 0", "..1"} {
		text := name + ",a,b\n"
		for i := range 6 {
			text += fmt.Sprintf("r%d,%d,%d.5\n", i, i*i%5, i*3%7)
		}
		writeText(t, "data.csv", text)
		report := parseJSON[answer.Answer](t, must(t, "fit", "-k", "2", "-json", "data.csv"))
		notes := strings.Join(report.Notes, "\n")
		if none := strings.Contains(notes, "it has no name"); !strings.Contains(notes, "for the rows' ids") ||
			none != (name == "") || !none && !strings.Contains(notes, "("+name+")") {
			t.Errorf("%q: %s", name, notes)
		}
	}
}
