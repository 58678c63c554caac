package chart

import (
	"cmp"
	"slices"
)

// hull returns the corners of the convex hull by Andrew's monotone chain: the
// points are sorted by x, then the lower half is built from left to right and
// the upper half from right to left. Points inside an edge are no corners.
func hull(points []vertex) []vertex {
	sorted := slices.Clone(points)
	slices.SortFunc(sorted, func(a, b vertex) int {
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
	})
	sorted = slices.CompactFunc(sorted, func(a, b vertex) bool { return a.x == b.x && a.y == b.y })
	if len(sorted) < 3 {
		return sorted
	}
	var border []vertex
	half := func(next func(i int) vertex) {
		base := len(border)
		for i := range sorted {
			v := next(i)
			for n := len(border); n >= base+2 && turn(border[n-2], border[n-1], v) <= 0; n = len(border) {
				border = border[:n-1]
			}
			border = append(border, v)
		}
		border = border[:len(border)-1] // the other half begins with this point
	}
	half(func(i int) vertex { return sorted[i] })
	half(func(i int) vertex { return sorted[len(sorted)-1-i] })
	return border
}

// turn is positive for a left turn at b.
func turn(a, b, c vertex) float64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }
