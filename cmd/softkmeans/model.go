package main

// This file writes and reads models: JSON, for predict, certify and other programs.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"softkmeans"
	"softkmeans/internal/scale"
)

const (
	modelFormat  = "softkmeans model"
	modelVersion = 1

	// mostCenters is the largest number of centers in a model. Memberships in k
	// centers take three k×k matrices: 400 MB. A file of 500 kB may have 100 000 centers.
	mostCenters = 4096
)

// modelFile is the content of a model. Numbers have the digits that it takes to
// read the same float64 back.
type modelFile struct {
	Format  string `json:"format"`
	Version int    `json:"version"`

	Method  string   `json:"method"`
	K       int      `json:"k"`
	Columns []string `json:"columns"`
	Named   bool     `json:"named"`                // the names come from a header
	Sum     string   `json:"sum,omitempty"`        // "at most one", or nothing for one
	Scaling string   `json:"rowScaling,omitempty"` // "unit", where the brightness of a row is no matter, or nothing

	Scale   string `json:"scale"` // (value − shift)/divisor, by column
	Shift   vector `json:"shift,omitempty"`
	Divisor vector `json:"divisor,omitempty"`

	Centers vectors `json:"centers,omitempty"`       // k rows, in the table's units
	Scaled  vectors `json:"scaledCenters,omitempty"` // if the columns are scaled

	// k rows in the units of the fit, scaled if the columns are: a row's label is the
	// nearest. Without them it is the largest membership.
	Means vectors `json:"clusterMeans,omitempty"`
	Axes  vectors `json:"clusterAxes,omitempty"` // of the metric in which the nearest counts

	// About the fit; not used by predict.
	Rows       int      `json:"rows"`
	Sizes      []int    `json:"sizes"` // rows by label
	Objective  float64  `json:"objective"`
	Floor      float64  `json:"floor"`
	FloorError float64  `json:"floorError"`
	Total      float64  `json:"total"`
	Gap        float64  `json:"gap"`
	Lambda     float64  `json:"lambda,omitempty"`
	Epsilon    float64  `json:"epsilon,omitempty"`
	Iterations int      `json:"iterations"`
	Status     string   `json:"status"`
	Warnings   []string `json:"warnings,omitempty"`

	// Models of similarities. Decomposition is the binary form of an LSDModel.
	// Samples are the scaled rows that new rows are compared with; without them, new
	// rows are similarities.
	Kernel        string  `json:"kernel,omitempty"`
	Gamma         float64 `json:"gamma,omitempty"`
	Decomposition []byte  `json:"decomposition,omitempty"`
	Samples       vectors `json:"samples,omitempty"`
}

// vector and vectors do not accept null, which some programs write for NaN and
// encoding/json reads as 0.
type (
	vector  []float64
	vectors [][]float64
)

func (v *vector) UnmarshalJSON(text []byte) error  { return readNumbers(text, (*[]float64)(v)) }
func (v *vectors) UnmarshalJSON(text []byte) error { return readNumbers(text, (*[][]float64)(v)) }

func readNumbers(text []byte, to any) error {
	if null := []byte("null"); bytes.Contains(text, null) && !bytes.Equal(text, null) {
		return errors.New("null in place of a number")
	}
	return json.Unmarshal(text, to)
}

