package rows

import (
	"encoding/csv"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans/internal/table"
	"softkmeans/internal/tables"
)

// TestCorpus reads the tables of testdata/tables, which its make.go has written, and those of the
// trade, and holds what comes out to want.txt.
func TestCorpus(t *testing.T) {
	t.Parallel()
	checkTables(t, filepath.Join("..", "..", "testdata", "tables"))
	checkTables(t, filepath.Join("..", "..", "testdata", "tables", "trade"))
}

func checkTables(t *testing.T, folder string) {
	wants := tables.Want(t, filepath.Join(folder, "want.txt"))
	if len(wants) < 40 {
		t.Errorf("%s: %d tables", folder, len(wants))
	}
	for _, want := range wants {
		t.Run(want["file"][0], func(t *testing.T) { checkTable(t, folder, want) })
	}
}

func checkTable(t *testing.T, folder string, want map[string][]string) {
	name := want["file"][0]
	got, err := ReadAll(openFile(t, filepath.Join(folder, name)), name, dialectOf(t, want["flags"]))
	if fail := want["error"]; fail != nil {
		if err == nil || !strings.Contains(err.Error(), fail[0]) {
			t.Errorf("error %v, not %s", err, fail[0])
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	sum, missing := 0.0, 0
	for _, v := range got.Data {
		if math.IsNaN(v) {
			missing++
		} else {
			sum += v
		}
	}
	var ids []string
	if want["ids"] != nil {
		ids = strings.Split(want["ids"][0], "|")
	}
	wantSum, _ := strconv.ParseFloat(want["sum"][0], 64)
	switch {
	case strconv.Itoa(got.Rows) != want["rows"][0]:
		t.Errorf("%d rows, not %s", got.Rows, want["rows"][0])
	case strings.Join(got.Names, "|") != want["columns"][0]:
		t.Errorf("columns %q, not %s", got.Names, want["columns"][0])
	case !slices.Equal(got.IDs, ids):
		t.Errorf("ids %q, not %q", got.IDs, ids)
	case !slices.Equal(got.KeptNames, keptOf(want)):
		t.Errorf("columns carried along: %q", got.KeptNames)
	case math.Abs(sum-wantSum) > 1e-9*math.Abs(wantSum):
		t.Errorf("sum %v, not %v", sum, wantSum)
	case strconv.Itoa(missing) != want["missing"][0]:
		t.Errorf("%d values are missing, not %s", missing, want["missing"][0])
	}
	notes := strings.Join(got.Notes, "\n")
	for _, note := range want["note"] {
		if !strings.Contains(notes, note) {
			t.Errorf("no note has %q; there are\n%s", note, notes)
		}
	}
	if t.Failed() {
		t.Logf("notes:\n%s", notes)
	}
}

func keptOf(want map[string][]string) []string {
	if want["kept"] == nil {
		return nil
	}
	return strings.Split(want["kept"][0], "|")
}

// wordsOf splits flags as a shell does.
func wordsOf(flags string) []string {
	return regexp.MustCompile(`'[^']*'|[^ ]+`).FindAllString(flags, -1)
}

// dialectOf is the Dialect of the command for some flags.
func dialectOf(t *testing.T, flags []string) table.Dialect {
	d := table.Dialect{Guess: true}
	if flags == nil {
		return d
	}
	words := wordsOf(flags[0])
	for i := 0; i < len(words); i += 2 {
		value := words[i+1]
		switch words[i] {
		case "-header":
			d.Header = map[string]table.Choice{"yes": table.Yes, "no": table.No}[value]
		case "-transpose":
			d.Transpose = map[string]table.Choice{"yes": table.Yes,
				"no": table.No}[value]
		case "-long":
			d.Long = map[string]table.Choice{"yes": table.Yes, "no": table.No}[value]
		case "-keep":
			d.Keep = strings.Split(value, ",")
		case "-names":
			d.Names = strings.Split(value, ",")
		case "-id":
			d.ID = value
		case "-drop":
			d.Drop = strings.Split(value, ",")
		case "-label":
			d.Label = value
		case "-encode":
			d.Text = map[string]table.Text{"onehot": table.TextOneHot, "drop": table.TextDrop}[value]
		case "-missing":
			d.Missing = true
		case "-na":
			d.NA, _ = csv.NewReader(strings.NewReader(strings.Trim(value, "'"))).Read()
		case "-below":
			d.Below = map[string]table.Below{"half": table.BelowHalf, "missing": table.BelowMissing}[value]
		case "-skip":
			_ = d.Skip.Add(value)
		default:
			t.Fatalf("flag %s", words[i])
		}
	}
	return d
}
