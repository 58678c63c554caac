package main

// This file holds the methods of fit for a table in memory, and their result.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// method is a value of -method.
type method int

const (
	methodMinVolume method = iota // the default
	methodGlobal
	methodAlternating
	methodTILSD
	methodLSD
)

var methods = []choice[method]{
	{"minvol", methodMinVolume}, {"global", methodGlobal}, {"alternating", methodAlternating},
	{"tilsd", methodTILSD}, {"lsd", methodLSD}}

func (m method) String() string { return methods[m].word }

// ofSimilarities reports whether the method takes similarities instead of rows.
func (m method) ofSimilarities() bool { return m == methodTILSD || m == methodLSD }

// listed returns "a", "a and b" or "a, b and c".
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

// compares reports whether the table compares its rows with each other.
func (k kernelKind) compares() bool { return k == kernelMatrix || k == kernelDistances }

// kernelKind is a value of -kernel.
type kernelKind int

const (
	kernelRBF kernelKind = iota
	kernelLinear
	kernelMatrix
	kernelDistances
)

func (k kernelKind) String() string { return [...]string{"rbf", "linear", "matrix", "distances"}[k] }

// result is the result of a fit.
type result struct {
	table.Head
	rows     int
	k        int
	method   method
	sizes    []int                 // rows by label
	scale    *scale.Scaling        // nil: none
	proposal *softkmeans.KProposal // by the floors alone; nil: not
	choice   *softkmeans.KChoice   // by the data; nil: not
	slack    float64               // 0: the default
	seed     uint64
	meaning  meaning

	// Methods of rows.
	model      *softkmeans.Model
	centers    *softkmeans.Matrix  // in the table's units
	others     []softkmeans.Answer // as centers
	cert       softkmeans.Certificate
	columns    *scale.Columns // in the table's units
	residual   float64        // the largest of a row, if measured
	streamed   bool           // the certificate comes from the passes; SpanError is unknown
	summarised bool           // the centers were fitted to a sample of the rows
	sure       *sureness      // nil: not asked for

	// Methods of similarities.
	lsd     *softkmeans.LSDModel
	kernel  kernelKind
	gamma   float64            // of kernelRBF
	samples *softkmeans.Matrix // the scaled rows; nil for kernelMatrix
}

// choose sets k to what the rows speak for, or returns an error if there is no answer.
// Tables of fewer rows than ChooseK takes have a proposal by their floors.
func (r *result) choose(ctx context.Context, x *softkmeans.Matrix, o *softkmeans.ChooseKOptions) error {
	c, err := softkmeans.ChooseK(ctx, x, o)
	if errors.Is(err, softkmeans.ErrTooFewSamples) {
		floors, err := softkmeans.Floors(ctx, x, &softkmeans.Options{Weights: o.Weights, Workers: o.Workers})
		if err != nil {
			return err
		}
		return r.propose(floors)
	}
	if err != nil {
		return err
	}
	if c.K == 0 {
		return fmt.Errorf("%s: no number of centers is proposed: %s; give -k N\n%s", r.Source, c.Reason, opinions(&c))
	}
	r.k, r.choice = c.K, &c
	return nil
}

// propose sets k to the proposal, or returns an error if there is none.
func (r *result) propose(floors []float64) error {
	p, err := softkmeans.ProposeK(floors)
	if err != nil {
		return err
	}
	if p.K == 0 {
		return fmt.Errorf("%s: no number of centers is proposed: %s; give -k N", r.Source, p.Reason)
	}
	r.k, r.proposal = p.K, &p
	return nil
}

// checkCenters returns an error for more centers than rows. Such a k is useless, and
// a mistyped one could exceed the memory.
func checkCenters(source string, rows, k int) error {
	if k > rows {
		return fmt.Errorf("%s: %s, but -k %d; give a k of at most the number of rows", source, count(rows, "row"), k)
	}
	return nil
}

// count counts the labels of the next rows.
func (r *result) count(labels []int) {
	if r.sizes == nil {
		r.sizes = make([]int, r.k)
	}
	for _, label := range labels {
		r.sizes[label]++
	}
}

// labels returns the labels of the fitted rows.
func (r *result) labels() []int {
	if r.lsd != nil {
		return r.lsd.Labels(nil)
	}
	return r.model.Labels(nil)
}

// setModel sets the model and the centers in the table's units. In memory the model's
// centers then become those that files have, rounded to these units and scaled again, so
// that the certificate is about them.
func (r *result) setModel(m *softkmeans.Model) {
	r.model, r.centers = m, m.Centers
	if r.scale != nil {
		r.centers = m.Centers.Clone()
		r.scale.Undo(r.centers.Data)
	}
	if r.flatten(r.centers); r.scale != nil {
		if !r.streamed {
			copy(m.Centers.Data, r.centers.Data)
			r.scale.Apply(m.Centers.Data)
		}
	}
	r.others = m.Others
	if r.scale != nil {
		r.others = nil
		for _, other := range m.Others {
			other.Centers = other.Centers.Clone()
			r.scale.Undo(other.Centers.Data)
			r.flatten(other.Centers)
			r.others = append(r.others, other)
		}
	}
}

