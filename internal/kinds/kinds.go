// Package kinds tells what the numbers of a table are: counts, parts of a whole, or neither; and
// which column is the sum of the others, or has codes. It claims only what leaves no doubt.
package kinds

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// Found is what the numbers of a table are.
type Found struct {
	Counts  bool    // numbers of events, each as uncertain as its square root
	MayBe   bool    // it is open whether they are counts
	Divided bool    // the counts were divided by a number: [Multiples] returns them
	Sum     float64 // what each row adds up to: 1, 100 or a million; 0: no such number
	Total   int     // the column that is the sum of the others, from 1; 0: none
	Curves  bool    // the columns are the steps of a curve, such as a spectrum
}

// Scale returns the scale that [scale.Auto] stands for; Auto: the spread of the columns decides.
func (f Found) Scale() scale.Kind {
	switch {
	case f.Counts:
		return scale.Counts
	case f.Sum > 0:
		return scale.None
	}
	return scale.Auto
}

// Words that programs show. How to change the choice they add themselves.
const (
	CountsWords  = "the numbers are counts: rows are fitted as shares and are weighted by their sums"
	DividedWords = "the numbers are counts divided by a number, which is undone: rows are fitted as shares " +
		"and are weighted by the sums of the counts"
	MayBeWords = "the numbers may be counts"
	SumWords   = ", as parts of a whole: columns are not standardized"
	AboveWords = "Prototypes are kept at 0 or above"
	LabelWords = "labels are the largest memberships, as rows are mixtures"
	TotalWords = " is the sum of the others, and so contains no further information"
)

// Slack is how far the squared error of k prototypes of counts in d columns may be above its floor, as a
// share: a part of what noise leaves in their plane. 0: the default, as there is too little noise to see.
func Slack(k, d int) float64 {
	if k < 2 || d <= k {
		return 0
	}
	return slackOfNoise * float64(k-1) / float64(d-k+1)
}

// slackOfNoise is the factor in the default slack of softkmeans.FitMinVolume. On 53 tables of random counts
// in 8 to 400 columns .1 and .6 did about as well.
const slackOfNoise = .25

// Choose chooses the number of prototypes of the rows x by choosek.Choose. Without sums they are as
// given. Of rows that s divided by these sums it takes [surprising] rows, without weights. The choice is
// nil if the rows are too few to tell.
func Choose(
	ctx context.Context, x *softkmeans.Matrix, sums []float64, s *scale.Scaling, o *choosek.Options,
) (*choosek.Choice, error) {
	even := *o
	if sums != nil {
		x, even.Weights, even.Divided = surprising(x, sums, s), nil, true
	}
	c, err := choosek.Choose(ctx, x, &even)
	if errors.Is(err, softkmeans.ErrTooFewSamples) {
		return nil, nil
	}
	return &c, err
}

// surprising returns the rows by which a number of prototypes is chosen, of rows x that s divided by the
// given sums: the distance of each entry from the number expected by the sums of its row and column. For
// counts it is divided by its standard deviation. Noise is then the same everywhere. On 60 random tables
// of rows that differ in brightness the choice was right for 57; by the rows divided by their sums for
// 33, and by the rows as given for 1.
func surprising(x *softkmeans.Matrix, sizes []float64, s *scale.Scaling) *softkmeans.Matrix {
	mean, total := make([]float64, x.Cols), 0.0
	for i, n := range sizes {
		for j, v := range x.Row(i) {
			mean[j] += n * v
		}
		total += n
	}
	z := x.Clone()
	for i, n := range sizes {
		if s.Kind == scale.Counts {
			n = math.Sqrt(n)
		} else {
			n /= s.Divisor[0]
		}
		for j, v := range x.Row(i) {
			z.Row(i)[j] = n * (v - mean[j]/total)
		}
	}
	return z
}

// Keep takes the centers of a model of closed rows x, scaled by s, back to the sum of these, from which
// bounds take them by some percent, and computes the memberships anew. It leaves other models alone.
func Keep(m *softkmeans.Model, s *scale.Scaling, x *softkmeans.Matrix) (err error) {
	if !s.Closes() {
		return nil
	}
	s.Undo(m.Centers.Data)
	s.Close(m.Centers.Data)
	s.Apply(m.Centers.Data)
	m.Memberships, err = m.Predict(nil, x)
	return err
}

// Words say what is taken of numbers of this kind; "" if columns are.
func (f Found) Words() string {
	switch {
	case f.Divided:
		return DividedWords
	case f.Counts:
		return CountsWords
	case f.Sum > 0:
		return "rows add up to " + strconv.FormatFloat(f.Sum, 'f', -1, 64) + SumWords
	}
	return ""
}

// leastRows is how many rows tell something.
const leastRows = 5

// Look looks at the rows x. Missing values leave all open but Total, which the complete rows tell.
func Look(x *softkmeans.Matrix) (f Found) {
	full := complete(x)
	if x.Cols < 3 || full.Rows < leastRows {
		return f
	}
	if f.Total = total(full); f.Total == 0 && full.Rows == x.Rows {
		f.Sum = closed(x)
		if f.Counts, f.MayBe = counts(x, &wholeLimits); !f.Counts && !f.MayBe {
			if m := Multiples(x); m != nil && apart(m) == 1 {
				f.Counts, _ = counts(m, &dividedLimits)
				f.Divided = f.Counts
			}
		}
		f.Curves = curves(x)
	}
	return f
}

