package main

// This file writes output files. Each is written under a temporary name and renamed when it is complete. A
// failure leaves neither half a file nor a damaged old one. The renames come last, in the order of the flags
// -o, -centers, -means, -model. If the process is killed between two renames, the first files are new, the others
// old, and each is complete. A signal that can be caught comes before all renames or after them.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// outputs are the files that a command writes. All are created before the work.
// Either all get their names after it or none does.
type outputs struct {
	ctx   context.Context
	data  io.Reader // the input, which must not be overwritten
	std   streams
	flags []string // the flags of files, and of standard output if it is taken
	files []*outputFile
	taken bool // standard output holds a file's content
}

// add creates the file that a flag names and returns its writer. "" is no file, "-" is standard output.
func (o *outputs) add(flag, path string) (io.Writer, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return o.takeStdout(flag, path)
	}
	if sameFile(o.data, path) {
		return nil, usageErrorf("-%s %s would overwrite the data; give another file", flag, path)
	}
	if sameFile(o.std.out, path) { // as /dev/stdout; the report must not be mixed in
		return o.takeStdout(flag, path)
	}
	f, err := o.create(path)
	if err != nil {
		return nil, err
	}
	for i, other := range o.files {
		if other.path == f.path && f.temporary() {
			f.discard()
			return nil, usageErrorf("-%s and -%s name the same file, %s; give two", o.flags[i], flag, path)
		}
	}
	o.files, o.flags = append(o.files, f), append(o.flags, flag)
	return f, nil
}

func (o *outputs) takeStdout(flag, path string) (io.Writer, error) {
	if o.taken {
		return nil, usageErrorf("-%s %s: standard output is already taken by another flag; give a file", flag,
			path)
	}
	o.taken = true
	return o.std.out, nil
}

// mixed reports whether standard output has a file's content and is the same
// device as standard error. Progress would then appear between the rows.
func (o *outputs) mixed() bool {
	a, okA := o.std.out.(*os.File)
	b, okB := o.std.err.(*os.File)
	if !o.taken || !okA || !okB {
		return false
	}
	one, errA := a.Stat()
	other, errB := b.Stat()
	return errA == nil && errB == nil && os.SameFile(one, other)
}

// finish closes all files, writes the report and then renames the files, so that a
// failure leaves old files as they were. The report goes to standard output, or
// to standard error if standard output is taken. report may be nil.
func (o *outputs) finish(report func(io.Writer) error) error {
	for _, f := range o.files {
		if err := f.close(); err != nil {
			return err
		}
	}
	if err := o.ctx.Err(); err != nil {
		return err
	}
	w := o.std.out
	if o.taken {
		w = o.std.err
	}
	if report != nil {
		if err := report(w); err != nil {
			return err
		}
	}
	return o.std.drafts.commit(o.files)
}

// discard removes the files that are not committed.
func (o *outputs) discard() {
	for _, f := range o.files {
		f.discard()
	}
}

// drafts are the temporary files of a run. They get their names, or are removed, as one.
type drafts struct {
	mu        sync.Mutex
	files     []*outputFile
	committed bool // files have, or get, their final names
	abandoned bool // no file is created or gets its name any more
}

// create creates a temporary file for the file at path, which messages name as the user did.
func (d *drafts) create(path, named string, mode os.FileMode) (*outputFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.abandoned {
		return nil, context.Canceled
	}
	// os.CreateTemp ignores the umask: only the owner could read its files.
	f, err := os.OpenFile(temporaryName(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, writeError(named, err)
	}
	o := &outputFile{f, path, named}
	d.files = append(d.files, o)
	return o, nil
}

func (d *drafts) commit(files []*outputFile) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.abandoned {
		return context.Canceled
	}
	d.committed = true
	for i, f := range files {
		if err := f.commit(); err != nil {
			for _, done := range files[:i] {
				err = fmt.Errorf("%w; %s is written", err, done.named)
			}
			return err
		}
	}
	return nil
}

// abandon removes all files, now and for ever. It returns false, and does nothing, if commit was called.
func (d *drafts) abandon() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.committed {
		return false
	}
	d.abandoned = true
	for _, f := range d.files {
		f.discard()
	}
	return true
}

// outputFile is a file being written. The caller always discards it in the end.
type outputFile struct {
	file  *os.File
	path  string // the final name; the file's own name if it cannot be renamed
	named string // the name in messages
}

// target follows the links of path, so that links stay links and two names of one
// file compare equal. If it cannot, it returns path; creating it gives the error.
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
			return path // as /dev/stdout if it is a pipe, or a link to itself
		}
		// The file does not exist. Its folder may be a link, and it may be a link
		// to a file that does not exist.
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

// create opens a temporary file beside the named one. If that cannot be
// written, the error comes before a long fit.
func (o *outputs) create(named string) (*outputFile, error) {
	path := target(named)
	old, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return o.std.drafts.create(path, named, 0o666)
	}
	if err != nil { // as for a link to itself
		return nil, writeError(named, err)
	}
	// A read-only file must not be replaced and a directory cannot be: both fail here. A device or a pipe is
	// written directly; opening a pipe waits for its reader.
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, writeError(named, err)
	}
	if !old.Mode().IsRegular() {
		return &outputFile{f, path, named}, nil
	}
	f.Close()
	mode := old.Mode().Perm() // from the start, so that nobody else can open it
	draft, err := o.std.drafts.create(path, named, mode)
	if err == nil {
		if err = draft.file.Chmod(mode); err != nil {
			draft.discard()
			return nil, writeError(named, err)
		}
	}
	return draft, err
}

// temporaryName returns path with eight random hexadecimal digits and .tmp appended, such as
// out.csv.0f3a91c2.tmp. Names of more than 200 bytes are cut, since most systems allow 255.
func temporaryName(path string) string {
	dir, base := filepath.Split(path)
	const most = 200
	if len(base) > most {
		base = strings.ToValidUTF8(base[:most], "")
	}
	return fmt.Sprintf("%s%s.%08x.tmp", dir, base, rand.Uint32())
}

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

// close closes the file. Some file systems report a full disk only here.
func (o *outputFile) close() error { return writeError(o.named, o.file.Close()) }

// temporary reports whether the file has a temporary name.
func (o *outputFile) temporary() bool { return o.file.Name() != o.path }

func (o *outputFile) commit() error {
	if !o.temporary() {
		return nil
	}
	return writeError(o.named, os.Rename(o.file.Name(), o.path))
}

// discard closes the file and removes it if it is not committed. Errors are
// ignored: the file is closed or renamed, or another error is reported.
func (o *outputFile) discard() {
	o.file.Close()
	if o.temporary() {
		os.Remove(o.file.Name())
	}
}
