package softkmeans

// The symmetric eigenproblem, by tridiagonal matrices (Golub & Van Loan, 4th ed., 8.3; see tridiagonal.go).
// Eigenvectors are stored as rows, so that a rotation reads two contiguous vectors.

import (
	"context"
	"math"
)

// EigenSym returns the eigenvalues of the symmetric n×n matrix a, in descending order. The columns of vectors
// (n×n) are orthonormal eigenvectors in the same order: a = vectors·diag(values)·vectorsᵀ. In each column the
// entry of largest magnitude, the first on ties, is positive. a may be indefinite and is not changed. The
// error of a value is a small multiple of n·2^-53·max|value|.
//
// Cost: about 9n³. Errors: [ErrNonFinite], [ErrRange], and [ErrShape] if a is not square or an entry differs
// from its mirror image by more than 1e-8 of the largest entry. Smaller differences are averaged.
func EigenSym(a *Matrix) (values []float64, vectors *Matrix, err error) {
	if err := checkShape("a", a); err != nil {
		return nil, nil, err
	}
	if _, err := checkSymmetric("a", a); err != nil {
		return nil, nil, err
	}
	m := a.Clone()
	m.average()
	values, rows := eigenSym(context.Background(), m)
	fixRowSigns(rows)
	return values, rows.transposed(), nil
}

// eigenSym overwrites the symmetric matrix a. It returns the eigenvalues in descending order, and the
// eigenvectors as rows. If ctx ends, it returns soon and the result is invalid, so the caller must check ctx.
func eigenSym(ctx context.Context, a *Matrix) (values []float64, rows *Matrix) {
	return leadingEigen(ctx, a, a.Rows, 1)
}

// unitScale multiplies a by 2^-exp, which takes its largest entry to [½, 1) unless that entry is below
// 2^-1000.
func unitScale(a *Matrix) (exp int) {
	_, exp = math.Frexp(max(maxAbs(a), 0x1p-1000))
	for i := range a.Rows {
		scale(a.row(i), math.Ldexp(1, -exp))
	}
	return exp
}

// leadingEigen overwrites the symmetric matrix a. It returns all eigenvalues in descending order, and the
// eigenvectors of the p ≤ n largest as rows, bit-identical for any number of workers. ctx is used as in
// eigenSym.
func leadingEigen(ctx context.Context, a *Matrix, p, workers int) (values []float64, rows *Matrix) {
	n := a.Rows
	exp := unitScale(a)
	t := tridiagonal(ctx, a, workers)
	raw := t.values(ctx)
	order := descending(raw)
	for _, i := range order {
		values = append(values, math.Ldexp(raw[i], exp))
	}
	// For more than half of the vectors, QL steps are faster than orthogonalizing each pair.
	if 2*p <= n {
		if rows, ok := t.leading(ctx, raw, order[:p]); ok {
			t.back(ctx, rows, workers, nil)
			return values, rows
		}
	}
	rows = t.accumulate(ctx, workers)
	return values, chosenRows(rows, descending(t.implicitQL(ctx, rows))[:p])
}
