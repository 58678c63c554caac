package main

// This file holds the table of how sure the spectra of scenes are.

import (
	"context"
	"fmt"
	"math"
	"strings"

	"softkmeans"
	"softkmeans/stability"
	"softkmeans/unmix"
)

// sureTable prints what Bootstrap says of unmix.Fit on the scenes of a folder. A spectrum is held
// in the bands in which its interval has the published one, times the factor that fits best.
func sureTable(scenes string, draws int) error {
	list, err := readScenes(scenes)
	if err != nil {
		return err
	}
	if list == nil {
		return fmt.Errorf("-sure needs -scenes DIR with scenes")
	}
	fmt.Println("| scene | half widths / spectrum | bands of the published spectrum held | same label | draws |")
	fmt.Println("| --- | --- | --- | --: | --: |")
	for _, s := range list {
		k := s.truth.Rows
		m, err := unmix.Fit(context.Background(), s.x, k, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		b, err := stability.Bootstrap(context.Background(), s.x, m.Model, &stability.BootstrapOptions{Resamples: draws,
			MinVolumeOptions: softkmeans.MinVolumeOptions{Lambda: m.Lambda, NonNegative: true}})
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		var widths, held []string
		for j := range k {
			center := m.Centers.Row(j)
			half := make([]float64, len(center))
			for c := range half {
				half[c] = (b.Upper.At(j, c) - b.Lower.At(j, c)) / 2
			}
			widths = append(widths, fmt.Sprintf("%.3f", math.Sqrt(inner(half, half)/inner(center, center))))
			held = append(held, fmt.Sprintf("%d", bandsHeld(b, j, nearest(center, s.truth))))
		}
		fmt.Printf("| %s | %s | %s of %d | %.1f %% | %d |\n", s.name, strings.Join(widths, ", "), strings.Join(held, ", "),
			m.Centers.Cols, 100*b.Stability, b.Resamples)
	}
	return nil
}

// nearest returns the row of truth at the least angle from center, times the factor that
// brings it nearest.
func nearest(center []float64, truth *softkmeans.Matrix) []float64 {
	var best []float64
	cosine := math.Inf(-1)
	for i := range truth.Rows {
		row := truth.Row(i)
		if c := inner(center, row) / math.Sqrt(inner(row, row)); c > cosine {
			best, cosine = row, c
		}
	}
	factor := inner(center, best) / inner(best, best)
	scaled := make([]float64, len(best))
	for c, v := range best {
		scaled[c] = factor * v
	}
	return scaled
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

func inner(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
