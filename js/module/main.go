//go:build wasip1 || wasm_unknown

// Command module is the package as the WebAssembly module behind the npm package. The host
// writes arrays of float64, calls one function, and reads arrays of float64. softkmeans.js
// is that host, and has the same tables of arrays and of options.
package main

import (
	"context"
	"errors"

	"softkmeans"
	"softkmeans/enclosure"
	"softkmeans/kernel"
)

func main() {}

// most is the largest number of entries of a matrix. To run out of memory is a trap in
// WebAssembly, not an error, so larger sizes are refused before.
const most = 1 << 25

// The arrays that the host writes.
const (
	inRows    = iota // the table x, or similarities
	inOptions        // see the constants of options
	inWeights        // empty: all 1
	inCenters
	inMemberships
	inMeans // of clusters
	inAxes
	inShares // weights of clusters
	inCount
)

// The options, numbers of inOptions.
const (
	optRows = iota
	optCols
	optK
	optSum
	optEnclosure
	optSlack
	optSeed
	optMaxIter
	optInit
	optNonNegative
	optVolume
	optRestarts
	optTol
	optLambda
	optStarts
	optKernel
	optGamma
	optAxes // rows of inAxes; 0: no axes
	optSpread
	optDoubt
	optLargest // 1: labels are the largest memberships
	optCount
)

// The arrays that the host reads. Labels are whole numbers.
const (
	outNumbers = iota
	outCenters
	outMemberships
	outLabels
	outMeans
	outAxes
	outWarnings // four numbers each: kind, cluster, other, value
	outShares
	outProbabilities
	outCount
)

// The module holds the arrays of one call.
var (
	in  [inCount][]float64
	out [outCount][]float64
	bad failure
)

// failure is an error: its words, and where in the arguments it is.
type failure struct {
	text, arg []byte
	row, col  int32
}

// input returns the address of n float64 for an array of the next call; 0 where that is too
// many.
//
//go:wasmexport input
func input(which, n int32) uint32 {
	if which < 0 || which >= inCount || n < 0 || n > most {
		return 0
	}
	in[which] = make([]float64, n)
	return address(in[which])
}

//go:wasmexport output
func output(which int32) uint32 { return address(out[which]) }

//go:wasmexport output_length
func outputLength(which int32) int32 { return int32(len(out[which])) }

//go:wasmexport error_text
func errorText() uint32 { return address(bad.text) }

//go:wasmexport error_length
func errorLength() int32 { return int32(len(bad.text)) }

//go:wasmexport error_arg
func errorArg() uint32 { return address(bad.arg) }

//go:wasmexport error_arg_length
func errorArgLength() int32 { return int32(len(bad.arg)) }

//go:wasmexport error_row
func errorRow() int32 { return bad.row }

//go:wasmexport error_col
func errorCol() int32 { return bad.col }

// call runs an operation on the arrays. It returns 0, or the number of the sentinel of the
// error, or 1 for what is too large.
//
//go:wasmexport call
func call(operation int32) int32 {
	if len(in[inOptions]) != optCount || operation < 0 || int(operation) >= len(operations) {
		return failed(errors.New("the host and the module are of different versions"))
	}
	if int64(whole(optRows))*int64(whole(optK)) > most || int64(whole(optCols))*int64(whole(optK)) > most {
		return failed(errors.New("this is too large for the module"))
	}
	if err := operations[operation](); err != nil {
		return failed(err)
	}
	return 0
}

// operations are in the order of the host's.
var operations = [...]func() error{fit, fitMinVolume, predict, floors, certify, lsd}

// sentinels are in the order of the host's codes, from 2.
var sentinels = [...]error{softkmeans.ErrShape, softkmeans.ErrNonFinite, softkmeans.ErrRange, softkmeans.ErrTooFewSamples, softkmeans.ErrOption}

func failed(err error) int32 {
	out, bad = [outCount][]float64{}, failure{text: []byte(err.Error()), row: -1, col: -1}
	var entry *softkmeans.InputError
	if errors.As(err, &entry) {
		bad.arg, bad.row, bad.col = []byte(entry.Arg), int32(entry.Row), int32(entry.Col)
	}
	for i, sentinel := range sentinels {
		if errors.Is(err, sentinel) {
			return int32(2 + i)
		}
	}
	return 1
}

func number(option int) float64 { return in[inOptions][option] }

func whole(option int) int { return int(number(option)) }

// table is a matrix over an array; nil for an empty array of no columns.
func table(which, rows, cols int) *softkmeans.Matrix {
	return &softkmeans.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: in[which]}
}

func rows() *softkmeans.Matrix { return table(inRows, whole(optRows), whole(optCols)) }

func weights() []float64 {
	if len(in[inWeights]) == 0 {
		return nil
	}
	return in[inWeights]
}

// small reports whether the smaller Gram matrix fits into the module.
func small() error {
	if side := int64(min(whole(optRows), whole(optCols))); side*side > most {
		return errors.New("this is too large for the module")
	}
	return nil
}

func fit() error {
	if err := small(); err != nil {
		return err
	}
	fit := softkmeans.Fit
	if softkmeans.Sum(whole(optSum)) == softkmeans.SumAtMostOne {
		fit = enclosure.Cone
	}
	m, err := fit(context.Background(), rows(), whole(optK), &softkmeans.Options{
		Weights: weights(), Enclosure: softkmeans.Enclosure(whole(optEnclosure)),
	})
	return model(m, err)
}

