package view

// The columns of a table: which of them tell prototypes apart, and whether they have an order.

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/chart"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/scale"
)

const (
	// MostColumns is the number of columns without an order that are shown.
	MostColumns = 20
	// mostLines is the number of prototypes that are drawn as lines.
	mostLines = 10
	// smooth is the ratio of neighbors' differences to those of any columns below which
	// columns have an order.
	smooth = .05
)

// Columns is what pictures of prototypes need to know about a table.
type Columns struct {
	Names []string
	Axis  *Axis // nil: names are no numbers in order
	Moments

	Labels []string // of the prototypes; nil: p0, p1, …

	Low, High *softkmeans.Matrix // quartiles of clusters, for pictures of their means; nil: none
}

// Moments contains a mean and a spread for each column. Spread is a standard deviation, 0 of a constant column.
type Moments struct {
	Mean, Spread []float64
	Constant     []bool    // all rows have the mean's value
	Unit         []float64 // the divisors of the fit; nil: 1. Larger differences in these units tell more.
}

// in returns a difference in column j in the fit's units.
func (m *Moments) in(j int, difference float64) float64 {
	if m.Unit == nil {
		return difference
	}
	return difference / m.Unit[j]
}

// Apart returns how far a center is above the mean in column j, in the fit's units.
func (m *Moments) Apart(center []float64, j int) float64 { return m.in(j, center[j]-m.Mean[j]) }

// NewColumns returns the columns of rows x with weights (nil: all 1).
func NewColumns(x *softkmeans.Matrix, weights []float64, names []string) *Columns {
	return &Columns{Names: names, Axis: NewAxis(names), Moments: MomentsOf(x, weights)}
}

// MomentsOf finds the moments of rows x with weights (nil: all 1), in the units of x.
func MomentsOf(x *softkmeans.Matrix, weights []float64) Moments {
	c := Moments{Mean: make([]float64, x.Cols), Spread: make([]float64, x.Cols),
		Constant: make([]bool, x.Cols)}
	top := 1.0
	if weights != nil {
		top = slices.Max(weights)
	}
	all := 0.0
	weigh := func(i int) float64 { return draws.Weight(weights, i) / top }
	for j := range c.Constant {
		c.Constant[j] = true
	}
	for i := range x.Rows {
		all += weigh(i)
		for j, v := range x.Row(i) {
			c.Constant[j] = c.Constant[j] && v == x.At(0, j)
		}
	}
	for i := range x.Rows {
		la.Axpy(c.Mean, weigh(i)/all, x.Row(i))
	}
	for i := range x.Rows {
		w := weigh(i) / all
		for j, v := range x.Row(i) {
			c.Spread[j] += w * (v - c.Mean[j]) * (v - c.Mean[j])
		}
	}
	for j, v := range c.Spread {
		if c.Spread[j] = math.Sqrt(v); c.Constant[j] {
			c.Mean[j], c.Spread[j] = x.At(0, j), 0
		}
	}
	return c
}

// Prototypes are the names of k prototypes.
func (c *Columns) Prototypes(k int) []string {
	if c.Labels != nil {
		return c.Labels
	}
	return Names(k)
}

// Difference is how far a center is from the mean in a column, in standard deviations.
type Difference struct {
	Column int
	Value  float64
}

// leastDifference is the least difference that tells something.
const leastDifference = 0.05

