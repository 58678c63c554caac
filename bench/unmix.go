package main

// Ways to unmix scenes: this package's, and published ones in NumPy (unmix.py).

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"gonum.org/v1/gonum/stat"

	"softkmeans"
	"softkmeans/unmix"
)

// unmixWay is one way to unmix. With NumPy it needs py.
type unmixWay struct {
	name  string
	numpy bool
	solve func(ctx context.Context, s *scene, py *python) (*unmixing, error)
}

// unmixWays are the ways in the order of the table.
var unmixWays = []unmixWay{
	{"FitMinVolume", false, ownUnmixing(minVolume, nil)},
	{"FitMinVolume, InitSPA, slack for noise", false, ownUnmixing(minVolume, noiseOptions)},
	{"Unmix", false, ownUnmixing(unmix.Fit, nil)},
	{"Unmix, rows as given", false, ownUnmixing(unmix.Fit, with(func(o *unmix.Options) { o.Scaling = unmix.ScaleGiven }))},
	{"Unmix, unit rows", false, ownUnmixing(unmix.Fit, with(func(o *unmix.Options) { o.Scaling = unmix.ScaleUnit }))},
	{"Unmix, slack 0.25", false, ownUnmixing(unmix.Fit, with(func(o *unmix.Options) { o.Slack = 0.25 }))},
	{"Unmix, InitKMeans", false, ownUnmixing(unmix.Fit, with(func(o *unmix.Options) { o.Init = softkmeans.InitKMeans }))},
	{"Unmix, 1 % trimmed", false, ownUnmixing(unmix.Fit, with(func(o *unmix.Options) { o.Trim = 0.01 }))},
	{"VCA", true, numpyUnmixing("vca", unmixOptions{})},
	{"SPA", true, numpyUnmixing("spa", unmixOptions{})},
	{"SPA, unit rows", true, numpyUnmixing("spa", unmixOptions{Unit: true})},
	{"SNPA", true, numpyUnmixing("snpa", unmixOptions{})},
	{"SNPA, unit rows", true, numpyUnmixing("snpa", unmixOptions{Unit: true})},
	{"min-vol, λ fixed", true, numpyUnmixing("min_volume", unmixOptions{Penalty: fixedPenalty})},
	{"min-vol, λ fixed, unit rows", true, numpyUnmixing("min_volume", unmixOptions{Penalty: fixedPenalty, Unit: true})},
	{"min-vol, best λ (oracle)", true, oracleUnmixing(false)},
	{"min-vol, best λ (oracle), unit rows", true, oracleUnmixing(true)},
}

// fixedPenalty is λ as a share of the global floor, for data that nobody has tuned it on.
const fixedPenalty = 0.003

// penalties are those that the oracle tries.
func penalties() (list []float64) {
	for e := -8; e <= 3; e++ {
		list = append(list, math.Pow(10, float64(e)/2))
	}
	return list
}

// unmixOptions are those of the functions of unmix.py.
type unmixOptions struct {
	Unit    bool    `json:"unit"`
	Penalty float64 `json:"penalty,omitempty"`
	Open    bool    `json:"-"` // spectra add up to 1, abundances need not
	Close   bool    `json:"-"` // the way gets rows divided by their sums
}

// noiseOptions returns what suits white noise. That has about (k−1)/(d−k+1) of the floor's
// energy in the plane of k materials; a tenth of it is the slack.
func noiseOptions(d, k int) *unmix.Options {
	return &unmix.Options{MinVolumeOptions: softkmeans.MinVolumeOptions{Init: softkmeans.InitSPA,
		Slack: 0.1 * float64(max(k-1, 1)) / float64(max(d-k+1, 1))}}
}

// with returns options that set changes.
func with(set func(o *unmix.Options)) func(d, k int) *unmix.Options {
	return func(int, int) *unmix.Options {
		o := new(unmix.Options)
		set(o)
		return o
	}
}

// minVolume is FitMinVolume with the signature of unmix.Fit.
func minVolume(ctx context.Context, x *softkmeans.Matrix, k int, o *unmix.Options) (*unmix.Result, error) {
	m, err := softkmeans.FitMinVolume(ctx, x, k, &o.MinVolumeOptions)
	return &unmix.Result{Model: m}, err
}

// minVolumeFit is the signature that this package's ways share.
type minVolumeFit func(context.Context, *softkmeans.Matrix, int, *unmix.Options) (*unmix.Result, error)

// ownUnmixing is a way of this package, on one thread. options may be nil.
func ownUnmixing(fit minVolumeFit, options func(d, k int) *unmix.Options) func(context.Context, *scene, *python) (*unmixing, error) {
	return func(ctx context.Context, s *scene, _ *python) (*unmixing, error) {
		o := new(unmix.Options)
		if options != nil {
			o = options(s.x.RawMatrix().Cols, s.k())
		}
		o.Workers = 1
		runtime.GC()
		start := cpuTime()
		m, err := fit(ctx, wrap(s.x), s.k(), o)
		if err != nil {
			return nil, err
		}
		cpu := cpuTime() - start
		for i, shade := range m.Brightness {
			for j := range s.k() {
				m.Memberships.Set(i, j, shade*m.Memberships.At(i, j))
			}
		}
		return &unmixing{f: unwrap(m.Centers), g: unwrap(m.Memberships), cpu: cpu}, nil
	}
}

