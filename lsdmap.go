package softkmeans

// From similarities to coordinates and memberships.

import (
	"math"
	"math/bits"
	"strconv"
)

// LSDModel is a decomposition of similarities: K ≈ PPᵀ/c.
type LSDModel struct {
	Memberships *Matrix // P, n×k: at least 0, rows adding up to 1
	// Scale is c: 1/c is the similarity of two samples that are in one cluster
	// entirely, and of such a sample with itself. With TILSD it follows from the
	// simplex and is not comparable between enclosures or with LSD's. Where no c > 0
	// is best, since no P was found with ⟨K, PPᵀ⟩ > 0, as for a negative definite K
	// there is none, it is math.MaxFloat64: PPᵀ/c is then 0. It is 0 or
	// math.MaxFloat64 also where it is out of the range of float64.
	Scale float64
	// Objective is ‖K − PPᵀ/c‖² for LSD. For TILSD it is the least that any
	// translation K′ of K leaves over, ‖H(K − PPᵀ/c)H‖² with H = I − 11ᵀ/n. Like
	// Floor and Total it is in squared units of K, 0 or math.MaxFloat64 where that is
	// out of the range of float64.
	Objective float64
	// Floor is a lower bound of the objective over all P and c: what the best
	// positive semidefinite matrix of rank k leaves over, the squares of all
	// eigenvalues of K but the k largest positive ones. It knows of no other
	// constraint: where K has negative entries, which no PPᵀ has, it is far below
	// what LSD can reach. For TILSD it is of rank k−1 and of HKH, and is the
	// minimum: TILSD attains it.
	Floor      float64
	FloorError float64 // how much above Floor the least of such matrices may be: the eigensolver's residuals, and rounding
	Total      float64 // ‖K‖², for TILSD ‖HKH‖²
	// Gap is (Objective − Floor)/Total, also where these are out of range: the most
	// that a better P could take off, as a share of ‖K‖². Floor/Total is what no k
	// clusters can express.
	Gap float64
	// Rank is how many positive eigenvalues there were to use: k for LSD and k−1
	// for TILSD, or fewer. With fewer, the columns of TILSD's P are affinely
	// dependent (those of LSD's need not be, after the descent); P is 1/k
	// everywhere where there is none.
	Rank int
	// Distortion is, for TILSD, tr(HKH) − Σλ_i over the eigenvalues used: the
	// objective of soft k-means in the feature space of the kernel, that of
	// [Fit] where K = XXᵀ. It may be negative for an indefinite K. 0 for LSD.
	Distortion float64
	Iterations int // of the run that gave the result: steps of the descent for LSD, of the eigensolver (0 for a direct one) for TILSD
	// Means, Projection and Vertices are TILSD's way from a sample's similarities with the
	// n training samples to coordinates in the feature space, and from these to
	// memberships; nil for LSD.
	Means      []float64 // n: the means of the rows of K
	Projection *Matrix   // n×p, VΛ^(−1/2): a centred row times this is the sample's place
	Vertices   *Matrix   // k×p: the prototypes in [LSDModel.Coordinates]
	// Status is why it stopped: StatusConverged for LSD, StatusOptimal for TILSD,
	// unless the descent or the eigensolver reached its limit. FloorError holds all
	// the same.
	Status Status
}

// isMapped reports whether the model has TILSD's way from similarities to memberships.
func (m *LSDModel) isMapped() bool {
	return m.Means != nil || m.Projection != nil || m.Vertices != nil
}

