package main

import (
	"context"
	"errors"
	"flag"

	"softkmeans"
	"softkmeans/internal/kinds"
	"softkmeans/internal/la"
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

// kernelRow describes a kernel.
type kernelRow struct {
	word     string                                      // of -kernel, of reports and of model files
	says     string                                      // the name of the similarities; γ follows if the kernel has one
	compares bool                                        // the table compares its rows with each other
	holds    string                                      // what such a table contains
	gamma    func(x *softkmeans.Matrix) (float64, error) // the rule for γ; nil: the kernel has none
	// open returns the similarities of the rows.
	open func(x *softkmeans.Matrix, gamma float64) (*softkmeans.Matrix, error)
	// compare returns the similarities of new rows with the rows of the fit.
	compare func(m *modelFile, x *softkmeans.Matrix) (*softkmeans.Matrix, error)
}

// kernels is the table of the kernels. A new kernel is a constant and a row here, and a
// sentence in the help of -kernel.
var kernels = [...]kernelRow{
	kernelRBF: {
		word: "rbf",
		says: "exp(−γ·squared distance) of every two rows", gamma: kernel.Gamma, open: kernel.RBF,
		compare: func(m *modelFile, x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
			return kernel.RBFBetween(x, m.Samples, m.Gamma)
		},
	},
	kernelLinear: {
		word: "linear",
		says: "the inner product of every two rows",
		open: func(x *softkmeans.Matrix, _ float64) (*softkmeans.Matrix, error) { return kernel.Linear(x) },
		compare: func(m *modelFile, x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
			samples := m.Samples
			if m.Method == methodTILSD.String() {
				mean := meanOf(samples)
				samples, x = la.Centred(samples, mean), la.Centred(x, mean)
			}
			return kernel.LinearBetween(x, samples)
		},
	},
	kernelMatrix: {
		word: "matrix",
		says: "the numbers of the table", compares: true, holds: "similarities", open: openMatrix,
		compare: func(_ *modelFile, x *softkmeans.Matrix) (*softkmeans.Matrix, error) { return x, nil },
	},
	kernelDistances: {
		word: "distances",
		says: "exp(−γ·squared distance)", compares: true, holds: "distances",
		gamma: kernel.GammaOfDistances, open: kernel.Distances,
		compare: func(m *modelFile, x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
			return kernel.DistancesBetween(x, m.Gamma)
		},
	},
	kernelGraph: {
		word: "graph",
		says: "the weights of a graph over the roots of both rows' sums", compares: true, holds: "weights",
		open: func(x *softkmeans.Matrix, _ float64) (*softkmeans.Matrix, error) { return kernel.Graph(x) },
		compare: func(*modelFile, *softkmeans.Matrix) (*softkmeans.Matrix, error) {
			return nil, errors.New("a model of -kernel graph takes no new rows, which change the sums")
		},
	},
}

func (k kernelKind) String() string { return kernels[k].word }

func (k kernelKind) compares() bool { return kernels[k].compares }

func kernelWords(k kernelKind, gamma float64) string {
	text := kernels[k].says
	if kernels[k].gamma != nil {
		text += ", γ = " + small(gamma)
	}
	return text + "."
}

// withGamma lists the kernels that take a γ.
func withGamma() string {
	var words []string
	for _, row := range kernels {
		if row.gamma != nil {
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

// meanOf is the mean of rows. It is subtracted from rows of TI-LSD, which is invariant to the origin: products of rows
// far from it lose digits.
func meanOf(x *softkmeans.Matrix) []float64 { return scale.Of(scale.ZScore, x.Data, x.Cols, nil).Shift }

func openMatrix(x *softkmeans.Matrix, _ float64) (*softkmeans.Matrix, error) {
	if kinds.Holds(x) == kinds.Distances {
		return nil, errors.New("0 on the diagonal, nothing below 0, and small entries between rows that are " +
			"alike: these are distances, not similarities; give -kernel distances, or -kernel graph if it is one")
	}
	return x, nil
}
