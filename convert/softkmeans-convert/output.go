package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// output is the file of -o. A regular file is written under another name beside it, and gets its own when it
// is complete: a failure leaves an old file as it was. Devices and pipes are written as they are.
type output struct {
	*os.File
	path string // the name to get; "": the file has its name
}

// createOutput opens the file. It must not be the input.
func createOutput(path string, in *os.File) (*output, error) {
	if err := apart(path, in); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o666)
	if old, err := os.Stat(path); err == nil {
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // a read-only file must stay
		if err != nil {
			return nil, err
		}
		if !old.Mode().IsRegular() {
			return &output{File: f}, nil
		}
		f.Close()
		mode = old.Mode().Perm()
	}
	temporary := fmt.Sprintf("%s.%08x.tmp", path, rand.Uint32())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	stop := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) { // as by nohup
			signal.Notify(stop, s)
		}
	}
	go func() {
		<-stop
		os.Remove(temporary)
		os.Exit(130)
	}()
	return &output{f, path}, nil
}

// apart is an error if path names the file in.
func apart(path string, in *os.File) error {
	a, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if b, err := in.Stat(); err == nil && os.SameFile(a, b) {
		return &flagError{fmt.Errorf("-o %s would overwrite the input; give another file", path)}
	}
	return nil
}

// finish closes the file. It gives it its name, or removes it if the conversion failed.
func (o *output) finish(failed error) error {
	err := errors.Join(failed, o.Close())
	if o.path == "" {
		return err
	}
	if err == nil {
		err = os.Rename(o.Name(), o.path)
	}
	if err != nil {
		os.Remove(o.Name())
	}
	return err
}
