package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"softkmeans"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
	"softkmeans/internal/view"
	"softkmeans/kernel"
)

type kernelKind int

const (
	kernelRBF kernelKind = iota // the default
	kernelLinear
	kernelMatrix
	kernelDistances
	kernelGraph
)

// kernels is the table of the kernels. A new kernel is a constant and a row here, and a
// sentence in the help of -kernel.
var kernels = [...]struct {
	word     string // of -kernel, of reports and of model files
	says     string // what the similarities are; γ follows if the kernel has one
	compares bool   // the table compares its rows with each other
	hasGamma bool
	// open returns the similarities of the rows, and sets γ of the result.
	open func(*fitFlags, *data, *result) (*softkmeans.Matrix, error)
	// between returns a function that compares new rows with those of the fit.
	between func(*modelFile) (comparer, error)
}{
	kernelRBF: {
		word: "rbf",
		says: "exp(−γ·squared distance) of every two rows", hasGamma: true,
		open: openRBF, between: betweenRBF,
	},
	kernelLinear: {
		word: "linear",
		says: "the inner product of every two rows",
		open: openLinear, between: betweenLinear,
	},
	kernelMatrix: {
		word: "matrix",
		says: "the table", compares: true,
		open: openMatrix, between: func(*modelFile) (comparer, error) {
			return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) { return x, nil }, nil
		},
	},
	kernelDistances: {
		word: "distances",
		says: "exp(−γ·squared distance)", compares: true, hasGamma: true,
		open: openDistances, between: func(m *modelFile) (comparer, error) {
			return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
				return kernel.DistancesBetween(x, m.Gamma)
			}, nil
		},
	},
	kernelGraph: {
		word: "graph",
		says: "the weights of a graph over the roots of both rows' sums", compares: true,
		open: openGraph, between: func(*modelFile) (comparer, error) {
			return nil, errors.New("a model of -kernel graph takes no new rows, which change the sums")
		},
	},
}

func (k kernelKind) String() string { return kernels[k].word }

func (k kernelKind) compares() bool { return kernels[k].compares }

func kernelWords(k kernelKind, gamma float64) string {
	text := kernels[k].says
	if kernels[k].hasGamma {
		text += ", γ = " + small(gamma)
	}
	return text + "."
}

// withGamma lists the kernels that take a γ.
func withGamma() string {
	var words []string
	for _, row := range kernels {
		if row.hasGamma {
			words = append(words, row.word)
		}
	}
	return view.And(words)
}

func kernelFlags(fs *flag.FlagSet, kernel *kernelKind, gamma *float64) {
	var list []choice[kernelKind]
	for k, row := range kernels {
		list = append(list, choice[kernelKind]{row.word, kernelKind(k)})
	}
	choiceFlag(fs, kernel, "kernel", list)
	numberFlag(fs, gamma, "gamma", "must be a number, at least 0", func(v float64) bool { return v >= 0 })
}

func (f *fitFlags) fitSimilarities(ctx context.Context, d *data, r *result,
	p *progress) (g *softkmeans.Matrix, err error) {
	s, err := f.openSimilar(d, r)
	if err != nil {
		return nil, err
	}
	if r.similar = s; r.k == 0 {
		if err := r.take(s.choice(ctx)); err != nil {
			return nil, err
		}
	}
	if r.lsd, err = s.decompose(ctx, f.method, r.k, f.lsdOptions(p.iteration)); err != nil {
		return nil, err
	}
	if r.clustered() {
		r.clusters = r.lsd.Clustering.Clusters
	}
	return r.lsd.Memberships, s.prove(ctx, r)
}

func openRBF(f *fitFlags, d *data, r *result) (*softkmeans.Matrix, error) {
	if err := f.setGamma(d, r, kernel.Gamma); err != nil {
		return nil, err
	}
	return kernel.RBF(d.x, f.gamma)
}

// setGamma sets the γ of the result, that of a rule if none is given.
func (f *fitFlags) setGamma(d *data, r *result, rule func(*softkmeans.Matrix) (float64, error)) (err error) {
	if r.gamma = f.gamma; r.gamma == 0 {
		r.gamma, err = rule(d.x)
	}
	return err
}

func betweenRBF(m *modelFile) (comparer, error) {
	return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
		return kernel.RBFBetween(x, m.Samples, m.Gamma)
	}, nil
}

func openLinear(f *fitFlags, d *data, _ *result) (*softkmeans.Matrix, error) {
	if f.method != methodTILSD {
		return kernel.Linear(d.x)
	}
	if err := d.x.Check("x"); err != nil { // its entries have means
		return nil, err
	}
	x, _ := centred(d.x)
	k, err := kernel.Linear(x)
	var e *softkmeans.InputError
	if errors.As(err, &e) { // of an entry less its mean
		e.Value = d.x.At(e.Row, e.Col)
	}
	return k, err
}

func betweenLinear(m *modelFile) (comparer, error) {
	samples := m.Samples
	var shift *scale.Scaling // of TI-LSD, as in the fit
	if m.Method == methodTILSD.String() {
		samples, shift = centred(samples)
	}
	return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
		if shift != nil {
			x = x.Clone()
			shift.Apply(x.Data)
		}
		return kernel.LinearBetween(x, samples)
	}, nil
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

func openMatrix(_ *fitFlags, d *data, _ *result) (*softkmeans.Matrix, error) {
	if d.x.Rows != d.x.Cols {
		return nil, d.notSquare("similarities")
	}
	if kinds.Holds(d.x) == kinds.Distances {
		return nil, fmt.Errorf("%s: 0 on the diagonal, nothing below 0, and small entries between rows that are "+
			"alike: these are distances, not similarities; give -kernel distances, or -kernel graph if it is one",
			d.Source)
	}
	return d.x, nil
}

func openGraph(_ *fitFlags, d *data, _ *result) (*softkmeans.Matrix, error) {
	if d.x.Rows != d.x.Cols {
		return nil, d.notSquare("weights")
	}
	k, err := kernel.Graph(d.x)
	if err != nil {
		err = fmt.Errorf("%s: %w", d.Source, err)
	}
	return k, err
}

func openDistances(f *fitFlags, d *data, r *result) (k *softkmeans.Matrix, err error) {
	if d.x.Rows != d.x.Cols {
		return nil, d.notSquare("distances")
	}
	if err = f.setGamma(d, r, kernel.GammaOfDistances); err == nil {
		k, err = kernel.Distances(d.x, r.gamma)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", d.Source, err)
	}
	return k, err
}
