package sources

// The answer to what rows are made of, in numbers and words: for the command and the page.

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/kinds"
	"softkmeans/internal/noise"
	"softkmeans/internal/table"
)

// Answer is the shares of rows, and what is known of them.
type Answer struct {
	Mixer  *Mixer
	Result *Result
	Rows   *softkmeans.Matrix // the rows, in divided columns like the Mixer's prototypes
	Noise  Noise
	Out    []bool // the rows that no mixture explains
	Scaled string // what columns are divided by, in words; "": nothing. Residuals are so, too
	far    string // that no mixture explains the table; "": some do
}

// everyFew returns about 2048 rows of x, or all if these are fewer.
func everyFew(x *softkmeans.Matrix) *softkmeans.Matrix {
	var at []int
	for i := 0; i < x.Rows; i += max(1, x.Rows/2048) {
		at = append(at, i)
	}
	return draws.Chosen(x, at)
}

// Solve returns the shares of the rows x, in which NaN is missing; each row has a value. With auto the
// rows tell whether they are counts, and whether they have lengths of their own.
func (s *Sources) Solve(ctx context.Context, x *softkmeans.Matrix, o Options, auto bool) (*Answer, error) {
	var err error
	a := new(Answer)
	var by []float64
	found := kinds.Look(x)
	if by, a.Scaled = s.divisors(x, o.Scale, auto && found.Counts); by != nil {
		if o.counts = a.Scaled == countsWords; o.counts && found.Divided {
			x = kinds.Multiples(x)
		}
		scaled := *s
		x, scaled.Centers = noise.Divide(x, by), noise.Divide(s.Centers, by)
		if s.SD != nil {
			scaled.SD = noise.Divide(s.SD, by)
		}
		s = &scaled
	}
	if auto && o.Sum == softkmeans.SumToOne {
		if o.Cone, err = s.Lengths(ctx, everyFew(x), o); err != nil {
			return nil, err
		}
	}
	if a.Mixer, err = s.NewMixer(o); err != nil {
		return nil, err
	}
	if a.Result, err = a.Mixer.Mix(ctx, x, true); err != nil {
		return nil, err
	}
	if a.Noise, err = a.Mixer.Noise(ctx, a.Result, x); err == nil {
		a.Out, err = a.Mixer.Out(ctx, a.Result, x, a.Noise)
	}
	a.Rows, a.far = x, a.Mixer.far(a.Result, x)
	return a, err
}

// Lengths reports whether rows are mixtures times lengths of their own.
func (a *Answer) Lengths() bool { return a.Mixer.o.Cone }

// Means returns the mean share of each group.
func (a *Answer) Means() []float64 {
	g := a.Result.Shares
	means := make([]float64, g.Cols)
	for i := range g.Rows {
		for j, v := range g.Row(i) {
			means[j] += v / float64(g.Rows)
		}
	}
	return means
}

// Columns returns what a file has after the shares: ranges, where there are any, residual, length, and
// outside. entropy, if not nil, is another column, by the row's shares.
func (a *Answer) Columns(entropy func(g []float64) float64) (names []string, values *softkmeans.Matrix) {
	r := a.Result
	var columns []func(i int) float64
	add := func(name string, value func(i int) float64) {
		names, columns = append(names, name), append(columns, value)
	}
	if r.Low != nil {
		for j, name := range a.Mixer.Groups {
			add(name+"_low", func(i int) float64 { return r.Low.At(i, j) })
			add(name+"_high", func(i int) float64 { return r.High.At(i, j) })
		}
	}
	add("residual", func(i int) float64 { return r.Residual[i] })
	if entropy != nil {
		add("entropy", func(i int) float64 { return entropy(r.Shares.Row(i)) })
	}
	if r.Length != nil {
		add("length", func(i int) float64 { return r.Length[i] })
	}
	add("outside", func(i int) float64 {
		if a.Out[i] {
			return 1
		}
		return 0
	})
	values = softkmeans.NewMatrix(r.Shares.Rows, len(names), nil)
	for i := range values.Rows {
		for j, value := range columns {
			values.Set(i, j, value(i))
		}
	}
	return names, values
}

