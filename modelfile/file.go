// Package modelfile stores models of package softkmeans, with the names, units and scaling of the columns,
// the options of the fit, and the proved bounds. Fill in a [File] and call [File.WriteTo]. [Read] returns it.
// The file is JSON with a checksum. The command, the browser page and the npm package read and write it, too.
// docs/model.md describes it.
package modelfile

import (
	"bufio"
	"hash/crc64"
	"io"
	"math"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/fault"
)

const (
	format     = "softkmeans model"
	version    = 2
	noScale    = "none"
	noChecksum = "none"

	mostCount = 1 << 53 // rows; JavaScript knows no larger whole numbers
	// Centers equals Model.Centers times Divisor, plus Shift, to within this fraction of the terms.
	sameCenters = 1e-12
	// sameRange is the fraction of a column's size by which rounding may move its mean out of its range, or
	// its spread above its range.
	sameRange = 1e-6
)

// File is a model, with the facts that are necessary to use it. WriteTo accepts a File with only a Model, and
// completes the other fields.
type File struct {
	// Model contains the centers and all other numbers in the units of the fit: of scaled columns, if Scale
	// is set. Its Predict and PredictLabels take rows in these units, as the example of the package shows.
	// Memberships, Clusters and Trace are not stored, so that Labels is empty after Read. nil for a model of
	// Similarities.
	Model *softkmeans.Model
	// UnitRows says that each row is a mixture times its own brightness, as with unmix.ScaleUnit: unmix.Mix
	// computes its memberships, and Model.Predict does not.
	UnitRows bool
	// LabelLargest says that labels are the largest memberships, not the clusters that Model.PredictLabels
	// returns.
	LabelLargest bool
	// Centers is Model.Centers in the table's units, k×d. nil: WriteTo computes it from the scaling.
	Centers *softkmeans.Matrix

	Method  string   // of the fit: global, minvol, alternating, tilsd, lsd, …
	Columns []string // d names; nil: WriteTo names them c1, c2, …
	Named   bool     // the names come from the table, so that they identify its columns
	Units   []string // of the columns; nil: not known

	// A value v of a column is (v − Shift)/Divisor in the fit. If Shift and Divisor are nil, and Scale is
	// "none" or "", columns are not scaled. Scale names the rule that gave them: zscore, minmax, counts, sums
	// or words. If Divisor is 1, values within 1e-14·|Shift| of Shift count as Shift. With the rule counts
	// each row, of values ≥ 0, is first divided by its sum. With the rule sums each row is only divided by
	// its sum, which must be above 0; Divisor stores the mean sum, and columns are not divided. With the rule
	// words v is first replaced by log(1+v), and after the division each row gets length 1.
	Scale          string
	Shift, Divisor []float64

	Rows  int   // the number of fitted rows; 0: WriteTo counts the memberships
	Sizes []int // rows by label; nil: WriteTo counts them by [softkmeans.Model.Labels]

	// The range, mean and standard deviation of each column over the fitted rows, in the table's units;
	// nil: not known.
	ColumnLeast, ColumnMost, ColumnMean, ColumnSpread []float64
	// LargestResidual is the largest distance of a fitted row from its mixture, in the units of the fit;
	// 0: not known.
	LargestResidual float64

	VolumeRatio float64 // see [softkmeans/proof.VolumeRatio]; 0: not known
	LossGap     float64 // see [softkmeans/proof.LossGap]; 0: not known

	// Lower and Upper bound all entries of Centers, one number each; nil: none.
	Lower, Upper []float64
	Seed         uint64

	// Similarities is a model of similarities. Kernel is linear, or rbf with Gamma: it compares new rows with
	// Samples, the fitted rows in the units of the fit. If Samples is nil, columns contain similarities to
	// the fitted rows (Kernel matrix or graph), or the distances d of exp(−γd²) (Kernel distances, with
	// Gamma).
	Similarities *softkmeans.LSDModel
	Kernel       string
	Gamma        float64
	Samples      *softkmeans.Matrix
}

