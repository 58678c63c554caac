package softkmeans

// From similarities to coordinates and memberships.

import (
	"math"
	"strconv"
)

// LSDModel is a decomposition of similarities: K ≈ PPᵀ/c.
type LSDModel struct {
	Memberships *Matrix // P, n×k: at least 0, rows adding up to 1
	// Scale is c: 1/c is the similarity of two samples that are both wholly in one
	// cluster. It is 0 where no P with ⟨K, PPᵀ⟩ > 0 was found, as for a negative
	// definite K: the best PPᵀ/c is 0 then. TILSD's scale follows from the simplex and
	// cannot be compared between enclosures or with LSD's.
	Scale float64
	// Objective is ‖K − PPᵀ/c‖² for LSD. For TILSD it is the least that any translation
	// K′ of K leaves, ‖H(K − PPᵀ/c)H‖² with H = I − 11ᵀ/n. Like Floor and Total it is in
	// squared units of K, and at most math.MaxFloat64.
	Objective float64
	// Floor is a lower bound of the objective over all P and c: the sum of the squares
	// of all eigenvalues of K but the k largest positive ones. That is what the best positive
	// semidefinite matrix of rank k leaves. PPᵀ has no negative entries either, so where
	// K has some, Floor is far below what LSD can reach. For TILSD the rank is k−1 and
	// the matrix HKH, and Floor is the minimum: TILSD attains it.
	Floor float64
	// FloorError bounds how far Floor may be below the exact bound. Up to 512 samples, and
	// for [LinearKernel] up to min(n, d) = 512, it is a theorem that the exact bound is from
	// Floor to Floor + FloorError, with all rounding and whatever the eigensolver has
	// found: see semidefiniteFloor. It is about the symmetric matrix on and right of the
	// diagonal of K, or the mean of K and its transpose where these differ.
	//
	// Beyond, the eigensolver's residuals bound it, if its random start was not orthogonal
	// to a leading eigenvector, and rounding counts as n·2^-52 of ‖K‖.
	FloorError float64
	Total      float64 // ‖K‖², for TILSD ‖HKH‖²
	// Gap is (Objective − Floor)/Total, computed before these are unscaled: a better P
	// can lower the objective by at most this share of ‖K‖². No k clusters can express
	// the share Floor/Total.
	Gap float64
	// Rank is the number of positive eigenvalues used: k for LSD and k−1 for TILSD, or
	// fewer if K has fewer. With fewer, the columns of TILSD's P are affinely dependent.
	// Those of LSD's need not be, after the descent. With none, P is 1/k everywhere.
	Rank int
	// Distortion is, for TILSD, tr(HKH) − Σλ_i over the eigenvalues used: the objective
	// of soft k-means in the feature space of the kernel, that of [Fit] where K = XXᵀ.
	// It may be negative for an indefinite K. It is 0 for LSD.
	Distortion float64
	// Iterations counts steps of the descent that gave the result for LSD, and of the
	// eigensolver for TILSD, 0 for a direct one.
	Iterations int
	// Means, Projection and Vertices are the map of a model of TILSD; nil for LSD. They
	// take the similarities of a sample with the n training samples to coordinates in
	// the feature space, and these to memberships.
	Means      []float64 // n: the means of the rows of K
	Projection *Matrix   // n×p, VΛ^(−1/2): a centred row times this is the sample's coordinates
	Vertices   *Matrix   // k×p: the prototypes in [LSDModel.Coordinates]
	// Status is why it stopped: StatusConverged for LSD, StatusOptimal for TILSD, unless
	// the descent or the eigensolver reached its limit. FloorError holds in either case.
	Status Status
}

// isMapped reports whether the model has TILSD's map.
func (m *LSDModel) isMapped() bool {
	return m.Means != nil || m.Projection != nil || m.Vertices != nil
}

// checkMap checks the map, which the caller may have made.
func (m *LSDModel) checkMap() error {
	if err := checkMatrix("Projection", m.Projection, math.MaxFloat64); err != nil {
		return err
	}
	if err := checkMatrix("Vertices", m.Vertices, mostCenter); err != nil {
		return err
	}
	n, k := m.Memberships.Rows, m.Memberships.Cols
	if len(m.Means) != n || m.Projection.Rows != n || m.Vertices.Rows != k || m.Vertices.Cols != m.Projection.Cols {
		return fail(ErrShape, "the model's map is for "+strconv.Itoa(len(m.Means))+" samples, "+shape(m.Projection.Rows, m.Projection.Cols)+
			" and "+shape(m.Vertices.Rows, m.Vertices.Cols)+", its memberships are "+shape(n, k))
	}
	for i, v := range m.Means {
		if !isFinite(v) {
			return &InputError{Arg: "Means", Row: i, Col: -1, Value: v, Err: ErrNonFinite}
		}
	}
	return nil
}

// Labels returns the cluster with the largest membership for each row, the
// lowest index on ties. dst receives them; nil allocates. It panics if dst is
// not as long as Memberships has rows.
func (m *LSDModel) Labels(dst []int) []int { return largest(dst, m.Memberships) }

