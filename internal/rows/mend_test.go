package rows

import (
	"strings"
	"testing"

	"softkmeans/internal/table"
	"softkmeans/internal/tables"
)

// What is settled in place of an editor is for text, and an error for other files.
func TestMendOther(t *testing.T) {
	t.Parallel()
	var skip table.Skip
	tables.OK(t, skip.Add("last"))
	for name, text := range map[string]string{"a.npy": string(npyFile(t, 2, 1, []float64{1, 2})),
		"a.svm": "1 1:2 3:4\n0 2:5\n",
		"a.mtx": "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 5\n"} {
		path := write(t, name, []byte(text))
		for _, d := range []table.Dialect{{Skip: skip}, {NA: []string{"1"}}, {Below: table.BelowHalf}} {
			_, err := ReadAll(openFile(t, path), path, d)
			if err == nil || !strings.Contains(err.Error(), "for text") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
