package main

// This file fits sparse files, and predicts their rows, without their zeros.

import (
	"context"
	"fmt"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/kinds"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/unmix"
)

// filledForK is the largest number of entries, with all zeros, of a sparse file whose rows choose k: 128 MB.
const filledForK = 1 << 24

// allFloors is the largest number of rows or columns for which Floors finds all floors from one Gram matrix.
const allFloors = 1024

// unfilled says what takes rows without their zeros.
const unfilled = "fit, floors and certify take the rows without their zeros, if columns are not scaled"

// always returns a function for readAs that returns stays for every sparse file.
func always(stays bool) func(*rows.Sparse) bool { return func(*rows.Sparse) bool { return stays } }

// takesSparse reports whether the fit needs no zeros of a sparse file. The global method never does. The
// others do where half of the entries are stored, and for some flags.
func (f *fitFlags) takesSparse(t *rows.Sparse) bool {
	switch f.method {
	case methodGlobal:
		return true
	case methodMinVolume, methodAlternating:
		return !halfStored(t) && (f.scale == scale.Auto || f.scale == scale.None || f.scale == scale.Words) &&
			f.start == nil && f.library == nil && f.bootstrap == 0 && !f.plain
	}
	return false
}

// fill returns the table of t with its zeros. Brightness is then looked for only where fit fills the zeros in, too.
func (f *inputFlags) fill(t *rows.Sparse) (*table.Table, error) {
	if f.perRow == unmix.ScaleAuto && !halfStored(t) {
		f.perRow = unmix.ScaleGiven
	}
	t.Notes = append(t.Notes, filledNote(t))
	filled, err := t.Table()
	if err != nil && t.X.Cols <= f.mostStreamed {
		return nil, fmt.Errorf("%w; -stream yes fills in a block at a time; %s", err, unfilled)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, unfilled)
	}
	return filled, nil
}

func filledNote(t *rows.Sparse) string {
	note := storedNote(t) + "; the zeros are filled in"
	if halfStored(t) {
		return note
	}
	return note + " (" + unfilled + ")"
}

// halfStored reports whether the package, too, fills in the zeros.
func halfStored(t *rows.Sparse) bool {
	return float64(len(t.X.Data)) >= float64(t.X.Rows)*float64(t.X.Cols)/2
}

func storedNote(t *rows.Sparse) string {
	stored := len(t.X.Data)
	return fmt.Sprintf("the rows are sparse: %s, %s of all, %s stored",
		plural(stored, "1 entry", fmt.Sprintf("%d entries", stored)),
		view.Percent(float64(stored)/float64(t.X.Rows)/float64(t.X.Cols)), plural(stored, "is", "are"))
}

func (f *inputFlags) checkSparse(t *rows.Sparse) error {
	if f.perRow == unmix.ScaleUnit {
		return fmt.Errorf("%s: -rows unit is for tables that are not sparse; divide the rows by their sums "+
			"before", t.Source)
	}
	if f.scale == scale.ZScore || f.scale == scale.MinMax {
		return fmt.Errorf("%s: with -scale %v the zeros of a sparse file would not stay zeros; divide its "+
			"columns by their spread before", t.Source, f.scale)
	}
	note := "; columns are not scaled"
	if f.words() {
		note = ""
	}
	if halfStored(t) {
		note += "; fits fill in the zeros, since half or more are stored"
	}
	t.Notes = append(t.Notes, storedNote(t)+note)
	if f.scale == scale.Auto {
		if kinds.Words(t.X.Data, t.X.Rows*t.X.Cols) {
			t.Notes = append(t.Notes, rareCounts)
		}
		x, err := filledSparse(t)
		if err != nil {
			return err
		}
		if x != nil {
			if k := kinds.Look(x); k.Counts || k.MayBe {
				t.Notes = append(t.Notes, mayBeCounts)
			}
		}
	}
	return nil
}

// filledSparse returns the rows with all their zeros; nil if these are more than filledForK.
func filledSparse(t *rows.Sparse) (*softkmeans.Matrix, error) {
	if t.X.Rows > filledForK/t.X.Cols {
		return nil, nil
	}
	return t.X.Dense()
}

// takesSparse reports whether sparse rows can be predicted without their zeros: the file has a model, and
// neither the rows nor the columns are scaled, except as counts of words.
func (f *modelFile) takesSparse() bool {
	s := f.scaling()
	return f.Model != nil && !f.UnitRows && (s == nil || s.Kind == scale.Words)
}

func (p *prediction) addSparse(ctx context.Context, t *rows.Sparse) error {
	most := max(1, predictValues/p.model.K())
	for lo := 0; lo < t.X.Rows; lo += most {
		x := draws.SparseRows(t.X, lo, min(lo+most, t.X.Rows))
		g, err := p.model.Model.Predict(nil, x)
		if err != nil {
			return draws.LaterRow(err, lo)
		}
		if err := p.take(ctx, x, x, g); err != nil {
			return draws.LaterRow(err, lo)
		}
	}
	return nil
}
