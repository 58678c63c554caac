// Package drafts writes files that are there at once or not at all. Each is written under a temporary name and renamed
// when all are complete. A failure leaves neither half a file nor a damaged old one. If the process is killed between
// two renames, the first files are new, the others old, and each is complete. A signal that can be caught comes before
// all renames or after them.
package drafts

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Set is the temporary files of a run. They get their names, or are removed, as one. The zero value is empty.
type Set struct {
	mu        sync.Mutex
	files     []*File
	committed bool // files have, or get, their final names
	abandoned bool // no file is created or gets its name any more
}

// draft creates a temporary file for the file at path, which messages name as the user did.
func (d *Set) draft(path, named string, mode os.FileMode) (*File, error) {
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
	o := &File{f, path, named}
	d.files = append(d.files, o)
	return o, nil
}

// Commit gives files of the set, which are closed, their names, in this order.
func (d *Set) Commit(files []*File) error {
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

// Abandon removes all files, now and for ever. It returns false, and does nothing, if Commit was called.
func (d *Set) Abandon() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.committed {
		return false
	}
	d.abandoned = true
	for _, f := range d.files {
		f.Discard()
	}
	return true
}

// File is a file being written. The caller always discards it in the end.
type File struct {
	file  *os.File
	path  string // the final name; the file's own name if it cannot be renamed
	named string // the name in messages
}

// target follows the links of path, so that links to files stay links and two names of one file compare equal. If the
// file does not exist its folder may be a link.
func target(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return path
}

// Create opens a temporary file beside the named one. If that cannot be written, the error comes at once, before long
// work. A device or a pipe is opened itself.
func (d *Set) Create(named string) (*File, error) {
	path := target(named)
	old, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return d.draft(path, named, 0o666)
	}
	if err != nil { // as for a link to itself
		return nil, writeError(named, err)
	}
	// A read-only file must not be replaced and a directory cannot be: both fail here. Opening a pipe waits for
	// its reader.
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, writeError(named, err)
	}
	if !old.Mode().IsRegular() {
		return &File{f, path, named}, nil
	}
	f.Close()
	mode := old.Mode().Perm() // from the start, so that nobody else can open it
	draft, err := d.draft(path, named, mode)
	if err == nil {
		if err = draft.file.Chmod(mode); err != nil {
			draft.Discard()
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

// Path returns the final name, with links followed; the file's own name if it cannot be renamed.
func (o *File) Path() string { return o.path }

func (o *File) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	return n, writeError(o.named, err)
}

// Close closes the file. Some file systems report a full disk only here.
func (o *File) Close() error { return writeError(o.named, o.file.Close()) }

// Temporary reports whether the file has a temporary name.
func (o *File) Temporary() bool { return o.file.Name() != o.path }

func (o *File) commit() error {
	if !o.Temporary() {
		return nil
	}
	return writeError(o.named, os.Rename(o.file.Name(), o.path))
}

// Discard closes the file and removes it if it is not committed. Errors are
// ignored: the file is closed or renamed, or another error is reported.
func (o *File) Discard() {
	o.file.Close()
	if o.Temporary() {
		os.Remove(o.file.Name())
	}
}

// WriteAt is for files whose parts come in any order. The file has a temporary name.
func (o *File) WriteAt(p []byte, at int64) (int, error) {
	n, err := o.file.WriteAt(p, at)
	return n, writeError(o.named, err)
}
