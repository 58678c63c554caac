package main

// The model's file: JSON, for predict and for other programs to read.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"softkmeans"
	"softkmeans/internal/scale"
)

const (
	modelFormat  = "softkmeans model"
	modelVersion = 1

	// mostCenters is how many centers a file may have. Memberships in k centers take
	// three matrices of k×k: 400 MB, where a file of 500 kB may have 100 000 centers.
	mostCenters = 4096
)

// modelFile is what is written. Numbers have the digits that it takes to read
// the same float64 back.
type modelFile struct {
	Format  string `json:"format"`
	Version int    `json:"version"`

	Method  string   `json:"method"`
	K       int      `json:"k"`
	Columns []string `json:"columns"`
	Named   bool     `json:"named"` // the columns' names are those of a header

	Scale   string `json:"scale"` // (value − shift)/divisor, by column
	Shift   vector `json:"shift,omitempty"`
	Divisor vector `json:"divisor,omitempty"`

	Centers vectors `json:"centers,omitempty"`       // k rows, in the table's units
	Scaled  vectors `json:"scaledCenters,omitempty"` // as they were fitted, where that is not the same

	// Of the fit, for those who want to know.
	Rows       int      `json:"rows"`
	Sizes      []int    `json:"sizes"` // rows by their largest membership
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

	// Of similarities: Decomposition is LSDModel's binary form, and Samples, as
	// scaled, are what new rows are compared with; without them, new rows are
	// similarities.
	Kernel        string  `json:"kernel,omitempty"`
	Gamma         float64 `json:"gamma,omitempty"`
	Decomposition []byte  `json:"decomposition,omitempty"`
	Samples       vectors `json:"samples,omitempty"`
}