// Differences returns the differences of a center from the mean, the largest in the fit's units first. Standard
// deviations would rank the slope of a peak above its top, if few rows contain the peak.
func (m *Moments) Differences(center []float64) []Difference {
	var list []Difference
	for j, v := range center {
		if s := m.Spread[j]; s > 0 {
			if d := (v - m.Mean[j]) / s; math.Abs(d) >= leastDifference {
				list = append(list, Difference{j, d})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Difference) int { // equal ones differ by rounding: the first stays first
		return cmp.Compare(coarse(m.Apart(center, b.Column)), coarse(m.Apart(center, a.Column)))
	})
	return list
}

// coarse returns |v| rounded to 32 bits of its mantissa.
func coarse(v float64) float64 {
	return math.Float64frombits((math.Float64bits(math.Abs(v)) + 1<<19) &^ (1<<20 - 1))
}

// Signed formats a difference with its sign.
func Signed(v float64) string {
	if v < 0 {
		return "−" + strconv.FormatFloat(-v, 'f', 1, 64)
	}
	return "+" + strconv.FormatFloat(v, 'f', 1, 64)
}

// Quartiles returns the first and the last quartile of the rows of x in each cluster, column by column. Those of a
// cluster without rows are NaN.
func Quartiles(x *softkmeans.Matrix, clusters []int, k int) (low, high *softkmeans.Matrix) {
	low, high = softkmeans.NewMatrix(k, x.Cols, nil), softkmeans.NewMatrix(k, x.Cols, nil)
	values := make([][]float64, k)
	for j := range x.Cols {
		for c := range values {
			values[c] = values[c][:0]
		}
		for i, c := range clusters {
			values[c] = append(values[c], x.At(i, j))
		}
		for c, list := range values {
			slices.Sort(list)
			low.Set(c, j, quantile(list, .25))
			high.Set(c, j, quantile(list, .75))
		}
	}
	return low, high
}

// quantile interpolates between the values of a sorted list.
func quantile(list []float64, at float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	place := at * float64(len(list)-1)
	i := int(place)
	return list[i] + (place-float64(i))*(list[min(i+1, len(list)-1)]-list[i])
}

// Clean returns centers with the value of constant columns in place of what rounding left there.
func (c *Columns) Clean(centers *softkmeans.Matrix) *softkmeans.Matrix {
	clean := centers.Clone()
	for i := range clean.Rows {
		for j, v := range clean.Row(i) {
			if c.Constant[j] || math.Abs(v-c.Mean[j]) <= 1e-12*c.Spread[j] {
				clean.Set(i, j, c.Mean[j])
			}
		}
	}
	return clean
}

// Shown returns centers of scaled rows in the units of the table. s is the scaling; nil: none.
func (c *Columns) Shown(centers *softkmeans.Matrix, s *scale.Scaling) *softkmeans.Matrix {
	clean := c.Clean(centers)
	s.Undo(clean.Data)
	s.Close(clean.Data)
	return clean
}

// Telling returns at most most columns that tell the centers apart, grouped by the center that they tell from
// the others. A column tells the center that lies farthest from the middle of all, in the fit's units. Each
// center's first columns come before the second ones of others.
func (c *Columns) Telling(centers *softkmeans.Matrix, most int) []int {
	owner, distance, rank := make([]int, centers.Cols),
		make([]float64, centers.Cols), make([]int, centers.Cols)
	order := la.Indices(centers.Cols)
	for j := range order {
		mean := 0.0
		for i := range centers.Rows {
			mean += centers.At(i, j) / float64(centers.Rows)
		}
		for i := range centers.Rows {
			// of two, none is farther
			if d := math.Abs(c.in(j, centers.At(i, j)-mean)); c.Spread[j] > 0 && d > distance[j]*(1+1e-9) {
				owner[j], distance[j] = i, d
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distance[b], distance[a]) })
	seen := make([]int, centers.Rows)
	for _, j := range order {
		rank[j] = seen[owner[j]]
		seen[owner[j]]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	order = order[:min(most, len(order))]
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(owner[a], owner[b]) })
	return order
}

