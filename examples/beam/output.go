package main

// Files that appear only when they are complete, on any of Beam's file systems.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// writing guards files that this process writes. A goroutine that writes a file holds the read lock. The write
// lock is free once no file is written: workers of a runner in the same process continue for a moment after a
// failed job.
var writing sync.RWMutex

// renamed has the outputs that this process has renamed to their final names. The value is the job's id.
var renamed sync.Map

// ended has the ids of jobs that must not write any more. writing guards it.
var ended = map[string]bool{}

// writeOutput writes a file under a temporary name, closes it, compares its size, and renames it. On an error
// it removes the file. Each attempt has another temporary name, because a runner may retry while an earlier
// attempt is still running. The name has the job's id, so that the files of a machine that died can be found.
func writeOutput(ctx context.Context, name, job string, write func(w *bufio.Writer) error) (err error) {
	writing.RLock()
	defer writing.RUnlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if ended[job] {
		return fmt.Errorf("%s: the job has ended", name)
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	remover, ok := fs.(filesystem.Remover)
	if !ok {
		return fmt.Errorf("%s: this file system cannot remove files, as is needed after an error", name)
	}
	temporary := fmt.Sprintf("%s.%s-%08x.tmp", name, job, rand.Uint32())
	file, err := fs.OpenWrite(ctx, temporary)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			// Also if ctx was cancelled. Its error matters less than the first one.
			remover.Remove(context.WithoutCancel(ctx), temporary)
		}
	}()
	counted := &countingWriter{w: file, name: name}
	b := bufio.NewWriterSize(counted, 1<<18)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if closed := file.Close(); err == nil {
		err = named(name, closed)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	size, err := fs.Size(ctx, temporary)
	if err != nil {
		return named(name, err)
	}
	if size != counted.n {
		return fmt.Errorf("%s: %d bytes were written, the file has %d", name, counted.n, size)
	}
	renamed.Store(name, job) // before: a rename by copying may fail after the copy
	return named(name, filesystem.Rename(ctx, fs, temporary, name))
}

// countingWriter counts the bytes that are written, and adds the file's name to errors.
type countingWriter struct {
	w    io.Writer
	name string
	n    int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, named(c.name, err)
}

// remove removes files of one file system.
func remove(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	fs, err := filesystem.New(ctx, names[0])
	if err != nil {
		return err
	}
	defer fs.Close()
	remover, ok := fs.(filesystem.Remover)
	if !ok {
		return fmt.Errorf("%s: this file system cannot remove files", names[0])
	}
	for _, name := range names {
		if err := remover.Remove(ctx, name); err != nil {
			return named(name, err)
		}
	}
	return nil
}
