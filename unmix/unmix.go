// Package unmix finds the spectra of the materials in an image and their abundances in every pixel. Call
// [Fit] with the pixels as rows. It sets the weight of the volume in [softkmeans.FitMinVolume] by the noise
// of the data, and removes differences in brightness. For a table of spectra, or of other samples that differ
// in concentration, set Scaling to ScaleUnit.
package unmix

import (
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
	"softkmeans/internal/noise"
)

// Scaling is the way in which rows are scaled before the fit.
type Scaling int

const (
	// ScaleAuto is the default: ScaleUnit if the rows differ in brightness, otherwise ScaleGiven.
	ScaleAuto Scaling = iota
	// ScaleGiven takes the rows as they are.
	ScaleGiven
	// ScaleUnit divides each row by its length. The weight of a row is multiplied by its length, in units of
	// the power of two above the largest entry of x. The fit then ignores brightness, and dark rows count
	// little. Memberships add up to 1.
	ScaleUnit
)

// String returns "auto", "given" or "unit".
func (s Scaling) String() string {
	if s < ScaleAuto || s > ScaleUnit {
		return "Scaling"
	}
	return [...]string{"auto", "given", "unit"}[s]
}

// Options tunes [Fit]. The zero value and nil are the defaults.
type Options struct {
	// The defaults are softkmeans.InitSPA for Init, softkmeans.VolumeAffine for Volume, and 1e-7 for Tol. Tol
	// is small because the spectrum of a dark material changes the loss little and converges last.
	// NonNegative is always set; Fixed causes ErrOption. If Lower or Upper contains other numbers than 0 and
	// ±Inf, ScaleAuto means ScaleGiven, and ScaleUnit causes ErrOption. If neither Slack nor Lambda is set, λ
	// is chosen by the noise, from one start.
	softkmeans.MinVolumeOptions
	Scaling Scaling
	// Trim is the largest fraction of the rows to leave out as outliers, at least 0 and below 1. Unless Slack
	// or Lambda is set, rows that fit no mixture are left out even if Trim is 0. Each row has two squared
	// distances: from the principal plane, and within it from the mean, with each direction divided by its
	// spread. A row is an outlier if one of these distances is above 10 times its median over the rows. Rare
	// materials look like outliers, too.
	Trim float64
}

// Result is a fitted image. Centers are the spectra and Memberships the abundances. Labels are the largest
// memberships. With ScaleUnit x ≈ diag(Brightness)·Memberships·Centers, and Floor is the floor for
// SumAtMostOne. Lambda, Epsilon, Trace, Iterations, Stationarity and Warnings describe the fitted rows.
// Fitted rows are of length 1 (with ScaleUnit), in columns divided by their noise, and divided by 2^20 if an
// entry of x is above 2^480.
type Result struct {
	*softkmeans.Model
	Scaling    Scaling   // ScaleGiven or ScaleUnit
	Brightness []float64 // n, with ScaleUnit; otherwise nil
	Trimmed    []int     // indices of the rows that were left out of the fit, ascending; nil: none
	// Noise (d) contains the noise of each column as a multiple of the median noise; the fit divides columns
	// by it. RowWeights (n) contains a weight in [0, 1] for each row, by how well the row fits. Both are nil
	// if all columns or rows count alike.
	Noise, RowWeights []float64
	// PureRows (k) contains for each spectrum the number of nearly pure rows from whose mean it was
	// estimated, a sum of weights in [0, 1]. Turns (k) contains for each spectrum an angle in percent of π.
	// In simulated images 9 of 10 true spectra are within this angle. nil: not known.
	PureRows, Turns []float64
}

// Predict returns the memberships (n×k) of new rows x (n×d), in the units of the fitted rows. dst receives
// the result; nil allocates. With ScaleUnit the memberships come from [Mix]. Cost, errors and panics: as for
// [softkmeans.Model.Predict].
func (r *Result) Predict(dst, x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
	if r.Scaling != ScaleUnit {
		return r.Model.Predict(dst, x)
	}
	g, _, err := Mix(r.Centers, x, nil)
	if err != nil || dst == nil {
		return g, err
	}
	if dst.Rows != g.Rows || dst.Cols != g.Cols {
		panic("softkmeans: dst does not have the shape of the result")
	}
	for i := range g.Rows {
		copy(dst.Row(i), g.Row(i))
	}
	return dst, nil
}

