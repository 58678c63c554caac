//go:build goexperiment.simd && go1.27 && (amd64 || arm64 || wasm)

package softkmeans

// The kernels of kernels.go with SIMD: registers of 256 bits on amd64, of 128 bits on other machines
// (simd_other.go). The products of strips use registers of 512 bits if the processor has them (wideTileSIMD).
// Sums are over the lanes of several accumulators. So their bits differ between machines, and from the plain
// kernels. On one machine they depend only on the sizes.
//
// Each kernel calls clearUpper after SIMD and before any scalar arithmetic.
//
// Write each load in full, on a line with arithmetic. The compiler leaves an empty instruction (NOP) for an
// inlined call that is alone on its line. It replaces methods of archsimd's types by single instructions, but
// inlines load. The portable type of package simd was not used, since all its methods are inlined: a tile
// then contained three empty instructions for each product, and reached 25 GF/s, not 35. Compute negative
// factors outside of loops: with −x before a broadcast rankTwoMulSIMD took twice as long.
//
// The last numbers of a slice, fewer than a register holds, are processed one by one, or in a full register
// that overlaps the numbers before and is multiplied by lastLanes.

// dotSIMD fulfils the contract of dot.
func dotSIMD(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 vector
	v := s0.Len()
	for len(x) >= 4*v && len(y) >= 4*v {
		s0 = load(x).MulAdd(load(y), s0)
		s1 = load(x[v:]).MulAdd(load(y[v:]), s1)
		s2 = load(x[2*v:]).MulAdd(load(y[2*v:]), s2)
		s3 = load(x[3*v:]).MulAdd(load(y[3*v:]), s3)
		x, y = x[4*v:], y[4*v:]
	}
	for len(x) >= v && len(y) >= v {
		s0 = load(x).MulAdd(load(y), s0)
		x, y = x[v:], y[v:]
	}
	var l [4]float64
	s0.Add(s1).Add(s2.Add(s3)).Store(l[:])
	clearUpper()
	return sumLanes(&l) + dotGeneric(x, y)
}

// axpySIMD fulfils the contract of axpy.
func axpySIMD(y []float64, a float64, x []float64) {
	y = y[:len(x)]
	f := broadcast(a)
	v := f.Len()
	for len(x) >= 4*v && len(y) >= 4*v {
		load(x).MulAdd(f, load(y)).Store(y)
		load(x[v:]).MulAdd(f, load(y[v:])).Store(y[v:])
		load(x[2*v:]).MulAdd(f, load(y[2*v:])).Store(y[2*v:])
		load(x[3*v:]).MulAdd(f, load(y[3*v:])).Store(y[3*v:])
		x, y = x[4*v:], y[4*v:]
	}
	for len(x) >= v && len(y) >= v {
		load(x).MulAdd(f, load(y)).Store(y)
		x, y = x[v:], y[v:]
	}
	clearUpper()
	axpyGeneric(y, a, x)
}

