package main

import (
	"errors"
	"fmt"
	"os"

	"softkmeans/internal/cube"
	"softkmeans/internal/envi"
	"softkmeans/internal/npy"
)

// readENVI writes the pixels of an image as rows, line by line, without the bands that the
// header calls bad.
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
	kind, ok := map[int]string{1: "u1", 2: "i2", 3: "i4", 4: "f4", 5: "f8", 12: "u2", 13: "u4", 14: "i8", 15: "u8"}[h.Type]
	if !ok {
		return fmt.Errorf("the values have the type %d", h.Type)
	}
	order := map[bool]string{false: "<", true: ">"}[h.BigEndian]
	layouts := map[string]func(lines, samples, bands int) cube.Layout{"bsq": cube.ByBand, "bil": cube.ByLine, "bip": cube.ByPixel}
	if err := cube.CheckSize(h.Lines, h.Samples, h.Bands); err != nil {
		return err
	}
	l := layouts[h.Interleave](h.Lines, h.Samples, h.Bands)
	l.Offset = h.Offset
	if l.Kind, err = npy.KindOf(order + kind); err != nil {
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
		if h.Scale != 0 {
			for t := range line {
				line[t] /= h.Scale
			}
		}
		if err := npy.WriteValues(w, line); err != nil {
			return err
		}
	}
	return nil
}