// PredictLabels returns the index of the largest membership of each new row. dst, cost and errors: as for
// Predict.
func (r *Result) PredictLabels(dst []int, x *softkmeans.Matrix) ([]int, error) {
	g, err := r.Predict(nil, x)
	if err != nil {
		return nil, err
	}
	return (&softkmeans.Model{Memberships: g}).Labels(dst), nil
}

// Fit fits k spectra (Centers) and their abundances (Memberships) to the pixels of an image, the rows of x
// (n×d). Call it with nil options. Read Turns, the uncertainty of each spectrum, and Brightness if Scaling is
// ScaleUnit.
//
// Fit calls [softkmeans.FitMinVolume] with NonNegative and the defaults of [Options]. Unless Slack or Lambda
// is set, Fit divides columns by their noise, weights rows by how well they fit, sets λ by the noise, and
// moves spectra towards the purest pixels. For an exact mixture, k = 1, or k > min(n−1, d), FitMinVolume's
// slack sets λ. In these cases, and if Slack or Lambda is set, Noise, RowWeights, PureRows and Turns are nil.
//
// # Details
//
// If the spectra at λ/2 or 2λ are more than 1 % of π away on average, Others contains them, and Warnings a
// WarnSeveral. Turns is 2 plus four times the largest angle by which a spectrum moves at λ/2, 2λ and 4λ.
// Centers lie between the purest pixels and the vertices of the fit, so that they do not minimise the loss.
// Dark materials look like low brightness: if brightness does not vary, ScaleGiven may be nearer to the
// truth. docs/accuracy.md reports results on images with known spectra.
//
// Cost: FitMinVolume with 30 to 300 iterations, and about three times that for the other λ. The noise takes
// up to nine times O(md² + d³ + nkd) for m = min(n, 8192). Errors: FitMinVolume's. If ctx ends, the error
// wraps its error. The result is then nil or the best so far, with StatusCancelled and without Turns.
func Fit(ctx context.Context, x *softkmeans.Matrix, k int, opts *Options) (*Result, error) {
	given, err := check(ctx, x, k, opts)
	if err != nil {
		return nil, err
	}
	v, err := given.open(ctx, 0)
	if err != nil {
		return nil, err
	}
	if given.Slack == 0 && given.Lambda == 0 && v.directions > 0 && !v.exact() {
		if r, err := byNoise(ctx, given); r != nil || err != nil {
			return r, err
		}
	}
	v, trimmed, err := given.prepared(ctx, 0)
	if err != nil {
		return nil, err
	}
	m, err := softkmeans.FitMinVolume(ctx, v.x, k, &v.MinVolumeOptions)
	if m == nil {
		return nil, err
	}
	r := &Result{Model: m, Scaling: v.Scaling, Trimmed: trimmed}
	m.ClusterMeans, m.ClusterAxes, m.Clusters = nil, nil, nil
	m.ClusterWeights, m.ClusterSpread, m.ClusterDoubt = nil, 0, 0
	if r.Scaling == ScaleGiven {
		return r, err
	}
	given.Weights = without(given.Weights, x.Rows, trimmed)
	return r.of(given, v.Weights, err)
}