// rankTwoMulSIMD fulfils the contract of rankTwoMul. It processes the squares of order 8 on the diagonal in
// full, so that rows begin and end with full registers. It works on pairs of rows: for four rows there are
// too few registers.
func rankTwoMulSIMD(a []float64, stride, lo, hi int, v, w, u, p, q []float64) {
	for b := lo; b < hi; b += 8 {
		full := b+8 <= stride // true, except at the end of a matrix whose order is not a multiple of 8
		for r := b; r < min(b+8, hi); r += 2 {
			if !full && r+1 == hi {
				q[r] = 0
				rankTwoMulCorner(a, stride, 0, r, r+1, v, w, u, p, q)
				break
			}
			x0, x1 := a[r*stride:][:b], a[(r+1)*stride:][:b]
			vv, ww, uu, pp := v[:b], w[:b], u[:b], p[:b]
			v0, v1 := broadcast(v[r]), broadcast(v[r+1])
			w0, w1 := broadcast(w[r]), broadcast(w[r+1])
			u0, u1 := broadcast(u[r]), broadcast(u[r+1])
			var s0, s1 vector
			n := s0.Len()
			for len(x0) >= 2*n && len(x1) >= 2*n && len(vv) >= 2*n &&
				len(ww) >= 2*n && len(uu) >= 2*n && len(pp) >= 2*n {
				vj, wj, uj := load(vv), load(ww), load(uu)
				x := vj.MulAdd(w0, wj.MulAdd(v0, load(x0)))
				y := vj.MulAdd(w1, wj.MulAdd(v1, load(x1)))
				x.Store(x0)
				y.Store(x1)
				s0 = uj.MulAdd(x, s0)
				s1 = uj.MulAdd(y, s1)
				y.MulAdd(u1, x.MulAdd(u0, load(pp))).Store(pp)
				vj, wj, uj = load(vv[n:]), load(ww[n:]), load(uu[n:])
				x = vj.MulAdd(w0, wj.MulAdd(v0, load(x0[n:])))
				y = vj.MulAdd(w1, wj.MulAdd(v1, load(x1[n:])))
				x.Store(x0[n:])
				y.Store(x1[n:])
				s0 = uj.MulAdd(x, s0)
				s1 = uj.MulAdd(y, s1)
				y.MulAdd(u1, x.MulAdd(u0, load(pp[n:]))).Store(pp[n:])
				x0, x1, vv, ww, uu, pp = x0[2*n:], x1[2*n:], vv[2*n:], ww[2*n:], uu[2*n:], pp[2*n:]
			}
			for len(x0) >= n && len(x1) >= n && len(vv) >= n && len(ww) >= n && len(uu) >= n && len(pp) >= n {
				vj, wj, uj := load(vv), load(ww), load(uu)
				x := vj.MulAdd(w0, wj.MulAdd(v0, load(x0)))
				y := vj.MulAdd(w1, wj.MulAdd(v1, load(x1)))
				x.Store(x0)
				y.Store(x1)
				s0 = uj.MulAdd(x, s0)
				s1 = uj.MulAdd(y, s1)
				y.MulAdd(u1, x.MulAdd(u0, load(pp))).Store(pp)
				x0, x1, vv, ww, uu, pp = x0[n:], x1[n:], vv[n:], ww[n:], uu[n:], pp[n:]
			}
			if full {
				x0, x1 = a[r*stride+b:][:8], a[(r+1)*stride+b:][:8]
				vv, ww, uu = v[b:][:8], w[b:][:8], u[b:][:8]
				for len(x0) >= n && len(x1) >= n && len(vv) >= n && len(ww) >= n && len(uu) >= n {
					vj, wj, uj := load(vv), load(ww), load(uu)
					x := vj.MulAdd(w0, wj.MulAdd(v0, load(x0)))
					y := vj.MulAdd(w1, wj.MulAdd(v1, load(x1)))
					x.Store(x0)
					y.Store(x1)
					s0 = uj.MulAdd(x, s0)
					s1 = uj.MulAdd(y, s1)
					x0, x1, vv, ww, uu = x0[n:], x1[n:], vv[n:], ww[n:], uu[n:]
				}
			}
			var l0, l1 [4]float64
			s0.Store(l0[:])
			s1.Store(l1[:])
			clearUpper()
			q[r], q[r+1] = sumLanes(&l0), sumLanes(&l1)
			if !full {
				rankTwoMulCorner(a, stride, b, r, r+2, v, w, u, p, q)
			}
		}
	}
}

// sumLanes adds up the lanes of a vector. The missing lanes of a narrower vector are 0.
func sumLanes(l *[4]float64) float64 {
	return (l[0] + l[2]) + (l[1] + l[3])
}

var lastMask = [8]float64{4: 1, 1, 1, 1}

// lastLanes returns v numbers: zeros, followed by `rest` ones.
func lastLanes(v, rest int) []float64 { return lastMask[4-v+rest:] }

// lanes is how many numbers of one vector are together in a strip: as many as the widest SIMD register of the
// processor contains; 1 for the plain kernels.
var lanes = stripLanes()

func stripLanes() int {
	switch {
	case useWide:
		return 8
	case useSIMD:
		return vector{}.Len()
	}
	return 1
}

// addMulNTSIMD fulfils the contract of addMulNT, in tiles of 3×3 dot products.
func addMulNTSIMD(c []float64, ldc int, a []float64, m int, b []float64, n, l int, upper bool) {
	var sums [12]float64
	row := func(p []float64, i, rows int) []float64 { return p[min(i, rows-1)*l:][:l] }
	for i := 0; i < m; i += 3 {
		j := 0
		if upper {
			j = i
		}
		for ; j < n; j += 3 {
			// Rows past the end repeat the last one. Their sums are dropped.
			rowsSIMD(&sums, row(a, i, m), row(a, i+1, m), row(a, i+2, m),
				row(b, j, n), row(b, j+1, n), row(b, j+2, n))
			addTile(c[i*ldc:(min(i+3, m)-1)*ldc+n], ldc, j, min(3, n-j), (*[9]float64)(sums[:]))
		}
	}
}

