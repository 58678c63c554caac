package main

// The methods of fit, for a table in memory.

import (
	"context"
	"fmt"
	"strings"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// method is the way in which fit finds centers and memberships.
type method int

const (
	methodGlobal method = iota
	methodMinVolume
	methodAlternating
	methodTILSD
	methodLSD
)

var methods = []choice[method]{
	{"global", methodGlobal}, {"minvol", methodMinVolume}, {"alternating", methodAlternating},
	{"tilsd", methodTILSD}, {"lsd", methodLSD}}

func (m method) String() string { return methods[m].word }

// ofSimilarities reports whether the method takes a kernel.
func (m method) ofSimilarities() bool { return m == methodTILSD || m == methodLSD }

// listed is "a", "a and b", "a, b and c".
func listed[T fmt.Stringer](list []T) string {
	var b strings.Builder
	for i, v := range list {
		switch {
		case i == 0:
		case i == len(list)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(v.String())
	}
	return b.String()
}

// kernelKind is where similarities come from.
type kernelKind int

const (
	kernelRBF kernelKind = iota
	kernelLinear
	kernelMatrix
)

func (k kernelKind) String() string { return [...]string{"rbf", "linear", "matrix"}[k] }

// result is what the reports tell of.
type result struct {
	table.Head
	rows   int
	k      int
	method method
	sizes  []int // of the labels
	scale  *scale.Scaling
	// proposal is why k is what it is, if nobody said so.
	proposal *softkmeans.KProposal

	// Of all methods but those of similarities.
	model   *softkmeans.Model
	centers *softkmeans.Matrix // in the table's units
	cert    softkmeans.Certificate
	// streamed: the certificate is of the passes, and has no SpanError.
	streamed bool
	// summarised: the centers were found on some of the rows.
	summarised bool

	// Of those of similarities.
	lsd     *softkmeans.LSDModel
	kernel  kernelKind
	gamma   float64            // of kernelRBF
	samples *softkmeans.Matrix // the rows, as scaled; nil for kernelMatrix
}

// propose sets k.
func (r *result) propose(floors []float64) error {
	p, err := softkmeans.ProposeK(floors)
	if err != nil {
		return err
	}
	if p.K == 0 {
		return fmt.Errorf("%s: no number of centers stands out: %s; give -k", r.Source, p.Reason)
	}
	r.k, r.proposal = p.K, &p
	return nil
}

// checkClusters refuses more centers than rows: each row would be its own, and a
// number with a digit too many would take memory without end.
func checkClusters(source string, rows, k int) error {
	if k > rows {
		return fmt.Errorf("%s: %s, and -k %d: there can be no more centers than rows", source, count(rows, "row"), k)
	}
	return nil
}

// count takes the labels of the next rows.
func (r *result) count(labels []int) {
	if r.sizes == nil {
		r.sizes = make([]int, r.k)
	}
	for _, label := range labels {
		r.sizes[label]++
	}
}

// setModel takes the model, whose centers are scaled as the data was.
func (r *result) setModel(m *softkmeans.Model) {
	r.model, r.centers = m, m.Centers
	if r.scale != nil {
		r.centers = m.Centers.Clone()
		r.scale.Undo(r.centers.Data)
	}
}

func labelsOf(memberships *softkmeans.Matrix) []int {
	return (&softkmeans.Model{Memberships: memberships}).Labels(nil)
}

// fitRows runs a method that takes rows, and certifies what it finds.
func (f *fitFlags) fitRows(ctx context.Context, d *data, r *result, p *progress) (g *softkmeans.Matrix, err error) {
	weights := d.Weights
	var m *softkmeans.Model
	switch f.method {
	case methodMinVolume:
		m, err = softkmeans.FitMinVolume(ctx, d.x, r.k, &softkmeans.MinVolumeOptions{
			Slack: f.slack, Lambda: f.lambda, Seed: f.seed, Weights: weights, Workers: f.workers, Progress: p.iteration})
	case methodAlternating:
		m, err = softkmeans.FitAlternating(ctx, d.x, r.k, &softkmeans.AlternatingOptions{
			Seed: f.seed, Weights: weights, Workers: f.workers, Progress: p.iteration})
	default:
		o := f.options
		o.Weights = weights
		m, err = softkmeans.Fit(ctx, d.x, r.k, &o)
	}
	if err != nil {
		return nil, err
	}
	r.setModel(m)
	r.cert, err = softkmeans.Certify(context.Background(), d.x, m.Centers, m.Memberships, &softkmeans.Options{Weights: weights})
	return m.Memberships, err
}

// storedRows is up to how many rows similarities are computed once and kept, in
// 8n² bytes: 800 MB. Of more they are computed whenever they are wanted.
const storedRows = 10000

// fitSimilarities runs a method that takes similarities.
func (f *fitFlags) fitSimilarities(ctx context.Context, d *data, r *result, p *progress) (*softkmeans.Matrix, error) {
	var (
		similarity softkmeans.Similarity
		kernel     *softkmeans.SampleKernel
		whole      *softkmeans.Matrix
		err        error
	)
	switch r.kernel = f.kernel; f.kernel {
	case kernelMatrix:
		if whole = d.x; whole.Rows != whole.Cols {
			return nil, fmt.Errorf("%s: %s of %s; similarities are a square, one for every two rows of a data set", d.Source, count(whole.Rows, "row"), count(whole.Cols, "column"))
		}
	case kernelLinear:
		kernel, err = softkmeans.LinearKernel(d.x)
		similarity = kernel
	default:
		if kernel, err = softkmeans.RBFKernel(d.x, f.gamma); err != nil {
			return nil, err
		}
		r.gamma = kernel.Gamma()
		if similarity = kernel; d.Rows <= storedRows {
			whole, err = softkmeans.SimilarityMatrix(kernel)
		}
	}
	if err != nil {
		return nil, err
	}
	if kernel != nil {
		r.samples = d.x
	}
	o := &softkmeans.LSDOptions{Seed: f.seed, Workers: f.workers, Enclosure: f.options.Enclosure, Progress: p.iteration}
	switch {
	case f.method == methodTILSD && whole != nil:
		r.lsd, err = softkmeans.TILSD(ctx, whole, r.k, o)
	case f.method == methodTILSD:
		r.lsd, err = softkmeans.TILSDOf(ctx, similarity, r.k, o)
	case whole != nil:
		r.lsd, err = softkmeans.LSD(ctx, whole, r.k, o)
	default:
		r.lsd, err = softkmeans.LSDOf(ctx, similarity, r.k, o)
	}
	if err != nil {
		return nil, err
	}
	return r.lsd.Memberships, nil
}