// Predict returns the memberships (m×k) of new samples. Row i of rows (m×n) has the
// similarities of new sample i with the n training samples, in their order, as
// [SampleKernel.Cross] makes them.
//
// A model of TILSD centres the row as HKH was, takes it to [LSDModel.Coordinates], and
// returns the exact mixture of the prototypes that is nearest there (see
// [SimplexLeastSquares]). The rows of K itself give Memberships, to rounding, or to 1e-6
// where Rank is below k−1 and many mixtures are equally near.
//
// A model of LSD returns the p ≥ 0, Σp = 1 with the least ‖row − Pp/c‖². The rows of K
// give Memberships where K = PPᵀ/c and the columns of P are independent. Otherwise they
// give something near, since a sample's similarity to itself counts like any other.
//
// dst receives the result; nil allocates, a wrong shape panics, and dst may be
// rows itself. Cost: O(mnk). Errors: [ErrShape], [ErrNonFinite], [ErrRange],
// [ErrTooFewSamples] without memberships, [ErrOption] where LSD's scale is not above 0
// and finite; on an error dst is unchanged.
func (m *LSDModel) Predict(dst, rows *Matrix) (*Matrix, error) {
	if m.Memberships == nil {
		return nil, fail(ErrTooFewSamples, "the model has no memberships")
	}
	if err := checkMatrix("Memberships", m.Memberships, mostCenter); err != nil {
		return nil, err
	}
	n, k := m.Memberships.Rows, m.Memberships.Cols
	if n == 0 || k == 0 {
		return nil, fail(ErrTooFewSamples, "the model's memberships are "+shape(n, k))
	}
	if err := checkShape("rows", rows); err != nil { // nil would mean the training samples to Coordinates
		return nil, err
	}
	if m.isMapped() {
		w, err := m.Coordinates(nil, rows)
		if err != nil {
			return nil, err
		}
		g, err := SimplexLeastSquares(dst, w, m.Vertices, nil)
		return g, err
	}
	if err := checkRows(rows, n); err != nil {
		return nil, err
	}
	if !(m.Scale > 0) || math.IsInf(m.Scale, 1) {
		return nil, fail(ErrOption, "the model's scale is "+decimal(m.Scale)+", which explains no similarities")
	}
	vertices := m.Memberships.transposed()
	for i, v := range vertices.Data {
		vertices.Data[i] = v / m.Scale
	}
	g, err := SimplexLeastSquares(dst, rows, vertices, nil)
	return g, err
}

// Coordinates returns the coordinates of samples in the feature space of a model of
// [TILSD], m×p with p = Rank ≤ k−1. They are its kernel principal components. rows (m×n)
// has the similarities with the n training samples, as for [LSDModel.Predict]; nil stands
// for the training samples themselves and needs no K. Vertices has the prototypes in the
// same coordinates.
//
// The result is a data matrix like any other. [FitMinVolume] of it draws prototypes
// towards the data, which TILSD by itself does not. Take two or three times as many
// directions as clusters, TILSD with 3k for FitMinVolume with k: with k directions or
// fewer its floor is 0, and its slack has nothing to give.
//
// dst receives the result; nil allocates, a wrong shape panics, and dst may be rows itself.
// Cost: O(mnp). Errors: [ErrShape], also for a model that is not TILSD's, [ErrNonFinite],
// [ErrRange], also for a coordinate above 2^520; on an error dst is unchanged.
func (m *LSDModel) Coordinates(dst, rows *Matrix) (*Matrix, error) {
	if !m.isMapped() || m.Memberships == nil {
		return nil, fail(ErrShape, "the model has no map, which those of TILSD have")
	}
	if err := m.checkMap(); err != nil {
		return nil, err
	}
	n, p := m.Projection.Rows, m.Projection.Cols
	if n == 0 {
		return nil, fail(ErrTooFewSamples, "the model's map has no samples")
	}
	if rows == nil { // memberships are coordinates with respect to the vertices
		if err := checkMatrix("Memberships", m.Memberships, mostCenter); err != nil {
			return nil, err
		}
		out := NewMatrix(n, p, nil)
		for i := range n {
			for j, v := range m.Memberships.row(i) {
				axpy(out.row(i), v, m.Vertices.row(j))
			}
		}
		return copyTo(dst, out)
	}
	if err := checkRows(rows, n); err != nil {
		return nil, err
	}
	if err := checkSize("the result", rows.Rows, p); err != nil {
		return nil, err
	}
	out := NewMatrix(rows.Rows, p, nil)
	row := make([]float64, n)
	for i := range rows.Rows {
		mean := 0.0
		for j, v := range rows.row(i) {
			row[j] = v - m.Means[j]
			mean += row[j] / float64(n)
		}
		// The columns of Projection add up to 0. Without the mean their rounding has
		// less to multiply.
		for j := range row {
			axpy(out.row(i), row[j]-mean, m.Projection.row(j))
		}
	}
	return copyTo(dst, out)
}

// copyTo returns m, or dst with a copy of it, or an error if an entry is out of range.
func copyTo(dst, m *Matrix) (*Matrix, error) {
	if _, err := checkEntries("coordinates", m, mostCenter); err != nil {
		return nil, err
	}
	if dst == nil {
		return m, nil
	}
	dst = destination(dst, m.Rows, m.Cols)
	copyRows(dst, m)
	return dst, nil
}

// checkRows is for similarities with n training samples.
func checkRows(rows *Matrix, n int) error {
	if err := checkMatrix("rows", rows, mostEntry); err != nil {
		return err
	}
	if rows.Cols != n {
		return fail(ErrShape, "rows have "+strconv.Itoa(rows.Cols)+" similarities, the model has "+strconv.Itoa(n)+" samples")
	}
	return nil
}
