package main

// Writing files. Each is written under another name and renamed when it is
// complete, so that a failure leaves neither half a file nor a spoilt old one. The
// renames come last, one right after the other in the order of the flags -o,
// -centers, -model: who kills the process between two of them finds the first files
// new and the others old, each of them whole.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// outputs are the files that a command writes. They are all created before the
// work, and get their names after it, or none does.
type outputs struct {
	ctx    context.Context
	in     io.Reader // the data, which is not to be replaced
	stdout io.Writer
	flags  []string // of files, and of standard output if it is taken
	files  []*outputFile
	taken  bool // standard output
}

// add creates the file that the flag of that name has, "" for none; "-" is
// standard output. What the flag is to hold is written to the result.
func (o *outputs) add(flag, path string) (io.Writer, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return o.takeStdout(flag, path)
	}
	if sameFile(o.in, path) {
		return nil, usageErrorf("-%s %s would replace the data", flag, path)
	}
	if sameFile(o.stdout, path) { // as /dev/stdout is: the report must not get between
		return o.takeStdout(flag, path)
	}
	f, err := createOutput(o.ctx, path)
	if err != nil {
		return nil, err
	}
	for i, other := range o.files {
		if other.path == f.path && f.temporary() {
			f.discard()
			return nil, usageErrorf("-%s and -%s have the same file, %s", o.flags[i], flag, path)
		}
	}
	o.files, o.flags = append(o.files, f), append(o.flags, flag)
	return f, nil
}

func (o *outputs) takeStdout(flag, path string) (io.Writer, error) {
	if o.taken {
		return nil, usageErrorf("-%s %s: standard output has something else already", flag, path)
	}
	o.taken = true
	return o.stdout, nil
}

// mixedWith reports whether what is written to standard output comes out where stderr
// does, as on a terminal: lines of progress would get between the rows.
func (o *outputs) mixedWith(stderr io.Writer) bool {
	a, okA := o.stdout.(*os.File)
	b, okB := stderr.(*os.File)
	if !o.taken || !okA || !okB {
		return false
	}
	one, errA := a.Stat()
	other, errB := b.Stat()
	return errA == nil && errB == nil && os.SameFile(one, other)
}

// finish ends all files, writes the report, which is on standard error where
// standard output has something else, and gives the files their names. That comes
// last, so that a failure leaves old files as they were. report may be nil.
func (o *outputs) finish(s streams, report func(io.Writer) error) error {
	for _, f := range o.files {
		if err := f.close(); err != nil {
			return err
		}
	}
	w := s.out
	if o.taken {
		w = s.err
	}
	if report != nil {
		if err := report(w); err != nil {
			return err
		}
	}
	for i, f := range o.files {
		if err := f.commit(); err != nil {
			for _, done := range o.files[:i] {
				err = fmt.Errorf("%w; %s is written", err, done.named)
			}
			return err
		}
	}
	return nil
}

// discard removes what has not been committed.
func (o *outputs) discard() {
	for _, f := range o.files {
		f.discard()
	}
}

// outputFile is a file in the making: create, write, commit, and discard in
// any case.
type outputFile struct {
	file  *os.File
	path  string // what it is to be called; equal to the file's where that cannot be renamed
	named string // and what messages call it
}

// target is the file that a path leads to, so that a link stays a link and two
// names of one file are one. What cannot be found out is told by who creates it.
func target(path string) string {
	for range 40 {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			if real, err = filepath.Abs(real); err == nil {
				path = real
			}
			return path
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			return path // /dev/stdout, where that is a pipe; a link that leads to itself
		}
		// There is no such file yet: it may be that of a link, in a folder of many names.
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err == nil {
			dir, err = filepath.Abs(dir)
		}
		if err != nil {
			return path
		}
		path = filepath.Join(dir, filepath.Base(path))
		link, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if path = link; !filepath.IsAbs(link) {
			path = filepath.Join(dir, link)
		}
	}
	return path
}

// createOutput finds out at once, not after a long fit, if path cannot be
// written.
func createOutput(ctx context.Context, named string) (*outputFile, error) {
	path := target(named)
	mode := os.FileMode(0o666)
	old, statErr := os.Stat(path)
	if statErr != nil && !errors.Is(statErr, os.ErrNotExist) { // as of a link that leads to itself
		return nil, writeError(named, statErr)
	}
	if statErr == nil {
		// A file that may not be written may not be replaced either, and a
		// directory cannot be: both fail here. A device or a pipe has to be
		// written to as it is; a pipe waits for somebody to read it.
		f, err := await(ctx, func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) })
		if err != nil {
			return nil, writeError(named, err)
		}
		if !old.Mode().IsRegular() {
			return &outputFile{f, path, named}, nil
		}
		f.Close()
		mode = old.Mode().Perm() // from the start: who may not read it is not to open it either
	}
	// Not os.CreateTemp: its files are for the owner only, whatever the umask.
	f, err := os.OpenFile(temporaryName(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, writeError(named, err)
	}
	o := &outputFile{f, path, named}
	if statErr == nil {
		if err := f.Chmod(mode); err != nil {
			o.discard()
			return nil, writeError(named, err)
		}
	}
	return o, nil
}

// temporaryName is a name beside path that nobody has: path.XXXXXXXX.tmp, so that
// who finds one, of a process that was killed, knows what it is. A path whose name
// has as many bytes as there may be, 255 on most systems, has room for no more.
func temporaryName(path string) string {
	dir, base := filepath.Split(path)
	const most = 200
	if len(base) > most {
		base = strings.ToValidUTF8(base[:most], "")
	}
	return fmt.Sprintf("%s%s.%08x.tmp", dir, base, rand.Uint32())
}

// writeError says which file could not be written, by the name the user knows.
func writeError(named string, err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("cannot write %s: %w", named, err)
}

func (o *outputFile) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	return n, writeError(o.named, err)
}

// close ends the writing. Some file systems tell only now that there is no room.
func (o *outputFile) close() error { return writeError(o.named, o.file.Close()) }

// temporary reports whether the file has a name that it is not to keep.
func (o *outputFile) temporary() bool { return o.file.Name() != o.path }

// commit gives the closed file its name.
func (o *outputFile) commit() error {
	if !o.temporary() {
		return nil
	}
	return writeError(o.named, os.Rename(o.file.Name(), o.path))
}

// discard removes what has not been committed. An error does not matter: the
// file is closed or gone already, or there is another error to report.
func (o *outputFile) discard() {
	o.file.Close()
	if o.temporary() {
		os.Remove(o.file.Name())
	}
}
