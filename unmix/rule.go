package unmix

// λ by the noise of the rows.

import (
	"cmp"
	"context"
	"math"

	"softkmeans"
	"softkmeans/internal/la"
)

// λ is noiseShare·(σ² + E). σ² is the energy of the first direction that the plane of the prototypes leaves
// out. E is the squared error above the floor, divided by k−1: noise in the plane. E counts at most mostNoise
// times the energy of the second direction left out: the first may be caused by a material that varies, and
// σ² then contains it already. λ is set anew after noiseSteps iterations, at most noiseRounds times, until it
// changes by at most the fraction noiseClose and the run has converged.
//
// docs/accuracy.md lists the simulated images on which the constants were chosen.
const (
	noiseShare  = 1.3
	mostNoise   = 3
	noiseSteps  = 50
	noiseRounds = 50
	noiseClose  = 0.002
	roughTol    = 30 // times Tol, while λ moves
)

// otherFactors are the factors of λ for the runs that measure how far spectra move. The first severalRuns of
// these runs are candidates for Model.Others.
var otherFactors = []float64{0.5, 2, 4}

const severalRuns = 2

// othersTol is the least Tol of the runs at other λ. A smaller Tol would not change how far spectra move.
const othersTol = 1e-5

// mostCenter is the largest entry of Centers that FitMinVolume takes.
const mostCenter = 0x1p520

// scene is the rows of a fit with λ by the noise. The fit begins in their leading directions, without bounds,
// and ends in all columns.
type scene struct {
	*view
	data    *table    // the rows as given, without those that are left out
	columns []float64 // the noise by which the view's columns are divided; nil: none
	z       *softkmeans.Matrix
	beyond  []float64                   // the squared distance of each row from the plane
	in      softkmeans.MinVolumeOptions // of the fit of z
}

func newScene(v *view, data *table, columns []float64) (*scene, error) {
	s := &scene{view: v, data: data, columns: columns}
	var err error
	if s.z, err = v.Coordinates(nil, v.x); err != nil {
		return nil, err
	}
	if s.Epsilon == 0 {
		s.Epsilon = max(v.floor, exactShare*v.Total) / v.Weight
	}
	inside := *s.z
	inside.Cols = v.directions
	s.beyond = v.beyond(&inside)
	s.in = v.MinVolumeOptions
	s.in.Lower, s.in.Upper, s.in.NonNegative = nil, nil, false
	// Tol is relative to the error in all columns, not only in the leading directions.
	s.in.Tol *= min(v.floor/max(v.floor-v.Floor, v.floor/roughTol), roughTol)
	if tell := v.Progress; tell != nil {
		s.in.Progress = func(it softkmeans.Iteration) {
			it.Objective, it.Loss, it.Floor = it.Objective+v.Floor, it.Loss+v.Floor, it.Floor+v.Floor
			tell(it)
		}
	}
	if v.Centers != nil { // centers may be far outside of the rows: limit them to the range of Centers
		s.in.Centers = la.Product(la.Centred(v.Centers, v.Mean), la.Transpose(v.Basis))
		for i, c := range s.in.Centers.Data {
			s.in.Centers.Data[i] = min(max(c, -mostCenter), mostCenter)
		}
	}
	return s, nil
}

// run is a fit of the scene.
type run struct {
	m *softkmeans.Model
	f *softkmeans.Matrix // k×d: the centers in the view's columns
}

// fit runs from centers in leading directions; nil: from the start that the options set. The result is nil
// if the context ends before the first pass.
func (s *scene) fit(
	ctx context.Context, from *softkmeans.Matrix, lambda float64, most int, tol float64,
) (*run, error) {
	o := s.in
	if o.Lambda, o.MaxIter, o.Tol = lambda, most, tol; from != nil {
		o.Centers = from
	}
	m, err := softkmeans.FitMinVolume(ctx, s.z, s.k, &o)
	if m == nil {
		return nil, err
	}
	r := &run{m, softkmeans.NewMatrix(s.k, s.x.Cols, nil)}
	for j := range s.k {
		copy(r.f.Row(j), s.Mean)
		for c, v := range m.Centers.Row(j) {
			la.Axpy(r.f.Row(j), v, s.Basis.Row(c))
		}
	}
	return r, err
}

// follow fits repeatedly, and sets λ by the noise of each run for the next. It returns the last run; nil if
// there is none.
func (s *scene) follow(ctx context.Context) (last *run, err error) {
	squares := s.discarded()
	lambda := noiseShare * squares[0]
	var from *softkmeans.Matrix
	for range noiseRounds {
		next, err := s.fit(ctx, from, lambda, noiseSteps, roughTol*s.Tol)
		if last = cmp.Or(next, last); err != nil {
			return last, err
		}
		from = last.m.Centers
		excess := max(0, last.m.Objective-last.m.Floor) / float64(max(1, s.k-1))
		to := noiseShare * (squares[0] + min(excess, mostNoise*squares[len(squares)-1]))
		rest := math.Abs(to-lambda) <= noiseClose*lambda && last.m.Status == softkmeans.StatusConverged
		if lambda = to; rest {
			break
		}
	}
	next, err := s.fit(ctx, from, lambda, s.MaxIter, s.in.Tol)
	return cmp.Or(next, last), err
}

// tryOthers returns the runs at other λ; nil if the context ends.
func (s *scene) tryOthers(ctx context.Context, best *run) (others []*run) {
	quiet := *s
	quiet.in.Progress = nil
	for i, factor := range otherFactors {
		from := best.m.Centers
		if i == 2 {
			from = others[1].m.Centers
		}
		other, err := quiet.fit(ctx, from, factor*best.m.Lambda, s.MaxIter, max(s.Tol, othersTol))
		if err != nil {
			return nil
		}
		others = append(others, other)
	}
	return others
}

// inFull continues a run in all columns, within the bounds of centers. If the context ends before the first
// pass, it returns best.
func (s *scene) inFull(ctx context.Context, best *run) (*run, error) {
	o := s.MinVolumeOptions
	o.Centers, o.Lambda = best.f, best.m.Lambda
	m, err := softkmeans.FitMinVolume(ctx, s.x, s.k, &o)
	if m == nil {
		return best, err
	}
	return &run{m, m.Centers}, err
}
