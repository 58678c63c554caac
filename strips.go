package softkmeans

// Large products store their factors as strips: three vectors
// interleaved, `lanes` numbers of each in turn, so that a tile of 3×3 sums
// reads from one place. The number of vectors is rounded up to full
// strips and their length to a multiple of three times the lanes, with zeros:
//
//	a₀…a_{L−1} b₀…b_{L−1} c₀…c_{L−1} a_L…, L = lanes.

// stripRows is how many vectors a strip has. 3×3 sums, with three numbers of either
// factor, fill the 16 registers of plain amd64 and of AVX2.
const stripRows = 3

// stripLength is what the length of vectors is rounded up to.
func stripLength(l int) int { return roundUp(l, stripRows*lanes) }

// stripSize is how many numbers the strips of n vectors of length l take.
func stripSize(n, l int) int { return roundUp(n, stripRows) * stripLength(l) }

// roundUp returns the least multiple of unit that is at least n.
func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// interleave writes one vector, (v_i·a − mean_i)·w, to a strip. dst is the strip from the
// vector's first place on. mean is as long as v, and the vector's places beyond that become
// 0.
func interleave(dst, v, mean []float64, a, w float64) {
	if useSIMD {
		interleaveSIMD(dst, v, mean, a, w)
		return
	}
	for i, m := range mean[:len(v)] {
		dst[stripRows*i] = (v[i]*a - m) * w
	}
	for i := stripRows * len(v); i < len(dst); i += stripRows {
		dst[i] = 0
	}
}

// packStrips writes n vectors of length l, `row` numbers apart, as strips to dst, of
// stripSize numbers.
func packStrips(dst, v []float64, n, l, row int) {
	if l == 0 {
		return
	}
	size := stripSize(stripRows, l)
	for i := range roundUp(n, stripRows) {
		at := dst[i/stripRows*size:][:size][i%stripRows*lanes:]
		var x []float64
		if i < n {
			x = v[i*row:][:l]
		}
		for j := 0; j < stripLength(l); j += lanes {
			clear(at[copy(at[:lanes], x):lanes])
			x, at = x[min(lanes, len(x)):], at[min(stripRows*lanes, len(at)):]
		}
	}
}

// packColumns writes the n columns of an m×n matrix without gaps as strips to dst, of
// stripSize numbers.
func packColumns(dst, a []float64, m, n int) {
	size, zero := stripSize(stripRows, m), make([]float64, n)
	row := func(i int) []float64 {
		if i < m {
			return a[i*n:][:n]
		}
		return zero
	}
	for i := 0; i < stripLength(m); i += 2 {
		interleaveT(dst, size, i, row(i), row(i+1))
	}
}

// interleaveT writes numbers i and i+1 of every vector of strips that are `size`
// numbers apart: x_j and y_j for vector j. i is even. A number beyond the rounded
// length is left out.
func interleaveT(dst []float64, size, i int, x, y []float64) {
	y = y[:len(x)]
	from := i/lanes*stripRows*lanes + i%lanes
	dst = dst[from:]
	j := 0
	switch {
	case lanes == 8:
		for ; j < len(x)-2; j += 3 {
			o := (*[18]float64)(dst)
			o[0], o[1], o[8], o[9], o[16], o[17] = x[j], y[j], x[j+1], y[j+1], x[j+2], y[j+2]
			dst = dst[min(size, len(dst)):]
		}
	case lanes == 4:
		for ; j < len(x)-2; j += 3 {
			o := (*[10]float64)(dst)
			o[0], o[1], o[4], o[5], o[8], o[9] = x[j], y[j], x[j+1], y[j+1], x[j+2], y[j+2]
			dst = dst[min(size, len(dst)):]
		}
	case lanes == 2:
		for ; j < len(x)-2; j += 3 {
			o := (*[6]float64)(dst)
			o[0], o[1], o[2], o[3], o[4], o[5] = x[j], y[j], x[j+1], y[j+1], x[j+2], y[j+2]
			dst = dst[min(size, len(dst)):]
		}
	case from+6 <= size:
		for ; j < len(x)-2; j += 3 {
			o := (*[6]float64)(dst)
			o[0], o[1], o[2], o[3], o[4], o[5] = x[j], x[j+1], x[j+2], y[j], y[j+1], y[j+2]
			dst = dst[min(size, len(dst)):]
		}
	}
	// The last vectors, number by number; and zeros up to full strips.
	for c := 0; j < roundUp(len(x), stripRows); j++ {
		var p, q float64
		if j < len(x) {
			p, q = x[j], y[j]
		}
		dst[c*lanes] = p
		if lanes > 1 {
			dst[c*lanes+1] = q
		} else if from+stripRows < size {
			dst[c+stripRows] = q
		}
		if c++; c == stripRows {
			c, dst = 0, dst[min(size, len(dst)):]
		}
	}
}

