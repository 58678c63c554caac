package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"softkmeans"
	"softkmeans/modelfile"
)

func TestMain(m *testing.M) {
	if os.Getenv("BEAM_TEST_MAIN") != "" { // a test runs the program itself, as a process
		main()
	}
	flag.Parse()
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// do runs the program from the command line to the exit code, with a runner in this
// process.
func do(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	*jobopts.Endpoint = ""
	fs := flag.NewFlagSet("beam", flag.ContinueOnError)
	var out, complaint bytes.Buffer
	fs.SetOutput(&complaint)
	fs.Usage = func() {}
	o := newOptions(fs)
	err := o.parse(fs, args)
	if err == nil {
		err = o.check()
	}
	if err == nil {
		err = o.run(ctx, &out)
	}
	complaint.Reset() // of flag, which report repeats
	code = report(&complaint, err)
	return code, out.String(), complaint.String()
}

// must is do for a command that must succeed.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := do(t.Context(), args...)
	if code != exitOK || stderr != "" {
		t.Fatalf("%q: code %d, %s", args, code, stderr)
	}
	return stdout
}

// put writes files, given as name and text in turn, and returns their directory.
func put(t *testing.T, files ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tree lists the files under a directory.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, name)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func readModel(t *testing.T, dir string) *softkmeans.Model {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f, err := modelfile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if rows := int64(f.Rows); len(f.Sizes) != f.K() || len(f.ColumnMean) != len(f.Columns) || rows == 0 {
		t.Errorf("%d rows, %v by label, means %v", rows, f.Sizes, f.ColumnMean)
	}
	return f.Model
}

// readNumbers reads a CSV file with a header.
func readNumbers(t *testing.T, name string) (header string, rows [][]float64) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(records) == 0 {
		t.Fatalf("%s: %v, %d lines", name, err, len(records))
	}
	for _, record := range records[1:] {
		row := make([]float64, len(record))
		for j, s := range record {
			if row[j], err = strconv.ParseFloat(s, 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	return strings.Join(records[0], ","), rows
}

func TestUsage(t *testing.T) {
	for _, test := range []struct{ args, says string }{
		{"", "-k is missing"},
		{"-k 0 -out o s", "-k"},
		{"-k 2 s.csv", "-out is missing"},
		{"-k 2 -out o", "no shards"},
		{"-k 2 -out o* s.csv", "cannot have *"},
		{"-k 2 -out o -manifest m s.csv", "no others"},
		{"-k 2 -out o -label 0 s.csv", "counted from 1"},
		{"-k 2 -out o -label a -header no s.csv", "have none"},
		{"-k 2 -out o -enclosure box s.csv", "-enclosure"},
		{"-k 2 -out o -such s.csv", "-such"},
		{"-generate d s.csv", "takes no shards"},
		{"-generate d -noise -1", "-noise"},
		{"-generate d -rows x", "-rows"},
	} {
		code, _, stderr := do(t.Context(), strings.Fields(test.args)...)
		if code != exitUsage || !strings.Contains(stderr, test.says) || !strings.HasPrefix(stderr, "beam: ") {
			t.Errorf("%q: code %d, %s", test.args, code, stderr)
		}
	}
}

// An unknown runner is an error of the command line. The list of runners is that of
// Beam, which another version may change.
func TestRunnerNames(t *testing.T) {
	defer func(name string) { *runners.Runner = name }(*runners.Runner)
	for _, name := range []string{"nosuch", "Prism", "dot"} {
		*runners.Runner = name
		code, _, stderr := do(t.Context(), "-k", "2", "-out", t.TempDir(), "s.csv")
		if code != exitUsage || !strings.HasPrefix(stderr, "beam: --runner="+name+": there are prism, ") {
			t.Errorf("%s: code %d, %s", name, code, stderr)
		}
	}
	for _, name := range runnerNames {
		func() {
			defer func() {
				if recover() == nil { // registering it again panics
					t.Errorf("Beam has no runner %s", name)
				}
			}()
			beam.RegisterRunner(name, nil)
		}()
	}
}

// The help has every flag of ours, and ours come before Beam's.
func TestHelp(t *testing.T) {
	fs := flag.NewFlagSet("beam", flag.ContinueOnError)
	fs.String("runner", "", "the runner")
	newOptions(fs)
	var b bytes.Buffer
	usage(&b, fs)
	before, after, _ := strings.Cut(b.String(), "Beam's flags")
	fs.VisitAll(func(f *flag.Flag) {
		if ours := f.Name != "runner"; ours != strings.Contains(before, "  -"+f.Name+" ") || ours == strings.Contains(after, "\n  -"+f.Name+" ") {
			t.Errorf("-%s is not in its place", f.Name)
		}
	})
}
