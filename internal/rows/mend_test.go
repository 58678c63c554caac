package rows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"softkmeans/internal/npy"
	"softkmeans/internal/table"
	"softkmeans/internal/tables"
)

// What is settled in place of an editor is for text, and an error for other files.
func TestMendOther(t *testing.T) {
	t.Parallel()
	var skip table.Skip
	tables.OK(t, skip.Add("last"))
	var array strings.Builder
	npy.WriteHeader(&array, 2, 1)
	npy.WriteValues(&array, []float64{1, 2})
	for name, text := range map[string]string{"a.npy": array.String(),
		"a.svm": "1 1:2 3:4\n0 2:5\n",
		"a.mtx": "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 5\n"} {
		path := filepath.Join(t.TempDir(), name)
		tables.OK(t, os.WriteFile(path, []byte(text), 0o666))
		for _, d := range []table.Dialect{{Skip: skip}, {NA: []string{"1"}}, {Below: table.BelowHalf}} {
			in := tables.Must(os.Open(path))(t)
			if _, err := ReadAll(in, path, d); err == nil || !strings.Contains(err.Error(), "for text") {
				t.Errorf("%s: %v", name, err)
			}
			in.Close()
		}
	}
}
