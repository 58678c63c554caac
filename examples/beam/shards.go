package main

// The list of shards.

import (
	"context"
	"encoding/csv"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// shard is the element of the pipeline: a file's name, its rows and its checksum. The rows
// themselves stay on the machine that reads them.
type shard struct {
	Name   string
	Output string // the name of its memberships
	Rows   int64  // from the manifest, or after the first pass; negative: not counted yet
	Read   bool   // the first pass has read it, and Sum is its checksum
	Sum    int64
}

// listShards returns the shards that the command line names, sorted within a pattern. It
// does not check that they exist.
func (o *options) listShards(ctx context.Context) ([]shard, error) {
	var shards []shard
	if o.manifest != "" {
		var err error
		if shards, err = readManifest(ctx, o.manifest); err != nil {
			return nil, err
		}
	}
	for _, name := range o.shards {
		names := []string{name}
		if hasPattern(name) {
			var err error
			if names, err = list(ctx, name); err != nil {
				return nil, err
			}
			if len(names) == 0 {
				return nil, fmt.Errorf("no shard matches %s", name)
			}
			slices.Sort(names)
		}
		for _, name := range names {
			shards = append(shards, shard{Name: name, Rows: -1})
		}
	}
	if len(shards) == 0 {
		return nil, fmt.Errorf("%s: it names no shards", o.manifest)
	}
	outputs := map[string]string{}
	for i := range shards {
		s := &shards[i]
		base := path.Base(filepath.ToSlash(s.Name))
		s.Output = join(o.out, "memberships", base)
		if other, ok := outputs[base]; ok {
			if other == s.Name {
				return nil, fmt.Errorf("%s: the shard is listed twice", s.Name)
			}
			return nil, fmt.Errorf("%s and %s: the memberships of both would be %s", other, s.Name, s.Output)
		}
		outputs[base] = s.Name
		if clean(s.Output) == clean(s.Name) {
			return nil, fmt.Errorf("%s: the memberships would replace the shard", s.Name)
		}
	}
	return shards, nil
}

// readManifest reads lines shard,rows after a header.
func readManifest(ctx context.Context, name string) ([]shard, error) {
	text, err := readFile(ctx, name)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(strings.NewReader(string(text)))
	r.FieldsPerRecord = 2
	records, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(records) == 0 || records[0][0] != "shard" || records[0][1] != "rows" {
		return nil, fmt.Errorf("%s:1: a manifest begins with the line shard,rows", name)
	}
	if n := len(text); text[n-1] != '\n' {
		return nil, fmt.Errorf("%s:%d: the last line has no end: the manifest may have been cut", name, len(records))
	}
	var shards []shard
	for i, record := range records[1:] {
		rows, err := strconv.ParseInt(record[1], 10, 64)
		if err != nil || rows < 0 {
			return nil, fmt.Errorf("%s:%d: %q is not a number of rows", name, i+2, record[1])
		}
		s := record[0]
		if !filepath.IsAbs(s) && !strings.Contains(s, "://") {
			s = join(name[:strings.LastIndexAny(name, `/\`)+1], s)
		}
		shards = append(shards, shard{Name: s, Rows: rows})
	}
	return shards, nil
}

// hasPattern reports whether a name is a pattern.
func hasPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

// join joins parts of a name, and keeps gs:// and the like.
func join(dir string, parts ...string) string {
	name := strings.Join(parts, "/")
	if dir == "" {
		return name
	}
	return strings.TrimRight(dir, "/") + "/" + name
}

// clean returns the shortest name of a local file, so that names can be compared.
func clean(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return filepath.Clean(name)
}

// list returns the files that match a pattern.
func list(ctx context.Context, pattern string) ([]string, error) {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	return fs.List(ctx, pattern)
}

// readFile returns the content of a file.
func readFile(ctx context.Context, name string) ([]byte, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	text, err := filesystem.Read(ctx, fs, name)
	return text, named(name, err)
}

// named adds the file's name to an error that does not have it.
func named(name string, err error) error {
	if err == nil || strings.Contains(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