// vector and vectors are numbers all through: a null, which some programs write for
// NaN, would be read as 0.
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
	f.Centers = rowsOf(r.centers)
	if r.scale != nil {
		f.Scaled = rowsOf(m.Centers)
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

// rowsOf are views.
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

// readModel reads and checks a model's file.
func readModel(ctx context.Context, name string) (*modelFile, error) {
	in, err := openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := await(ctx, func() ([]byte, error) {
		b := bufio.NewReader(in)
		if start, _ := b.Peek(1); len(start) > 0 && start[0] != '{' && !unicode.IsSpace(rune(start[0])) {
			return start, nil // no model, and perhaps without an end
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

var errNotModel = errors.New("not a model; softkmeans fit -model writes them")

func parseModel(text []byte) (*modelFile, error) {
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return nil, errors.New("is empty; softkmeans fit -model writes models")
	}
	f := new(modelFile)
	err := json.Unmarshal(text, f)
	var syntax *json.SyntaxError
	switch {
	case text[0] != '{':
		return nil, errNotModel
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(text)):
		return nil, errors.New("ends in the middle: the model is cut")
	case err != nil:
		return nil, fmt.Errorf("not a model: %w", err)
	case f.Format != modelFormat:
		return nil, errNotModel
	case f.Version != modelVersion:
		return nil, fmt.Errorf("a model of version %d; this softkmeans reads version %d", f.Version, modelVersion)
	}
	return f, f.check()
}

// check finds what contradicts itself.
func (f *modelFile) check() error {
	d := len(f.Columns)
	fail := func(format string, args ...any) error {
		return fmt.Errorf("damaged model: "+format, args...)
	}
	kind, ok := scaleKind(f.Scale)
	switch {
	case d == 0:
		return fail("it has no columns")
	case f.K < 1:
		return fail("k is %d", f.K)
	case !ok:
		return fail("scale is %.40q", f.Scale)
	case kind == scale.None && len(f.Shift)+len(f.Divisor) > 0, kind != scale.None && (len(f.Shift) != d || len(f.Divisor) != d):
		return fail("scale %s of %d columns has %d shifts and %d divisors", f.Scale, d, len(f.Shift), len(f.Divisor))
	}
	if kind == scale.None && f.Scaled != nil {
		return fail("scale none, and scaledCenters")
	}
	for j, v := range f.Divisor {
		if !(v > 0) {
			return fail("divisor %d is %v", j+1, v)
		}
	}
	if len(f.Decomposition) > 0 {
		return f.checkRows("samples", f.Samples, len(f.Samples), d)
	}
	if err := f.checkRows("centers", f.Centers, f.K, d); err != nil {
		return err
	}
	if f.K > mostCenters {
		return errManyCenters
	}
	if kind != scale.None {
		return f.checkRows("scaledCenters", f.Scaled, f.K, d)
	}
	return nil
}

func (f *modelFile) checkRows(name string, list [][]float64, rows, cols int) error {
	if len(list) != rows {
		return fmt.Errorf("damaged model: %d rows of %s, not %d", len(list), name, rows)
	}
	for i, row := range list {
		if len(row) != cols {
			return fmt.Errorf("damaged model: row %d of %s has %d numbers, not %d", i+1, name, len(row), cols)
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

// scaling is how new rows are to be scaled; nil: not.
func (f *modelFile) scaling() *scale.Scaling {
	kind, _ := scaleKind(f.Scale)
	if kind == scale.None {
		return nil
	}
	return &scale.Scaling{Kind: kind, Shift: f.Shift, Divisor: f.Divisor}
}

// scaledCenters are the centers as they were fitted.
func (f *modelFile) scaledCenters() (*softkmeans.Matrix, error) {
	if f.Scaled != nil {
		return softkmeans.FromRows(f.Scaled)
	}
	return softkmeans.FromRows(f.Centers)
}

// checkColumns compares the columns of a table with the model's.
func (f *modelFile) checkColumns(names []string, source string) error {
	if want := len(f.Columns); len(names) != want {
		return fmt.Errorf("%s: %s; the model has %d (%s)", source, count(len(names), "column"), want, abridged(f.Columns))
	}
	return nil
}

// abridged is a list of names that may be long, and each of which may be.
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

// centersFor are the centers for rows that were scaled as the model says.
func (f *modelFile) centersFor(d *data, source string) (*softkmeans.Matrix, error) {
	if len(f.Centers) == 0 {
		return nil, fmt.Errorf("%s: a model of method %s has no centers", source, short(f.Method, mostName))
	}
	if err := f.checkColumns(d.Names, d.Source); err != nil {
		return nil, err
	}
	return f.scaledCenters()
}

// predictor finds memberships of (scaled) rows.
type predictor func(x *softkmeans.Matrix) (*softkmeans.Matrix, error)

func (f *modelFile) predictor() (predictor, error) {
	if len(f.Decomposition) == 0 {
		centers, err := f.scaledCenters()
		if err != nil {
			return nil, err
		}
		m := &softkmeans.Model{Centers: centers}
		return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) { return m.Predict(nil, x) }, nil
	}
	m := new(softkmeans.LSDModel)
	if err := m.UnmarshalBinary(f.Decomposition); err != nil {
		return nil, err
	}
	switch samples := len(f.Samples); {
	case m.Memberships == nil || m.Memberships.Cols != f.K:
		return nil, fmt.Errorf("damaged model: its decomposition does not have k = %d clusters", f.K)
	case samples > 0 && samples != m.Memberships.Rows, samples == 0 && len(f.Columns) != m.Memberships.Rows:
		return nil, fmt.Errorf("damaged model: its decomposition is of %s, but there are %d, and %s",
			count(m.Memberships.Rows, "sample"), samples, count(len(f.Columns), "column"))
	case f.K > mostCenters:
		return nil, errManyCenters
	}
	if len(f.Samples) == 0 {
		return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) { return m.Predict(nil, x) }, nil
	}
	samples, err := softkmeans.FromRows(f.Samples)
	if err != nil {
		return nil, err
	}
	var kernel *softkmeans.SampleKernel
	var center *scale.Scaling
	switch f.Kernel {
	case kernelRBF.String():
		kernel, err = softkmeans.RBFKernel(samples, f.Gamma)
	case kernelLinear.String():
		if m.Map != nil {
			// The origin does not matter to TI-LSD, but to the digits of the products.
			center = scale.Of(scale.ZScore, samples.Data, samples.Cols, nil)
			for j := range center.Divisor {
				center.Divisor[j] = 1
			}
			center.Apply(samples.Data)
			clear(m.Map.Means)
		}
		kernel, err = softkmeans.LinearKernel(samples)
	default:
		err = fmt.Errorf("damaged model: kernel %.40q", f.Kernel)
	}
	if err != nil {
		return nil, err
	}
	return func(x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
		if center != nil {
			x = x.Clone()
			center.Apply(x.Data)
		}
		similarities, err := kernel.Cross(nil, x)
		if err != nil {
			return nil, err
		}
		for _, v := range similarities.Data {
			if math.Abs(v) == math.MaxFloat64 { // what is beyond becomes that
				return nil, errors.New("similarities of the rows are out of the range of numbers; fit with -scale zscore")
			}
		}
		return m.Predict(nil, similarities)
	}, nil
}
