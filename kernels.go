package softkmeans

// The arithmetic that the package does over and over. Contract of every
// kernel here: clean input (finite, right lengths, checked by the caller), no
// allocation, and a summation order that depends on the sizes alone, so that
// equal sizes give equal bits.
//
// A kernel …Generic in this file is plain Go and runs everywhere. Where Go's
// simd package is (kernels_simd.go) its namesake …SIMD takes over, with sums in
// another order; both fulfil the contract that stands here.

import "math"

// simdLength is from which length on vectors pay for the switch between their
// widths that every call goes through.
const simdLength = 16

// dot returns Σ x_i·y_i. len(y) must be at least len(x).
func dot(x, y []float64) float64 {
	if useSIMD && len(x) >= simdLength {
		return dotSIMD(x, y)
	}
	return dotGeneric(x, y)
}

func dotGeneric(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		a, b := (*[4]float64)(x), (*[4]float64)(y)
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		x, y = x[4:], y[4:]
	}
	y = y[:len(x)]
	for i, v := range x {
		s0 += v * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// axpy adds a·x to y.
func axpy(y []float64, a float64, x []float64) {
	if useSIMD && len(x) >= simdLength {
		axpySIMD(y, a, x)
		return
	}
	axpyGeneric(y, a, x)
}

func axpyGeneric(y []float64, a float64, x []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

// scale multiplies x by a.
func scale(x []float64, a float64) {
	if useSIMD && len(x) >= simdLength {
		scaleSIMD(x, a)
		return
	}
	for i := range x {
		x[i] *= a
	}
}

// rotate applies the plane rotation x ← c·x − s·y, y ← s·x + c·y.
func rotate(x, y []float64, c, s float64) {
	if useSIMD && len(x) >= simdLength {
		rotateSIMD(x, y, c, s)
		return
	}
	rotateGeneric(x, y, c, s)
}

func rotateGeneric(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, a := range x {
		b := y[i]
		x[i] = c*a - s*b
		y[i] = s*a + c*b
	}
}

// rankTwoMul works on rows lo … hi−1 of a symmetric matrix a, stored on and below
// its diagonal: it subtracts v·wᵀ + w·vᵀ, and multiplies what it gets by u. Of the
// product, what row r has left of the diagonal and on it goes to q[r], and what
// it has, mirrored, to the right is added to p: the product is q plus the sum of
// the p of all rows.
//
// lo is a multiple of 8. From the squares of order 8 that line the diagonal
// kernels may use, and keep up to date, the part right of the diagonal, too:
// the caller mirrors it there before the first call. v, w and u are 0 from hi to
// the next multiple of 8, and rows up to there, which stay as they are, are
// part of a.
func rankTwoMul(a []float64, stride, lo, hi int, v, w, u, p, q []float64) {
	if useSIMD && hi >= simdLength {
		rankTwoMulSIMD(a, stride, lo, hi, v, w, u, p, q)
		return
	}
	rankTwoMulGeneric(a, stride, lo, hi, v, w, u, p, q)
}

// rankTwoMulGeneric takes rows in pairs, which share the loads of v, w and u:
// the registers of plain amd64 have room for two.
func rankTwoMulGeneric(a []float64, stride, lo, hi int, v, w, u, p, q []float64) {
	r := lo
	if (hi-lo)%2 != 0 {
		q[r] = 0
		rankTwoMulCorner(a, stride, 0, r, r+1, v, w, u, p, q)
		r++
	}
	for ; r < hi; r += 2 {
		x, y := a[r*stride:][:r], a[(r+1)*stride:][:r]
		vv, ww, uu, pp := v[:len(x)], w[:len(x)], u[:len(x)], p[:len(x)]
		y = y[:len(x)]
		v0, v1, w0, w1, u0, u1 := v[r], v[r+1], w[r], w[r+1], u[r], u[r+1]
		var s0, s1 float64
		for j, vj := range vv {
			wj, uj := ww[j], uu[j]
			xj := x[j] - (v0*wj + w0*vj)
			yj := y[j] - (v1*wj + w1*vj)
			x[j], y[j] = xj, yj
			s0 += xj * uj
			s1 += yj * uj
			pp[j] += xj*u0 + yj*u1
		}
		q[r], q[r+1] = s0, s1
		rankTwoMulCorner(a, stride, r, r, r+2, v, w, u, p, q)
	}
}

// rankTwoMulCorner is the part of rankTwoMul in rows lo … hi−1 from column from
// on; where that is not 0 it adds to q.
func rankTwoMulCorner(a []float64, stride, from, lo, hi int, v, w, u, p, q []float64) {
	v, w, u, p, q = v[:hi], w[:hi], u[:hi], p[:hi], q[:hi]
	for r := lo; r < hi; r++ {
		row := a[r*stride:][:r+1]
		vr, wr, ur := v[r], w[r], u[r]
		var s float64
		for j := from; j < r; j++ {
			x := row[j] - (vr*w[j] + wr*v[j])
			row[j] = x
			s += x * u[j]
			p[j] += x * ur
		}
		x := row[r] - 2*vr*wr
		row[r] = x
		q[r] += s + x*ur
	}
}

// sumSquares returns Σ x_i². It overflows and underflows like any plain sum of
// squares; norm2 does not.
func sumSquares(x []float64) float64 { return dot(x, x) }

// Sums of squares between these two bounds lost nothing to the ends of the
// float64 range: 2^-960 leaves room for products of parts 2^-60 times the whole.
const (
	squareMin = 0x1p-960
	squareMax = 0x1p+1000
)

// norm2 returns the Euclidean length of x, also where its square is out of
// range.
func norm2(x []float64) float64 {
	if s := sumSquares(x); s >= squareMin && s <= squareMax {
		return math.Sqrt(s)
	}
	var top float64
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	if top == 0 {
		return 0
	}
	_, e := math.Frexp(top)
	var s float64
	for _, v := range x {
		v = math.Ldexp(v, -e)
		s += v * v
	}
	return math.Ldexp(math.Sqrt(s), e)
}

// addMulNT adds A·Bᵀ to C. A has m rows, B has n rows, both of length l and
// without gaps; C has m rows of length ldc ≥ n. If upper is set, A and B are
// the same matrix and only the part of C on and right of the diagonal is
// wanted (the rest may be written, too).
//
// The tile is 2×4 dot products: 8 sums and 6 loads for 8 products fill the 16
// registers of plain amd64.
func addMulNT(c []float64, ldc int, a []float64, m int, b []float64, n, l int, upper bool) {
	if l == 0 {
		return
	}
	if useSIMD && l >= simdLength {
		addMulNTSIMD(c, ldc, a, m, b, n, l, upper)
		return
	}
	i := 0
	for ; i+2 <= m; i += 2 {
		a0, a1 := a[i*l:i*l+l], a[(i+1)*l:(i+1)*l+l]
		c0, c1 := c[i*ldc:i*ldc+n], c[(i+1)*ldc:(i+1)*ldc+n]
		j := 0
		if upper {
			j = i
		}
		for ; j+4 <= n; j += 4 {
			s := dot2x4(a0, a1, b[j*l:j*l+l], b[(j+1)*l:(j+1)*l+l], b[(j+2)*l:(j+2)*l+l], b[(j+3)*l:(j+3)*l+l])
			p, q := (*[4]float64)(c0[j:]), (*[4]float64)(c1[j:])
			p[0] += s[0]
			p[1] += s[1]
			p[2] += s[2]
			p[3] += s[3]
			q[0] += s[4]
			q[1] += s[5]
			q[2] += s[6]
			q[3] += s[7]
		}
		for ; j < n; j++ {
			bj := b[j*l : j*l+l]
			c0[j] += dot(a0, bj)
			c1[j] += dot(a1, bj)
		}
	}
	if i < m {
		a0, c0 := a[i*l:i*l+l], c[i*ldc:i*ldc+n]
		j := 0
		if upper {
			j = i
		}
		for ; j < n; j++ {
			c0[j] += dot(a0, b[j*l:j*l+l])
		}
	}
}

// dot2x4 returns the dot products of two vectors with four: a0·b0…a0·b3,
// a1·b0…a1·b3. All have the same length.
func dot2x4(a0, a1, b0, b1, b2, b3 []float64) (s [8]float64) {
	n := len(a0)
	a1, b0, b1, b2, b3 = a1[:n], b0[:n], b1[:n], b2[:n], b3[:n]
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for i, x := range a0 {
		y := a1[i]
		p := b0[i]
		s0 += x * p
		s4 += y * p
		p = b1[i]
		s1 += x * p
		s5 += y * p
		p = b2[i]
		s2 += x * p
		s6 += y * p
		p = b3[i]
		s3 += x * p
		s7 += y * p
	}
	return [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
}

// addDifference adds w·(a·x − origin) to sums, of which w = 0 leaves nothing even of
// what is infinite. It returns the largest |x_i| and whether all are finite;
// without that top means nothing.
func addDifference(sums, x, origin []float64, a, w float64) (top float64, finite bool) {
	if w == 0 {
		return rowMaxAbs(x)
	}
	if useSIMD && len(x) >= simdLength {
		return addDifferenceSIMD(sums, x, origin, a, w)
	}
	sums, origin = sums[:len(x)], origin[:len(x)]
	zero := 0.0 // stays 0 unless a NaN or an infinity comes by: x·0 is NaN for both
	for j, v := range x {
		top = max(top, math.Abs(v))
		zero += v * 0
		sums[j] += w * (a*v - origin[j])
	}
	return top, zero == 0
}

// residual returns Σ_j (a·x_j − mean_j − Σ_i g_i·f_ij)², where row i of f begins
// with f[at_i] and is as long as x.
func residual(x, mean []float64, a float64, g []float64, at []int, f []float64) float64 {
	if useSIMD && len(x) >= simdLength {
		return residualSIMD(x, mean, a, g, at, f)
	}
	mean, at = mean[:len(x)], at[:len(g)]
	var s0, s1 float64
	j := 0
	for ; j+4 <= len(x); j += 4 {
		p, m := (*[4]float64)(x[j:]), (*[4]float64)(mean[j:])
		r0, r1, r2, r3 := a*p[0]-m[0], a*p[1]-m[1], a*p[2]-m[2], a*p[3]-m[3]
		for i, v := range g {
			q := (*[4]float64)(f[at[i]+j:])
			r0 -= v * q[0]
			r1 -= v * q[1]
			r2 -= v * q[2]
			r3 -= v * q[3]
		}
		s0 += r0*r0 + r1*r1
		s1 += r2*r2 + r3*r3
	}
	for ; j < len(x); j++ {
		r := a*x[j] - mean[j]
		for i, v := range g {
			r -= v * f[at[i]+j]
		}
		s0 += r * r
	}
	return s0 + s1
}

// Strips are how large products have their factors: three vectors
// interleaved, `lanes` numbers of each in turn, so that what a tile of 3×3 sums
// reads next lies in one place. The number of vectors is rounded up to whole
// strips and their length to three times the lanes, with zeros:
//
//	a₀…a_{L−1} b₀…b_{L−1} c₀…c_{L−1} a_L…, L = lanes.

// stripRows is how many vectors a strip has. 3×3 sums, and one row of either
// factor, fill the 16 registers of plain amd64 and of AVX2.
const stripRows = 3

// stripLength is what the length of vectors is rounded up to.
func stripLength(l int) int { return roundUp(l, stripRows*lanes) }

// stripSize is how many numbers the strips of n vectors of length l take.
func stripSize(n, l int) int { return roundUp(n, stripRows) * stripLength(l) }

// roundUp returns the least multiple of unit that is at least n.
func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// interleave writes one vector to its place in a strip, which dst is the rest of from
// there: lane by lane (v_i·a − mean_i)·w. mean is as long as v, and what the strip
// has of the vector beyond that becomes 0.
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

// interleaveT writes numbers i and i+1 of every vector of strips that are `size`
// numbers apart: x_j·a − mean_j for the first of vector j, y_j·a − mean_j for the
// second. i is even; a number past the rounded length is left out.
func interleaveT(dst []float64, size, i int, x, y, mean []float64, a float64) {
	x, y = x[:len(mean)], y[:len(mean)]
	from := i/lanes*stripRows*lanes + i%lanes
	dst = dst[from:]
	j := 0
	switch {
	case lanes == 8:
		for ; j < len(mean)-2; j += 3 {
			o := (*[18]float64)(dst)
			o[0], o[1] = x[j]*a-mean[j], y[j]*a-mean[j]
			o[8], o[9] = x[j+1]*a-mean[j+1], y[j+1]*a-mean[j+1]
			o[16], o[17] = x[j+2]*a-mean[j+2], y[j+2]*a-mean[j+2]
			dst = dst[min(size, len(dst)):]
		}
	case lanes == 4:
		for ; j < len(mean)-2; j += 3 {
			o := (*[10]float64)(dst)
			o[0], o[1] = x[j]*a-mean[j], y[j]*a-mean[j]
			o[4], o[5] = x[j+1]*a-mean[j+1], y[j+1]*a-mean[j+1]
			o[8], o[9] = x[j+2]*a-mean[j+2], y[j+2]*a-mean[j+2]
			dst = dst[min(size, len(dst)):]
		}
	case lanes == 2:
		for ; j < len(mean)-2; j += 3 {
			o := (*[6]float64)(dst)
			o[0], o[1] = x[j]*a-mean[j], y[j]*a-mean[j]
			o[2], o[3] = x[j+1]*a-mean[j+1], y[j+1]*a-mean[j+1]
			o[4], o[5] = x[j+2]*a-mean[j+2], y[j+2]*a-mean[j+2]
			dst = dst[min(size, len(dst)):]
		}
	case from+6 <= size:
		for ; j < len(mean)-2; j += 3 {
			o := (*[6]float64)(dst)
			o[0], o[3] = x[j]*a-mean[j], y[j]*a-mean[j]
			o[1], o[4] = x[j+1]*a-mean[j+1], y[j+1]*a-mean[j+1]
			o[2], o[5] = x[j+2]*a-mean[j+2], y[j+2]*a-mean[j+2]
			dst = dst[min(size, len(dst)):]
		}
	}
	// What is left, number by number; and zeros for vectors that are not there.
	for c := 0; j < roundUp(len(mean), stripRows); j++ {
		var p, q float64
		if j < len(mean) {
			p, q = x[j]*a-mean[j], y[j]*a-mean[j]
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

// groupSize is how many numbers of the second factor's strips are multiplied
// with all of the first one's before the next: an eighth of a megabyte, half of
// the smaller second-level caches in use.
const groupSize = 16384

// addMulStrips adds A·Bᵀ to C, for factors of m and n vectors of one length in
// strips. C has m rows of length ldc ≥ n. If upper is set, A and B are the same
// and only the part of C on and right of the diagonal is wanted (the rest may
// be written, too).
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

// spread writes the vectors v (n of length l, `row` numbers apart) for
// addCombined: of three vectors at a time, of three numbers of each at a time, the
// nine products' factors, as many times as there are lanes.
func spread(dst, v []float64, n, l, row int) {
	for i := 0; i < n; i += stripRows {
		for j := 0; j < l; j += stripRows {
			for c := range stripRows {
				for r := range stripRows {
					var x float64
					if i+r < n && j+c < l {
						x = v[(i+r)*row+j+c]
					}
					for t := range lanes {
						dst[t] = x
					}
					dst = dst[lanes:]
				}
			}
		}
	}
}

// spreadSize is how many numbers spread writes.
func spreadSize(n, l int) int { return roundUp(n, stripRows) * roundUp(l, stripRows) * lanes }

// spreadStrips is of how many strips at a time addCombined takes the
// combinations: what spread made of that many, and three times the lanes of them, fit
// the first-level cache.
const spreadStrips = 32

// addCombined adds to each of n rows of C, ldc apart, a combination of the l vectors of
// length m that are in strips; u has the coefficients, n vectors of length l, as
// spread writes them. It may add to C's rows zeros up to m rounded up by
// stripLength, which ldc must have room for.
func addCombined(c []float64, ldc int, strips []float64, l, m int, u []float64, n int) {
	if l == 0 {
		return
	}
	size, count, piece := stripSize(stripRows, m), roundUp(l, stripRows)/stripRows, stripRows*stripRows*lanes
	for first := 0; first < count; first += spreadStrips {
		last := min(first+spreadStrips, count)
		for i := 0; i < n; i += stripRows {
			factors := u[(i/stripRows*count+first)*piece : (i/stripRows*count+last)*piece]
			for at := 0; at < stripLength(m); at += stripRows * lanes {
				part := strips[first*size+stripRows*at : (last-1)*size+stripRows*at+piece]
				out := c[i*ldc+at : (min(i+stripRows, n)-1)*ldc+at+stripRows*lanes]
				if useSIMD {
					combineSIMD(out, ldc, part, size, factors)
				} else {
					combineGeneric(out, ldc, part, size, factors)
				}
			}
		}
	}
}

// combineGeneric adds to three entries each of one, two or three rows of C the
// combinations of what the strips, `size` numbers apart, begin with.
func combineGeneric(c []float64, ldc int, a []float64, size int, u []float64) {
	var s0, s1, s2, s3, s4, s5, s6, s7, s8 float64
	for len(u) >= 9 && len(a) >= 9 {
		x, f := (*[9]float64)(a), (*[9]float64)(u)
		p, q, r := x[0], x[3], x[6]
		t := f[0]
		s0 += t * p
		s1 += t * q
		s2 += t * r
		t = f[1]
		s3 += t * p
		s4 += t * q
		s5 += t * r
		t = f[2]
		s6 += t * p
		s7 += t * q
		s8 += t * r
		p, q, r = x[1], x[4], x[7]
		t = f[3]
		s0 += t * p
		s1 += t * q
		s2 += t * r
		t = f[4]
		s3 += t * p
		s4 += t * q
		s5 += t * r
		t = f[5]
		s6 += t * p
		s7 += t * q
		s8 += t * r
		p, q, r = x[2], x[5], x[8]
		t = f[6]
		s0 += t * p
		s1 += t * q
		s2 += t * r
		t = f[7]
		s3 += t * p
		s4 += t * q
		s5 += t * r
		t = f[8]
		s6 += t * p
		s7 += t * q
		s8 += t * r
		a, u = a[min(size, len(a)):], u[9:]
	}
	addTile(c, ldc, 0, stripRows, &[9]float64{s0, s1, s2, s3, s4, s5, s6, s7, s8})
}

// stripGeneric adds the products of one strip with n vectors in strips to the
// one, two or three rows of C, the last of which may end with its n entries.
func stripGeneric(c []float64, ldc int, x, y []float64, n int) {
	for j := 0; j < n; j += stripRows {
		var s0, s1, s2, s3, s4, s5, s6, s7, s8 float64
		a, b := x, y
		for len(a) >= 6 && len(b) >= 6 {
			u, v := (*[6]float64)(a), (*[6]float64)(b)
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
			a, b = a[6:], b[6:]
		}
		if len(a) >= 3 && len(b) >= 3 {
			u, v := (*[3]float64)(a), (*[3]float64)(b)
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
		}
		addTile(c, ldc, j, min(stripRows, n-j), &[9]float64{s0, s1, s2, s3, s4, s5, s6, s7, s8})
		y = y[len(x):]
	}
}

// addTile adds the sums of a tile to `width` entries, from column j on, of as
// many rows as c has.
func addTile(c []float64, ldc, j, width int, s *[9]float64) {
	for i := 0; i*ldc+j < len(c); i++ {
		for l := range width {
			c[i*ldc+j+l] += s[stripRows*i+l]
		}
	}
}

// mirror copies the part of the n×n matrix c right of its diagonal to the
// part left of it.
func mirror(c []float64, n int) {
	for i := range n {
		for j := i + 1; j < n; j++ {
			c[j*n+i] = c[i*n+j]
		}
	}
}
