package proof

// The search for A by proximal gradient steps. The floor is proved for any A, so errors in this file cannot
// make it wrong.

import (
	"math"
	"math/rand/v2"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

const (
	searchSteps  = 100     // at most
	leastSteps   = 4       // if searchWork permits fewer steps, there is no search
	searchWork   = 1 << 33 // multiplications, about
	directOrder  = 24      // up to this n, and for k above n/4 − spareVectors, all eigenvalues are computed
	spareVectors = 4       // the number of eigenpairs kept beyond k−1, so that a gap follows one of them
	polishSteps  = 60      // at most, of the eigenvectors that a curve is made of
	taskRows     = 64      // at a time
)

// dual is A, and the basis in which its leading eigenvectors are sought.
type dual struct {
	*kernel
	a, basis *softkmeans.Matrix // basis: in rows; nil: all eigenvectors are computed
	tau      float64
	cost     float64 // c(A − K)
}

// newDual begins with A = K and the directions of the memberships p.
func newDual(kn *kernel, p *softkmeans.Matrix, tau float64) *dual {
	d := &dual{kernel: kn, a: kn.rows.Clone(), tau: tau}
	if kn.n <= directOrder || 4*(kn.k+spareVectors) > kn.n {
		return d
	}
	rng := rand.New(rand.NewPCG(0, 0xd0a1))
	d.basis = softkmeans.NewMatrix(2*(kn.k-1+spareVectors), kn.n, nil)
	for l := range d.basis.Rows {
		row := d.basis.Row(l)
		for i := range row {
			row[i] = rng.NormFloat64()
			if l < kn.k {
				row[i] = p.At(i, l) - 1/float64(kn.k)
			}
		}
	}
	return d
}

// steps returns how many steps searchWork permits. A step that computes all eigenvectors counts as 128n³
// multiplications.
func (d *dual) steps() int {
	n := float64(d.n)
	each := 128 * n
	if d.basis != nil {
		each = float64(d.basis.Rows + d.k + 8)
	}
	return int(min(searchSteps, searchWork/(each*n*n)))
}

// search raises the floor at τ by steps of the proximal gradient method. A step subtracts share·G from D = A
// − K, with G the part of A − τ11ᵀ in its k−1 leading eigenpairs. It then moves each entry of D towards 0, by
// up to share·τ from above and share·(k−1)τ from below. τ moves to the τ with the least floor of this A. If
// the floor falls, share is halved: the k-th eigenvalue is then near the others.
func (d *dual) search(steps int, objective float64) error {
	last, nn := math.Inf(-1), float64(d.n)*float64(d.n)
	share := 1.
	for step := range steps {
		values, vectors, err := d.leading(d.tau)
		if err != nil {
			return err
		}
		count := min(d.k-1, len(values))
		y := softkmeans.NewMatrix(count, d.n, nil) // G = YᵀY
		h, across := 0.0, 0.0
		for l := range count {
			v, sum := max(0, values[l]), 0.0
			for i, x := range vectors.Row(l) {
				sum += x
				y.Row(l)[i] = math.Sqrt(v) * x
			}
			h, across = h+v*v, across+v*sum*sum
		}
		reached := d.squares - 2*d.tau*(d.sum+d.cost) + nn*d.tau*d.tau - h
		if step%10 == 9 {
			switch open := objective - reached; {
			case math.Abs(open) < closeShare*d.squares:
				return nil
			case reached < last:
				share *= .5
			case reached-last < open/200:
				return nil
			}
			last = reached
		}
		d.move(y, share)
		d.tau = min(max(d.tau/2, (d.sum+d.cost-across)/nn), 2*d.tau)
	}
	return nil
}

// move takes a step of search, for G = YᵀY and the given share, and sets cost. The cost is summed over the
// lower triangle of A, whose entries off the diagonal count twice.
func (d *dual) move(y *softkmeans.Matrix, share float64) {
	costs := make([]float64, d.n)
	more := float64(d.k - 1)
	d.eachTask(func(lo, hi int) {
		g := make([]float64, d.n)
		for i := lo; i < hi; i++ {
			clear(g)
			for l := range y.Rows {
				la.Axpy(g, share*y.Row(l)[i], y.Row(l))
			}
			a, known := d.a.Row(i), d.rows.Row(i)
			for j, v := range known {
				up, down := share*d.tau, -share*d.tau*more
				if i == j {
					up = 0
				}
				s := a[j] - v - g[j]
				a[j] = v + (s - min(max(s, down), up))
			}
			for j, v := range known[:i+1] {
				switch s := a[j] - v; {
				case i == j:
					costs[i] += more * max(0, -s)
				case s > 0:
					costs[i] += 2 * s
				default:
					costs[i] -= 2 * more * s
				}
			}
		}
	})
	d.cost = la.Sum(costs)
}

// eachTask calls fn for all blocks of rows lo…hi−1, in parallel.
func (d *dual) eachTask(fn func(lo, hi int)) {
	draws.Run(d.workers, (d.n+taskRows-1)/taskRows, func(task int) {
		if d.ctx.Err() == nil {
			fn(task*taskRows, min((task+1)*taskRows, d.n))
		}
	})
}

// leading returns about the k−1+spareVectors largest eigenvalues of A − τ11ᵀ, descending, and eigenvectors in
// rows. The eigenvectors are sought in the span of basis: its first half contains the vectors of the previous
// call, and its second half their residuals.
func (d *dual) leading(tau float64) (values []float64, vectors *softkmeans.Matrix, err error) {
	if d.basis == nil {
		s := d.a.Clone()
		for i := range s.Data {
			s.Data[i] -= tau
		}
		if values, vectors, err = softkmeans.EigenSym(s); err != nil {
			return nil, nil, err
		}
		return values, la.Transpose(vectors), fault.Stopped(d.ctx)
	}
	b := d.basis.Rows
	orthonormalize(d.basis)
	times := softkmeans.NewMatrix(b, d.n, nil)
	d.multiply(times, tau)
	inner := softkmeans.NewMatrix(b, b, nil)
	for i := range b {
		for j := range i + 1 {
			inner.Data[i*b+j] = la.Dot(times.Row(i), d.basis.Row(j))
			inner.Data[j*b+i] = inner.Data[i*b+j]
		}
	}
	values, turn, err := softkmeans.EigenSym(inner)
	if err != nil {
		return nil, nil, err
	}
	next := softkmeans.NewMatrix(b, d.n, nil)
	for l := range b / 2 {
		found, rest := next.Row(l), next.Row(b/2+l)
		for i := range b {
			la.Axpy(found, turn.At(i, l), d.basis.Row(i))
			la.Axpy(rest, turn.At(i, l), times.Row(i))
		}
		la.Axpy(rest, -values[l], found)
	}
	d.basis = next
	return values[:b/2], la.FirstRows(next, b/2), fault.Stopped(d.ctx)
}

// multiply writes the products of A − τ11ᵀ with the rows of basis to the rows of out.
func (d *dual) multiply(out *softkmeans.Matrix, tau float64) {
	b := d.basis
	shifts := make([]float64, b.Rows)
	for l := range shifts {
		shifts[l] = tau * la.Sum(b.Row(l))
	}
	d.eachTask(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			a, l := d.a.Row(i), 0
			for ; l+4 <= b.Rows; l += 4 {
				s0, s1, s2, s3 := dot4(a, b.Row(l), b.Row(l+1), b.Row(l+2), b.Row(l+3))
				out.Row(l)[i], out.Row(l + 1)[i] = s0-shifts[l], s1-shifts[l+1]
				out.Row(l + 2)[i], out.Row(l + 3)[i] = s2-shifts[l+2], s3-shifts[l+3]
			}
			for ; l < b.Rows; l++ {
				out.Row(l)[i] = la.Dot(a, b.Row(l)) - shifts[l]
			}
		}
	})
}

// orthonormalize makes the rows of m orthonormal, and replaces dependent rows by random ones.
func orthonormalize(m *softkmeans.Matrix) {
	rng := rand.New(rand.NewPCG(1, 0xd0a1))
	for i := range m.Rows {
		row := m.Row(i)
		for range 4 {
			before := la.Norm(row)
			projectOut(row, m, i)
			if after := la.Norm(row); after > 0x1p-40*before { // else most of the row cancels
				la.Scale(1/after, row)
				break
			}
			for j := range row {
				row[j] = rng.NormFloat64()
			}
		}
	}
}

// dot4 returns the products of a with four others.
func dot4(a, b0, b1, b2, b3 []float64) (s0, s1, s2, s3 float64) {
	b0, b1, b2, b3 = b0[:len(a)], b1[:len(a)], b2[:len(a)], b3[:len(a)]
	for i, v := range a {
		s0, s1, s2, s3 = s0+v*b0[i], s1+v*b1[i], s2+v*b2[i], s3+v*b3[i]
	}
	return s0, s1, s2, s3
}
