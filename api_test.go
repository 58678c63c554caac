package softkmeans_test

import (
	"context"
	"encoding"
	"iter"
	"testing"

	. "softkmeans"
)

// The public contract, which other programs compile against: signatures here
// are extended, never changed.
var (
	_ = Matrix{Rows: 0, Cols: 0, Stride: 0, Data: []float64(nil)}

	_ func(rows, cols int, data []float64) *Matrix = NewMatrix
	_ func(rows [][]float64) (*Matrix, error)      = FromRows

	_ func(m *Matrix, i, j int) float64                  = (*Matrix).At
	_ func(m *Matrix, i, j int, v float64)               = (*Matrix).Set
	_ func(m *Matrix, i int) []float64                   = (*Matrix).Row
	_ func(m *Matrix) *Matrix                            = (*Matrix).Clone
	_ func(*Matrix) (*Matrix, []float64, *Matrix, error) = SVD
	_ func(*Matrix) ([]float64, *Matrix, error)          = EigenSym
	_ func(k int) *Matrix                                = RegularSimplex
	_ func(dst, v []float64) []float64                   = ProjectSimplex

	_ func(context.Context, Samples, int, *Options) (*Model, error) = Fit
	_                                                               = []Samples{(*Matrix)(nil), (*SparseMatrix)(nil)}

	_ = Options{Weights: []float64(nil), Enclosure: EnclosureBall, Workers: 0, Solver: SolverAuto}
	_ = Model{Centers: (*Matrix)(nil), Memberships: (*Matrix)(nil), Objective: 0.0, Floor: 0.0, Lambda: 0.0, Epsilon: 0.0,
		Iterations: int(0), Status: Status(0), Trace: []float64(nil)}
	_ func(m *Model, dst []int, x *Matrix) ([]int, error)                                                    = (*Model).PredictLabels
	_ func(m *Model, dst []int) []int                                                                        = (*Model).Labels
	_ func(m *Model, dst *Matrix, x Samples) (*Matrix, error)                                                = (*Model).Predict
	_ encoding.BinaryMarshaler                                                                               = (*Model)(nil)
	_ encoding.BinaryUnmarshaler                                                                             = (*Model)(nil)
	_ func(context.Context, Samples, *Options) ([]float64, error)                                            = Floors
	_ func(ctx context.Context, x Samples, centers, memberships *Matrix, opts *Options) (Certificate, error) = Certify
	_ func(ctx context.Context, x Samples, k int, tol float64) (bool, error)                                 = SkMable
	_                                                                                                        = Certificate{Objective: 0.0, Floor: 0.0, Gap: 0.0, MinMembership: 0.0, MaxSumError: 0.0, SpanError: 0.0}

	_ func(context.Context, Samples, int, *MinVolumeOptions) (*Model, error) = FitAlternating
	_ func(context.Context, Samples, int, *MinVolumeOptions) (*Model, error) = FitMinVolume

	_ = MinVolumeOptions{Weights: []float64(nil), Workers: 0, Seed: uint64(0), Restarts: 0, MaxIter: 0, Tol: 0.0, Init: Init(0),
		Centers: (*Matrix)(nil), Progress: func(Iteration) {}, Slack: 0.0, Lambda: 0.0, Epsilon: 0.0, Volume: VolumeOrigin, Sum: SumToOne}
	_ = []Volume{VolumeOrigin, VolumeAffine}
	_ = []Sum{SumToOne, SumAtMostOne}

	_ func(ctx context.Context, s Similarity, k int, opts *LSDOptions) (*LSDModel, error) = LSD
	_ func(ctx context.Context, s Similarity, k int, opts *LSDOptions) (*LSDModel, error) = TILSD
	_                                                                                     = LSDModel{Memberships: (*Matrix)(nil), Scale: 0.0, Objective: 0.0, Iterations: int(0), Status: Status(0)}

	_ func(truth, labels []int) (float64, error) = Accuracy
	_ func(truth, labels []int) (float64, error) = NMI
	_ func(truth, labels []int) (float64, error) = Purity
	_ func(truth, labels []int) (float64, error) = AdjustedRand

	_ func(s *Stats, x *Matrix) error                                                                   = (*Stats).Add
	_ func(s, t *Stats) error                                                                           = (*Stats).Merge
	_ encoding.BinaryMarshaler                                                                          = (*Stats)(nil)
	_ encoding.BinaryUnmarshaler                                                                        = (*Stats)(nil)
	_ func(ctx context.Context, blocks iter.Seq2[*Matrix, error], k int, opts *Options) (*Model, error) = FitSeq

	_ error = (*InputError)(nil)
	_       = InputError{Arg: "", Row: 0, Col: 0, Value: 0.0, Err: error(nil)}
	_       = []error{ErrShape, ErrNonFinite, ErrRange, ErrTooFewSamples, ErrFormat, ErrChanged, ErrOption}
)

// TestZeroValues: what the contract says of zero values.
func TestZeroValues(t *testing.T) {
	var o Options
	if o.Enclosure != EnclosureBall || o.Solver != SolverAuto {
		t.Error("the zero Options are not the defaults")
	}
	var a MinVolumeOptions
	if a.Init != InitAuto || a.Volume != VolumeAuto || a.Sum != SumToOne {
		t.Error("the zero MinVolumeOptions are not the defaults")
	}
	var m Model
	if m.Status != StatusNone {
		t.Error("the zero Model has a status")
	}
}