// complete returns the rows of x without a missing value.
func complete(x *softkmeans.Matrix) *softkmeans.Matrix {
	at := slices.DeleteFunc(la.Indices(x.Rows), func(i int) bool {
		return slices.ContainsFunc(x.Row(i), math.IsNaN)
	})
	if len(at) == x.Rows {
		return x
	}
	return draws.Chosen(x, at)
}

// Codes returns the columns, from 1, whose few whole numbers may be codes of groups, ratings or answers;
// nil if there are none. At least a quarter of the columns must be measurements: they contain decimals,
// or more than mostCodes different numbers. If all numbers are whole, as counts are, half of the columns
// must be measurements, and only the first and the last column are looked at, in fewCodes rows or more.
// Columns for which told returns true are no measurements. They are not returned, nor are columns of 0 and
// 1 that code a word, such as city=Paris.
//
// Of 1 297 files of many projects 72 have such columns that no name tells. In some 15 of these they are not
// codes: numbers of persons, goals and gaps, distances of 0 and 1, and coefficients of linear programs.
func Codes(x *softkmeans.Matrix, names []string, told func(name string) bool) (at []int) {
	whole := !slices.ContainsFunc(x.Data, func(v float64) bool { return v > math.Floor(v) })
	if x.Cols < 3 || whole && x.Rows < fewCodes || closed(x) > 0 { // shares of 0 and 1
		return nil
	}
	measured := 0
	for j, name := range names {
		switch coded, few := codes(x, j); {
		case told(name):
		case !few:
			measured++
		case coded && (!whole || j == 0 || j == x.Cols-1) && !strings.Contains(name, "="):
			at = append(at, j+1)
		}
	}
	if 4*measured < x.Cols || whole && 2*measured < x.Cols {
		return nil
	}
	return at
}

// codes reports whether column j contains at most mostCodes different numbers, all whole. coded: they
// are also at most mostCodes in size, two or more, and there are three times as many rows.
func codes(x *softkmeans.Matrix, j int) (coded, few bool) {
	times, within, rows := map[float64]int{}, true, 0
	for i := range x.Rows {
		v := x.At(i, j)
		if v != v { // missing
			continue
		}
		rows++
		within = within && math.Abs(v) <= mostCodes
		if times[v]++; v != math.Trunc(v) || len(times) > mostCodes {
			return false, false
		}
	}
	return within && len(times) > 1 && 3*len(times) <= rows, true
}

// mostCodes is the largest code of a group. See Codes for fewCodes.
const (
	mostCodes = 10
	fewCodes  = 50
)

// CodesWords is a warning of columns that [Codes] finds, by their names.
func CodesWords(names []string) string {
	return "warning: " + contain(names) +
		" few different numbers, all whole, and may be codes, ratings or answers"
}

// Constant returns the columns, from 1, that contain one number in all of three rows or more. Missing
// values do not count.
func Constant(x *softkmeans.Matrix) (at []int) {
	for j := range x.Cols {
		first, n := math.NaN(), 0
		for i := 0; i < x.Rows && n >= 0; i++ {
			switch v := x.At(i, j); {
			case v != v:
			case n == 0 || v == first:
				first, n = v, n+1
			default:
				n = -1
			}
		}
		if n > 2 {
			at = append(at, j+1)
		}
	}
	return at
}

// ConstantWords is a note on columns that [Constant] finds, by their names.
func ConstantWords(names []string) string {
	return contain(names) + " only one value" + table.Plural(len(names), "", " each")
}

// contain is "column a contains" or "columns a, b, c, 4 more contain".
func contain(names []string) string {
	columns := "columns "
	if n := len(names) - 3; n > 0 {
		names = append(names[:3:3], strconv.Itoa(n)+" more")
	} else if len(names) == 1 {
		columns = "column "
	}
	return columns + strings.Join(names, ", ") + table.Plural(len(names), " contains", " contain")
}

// within is how far sums may be off by the rounding of their parts, as a share.
const within = .005

// Whole returns of what parts with this sum are: 1, 100, as percent, or a million, as of genes; 0: of none.
func Whole(sum float64) float64 {
	for _, c := range []float64{1, 100, 1e6} {
		if math.Abs(sum-c) <= within*c {
			return c
		}
	}
	return 0
}

// closed returns what all rows add up to. Columns of 0 and 1 that code a word do, too, and are no parts.
func closed(x *softkmeans.Matrix) float64 {
	parts, full := false, 0
	sum := 0.0
	for i := range x.Rows {
		s := 0.0
		for _, v := range x.Row(i) {
			if v < 0 {
				return 0
			}
			s += v
			parts = parts || v != 0 && v != 1
		}
		if s == 0 { // says nothing
			continue
		}
		if full++; full == 1 {
			sum = Whole(s)
		}
		if sum == 0 || math.Abs(s-sum) > within*sum {
			return 0
		}
	}
	if !parts || full < leastRows {
		return 0
	}
	return sum
}

// total returns the column, from 1, that is the sum of the others in all rows; 0: none is. Rows of zeros
// say nothing.
func total(x *softkmeans.Matrix) int {
	at := -1
	for i := range x.Rows {
		row := x.Row(i)
		if j := slices.Index(row, slices.Max(row)); at < 0 && row[j] > 0 {
			at = j
		}
		sum := 0.0
		for j, v := range row {
			if v < 0 {
				return 0
			}
			if j != at {
				sum += v
			}
		}
		if at >= 0 && math.Abs(sum-row[at]) > within*sum {
			return 0
		}
	}
	return at + 1
}