func newModelFile(r *result) (*modelFile, error) {
	f := &modelFile{Format: modelFormat, Version: modelVersion, Method: r.method.String(), K: r.k, Columns: r.Names, Named: r.Header,
		Scale: scale.None.String(), Rows: r.rows, Sizes: r.sizes}
	if r.scale != nil {
		f.Scale, f.Shift, f.Divisor = r.scale.Kind.String(), r.scale.Shift, r.scale.Divisor
	}
	if m := r.lsd; m != nil {
		f.Objective, f.Floor, f.FloorError, f.Total, f.Gap = m.Objective, m.Floor, m.FloorError, m.Total, m.Gap
		f.Iterations, f.Status = m.Iterations, m.Status.String()
		f.Kernel, f.Gamma = r.kernel.String(), r.gamma
		if r.samples != nil {
			f.Samples = rowsOf(r.samples)
		}
		var err error
		f.Decomposition, err = m.MarshalBinary()
		return f, err
	}
	m, c := r.model, r.cert
	if m.Sum != softkmeans.SumToOne {
		f.Sum = m.Sum.String()
	}
	if m.Rows == softkmeans.RowsUnit {
		f.Scaling = m.Rows.String()
	}
	f.Centers = rowsOf(r.centers)
	if r.scale != nil {
		f.Scaled = rowsOf(m.Centers)
	}
	if m.ClusterMeans != nil {
		f.Means = rowsOf(m.ClusterMeans)
	}
	if m.ClusterAxes != nil {
		f.Axes = rowsOf(m.ClusterAxes)
	}
	f.Objective, f.Floor, f.FloorError, f.Total, f.Gap = c.Objective, c.Floor, c.FloorError, c.Total, c.Gap
	f.Lambda, f.Epsilon, f.Iterations, f.Status = m.Lambda, m.Epsilon, m.Iterations, m.Status.String()
	f.Warnings = warnings(m)
	return f, nil
}

func warnings(m *softkmeans.Model) (list []string) {
	for _, w := range m.Warnings {
		list = append(list, w.String())
	}
	return list
}

// rowsOf returns views of the rows.
func rowsOf(m *softkmeans.Matrix) [][]float64 {
	list := make([][]float64, m.Rows)
	for i := range list {
		list[i] = m.Row(i)
	}
	return list
}

func writeModel(w io.Writer, r *result) error {
	f, err := newModelFile(r)
	if err != nil {
		return err
	}
	return writeJSON(w, f)
}

// readModel reads and checks a model.
func readModel(ctx context.Context, name string) (*modelFile, error) {
	in, err := openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := await(ctx, func() ([]byte, error) {
		b := bufio.NewReader(in)
		if start, _ := b.Peek(1); len(start) > 0 && start[0] != '{' && !unicode.IsSpace(rune(start[0])) {
			return start, nil // not a model, and perhaps endless
		}
		return io.ReadAll(b)
	})
	if err != nil {
		return nil, err
	}
	f, err := parseModel(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

var errManyCenters = fmt.Errorf("more than %d centers", mostCenters)

var errNotModel = errors.New("not a model; give a file that softkmeans fit -model wrote")

func parseModel(text []byte) (*modelFile, error) {
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return nil, errors.New("is empty; give a file that softkmeans fit -model wrote")
	}
	f := new(modelFile)
	err := json.Unmarshal(text, f)
	var syntax *json.SyntaxError
	switch {
	case text[0] != '{':
		return nil, errNotModel
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(text)):
		return nil, errors.New("the model is cut; it ends in the middle")
	case err != nil:
		return nil, fmt.Errorf("not a model: %w", err)
	case f.Format != modelFormat:
		return nil, errNotModel
	case f.Version != modelVersion:
		return nil, fmt.Errorf("model version %d; this softkmeans reads version %d", f.Version, modelVersion)
	}
	return f, f.check()
}

// damaged is an error about a model that contradicts itself.
func damaged(format string, args ...any) error {
	return fmt.Errorf("damaged model: "+format, args...)
}