// LeastNorm says which shares are given if several mixtures are equally near to a row.
const LeastNorm = "Of all mixtures that are equally near to a row, the most even one is given (least sum of squared shares). "

// OpenWords says that shares are not unique, and what ranges are; "" where there are none.
func (a *Answer) OpenWords() string {
	m, r := a.Mixer, a.Result
	low, text := table.Short(m.Groups[0], mostWord)+"_low", ""
	switch {
	case r.Open && m.Unique():
		text = "Shares of rows with missing values are not unique. " + LeastNorm
	case r.Open:
		text = "Shares are not unique: the columns determine the shares of at most " +
			table.Count(m.Apart(), "prototype") + ", and there are " + strconv.Itoa(m.Centers.Rows) + ". " + LeastNorm
	}
	switch {
	case r.Drawn != nil:
		text += "The ranges, " + low + " and so on, are 90 % intervals over " + strconv.Itoa(Draws) + " random sets of sources, " +
			"from normal distributions with the given means and standard deviations."
		if r.Open {
			text += " As several mixtures fit each set, they reach from the 5 % quantile of the smallest share to the 95 % " +
				"quantile of the largest."
		}
	case r.Open && r.Low == nil:
		text += "Ranges are left out, as ranges of so many sources would take long."
	case r.Open:
		text += "The ranges, " + low + " and so on, are from the least to the largest share of all nearest " +
			"mixtures."
	}
	return text
}

// Farthest returns how many rows are outside, and those of them with the largest residuals.
func (a *Answer) Farthest(most int) (n int, rows []int) {
	for i, out := range a.Out {
		if out {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(i, j int) int {
		return cmp.Compare(a.Result.Residual[j], a.Result.Residual[i])
	})
	return len(rows), rows[:min(len(rows), most)]
}

// OutWords says how many rows are outside, and names some of them.
func (a *Answer) OutWords(most int, name func(i int) string) string {
	n, rows := a.Farthest(most)
	why, list := a.Noise.Explains("row", "column"), ""
	if a.Result.Drawn != nil {
		why = "the standard deviations explain, in more than 95 % of the random sets"
	}
	for at, i := range rows {
		unit := ""
		if at == 0 && (a.Scaled == deviationWords || a.Scaled == rowsWords) {
			unit = " pooled standard deviations from its mixture"
		}
		list += [...]string{": ", ", "}[min(at, 1)] + name(i) + " (" + small(a.Result.Residual[i]) + unit + ")"
	}
	if n > len(rows) {
		list += ", …"
	}
	if a.far != "" && n == 0 {
		return a.far
	}
	return strings.TrimLeft(a.far+" "+Outside(n, "row", "prototypes", list, why), " ")
}

// Outside says how many rows, called noun, are outside of the prototypes, called of. list names some of them. why is
// what explains the distances of the other rows from their mixtures.
func Outside(n int, noun, of, list, why string) string {
	if n == 0 {
		return "No " + noun + " is outside of the " + of + ": none is farther from its mixture than " + why + "."
	}
	if !strings.HasSuffix(list, "…") {
		list += "."
	}
	return table.Count(n, noun) + table.Plural(n, " is", " are") + " outside of the " + of + list +
		table.Plural(n, " It is farther from its mixture", " They are farther from their mixtures") + " than " +
		why + "."
}

// Explains says what noise explains, of rows and columns of these names.
func (n Noise) Explains(row, column string) string {
	switch {
	case n.Value == 0:
		return "rounding explains"
	case n.columns == nil:
		return "the noise of the " + row + "s explains (standard deviation " + small(n.Value) + " in each value)"
	}
	least, most := slices.Min(n.columns)*n.rest.Value, slices.Max(n.columns)*n.rest.Value
	return "the noise of the " + row + "s explains (standard deviations " + small(least) + " to " +
		small(most) + ", by " + column + ")"
}

func small(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
