package softkmeans

// The leading singular triplets of a matrix by block Krylov iteration.

import (
	"context"
	"math"
	"strconv"
)

// TruncatedOptions tunes [TruncatedSVD]. The zero value and nil are the defaults.
type TruncatedOptions struct {
	// Tol stops the iteration at residuals of Tol·s₁; 0: 1e-10. Where rounding in aᵀa hides
	// such residuals it stops at min(n, d)·2^-52·s₁²/s_i.
	Tol      float64
	MaxSteps int    // passes of block Krylov iteration; 0: 200
	Seed     uint64 // of the random start; any value is as good as another
	Workers  int    // 0: GOMAXPROCS; the result's bits do not depend on it
}

// TruncatedSVD returns the k leading singular triplets of a (n×d), 1 ≤ k ≤
// min(n, d), by block Krylov iteration with full reorthogonalization and thick
// restarts (Musco & Musco 2015). Blocks are accurate on slowly falling singular
// values too, where single-vector and power iterations are not. Measured residuals stop it.
//
// Cost: 4nd(k+8) a step, typically 5 to 30 steps; memory O((n+d)k). Errors: [ErrShape], [ErrNonFinite],
// [ErrRange], [ErrTooFewSamples], [ErrOption] for k or the options, and ctx's, wrapped.
func TruncatedSVD(ctx context.Context, a *Matrix, k int, opts *TruncatedOptions) (*SVDResult, error) {
	o := orZero(opts)
	if !(o.Tol >= 0) || o.MaxSteps < 0 {
		return nil, fail(ErrOption, "Tol or MaxSteps is negative or not a number")
	}
	o.Tol, o.MaxSteps = orDefault(o.Tol, 1e-10), orDefault(o.MaxSteps, defaultKrylovSteps)
	if err := checkShape("a", a); err != nil {
		return nil, err
	}
	s, err := newSamples(ctx, a, nil, o.Workers, false)
	if err != nil {
		return nil, renamed(err, "x", "a")
	}
	if small, _ := s.sides(); k < 1 || k > small {
		return nil, fail(ErrOption, "k is "+strconv.Itoa(k)+" for a matrix of size "+shape(a.Rows, a.Cols))
	}
	kry, err := krylovVectors(s, k, krylovOptions{steps: o.MaxSteps, seed: o.Seed, residual: o.Tol})
	if err != nil {
		return nil, err
	}
	// The triplets are those of A·V (n×k), not of its square, so that small ones keep their digits.
	av, err := s.multiply(kry.basis)
	if err != nil {
		return nil, err
	}
	in := jacobiSVD(ctx, av.transposed(), 1)
	v := combine(in.V.transposed(), kry.basis, k, k).transposed()
	r := &SVDResult{U: in.U, S: in.S, V: v, Residuals: make([]float64, k), Iterations: kry.steps,
		Status: kry.status}
	fixSigns(r.V, r.U)
	atu, err := s.multiplyT(r.U.transposed())
	if err != nil {
		return nil, err
	}
	for i := range k {
		row := atu.row(i)
		for j := range row {
			row[j] -= r.S[i] * r.V.Data[j*k+i]
		}
		r.Residuals[i] = math.Ldexp(norm2(row), s.exp)
		r.S[i] = math.Ldexp(r.S[i], s.exp)
	}
	return r, nil
}