// rowsSIMD sets sums to the nine dot products of a0, a1, a2 with b0, b1, b2, as tileSIMD does for strips. The
// vectors have one length, at least simdLength.
func rowsSIMD(sums *[12]float64, a0, a1, a2, b0, b1, b2 []float64) {
	var s0, s1, s2, s3, s4, s5, s6, s7, s8 vector
	v := s0.Len()
	end, l := [6][]float64{a0, a1, a2, b0, b1, b2}, len(a0)-v
	for len(a0) >= 4*v && len(a1) >= 4*v && len(a2) >= 4*v &&
		len(b0) >= 4*v && len(b1) >= 4*v && len(b2) >= 4*v {
		p, q, r := load(b0), load(b1), load(b2)
		s0, s1, s2 = load(a0).MulAdd(p, s0), load(a0).MulAdd(q, s1), load(a0).MulAdd(r, s2)
		s3, s4, s5 = load(a1).MulAdd(p, s3), load(a1).MulAdd(q, s4), load(a1).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a2), s6), q.MulAdd(load(a2), s7), r.MulAdd(load(a2), s8)
		p, q, r = load(b0[v:]), load(b1[v:]), load(b2[v:])
		s0, s1, s2 = load(a0[v:]).MulAdd(p, s0), load(a0[v:]).MulAdd(q, s1), load(a0[v:]).MulAdd(r, s2)
		s3, s4, s5 = load(a1[v:]).MulAdd(p, s3), load(a1[v:]).MulAdd(q, s4), load(a1[v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a2[v:]), s6), q.MulAdd(load(a2[v:]), s7), r.MulAdd(load(a2[v:]), s8)
		p, q, r = load(b0[2*v:]), load(b1[2*v:]), load(b2[2*v:])
		s0, s1, s2 = load(a0[2*v:]).MulAdd(p, s0), load(a0[2*v:]).MulAdd(q, s1), load(a0[2*v:]).MulAdd(r, s2)
		s3, s4, s5 = load(a1[2*v:]).MulAdd(p, s3), load(a1[2*v:]).MulAdd(q, s4), load(a1[2*v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a2[2*v:]), s6), q.MulAdd(load(a2[2*v:]), s7), r.MulAdd(load(a2[2*v:]), s8)
		p, q, r = load(b0[3*v:]), load(b1[3*v:]), load(b2[3*v:])
		s0, s1, s2 = load(a0[3*v:]).MulAdd(p, s0), load(a0[3*v:]).MulAdd(q, s1), load(a0[3*v:]).MulAdd(r, s2)
		s3, s4, s5 = load(a1[3*v:]).MulAdd(p, s3), load(a1[3*v:]).MulAdd(q, s4), load(a1[3*v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a2[3*v:]), s6), q.MulAdd(load(a2[3*v:]), s7), r.MulAdd(load(a2[3*v:]), s8)
		a0, a1, a2 = a0[4*v:], a1[4*v:], a2[4*v:]
		b0, b1, b2 = b0[4*v:], b1[4*v:], b2[4*v:]
	}
	for len(a0) >= v && len(a1) >= v && len(a2) >= v && len(b0) >= v && len(b1) >= v && len(b2) >= v {
		p, q, r := load(b0), load(b1), load(b2)
		s0, s1, s2 = load(a0).MulAdd(p, s0), load(a0).MulAdd(q, s1), load(a0).MulAdd(r, s2)
		s3, s4, s5 = load(a1).MulAdd(p, s3), load(a1).MulAdd(q, s4), load(a1).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a2), s6), q.MulAdd(load(a2), s7), r.MulAdd(load(a2), s8)
		a0, a1, a2 = a0[v:], a1[v:], a2[v:]
		b0, b1, b2 = b0[v:], b1[v:], b2[v:]
	}
	if rest := len(a0); rest > 0 {
		last := load(lastLanes(v, rest))
		p, q, r := load(end[3][l:]), load(end[4][l:]), load(end[5][l:])
		t := load(end[0][l:]).Mul(last)
		s0, s1, s2 = t.MulAdd(p, s0), t.MulAdd(q, s1), t.MulAdd(r, s2)
		t = load(end[1][l:]).Mul(last)
		s3, s4, s5 = t.MulAdd(p, s3), t.MulAdd(q, s4), t.MulAdd(r, s5)
		t = load(end[2][l:]).Mul(last)
		s6, s7, s8 = p.MulAdd(t, s6), q.MulAdd(t, s7), r.MulAdd(t, s8)
	}
	storeSums(sums[:4], s0, s1, s2, s3)
	storeSums(sums[4:8], s4, s5, s6, s7)
	storeSums(sums[8:], s8, s8, s8, s8)
	clearUpper()
}