// numpyUnmixing is a way of unmix.py.
func numpyUnmixing(way string, o unmixOptions) func(context.Context, *scene, *python) (*unmixing, error) {
	return func(_ context.Context, _ *scene, py *python) (*unmixing, error) { return py.unmix(way, o) }
}

// oracleUnmixing is the minimum volume with the λ whose spectra are nearest to the truth,
// which no user can choose. Its time is that of all of them.
func oracleUnmixing(unit bool) func(context.Context, *scene, *python) (*unmixing, error) {
	return func(ctx context.Context, s *scene, py *python) (*unmixing, error) {
		return bestPenalty(ctx, s, py, unmixOptions{Unit: unit})
	}
}

// bestPenalty is the minimum volume with the λ that is best by MRSA, or by abundances if the spectra are unknown.
func bestPenalty(ctx context.Context, s *scene, py *python, o unmixOptions) (best *unmixing, err error) {
	least, cpu := math.Inf(1), 0.0
	for _, o.Penalty = range penalties() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		u, err := py.unmix("min_volume", o)
		if err != nil {
			return nil, err
		}
		cpu += u.cpu
		e := s.errorOf(u)
		off := e.mrsa
		if s.spectra == nil {
			off = e.abundances
		}
		if best == nil || off < least {
			best, least = u, off
			best.how = fmt.Sprintf("%.2g floors", o.Penalty)
		}
	}
	best.cpu = cpu
	return best, nil
}

// wayScore has the errors of a way on a generated scene of a kind, and the CPU seconds that it took.
type wayScore struct {
	way, kind string
	unmixingError
	cpu float64
}

// unmixScenes runs all ways on the scenes of the folders and on generated ones. It returns a table of the
// former, a line for each scene and way, and one of the latter, a line for each way. py may be nil.
func unmixScenes(
	ctx context.Context, py *python, o *options, say func(format string, args ...any),
) (each, kinds [][]string, err error) {
	var list []*scene
	if o.seeds != nil {
		list = randomScenes(o.seeds[0], o.seeds[1])
	}
	for _, dir := range o.folders {
		more, err := readScenes(dir)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, more...)
	}
	if list, err = selected(o, list, func(s *scene) string { return s.name }); err != nil {
		return nil, nil, err
	}
	each = [][]string{{"scene", "way", "MRSA", "angle, °", "abundance RMSE", "residual, %", "CPU s", "λ"}}
	var scores []wayScore
	for _, s := range list {
		if py != nil {
			if err := py.load(s.x, s.k()); err != nil {
				return nil, nil, err
			}
		}
		for _, way := range unmixWays {
			if way.numpy && py == nil || o.without != "" && strings.Contains(way.name, o.without) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			u, err := way.solve(ctx, s, py)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %s: %w", s.name, way.name, err)
			}
			e := s.errorOf(u)
			say("%s: %s: MRSA %s, abundance RMSE %.3f, %s CPU s",
				s.name, way.name, digits(e.mrsa), e.abundances, digits(u.cpu))
			if s.kind != "" {
				scores = append(scores, wayScore{way.name, s.kind, e, u.cpu})
				continue
			}
			each = append(each, []string{
				s.name, way.name, digits(e.mrsa), digits(e.angle), fmt.Sprintf("%.3f", e.abundances),
				digits(100 * e.residual), digits(u.cpu), u.how,
			})
		}
	}
	return each, kindTable(scores), nil
}

// kindTable returns a head, and a line for each way that has scores: its means over the
// scenes of each kind, with their deviations.
func kindTable(scores []wayScore) [][]string {
	head := []string{"way"}
	for _, figure := range []string{"MRSA", "abundance RMSE"} {
		for _, kind := range purities {
			head = append(head, fmt.Sprintf("%s, %v", figure, kind))
		}
	}
	rows := [][]string{append(head, "CPU s")}
	for _, way := range unmixWays {
		spread := func(format, kind string, figure func(s *wayScore) float64) string {
			var list []float64
			for i := range scores {
				if s := &scores[i]; s.way == way.name && (kind == "" || s.kind == kind) {
					list = append(list, figure(s))
				}
			}
			if list == nil {
				return "–"
			}
			mean, deviation := stat.PopMeanStdDev(list, nil)
			return fmt.Sprintf(format, mean, deviation)
		}
		row := []string{way.name}
		for _, kind := range purities {
			mrsa := func(s *wayScore) float64 { return s.mrsa }
			row = append(row, spread("%.1f ± %.1f", kind.String(), mrsa))
		}
		for _, kind := range purities {
			rmse := func(s *wayScore) float64 { return s.abundances }
			row = append(row, spread("%.3f ± %.3f", kind.String(), rmse))
		}
		if cpu := spread("%.2f ± %.2f", "", func(s *wayScore) float64 { return s.cpu }); cpu != "–" {
			rows = append(rows, append(row, cpu))
		}
	}
	return rows
}
