package table

import (
	"strings"
	"testing"
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
	if got := otherTable([]byte("##TITLE=x\r\n"), "x.jdx"); !strings.Contains(got, "a JCAMP-DX file, whose ##XYDATA is read; soft") {
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
