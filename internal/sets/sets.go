// Package sets reads tables with the class of each row, for the examples that compare
// clusters with given classes.
package sets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"softkmeans"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// Set says where a set is, and how it is read.
type Set struct {
	Name string
	// Views are files of the same rows, CSV or .npy. Their columns are joined.
	Views  []string
	Labels string     // a file with the class of each row, in its only column or one named label
	Scale  scale.Kind // of the columns of each view
	Open   Opener     // nil: files of the operating system
}

// Opener opens a file by its name.
type Opener func(name string) (fs.File, error)

// Folders returns what opens a file in the first of some folders that has it. Empty names are left out.
func Folders(names ...string) Opener {
	return func(name string) (fs.File, error) {
		err := error(&fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist})
		for _, folder := range names {
			if folder == "" {
				continue
			}
			var f *os.File
			if f, err = os.Open(filepath.Join(folder, name)); err == nil {
				return f, nil
			}
		}
		return nil, err
	}
}

// Parse reads name=view.csv,more.csv:labels.csv.
func Parse(text string) (Set, error) {
	name, files, _ := strings.Cut(text, "=")
	colon := strings.LastIndexByte(files, ':')
	s := Set{Name: strings.TrimSpace(name)}
	if s.Name == "" || colon < 0 {
		return s, fmt.Errorf("%q is not of the form name=view.csv,more.csv:labels.csv", text)
	}
	s.Views, s.Labels = strings.Split(files[:colon], ","), files[colon+1:]
	for _, file := range append(s.Views, s.Labels) {
		if strings.TrimSpace(file) == "" {
			return s, fmt.Errorf("%q has a file without a name", text)
		}
	}
	return s, nil
}

// Labeled is a set that was read.
type Labeled struct {
	X     *softkmeans.Matrix
	Class []int // of each row, from 0
	K     int   // the number of classes
}

// Load reads the set. Each view is scaled by itself. If there are several that are scaled, each is divided by
// the root of its number of columns, so that views of many columns count as much as others.
func (s *Set) Load() (*Labeled, error) {
	var parts []*table.Table
	cols := 0
	for _, name := range s.Views {
		part, err := read(s, name, func(in io.Reader) (*table.Table, error) {
			return rows.ReadAll(in, name, table.Dialect{})
		})
		if err != nil {
			return nil, err
		}
		if len(parts) > 0 && part.Rows != parts[0].Rows {
			return nil, fmt.Errorf("%s has %d rows, %s has %d; views must be of the same rows", name,
				part.Rows, s.Views[0], parts[0].Rows)
		}
		scale.Of(s.Scale, part.Data, len(part.Names), nil).Apply(part.Data)
		parts, cols = append(parts, part), cols+len(part.Names)
	}
	if len(parts) == 0 {
		return nil, errors.New("the set has no views")
	}
	classes, err := read(s, s.Labels, func(in io.Reader) (*table.Classes, error) {
		return rows.ReadClasses(in, s.Labels, table.Dialect{}, "")
	})
	if err != nil {
		return nil, err
	}
	x := softkmeans.NewMatrix(parts[0].Rows, cols, nil)
	if len(classes.Class) != x.Rows {
		return nil, fmt.Errorf("%s has %d rows, and %s has %d labels", s.Views[0],
			x.Rows, s.Labels, len(classes.Class))
	}
	at := 0
	for _, part := range parts {
		width, weight := len(part.Names), 1.0
		if len(parts) > 1 && s.Scale != scale.None {
			weight = 1 / math.Sqrt(float64(width))
		}
		for i := range x.Rows {
			for j, v := range part.Data[i*width : (i+1)*width] {
				x.Set(i, at+j, v*weight)
			}
		}
		at += width
	}
	return &Labeled{x, classes.Class, len(classes.Classes)}, nil
}

func read[T any](s *Set, name string, parse func(io.Reader) (T, error)) (t T, err error) {
	open := s.Open
	if open == nil {
		open = func(name string) (fs.File, error) { return os.Open(name) }
	}
	f, err := open(name)
	if err != nil {
		return t, err
	}
	defer f.Close()
	return parse(f)
}
