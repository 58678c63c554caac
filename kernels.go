package softkmeans

// The innermost loops. The contract of every kernel: the caller has checked that input is finite and of the
// right length; no kernel allocates; the order of sums depends only on the sizes, so that equal sizes give
// equal bits.
//
// The comment on the function without a suffix is the contract of a kernel. The function without a suffix
// calls the SIMD version (…SIMD in kernels_simd.go, a stub in kernels_nosimd.go) or the plain version
// (…Generic, or its own loop). The two versions add in different orders. To change a kernel, change both
// versions, and run its case of TestKernels with and without GOEXPERIMENT=simd.
//
// If a change makes sums deeper, change dotDepth in bounds.go.

import "math"

// simdLength is the length from which SIMD is faster.
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
	for len(x) >= 8 && len(y) >= 8 {
		a, b := (*[8]float64)(x), (*[8]float64)(y)
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		s0 += a[4] * b[4]
		s1 += a[5] * b[5]
		s2 += a[6] * b[6]
		s3 += a[7] * b[7]
		x, y = x[8:], y[8:]
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
	for len(x) >= 4 && len(y) >= 4 {
		p, q := (*[4]float64)(x), (*[4]float64)(y)
		q[0] += a * p[0]
		q[1] += a * p[1]
		q[2] += a * p[2]
		q[3] += a * p[3]
		x, y = x[4:], y[4:]
	}
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

// scale multiplies x by a.
func scale(x []float64, a float64) {
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

// rankTwoMul adds v·wᵀ + w·vᵀ to rows lo … hi−1 of a symmetric matrix a, stored on and below its diagonal,
// and multiplies the result by u. The product of row r, up to the diagonal, is stored in q[r]. The entries of
// row r left of the diagonal are also a column of the matrix. The product of this column with u[r] is added
// to p. The product of the matrix is q plus the p of all rows.
//
// lo is a multiple of 8. Squares of order 8 line the diagonal. Kernels may also read and update the entries
// of these squares right of the diagonal, so the caller mirrors them before the first call. v, w and u are 0
// from hi to the next multiple of 8. Rows up to there are part of a, and stay unchanged.
func rankTwoMul(a []float64, stride, lo, hi int, v, w, u, p, q []float64) {
	if useSIMD && hi >= simdLength {
		rankTwoMulSIMD(a, stride, lo, hi, v, w, u, p, q)
		return
	}
	rankTwoMulGeneric(a, stride, lo, hi, v, w, u, p, q)
}

// rankTwoMulGeneric works on pairs of rows, which share the loads of v, w and u.
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
			xj := x[j] + (v0*wj + w0*vj)
			yj := y[j] + (v1*wj + w1*vj)
			x[j], y[j] = xj, yj
			s0 += xj * uj
			s1 += yj * uj
			pp[j] += xj*u0 + yj*u1
		}
		q[r], q[r+1] = s0, s1
		rankTwoMulCorner(a, stride, r, r, r+2, v, w, u, p, q)
	}
}

// rankTwoMulCorner updates rows lo … hi−1 of a from column `from` on, and adds their products to p and q, as
// rankTwoMul does for all columns.
func rankTwoMulCorner(a []float64, stride, from, lo, hi int, v, w, u, p, q []float64) {
	v, w, u, p, q = v[:hi], w[:hi], u[:hi], p[:hi], q[:hi]
	for r := lo; r < hi; r++ {
		row := a[r*stride:][:r+1]
		vr, wr, ur := v[r], w[r], u[r]
		var s float64
		for j := from; j < r; j++ {
			x := row[j] + (vr*w[j] + wr*v[j])
			row[j] = x
			s += x * u[j]
			p[j] += x * ur
		}
		x := row[r] + 2*vr*wr
		row[r] = x
		q[r] += s + x*ur
	}
}

// sumSquares returns Σ x_i².
func sumSquares(x []float64) float64 { return dot(x, x) }

