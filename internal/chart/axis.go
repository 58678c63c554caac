package chart

// Axes: the range of the data, its ticks, and the position of a value.

import (
	"math"
	"strconv"
)

const (
	// beyond is the largest size of a value that is drawn. The difference of two
	// such values does not overflow, nor does it when it is widened.
	beyond = 1e300
	// vanishing is the size below which values count as 0: the step of their ticks would be subnormal.
	vanishing = 1e-290
	// resolution is the least span, relative to the values, that is shown. A smaller
	// span is taken for rounding, and the axis spans the size of the values.
	resolution = 1e-12
)

// finite reports whether v can be drawn.
func finite(v float64) bool { return v >= -beyond && v <= beyond }

// extent is the range of some values. The zero value is the range of none.
type extent struct {
	lo, hi float64
	some   bool
}

// add adds the finite ones of some values, and returns their number.
func (e *extent) add(values ...float64) (n int) {
	for _, v := range values {
		if !finite(v) {
			continue
		}
		if n++; !e.some {
			e.lo, e.hi, e.some = v, v, true
		}
		e.lo, e.hi = min(e.lo, v), max(e.hi, v)
	}
	return n
}

// padded is the extent widened by pad of its span on both sides. It is never empty.
func (e extent) padded(pad float64) (lo, hi float64) {
	size := max(math.Abs(e.lo), math.Abs(e.hi))
	switch {
	case !e.some:
		return 0, 1
	case size < vanishing:
		return -1, 1
	case e.hi-e.lo <= resolution*size:
		return e.lo - size/2, e.hi + size/2
	}
	pad *= e.hi - e.lo
	return e.lo - pad, e.hi + pad
}

type tick struct {
	at    float64
	label string
}

// axis maps [lo, hi] to [from, to] px. If log is set, lo and hi are logarithms to base 10.
type axis struct {
	lo, hi   float64
	log      bool
	from, to float64
	ticks    []tick
}

func (a *axis) pos(v float64) float64 {
	if a.log {
		v = math.Log10(v)
	}
	return a.from + (v-a.lo)/(a.hi-a.lo)*(a.to-a.from)
}

// grow widens the range about its middle to the given span.
func (a *axis) grow(span float64) {
	if middle := a.lo/2 + a.hi/2; span > a.hi-a.lo {
		a.lo, a.hi = middle-span/2, middle+span/2
	}
}

// setTicks puts ticks at about most round numbers at most; with integer, only at integers.
func (a *axis) setTicks(most int, integer bool) {
	a.ticks = a.ticks[:0]
	most = max(most, 2)
	switch {
	case !a.log:
		a.ticks = roundTicks(a.ticks, a.lo, a.hi, most, integer)
	case a.hi-a.lo < 1: // there may be no power of ten in the range
		a.ticks = roundTicks(a.ticks, math.Pow(10, a.lo), math.Pow(10, a.hi), most, integer)
		if len(a.ticks) > 0 && !(a.ticks[0].at > 0) {
			a.ticks = a.ticks[1:]
		}
	default:
		// Powers of ten, and 2 and 5 times them where there is space.
		first, last := int(math.Ceil(a.lo)), int(math.Floor(a.hi))
		every := 1
		for (last-first)/every+1 > most {
			every = roundUp(every + 1)
		}
		between := []int{1}
		if n := last - first + 1; every == 1 && 3*n <= most {
			between = []int{1, 2, 5}
		}
		for e := first - 1; e <= last; e++ {
			if ((e%every)+every)%every != 0 {
				continue
			}
			for _, m := range between {
				v := float64(m) * math.Pow10(e)
				if l := math.Log10(v); l >= a.lo && l <= a.hi {
					a.ticks = append(a.ticks, tick{v, logLabel(v, e, first < -4 || last > 5)})
				}
			}
		}
	}
}

// roundUp is the least of 1, 2, 3, 5, 10, 20, … that is at least n.
func roundUp(n int) int {
	for p := 1; ; p *= 10 {
		for _, m := range [4]int{1, 2, 3, 5} {
			if m*p >= n {
				return m * p
			}
		}
	}
}

