package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The good shards; each test adds a bad one.
const (
	shardA = "u,v\n0,0\n1,0\n"
	shardB = "u,v\n0,1\n4,5\n2,2\n"
	shardC = "u,v\n3,1\n1,1\n"
)

var manifest = []string{"manifest.csv", "shard,rows\na.csv,2\nb.csv,3\nc.csv,2\n"}

var badShards = map[string]struct {
	files []string // instead of the good ones; "" takes one away
	args  string   // instead of the pattern; % is the directory
	says  string   // % is the directory
}{
	"missing":         {[]string{"b.csv", ""}, "%/a.csv %/b.csv", "%/b.csv: no such file or directory"},
	"cut in a row":    {[]string{"b.csv", "u,v\n0,1\n4"}, "", "%/b.csv:3: 1 field found, 2 expected as on the first line"},
	"cut in a number": {[]string{"b.csv", "u,v\n0,1\n4,5\n2,2"}, "", "%/b.csv:4: the last line has no end: the shard may have been cut"},
	"cut in a header": {[]string{"b.csv", "u,v"}, "", "%/b.csv:1: the last line has no end"},
	"cut after a row": {append(manifest, "b.csv", "u,v\n0,1\n4,5\n"), "-manifest %/manifest.csv", "%/b.csv: 2 rows, the manifest has 3"},
	"all cut":         {append(manifest, "b.csv", ""), "-manifest %/manifest.csv", "%/b.csv: no such file or directory"},
	"a row too many":  {append(manifest, "c.csv", "3,1\n1,1\n1,2\n"), "-manifest %/manifest.csv", "%/c.csv: 3 rows, the manifest has 2"},
	"NaN":             {[]string{"c.csv", "u,v\n3,1\n1,NaN\n"}, "", `%/c.csv:3:2: missing value "NaN" in column "v"`},
	"infinite":        {[]string{"c.csv", "3,1\n-Inf,1\n"}, "", `%/c.csv:2:1: "-Inf" is not a finite number`},
	"a word":          {[]string{"c.csv", "u,v\n3,1\n1,one\n"}, "", `%/c.csv:3:2: "one" in column "v" is not a number`},
	"missing value":   {[]string{"c.csv", "u,v\n3,1\n1,\n"}, "", `%/c.csv:3:2: missing value`},
	"a wider row":     {[]string{"c.csv", "u,v\n3,1\n1,1,1\n"}, "", "%/c.csv:3: 3 fields found, 2 expected as on the first line"},
	"another width":   {[]string{"c.csv", "u,v,w\n3,1,2\n"}, "", "%/c.csv:1: 3 columns, but %/a.csv has 2"},
	"other names":     {[]string{"c.csv", "u,w\n3,1\n"}, "", `%/c.csv:1: column 2 is "w", but "v" in %/a.csv`},
	"header alone":    {[]string{"c.csv", "u,w\n"}, "", `%/c.csv:1: column 2 is "w", but "v" in %/a.csv`},
	"names swapped":   {[]string{"c.csv", "v,u\n3,1\n"}, "", `%/c.csv:1: column 1 is "v", but "u" in %/a.csv`},
	"binary":          {[]string{"c.csv", "\x1f\x8b\x08\x00\n"}, "", "%/c.csv: this is a gzip file; unpack it first"},
	"no shards":       {nil, "%/x*.csv", "no shard matches %/x*.csv"},
	"empty manifest":  {[]string{"manifest.csv", "shard,rows\n"}, "-manifest %/manifest.csv", "%/manifest.csv: it names no shards"},
	"cut manifest":    {[]string{"manifest.csv", "shard,rows\na.csv,2"}, "-manifest %/manifest.csv", "%/manifest.csv:2: the last line has no end"},
	"no manifest":     {nil, "-manifest %/manifest.csv", "manifest.csv: no such file or directory"},
	"bad manifest":    {[]string{"manifest.csv", "shard,rows\na.csv,-2\n"}, "-manifest %/manifest.csv", `%/manifest.csv:2: "-2" is not a number of rows`},
	"no rows":         {[]string{"a.csv", "", "b.csv", "u,v\n", "c.csv", ""}, "%/b.csv", "the shards have no rows"},
	"listed twice":    {nil, "%/a.csv %/?.csv", "%/a.csv: the shard is listed twice"},
	"equal names":     {nil, "%/a.csv %/../a.csv", "the memberships of both would be"},
	"too large": {[]string{"c.csv", "u,v\n3,1e400\n"}, "",
		`%/c.csv:2:2: "1e400" in column "v" is not a finite number`},
}