// check returns the rows with the defaults of the options, or the first error.
func check(ctx context.Context, x *softkmeans.Matrix, k int, opts *Options) (*table, error) {
	t := &table{x: x, k: k, Options: draws.OrZero(opts)}
	switch {
	case t.Scaling < ScaleAuto || t.Scaling > ScaleUnit:
		return nil, fault.New(softkmeans.ErrOption, "Scaling is ", int(t.Scaling), ", not 0 to 2")
	case !(t.Trim >= 0 && t.Trim < 1):
		return nil, fault.New(softkmeans.ErrOption, "Trim is ", t.Trim, ", not from 0 to below 1")
	case t.Fixed != nil:
		return nil, fault.New(softkmeans.ErrOption, "Fixed is for softkmeans.FitMinVolume")
	case t.Scaling == ScaleUnit && t.inUnits():
		return nil, fault.New(softkmeans.ErrOption, "Scaling is unit, which excludes a Lower or Upper other than 0")
	}
	if err := x.Check("x"); err != nil {
		return nil, err
	}
	t.NonNegative = true
	if t.Init == softkmeans.InitAuto {
		t.Init = softkmeans.InitSPA
	}
	if t.Volume == softkmeans.VolumeAuto {
		t.Volume = softkmeans.VolumeAffine
	}
	if t.Tol == 0 {
		t.Tol = 1e-7
	}
	one := t.MinVolumeOptions // a fit of one row of 0 checks them
	one.Weights, one.Progress = nil, nil
	_, err := softkmeans.FitMinVolume(ctx, softkmeans.NewMatrix(1, x.Cols, nil), k, &one)
	return t, err
}

// byNoise is Fit with λ by the noise. It returns nil if the scaled rows are an exact mixture. byNoise first
// finds the noise for rows scaled to length 1, which shows whether the brightness varies. If it does not,
// byNoise starts again with the rows as given.
func byNoise(ctx context.Context, given *table) (r *Result, err error) {
	var found noise.Noise
	var v *view
	var trimmed []int
	unit := noise.Unit(given.x)
	for _, scaling := range []Scaling{ScaleUnit, ScaleGiven} {
		if given.Scaling != ScaleAuto && given.Scaling != scaling {
			continue
		}
		o := noise.Options{Directions: given.k, Unit: scaling == ScaleUnit, Weights: given.Weights,
			Workers: given.Workers, Seed: given.Seed}
		if o.Unit {
			o.Directions++
		}
		if given.x.Cols >= 2*(given.k+1) {
			if found, err = noise.Find(ctx, given.x, o); err != nil {
				return nil, err
			}
		}
		if found.Columns == nil && unit > 1 {
			found.Columns = slices.Repeat([]float64{unit}, given.x.Cols)
		}
		t := *given.divided(found)
		if scaling == ScaleGiven {
			t.Scaling = ScaleGiven
		}
		if v, trimmed, err = t.prepared(ctx, 2*given.k+4); err != nil {
			return nil, err
		}
		if v.Scaling == ScaleUnit {
			break
		}
	}
	if v.exact() {
		return nil, nil
	}
	if v.Scaling == ScaleGiven {
		v.Epsilon /= unit * unit
	}
	trimmed = append(trimmed, leftOut(given.Weights, found.Rows)...)
	slices.Sort(trimmed)
	trimmed = slices.Compact(trimmed)
	data := *given
	data.Weights = without(given.Weights, given.x.Rows, trimmed)
	s, err := newScene(v, &data, found.Columns)
	if err != nil {
		return nil, err
	}
	deviations := slices.Clone(found.Columns)
	la.Scale(1/unit, deviations)
	return s.result(ctx, &Result{Scaling: v.Scaling, Trimmed: trimmed, Noise: deviations,
		RowWeights: found.Rows})
}

// result fits the scene, and completes r, whose fields about the rows are set.
func (s *scene) result(ctx context.Context, r *Result) (*Result, error) {
	narrow, err := s.follow(ctx)
	if narrow == nil {
		return nil, err
	}
	var others []*run
	best := narrow
	if err == nil {
		others = s.tryOthers(ctx, narrow)
		best, err = s.inFull(ctx, narrow)
	}
	seen := s.sight(best)
	believed := s.beliefs(seen, narrow, others)
	m := *best.m
	m.Centers = s.spectra(seen, believed)
	r.Model, r.PureRows = &m, seen.rows
	r, err = r.of(s.data, s.Weights, err)
	if err == nil {
		err = s.look(r, others, believed)
	}
	return r, err
}