// fitRows runs a method of rows and certifies the result.
func (f *fitFlags) fitRows(ctx context.Context, d *data, r *result, p *progress) (g *softkmeans.Matrix, err error) {
	weights := d.Weights
	start, err := f.startCenters(d)
	if err != nil {
		return nil, err
	}
	r.columns = scale.ColumnsOf(d.x.Data, d.x.Cols, weights, d.scale)
	var m *softkmeans.Model
	o := &softkmeans.MinVolumeOptions{Slack: f.slack, Lambda: f.lambda, Seed: f.seed, Sum: f.options.Sum, Plain: f.plain,
		Centers: start, Weights: weights, Workers: f.workers, Progress: p.update}
	switch f.method {
	case methodMinVolume:
		if d.missing > 0 {
			return f.fitMissing(ctx, d, r, o)
		}
		if m, err = softkmeans.FitMinVolume(ctx, d.x, r.k, o); err == nil && f.others {
			err = softkmeans.OtherAnswers(ctx, d.x, m, o)
		}
	case methodAlternating:
		m, err = softkmeans.FitAlternating(ctx, d.x, r.k, &softkmeans.AlternatingOptions{
			Seed: f.seed, Sum: f.options.Sum, Plain: f.plain, Centers: start, Weights: weights, Workers: f.workers, Progress: p.update})
	default:
		o := f.options
		o.Weights = weights
		m, err = softkmeans.Fit(ctx, d.x, r.k, &o)
	}
	if err != nil {
		return nil, err
	}
	r.setModel(m)
	r.cert, err = softkmeans.Certify(ctx, d.x, m.Centers, m.Memberships,
		&softkmeans.Options{Sum: m.Sum, Weights: weights, Workers: f.workers})
	if err == nil {
		err = f.draw(ctx, d, r, o, p)
	}
	return m.Memberships, err
}

// fitMissing fits rows with missing values. These then become those of the mixtures.
func (f *fitFlags) fitMissing(ctx context.Context, d *data, r *result, o *softkmeans.MinVolumeOptions) (*softkmeans.Matrix, error) {
	m, err := softkmeans.FitMissing(ctx, d.x, r.k, o)
	if err != nil {
		return nil, err
	}
	r.setModel(m)
	fillMixtures(d.x, m.Memberships, m.Centers, false)
	r.cert = m.Certificate()
	return m.Memberships, nil
}

// storedRows is the largest number of rows whose similarities are stored, in 8n²
// bytes: 800 MB. For more rows they are computed whenever they are used.
const storedRows = 10000

// fitSimilarities runs tilsd or lsd.
func (f *fitFlags) fitSimilarities(ctx context.Context, d *data, r *result, p *progress) (g *softkmeans.Matrix, err error) {
	s, err := f.openSimilar(d, r)
	if err != nil {
		return nil, err
	}
	if r.k == 0 {
		if r.choice, err = s.propose(ctx, r.Source); err != nil {
			return nil, err
		}
		r.k = r.choice.K
	}
	o := &softkmeans.LSDOptions{Seed: f.seed, Workers: f.workers, Enclosure: f.options.Enclosure, Progress: p.update}
	if r.lsd, err = s.decompose(ctx, f.method, r.k, o); err != nil {
		return nil, err
	}
	return r.lsd.Memberships, nil
}

// similarities returns the similarities of the rows, as a matrix if that is given or
// small enough to store. It sets γ and the samples of the result.
func (f *fitFlags) similarities(d *data, r *result) (softkmeans.Similarity, *softkmeans.Matrix, error) {
	if !f.kernel.compares() {
		r.columns = scale.ColumnsOf(d.x.Data, d.x.Cols, nil, d.scale)
	}
	switch f.kernel {
	case kernelMatrix:
		if d.x.Rows != d.x.Cols {
			return nil, nil, d.notSquare("similarities")
		}
		if d.distances() {
			return nil, nil, fmt.Errorf("%s: 0 on the diagonal and nothing below 0: these are distances, not similarities; give -kernel distances", d.Source)
		}
		return nil, d.x, nil
	case kernelDistances:
		matrix, err := f.ofDistances(d, r)
		return nil, matrix, err
	case kernelLinear:
		r.samples = d.x
		kernel, err := softkmeans.LinearKernel(d.x) // also checks the entries
		if err == nil && f.method == methodTILSD {
			x, _ := centred(d.x)
			kernel, err = softkmeans.LinearKernel(x)
		}
		return kernel, nil, err
	}
	r.samples = d.x
	kernel, err := softkmeans.RBFKernel(d.x, f.gamma)
	if err != nil {
		return nil, nil, err
	}
	r.gamma = kernel.Gamma()
	if d.Rows > storedRows {
		return kernel, nil, nil
	}
	matrix, err := softkmeans.SimilarityMatrix(kernel)
	return kernel, matrix, err
}

// centred returns a copy of x with the mean of the rows subtracted, and that shift.
// TI-LSD is invariant to the origin, but products of rows far from it lose digits.
func centred(x *softkmeans.Matrix) (*softkmeans.Matrix, *scale.Scaling) {
	shift := scale.Of(scale.ZScore, x.Data, x.Cols, nil)
	for j := range shift.Divisor {
		shift.Divisor[j] = 1
	}
	x = x.Clone()
	shift.Apply(x.Data)
	return x, shift
}