// norm2 returns the Euclidean length of x. Lengths from 2^-500 to 2^500 keep all their digits.
func norm2(x []float64) float64 { return math.Sqrt(sumSquares(x)) }

// projectOut subtracts from x its projection on the unit vector q: a step of Gram–Schmidt.
func projectOut(x, q []float64) { axpy(x, -dot(x, q), q) }

// addMulNT adds A·Bᵀ to C. A contains m rows and B contains n rows, both of length l and without gaps. C
// contains m rows of length ldc ≥ n. If upper is set, A and B are the same matrix, and only the entries of C
// on and right of the diagonal are required. The others may be written as well.
//
// A tile is 2×4 dot products: 8 sums, 6 loaded numbers and their products fill the 16 registers of plain
// amd64.
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
			b0, b1 := b[j*l:j*l+l], b[(j+1)*l:(j+1)*l+l]
			s := dot2x4(a0, a1, b0, b1, b[(j+2)*l:(j+2)*l+l], b[(j+3)*l:(j+3)*l+l])
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

// dot2x4 returns the dot products of two vectors with four, all of one length: a0·b0…a0·b3, a1·b0…a1·b3. The
// loop takes four numbers at a time, since the moves at its end cost as much as the arithmetic for one.
func dot2x4(a0, a1, b0, b1, b2, b3 []float64) (s [8]float64) {
	n := len(a0)
	a1, b0, b1, b2, b3 = a1[:n], b0[:n], b1[:n], b2[:n], b3[:n]
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	i := 0
	for ; i+4 <= n; i += 4 {
		u, v, c0 := (*[4]float64)(a0[i:]), (*[4]float64)(a1[i:]), (*[4]float64)(b0[i:])
		c1, c2, c3 := (*[4]float64)(b1[i:]), (*[4]float64)(b2[i:]), (*[4]float64)(b3[i:])
		x, y, p := u[0], v[0], c0[0]
		s0, s4 = s0+x*p, s4+y*p
		p = c1[0]
		s1, s5 = s1+x*p, s5+y*p
		p = c2[0]
		s2, s6 = s2+x*p, s6+y*p
		p = c3[0]
		s3, s7 = s3+x*p, s7+y*p
		x, y, p = u[1], v[1], c0[1]
		s0, s4 = s0+x*p, s4+y*p
		p = c1[1]
		s1, s5 = s1+x*p, s5+y*p
		p = c2[1]
		s2, s6 = s2+x*p, s6+y*p
		p = c3[1]
		s3, s7 = s3+x*p, s7+y*p
		x, y, p = u[2], v[2], c0[2]
		s0, s4 = s0+x*p, s4+y*p
		p = c1[2]
		s1, s5 = s1+x*p, s5+y*p
		p = c2[2]
		s2, s6 = s2+x*p, s6+y*p
		p = c3[2]
		s3, s7 = s3+x*p, s7+y*p
		x, y, p = u[3], v[3], c0[3]
		s0, s4 = s0+x*p, s4+y*p
		p = c1[3]
		s1, s5 = s1+x*p, s5+y*p
		p = c2[3]
		s2, s6 = s2+x*p, s6+y*p
		p = c3[3]
		s3, s7 = s3+x*p, s7+y*p
	}
	for ; i < n; i++ {
		x, y := a0[i], a1[i]
		p, q, r, t := b0[i], b1[i], b2[i], b3[i]
		s0, s1, s2, s3 = s0+x*p, s1+x*q, s2+x*r, s3+x*t
		s4, s5, s6, s7 = s4+y*p, s5+y*q, s6+y*r, s7+y*t
	}
	return [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
}

// addDifference adds w·(x − origin) to sums, unless w is 0. It returns the largest |x_i|, and whether all x_i
// are finite.
func addDifference(sums, x, origin []float64, w float64) (top float64, finite bool) {
	if w == 0 {
		return rowMaxAbs(x)
	}
	if useSIMD && len(x) >= simdLength {
		return addDifferenceSIMD(sums, x, origin, w)
	}
	sums, origin = sums[:len(x)], origin[:len(x)]
	var most uint64
	for j, v := range x {
		most = max(most, magnitude(v))
		sums[j] += w * (v - origin[j])
	}
	return math.Float64frombits(most), most < infinite
}

// shift writes a·x − mean to dst. It may write some entries twice, so dst must not overlap x or mean.
func shift(dst, x, mean []float64, a float64) {
	if useSIMD && len(x) >= simdLength {
		shiftSIMD(dst, x, mean, a)
		return
	}
	dst, mean = dst[:len(x)], mean[:len(x)]
	for i, v := range x {
		dst[i] = a*v - mean[i]
	}
}

// mirror copies the part of the n×n matrix c right of the diagonal to the part left of it.
func mirror(c []float64, n int) {
	for i := range n {
		for j := i + 1; j < n; j++ {
			c[j*n+i] = c[i*n+j]
		}
	}
}

// addRows adds Σ_t coef_t·x_{index_t} to y. The rows of x are as long as y and without gaps.
func addRows(y []float64, coef []float64, index []int, x []float64) {
	if useSIMD && len(y) >= simdLength {
		addRowsSIMD(y, coef, index, x)
		return
	}
	addRowsGeneric(y, coef, index, x)
}

// addRowsGeneric takes four rows at a time, so that four products share one load and one store of y. Of up to
// three rows at the end, the first, times 0, stands for the missing ones.
func addRowsGeneric(y []float64, coef []float64, index []int, x []float64) {
	l := len(y)
	for len(coef) >= 4 && len(index) >= 4 {
		c, at := (*[4]float64)(coef), (*[4]int)(index)
		x0, x1, x2, x3 := x[at[0]*l:][:l], x[at[1]*l:][:l], x[at[2]*l:][:l], x[at[3]*l:][:l]
		a, b, e, f := c[0], c[1], c[2], c[3]
		for i, v := range y {
			y[i] = v + ((a*x0[i] + b*x1[i]) + (e*x2[i] + f*x3[i]))
		}
		coef, index = coef[4:], index[4:]
	}
	if len(coef) == 0 {
		return
	}
	x0, a, b, e := x[index[0]*l:][:l], coef[0], 0.0, 0.0
	x1, x2 := x0, x0
	if len(coef) > 1 {
		x1, b = x[index[1]*l:][:l], coef[1]
	}
	if len(coef) > 2 {
		x2, e = x[index[2]*l:][:l], coef[2]
	}
	for i, v := range y {
		y[i] = v + ((a*x0[i] + b*x1[i]) + e*x2[i])
	}
}

// rowMaxAbs returns the largest magnitude in v and whether all of v is finite.
func rowMaxAbs(v []float64) (top float64, finite bool) {
	var most uint64
	for _, x := range v {
		most = max(most, magnitude(x))
	}
	return math.Float64frombits(most), most < infinite
}

// magnitude returns the bits of |x| as an integer. Integers of larger magnitudes are larger; for an infinity
// or a NaN the integer is at least infinite. With max of float64 the first pass of a fit took 2.6 times as
// long.
func magnitude(x float64) uint64 { return math.Float64bits(x) &^ (1 << 63) }

const infinite = 0x7ff << 52

// squaredDistance returns ‖x − y‖². It is bit-identical for (y, x), and 0 for x = y.
func squaredDistance(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		a, b := (*[4]float64)(x), (*[4]float64)(y)
		d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		d := v - y[i]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}

// twoSum returns a + b, rounded, and the rounding error (Knuth). The conversions prevent fusing if a or b is
// a product.
func twoSum(a, b float64) (sum, lost float64) {
	a, b = float64(a), float64(b)
	sum = a + b
	part := sum - a
	return sum, (a - (sum - part)) + (b - part)
}

// twoProduct returns a·b, rounded, and the rounding error to 2^-106 of the product (Dekker). It avoids
// math.FMA, which WebAssembly emulates.
func twoProduct(a, b float64) (product, lost float64) {
	const upper = ^uint64(1<<27 - 1)
	ah, bh := math.Float64frombits(math.Float64bits(a)&upper), math.Float64frombits(math.Float64bits(b)&upper)
	al, bl := a-ah, b-bh
	product = a * b
	return product, ((ah*bh - product) + ah*bl + al*bh) + al*bl
}

// fineSum is a sum and its lost roundings. Up to 2^26 terms its value is off by at most two roundings of the
// sum of magnitudes: see fineDepth.
type fineSum struct{ sum, lost float64 }

func (s *fineSum) add(v float64) {
	sum, lost := twoSum(s.sum, v)
	s.sum, s.lost = sum, s.lost+lost
}

// merge adds the terms of t.
func (s *fineSum) merge(t fineSum) {
	s.add(t.sum)
	s.lost += t.lost
}

func (s fineSum) value() float64 { return s.sum + s.lost }

// totalOf returns the sum of all parts.
func totalOf(parts []fineSum) (all fineSum) {
	for _, v := range parts {
		all.merge(v)
	}
	return all
}

// fineDot returns Σ x_i·y_i. Each product is rounded once, and the sum once.
func fineDot(x, y []float64) float64 {
	var s fineSum
	for i, v := range x {
		s.add(v * y[i])
	}
	return s.value()
}

// Large products store their factors as strips. A strip interleaves three vectors: the first `lanes` numbers
// of each, then the next, where lanes is the number of numbers in the widest SIMD register. So a tile of 3×3
// sums reads consecutive memory. Zeros round up the number of vectors to full strips, and their length to a
// multiple of six times the lanes, or of 24 for eight lanes:
//
// 	a₀…a_{L−1} b₀…b_{L−1} c₀…c_{L−1} a_L…, L = lanes.

// stripRows vectors make a strip. 3×3 sums and three numbers of either factor fill 16 registers.
const stripRows = 3

// stripLength returns the length of vectors of length l in strips.
func stripLength(l int) int { return roundUp(l, min(2*stripRows*lanes, 24)) }

// stripIndex returns the index in a strip of number i of its first vector. Number i of the second vector is
// `lanes` places behind.
func stripIndex(i int) int { return stripRows*i - (stripRows-1)*(i&(lanes-1)) }

// stripSize returns the number of numbers in the strips of n vectors of length l.
func stripSize(n, l int) int { return roundUp(n, stripRows) * stripLength(l) }

// roundUp returns the least multiple of unit that is at least n.
func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// interleave writes a strip of the vectors (x_i·a − mean)·w_i. Its places beyond the length of mean become 0.
func interleave(dst []float64, x *[stripRows][]float64, mean []float64, a float64, w *[stripRows]float64) {
	if useSIMD {
		interleaveSIMD(dst, x, mean, a, w)
		return
	}
	x0, x1, x2 := x[0][:len(mean)], x[1][:len(mean)], x[2][:len(mean)]
	for i, m := range mean {
		out := (*[stripRows]float64)(dst[stripRows*i:])
		out[0], out[1], out[2] = (x0[i]*a-m)*w[0], (x1[i]*a-m)*w[1], (x2[i]*a-m)*w[2]
	}
	clear(dst[stripRows*len(mean):])
}

// packColumns writes the n columns of an m×n matrix without gaps as strips to dst, which takes stripSize
// numbers.
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

// interleaveT writes numbers i and i+1 of every vector, x_j and y_j for vector j, to strips that are `size`
// numbers apart. i is even. If only number i is within the rounded length of the strip, number i+1 is
// omitted.
func interleaveT(dst []float64, size, i int, x, y []float64) {
	y = y[:len(x)]
	from := stripIndex(i)
	dst = dst[from:]
	j := 0
	switch {
	case lanes > 1:
		for b, c := lanes, 2*lanes; j < len(x)-2; j += 3 {
			o := dst[:c+2]
			o[0], o[1], o[b], o[b+1], o[c], o[c+1] = x[j], y[j], x[j+1], y[j+1], x[j+2], y[j+2]
			dst = dst[min(size, len(dst)):]
		}
	case from+6 <= size:
		for ; j < len(x)-2; j += 3 {
			o := (*[6]float64)(dst)
			o[0], o[1], o[2], o[3], o[4], o[5] = x[j], x[j+1], x[j+2], y[j], y[j+1], y[j+2]
			dst = dst[min(size, len(dst)):]
		}
	}
	// The last vectors follow number by number, and zeros up to full strips.
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

// groupSize is the number of float64 of the second factor that are multiplied at a time: 128 kB, half of a
// small second-level cache.
const groupSize = 16384

// addMulStrips adds to c the products of the m vectors of a with the n vectors of b, as addMulNT does. All
// vectors have the length l, and a and b contain them in strips.
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
			x := a[i/stripRows*size:][:size]
			y := b[from/stripRows*size : roundUp(last, stripRows)/stripRows*size]
			rows := c[i*ldc+from : (min(i+stripRows, m)-1)*ldc+last]
			if useSIMD {
				stripSIMD(rows, ldc, x, y, last-from)
			} else {
				stripGeneric(rows, ldc, x, y, last-from)
			}
		}
	}
}