// of computes the memberships and the certificate of r for the rows of data. r.Centers must be in the columns
// of data. With ScaleUnit it first multiplies the spectra, which are of length 1, by lengths: see lengthen.
// weights are the weights in the fit. ended is the error that ended the computation early; of returns it with
// r, since the remaining work is short.
func (r *Result) of(data *table, weights []float64, ended error) (_ *Result, err error) {
	ctx, m := context.Background(), r.Model
	simple := data.simple()
	m.ClusterMeans, m.ClusterAxes, m.Clusters = nil, nil, nil
	m.ClusterWeights, m.ClusterSpread, m.ClusterDoubt = nil, 0, 0
	if r.Scaling == ScaleUnit {
		m.Sum = softkmeans.SumToOne
		m.Memberships, r.Brightness, err = lengthen(m.Centers, data.x, weights)
		if err == nil && ended == nil { // with fewer roundings
			m.Memberships, r.Brightness, err = Mix(m.Centers, data.x, nil)
		}
		if err != nil {
			return nil, err
		}
		m.Certificate, err = certifyShaded(ctx, data.x, m, r.Brightness, simple)
	} else {
		m.Sum = data.Sum
		if m.Memberships, err = m.Predict(nil, data.x); err == nil {
			m.Certificate, err = softkmeans.Certify(ctx, data.x, m.Centers, m.Memberships, simple)
		}
	}
	if err != nil {
		return nil, err
	}
	m.MinMembership, m.MaxSumError, m.Repair, m.SpanError = 0, 0, 0, 0
	if ended != nil {
		m.Status = softkmeans.StatusCancelled
	}
	return r, ended
}

// certifyShaded compares X ≈ diag(brightness)·G·F with its minimum. F times the largest brightness, and
// diag(brightness)·G divided by it, are a pair under SumAtMostOne, whose floor is the floor of the cone.
func certifyShaded(ctx context.Context, x *softkmeans.Matrix, m *softkmeans.Model, brightness []float64,
	o *softkmeans.Options) (softkmeans.Certificate, error) {
	o.Sum = softkmeans.SumAtMostOne
	f, g, most := m.Centers.Clone(), m.Memberships.Clone(), la.Largest(brightness)
	la.Scale(most, f.Data)
	for i, v := range brightness {
		for j := range g.Row(i) {
			if g.Row(i)[j] *= v; most > 0 {
				g.Row(i)[j] /= most
			}
		}
	}
	return softkmeans.Certify(ctx, x, f, g, o)
}

// lengthen multiplies the spectra f, found from rows of length 1, so that brightness is about 1. A row of x
// is its brightness times a mixture of spectra. Each spectrum is multiplied by a weighted mean of the
// brightness. The weight of a row is its weight in the fit times the square of its membership, so that pure
// rows count most. It returns the memberships and the brightness of the rows in the longer spectra.
func lengthen(f, x *softkmeans.Matrix, weights []float64) (
	g *softkmeans.Matrix, brightness []float64, err error,
) {
	if g, brightness, err = Mix(f, x, nil); err != nil {
		return nil, nil, err
	}
	lengths, masses := make([]float64, f.Rows), make([]float64, f.Rows)
	var all, mass float64
	for i, v := range brightness {
		all += weights[i] * v
		mass += weights[i]
		for j, share := range g.Row(i) {
			lengths[j] += weights[i] * share * share * v
			masses[j] += weights[i] * share * share
		}
	}
	if all == 0 {
		return g, brightness, nil // no row contains a part in the cone of the spectra
	}
	for j := range lengths {
		if lengths[j] /= masses[j]; !(lengths[j] > 0) {
			lengths[j] = all / mass
		}
		la.Scale(lengths[j], f.Row(j))
	}
	least := slices.Min(lengths)
	for i, v := range brightness {
		shares := g.Row(i)
		for j, length := range lengths {
			shares[j] *= least / length
		}
		sum := la.Sum(shares)
		settle(shares, sum)
		brightness[i] = min(min(v/least, math.MaxFloat64)*sum, math.MaxFloat64)
	}
	return g, brightness, nil
}