// Ordered reports whether neighboring columns belong together, as those of spectra do: their names are
// numbers in order, or there are many and the centers are smooth. That is J. von Neumann's ratio (1941) of
// successive differences to the variance, about 1 for columns in any order.
func (c *Columns) Ordered(centers *softkmeans.Matrix) bool {
	if c.Axis != nil || centers.Cols <= MostColumns {
		return c.Axis != nil
	}
	var steps, variance float64
	for i := range centers.Rows {
		row := centers.Row(i)
		mean, size := 0.0, la.Largest(row)
		for _, v := range row {
			mean += v / size / float64(len(row))
		}
		for j, v := range row {
			variance += (v/size - mean) * (v/size - mean)
			if j > 0 {
				steps += (v - row[j-1]) / size * (v - row[j-1]) / size
			}
		}
	}
	return steps < smooth*2*variance
}

// Axis is the numbers of columns that are named by numbers.
type Axis struct {
	Name string // such as "wavelength (nm)"
	At   []float64
	Log  bool // the numbers are multiplied by about the same factor from one to the next, as size classes are
}

// NewAxis reads names as rising or falling numbers with one unit or none. It is nil if they are not, if there
// are fewer than three, and for consecutive numbers from 0 or 1, which count columns.
func NewAxis(names []string) *Axis {
	if len(names) < 3 {
		return nil
	}
	a := &Axis{At: make([]float64, len(names))}
	unit := ""
	for j, name := range names {
		number, rest := cutNumber(name)
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || !Finite(v) || j > 0 && rest != unit {
			return nil
		}
		a.At[j], unit = v, rest
	}
	rising, counting := a.At[1] > a.At[0], a.At[0] == 0 || a.At[0] == 1
	for j := 1; j < len(a.At); j++ {
		if a.At[j] == a.At[j-1] || a.At[j] > a.At[j-1] != rising {
			return nil
		}
		counting = counting && a.At[j] == a.At[j-1]+1
	}
	if counting {
		return nil
	}
	a.Name, a.Log = axisName(unit), geometric(a.At)
	return a
}

// geometric reports whether numbers are above 0, span a factor of ten, and are multiplied from one to the next by
// factors whose logarithms are within a quarter of each other's mean.
func geometric(at []float64) bool {
	first, last := at[0], at[len(at)-1]
	if !(first > 0) || !(last > 0) || math.Abs(math.Log10(last/first)) < 1 {
		return false
	}
	mean := math.Log(last/first) / float64(len(at)-1)
	for j, v := range at[1:] {
		if math.Abs(math.Log(v/at[j])-mean) > math.Abs(mean)/4 {
			return false
		}
	}
	return true
}