// fields goes through all fields but the checksum, in the order of the file: for the reader, the writer and
// the check.
func (f *File) fields(t *walk) {
	m := f.Model
	t.head(f)
	k, d := t.k, len(f.Columns)
	t.flag("named", &f.Named)
	t.texts("units", &f.Units, d)
	choose(t, "sum", &m.Sum)
	t.either("rowScaling", &f.UnitRows, "auto", "unit")
	t.either("labelBy", &f.LabelLargest, "cluster", "largest")
	t.text("scale", &f.Scale, true)
	t.numbers("shift", &f.Shift, d)
	t.numbers("divisor", &f.Divisor, d)
	t.matrix("centers", &f.Centers, k, d)
	if t.out == nil || f.Divisor != nil && f.Similarities == nil {
		t.matrix("scaledCenters", &m.Centers, k, d)
	}
	t.matrix("clusterMeans", &m.ClusterMeans, k, d)
	t.matrix("clusterAxes", &m.ClusterAxes, -(k + d), d)
	t.numbers("clusterWeights", &m.ClusterWeights, k)
	t.number("clusterSpread", &m.ClusterSpread, notBelow0)
	t.number("clusterDoubt", &m.ClusterDoubt, notBelow0)
	t.integer("rows", &f.Rows, mostCount, 0)
	t.integers("sizes", &f.Sizes, k)
	t.numbers("columnLeast", &f.ColumnLeast, d)
	t.numbers("columnMost", &f.ColumnMost, d)
	t.numbers("columnMean", &f.ColumnMean, d)
	t.numbers("columnSpread", &f.ColumnSpread, d)
	t.number("largestResidual", &f.LargestResidual, notBelow0)
	t.number("objective", &m.Objective, always)
	t.number("floor", &m.Floor, always)
	t.number("floorError", &m.FloorError, always)
	t.number("total", &m.Total, always)
	t.number("gap", &m.Gap, always)
	choose(t, "solver", &m.Solver)
	t.number("lambda", &m.Lambda, 0)
	t.number("epsilon", &m.Epsilon, 0)
	t.number("slack", &m.Slack, notBelow0)
	t.numbers("lower", &f.Lower, 1)
	t.numbers("upper", &f.Upper, 1)
	t.seed("seed", &f.Seed)
	choose(t, "volume", &m.Volume)
	t.number("volumeRatio", &f.VolumeRatio, 0)
	t.number("stationarity", &m.Stationarity, 0)
	t.number("lossGap", &f.LossGap, notBelow0)
	t.integer("iterations", &m.Iterations, math.MaxInt32, 0)
	choose(t, "status", &m.Status)
	t.warnings(m)
	t.others(m, d)
	t.text("kernel", &f.Kernel, false)
	t.number("gamma", &f.Gamma, notBelow0)
	t.similarities(f)
	t.matrix("samples", &f.Samples, f.Rows, d)
}

// K returns the number of centers or clusters; 0 without a model.
func (f *File) K() int {
	switch {
	case f.Similarities != nil && f.Similarities.Memberships != nil:
		return f.Similarities.Memberships.Cols
	case f.Model != nil && f.Model.Centers != nil:
		return f.Model.Centers.Rows
	}
	return 0
}

// WriteTo writes the file to w and returns the number of bytes. The same model gives the same bytes.
//
// A model that contradicts itself or lacks centers causes [softkmeans.ErrShape] or ErrOption. A number that
// is not finite causes ErrNonFinite. A field that Read refuses, such as a name above 1 MB, causes ErrFormat.
// A file above 1 GB causes ErrShape. After bytes are written, only this error and errors of w can occur.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	c, err := f.complete()
	if err != nil {
		return 0, err
	}
	if err := c.check(softkmeans.ErrShape); err != nil {
		return 0, err
	}
	out := newWriter(w)
	sum := c.write(out)
	out.key("checksum")
	out.text(sum)
	out.space("\n")
	out.put("}")
	out.space("\n")
	out.flush()
	if out.err == nil && out.n > mostBytes {
		out.err = fault.New(softkmeans.ErrShape, "the model takes more than ", mostBytes, " bytes")
	}
	return out.n, out.err
}

// write writes all fields except the checksum, and returns the checksum.
func (f *File) write(out *writer) string {
	out.put("{")
	f.fields(&walk{out: out})
	sum := strconv.FormatUint(crc64.Update(out.sum, out.table, []byte("}")), 16)
	return "0000000000000000"[len(sum):] + sum
}

