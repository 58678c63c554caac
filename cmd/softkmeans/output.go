package main

// Writing the memberships. A file is written under another name and renamed
// when it is complete, so that a failure leaves neither half a file nor a
// spoilt old one.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"softkmeans"
)

// outputFile is a file in the making: create, write, commit, and discard in
// any case.
type outputFile struct {
	*os.File
	path string // what it is to be called; equal to Name() where it cannot be renamed
}

// createOutput finds out at once, not after a long fit, if path cannot be
// written.
func createOutput(path string) (*outputFile, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // so that a link stays a link
	}
	old, statErr := os.Stat(path)
	if statErr == nil {
		// A file that may not be written may not be replaced either, and a
		// directory cannot be: both fail here. A device or a pipe has to be
		// written to as it is.
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, createError(path, err)
		}
		if !old.Mode().IsRegular() {
			return &outputFile{f, path}, nil
		}
		f.Close()
	}
	// Not os.CreateTemp: its files are for the owner only, whatever the umask.
	name := fmt.Sprintf("%s.%08x.tmp", path, rand.Uint32())
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, createError(path, err)
	}
	o := &outputFile{f, path}
	if statErr == nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			o.discard()
			return nil, err
		}
	}
	return o, nil
}

// createError says which file could not be created, by the name the user knows.
func createError(path string, err error) error {
	var e *os.PathError
	if errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}

// commit gives the closed file its name.
func (o *outputFile) commit() error {
	if o.Name() == o.path {
		return nil
	}
	return os.Rename(o.Name(), o.path)
}

// discard removes what has not been committed. An error does not matter: the
// file is closed or gone already, or there is another error to report.
func (o *outputFile) discard() {
	o.Close()
	if o.Name() != o.path {
		os.Remove(o.Name())
	}
}

// membershipWriter writes label,m0,…,m(k−1) for every row. Every number is written
// with the digits it takes to read the same float64 back.
type membershipWriter struct {
	*bufio.Writer // keeps the first error for Flush
	line          []byte
}

func newMembershipWriter(w io.Writer, k int) *membershipWriter {
	b := bufio.NewWriterSize(w, 1<<16)
	b.WriteString("label")
	for j := range k {
		fmt.Fprintf(b, ",m%d", j)
	}
	b.WriteByte('\n')
	return &membershipWriter{Writer: b}
}

// add writes the next rows.
func (w *membershipWriter) add(ctx context.Context, labels []int, g *softkmeans.Matrix) error {
	for i, label := range labels {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		w.line = strconv.AppendInt(w.line[:0], int64(label), 10)
		for _, v := range g.Row(i) {
			w.line = strconv.AppendFloat(append(w.line, ','), v, 'g', -1, 64)
		}
		if _, err := w.Write(append(w.line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
