package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// testFS is the local file system under test://, with faults set by a test. Of the
// optional methods it has only those that the program needs.
type testFS struct{}

const scheme = "test://"

// faults are asked before every operation: read, write, close, size, rename. The
// count is that of the operation on that file, from 1, temporary names counted
// for the final one. One that is not an error changes what is read.
var faults struct {
	sync.Mutex
	hook  func(operation, name string, count int) error
	count map[string]int
}

// inject sets the hook; nil for none.
func inject(hook func(operation, name string, count int) error) {
	faults.Lock()
	defer faults.Unlock()
	faults.hook, faults.count = hook, map[string]int{}
}

func ask(operation, name string) error {
	faults.Lock()
	defer faults.Unlock()
	if faults.hook == nil {
		return nil
	}
	name = filepath.Base(name)
	if strings.HasSuffix(name, ".tmp") {
		name = name[:strings.LastIndexByte(strings.TrimSuffix(name, ".tmp"), '.')]
	}
	faults.count[operation+name]++
	return faults.hook(operation, name, faults.count[operation+name])
}

// replaced is a fault that is not seen as one: the file has another text.
type replaced struct{ text string }

func (replaced) Error() string { return "" }

func init() {
	filesystem.Register("test", func(context.Context) filesystem.Interface { return testFS{} })
}

func local(name string) string { return strings.TrimPrefix(name, scheme) }

func (testFS) Close() error { return nil }

func (testFS) List(_ context.Context, pattern string) ([]string, error) {
	names, err := filepath.Glob(local(pattern))
	for i := range names {
		names[i] = scheme + names[i]
	}
	return names, err
}

func (testFS) OpenRead(_ context.Context, name string) (io.ReadCloser, error) {
	if err := ask("read", name); err != nil {
		var other replaced
		if errors.As(err, &other) {
			return io.NopCloser(strings.NewReader(other.text)), nil
		}
		return nil, err
	}
	return os.Open(local(name))
}

func (testFS) OpenWrite(_ context.Context, name string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(local(name)), 0o777); err != nil {
		return nil, err
	}
	f, err := os.Create(local(name))
	return &testFile{f, name}, err
}

func (testFS) Size(_ context.Context, name string) (int64, error) {
	info, err := os.Stat(local(name))
	if err != nil {
		return 0, err
	}
	if ask("size", name) != nil {
		return info.Size() - 1, nil
	}
	return info.Size(), nil
}

func (testFS) Remove(_ context.Context, name string) error { return os.Remove(local(name)) }

func (testFS) Rename(_ context.Context, old, name string) error {
	if err := ask("rename", name); err != nil {
		return err
	}
	return os.Rename(local(old), local(name))
}

type testFile struct {
	*os.File
	name string
}

func (f *testFile) Write(p []byte) (int, error) {
	if err := ask("write", f.name); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

func (f *testFile) Close() error {
	return errors.Join(ask("close", f.name), f.File.Close())
}
