package rows

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/table"
	"softkmeans/internal/tables"
)

// A matrix with files of names beside it has its cells as rows, also from gzip and with a prefix;
// with other numbers of names it is read as it is.
func TestBeside(t *testing.T) {
	t.Parallel()
	const matrix = "%%MatrixMarket matrix coordinate integer general\n3 2 4\n1 1 5\n3 1 2\n2 2 7\n3 2 1\n"
	const genes = "E1\tA\nE2\tB\nE3\tB\n"
	dir := t.TempDir()
	write := func(name, text string) {
		var b bytes.Buffer
		if b.WriteString(text); strings.HasSuffix(name, ".gz") {
			b.Reset()
			w := gzip.NewWriter(&b)
			w.Write([]byte(text))
			w.Close()
		}
		tables.OK(t, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666))
	}
	read := func(name string, d table.Dialect) *table.Table {
		t.Helper()
		name = filepath.Join(dir, name)
		return tables.Must(ReadAll(openFile(t, name), name, d))(t)
	}
	check := func(got *table.Table, names, ids string, data ...float64) {
		t.Helper()
		if strings.Join(got.Names, " ") != names || strings.Join(got.IDs, " ") != ids ||
			!slices.Equal(got.Data, data) {
			t.Errorf("%q, ids %q, %v", got.Names, got.IDs, got.Data)
		}
	}
	write("matrix.mtx", matrix)
	check(read("matrix.mtx", table.Dialect{Guess: true}), "c1 c2", "", 5, 0, 0, 7, 2, 1)
	check(read("matrix.mtx", table.Dialect{Transpose: table.Yes}), "c1 c2 c3", "", 5, 0, 2, 0, 7, 1)
	write("genes.tsv", genes)
	write("barcodes.tsv", "AA-1\nCC-1\n")
	check(read("matrix.mtx", table.Dialect{Guess: true}), "A E2 E3", "AA-1 CC-1", 5, 0, 2, 0, 7, 1)
	check(read("matrix.mtx", table.Dialect{Drop: []string{"A"}}), "E2 E3", "AA-1 CC-1", 0, 2, 7, 1)
	check(read("matrix.mtx", table.Dialect{Transpose: table.No}), "AA-1 CC-1", "A E2 E3",
		5, 0, 0, 7, 2, 1)
	write("x_matrix.mtx.gz", matrix)
	write("x_features.tsv.gz", genes)
	write("x_barcodes.tsv.gz", "AA-1\nCC-1\n")
	check(read("x_matrix.mtx.gz", table.Dialect{Guess: true}), "A E2 E3", "AA-1 CC-1", 5, 0, 2, 0, 7, 1)
	write("genes.tsv", "E1\n")
	got := read("matrix.mtx", table.Dialect{Guess: true})
	check(got, "c1 c2", "", 5, 0, 0, 7, 2, 1)
	if !strings.Contains(strings.Join(got.Notes, ""), "1 genes and 2 cells beside the file are not taken") {
		t.Errorf("notes %q", got.Notes)
	}
}

// An array is turned where that is asked for; other settings are about the turned array.
func TestArrayTurned(t *testing.T) {
	t.Parallel()
	content := npyFile(t, 2, 3, []float64{1, 2, 3, 4, 5, 6})
	fortran := bytes.Replace(npyFile(t, 2, 3, []float64{1, 4, 2, 5, 3, 6}), []byte("False"), []byte("True "), 1)
	for _, file := range [][]byte{content, fortran, packed(t, content), packed(t, fortran)} {
		got, err := ReadAll(bytes.NewReader(file), "a.npy", table.Dialect{Transpose: table.Yes})
		if err != nil || got.Rows != 3 || !slices.Equal(got.Data, []float64{1, 4, 2, 5, 3, 6}) || !got.Turned {
			t.Errorf("%+v, %v", got, err)
		}
	}
	more := packed(t, append(slices.Clone(content), 0))
	_, err := ReadAll(bytes.NewReader(more), "a.npy", table.Dialect{Transpose: table.Yes})
	if err == nil || !strings.Contains(err.Error(), "more after the 2×3 values of the header") {
		t.Error(err)
	}
	got, err := ReadAll(bytes.NewReader(content), "a.npy",
		table.Dialect{Transpose: table.Yes, Label: "1"})
	if err != nil || !slices.Equal(got.Data, []float64{4, 5, 6}) ||
		!slices.Equal(got.Classes, []string{"1", "2", "3"}) {
		t.Errorf("%+v, %v", got, err)
	}
}
