package main

// This file holds the table of how sure the spectra of scenes are.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/sets"
	"softkmeans/stability"
	"softkmeans/unmix"
)

// sureTable prints what Bootstrap says of unmix.Fit on the scenes of a folder. A spectrum is held
// in the bands in which its interval has the published one, times the factor that fits best.
func sureTable(scenes string, draws int) error {
	list, err := sets.ReadScenes(scenes)
	if err != nil {
		return fmt.Errorf("-sure needs -scenes DIR: %w", err)
	}
	fmt.Println("| scene | half widths / spectrum | bands of the published spectrum held | same label | draws |")
	fmt.Println("| --- | --- | --- | --: | --: |")
	for _, s := range list {
		k := s.Spectra.Rows
		m, err := unmix.Fit(context.Background(), s.X, k, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		b, err := stability.Bootstrap(context.Background(), s.X, m.Model, &stability.BootstrapOptions{Resamples: draws,
			MinVolumeOptions: softkmeans.MinVolumeOptions{Lambda: m.Lambda, NonNegative: true}})
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		var widths, held []string
		for j := range k {
			center := m.Centers.Row(j)
			half := make([]float64, len(center))
			for c := range half {
				half[c] = (b.Upper.At(j, c) - b.Lower.At(j, c)) / 2
			}
			widths = append(widths, fmt.Sprintf("%.3f", math.Sqrt(la.Dot(half, half)/la.Dot(center, center))))
			held = append(held, fmt.Sprintf("%d", bandsHeld(b, j, nearest(center, s.Spectra))))
		}
		fmt.Printf("| %s | %s | %s of %d | %.1f %% | %d |\n", s.Name, strings.Join(widths, ", "), strings.Join(held, ", "),
			m.Centers.Cols, 100*b.Stability, b.Resamples)
	}
	return nil
}

// nearest returns the row of truth at the least angle from center, times the factor that brings it nearest.
func nearest(center []float64, truth *softkmeans.Matrix) []float64 {
	var best []float64
	cosine := math.Inf(-1)
	for i := range truth.Rows {
		row := truth.Row(i)
		if c := la.Dot(center, row) / math.Sqrt(la.Dot(row, row)); c > cosine {
			best, cosine = row, c
		}
	}
	best = slices.Clone(best)
	la.Scale(la.Dot(center, best)/la.Dot(best, best), best)
	return best
}

// bandsHeld counts the bands in which the interval of center j has spectrum.
func bandsHeld(b *stability.Sureness, j int, spectrum []float64) (n int) {
	for c, v := range spectrum {
		if b.Lower.At(j, c) <= v && v <= b.Upper.At(j, c) {
			n++
		}
	}
	return n
}
