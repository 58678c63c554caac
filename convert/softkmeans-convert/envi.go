package main

import (
	"errors"
	"fmt"
	"math"
	"os"

	"softkmeans/internal/cube"
	"softkmeans/internal/envi"
	"softkmeans/internal/npy"
)

// readENVI writes the pixels of an image as rows, line by line, without the bands that the header calls bad.
func readENVI(f *os.File, o *options, w *writer) error {
	_, data, err := envi.Find(f.Name())
	if err != nil {
		return err
	}
	if data == "" {
		return errors.New("the file with the values is not there")
	}
	h, err := envi.Read(f)
	if err != nil {
		return err
	}
	if h.FileType == envi.SpectralLibrary {
		return errors.New("a spectral library; softkmeans reads it as it is")
	}
	for _, note := range h.Notes {
		fmt.Fprintf(os.Stderr, "softkmeans-convert: %s: %s\n", f.Name(), note)
	}
	l, err := h.Layout()
	if err != nil {
		return err
	}
	var bands []int
	for b := range h.Bands {
		if h.Bad == nil || !h.Bad[b] {
			bands = append(bands, b)
		}
	}
	if o.list {
		fmt.Fprintf(w, "%d lines of %d pixels, %d of %d bands\n", h.Lines, h.Samples, len(bands), h.Bands)
		return nil
	}
	values, err := os.Open(data)
	if err != nil {
		return err
	}
	defer values.Close()
	if err := apart(o.out, values); err != nil {
		return err
	}
	info, err := values.Stat()
	if err != nil {
		return err
	}
	if err := l.CheckFile(info.Size()); err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	if err := npy.WriteHeader(w, h.Lines*h.Samples, len(bands)); err != nil {
		return err
	}
	line := make([]float64, h.Samples*len(bands))
	for i := range h.Lines {
		if err := l.Read(values, line, cube.Rect{Line: i, Lines: 1, Samples: h.Samples}, bands); err != nil {
			return fmt.Errorf("%s: line %d: %w", data, i+1, err)
		}
		for t, v := range line {
			if h.IsMissing(v) {
				line[t] = math.NaN()
			} else if h.Scale != 0 {
				line[t] /= h.Scale
			}
		}
		if err := npy.WriteValues(w, line); err != nil {
			return err
		}
	}
	return nil
}
