package stream

// Passes over blocks, cut so that neither the caller's blocks nor the number of workers change a bit.

import (
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"softkmeans"
)

// block has the rows first, first+1, … of the data. Weights nil: all 1.
type block struct {
	first   int
	x       *softkmeans.Matrix
	weights []float64
}

func (b *block) weight(i int) float64 {
	if b.weights == nil {
		return 1
	}
	return b.weights[i]
}

// passes reads the data again and again.
type passes struct {
	ctx      context.Context
	blocks   iter.Seq2[*softkmeans.Matrix, error]
	weights  []float64
	progress func(pass, rows int)
	k        int // memberships of a row, which limit the blocks too
	pass     int
	rows     int // of the first pass
	cols     int // 0 until the first row
	buffer   []float64
}

// check checks what can be checked before the first block.
func (p *passes) check() error {
	switch {
	case p.blocks == nil:
		return fmt.Errorf("softkmeans: blocks is nil: %w", softkmeans.ErrShape)
	case p.k < 1 || p.k > mostK:
		return fmt.Errorf("softkmeans: k is %d, not from 1 to %d: %w", p.k, mostK, softkmeans.ErrOption)
	}
	return checkWeights(p.weights, len(p.weights))
}

func checkWeights(weights []float64, n int) error {
	if weights != nil && len(weights) != n {
		return fmt.Errorf("softkmeans: %d weights for %d rows: %w", len(weights), n, softkmeans.ErrShape)
	}
	for i, w := range weights {
		if !(w >= 0 && w <= math.MaxFloat64) {
			err := softkmeans.ErrOption
			if w-w != 0 {
				err = softkmeans.ErrNonFinite
			}
			return &softkmeans.InputError{Arg: "Weights", Row: i, Col: -1, Value: w, Err: err}
		}
	}
	return nil
}

// blockRows returns how many rows of length d, entries or memberships, a block has: 16 MB, but from 24 to
// 8192 rows. Readers that yield as many at once save a copy.
func blockRows(d int) int { return max(24, min(8192, 1<<21/max(d, 1))) }

// each makes a pass and calls fn for every block. If an error of fn names a row, it counts from the first.
func (p *passes) each(fn func(b *block) error) error {
	p.pass++
	seen, wait := 0, 0 // rows that fn had, and rows in the buffer
	call := func(x *softkmeans.Matrix) error {
		b := &block{first: seen, x: x}
		seen += x.Rows
		if p.weights != nil {
			if seen > len(p.weights) {
				return fmt.Errorf("softkmeans: %d weights for more rows: %w", len(p.weights),
					softkmeans.ErrShape)
			}
			b.weights = p.weights[b.first:seen]
		}
		if err := fn(b); err != nil {
			if e, ok := err.(*softkmeans.InputError); ok && e.Row >= 0 {
				e.Row += b.first
			}
			return err
		}
		if p.progress != nil {
			p.progress(p.pass, seen)
		}
		return stopped(p.ctx)
	}
	flush := func() error {
		x := softkmeans.NewMatrix(wait, p.cols, p.buffer[:wait*p.cols])
		wait = 0
		return call(x)
	}
	for x, err := range p.blocks {
		if err != nil {
			return fmt.Errorf("softkmeans: pass %d, after row %d: %w", p.pass, seen+wait, err)
		}
		if err := p.admit(x, seen+wait); err != nil {
			return err
		}
		step := blockRows(max(p.cols, p.k))
		for lo := 0; lo < x.Rows; {
			n := min(step-wait, x.Rows-lo)
			if n == step {
				err = call(rowsOf(x, lo, lo+n))
			} else {
				p.buffer = p.buffer[:wait*p.cols] // it grows with the rows that come
				for i := lo; i < lo+n; i++ {
					p.buffer = append(p.buffer, x.Row(i)...)
				}
				if wait += n; wait == step {
					err = flush()
				}
			}
			if err != nil {
				return err
			}
			lo += n
		}
	}
	if wait > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	switch {
	case p.pass > 1 && seen != p.rows:
		return p.changed(seen)
	case seen == 0:
		return fmt.Errorf("softkmeans: the blocks have no rows: %w", softkmeans.ErrTooFewSamples)
	}
	p.rows = seen
	return checkWeights(p.weights, seen)
}

