package main

// This file holds -bootstrap and -from of fit: how sure the centers, shares and labels are,
// and a start from the centers of a model.

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/stability"
)

type sureFlags struct {
	bootstrap int        // draws; 0: none
	from      string     // "": none
	start     *modelFile // read from it
}

func (f *sureFlags) add(fs *flag.FlagSet) {
	fs.StringVar(&f.from, "from", "", "")
	wholeFlag(fs, &f.bootstrap, "bootstrap", 2)
}

// checkSure checks the flags of this file against the others. These and -bounds read the table at once.
func (f *fitFlags) checkSure(given map[string]bool) error {
	for _, name := range []string{"from", "known", "bootstrap", "bounds", "labelby"} {
		switch {
		case !given[name] || name == "labelby" && f.labels != labelLargest:
		case f.stream == streamYes:
			return usageErrorf("-%s is for tables in memory, without -stream yes", name)
		default:
			f.stream = streamNo
		}
	}
	if f.from == "" {
		return nil
	}
	return refuse(given, ": the model of -from has its own; leave the flag out", "k", "scale", "rows")
}

// readStart reads the model of -from, and takes its k, sum, columns and scaling.
func (f *fitFlags) readStart() (err error) {
	if f.from == "" {
		return nil
	}
	if f.start, err = readModel(f.from); err != nil {
		return err
	}
	if f.start.Model == nil {
		return fmt.Errorf("%s: a model of method %s has no prototypes to start from", f.from,
			short(f.start.Method, mostName))
	}
	f.k, f.options.Sum = f.start.K(), f.start.Model.Sum
	if f.bounds == nil && f.method.takes("bounds") {
		f.bounds = boundsOf(f.start)
	}
	return f.use(f.start)
}

// draw makes the draws of -bootstrap, if it is given, for the model of r.
func (f *fitFlags) draw(ctx context.Context, d *data, r *result,
	o *softkmeans.MinVolumeOptions, p *progress) error {
	if f.bootstrap == 0 {
		return nil
	}
	b := &stability.BootstrapOptions{MinVolumeOptions: *o, Resamples: f.bootstrap}
	b.Progress = func(at softkmeans.Iteration) {
		p.step(fmt.Sprintf("resample %d of %d", at.Restart+1, f.bootstrap))
	}
	found, err := stability.Bootstrap(ctx, d.x, r.model, b)
	if err != nil {
		return err
	}
	if r.scale != nil {
		r.scale.Undo(found.Lower.Data)
		r.scale.Undo(found.Upper.Data)
	}
	r.bounds.hold(found.Lower)
	r.bounds.hold(found.Upper)
	r.sure = &answer.Bootstrap{Draws: found.Resamples, Level: 0.95, Status: found.Status.String(),
		Lower: answer.RowsOf(found.Lower), Upper: answer.RowsOf(found.Upper), Shares: found.Shares, ShareLower: found.ShareLower,
		ShareUpper: found.ShareUpper, Stability: found.Stability, LeastStable: unstable(d, found.Stable)}
	return nil
}

// Of the rows whose label most draws do not share the mostUnstable least stable are listed,
const (
	mostUnstable = 10
	stableShare  = 0.95
)

func unstable(d *data, stable []float64) []answer.UnstableRow {
	list := []answer.UnstableRow{}
	row := 0 // of the file, from 1
	for i, v := range stable {
		for row++; d.texts.Left != nil && d.texts.Left[row-1]; row++ {
		}
		if v < stableShare {
			u := answer.UnstableRow{Row: row, Stable: v}
			if d.IDs != nil {
				u.ID = d.IDs[i]
			}
			list = append(list, u)
		}
	}
	slices.SortStableFunc(list, func(a, b answer.UnstableRow) int { return cmp.Compare(a.Stable, b.Stable) })
	return list[:min(len(list), mostUnstable)]
}
