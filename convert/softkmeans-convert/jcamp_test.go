package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// jcamp is a file of one block.
func jcamp(title, head, data string) string {
	return "##TITLE= " + title + "\n##JCAMP-DX= 4.24 $$ a comment\n##DATA TYPE= INFRARED SPECTRUM\n" +
		"##XUNITS= 1/CM\n##YUNITS= ABSORBANCE\n" + head + "##XYDATA= (X++(Y..Y))\n" + data + "##END=\n"
}

// convertTexts runs the program on files of these texts.
func convertTexts(t *testing.T, flags string, texts ...string) (string, error) {
	t.Helper()
	args := strings.Fields(flags)
	dir := t.TempDir()
	for i, text := range texts {
		args = append(args, put(t, filepath.Join(dir, fmt.Sprintf("%d.jdx", i)), text))
	}
	var out bytes.Buffer
	err := run(args, &out)
	return out.String(), err
}

// The forms are those of table VIII of McDonald and Wilks, 1 2 3 3 2 1 0 −1 −2 −3 in each.
func TestJCAMPForms(t *testing.T) {
	head := "##FIRSTX= 400\n##LASTX= 409\n##NPOINTS= 10\n##YFACTOR= 0.5\n"
	want := "\"spectrum\",\"400\",\"401\",\"402\",\"403\",\"404\",\"405\",\"406\",\"407\",\"408\",\"409\"\n" +
		"\"a, b\",0.5,1,1.5,1.5,1,0.5,0,-0.5,-1,-1.5\n"
	for _, data := range []string{
		"400 1 2 3 3 2 1 0 -1 -2 -3\n",
		"400, 1, 2, 3, 3, 2, 1, 0, -1, -2, -3\n",
		"400+1+2+3+3+2+1+0-1-2-3\n",
		"400A B C C B A @ a b c\n",
		"400ABCCBA@abc\n",
		"400AJJ%jjjjjj\n",
		"400 1JJ%jjjjjj\n",
		"400AJJ%jX\n",
		"400AJ T%jX\n",
		"400ABC T B A @ a b c\n",
		"400ABCSCBA@abc\n",
		"400AJJ%\n403Cj\n404BjW\n409c\n", // each line repeats the last value of the one before
		"400AJJ\n402CTBA@abc\n",
		"400 1 2 3\n403 3 2 1 $$ more\n406@abc\n",
		"400 1.0E+00 2 30E-01\n403 3 2 1\n406 0 -1 -2 -3\n",
	} {
		got, err := convertTexts(t, "", jcamp("a, b", head, data))
		if err != nil || got != want {
			t.Errorf("%q: %v\n%s", data, err, got)
		}
	}
}

// Blocks of one file and of several are rows; what does not fit is an error.
func TestJCAMP(t *testing.T) {
	head := "##FIRSTX= 4000\n##LASTX= 3990\n##NPOINTS= 3\n"
	a, b := jcamp("a", head, "4000 1 2 3\n"), jcamp("b", head, "4000 4 ? 6\n")
	want := "\"spectrum\",\"4000\",\"3995\",\"3990\"\n\"a\",1,2,3\n\"b\",4,,6\n"
	link := "##TITLE= both\n##DATA TYPE= LINK\n##BLOCKS= 2\n" + a + b + "##END=\n"
	windows := "\ufeff" + strings.ReplaceAll(link, "\n", "\r\n")
	for _, texts := range [][]string{{a, b}, {a + b}, {link}, {windows}} {
		if got, err := convertTexts(t, "", texts...); err != nil || got != want {
			t.Errorf("%v\n%s", err, got)
		}
	}
	got, err := convertTexts(t, "", a, a)
	if err != nil || !strings.Contains(got, "\n\"a\",1,2,3\n\"a (2)\",1,") {
		t.Errorf("%v\n%s", err, got)
	}
	axis := "\t3 points from 4000 to 3990 1/CM, ABSORBANCE\n"
	if got, err = convertTexts(t, "-list", link); err != nil || got != "a"+axis+"b"+axis {
		t.Errorf("%v\n%s", err, got)
	}
	for _, c := range []struct{ text, want string }{
		{jcamp("a", head, "4000 1 2\n"), "2 values, not the 3 of ##NPOINTS"},
		{jcamp("a", head, "4000AJ\n3990AJ\n"), "line 11: its first value must be 2"},
		{jcamp("a", head, "4000AJ\n"), "not the 3"},
		{jcamp("a", head, "4000 1\n3000 2 3\n"), "line 11 begins at 3000, where value 2"},
		{jcamp("a", head, "4000 1 2! 3\n"), "line 10: \"!\" is no number"},
		{jcamp("a", head, "4000J 2 3\n"), "begins with a difference"},
		{jcamp("a", head, "4000SS3\n"), "the same as none"},
		{jcamp("a", strings.Replace(head, "3990", "x", 1), "4000 1 2 3\n"), "##LASTX=x, no number"},
		{strings.Replace(a, "##END=", "", 1), "no ##END: the file is cut off"},
		{strings.Replace(a, "(X++(Y..Y))", "(X++(R..R))", 1), "(X++(R..R)) is not read"},
		{strings.Replace(a, "##XYDATA= (X++(Y..Y))", "##PEAK TABLE= (XY..XY)", 1), "##PEAKTABLE is not read"},
		{strings.Replace(a, "##XYDATA=", "##NTUPLES=", 1), "##NTUPLES is not read"},
		{"##TITLE=a\n##END=\n", "has no ##XYDATA"},
		{a + strings.Replace(b, "3990", "3980", 1), "the spectra have different axes"},
		{a + strings.Replace(b, "ABSORBANCE", "TRANSMITTANCE", 1), "the spectra have different axes"},
	} {
		if got, err := convertTexts(t, "", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not %s\n%s", err, c.want, got)
		}
	}
	for want, texts := range map[string][]string{"1.jdx is no JCAMP-DX file": {a, "a,b\n1,2\n"},
		"give one file": {"ENVI\n", a}} {
		if _, err := convertTexts(t, "", texts...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}