// admit checks a block of the caller's that follows so many rows.
func (p *passes) admit(x *softkmeans.Matrix, before int) error {
	if err := stopped(p.ctx); err != nil {
		return err
	}
	switch {
	case x == nil:
		return fmt.Errorf("softkmeans: a block is nil: %w", softkmeans.ErrShape)
	case x.Rows == 0:
		return nil
	case x.Rows < 0 || x.Cols <= 0 || x.Stride < x.Cols || (len(x.Data)-x.Cols)/x.Stride < x.Rows-1 ||
		len(x.Data) < x.Cols:
		return fmt.Errorf("softkmeans: a block is %d×%d with stride %d and has %d values: %w",
			x.Rows, x.Cols, x.Stride, len(x.Data), softkmeans.ErrShape)
	case p.cols == 0:
		p.cols = x.Cols
	case p.cols != x.Cols:
		err := softkmeans.ErrShape
		if p.pass > 1 {
			err = errBoth
		}
		return fmt.Errorf("softkmeans: pass %d has %d columns after row %d, %d before: %w",
			p.pass, x.Cols, before, p.cols, err)
	}
	if p.pass > 1 && x.Rows > p.rows-before {
		return p.changed(before + x.Rows)
	}
	return nil
}

// changed is the error of a pass with another number of rows.
func (p *passes) changed(rows int) error {
	ask := ""
	if rows == 0 {
		ask = " (can the blocks be read again?)"
	}
	return fmt.Errorf("softkmeans: pass %d has %d rows%s, pass 1 had %d: %w",
		p.pass, rows, ask, p.rows, errBoth)
}

// errBoth is for data of another shape in a later pass.
var errBoth error = both{}

type both struct{}

func (both) Error() string   { return softkmeans.ErrChanged.Error() }
func (both) Unwrap() []error { return []error{softkmeans.ErrChanged, softkmeans.ErrShape} }

// stopped returns the error of a context that has ended.
func stopped(ctx context.Context) error {
	if runtime.GOARCH == "wasm" { // on one thread, what cancels ctx runs during this call only
		runtime.Gosched()
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("softkmeans: stopped: %w", err)
	}
	return nil
}

// rowsOf returns a view of the rows lo, …, hi−1.
func rowsOf(x *softkmeans.Matrix, lo, hi int) *softkmeans.Matrix {
	return &softkmeans.Matrix{Rows: hi - lo, Cols: x.Cols, Stride: x.Stride, Data: x.Data[lo*x.Stride:]}
}

// chunkRows is how many rows a task has.
const chunkRows = 512

// inChunks calls fn for the chunks of n rows on so many goroutines; 0: GOMAXPROCS.
func inChunks(workers, n int, fn func(chunk, lo, hi int)) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	count := chunks(n)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(workers, count) {
		all.Add(1)
		go func() {
			defer all.Done()
			for c := int(next.Add(1)) - 1; c < count; c = int(next.Add(1)) - 1 {
				fn(c, c*chunkRows, min((c+1)*chunkRows, n))
			}
		}()
	}
	all.Wait()
}

func chunks(n int) int { return (n + chunkRows - 1) / chunkRows }

// fine is a sum with what its roundings lost (Knuth's two-sum): n terms above 0 are off by some n²·2^-106.
type fine struct{ sum, lost float64 }

func (s *fine) add(v float64) {
	sum := s.sum + v
	part := sum - s.sum
	s.lost += (s.sum - (sum - part)) + (v - part)
	s.sum = sum
}

func (s *fine) merge(t fine) {
	s.add(t.sum)
	s.lost += t.lost
}

// value is at most math.MaxFloat64, also of a sum out of range.
func (s fine) value() float64 {
	if v := s.sum + s.lost; v <= math.MaxFloat64 {
		return v
	}
	return math.MaxFloat64
}

func dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		s0 += v * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// axpy adds a·x to y.
func axpy(y []float64, a float64, x []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

// gamma bounds the relative error of n roundings.
func gamma(n int) float64 { return 1.01 * float64(n) * 0x1p-53 }