// A bad shard ends the job. Its name and line are on the last line of standard error,
// and nothing is written.
func TestBadShards(t *testing.T) {
	for name, test := range badShards {
		for _, plain := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,plain=%v", name, plain), func(t *testing.T) {
				in := put(t, "a.csv", shardA, "b.csv", shardB, "c.csv", shardC)
				for i := 0; i < len(test.files); i += 2 {
					path := filepath.Join(in, test.files[i])
					os.Remove(path)
					if test.files[i+1] != "" {
						if err := os.WriteFile(path, []byte(test.files[i+1]), 0o666); err != nil {
							t.Fatal(err)
						}
					}
				}
				out := filepath.Join(t.TempDir(), "out")
				args := []string{"-k", "2", "-out", out}
				if plain {
					args = append(args, "-plain")
				}
				from := test.args
				if from == "" {
					from = "%/?.csv"
				}
				args = append(args, strings.Fields(strings.ReplaceAll(from, "%", in))...)
				code, stdout, stderr := do(t.Context(), args...)
				if says := strings.ReplaceAll(test.says, "%", in); code != exitFailure || stdout != "" || !strings.Contains(stderr, says) || strings.Count(stderr, "\n") != 1 {
					t.Errorf("code %d, %q, not %q", code, stderr, says)
				}
				if files := tree(t, out); len(files) > 0 {
					t.Errorf("files %q", files)
				}
			})
		}
	}
}

// With -open-end the last line may have no end.
func TestOpenEnd(t *testing.T) {
	in := put(t, "a.csv", shardA, "b.csv", strings.TrimSuffix(shardB, "\n"))
	out := t.TempDir()
	must(t, "-k", "2", "-open-end", "-out", out, in+"/?.csv")
	if _, rows := readNumbers(t, out+"/memberships/b.csv"); len(rows) != 3 {
		t.Errorf("%d rows", len(rows))
	}
}

// faultyWrites are faults of shards in later passes, and of the files that are written.
var faultyWrites = map[string]struct {
	hook func(operation, file string, count int) error
	says string
}{
	"full": {func(op, file string, _ int) error {
		if op == "write" && file == "b.csv" {
			return errFull
		}
		return nil
	}, "memberships/b.csv: no space left on device"},
	"close": {func(op, file string, _ int) error {
		if op == "close" && file == "b.csv" {
			return errFull
		}
		return nil
	}, "memberships/b.csv: no space left on device"},
	"short": {func(op, file string, _ int) error {
		if op == "size" && file == "b.csv" {
			return errFull
		}
		return nil
	}, "memberships/b.csv: N bytes were written, the file has N-1"},
	"rename": {func(op, file string, _ int) error {
		if op == "rename" && file == "b.csv" {
			return errFull
		}
		return nil
	}, "memberships/b.csv: no space left on device"},
	"model": {func(op, file string, _ int) error {
		if op == "write" && file == "model.json" {
			return errFull
		}
		return nil
	}, "model.json: no space left on device"},
	"report": {func(op, file string, _ int) error {
		if op == "rename" && file == "report.txt" {
			return errFull
		}
		return nil
	}, "report.txt: no space left on device"},
	"gone in pass 3": {func(op, file string, count int) error {
		if op == "read" && file == "b.csv" && count == 3 {
			return os.ErrNotExist
		}
		return nil
	}, "b.csv: file does not exist"},
	"cut in pass 3": {func(op, file string, count int) error {
		if op == "read" && file == "b.csv" && count == 3 {
			return replaced{"u,v\n0,1\n4"}
		}
		return nil
	}, "b.csv:3: 1 field found"},
	"changed in pass 3": {func(op, file string, count int) error {
		if op == "read" && file == "b.csv" && count == 3 {
			return replaced{"u,v\n0,1\n4,5\n2,3\n"}
		}
		return nil
	}, "b.csv: the shard has changed"},
	"shorter in pass 2": {func(op, file string, count int) error {
		if op == "read" && file == "b.csv" && count == 2 {
			return replaced{"u,v\n0,1\n4,5\n"}
		}
		return nil
	}, "b.csv: the shard has changed"},
}

var errFull = errors.New("no space left on device")