// addDifferenceSIMD fulfils the contract of addDifference for w > 0 and at least simdLength numbers.
func addDifferenceSIMD(sums, x, origin []float64, w float64) (top float64, finite bool) {
	sums, origin = sums[:len(x)], origin[:len(x)]
	g := broadcast(w)
	var big, zero, none vector
	v := g.Len()
	all, l := [3][]float64{x, origin, sums}, len(x)-v
	for len(x) >= v && len(sums) >= v && len(origin) >= v {
		p := load(x)
		big = big.Max(p.Abs())
		zero = p.MulAdd(none, zero)
		p.Sub(load(origin)).MulAdd(g, load(sums)).Store(sums)
		x, sums, origin = x[v:], sums[v:], origin[v:]
	}
	if rest := len(x); rest > 0 {
		p, end := load(all[0][l:]), all[2][l:]
		big = big.Max(p.Abs())
		zero = p.MulAdd(none, zero)
		p = p.Sub(load(all[1][l:])).Mul(load(lastLanes(v, rest)))
		p.MulAdd(g, load(end)).Store(end)
	}
	var b, z [4]float64
	big.Store(b[:])
	zero.Store(z[:])
	clearUpper()
	return max(b[0], b[1], b[2], b[3]), sumLanes(&z) == 0
}

// shiftSIMD fulfils the contract of shift for at least simdLength numbers.
func shiftSIMD(dst, x, mean []float64, a float64) {
	dst, mean = dst[:len(x)], mean[:len(x)]
	f := broadcast(a)
	v := f.Len()
	l := len(x) - v
	end := [3][]float64{dst[l:], x[l:], mean[l:]}
	for len(x) >= 2*v && len(dst) >= 2*v && len(mean) >= 2*v {
		load(x).Mul(f).Sub(load(mean)).Store(dst)
		load(x[v:]).Mul(f).Sub(load(mean[v:])).Store(dst[v:])
		x, dst, mean = x[2*v:], dst[2*v:], mean[2*v:]
	}
	if len(x) > v {
		load(x).Mul(f).Sub(load(mean)).Store(dst)
	}
	if len(x) > 0 { // the last register overlaps the one before
		load(end[1]).Mul(f).Sub(load(end[2])).Store(end[0])
	}
	clearUpper()
}

// rotateSIMD fulfils the contract of rotate.
func rotateSIMD(x, y []float64, c, s float64) {
	y = y[:len(x)]
	f, g, h := broadcast(c), broadcast(s), broadcast(-s)
	v := f.Len()
	for len(x) >= 2*v && len(y) >= 2*v {
		p, q := load(x), load(y)
		p.MulAdd(f, q.Mul(h)).Store(x)
		q.MulAdd(f, p.Mul(g)).Store(y)
		p, q = load(x[v:]), load(y[v:])
		p.MulAdd(f, q.Mul(h)).Store(x[v:])
		q.MulAdd(f, p.Mul(g)).Store(y[v:])
		x, y = x[2*v:], y[2*v:]
	}
	for len(x) >= v && len(y) >= v {
		p, q := load(x), load(y)
		p.MulAdd(f, q.Mul(h)).Store(x)
		q.MulAdd(f, p.Mul(g)).Store(y)
		x, y = x[v:], y[v:]
	}
	clearUpper()
	rotateGeneric(x, y, c, s)
}