// checkMap is for models that did not come from TILSD.
func (m *LSDModel) checkMap() error {
	if err := checkMatrix("Projection", m.Projection); err != nil {
		return err
	}
	if err := checkMatrix("Vertices", m.Vertices); err != nil {
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

// Predict returns the memberships (m×k) of new samples from their similarities
// to the n training samples: a new sample a row of rows (m×n), in the order of
// the training samples ([SampleKernel.Cross] makes such rows).
//
// For a model of TILSD a row is centred as HKH was, taken to the coordinates of
// the feature space, and given the exact mixture of the prototypes that is
// nearest there (see [SimplexLeastSquares]): the rows of K itself get
// Memberships back, to rounding, or to 1e-6 where Rank is below k−1 and many
// mixtures are equally near. For a model of LSD it is the p ≥ 0, Σp = 1 with
// the least ‖row − Pp/c‖²; the rows of K get Memberships back where K = PPᵀ/c with
// independent columns of P, and otherwise something near, since a sample's similarity to itself then has no
// weight of its own.
//
// dst receives the result; nil allocates, a wrong shape panics, and dst may be
// rows itself. Cost: O(mnk). Errors: [ErrShape], [ErrNonFinite],
// [ErrTooFewSamples] without memberships, [ErrOption] where LSD's scale is not
// above 0 and finite, as of a tree that was cut short; on an error dst is unchanged.
func (m *LSDModel) Predict(dst, rows *Matrix) (*Matrix, error) {
	if m.Memberships == nil {
		return nil, fail(ErrTooFewSamples, "the model has no memberships")
	}
	if err := checkMatrix("Memberships", m.Memberships); err != nil {
		return nil, err
	}
	n, k := m.Memberships.Rows, m.Memberships.Cols
	if n == 0 || k == 0 {
		return nil, fail(ErrTooFewSamples, "the model's memberships are "+shape(n, k))
	}
	if err := checkShape("rows", rows); err != nil { // which Coordinates takes for the training samples
		return nil, err
	}
	if m.isMapped() {
		w, err := m.Coordinates(nil, rows)
		if err != nil {
			return nil, err
		}
		g, _, err := SimplexLeastSquares(dst, w, m.Vertices, nil)
		return g, err
	}
	if err := checkRows(rows, n); err != nil {
		return nil, err
	}
	if !(m.Scale > 0) || math.IsInf(m.Scale, 1) {
		return nil, fail(ErrOption, "the model's scale is "+decimal(m.Scale))
	}
	vertices := m.Memberships.transposed()
	for i, v := range vertices.Data {
		vertices.Data[i] = clampFinite(v / m.Scale)
	}
	g, _, err := SimplexLeastSquares(dst, rows, vertices, nil)
	return g, err
}

// Coordinates returns the places of samples in the feature space of a model of
// [TILSD], m×p with p = Rank ≤ k−1: their kernel principal components, from their
// similarities to the n training samples as for [LSDModel.Predict]; nil rows stand
// for the training samples themselves, without K. The prototypes are Vertices in
// the same coordinates.
//
// They are samples like any others. [FitMinVolume] of them draws prototypes
// towards the data, which TILSD by itself does not: take two or three times as many
// directions as clusters, TILSD with 3k for FitMinVolume with k, so that its slack
// has something to give (with k directions or fewer the floor is 0). What is beyond
// float64's range stops at math.MaxFloat64.
//
// dst receives the result; nil allocates, a wrong shape panics, and dst may be
// rows itself. Cost: O(mnp). Errors: [ErrShape], also for a model that is not TILSD's,
// [ErrNonFinite]; on an error dst is unchanged.
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
	if rows != nil && !addressable(rows.Rows, p) {
		return nil, fail(ErrShape, "the result is "+shape(rows.Rows, p)+", too large to address")
	}
	if rows == nil { // memberships are coordinates with respect to the vertices
		if err := checkMatrix("Memberships", m.Memberships); err != nil {
			return nil, err
		}
		dst = destination(dst, n, p)
		memberships, vertices := unshared(dst, m.Memberships), unshared(dst, m.Vertices)
		for i := range n {
			mixRows(dst.row(i), memberships.row(i), vertices, 0)
		}
		return dst, nil
	}
	if err := checkRows(rows, n); err != nil {
		return nil, err
	}
	dst = destination(dst, rows.Rows, p)
	projection := unshared(dst, m.Projection)
	row := make([]float64, n)
	top, _ := rowMaxAbs(m.Means)
	for i := range rows.Rows {
		big, _ := rowMaxAbs(rows.row(i))
		_, exp := math.Frexp(max(top, big))
		mean := 0.0
		for j, v := range rows.row(i) {
			row[j] = math.Ldexp(v, -exp) - math.Ldexp(m.Means[j], -exp)
			mean += row[j] / float64(n)
		}
		// The columns of Projection add up to 0; without the mean their rounding
		// has less to multiply.
		for j := range row {
			row[j] -= mean
		}
		mixRows(dst.row(i), row, projection, exp)
	}
	return dst, nil
}

// mixRows fills dst with 2^exp·Σ coef_j·(row j of m), which stops at math.MaxFloat64.
func mixRows(dst, coef []float64, m *Matrix, exp int) {
	clear(dst)
	for j, v := range coef {
		axpy(dst, v, m.row(j))
	}
	if _, finite := rowMaxAbs(dst); !finite { // a sum on the way may be, not the result
		top, _ := rowMaxAbs(coef)
		_, unit := math.Frexp(top)
		unit += bits.Len(uint(len(coef)))
		clear(dst)
		for j, v := range coef {
			axpy(dst, math.Ldexp(v, -unit), m.row(j))
		}
		exp += unit
	}
	for c, v := range dst {
		dst[c] = clampFinite(math.Ldexp(v, exp))
	}
}

// checkRows is for similarities with n training samples.
func checkRows(rows *Matrix, n int) error {
	if err := checkShape("rows", rows); err != nil {
		return err
	}
	if _, err := checkEntries("rows", rows, mostEntry); err != nil {
		return err
	}
	if rows.Cols != n {
		return fail(ErrShape, "rows have "+strconv.Itoa(rows.Cols)+" similarities, the model has "+strconv.Itoa(n)+" samples")
	}
	return nil
}
