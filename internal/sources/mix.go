package sources

// Shares of rows in sources, what they leave, and which rows no mixture explains.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/measure"
	"softkmeans/missing"
	"softkmeans/unmix"
)

// Options says what a mixture is. The zero value is shares that add up to 1.
type Options struct {
	Sum     softkmeans.Sum
	Cone    bool // a row is a mixture times a length of its own; then Sum is 1
	Scale   Scale
	Workers int
	counts  bool // rows are counts, and columns divided by the roots of their means
}

// Scale says by how much columns count.
type Scale int

// With ScaleAuto columns of counts count by the roots of their means, and others by the standard deviations
// of the sources, or by the spread of several prototypes of a class, if there are any; then columns are
// divided by these.
const (
	ScaleAuto Scale = iota
	ScaleNone       // columns are as given
	ScaleRows       // columns are divided by their standard deviations among the rows
)

// Result is the shares of rows.
type Result struct {
	Shares *softkmeans.Matrix // of the groups
	// Prototypes is the shares of the prototypes; that of Shares if these are the groups.
	Prototypes *softkmeans.Matrix
	Low, High  *softkmeans.Matrix // the ranges of the shares; nil: they are unique, and without SD
	Open       bool               // some row has more than one mixture that is nearest
	Length     []float64          // of each row with Cone
	Residual   []float64          // the distance of each row from its mixture
	Drawn      []float64          // with SD: the share of the draws in which the row is outside

	// Within and Beyond are the squared residual in the plane of the prototypes, with Cone in their span,
	// and at right angles to it. Square is that of the row.
	Within, Beyond, Square []float64
	gaps                   []bool // of rows with missing values; nil: none
}

// Mixer computes shares in sources.
type Mixer struct {
	*Sources
	Model *softkmeans.Model // the centers, as a model
	open  *Open
	o     Options
	reach float64 // of the prototypes from their mean
}

// NewMixer returns a Mixer. Errors are those of softkmeans for the centers.
func (s *Sources) NewMixer(o Options) (*Mixer, error) {
	m := &Mixer{Sources: s, Model: &softkmeans.Model{Centers: s.Centers, Sum: o.Sum}, o: o}
	if _, err := m.Model.Predict(nil, softkmeans.NewMatrix(0, s.Centers.Cols, nil)); err != nil {
		return nil, err
	}
	var err error
	if m.open, err = NewOpen(s.Centers, o.Sum, o.Cone); err != nil {
		return nil, err
	}
	for i := range s.Centers.Rows {
		square := 0.0
		for j, v := range s.Centers.Row(i) {
			square += (v - m.open.mean[j]) * (v - m.open.mean[j])
		}
		m.reach = max(m.reach, math.Sqrt(square))
	}
	return m, nil
}

// Where rows have lengths of their own: three quarters of them leave lengthGain times less, by entries that
// no mixture fits, and a length takes more than lengthFit times as much as it would of noise alone.
const (
	lengthGain = 1.3
	lengthFit  = 4
)

// Lengths reports whether rows have lengths of their own, by what they leave with and without.
func (s *Sources) Lengths(ctx context.Context, x *softkmeans.Matrix, o Options) (bool, error) {
	var quarter, all, away [2]float64
	for i := range all {
		o.Cone = i == 1
		m, err := s.NewMixer(o)
		if err != nil {
			return false, err
		}
		if away[i] = float64(x.Cols - m.open.flat.Rows); away[i] == 0 {
			return false, nil
		}
		r, err := m.Mix(ctx, x, false)
		if err != nil {
			return false, err
		}
		for j, v := range r.Residual {
			r.Residual[j] = v * v
			all[i] += v * v
		}
		slices.Sort(r.Residual)
		quarter[i] = r.Residual[len(r.Residual)*3/4] / away[i]
		if i == 0 && quarter[0] < 1e-12*m.reach*m.reach {
			return false, nil
		}
	}
	n := float64(x.Rows)
	return quarter[0] > lengthGain*quarter[1] &&
		all[0]-all[1] > (lengthFit+6*math.Sqrt(2/n))*all[1]/away[1], nil
}

// Unique reports whether every row without gaps has one nearest mixture.
func (m *Mixer) Unique() bool { return m.open.Unique() }

// Apart is how many prototypes the columns can tell apart.
func (m *Mixer) Apart() int { return m.open.rank - max(0, m.open.rows.Cols-m.open.k) }