func fitMinVolume() error {
	if err := small(); err != nil {
		return err
	}
	m, err := softkmeans.FitMinVolume(context.Background(), rows(), whole(optK), &softkmeans.MinVolumeOptions{
		Weights: weights(), Sum: softkmeans.Sum(whole(optSum)), Slack: number(optSlack), Lambda: number(optLambda),
		Seed: uint64(number(optSeed)), MaxIter: whole(optMaxIter), Restarts: whole(optRestarts), Tol: number(optTol),
		Init: softkmeans.Init(whole(optInit)), NonNegative: number(optNonNegative) != 0, Volume: softkmeans.Volume(whole(optVolume)),
	})
	if err = model(m, err); err == nil {
		err = probabilities(m)
	}
	return err
}

// probabilities writes how likely each cluster of the model is for the rows, if the model has cluster weights.
func probabilities(m *softkmeans.Model) error {
	if m.ClusterWeights == nil {
		return nil
	}
	p, err := m.ClusterProbabilities(nil, rows())
	if err == nil {
		out[outProbabilities] = p.Data
	}
	return err
}

// model writes the arrays of a model.
func model(m *softkmeans.Model, err error) error {
	if err != nil {
		return err
	}
	out[outNumbers] = []float64{m.Objective, m.Floor, m.FloorError, m.Total, m.Gap, float64(m.Status), float64(m.Iterations), m.Lambda, m.Certificate.ExcessShare(), m.Slack, m.ClusterSpread, m.ClusterDoubt}
	out[outCenters], out[outMemberships] = m.Centers.Data, m.Memberships.Data
	out[outLabels] = numbers(m.Labels(nil))
	for _, w := range m.Warnings {
		out[outWarnings] = append(out[outWarnings], float64(w.Kind), float64(w.Cluster), float64(w.Other),
			w.Value)
	}
	if m.ClusterMeans != nil {
		out[outMeans] = m.ClusterMeans.Data
	}
	if m.ClusterAxes != nil {
		out[outAxes] = m.ClusterAxes.Data
	}
	out[outShares] = m.ClusterWeights
	return nil
}

func numbers(labels []int) []float64 {
	v := make([]float64, len(labels))
	for i, label := range labels {
		v[i] = float64(label)
	}
	return v
}

func predict() error {
	k, d := whole(optK), whole(optCols)
	m := &softkmeans.Model{Centers: table(inCenters, k, d), Sum: softkmeans.Sum(whole(optSum))}
	if len(in[inMeans]) > 0 {
		m.ClusterMeans = table(inMeans, k, d)
	}
	if number(optAxes) > 0 {
		m.ClusterAxes = table(inAxes, whole(optAxes), d)
	}
	if len(in[inShares]) > 0 {
		m.ClusterWeights, m.ClusterSpread, m.ClusterDoubt = in[inShares], number(optSpread), number(optDoubt)
	}
	g, err := m.Predict(nil, rows())
	if err != nil {
		return err
	}
	labels := (&softkmeans.Model{Memberships: g}).Labels(nil)
	if number(optLargest) == 0 {
		if labels, err = m.PredictLabels(nil, rows()); err != nil {
			return err
		}
	}
	out[outMemberships], out[outLabels] = g.Data, numbers(labels)
	return probabilities(m)
}

func floors() error {
	if err := small(); err != nil {
		return err
	}
	list, err := softkmeans.Floors(context.Background(), rows(), &softkmeans.Options{Weights: weights(), Sum: softkmeans.Sum(whole(optSum))})
	if err != nil {
		return err
	}
	out[outNumbers] = list
	return nil
}

func certify() error {
	if err := small(); err != nil {
		return err
	}
	k := whole(optK)
	c, err := softkmeans.Certify(context.Background(), rows(), table(inCenters, k, whole(optCols)), table(inMemberships, whole(optRows), k),
		&softkmeans.Options{Weights: weights(), Sum: softkmeans.Sum(whole(optSum))})
	if err != nil {
		return err
	}
	out[outNumbers] = []float64{c.Objective, c.Floor, c.FloorError, c.Total, c.Gap, c.ExcessShare(), c.MinMembership, c.MaxSumError, c.Repair, c.SpanError}
	return nil
}

// lsd fits similarities: the table itself, or those of its rows.
func lsd() error {
	n := int64(whole(optRows))
	if n*n > most {
		return errors.New("this is too large for the module")
	}
	x, err := rows(), error(nil)
	switch whole(optKernel) {
	case 0:
	case 1:
		x, err = kernel.RBF(x, number(optGamma))
	default:
		x, err = kernel.Linear(x)
	}
	if err != nil {
		return err
	}
	m, err := softkmeans.LSD(context.Background(), x, whole(optK), &softkmeans.LSDOptions{Seed: uint64(number(optSeed)), Starts: whole(optStarts), MaxIter: whole(optMaxIter)})
	if err != nil {
		return err
	}
	out[outNumbers] = []float64{m.Objective, m.Floor, m.FloorError, m.Total, m.Gap, float64(m.Status), float64(m.Iterations)}
	out[outMemberships], out[outLabels] = m.Memberships.Data, numbers(m.Labels(nil))
	return nil
}