// check returns an error if the model contradicts itself.
func (f *modelFile) check() error {
	d := len(f.Columns)
	kind, ok := scaleKind(f.Scale)
	switch {
	case d == 0:
		return damaged("it has no columns")
	case f.K < 1:
		return damaged("k is %d", f.K)
	case !ok:
		return damaged("scale is %.40q", f.Scale)
	case kind == scale.None && len(f.Shift)+len(f.Divisor) > 0, kind != scale.None && (len(f.Shift) != d || len(f.Divisor) != d):
		return damaged("scale %s of %d columns has %d shifts and %d divisors", f.Scale, d, len(f.Shift), len(f.Divisor))
	case f.Sum != "" && f.sum() == softkmeans.SumToOne:
		return damaged("sum is %.40q", f.Sum)
	case f.Scaling != "" && !f.unit():
		return damaged("rowScaling is %.40q", f.Scaling)
	case f.unit() && (f.Sum != "" || kind != scale.None || f.Means != nil || len(f.Decomposition) > 0):
		return damaged("rowScaling is unit, with sum, scale, clusterMeans or decomposition")
	case kind == scale.None && f.Scaled != nil:
		return damaged("scale none, and scaledCenters")
	}
	for j, v := range f.Divisor {
		if !(v > 0) {
			return damaged("divisor %d is %v", j+1, v)
		}
	}
	if len(f.Decomposition) > 0 {
		return checkRows("samples", f.Samples, len(f.Samples), d)
	}
	if err := checkRows("centers", f.Centers, f.K, d); err != nil {
		return err
	}
	if f.K > mostCenters {
		return errManyCenters
	}
	if f.Means != nil {
		if err := checkRows("clusterMeans", f.Means, f.K, d); err != nil {
			return err
		}
	}
	if f.Axes != nil {
		if f.Means == nil {
			return damaged("clusterAxes without clusterMeans")
		}
		if err := checkRows("clusterAxes", f.Axes, len(f.Axes), d); err != nil {
			return err
		}
	}
	if kind != scale.None {
		return checkRows("scaledCenters", f.Scaled, f.K, d)
	}
	return nil
}

func checkRows(name string, list [][]float64, rows, cols int) error {
	if len(list) != rows {
		return damaged("%d rows of %s, not %d", len(list), name, rows)
	}
	for i, row := range list {
		if len(row) != cols {
			return damaged("row %d of %s has %d numbers, not %d", i+1, name, len(row), cols)
		}
	}
	return nil
}

func scaleKind(name string) (scale.Kind, bool) {
	for _, k := range []scale.Kind{scale.None, scale.ZScore, scale.MinMax} {
		if k.String() == name {
			return k, true
		}
	}
	return 0, false
}

// sum returns what memberships add up to.
func (f *modelFile) sum() softkmeans.Sum {
	if f.Sum == softkmeans.SumAtMostOne.String() {
		return softkmeans.SumAtMostOne
	}
	return softkmeans.SumToOne
}

// unit reports whether rows are mixtures times a shade of their own.
func (f *modelFile) unit() bool { return f.Scaling == softkmeans.RowsUnit.String() }

// scaling returns the scaling of new rows, nil for none.
func (f *modelFile) scaling() *scale.Scaling {
	kind, _ := scaleKind(f.Scale)
	if kind == scale.None {
		return nil
	}
	return &scale.Scaling{Kind: kind, Shift: f.Shift, Divisor: f.Divisor}
}

// scaledCenters returns the centers in scaled units.
func (f *modelFile) scaledCenters() (*softkmeans.Matrix, error) {
	if f.Scaled != nil {
		return softkmeans.FromRows(f.Scaled)
	}
	return softkmeans.FromRows(f.Centers)
}

// checkColumns compares the columns of a table with the model's.
func (f *modelFile) checkColumns(names []string, source string) error {
	if want := len(f.Columns); len(names) != want {
		return fmt.Errorf("%s: %s, but the model has %d (%s)", source, count(len(names), "column"), want, abridged(f.Columns))
	}
	return nil
}

// abridged lists names, shortened. Of more than eight it lists seven.
func abridged(names []string) string {
	var list []string
	for i, name := range names {
		if i == 7 && len(names) > 8 {
			list = append(list, "…")
			break
		}
		list = append(list, short(name, mostName))
	}
	return strings.Join(list, ", ")
}

// centersFor returns the scaled centers, for d with the model's scaling.
func (f *modelFile) centersFor(d *data, source string) (*softkmeans.Matrix, error) {
	if len(f.Centers) == 0 {
		return nil, fmt.Errorf("%s: a model of method %s has no centers; certify needs a model of global, minvol or alternating", source, short(f.Method, mostName))
	}
	if err := f.checkColumns(d.Names, d.Source); err != nil {
		return nil, err
	}
	return f.scaledCenters()
}