// roundTicks are the multiples of 1, 2 or 5 times a power of ten in [lo, hi].
func roundTicks(ticks []tick, lo, hi float64, most int, integer bool) []tick {
	m, e := 1, 0
	raw := hi/float64(most) - lo/float64(most)
	if e = int(math.Floor(math.Log10(raw))); integer {
		e = max(e, 0)
	}
	for float64(m)*math.Pow10(e) < raw*(1-1e-6) {
		switch m {
		case 1:
			m = 2
		case 2:
			m = 5
		default:
			m, e = 1, e+1
		}
	}
	// For a step below 1 the division by a power of ten rounds once; i·step would round twice and show it.
	value := func(i float64) float64 {
		if e < 0 && e > -300 {
			return i * float64(m) / math.Pow10(-e)
		}
		return i * float64(m) * math.Pow10(e)
	}
	step := float64(m) * math.Pow10(e)
	size := max(math.Abs(lo), math.Abs(hi))
	for i := math.Ceil(lo/step - 1e-9); i <= lo/step+float64(2*most) && value(i) <= hi+1e-9*step; i++ {
		ticks = append(ticks, tick{value(i), roundLabel(value(i), e, size)})
	}
	if len(ticks) < 2 && most < 8 { // one number does not show the scale
		return roundTicks(ticks[:0], lo, hi, 8, integer)
	}
	return ticks
}

// roundLabel writes v, a multiple of 10^e, for an axis whose values reach size.
func roundLabel(v float64, e int, size float64) string {
	switch {
	case v == 0:
		return "0"
	case size < 1e6 && (e >= -4 || size >= 1e-2):
		return tidy(strconv.FormatFloat(v, 'f', max(0, -e), 64))
	}
	digits := int(math.Floor(math.Log10(math.Abs(v))*(1+1e-15))) - e
	return tidy(strconv.FormatFloat(v, 'e', min(max(digits, 0), 14), 64))
}

// logLabel writes v = m·10^e. With short, numbers below 1 or from 1000 up have an exponent.
func logLabel(v float64, e int, short bool) string {
	if short && (e < 0 || e > 2) {
		return tidy(strconv.FormatFloat(v, 'e', 0, 64))
	}
	return tidy(strconv.FormatFloat(v, 'f', max(0, -e), 64))
}

func (p *picture) axes(x, y *axis) {
	p.raw(`<path class="sk-grid" d="`)
	for _, t := range y.ticks {
		p.raw("M").point(p.left, y.pos(t.at)).raw("H").num(p.right)
	}
	for _, t := range x.ticks {
		p.raw("M").point(x.pos(t.at), p.top).raw("V").num(p.bottom)
	}
	p.raw(`"/><path class="sk-axis" d="M`).point(p.left,
		p.top).raw("V").num(p.bottom).raw("H").num(p.right).raw(`"/>`)
	for _, t := range y.ticks {
		p.label(t.label, "sk-tick", p.left-5, y.pos(t.at)+4, "end")
	}
	end := math.Inf(-1) // of the previous label
	for _, t := range x.ticks {
		w := width(t.label, textSize)
		// Near the border a label is moved inwards, so that it is not cut off.
		at := min(max(x.pos(t.at), w/2+1), p.w-w/2-1)
		if at-w/2 < end+4 {
			continue
		}
		end = at + w/2
		p.label(t.label, "sk-tick", at, p.bottom+15, "middle")
	}
	p.caption(axisHeight)
}

func (a *axis) labelWidth() (w float64) {
	for _, t := range a.ticks {
		w = max(w, width(t.label, textSize))
	}
	return w
}

// axisHeight is the height of the labels under an x axis, in px.
const axisHeight = 20.0

// fitAxes sets the position and ticks of both axes, and the left edge of the area. With equal, a unit is as
// long on x as on y; with integer, x has ticks at integers only.
func (p *picture) fitAxes(x, y *axis, equal, integer bool) {
	x0, y0 := *x, *y
	for range 5 { // the labels' width depends on the range, the range on the area's width
		*x, *y = x0, y0
		y.from, y.to = p.bottom, p.top
		x.from, x.to = p.left, p.right
		if equal {
			unit := max((x.hi-x.lo)/(x.to-x.from), (y.hi-y.lo)/(y.from-y.to))
			x.grow(unit * (x.to - x.from))
			y.grow(unit * (y.from - y.to))
		}
		y.setTicks(int((p.bottom-p.top)/30), false)
		if left := min(edge+y.labelWidth()+4, p.w/2); left > p.left {
			p.left = left
			continue
		}
		break
	}
	x.from = p.left // at worst a digit's width from the one used for equal
	for most := int((x.to - x.from) / 40); ; most-- {
		x.setTicks(most, integer)
		if w := x.labelWidth(); most <= 2 || float64(len(x.ticks))*(w+10) <= x.to-x.from+w {
			return
		}
	}
}
