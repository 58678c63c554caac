package main

// Reading a shard. Every pass must find the same bytes and rows.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"softkmeans"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// reading says how to read shards.
type reading struct {
	Label   string
	Header  table.Choice
	OpenEnd bool // the last line may have no end
	Workers int  // goroutines for one shard
}

// contents describes the content of a shard.
type contents struct {
	table.Head // without names if there is neither a row nor a header
	Rows       int64
	Sum        int64 // checksum of its bytes
}

// blockRows is the number of rows of d columns in a block: enough that the cost of a
// block does not matter, and at most 16 MB or 24 rows.
func blockRows(d int) int { return max(24, min(8192, 1<<21/d)) }

// eachBlock reads a shard and calls f with blocks of its rows. All errors name the shard;
// those of its text name the line.
func (r reading) eachBlock(ctx context.Context, s shard, f func(x *softkmeans.Matrix) error) (c contents, err error) {
	defer func() { err = named(s.Name, err) }()
	fs, err := filesystem.New(ctx, s.Name)
	if err != nil {
		return c, err
	}
	defer fs.Close()
	file, err := fs.OpenRead(ctx, s.Name)
	if err != nil {
		return c, err
	}
	defer file.Close()
	in := &watched{ctx: ctx, r: file, last: '\n'}
	rows, err := table.NewReader(in, s.Name, table.Dialect{Label: r.Label, Header: r.Header, Words: table.Words{Label: "-label"}, Workers: r.Workers})
	var none *table.NoRows
	switch {
	case err == nil:
		defer rows.Close()
		c.Head = rows.Head
		if c.Rows, err = r.blocks(ctx, rows, f); err != nil {
			return c, err
		}
	case errors.As(err, &none):
		c.Head = none.Head
	default:
		return c, err
	}
	c.Sum = int64(in.sum)
	switch {
	case in.last != '\n' && !r.OpenEnd:
		return c, fmt.Errorf("%s:%d: the last line has no end: the shard may have been cut (if not: -open-end)", s.Name, in.lines+1)
	case s.Read && (s.Rows != c.Rows || s.Sum != c.Sum):
		return c, fmt.Errorf("%s: the shard has changed since the first pass read it", s.Name)
	case !s.Read && s.Rows >= 0 && s.Rows != c.Rows:
		return c, fmt.Errorf("%s: %s, the manifest has %d", s.Name, view.Count(int(c.Rows), "row"), s.Rows)
	}
	return c, nil
}

// blocks calls f with blocks of the rows, which f must not keep, and counts the rows.
func (r reading) blocks(ctx context.Context, rows *table.Reader, f func(x *softkmeans.Matrix) error) (n int64, err error) {
	d := len(rows.Names)
	data := make([]float64, blockRows(d)*d)
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		got, err := rows.ReadRows(data)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if err := f(softkmeans.NewMatrix(got, d, data[:got*d])); err != nil {
			return n, err
		}
		n += int64(got)
	}
}

// watched is a reader that records what is read, and ends with ctx.
type watched struct {
	ctx   context.Context
	r     io.Reader
	sum   uint32
	lines int
	last  byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (w *watched) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.r.Read(p)
	if n > 0 {
		w.sum = crc32.Update(w.sum, castagnoli, p[:n])
		w.lines += bytes.Count(p[:n], []byte{'\n'})
		w.last = p[n-1]
	}
	return n, err
}
