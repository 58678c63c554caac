package chart

import (
	"math"
	"strconv"
)

// TilePlot draws vectors of pixels as small pictures, side by side. The greatest of all values has the color
// of text, the least has the color of the paper. With Light the greatest is white and the least black.
type TilePlot struct {
	Frame
	Values []float64 // one vector of Rows×Cols pixels after another, each row by row

	// Rows and Cols are the pixels of one tile.
	Rows, Cols int
	Names      []string // of the tiles; the default is numbers from 1
	Size       int      // of a square tile, in px; 0: 72
	Light      bool     // as in photographs: large values are light

	Pixel func(i int) string // the name of a pixel; nil: no texts under the pointer
}

const (
	greys      = 32  // more cannot be told apart
	mostPixels = 128 // of a tile, along one side; if there are more, neighbors are averaged
)

// Tiles appends the picture to dst. Its height is that of its tiles.
func Tiles(dst []byte, s *TilePlot) []byte {
	count, each := 0, 0
	if s.Rows > 0 && s.Cols > 0 && s.Rows <= math.MaxInt32/s.Cols {
		each = s.Rows * s.Cols
		count = len(s.Values) / each
	}
	var e extent
	skipped := count*each - e.add(s.Values[:count*each]...)
	ends := [2]string{" (paper)", " (ink)"}
	if s.Light {
		ends = [2]string{" (black)", " (white)"}
	}
	notes := []string{"From " + number(e.lo) + ends[0] + " to " + number(e.hi) + ends[1]}
	if !e.some {
		notes[0] = "There is nothing to show"
	}
	if skipped > 0 {
		notes = append(notes, strconv.Itoa(skipped)+" values are not finite and left blank")
	}

	// The tiles have one size, and each line has as many as there is space for.
	frame := s.Frame
	frame.XLabel, frame.YLabel, frame.Height = "", "", 0
	p := frame.layout(nil, nil, nil, space{})
	const gap = 10.0
	inner := p.right - p.left
	w, h := s.tileSize(inner)
	across := max(int((inner+gap)/(w+gap)), 1)
	down := (count + across - 1) / across
	rowHeight := h + lineHeight + 6
	p = frame.layout(dst, nil, notes, space{least: float64(down) * rowHeight})
	p.open("tiles")
	for t := range count {
		x := p.left + float64(t%across)*(w+gap)
		y := p.top + float64(t/across)*rowHeight
		r := &raster{s.Values[t*each : (t+1)*each], s.Rows, s.Cols, e, s.Light}
		p.tile(r, rect{x, y, w, h})
		p.pixels(s, t, r, rect{x, y, w, h})
		p.label(fit(name(s.Names, t), w+gap-4, textSize), "", x+w/2, y+h+13, "middle")
	}
	return p.close()
}

// tileSize is the width and height of a tile in px; a line of tiles is inner px wide.
func (s *TilePlot) tileSize(inner float64) (w, h float64) {
	size := 72.0
	if s.Size > 0 {
		size = min(float64(s.Size), inner)
	}
	w, h = size, size
	if s.Rows > 0 && s.Cols > 0 {
		if ratio := float64(s.Cols) / float64(s.Rows); ratio > 1 {
			w = min(size*min(ratio, 100), inner)
			h = max(w/ratio, 12)
		} else {
			h = min(size/max(ratio, .01), 4*size)
			w = max(h*ratio, 12)
		}
	}
	return w, h
}

// raster is the pixels of one tile, and the extent of those of all tiles.
type raster struct {
	values     []float64
	rows, cols int
	extent     extent
	light      bool
}

// rect is a rectangle in px: its upper left corner and its size.
type rect struct{ x, y, w, h float64 }

func (p *picture) box(r rect) *picture {
	return p.raw("M").point(r.x, r.y).raw("h").num(r.w).raw("v").num(r.h).raw("h").num(-r.w).raw("z")
}

// tile draws one tile. Each grey is a path of the runs of pixels that have it.
func (p *picture) tile(t *raster, to rect) {
	r, c := min(t.rows, mostPixels), min(t.cols, mostPixels)
	grey := make([]int, r*c)
	for i := range r {
		for j := range c {
			grey[i*c+j] = t.grey(at(i, r, t.rows), at(i+1, r, t.rows), at(j, c, t.cols), at(j+1, c, t.cols))
		}
	}
	class := "sk-ink"
	if t.light {
		class = "sk-light"
		p.raw(`<path class="sk-dark" d="`).box(to).raw(`"/>`)
	}
	// The paths are in units of pixels, which are integers; scale makes them px.
	p.raw(`<g class="`, class, `" transform="translate(`).point(to.x, to.y).raw(`) scale(`)
	p.dst = strconv.AppendFloat(p.dst, to.w/float64(c), 'f', 4, 64)
	p.raw(" ")
	p.dst = strconv.AppendFloat(p.dst, to.h/float64(r), 'f', 4, 64)
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
	p.raw(`</g><path class="sk-axis" d="`).box(to).raw(`"/>`)
}

// pixels gives each pixel of tile t a text with its value. Where all tiles have more
// pixels than mostTips, a tile has one text.
func (p *picture) pixels(s *TilePlot, t int, r *raster, to rect) {
	if s.Pixel == nil {
		return
	}
	each, title := r.rows*r.cols, name(s.Names, t)
	if len(s.Values) > mostTips {
		var e extent
		e.add(r.values...)
		p.hit(to, title+": from "+number(e.lo)+" to "+number(e.hi))
		return
	}
	w, h := to.w/float64(r.cols), to.h/float64(r.rows)
	for i := range each {
		p.hit(rect{to.x + float64(i%r.cols)*w, to.y + float64(i/r.cols)*h, w, h},
			title+", "+s.Pixel(i)+": "+number(r.values[i]))
	}
}

// grey is the mean of the pixels in rows r0 … r1−1 and columns c0 … c1−1, from 0 for the least value of all
// tiles to greys−1 for the greatest. It is −1 where a value is not finite.
func (t *raster) grey(r0, r1, c0, c1 int) int {
	span := t.extent.hi - t.extent.lo
	mean := 0.0
	for i := r0; i < r1; i++ {
		for _, v := range t.values[i*t.cols+c0 : i*t.cols+c1] {
			if !finite(v) {
				return -1
			}
			if span > 0 {
				mean += (v - t.extent.lo) / span / float64((r1-r0)*(c1-c0))
			}
		}
	}
	return int(math.Round(mean * (greys - 1)))
}