// An error while outputs are written leaves no files, neither temporary ones nor outputs
// of other shards.
func TestFaultyWrites(t *testing.T) {
	for name, test := range faultyWrites {
		for _, plain := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,plain=%v", name, plain), func(t *testing.T) {
				in := put(t, "a.csv", shardA, "b.csv", shardB, "c.csv", shardC)
				out := t.TempDir()
				inject(test.hook)
				defer inject(nil)
				args := []string{"-k", "2", "-out", scheme + out, scheme + in + "/a.csv", scheme + in + "/b.csv", scheme + in + "/c.csv"}
				if plain {
					args = append(args, "-plain")
				}
				code, stdout, stderr := do(t.Context(), args...)
				said := stderr
				var n, has int // bytes
				_, counts, _ := strings.Cut(stderr, "b.csv: ")
				_, err := fmt.Sscanf(counts, "%d bytes were written, the file has %d", &n, &has)
				if name == "short" && err == nil && n == has+1 {
					said = "memberships/b.csv: N bytes were written, the file has N-1"
				}
				if code != exitFailure || stdout != "" || !strings.Contains(said, test.says) ||
					strings.Count(stderr, "\n") != 1 {
					t.Errorf("code %d, %q, not %q", code, stderr, test.says)
				}
				if files := tree(t, out); len(files) > 0 {
					t.Errorf("left are %q", files)
				}
			})
		}
	}
}

// An interrupt ends the job soon and removes its files, so that the same command can be
// run again. Other files stay.
func TestInterrupt(t *testing.T) {
	for _, plain := range []bool{false, true} {
		in := put(t, "a.csv", shardA, "b.csv", shardB)
		out := t.TempDir()
		if err := os.Mkdir(out+"/memberships", 0o777); err != nil {
			t.Fatal(err)
		}
		others := []string{"memberships/other.csv", "notes.txt"}
		for _, name := range others {
			if err := os.WriteFile(filepath.Join(out, name), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		inject(func(op, file string, count int) error {
			if op == "read" && file == "b.csv" && count == 3 {
				cancel()
			}
			return nil
		})
		args := []string{"-k", "2", "-out", scheme + out, scheme + in + "/a.csv", scheme + in + "/b.csv"}
		if plain {
			args = append(args, "-plain")
		}
		code, stdout, stderr := do(ctx, args...)
		inject(nil)
		cancel()
		if code != exitFailure || stdout != "" || !strings.HasPrefix(stderr, "beam: interrupted") {
			t.Errorf("plain %v: code %d, %q", plain, code, stderr)
		}
		if got := tree(t, out); !slices.Equal(got, others) {
			t.Errorf("plain %v: left are %q", plain, got)
		}
		must(t, args...)
	}
}

func TestRemoveTemporary(t *testing.T) {
	out := t.TempDir()
	if err := os.Mkdir(out+"/memberships", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"memberships/a.csv.0123-89abcdef.tmp", "model.json.0123-89abcdef.tmp", "memberships/a.csv.4567-89abcdef.tmp", "a.csv"} {
		if err := os.WriteFile(filepath.Join(out, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := (&job{ID: "0123", Out: out}).removeTemporary(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, out); !slices.Equal(got, []string{"a.csv", "memberships/a.csv.4567-89abcdef.tmp"}) {
		t.Errorf("left are %q", got)
	}
}

// The first error of a shard is the one that is reported, whatever error a runner
// returns in the end.
func TestFirstFault(t *testing.T) {
	first.Store(nil)
	defer first.Store(nil)
	job := errors.New("got 0 values, want one value for Singleton side input")
	if err := plainError(job); err != job {
		t.Error(err)
	}
	for _, text := range []string{"b.csv:3: 1 field found", "c.csv: file does not exist"} {
		err := errors.New(text)
		bracket(&err)
		if got := plainError(fmt.Errorf("a worker said: %w", err)).Error(); got != "b.csv:3: 1 field found" {
			t.Error(got)
		}
	}
	first.Store(nil) // as where workers are other processes
	err := errors.New("b.csv:3: 1 field found")
	bracket(&err)
	first.Store(nil)
	if got := plainError(fmt.Errorf("a worker said: %w", err)).Error(); got != "b.csv:3: 1 field found" {
		t.Error(got)
	}
	if plainError(nil) != nil {
		t.Error("no error is one")
	}
}
