package rows

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/table"
)

// suite says what must come of the files of a pattern. The first that fits a file counts.
type suite struct {
	pattern string
	like    string // the file with the same numbers, * being that of the pattern; "": none
	want    string // the numbers, or a part of the error; "": there must be no error
	fails   bool
}

// Suites of peers, in the folder that SOFTKMEANS_SUITES names: fast_matrix_market (alugowski, b6172c9), SciPy's
// test_mmio.py (3dbf660a91), npyio (sbinet, 154c003).
var suites = []suite{
	{pattern: "fast_matrix_market/tests/matrices/invalid/*.mtx", fails: true},
	{pattern: "*/overflow/overflow_value_gt_int32.mtx"}, // beyond int32, but not beyond float64
	{pattern: "*/overflow/overflow_index_gt_int8.mtx"},
	{pattern: "*/overflow/overflow_value_gt_int64.mtx"}, // it is rounded, as NumPy's float64 is
	{pattern: "*/overflow/*.mtx", fails: true},
	{pattern: "*/symmetry/coordinate_hermitian_row*.mtx", fails: true, want: "complex"},
	{pattern: "*/symmetry/*_general.mtx"},
	{pattern: "*/symmetry/*_general_zero.mtx", like: "_general.mtx"},
	{pattern: "*/symmetry/*_general_dup.mtx"},
	{pattern: "*/symmetry/coordinate_hermitian_real_row.mtx", fails: true, want: "complex"},
	{pattern: "*/symmetry/*.mtx", like: "_general.mtx"},
	{pattern: "*/symmetry_array/array_hermitian*.mtx", fails: true, want: "complex"},
	{pattern: "*/symmetry_array/*_general.mtx"},
	{pattern: "*/symmetry_array/*.mtx", like: "_general.mtx"},
	{pattern: "*/graphblas/*complex.mtx", fails: true, want: "complex"},
	{pattern: "*/graphblas/*.mtx"},
	{pattern: "*/matrices/nist_ex1*.mtx", want: "[1 0 0 6 0 0 10.5 0 0 0 0 0 0.015 0 0 0 250.5 0 -280 33.32 0 0 0 0 12]"},
	{pattern: "*/permissive/permissive_banner_one_percent_eye3.mtx", want: "[1 0 0 0 1 0 0 0 1]"},
	{pattern: "*/permissive/windows*.mtx", want: "[1 0 0 6 0 0 10.5 0 0 0 0 0 0.015 0 0 0 250.5 0 -280 33.32 0 0 0 0 12]"},
	{pattern: "*/permissive/*.mtx", fails: true, want: "first line"}, // spaces before the banner are optional
	{pattern: "scipy-mmio/hermitian_example.mtx", fails: true, want: "complex"},
	// The format has nothing on the diagonal of a skew-symmetric matrix, and nothing above that of a symmetric one.
	{pattern: "scipy-mmio/*skew*.mtx", fails: true, want: "no entries on its diagonal"},
	{pattern: "scipy-mmio/*sparse_symmetric*.mtx", fails: true, want: "above the diagonal"},
	{pattern: "scipy-mmio/*.mtx"},
	{pattern: "npyio/testdata/data_*scalar*.npy", fails: true, want: "0 dimensions"},
	{pattern: "npyio/testdata/data_*2x3x4*.npy", fails: true, want: "3 dimensions"},
	{pattern: "npyio/testdata/data_*1x1*.npy", want: "[42]"},
	{pattern: "npyio/testdata/data_*2x3_corder.npy", want: "[0 1 2 3 4 5]"},
	{pattern: "npyio/testdata/data_*2x3_forder.npy", want: "[0 2 4 1 3 5]"},
	{pattern: "npyio/testdata/data_*6x1*.npy", want: "[0 1 2 3 4 5]"},
	{pattern: "npyio/testdata/nans_inf.npy", fails: true, want: "not a finite number"},
	{pattern: "npyio/testdata/ragged*.npy", fails: true, want: "values of type"},
}

func TestSuites(t *testing.T) {
	dir := os.Getenv("SOFTKMEANS_SUITES")
	if dir == "" {
		t.Skip("SOFTKMEANS_SUITES is not set")
	}
	numbers := func(name string) ([]float64, error) {
		got, err := ReadAll(openFile(t, name), name, table.Dialect{})
		if err != nil {
			return nil, err
		}
		return got.Data, nil
	}
	tried, done := 0, map[string]bool{}
	for _, s := range suites {
		pattern := strings.Replace(s.pattern, "*/", "fast_matrix_market/tests/matrices/", 1)
		files, _ := filepath.Glob(filepath.Join(dir, strings.Replace(pattern, "matrices/matrices", "matrices", 1)))
		if len(files) == 0 {
			t.Errorf("%s: no files", s.pattern)
		}
		for _, name := range files {
			if done[name] {
				continue
			}
			done[name] = true
			tried++
			got, err := numbers(name)
			switch {
			case s.fails:
				if err == nil || !strings.Contains(err.Error(), s.want) {
					t.Errorf("%s: %v, %v, not an error with %q", name, got, err, s.want)
				}
				continue
			case err != nil:
				t.Error(err)
				continue
			case s.want != "" && fmt.Sprint(got) != s.want:
				t.Errorf("%s: %v, not %s", name, got, s.want)
			}
			if s.like != "" {
				base, _, _ := strings.Cut(name, "_general")
				like := strings.TrimSuffix(base, ".mtx") + s.like
				if want, err := numbers(like); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %v, not %v, %v", name, got, want, err)
				}
			}
		}
	}
	t.Logf("%d files", tried)
}