// groupSize is how many numbers of the second factor are multiplied with all of the first
// before the next are: an eighth of a megabyte, half of a small second-level cache.
const groupSize = 16384

// addMulStrips adds A·Bᵀ to C, for factors of m and n vectors of one length in
// strips. C has m rows of length ldc ≥ n. upper is as for addMulNT.
func addMulStrips(c []float64, ldc int, a []float64, m int, b []float64, n, l int, upper bool) {
	if l == 0 {
		return
	}
	size := stripSize(stripRows, l)
	group := max(1, groupSize/size) * stripRows
	for first := 0; first < n; first += group {
		last := min(first+group, n)
		for i := 0; i < m && !(upper && i >= last); i += stripRows {
			from := first
			if upper {
				from = max(first, i)
			}
			x, y := a[i/stripRows*size:][:size], b[from/stripRows*size:roundUp(last, stripRows)/stripRows*size]
			rows := c[i*ldc+from : (min(i+stripRows, m)-1)*ldc+last]
			if useSIMD {
				stripSIMD(rows, ldc, x, y, last-from)
			} else {
				stripGeneric(rows, ldc, x, y, last-from)
			}
		}
	}
}

// stripGeneric adds the products of strip x with n vectors in strips y to the rows of C, of
// which there are one to three. The last row may end with its n entries.
func stripGeneric(c []float64, ldc int, x, y []float64, n int) {
	for j := 0; j < n; j += stripRows {
		var s0, s1, s2, s3, s4, s5, s6, s7, s8 float64
		a, b := x, y
		for len(a) >= 9 && len(b) >= 9 { // lengths are multiples of three
			u, v := (*[9]float64)(a), (*[9]float64)(b)
			p, q, r := v[0], v[1], v[2]
			t := u[0]
			s0 += t * p
			s1 += t * q
			s2 += t * r
			t = u[1]
			s3 += t * p
			s4 += t * q
			s5 += t * r
			t = u[2]
			s6 += t * p
			s7 += t * q
			s8 += t * r
			p, q, r = v[3], v[4], v[5]
			t = u[3]
			s0 += t * p
			s1 += t * q
			s2 += t * r
			t = u[4]
			s3 += t * p
			s4 += t * q
			s5 += t * r
			t = u[5]
			s6 += t * p
			s7 += t * q
			s8 += t * r
			p, q, r = v[6], v[7], v[8]
			t = u[6]
			s0 += t * p
			s1 += t * q
			s2 += t * r
			t = u[7]
			s3 += t * p
			s4 += t * q
			s5 += t * r
			t = u[8]
			s6 += t * p
			s7 += t * q
			s8 += t * r
			a, b = a[9:], b[9:]
		}
		addTile(c, ldc, j, min(stripRows, n-j), &[9]float64{s0, s1, s2, s3, s4, s5, s6, s7, s8})
		y = y[len(x):]
	}
}

// addTile adds the sums of a tile to `width` entries, from column j on, of each row of c.
func addTile(c []float64, ldc, j, width int, s *[9]float64) {
	for i := 0; i*ldc+j < len(c); i++ {
		for l := range width {
			c[i*ldc+j+l] += s[stripRows*i+l]
		}
	}
}
