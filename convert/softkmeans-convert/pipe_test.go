package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/xuri/excelize/v2"

	"softkmeans/internal/npy"
)

// TestPipe: what a conversion that fails halfway leaves on a pipe is an error of the command.
func TestPipe(t *testing.T) {
	program, err := command()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var rows [][]float64
	for range 160 { // several batches
		rows = append(rows, load(t, "iris")...)
	}
	for name, c := range map[string]struct{ file, want string }{
		"parquet": {damagedParquet(t, dir, rows), "softkmeans-convert failed here"},
		"excel":   {damagedExcel(t, dir, rows), "softkmeans-convert failed here"},
		"npz":     {damagedNPZ(t, dir, rows), "the file is cut"},
	} {
		var out bytes.Buffer
		if err := run([]string{c.file}, &out); err == nil || out.Len() < 1<<16 {
			t.Fatalf("%s: %d bytes, error %v", name, out.Len(), err)
		}
		fit := exec.Command(program, "fit", "-k", "2", "-method", "global", "-")
		fit.Stdin = &out
		if said, err := fit.CombinedOutput(); err == nil || !strings.Contains(string(said), c.want) {
			t.Errorf("%s: %v, %s", name, err, said)
		}
	}
	var out bytes.Buffer // a sparse matrix is checked before it is written
	if err := run([]string{damagedSparse(t, dir, rows)}, &out); err == nil || out.Len() > 0 {
		t.Errorf("a sparse matrix: %d bytes, error %v", out.Len(), err)
	}
}

// damagedParquet has a page without a header, after most rows.
func damagedParquet(t testing.TB, dir string, rows [][]float64) string {
	t.Helper()
	name := write(t, dir, record(rows, false))["parquet"]
	r, err := file.OpenParquetFile(name, false)
	if err != nil {
		t.Fatal(err)
	}
	at := r.MetaData().RowGroups[r.NumRowGroups()*3/4].Columns[0].MetaData.DataPageOffset
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, 16), at)
	if err := errors.Join(err, f.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// damagedExcel has a row with a cell too many, after most rows.
func damagedExcel(t testing.TB, dir string, rows [][]float64) string {
	t.Helper()
	name := filepath.Join(dir, "long.xlsx")
	rows = slices.Clone(rows)
	rows[len(rows)*3/4] = append(slices.Clone(rows[0]), 1)
	x := excelize.NewFile()
	defer x.Close()
	for i, row := range rows {
		if err := x.SetSheetRow("Sheet1", "A"+strconv.Itoa(i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.SaveAs(name); err != nil {
		t.Fatal(err)
	}
	return name
}

// damagedNPZ has an array with another checksum.
func damagedNPZ(t testing.TB, dir string, rows [][]float64) string {
	t.Helper()
	return writeNPZ(t, filepath.Join(dir, "x.npz"), 1, map[string][]byte{"x": arrayOf(t, slices.Concat(rows...), len(rows), len(rows[0]))})
}

// damagedSparse has rows that start after the last entry, and one that starts before.
func damagedSparse(t testing.TB, dir string, rows [][]float64) string {
	t.Helper()
	n, starts, indices := len(rows), []float64{0}, []float64{}
	for i, row := range rows {
		for j := range row {
			indices = append(indices, float64(j))
		}
		starts = append(starts, float64(len(row)*(i+1)))
	}
	starts[n-1] = 0
	return writeNPZ(t, filepath.Join(dir, "sparse.npz"), 0, map[string][]byte{
		"shape": arrayOf(t, []float64{float64(n), 4}, 2), "indptr": arrayOf(t, starts, n+1),
		"indices": arrayOf(t, indices, 4*n), "data": arrayOf(t, slices.Concat(rows...), 4*n),
	})
}

// arrayOf is an array as NumPy writes it.
func arrayOf(t testing.TB, values []float64, shape ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	head := npy.HeaderText(shape...)
	if len(shape) == 1 {
		head = strings.Replace(head, "), } ", ",), }", 1) // Python's tuple of one
	}
	b.WriteString(head)
	if err := npy.WriteValues(&b, values); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// writeNPZ writes arrays, and off is added to their checksums.
func writeNPZ(t testing.TB, name string, off uint32, arrays map[string][]byte) string {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for array, b := range arrays {
		size := uint64(len(b))
		w, err := z.CreateRaw(&zip.FileHeader{Name: array + ".npy", CRC32: crc32.ChecksumIEEE(b) + off, CompressedSize64: size, UncompressedSize64: size})
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}