// mixRows is how many rows are mixed at a time.
const mixRows = 512

// mostWork bounds the steps of the linear programs of all rows: a few minutes. Beyond there are no
// ranges. Tests set another.
var mostWork = 1e11

// Mix returns the shares of the rows x, in which NaN is missing; each row has a value. Ranges are found
// if asked for.
func (m *Mixer) Mix(ctx context.Context, x *softkmeans.Matrix, ranges bool) (*Result, error) {
	n := x.Rows
	r := &Result{Residual: make([]float64, n), Within: make([]float64, n), Beyond: make([]float64, n),
		Square: make([]float64, n)}
	if m.o.Cone {
		r.Length = make([]float64, n)
	}
	g := softkmeans.NewMatrix(n, m.Centers.Rows, nil)
	for lo := 0; lo < n; lo += mixRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+mixRows, n)
		part := softkmeans.NewMatrix(hi-lo, x.Cols, x.Data[lo*x.Cols:hi*x.Cols])
		some, err := m.predict(part)
		if err != nil {
			return nil, draws.LaterRow(err, lo)
		}
		copy(g.Data[lo*g.Cols:], some.Data)
	}
	r.Shares, r.Prototypes = m.Sum(g), g
	m.measure(r, x, g)
	if !ranges {
		return r, nil
	}
	if m.SD != nil && !m.Unique() && m.TooMuch(n*Draws) {
		r.Open = true
		return r, nil
	}
	if m.SD != nil {
		return r, m.draw(ctx, r, x)
	}
	return r, m.ranges(ctx, r, x, g)
}

func (m *Mixer) predict(x *softkmeans.Matrix) (*softkmeans.Matrix, error) {
	if m.o.Cone {
		g, _, err := unmix.Mix(m.Centers, x, missing.Predict)
		return g, err
	}
	return missing.Predict(m.Model, nil, x)
}

// measure sets what the mixtures leave of the rows, over the values that are there.
func (m *Mixer) measure(r *Result, x, g *softkmeans.Matrix) {
	tasks := (x.Rows + mixRows - 1) / mixRows
	r.gaps = make([]bool, x.Rows)
	draws.Run(m.o.Workers, tasks, func(task int) {
		left := make([]float64, x.Cols)
		for i := task * mixRows; i < min((task+1)*mixRows, x.Rows); i++ {
			r.gaps[i] = slices.ContainsFunc(x.Row(i), math.IsNaN)
			measure.MixInto(left, g.Row(i), m.Centers)
			length := 1.0
			if m.o.Cone {
				length = measure.Brightness(x.Row(i), left)
				r.Length[i] = length
			}
			m.left(r, i, left, x.Row(i), length)
		}
	})
}

// left splits what a mixture times a length leaves of row i.
func (m *Mixer) left(r *Result, i int, scratch, x []float64, length float64) {
	square, within := 0.0, 0.0
	for j, v := range scratch {
		scratch[j] = 0
		if x[j] == x[j] {
			scratch[j] = x[j] - length*v
			r.Square[i] += x[j] * x[j]
		}
		square += scratch[j] * scratch[j]
	}
	flat := m.open.flat
	for c := range flat.Rows {
		along := la.Dot(flat.Row(c), scratch)
		within += along * along
	}
	r.Within[i] = min(within, square)
	r.Residual[i], r.Beyond[i] = math.Sqrt(square), square-r.Within[i]
}

// ranges sets the ranges of rows that have more than one nearest mixture.
func (m *Mixer) ranges(ctx context.Context, r *Result, x, g *softkmeans.Matrix) error {
	opens, err := m.opens(r, x)
	if err != nil {
		return err
	}
	r.Open = !m.Unique()
	for _, o := range opens {
		r.Open = r.Open || !o.Unique()
	}
	if !r.Open || m.TooMuch(x.Rows) {
		return nil
	}
	r.Low, r.High = r.Shares.Clone(), r.Shares.Clone()
	tasks := (x.Rows + 63) / 64
	draws.Run(m.o.Workers, tasks, func(task int) {
		for i := task * 64; i < min((task+1)*64, x.Rows) && ctx.Err() == nil; i++ {
			if o := opens[i]; !o.Unique() {
				o.Ranges(r.Low.Row(i), r.High.Row(i), g.Row(i), m.Class)
			}
		}
	})
	open := !m.Bundled()
	for i, v := range r.Low.Data {
		open = open || r.High.Data[i]-v > 1e-9
	}
	if !open { // but for rounding
		r.Open, r.Low, r.High = false, nil, nil
	}
	return ctx.Err()
}

