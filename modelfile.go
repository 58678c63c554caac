package softkmeans

// The model file: a model with the names, units and scaling of its columns, as JSON with a
// checksum. docs/model.md describes the format.

import (
	"bufio"
	"hash/crc64"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

const (
	fileFormat  = "softkmeans model"
	fileVersion = 2
	noScale     = "none"
	noChecksum  = "none"

	mostOfFile = 1 << 53 // of a count; JavaScript has no larger whole numbers
	// Centers in the table's units are the scaled ones times the divisor, plus the shift,
	// to this share of the terms.
	sameCenters = 1e-12
)

// ModelFile is a model and what belongs to it where others use it: names, units and scaling
// of the columns, how it was fitted, and what is proved. [ModelFile.WriteTo] and [ReadModel]
// store it. A ModelFile with nothing but a Model is ready to be written.
type ModelFile struct {
	// Model has the centers and all else in the units of the fit: of scaled columns, if these
	// are scaled. Memberships, Clusters, Trace, Shade and Trimmed are not stored. nil for a
	// model of Similarities.
	Model *Model
	// Centers are those of Model in the table's units, k×d. nil, when written: they are
	// computed from the scaling.
	Centers *Matrix

	Method  string   // how it was fitted: global, minvol, alternating, tilsd, lsd, …
	Columns []string // d names; nil, when written: c1, c2, …
	Named   bool     // the names come from the table, so that columns can be found by them
	Units   []string // of the columns; nil: not known

	// A value v of a column is (v − Shift)/Divisor in the fit. Both nil, and Scale "none" or
	// "": the columns are as they are. Scale is the rule that they come from, as zscore. With
	// a Divisor of 1, what differs from Shift by 1e-14 of it counts as Shift.
	Scale          string
	Shift, Divisor []float64

	Rows  int   // that were fitted; 0, when written: those of the memberships
	Sizes []int // rows by label; nil, when written: by [Model.Labels]

	// Of the fitted rows, in the table's units: the range, the mean and the standard
	// deviation of each column. nil: not known.
	ColumnLeast, ColumnMost, ColumnMean, ColumnSpread []float64
	// LargestResidual is the largest distance of a fitted row from its mixture, in the units
	// of the fit. 0: not known.
	LargestResidual float64

	Slack float64 // that was asked for; 0: the default, or none
	Seed  uint64

	// A model of similarities. Samples are the rows, in the units of the fit, that new rows
	// are compared with, by Kernel: rbf, with Gamma, or linear. nil, for the kernel matrix:
	// the columns are similarities to the fitted rows, or, for distances with Gamma, the
	// distances d of exp(−γd²).
	Similarities *LSDModel
	Kernel       string
	Gamma        float64
	Samples      *Matrix
}

// K is the number of clusters.
func (f *ModelFile) K() int {
	switch {
	case f.Similarities != nil && f.Similarities.Memberships != nil:
		return f.Similarities.Memberships.Cols
	case f.Model != nil && f.Model.Centers != nil:
		return f.Model.Centers.Rows
	}
	return 0
}

// WriteTo writes the file and returns the number of bytes. The same model gives the same
// bytes. Errors: [ErrShape] and [ErrOption] for a model that contradicts itself or has no
// centers, [ErrNonFinite], [ErrFormat] for names above 1 MB and lists that ReadModel does not
// take, [ErrRange] for more than 1 GB, and those of w. Only the latter two come after bytes.
func (f *ModelFile) WriteTo(w io.Writer) (int64, error) {
	c, err := f.complete()
	if err != nil {
		return 0, err
	}
	if err := c.check(ErrShape); err != nil {
		return 0, err
	}
	out := newJSONWriter(w)
	sum := c.write(out)
	out.key("checksum")
	out.text(sum)
	out.space("\n")
	out.put("}")
	out.space("\n")
	out.flush()
	if out.err == nil && out.n > mostModelBytes {
		out.err = fail(ErrRange, "the model takes more than "+strconv.Itoa(mostModelBytes)+" bytes")
	}
	return out.n, out.err
}

// write writes all fields but the checksum, and returns that.
func (f *ModelFile) write(out *jsonWriter) string {
	out.put("{")
	t := &modelText{out: out, version: fileVersion}
	f.fields(t)
	sum := strconv.FormatUint(crc64.Update(out.sum, out.table, []byte("}")), 16)
	return "0000000000000000"[len(sum):] + sum
}

// complete is a copy with all that can be computed from the rest.
func (f *ModelFile) complete() (*ModelFile, error) {
	c := *f
	switch {
	case (f.Model == nil) == (f.Similarities == nil):
		return nil, fail(ErrShape, "a model file has a Model or Similarities")
	case f.K() == 0:
		return nil, fail(ErrShape, "the model has no clusters")
	case c.Scale == "":
		c.Scale = noScale
	}
	if s := f.Similarities; s != nil {
		if err := firstError(checkStored("Memberships", s.Memberships), checkStored("Samples", f.Samples)); err != nil {
			return nil, err
		}
		c.Model = &Model{Objective: s.Objective, Floor: s.Floor, FloorError: s.FloorError, Total: s.Total, Gap: s.Gap, Iterations: s.Iterations, Status: s.Status}
		c.fill(s.Memberships.Rows, s.Labels)
		if f.Columns == nil {
			c.Columns = numbered(s.Memberships.Rows)
			if f.Samples != nil {
				c.Columns = numbered(f.Samples.Cols)
			}
		}
		return &c, nil
	}
	m := f.Model
	if err := firstError(checkStored("Centers", f.Centers), checkStored("Centers", m.Centers), checkStored("Memberships", m.Memberships), m.checkCenters(ErrShape), m.checkClusters(ErrOption)); err != nil {
		return nil, err
	}
	if m.Memberships != nil {
		c.fill(m.Memberships.Rows, m.Labels)
	}
	if f.Columns == nil {
		c.Columns = numbered(m.Centers.Cols)
	}
	if c.Centers == nil {
		c.Centers = m.Centers.Clone()
		if d := c.Centers.Cols; len(c.Shift) == d && len(c.Divisor) == d {
			for i := range c.Centers.Rows {
				for j := range d {
					c.Centers.Set(i, j, float64(c.Centers.At(i, j)*c.Divisor[j])+c.Shift[j])
				}
			}
		}
	}
	return &c, nil
}

// fill sets the numbers of rows that are not set.
func (f *ModelFile) fill(rows int, labels func([]int) []int) {
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

// numbered is c1, c2, … cd.
func numbered(d int) []string {
	list := make([]string, d)
	for j := range list {
		list[j] = "c" + strconv.Itoa(j+1)
	}
	return list
}

// ReadModel reads what [ModelFile.WriteTo] wrote: of this version, or of version 1, which has
// no checksum. Spaces may differ. Anything else is an [ErrFormat] that names the line and the
// field, or what it is instead: unknown, repeated and misplaced fields, wrong lengths, null, a
// wrong checksum, parts that contradict each other, and what is behind the model. Numbers out
// of range are an [ErrRange]. It reads at most 1 GB, and no list beyond the size that is
// declared before it.
func ReadModel(r io.Reader) (*ModelFile, error) {
	in := &jsonReader{r: bufio.NewReader(r), left: mostModelBytes, line: 1}
	if err := foreign(in.r); err != nil {
		return nil, err
	}
	in.begin()
	f := &ModelFile{Model: &Model{}}
	t := &modelText{in: in}
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
		return nil, fail(ErrFormat, "the decomposition does not have k = "+strconv.Itoa(t.k)+" clusters")
	}
	if f.Similarities == nil && f.Model.Centers == nil && f.Divisor == nil {
		f.Model.Centers = f.Centers
	}
	if err := f.check(ErrFormat); err != nil {
		return nil, err
	}
	if t.version > 1 && t.checksum != noChecksum && t.checksum != f.write(newJSONWriter(io.Discard)) {
		return nil, fail(ErrFormat, `the checksum is wrong: the model is damaged, or was edited (then write "checksum": "none")`)
	}
	if f.Similarities != nil {
		f.Model = nil
	}
	return f, nil
}

// check is an error of the given kind if the model contradicts itself.
func (f *ModelFile) check(kind error) error {
	m, d := f.Model, len(f.Columns)
	for _, list := range []struct {
		name string
		has  int
		need int
	}{
		{"units", len(f.Units), d}, {"shifts", len(f.Shift), d}, {"divisors", len(f.Divisor), d}, {"sizes", len(f.Sizes), f.K()},
		{"least values", len(f.ColumnLeast), d}, {"largest values", len(f.ColumnMost), d}, {"means", len(f.ColumnMean), d}, {"spreads", len(f.ColumnSpread), d},
	} {
		if list.has != 0 && list.has != list.need {
			return fail(kind, "the model has "+strconv.Itoa(list.has)+" "+list.name+", not "+strconv.Itoa(list.need))
		}
	}
	switch {
	case len(f.Shift) != len(f.Divisor), (f.Scale == noScale) != (len(f.Divisor) == 0):
		return fail(kind, "the model's scale is "+quotedShort(f.Scale)+", with "+strconv.Itoa(len(f.Shift))+" shifts and "+strconv.Itoa(len(f.Divisor))+" divisors")
	case m.Rows == RowsGiven:
		return fail(kind, "rowScaling is given")
	case m.Rows == RowsUnit && (m.Sum != SumToOne || f.Divisor != nil || m.ClusterMeans != nil || f.Similarities != nil):
		return fail(kind, "rowScaling is unit, with sum, scale, clusterMeans or decomposition")
	case f.LargestResidual < 0 || f.Slack < 0 || f.Gamma < 0 || f.Rows < 0 || len(f.Sizes) > 0 && slices.Min(f.Sizes) < 0:
		return fail(kind, "the model has a largestResidual, slack, gamma or number of rows below 0")
	}
	for j, v := range f.Divisor {
		if !(v > 0) {
			return fail(kind, "divisor "+strconv.Itoa(j+1)+" is "+decimal(v))
		}
	}
	if err := firstError(f.checkLimits(), f.checkCounts(kind), f.checkRanges(kind)); err != nil {
		return err
	}
	if f.Similarities != nil {
		return f.checkSimilarities(kind)
	}
	if m.checkHeader() != nil {
		return fail(kind, "the volume ratio or the number of iterations is one that no fit returns")
	}
	return f.checkCenters(kind)
}

// checkLimits is the error of a reader for what it does not take.
func (f *ModelFile) checkLimits() error {
	for i, list := range [][]string{{f.Method}, f.Columns, f.Units, {f.Scale}, {f.Kernel}} {
		for _, s := range list {
			size := 0
			for _, r := range s { // bytes that are no UTF-8 are written as U+FFFD each
				size += utf8.RuneLen(r)
			}
			if size > mostName {
				return fail(ErrFormat, [...]string{"method", "columns", "units", "scale", "kernel"}[i]+": a string of more than "+strconv.Itoa(mostName)+" bytes")
			}
		}
	}
	for i, n := range []int{len(f.Columns), len(f.Model.Warnings), len(f.Model.Others)} {
		if most := [...]int{mostFileCols, mostName, mostName}[i]; n > most {
			return fail(ErrFormat, [...]string{"columns", "warnings", "others"}[i]+": more than "+strconv.Itoa(most)+" in a list")
		}
	}
	return nil
}

// checkCounts is an error if the numbers of rows contradict each other. 0 rows are not known.
func (f *ModelFile) checkCounts(kind error) error {
	sum := uint64(0)
	for _, n := range append(slices.Clone(f.Sizes), f.Rows) {
		if uint64(n) > mostOfFile {
			return fail(kind, "a number of rows is "+strconv.Itoa(n)+", above 2^53")
		}
	}
	for _, n := range f.Sizes {
		sum = min(sum+uint64(n), 1<<60)
	}
	samples := 0
	if f.Samples != nil {
		samples = f.Samples.Rows
	}
	switch {
	case f.Rows > 0 && len(f.Sizes) > 0 && sum != uint64(f.Rows):
		return fail(kind, "the sizes add up to "+strconv.FormatUint(sum, 10)+", not to the "+strconv.Itoa(f.Rows)+" rows")
	case samples > 0 && samples != f.Rows:
		return fail(kind, "the model has "+strconv.Itoa(samples)+" samples of "+strconv.Itoa(f.Rows)+" rows")
	}
	return nil
}

// sameRange is the share of a column's range or size by which rounding may take its mean out
// of the range, or its spread above it.
const sameRange = 1e-6

// checkRanges is an error if the ranges, means and spreads of columns contradict each other.
func (f *ModelFile) checkRanges(kind error) error {
	for j, name := range f.Columns {
		at := func(list []float64, other float64) float64 {
			if len(list) == 0 {
				return other
			}
			return list[j]
		}
		least, most := at(f.ColumnLeast, math.Inf(-1)), at(f.ColumnMost, math.Inf(1))
		mean, spread := at(f.ColumnMean, least), at(f.ColumnSpread, 0)
		off := sameRange*math.Abs(least) + sameRange*math.Abs(most) + 0x1p-1000 // +Inf where an end is not known
		switch {
		case least > most, len(f.ColumnMean) > 0 && (mean < least-off || mean > most+off):
			return fail(kind, "column "+quotedShort(name)+" has a range from "+decimal(least)+" to "+decimal(most)+" and a mean of "+decimal(mean))
		case spread < 0 || spread > most-least+off:
			return fail(kind, "column "+quotedShort(name)+" has a spread of "+decimal(spread)+" in a range from "+decimal(least)+" to "+decimal(most))
		}
	}
	return nil
}

// checkSimilarities is check for a model of similarities.
func (f *ModelFile) checkSimilarities(kind error) error {
	s, m := f.Similarities, f.Model
	n, samples := s.Memberships.Rows, len(f.Columns)
	if f.Samples != nil {
		if err := checkMatrix("samples", f.Samples, mostCenter); err != nil {
			return err
		}
		if samples = f.Samples.Rows; f.Samples.Cols != len(f.Columns) {
			return fail(kind, "the samples have "+strconv.Itoa(f.Samples.Cols)+" columns, not "+strconv.Itoa(len(f.Columns)))
		}
	}
	switch {
	case samples != n:
		return fail(kind, "the decomposition has "+strconv.Itoa(n)+" samples, but the model "+strconv.Itoa(samples))
	case f.Centers != nil || m.Centers != nil || m.ClusterMeans != nil || m.ClusterAxes != nil || m.Others != nil:
		return fail(kind, "the model has centers and a decomposition")
	case s.Objective != m.Objective || s.Floor != m.Floor || s.FloorError != m.FloorError || s.Total != m.Total || s.Gap != m.Gap:
		return fail(kind, "the objective or the floor is not that of the decomposition")
	}
	return nil
}

// checkCenters is check for the centers of a model of rows.
func (f *ModelFile) checkCenters(kind error) error {
	m, d := f.Model, len(f.Columns)
	switch {
	case f.Samples != nil:
		return fail(kind, "the model has samples without a decomposition")
	case f.Centers == nil:
		return fail(kind, "the model has no centers")
	case m.Centers == nil:
		return fail(kind, "the model has no scaledCenters")
	}
	if err := firstError(checkMatrix("centers", f.Centers, math.MaxFloat64), checkMatrix("scaledCenters", m.Centers, mostCenter)); err != nil {
		return err
	}
	k := m.Centers.Rows
	if f.Centers.Rows != k || f.Centers.Cols != d || m.Centers.Cols != d {
		return fail(kind, "the model has centers of "+shape(f.Centers.Rows, f.Centers.Cols)+" and "+shape(k, m.Centers.Cols)+" for "+strconv.Itoa(d)+" columns")
	}
	for i := range k {
		for j, u := range m.Centers.row(i) {
			shift, divisor, v := 0.0, 1.0, f.Centers.At(i, j)
			if len(f.Divisor) > 0 {
				shift, divisor = f.Shift[j], f.Divisor[j]
			}
			// Halves, of which no sum is out of range.
			if far := math.Abs(v/2 - shift/2 - u*(divisor/2)); !(far <= sameCenters*(math.Abs(v)+math.Abs(shift)+math.Abs(u*(divisor/2)))) {
				return fail(kind, "center "+strconv.Itoa(i+1)+" is "+decimal(v)+" in column "+strconv.Itoa(j+1)+", which contradicts the scaled "+decimal(u))
			}
		}
	}
	for i, w := range m.Warnings {
		if w.Kind < 0 || w.Kind >= warningCount || w.Cluster < 0 || w.Cluster >= k || w.Other < 0 || w.Other >= k {
			return fail(kind, "the model's warning "+strconv.Itoa(i)+" has values that no fit returns")
		}
	}
	for _, a := range m.Others {
		if err := checkMatrix("others", a.Centers, mostCenter); err != nil {
			return err
		}
		if a.Centers.Rows != k || a.Centers.Cols != d {
			return fail(kind, "other centers of "+shape(a.Centers.Rows, a.Centers.Cols)+", not "+shape(k, d))
		}
	}
	return firstError(checkStored("clusterMeans", m.ClusterMeans), checkStored("clusterAxes", m.ClusterAxes), m.checkMeans(kind))
}