// predictor computes the memberships of scaled rows.
type predictor func(x *softkmeans.Matrix) (*softkmeans.Matrix, error)

// predictor returns the predictor of the model.
func (f *modelFile) predictor() (predictor, error) {
	if len(f.Decomposition) == 0 {
		centers, err := f.scaledCenters()
		if err != nil {
			return nil, err
		}
		m := &softkmeans.Model{Centers: centers, Sum: f.sum()}
		if f.unit() {
			m.Rows = softkmeans.RowsUnit
		}
		return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) { return m.Predict(nil, x) }, nil
	}
	m, err := f.decomposition()
	if err != nil {
		return nil, err
	}
	if len(f.Samples) == 0 { // rows are similarities
		return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) { return m.Predict(nil, x) }, nil
	}
	similarities, err := f.similarities()
	if err != nil {
		return nil, err
	}
	return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
		k, err := similarities(x)
		if err != nil {
			return nil, err
		}
		return m.Predict(nil, k)
	}, nil
}

// labeler returns the labels of scaled rows x with memberships g.
type labeler func(x, g *softkmeans.Matrix) ([]int, error)

// labeler returns the labeler of the model.
func (f *modelFile) labeler() (labeler, error) {
	if len(f.Decomposition) > 0 || f.Means == nil {
		return func(_, g *softkmeans.Matrix) ([]int, error) { return largestOf(g), nil }, nil
	}
	centers, err := f.scaledCenters()
	if err != nil {
		return nil, err
	}
	means, err := softkmeans.FromRows(f.Means)
	if err != nil {
		return nil, err
	}
	m := &softkmeans.Model{Centers: centers, ClusterMeans: means}
	if f.Axes != nil {
		if m.ClusterAxes, err = softkmeans.FromRows(f.Axes); err != nil {
			return nil, err
		}
	}
	return func(x, _ *softkmeans.Matrix) ([]int, error) { return m.PredictLabels(nil, x) }, nil
}

// decomposition decodes the decomposition and compares its size with the rest.
func (f *modelFile) decomposition() (*softkmeans.LSDModel, error) {
	m := new(softkmeans.LSDModel)
	if err := m.UnmarshalBinary(f.Decomposition); err != nil {
		return nil, err
	}
	switch samples := len(f.Samples); {
	case m.Memberships == nil || m.Memberships.Cols != f.K:
		return nil, damaged("its decomposition does not have k = %d clusters", f.K)
	case samples > 0 && samples != m.Memberships.Rows, samples == 0 && len(f.Columns) != m.Memberships.Rows:
		return nil, damaged("its decomposition has %s, but the model has %d and %s",
			count(m.Memberships.Rows, "sample"), samples, count(len(f.Columns), "column"))
	case f.K > mostCenters:
		return nil, errManyCenters
	}
	return m, nil
}

// similarities returns a function that compares scaled rows with the samples.
func (f *modelFile) similarities() (predictor, error) {
	samples, err := softkmeans.FromRows(f.Samples)
	if err != nil {
		return nil, err
	}
	var kernel *softkmeans.SampleKernel
	var shift *scale.Scaling // of TI-LSD with products, as in the fit
	switch f.Kernel {
	case kernelRBF.String():
		kernel, err = softkmeans.RBFKernel(samples, f.Gamma)
	case kernelLinear.String():
		if f.Method == methodTILSD.String() {
			samples, shift = centred(samples)
		}
		kernel, err = softkmeans.LinearKernel(samples)
	default:
		err = damaged("kernel %.40q", f.Kernel)
	}
	if err != nil {
		return nil, err
	}
	return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
		if shift != nil {
			x = x.Clone()
			shift.Apply(x.Data)
		}
		return kernel.Cross(nil, x)
	}, nil
}
