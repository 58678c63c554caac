package main

// This file writes output files, which are drafts until all are complete.

import (
	"context"
	"io"
	"os"

	"softkmeans/internal/drafts"
)

// outputs are the files that a command writes. All are created before the work.
// Either all get their names after it or none does.
type outputs struct {
	ctx   context.Context
	data  io.Reader   // the input, which must not be overwritten
	reads [][2]string // names of other such files, and their contents
	std   streams
	flags []string // the flags of files, and of standard output if it is taken
	files []*drafts.File
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
	for _, in := range o.reads {
		if sameName(in[0], path) {
			return nil, usageErrorf("-%s %s would overwrite the %s; give another file", flag, path, in[1])
		}
	}
	if sameFile(o.std.out, path) { // as /dev/stdout; the report must not be mixed in
		return o.takeStdout(flag, path)
	}
	f, err := o.std.drafts.Create(path)
	if err != nil {
		return nil, err
	}
	for i, other := range o.files {
		if other.Path() == f.Path() && f.Temporary() {
			f.Discard()
			return nil, usageErrorf("-%s and -%s name the same file, %s; give two", o.flags[i], flag, path)
		}
	}
	o.files, o.flags = append(o.files, f), append(o.flags, flag)
	return f, nil
}

// sameName reports whether two names name one file.
func sameName(a, b string) bool {
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, other)
}

// addAll opens the file of each pair of a flag and a path, as add does, and returns their writers in order.
func (o *outputs) addAll(list ...[2]string) (all []io.Writer, err error) {
	for _, f := range list {
		w, err := o.add(f[0], f[1])
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

func (o *outputs) takeStdout(flag, path string) (io.Writer, error) {
	if o.taken {
		return nil, usageErrorf("-%s %s: standard output is already taken by another flag; give a file", flag,
			path)
	}
	o.taken = true
	return o.std.out, nil
}

// finish closes all files, writes the report and then renames the files, so that a
// failure leaves old files as they were. The report goes to standard output, or
// to standard error if standard output is taken. report may be nil.
func (o *outputs) finish(report func(io.Writer) error) error {
	for _, f := range o.files {
		if err := f.Close(); err != nil {
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
	return o.std.drafts.Commit(o.files)
}

// discard removes the files that are not committed.
func (o *outputs) discard() {
	for _, f := range o.files {
		f.Discard()
	}
}