// cutNumber splits a name into a number and what follows it, without spaces and brackets.
func cutNumber(name string) (number, unit string) {
	name = strings.TrimSpace(name)
	n := strings.IndexFunc(name, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if n < 0 {
		return name, ""
	}
	return name[:n], strings.Trim(name[n:], " ()[]_")
}

func axisName(unit string) string {
	switch unit {
	case "":
		return "column"
	case "nm", "um", "µm", "μm", "Å":
		return "wavelength (" + unit + ")"
	case "cm-1", "cm⁻¹", "cm^-1", "1/cm":
		return "wavenumber (cm⁻¹)"
	case "Hz", "kHz", "MHz", "GHz":
		return "frequency (" + unit + ")"
	case "s", "ms", "min", "h", "d":
		return "time (" + unit + ")"
	}
	return "column (" + unit + ")"
}

// Centers draws the centers: columns in order as lines, or a strip for each center if there are many; a few
// columns without an order as points; else the most telling ones as a matrix. shown has the centers in the
// units for texts. The frame needs only its id and size, the title's first words, and the unit as its YLabel.
func (c *Columns) Centers(f chart.Frame, centers, shown *softkmeans.Matrix) []byte {
	ordered, names := c.Ordered(centers), c.Prototypes(centers.Rows)
	switch {
	case ordered && centers.Rows > mostLines:
		f.Title += ": a strip each, column by column"
		f.Height, f.Desc = 0, "A strip for each prototype; each pixel is one column or the mean of several."
		return chart.Tiles(nil, &chart.TilePlot{Frame: f, Values: centers.Data, Rows: 1,
			Cols: centers.Cols, Names: names,
			Pixel: func(j int) string { return c.Names[j] }})
	case centers.Rows > mostLines || !ordered && (centers.Cols > MostColumns || flattened(centers)):
		return chart.Matrix(nil, c.matrix(f, centers, shown))
	}
	f.Desc = "A line for each prototype: its value in every column."
	if low := c.Low; !ordered && low != nil {
		f.Title += "; lines: the middle half of the rows"
		f.Desc = "A point for each cluster and column. Its stroke spans the middle half of the cluster's rows."
	} else if f.Title += " over the columns"; !ordered {
		f.Desc = "A point for each prototype and column."
	}
	plot := &chart.LinePlot{Frame: f, Points: !ordered}
	if c.Axis != nil {
		plot.XLabel, plot.LogX = c.Axis.Name, c.Axis.Log
	} else {
		plot.XNames, plot.IntegerX = c.Names, true
	}
	for i, name := range names {
		s := chart.Series{Name: name, Y: centers.Row(i), Markers: centers.Cols <= 40}
		if c.Axis != nil {
			s.X = c.Axis.At
		}
		if plot.Points && c.Low != nil {
			s.Low, s.High = c.Low.Row(i), c.High.Row(i)
		}
		plot.Series = append(plot.Series, s)
	}
	return chart.Lines(nil, plot)
}

// mostTall is how many times the median column's largest value a column of points may have.
const mostTall = 8

// flattened reports whether one column is so much larger than the others that points would show it alone.
func flattened(centers *softkmeans.Matrix) bool {
	tops := make([]float64, centers.Cols)
	for i, v := range centers.Data {
		tops[i%centers.Cols] = max(tops[i%centers.Cols], math.Abs(v))
	}
	slices.Sort(tops)
	return tops[len(tops)-1] > mostTall*tops[len(tops)/2]
}

// matrix has the most telling columns as rows, and how far the centers lie from the mean
// in units of the spread.
func (c *Columns) matrix(f chart.Frame, centers, shown *softkmeans.Matrix) *chart.MatrixPlot {
	columns := c.Telling(centers, MostColumns)
	m := &chart.MatrixPlot{Frame: f, Cols: c.Prototypes(centers.Rows), Above: "above the mean",
		Below: "below", Note: "In standard deviations of the column from its mean"}
	if m.Title += ": distance from the mean of each column"; centers.Cols > len(columns) {
		m.Title = f.Title + ": the " + strconv.Itoa(len(columns)) + " most telling of " +
			strconv.Itoa(centers.Cols) + " columns"
		order := "The farthest apart first. "
		if centers.Rows > 2 {
			order = "Grouped by the one that they set apart. "
		}
		m.Note = order + m.Note
	}
	m.Desc = "A line for each column and a cell for each prototype."
	for _, j := range columns {
		m.Rows = append(m.Rows, c.Names[j])
		for i := range centers.Rows {
			v := 0.0
			if c.Spread[j] > 0 {
				v = (centers.At(i, j) - c.Mean[j]) / c.Spread[j]
			}
			m.Values = append(m.Values, v)
		}
	}
	m.Tip = func(r, i int) string {
		return m.Rows[r] + ", " + m.Cols[i] + ": " + Small(shown.At(i, columns[r])) + " (" +
			Small(m.Values[r*centers.Rows+i]) + " standard deviations)"
	}
	return m
}

// Tips are the texts of centers in pictures: their values in the most telling columns.
func (c *Columns) Tips(centers, shown *softkmeans.Matrix) (tips []string) {
	columns := c.Telling(centers, 4)
	for i, name := range c.Prototypes(centers.Rows) {
		for n, j := range columns {
			name += [2]string{": ", ", "}[min(n, 1)] + c.Names[j] + " " + Small(shown.At(i, j))
		}
		tips = append(tips, name)
	}
	return tips
}