// complete returns a copy with all fields that can be computed from the others.
func (f *File) complete() (*File, error) {
	c := *f
	switch {
	case (f.Model == nil) == (f.Similarities == nil):
		return nil, fault.New(softkmeans.ErrShape, "a File requires either a Model or Similarities")
	case f.K() == 0:
		return nil, fault.New(softkmeans.ErrShape, "the model has no clusters")
	case f.Model != nil && f.Model.Centers.Cols == 0:
		return nil, fault.New(softkmeans.ErrShape, "the model's centers have no columns")
	case c.Scale == "":
		c.Scale = noScale
	}
	if s := f.Similarities; s != nil {
		err := fault.First(checkMatrix("Memberships", s.Memberships), checkMatrix("Samples", f.Samples))
		if err != nil {
			return nil, err
		}
		c.Model = &softkmeans.Model{Certificate: s.Certificate, Iterations: s.Iterations, Status: s.Status}
		c.count(s.Memberships.Rows, s.Labels)
		if f.Columns == nil {
			c.Columns = numbered(s.Memberships.Rows)
			if f.Samples != nil {
				c.Columns = numbered(f.Samples.Cols)
			}
		}
		return &c, nil
	}
	m := f.Model
	if err := fault.First(checkMatrix("Centers", f.Centers), m.Check()); err != nil {
		return nil, err
	}
	if m.Memberships != nil {
		labelled := *m
		if c.LabelLargest {
			labelled.Clusters = nil
		}
		c.count(m.Memberships.Rows, labelled.Labels)
	}
	if f.Columns == nil {
		c.Columns = numbered(m.Centers.Cols)
	}
	if c.Centers == nil {
		c.Centers = m.Centers.Clone()
		if d := c.Centers.Cols; len(c.Shift) == d && len(c.Divisor) == d {
			for i := range c.Centers.Rows {
				for j, v := range c.Centers.Row(i) {
					c.Centers.Set(i, j, float64(v*c.Divisor[j])+c.Shift[j])
				}
			}
		}
	}
	return &c, nil
}

// count sets Rows and Sizes if they are not set.
func (f *File) count(rows int, labels func([]int) []int) {
	if f.Rows == 0 {
		f.Rows = rows
	}
	if f.Sizes == nil {
		f.Sizes = make([]int, f.K())
		for _, j := range labels(nil) {
			f.Sizes[j]++
		}
	}
}

// numbered returns c1, c2, … cd.
func numbered(d int) []string {
	list := make([]string, d)
	for j := range list {
		list[j] = "c" + strconv.Itoa(j+1)
	}
	return list
}

// Read reads a file that [File.WriteTo] wrote, of this version or of version 1, which contains no checksum.
// Spaces may differ. It reads at most 1 GB, and no list beyond the size that is declared before it.
//
// Any other file causes [softkmeans.ErrFormat]. The message names the line and the field, or the kind of a
// foreign file. Unknown, repeated or misplaced fields, wrong lengths, null, a wrong checksum, contradictions
// and bytes behind the model are errors. Numbers out of range cause ErrRange.
func Read(r io.Reader) (*File, error) {
	in := &reader{r: bufio.NewReader(r), left: mostBytes, line: 1}
	if err := foreign(in.r); err != nil {
		return nil, err
	}
	in.begin()
	f := &File{Model: &softkmeans.Model{}}
	t := &walk{in: in}
	f.fields(t)
	t.text("checksum", &t.checksum, t.version > 1)
	if in.err == nil && in.key != "" {
		in.fail("the field " + quotedShort(in.key) + misplaced)
	}
	in.end()
	if in.err != nil {
		return nil, in.err
	}
	if f.Similarities != nil && f.K() != t.k {
		return nil, fault.New(softkmeans.ErrFormat, "the decomposition does not have k = ", t.k, " clusters")
	}
	if f.Similarities == nil && f.Model.Centers == nil && f.Divisor == nil {
		f.Model.Centers = f.Centers
	}
	if err := fault.First(f.check(softkmeans.ErrFormat), unfit(f.Model)); err != nil {
		return nil, err
	}
	if t.version > 1 && t.checksum != noChecksum && t.checksum != f.write(newWriter(io.Discard)) {
		return nil, fault.New(softkmeans.ErrFormat,
			`the checksum is wrong: the model is damaged, or was edited (then write "checksum": "none")`)
	}
	if f.Similarities != nil {
		f.Model = nil
	}
	return f, nil
}

// check returns an error of the given kind if the model contradicts itself.
func (f *File) check(kind error) error {
	t := &walk{kind: kind}
	if f.fields(t); t.err != nil {
		return t.err
	}
	m := f.Model
	switch {
	case len(f.Shift) != len(f.Divisor), (f.Scale == noScale) != (len(f.Divisor) == 0):
		return fault.New(kind, "the model's scale is "+quotedShort(f.Scale)+", with ", len(f.Shift),
			" shifts and ", len(f.Divisor), " divisors")
	case f.VolumeRatio != 0 && !(f.VolumeRatio >= 1):
		return fault.New(kind, "volumeRatio is ", f.VolumeRatio, ", neither 0 nor at least 1")
	case f.UnitRows &&
		(m.Sum != softkmeans.SumToOne || f.Divisor != nil || m.ClusterMeans != nil || f.Similarities != nil):
		return fault.New(kind, "rowScaling is unit, with sum, scale, clusterMeans or decomposition")
	}
	for j, v := range f.Divisor {
		if !(v > 0) {
			return fault.New(kind, "divisor ", j+1, " is ", v)
		}
	}
	if err := fault.First(f.checkCounts(kind), f.checkRanges(kind)); err != nil {
		return err
	}
	if f.Similarities != nil {
		return f.checkSimilarities(kind)
	}
	return f.checkCenters(kind)
}

