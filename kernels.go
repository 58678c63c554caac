package softkmeans

// The arithmetic that the package does over and over. Contract of every
// kernel here: clean input (finite, right lengths, checked by the caller), no
// allocation, and a summation order that depends on the sizes alone, so that
// equal sizes give equal bits.

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
	for i := range x {
		x[i] *= a
	}
}

// rotate applies the plane rotation x ← c·x − s·y, y ← s·x + c·y.
func rotate(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, a := range x {
		b := y[i]
		x[i] = c*a - s*b
		y[i] = s*a + c*b
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

// mirror copies the part of the n×n matrix c right of its diagonal to the
// part left of it.
func mirror(c []float64, n int) {
	for i := range n {
		for j := i + 1; j < n; j++ {
			c[j*n+i] = c[i*n+j]
		}
	}
}
