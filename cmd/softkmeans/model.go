package main

// This file writes and reads models: the files of package modelfile, for predict, certify and other programs.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/kinds"
	"softkmeans/internal/la"
	"softkmeans/internal/measure"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/missing"
	"softkmeans/modelfile"
	"softkmeans/unmix"
)

// mostCenters is the largest number of centers in a model. Memberships in k
// centers take three k×k matrices: 400 MB. A file of 500 kB may have 100 000 centers.
const mostCenters = 4096

// modelFile is a model that was read.
type modelFile struct{ *modelfile.File }

// newModelFile returns the model of a fit. What is proved is the certificate's.
func newModelFile(r *result) *modelfile.File {
	f := &modelfile.File{Method: r.method.String(), Columns: r.Names, Named: r.Named(),
		Rows: r.rows, Sizes: r.sizes, Seed: r.seed}
	f.Units = r.Units
	if r.scale != nil {
		f.Scale, f.Shift, f.Divisor = r.scale.Kind.String(), r.scale.Shift, r.scale.Divisor
	}
	f.Lower, f.Upper = r.bounds.lists()
	if c := r.columns; c != nil {
		f.ColumnLeast, f.ColumnMost, f.ColumnMean, f.ColumnSpread = c.Least, c.Most, c.Mean, c.Spread
		f.LargestResidual = r.residual
	}
	if r.lsd != nil {
		f.Similarities, f.Kernel, f.Gamma, f.Samples = r.lsd, r.kernel.String(), r.gamma, r.samples
		return f
	}
	m := *r.model
	m.Certificate, m.Memberships, m.Clusters, m.Trace = r.cert, nil, nil, nil
	f.Model, f.UnitRows, f.Centers = &m, r.unit, r.centers
	f.LabelLargest = r.mixtures && r.clustered()
	f.VolumeRatio, f.LossGap = r.compact.VolumeRatio, r.compact.LossGap
	return f
}

func readModel(name string) (*modelFile, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readModelFrom(in, name)
}

func readModelFrom(in io.Reader, name string) (*modelFile, error) {
	f, err := modelfile.Read(in)
	if errors.Is(err, softkmeans.ErrFormat) {
		text := strings.TrimPrefix(err.Error(), "softkmeans: ")
		if text = strings.TrimSuffix(text, ": "+softkmeans.ErrFormat.Error()); strings.HasPrefix(text,
			"not a model file") {
			text += "; give a file that softkmeans fit -model wrote"
		}
		return nil, fmt.Errorf("%s: %s", name, text)
	}
	if err != nil {
		return nil, err
	}
	m := &modelFile{f}
	_, known := scale.Named(f.Scale)
	switch {
	case !known:
		err = fmt.Errorf("%s: the model's scale is %.40q, which this softkmeans does not know", name, f.Scale)
	case f.K() > mostCenters:
		err = fmt.Errorf("%s: more than %d prototypes", name, mostCenters)
	}
	return m, err
}

// parts reports whether the rows of the fit were parts of a whole: all prototypes add up to 1, 100 or a million
// then. Under SumAtMostOne rows of zeros have memberships.
func (f *modelFile) parts() bool {
	if f.Model == nil || f.Shift != nil || f.UnitRows || f.Model.Sum != softkmeans.SumToOne {
		return false
	}
	whole := 0.0
	for i := range f.Centers.Rows {
		of := kinds.Whole(la.Sum(f.Centers.Row(i)))
		if of == 0 || whole != 0 && of != whole {
			return false
		}
		whole = of
	}
	return true
}

// unit reports whether rows are mixtures times a shade of their own. leastColumns is how many columns a file
// must have that does not say their number: that of the model, or the last one that it names by its place.
func (f *modelFile) leastColumns() int {
	least := 0
	for _, name := range f.Columns {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "c")); err == nil && name == table.Column(n-1) {
			least = max(least, n)
		}
	}
	return max(least, len(f.Columns))
}

// scaling returns the scaling of new rows, nil for none.
func (f *modelFile) scaling() *scale.Scaling {
	if f.Divisor == nil {
		return nil
	}
	kind, _ := scale.Named(f.Scale)
	return &scale.Scaling{Kind: kind, Shift: f.Shift, Divisor: f.Divisor}
}

func (f *modelFile) checkColumns(names []string, source string) error {
	if want := len(f.Columns); len(names) != want {
		hint := ""
		if len(names) > want {
			hint = "; -drop leaves columns out"
		}
		return fmt.Errorf("%s: %s, but the model has %d (%s)%s", source, count(len(names), "column"),
			want, view.Abridged(f.Columns), hint)
	}
	return nil
}

// centersFor returns the scaled centers, for d with the model's scaling.
func (f *modelFile) centersFor(d *data, source string) (*softkmeans.Matrix, error) {
	if f.Model == nil {
		return nil, fmt.Errorf("%s: a model of method %s has no prototypes; certify needs a model of "+
			"global, minvol or alternating", source, short(f.Method, mostName))
	}
	if err := f.checkColumns(d.Names, d.Source); err != nil {
		return nil, err
	}
	return f.Model.Centers, nil
}

// predictor computes the memberships g of scaled rows, and replaces values that are missing by those of the
// mixtures. It also returns the rows from which labels come: for a model of tilsd their coordinates.
type predictor func(x *softkmeans.Matrix) (g, of *softkmeans.Matrix, err error)

func (f *modelFile) predictor() (predictor, error) {
	if f.Model != nil {
		return func(x *softkmeans.Matrix) (_, _ *softkmeans.Matrix, err error) {
			var g *softkmeans.Matrix
			if f.UnitRows {
				g, _, err = unmix.Mix(f.Model.Centers, x, missing.Predict)
			} else {
				g, err = missing.Predict(f.Model, nil, x)
			}
			if err == nil {
				measure.FillMixtures(x, g, f.Model.Centers, f.UnitRows)
			}
			return g, x, err
		}, nil
	}
	at := slices.IndexFunc(kernels[:], func(k kernelRow) bool {
		return k.word == f.Kernel && k.compares == (f.Samples == nil)
	})
	if at < 0 {
		return nil, fmt.Errorf("the model's kernel is %.40q, which this softkmeans does not know", f.Kernel)
	}
	return func(x *softkmeans.Matrix) (g, of *softkmeans.Matrix, err error) {
		k, err := kernels[at].compare(f, x)
		if err != nil {
			return nil, nil, err
		}
		if g, err = f.Similarities.Predict(nil, k); err == nil && f.Similarities.Clustering != nil {
			of, err = f.Similarities.Coordinates(nil, k)
		}
		return g, of, err
	}, nil
}

// labeller returns the model whose clusters are the labels: of rows, or of the coordinates of similarities; nil
// where there is none.
func (f *modelFile) labeller() *softkmeans.Model {
	if f.Model == nil {
		return f.Similarities.Clustering
	}
	return f.Model
}

// clustersOf returns the clusters of scaled rows x, or the largest of their memberships g if the model is nil or
// has no clusters.
func clustersOf(m *softkmeans.Model, x softkmeans.Samples, g *softkmeans.Matrix) ([]int, error) {
	if m == nil || m.ClusterMeans == nil {
		return answer.LargestOf(g), nil
	}
	return m.PredictLabels(nil, x)
}