// checkCounts returns an error if the numbers of rows contradict each other. 0 rows are not known.
func (f *File) checkCounts(kind error) error {
	sum, samples := uint64(0), 0
	for _, n := range f.Sizes {
		sum = min(sum+uint64(n), 1<<60)
	}
	if f.Samples != nil {
		samples = f.Samples.Rows
	}
	switch {
	case f.Rows > 0 && len(f.Sizes) > 0 && sum != uint64(f.Rows):
		return fault.New(kind, "the sizes add up to ", sum, ", not to the ", f.Rows, " rows")
	case samples > 0 && samples != f.Rows:
		return fault.New(kind, "the model has ", samples, " samples of ", f.Rows, " rows")
	}
	return nil
}

// checkRanges returns an error if the ranges, means and spreads of columns contradict each other.
func (f *File) checkRanges(kind error) error {
	for j, name := range f.Columns {
		at := func(list []float64, other float64) float64 {
			if len(list) == 0 {
				return other
			}
			return list[j]
		}
		least, most := at(f.ColumnLeast, math.Inf(-1)), at(f.ColumnMost, math.Inf(1))
		mean, spread := at(f.ColumnMean, least), at(f.ColumnSpread, 0)
		// +Inf if an end is not known
		off := sameRange*math.Abs(least) + sameRange*math.Abs(most) + 0x1p-1000
		switch {
		case least > most, len(f.ColumnMean) > 0 && (mean < least-off || mean > most+off):
			return fault.New(kind, "column ", quotedShort(name), " has a range from ", least, " to ", most,
				" and a mean of ", mean)
		case spread < 0 || spread > most-least+off:
			return fault.New(kind, "column ", quotedShort(name), " has a spread of ", spread,
				" in a range from ", least, " to ", most)
		}
	}
	return nil
}

// checkSimilarities returns an error if a model of similarities contradicts itself.
func (f *File) checkSimilarities(kind error) error {
	s, m := f.Similarities, f.Model
	n, samples := s.Memberships.Rows, len(f.Columns)
	if f.Samples != nil {
		samples = f.Samples.Rows
	}
	switch {
	case samples != n:
		return fault.New(kind, "the decomposition has ", n, " samples, but the model ", samples)
	case f.Centers != nil || m.Centers != nil || m.ClusterMeans != nil || m.ClusterAxes != nil ||
		m.Others != nil:
		return fault.New(kind, "the model has centers and a decomposition")
	case s.Clustering != nil && s.Clustering.Check() != nil:
		return fault.New(kind, "the labels of the decomposition: ", s.Clustering.Check().Error())
	case s.Objective != m.Objective || s.Floor != m.Floor || s.FloorError != m.FloorError ||
		s.Total != m.Total || s.Gap != m.Gap:
		return fault.New(kind, "the objective or the floor differs from the decomposition's")
	}
	return nil
}

// checkCenters returns an error if the centers of a model of rows are missing, or contradict
// the scaled centers.
func (f *File) checkCenters(kind error) error {
	m := f.Model
	switch {
	case f.Samples != nil:
		return fault.New(kind, "the model has samples without a decomposition")
	case f.Centers == nil:
		return fault.New(kind, "the model has no centers")
	case m.Centers == nil:
		return fault.New(kind, "the model has no scaledCenters")
	}
	for i := range m.Centers.Rows {
		for j, u := range m.Centers.Row(i) {
			shift, divisor, v := 0.0, 1.0, f.Centers.At(i, j)
			if len(f.Divisor) > 0 {
				shift, divisor = f.Shift[j], f.Divisor[j]
			}
			// Halves, of which no sum is out of range.
			far := math.Abs(v/2 - shift/2 - u*(divisor/2))
			if !(far <= sameCenters*(math.Abs(v)+math.Abs(shift)+math.Abs(u*(divisor/2)))) {
				return fault.New(kind, "center ", i+1, " is ", v, " in column ", j+1,
					", which contradicts the scaled ", u)
			}
		}
	}
	return nil
}

// unfit returns an error if the parts of a model that was read contradict each other.
func unfit(m *softkmeans.Model) error {
	err := m.Check()
	if _, entry := err.(*softkmeans.InputError); err == nil || entry {
		return err
	}
	return fault.New(softkmeans.ErrFormat, strings.TrimPrefix(err.Error(), "softkmeans: "))
}

// checkMatrix returns an error, which contains the name, if m is malformed. m may be nil.
func checkMatrix(name string, m *softkmeans.Matrix) error {
	if m == nil {
		return nil
	}
	return m.Check(name)
}