// stripGeneric adds the products of strip x and n vectors in strips y to one to three rows of C.
func stripGeneric(c []float64, ldc int, x, y []float64, n int) {
	for j := 0; j < n; j += stripRows {
		var s0, s1, s2, s3, s4, s5, s6, s7, s8 float64
		a, b := x, y
		for len(a) >= 9 && len(b) >= 9 { // lengths are multiples of three
			u, v := (*[9]float64)(a), (*[9]float64)(b)
			p, q, r := v[0], v[1], v[2]
			t := u[0]
			s0, s1, s2 = s0+t*p, s1+t*q, s2+t*r
			t = u[1]
			s3, s4, s5 = s3+t*p, s4+t*q, s5+t*r
			t = u[2]
			s6, s7, s8 = s6+t*p, s7+t*q, s8+t*r
			p, q, r = v[3], v[4], v[5]
			t = u[3]
			s0, s1, s2 = s0+t*p, s1+t*q, s2+t*r
			t = u[4]
			s3, s4, s5 = s3+t*p, s4+t*q, s5+t*r
			t = u[5]
			s6, s7, s8 = s6+t*p, s7+t*q, s8+t*r
			p, q, r = v[6], v[7], v[8]
			t = u[6]
			s0, s1, s2 = s0+t*p, s1+t*q, s2+t*r
			t = u[7]
			s3, s4, s5 = s3+t*p, s4+t*q, s5+t*r
			t = u[8]
			s6, s7, s8 = s6+t*p, s7+t*q, s8+t*r
			a, b = a[9:], b[9:]
		}
		addTile(c, ldc, j, min(stripRows, n-j), &[9]float64{s0, s1, s2, s3, s4, s5, s6, s7, s8})
		y = y[len(x):]
	}
}

// addTile adds the sums of a tile to `width` entries, from column j on, of each row of c.
func addTile(c []float64, ldc, j, width int, s *[9]float64) {
	if width == stripRows && 2*ldc+j < len(c) {
		p, q, r := (*[3]float64)(c[j:]), (*[3]float64)(c[ldc+j:]), (*[3]float64)(c[2*ldc+j:])
		p[0], p[1], p[2] = p[0]+s[0], p[1]+s[1], p[2]+s[2]
		q[0], q[1], q[2] = q[0]+s[3], q[1]+s[4], q[2]+s[5]
		r[0], r[1], r[2] = r[0]+s[6], r[1]+s[7], r[2]+s[8]
		return
	}
	for i := 0; i*ldc+j < len(c); i++ {
		for l := range width {
			c[i*ldc+j+l] += s[stripRows*i+l]
		}
	}
}