// addRowsSIMD fulfils the contract of addRows. Eight registers of y stay loaded for all rows, so that each
// product takes one load.
func addRowsSIMD(y []float64, coef []float64, index []int, x []float64) {
	l := len(y)
	index = index[:len(coef)]
	var s0 vector
	v := s0.Len()
	lo := 0
	for ; lo+8*v <= l; lo += 8 * v {
		out := y[lo : lo+8*v]
		s0 := load(out)
		s1 := load(out[v:])
		s2 := load(out[2*v:])
		s3 := load(out[3*v:])
		s4 := load(out[4*v:])
		s5 := load(out[5*v:])
		s6 := load(out[6*v:])
		s7 := load(out[7*v:])
		for t, a := range coef {
			row := x[index[t]*l+lo:][:8*v]
			f := broadcast(a)
			s0 = load(row).MulAdd(f, s0)
			s1 = load(row[v:]).MulAdd(f, s1)
			s2 = load(row[2*v:]).MulAdd(f, s2)
			s3 = load(row[3*v:]).MulAdd(f, s3)
			s4 = load(row[4*v:]).MulAdd(f, s4)
			s5 = load(row[5*v:]).MulAdd(f, s5)
			s6 = load(row[6*v:]).MulAdd(f, s6)
			s7 = load(row[7*v:]).MulAdd(f, s7)
		}
		s0.Store(out)
		s1.Store(out[v:])
		s2.Store(out[2*v:])
		s3.Store(out[3*v:])
		s4.Store(out[4*v:])
		s5.Store(out[5*v:])
		s6.Store(out[6*v:])
		s7.Store(out[7*v:])
	}
	for ; lo+2*v <= l; lo += 2 * v {
		out := y[lo : lo+2*v]
		s0 := load(out)
		s1 := load(out[v:])
		for t, a := range coef {
			row := x[index[t]*l+lo:][:2*v]
			f := broadcast(a)
			s0 = load(row).MulAdd(f, s0)
			s1 = load(row[v:]).MulAdd(f, s1)
		}
		s0.Store(out)
		s1.Store(out[v:])
	}
	for ; lo+v <= l; lo += v {
		out := y[lo : lo+v]
		s0 := load(out)
		for t, a := range coef {
			s0 = load(x[index[t]*l+lo:][:v]).MulAdd(broadcast(a), s0)
		}
		s0.Store(out)
	}
	clearUpper()
	for ; lo < l; lo++ {
		sum := y[lo]
		for t, a := range coef {
			sum += a * x[index[t]*l+lo]
		}
		y[lo] = sum
	}
}

// interleaveSIMD fulfils the contract of interleave.
func interleaveSIMD(dst []float64, x *[stripRows][]float64, mean []float64, a float64,
	w *[stripRows]float64) {
	x0, x1, x2 := x[0][:len(mean)], x[1][:len(mean)], x[2][:len(mean)]
	f, w0, w1, w2 := broadcast(a), broadcast(w[0]), broadcast(w[1]), broadcast(w[2])
	v, n := f.Len(), lanes
	for n == v && len(mean) >= v && len(x0) >= v && len(x1) >= v && len(x2) >= v && len(dst) >= 3*v {
		load(x0).Mul(f).Sub(load(mean)).Mul(w0).Store(dst)
		load(x1).Mul(f).Sub(load(mean)).Mul(w1).Store(dst[v:])
		load(x2).Mul(f).Sub(load(mean)).Mul(w2).Store(dst[2*v:])
		x0, x1, x2, mean, dst = x0[v:], x1[v:], x2[v:], mean[v:], dst[3*v:]
	}
	// eight lanes: two registers of each vector
	for n > v && len(mean) >= 2*v && len(x0) >= 2*v && len(x1) >= 2*v && len(x2) >= 2*v && len(dst) >= 6*v {
		load(x0).Mul(f).Sub(load(mean)).Mul(w0).Store(dst)
		load(x0[v:]).Mul(f).Sub(load(mean[v:])).Mul(w0).Store(dst[v:])
		load(x1).Mul(f).Sub(load(mean)).Mul(w1).Store(dst[2*v:])
		load(x1[v:]).Mul(f).Sub(load(mean[v:])).Mul(w1).Store(dst[3*v:])
		load(x2).Mul(f).Sub(load(mean)).Mul(w2).Store(dst[4*v:])
		load(x2[v:]).Mul(f).Sub(load(mean[v:])).Mul(w2).Store(dst[5*v:])
		x0, x1, x2, mean, dst = x0[2*v:], x1[2*v:], x2[2*v:], mean[2*v:], dst[6*v:]
	}
	clearUpper()
	clear(dst)
	for i, m := range mean {
		dst[i], dst[n+i], dst[2*n+i] = (x0[i]*a-m)*w[0], (x1[i]*a-m)*w[1], (x2[i]*a-m)*w[2]
	}
}