// TooMuch reports whether the ranges of n rows would take too long.
func (m *Mixer) TooMuch(n int) bool {
	rank := float64(m.open.rank)
	return 2*float64(n*len(m.Groups))*rank*rank*float64(m.Centers.Rows) > mostWork
}

// opens returns an Open for each row of x, made of the columns in which the row has a value. Rows with values
// in the same columns have the same one.
func (m *Mixer) opens(r *Result, x *softkmeans.Matrix) ([]*Open, error) {
	opens, known := make([]*Open, x.Rows), map[string]*Open{}
	for i := range opens {
		if opens[i] = m.open; !r.gaps[i] {
			continue
		}
		var there []int
		var pattern []byte
		for j, v := range x.Row(i) {
			if v == v {
				there = append(there, j)
			}
			pattern = strconv.AppendBool(pattern, v == v)
		}
		p := string(pattern)
		if known[p] == nil {
			o, err := NewOpen(columns(m.Centers, there), m.o.Sum, m.o.Cone)
			if err != nil {
				return nil, err
			}
			known[p] = o
		}
		opens[i] = known[p]
	}
	return opens, nil
}

// Draws is how many draws of the sources ranges take, and Tail the share of them that is left
// out at either end.
const (
	Draws = 200
	Tail  = .05
)

// drawRows is how many rows are mixed with all draws at a time.
const drawRows = 1024

// draw sets the ranges by draws of the sources: each entry is normal, by its mean and standard
// deviation. Where the shares of a draw are open, its ends are those of its own range.
func (m *Mixer) draw(ctx context.Context, r *Result, x *softkmeans.Matrix) error {
	random := rand.New(rand.NewPCG(1, 0))
	mixers := make([]*Mixer, Draws)
	for t := range mixers {
		s := *m.Sources
		s.SD, s.Centers = nil, m.Centers.Clone()
		for i := range s.Centers.Rows {
			for j := range s.Centers.Row(i) {
				s.Centers.Row(i)[j] += m.SD.At(i, j) * random.NormFloat64()
			}
		}
		var err error
		if mixers[t], err = s.NewMixer(m.o); err != nil {
			return err
		}
	}
	r.Drawn = make([]float64, x.Rows)
	r.Low, r.High = r.Shares.Clone(), r.Shares.Clone()
	noise := m.equal(r)
	for lo := 0; lo < x.Rows; lo += drawRows {
		hi := min(lo+drawRows, x.Rows)
		part := softkmeans.NewMatrix(hi-lo, x.Cols, x.Data[lo*x.Cols:hi*x.Cols])
		if err := m.drawPart(ctx, r, part, lo, mixers, noise); err != nil {
			return err
		}
	}
	return nil
}

// drawPart does so for the rows from lo on.
func (m *Mixer) drawPart(
	ctx context.Context, r *Result, x *softkmeans.Matrix, lo int, mixers []*Mixer, noise Noise,
) error {
	groups := len(m.Groups)
	lows, highs := make([]float64, x.Rows*groups*Draws), make([]float64, x.Rows*groups*Draws)
	for t, one := range mixers {
		drawn, err := one.Mix(ctx, x, true)
		if err != nil {
			return err
		}
		r.Open = r.Open || drawn.Open
		low, high := drawn.Low, drawn.High
		if low == nil {
			low, high = drawn.Shares, drawn.Shares
		}
		for i := range x.Rows {
			for c := range groups {
				at := (i*groups+c)*Draws + t
				lows[at], highs[at] = low.At(i, c), high.At(i, c)
			}
			if one.outside(drawn, i, true, noise) {
				r.Drawn[lo+i] += 1. / Draws
			}
		}
	}
	for at := range x.Rows * groups {
		low, high := lows[at*Draws:(at+1)*Draws], highs[at*Draws:(at+1)*Draws]
		slices.Sort(low)
		slices.Sort(high)
		cut := int(Tail * Draws)
		r.Low.Set(lo+at/groups, at%groups, low[cut])
		r.High.Set(lo+at/groups, at%groups, high[Draws-1-cut])
	}
	return nil
}
