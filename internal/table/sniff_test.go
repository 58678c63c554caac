package table

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestOtherTable: the line to run names the file so that a shell takes it for one word, and
// columns may be named like the first bytes of a format.
func TestOtherTable(t *testing.T) {
	for name, want := range map[string]string{
		"a/b-1.x":  "softkmeans-convert a/b-1.x | softkmeans … - reads it",
		"a b":      "softkmeans-convert 'a b' | ",
		"it's":     `softkmeans-convert 'it'\''s' | `,
		"<stdin>":  "softkmeans-convert FILE | ",
		"$(x).mat": "softkmeans-convert '$(x).mat' | ",
	} {
		if got := otherTable([]byte("PAR1\x15\x04"), name); !strings.Contains(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := otherTable([]byte("##TITLE=x\r\n"), "x.jdx"); !strings.Contains(got,
		"a JCAMP-DX file, whose ##XYDATA is read; soft") {
		t.Error(got)
	}
	if got := otherTable([]byte("\x00\x4b"), "X.SPC"); !strings.Contains(got, "an SPC file of Gala") {
		t.Error(got)
	}
	for _, text := range []string{"PAR1,PAR2\n1,2\n3,5\n", "ARROW1\n1\n2\n", "PK,x\n1,2\n"} {
		if x, err := Read(strings.NewReader(text), "f.csv", Dialect{Guess: true}); err != nil ||
			len(x.Names) == 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestMacLines: CR is an end of line, and so is CR with LF, wherever the text is cut.
func TestMacLines(t *testing.T) {
	const text, want = "a,b\r1.5,2\r\n3,4\r\r\n5,6\n", "a,b\n1.5,2\n3,4\n\n5,6\n"
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
		if got, err := io.ReadAll(&macLines{r: r}); err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// TestRuleFirst: a rule is no blank line, wherever a chunk begins.
func TestRuleFirst(t *testing.T) {
	text := "a,b\n" + strings.Repeat("1.5,2.5\n", 40000) + strings.Repeat("-----\n1.5,2.5\n", 200)
	for chunk := 20; chunk < 60; chunk++ {
		got, err := Read(strings.NewReader(text), "f", Dialect{Header: Yes, Guess: true, chunk: chunk})
		if err != nil || got.Rows != 40200 {
			t.Fatalf("chunks of %d: %v", chunk, err)
		}
	}
}

// TestRowWithWord: a row may have a word among many numbers, and a header has more.
func TestRowWithWord(t *testing.T) {
	lines := [][]byte{[]byte("nm\tA\tB\tC\tD\tE\tF\tG\tH"), []byte("300\tOVRFLW\t1\t2\t3\t4\t5\t6\t7")}
	for range 9 {
		lines = append(lines, []byte("310\t8\t1\t2\t3\t4\t5\t6\t7"))
	}
	if b := newBlock(lines, '\t'); b == nil || b.row(b.fields[0]) || !b.row(b.fields[1]) {
		t.Error("the header is a row, or the row with OVRFLW is none")
	}
}

// TestUTF16Mac reads UTF-16 whose lines end in CR alone, as old spreadsheets for the Mac write.
func TestUTF16Mac(t *testing.T) {
	text := "\xff\xfe"
	for _, c := range "a,b\r1.5,2\r3,4.25\r" {
		text += string(c) + "\x00"
	}
	got, err := Read(strings.NewReader(text), "t", Dialect{Guess: true})
	if err != nil || got.Rows != 2 || got.Data[3] != 4.25 || got.Names[1] != "b" {
		t.Errorf("%+v, %v", got, err)
	}
}