// stripSIMD fulfils the contract of stripGeneric.
func stripSIMD(c []float64, ldc int, x, y []float64, n int) {
	var sums [12]float64
	for j := 0; j < n; j += stripRows {
		if useWide {
			wideTileSIMD(&sums, x, y)
		} else {
			tileSIMD(&sums, x, y)
		}
		addTile(c, ldc, j, min(stripRows, n-j), (*[9]float64)(sums[:]))
		y = y[len(x):]
	}
}

// tileSIMD sets sums to the nine dot products of the vectors of strip a with the vectors of b's first strip.
// The other numbers in sums are meaningless.
func tileSIMD(sums *[12]float64, a, b []float64) {
	var s0, s1, s2, s3, s4, s5, s6, s7, s8 vector
	v := s0.Len()
	for len(a) >= 18*v && len(b) >= 18*v { // lengths are multiples of six registers
		p, q, r := load(b), load(b[v:]), load(b[2*v:])
		s0, s1, s2 = load(a).MulAdd(p, s0), load(a).MulAdd(q, s1), load(a).MulAdd(r, s2)
		s3, s4, s5 = load(a[v:]).MulAdd(p, s3), load(a[v:]).MulAdd(q, s4), load(a[v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a[2*v:]), s6), q.MulAdd(load(a[2*v:]), s7), r.MulAdd(load(a[2*v:]), s8)
		p, q, r = load(b[3*v:]), load(b[4*v:]), load(b[5*v:])
		s0, s1, s2 = load(a[3*v:]).MulAdd(p, s0), load(a[3*v:]).MulAdd(q, s1), load(a[3*v:]).MulAdd(r, s2)
		s3, s4, s5 = load(a[4*v:]).MulAdd(p, s3), load(a[4*v:]).MulAdd(q, s4), load(a[4*v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a[5*v:]), s6), q.MulAdd(load(a[5*v:]), s7), r.MulAdd(load(a[5*v:]), s8)
		p, q, r = load(b[6*v:]), load(b[7*v:]), load(b[8*v:])
		s0, s1, s2 = load(a[6*v:]).MulAdd(p, s0), load(a[6*v:]).MulAdd(q, s1), load(a[6*v:]).MulAdd(r, s2)
		s3, s4, s5 = load(a[7*v:]).MulAdd(p, s3), load(a[7*v:]).MulAdd(q, s4), load(a[7*v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a[8*v:]), s6), q.MulAdd(load(a[8*v:]), s7), r.MulAdd(load(a[8*v:]), s8)
		p, q, r = load(b[9*v:]), load(b[10*v:]), load(b[11*v:])
		s0, s1, s2 = load(a[9*v:]).MulAdd(p, s0), load(a[9*v:]).MulAdd(q, s1), load(a[9*v:]).MulAdd(r, s2)
		s3, s4, s5 = load(a[10*v:]).MulAdd(p, s3), load(a[10*v:]).MulAdd(q, s4), load(a[10*v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a[11*v:]), s6), q.MulAdd(load(a[11*v:]), s7), r.MulAdd(load(a[11*v:]), s8)
		p, q, r = load(b[12*v:]), load(b[13*v:]), load(b[14*v:])
		s0, s1, s2 = load(a[12*v:]).MulAdd(p, s0), load(a[12*v:]).MulAdd(q, s1), load(a[12*v:]).MulAdd(r, s2)
		s3, s4, s5 = load(a[13*v:]).MulAdd(p, s3), load(a[13*v:]).MulAdd(q, s4), load(a[13*v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a[14*v:]), s6), q.MulAdd(load(a[14*v:]), s7), r.MulAdd(load(a[14*v:]), s8)
		p, q, r = load(b[15*v:]), load(b[16*v:]), load(b[17*v:])
		s0, s1, s2 = load(a[15*v:]).MulAdd(p, s0), load(a[15*v:]).MulAdd(q, s1), load(a[15*v:]).MulAdd(r, s2)
		s3, s4, s5 = load(a[16*v:]).MulAdd(p, s3), load(a[16*v:]).MulAdd(q, s4), load(a[16*v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a[17*v:]), s6), q.MulAdd(load(a[17*v:]), s7), r.MulAdd(load(a[17*v:]), s8)
		a, b = a[18*v:], b[18*v:]
	}
	storeSums(sums[:4], s0, s1, s2, s3)
	storeSums(sums[4:8], s4, s5, s6, s7)
	storeSums(sums[8:], s8, s8, s8, s8)
	clearUpper()
}
