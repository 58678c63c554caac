package chart

import (
	"math"
	"strconv"
)

// TilePlot is vectors of pixels as small pictures, side by side: the greatest
// value of all is the color of text, the least is the paper's.
type TilePlot struct {
	Frame
	Values []float64 // vectors of Rows×Cols pixels, one after the other, each row by row

	// Rows and Cols are the pixels of one tile.
	Rows, Cols int
	Names      []string // of the tiles; the default are numbers from 1
	Size       int      // of a square tile, in px; 0: 72
}

// Square are Rows and Cols for vectors of d pixels if nothing else is known:
// a square if d is one, otherwise a strip.
func Square(d int) (rows, cols int) {
	if r := int(math.Round(math.Sqrt(float64(max(d, 0))))); r*r == d {
		return r, r
	}
	return 1, max(d, 0)
}

const (
	greys      = 32  // more cannot be told apart
	mostPixels = 128 // of a tile, along one side; of more, neighbors are averaged
)

// Tiles appends the picture to dst. The height is what the tiles take.
func Tiles(dst []byte, s *TilePlot) []byte {
	count, each := 0, 0
	if s.Rows > 0 && s.Cols > 0 && s.Rows <= math.MaxInt32/s.Cols {
		each = s.Rows * s.Cols
		count = len(s.Values) / each
	}
	var e extent
	skipped := 0
	for _, v := range s.Values[:count*each] {
		if finite(v) {
			e.add(v)
		} else {
			skipped++
		}
	}
	var notes []string
	switch {
	case !e.some:
		notes = append(notes, "There is nothing to show")
	default:
		notes = append(notes, "From "+number(e.lo)+" (paper) to "+number(e.hi)+" (ink)")
	}
	if skipped > 0 {
		notes = append(notes, strconv.Itoa(skipped)+" values are not finite and left blank")
	}

	// As many tiles side by side as there is room for, of one size.
	frame := s.Frame
	frame.XLabel, frame.YLabel, frame.Height = "", "", 0
	p := frame.layout(nil, nil, nil, 0, 0, 0)
	const gap = 10.0
	inner := p.right - p.left
	size := 72.0
	if s.Size > 0 {
		size = min(float64(s.Size), inner)
	}
	w, h := size, size
	if s.Rows > 0 && s.Cols > 0 {
		if ratio := float64(s.Cols) / float64(s.Rows); ratio > 1 {
			w = min(size*min(ratio, 100), inner)
			h = max(w/ratio, 12)
		} else {
			h = min(size/max(ratio, .01), 4*size)
			w = max(h*ratio, 12)
		}
	}
	across := max(int((inner+gap)/(w+gap)), 1)
	down := (count + across - 1) / across
	rowHeight := h + lineHeight + 6
	p = frame.layout(dst, nil, notes, 0, 0, float64(down)*rowHeight)
	p.open("tiles")
	for t := range count {
		x := p.left + float64(t%across)*(w+gap)
		y := p.top + float64(t/across)*rowHeight
		p.tile(s.Values[t*each:(t+1)*each], s.Rows, s.Cols, e, x, y, w, h)
		p.label(fit(name(s.Names, t), w+gap-4, textSize), "", x+w/2, y+h+13, "middle")
	}
	return p.close()
}

// tile draws one vector: a path for each grey, of the runs of pixels that have it.
func (p *picture) tile(values []float64, rows, cols int, e extent, x, y, w, h float64) {
	r, c := min(rows, mostPixels), min(cols, mostPixels)
	grey := make([]int, r*c)
	for i := range r {
		for j := range c {
			grey[i*c+j] = greyOf(values, cols, at(i, r, rows), at(i+1, r, rows), at(j, c, cols), at(j+1, c, cols), e)
		}
	}
	// The paths count in pixels, as whole numbers; scale makes tenths of tenths.
	p.raw(`<g class="sk-ink" transform="translate(`).point(x, y).raw(`) scale(`)
	p.dst = strconv.AppendFloat(p.dst, w/float64(c), 'f', 4, 64)
	p.raw(" ")
	p.dst = strconv.AppendFloat(p.dst, h/float64(r), 'f', 4, 64)
	p.raw(`)">`)
	var paths [greys][]byte
	for i := range r {
		for j := 0; j < c; {
			g, from := grey[i*c+j], j
			for j < c && grey[i*c+j] == g {
				j++
			}
			if g <= 0 {
				continue
			}
			b := append(paths[g], 'M')
			b = append(strconv.AppendInt(b, int64(from), 10), ' ')
			b = append(strconv.AppendInt(b, int64(i), 10), 'h')
			b = append(strconv.AppendInt(b, int64(j-from), 10), "v1h-"...)
			paths[g] = append(strconv.AppendInt(b, int64(j-from), 10), 'z')
		}
	}
	for g, path := range paths {
		if len(path) > 0 {
			p.raw(`<path fill-opacity="`)
			p.dst = appendShare(p.dst, float64(g)/(greys-1))
			p.raw(`" d="`)
			p.dst = append(p.dst, path...)
			p.raw(`"/>`)
		}
	}
	p.raw(`</g><path class="sk-axis" d="M`).point(x, y).raw("h").num(w).raw("v").num(h).raw("h").num(-w).raw(`z"/>`)
}

// greyOf is the mean of a block of pixels from 0, the least value of all, to
// greys−1, and −1 where a value is not finite.
func greyOf(values []float64, cols, r0, r1, c0, c1 int, e extent) int {
	span := e.hi - e.lo
	mean := 0.0
	for i := r0; i < r1; i++ {
		for _, v := range values[i*cols+c0 : i*cols+c1] {
			if !finite(v) {
				return -1
			}
			if span > 0 {
				mean += (v - e.lo) / span / float64((r1-r0)*(c1-c0))
			}
		}
	}
	return int(math.Round(mean * (greys - 1)))
}
