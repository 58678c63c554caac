package proof

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// exactly is a number with 400 bits.
func exactly(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }

// exactError returns ‖X − GF‖² of the pair that m holds, with rows of memberships divided by their sums.
func exactError(x *softkmeans.Matrix, m *softkmeans.Model, weights []float64) float64 {
	sum := exactly(0)
	for i := range x.Rows {
		all := exactly(0)
		for _, g := range m.Memberships.Row(i) {
			all.Add(all, exactly(g))
		}
		if m.Sum == softkmeans.SumAtMostOne && all.Cmp(exactly(1)) < 0 {
			all = exactly(1)
		}
		for c := range x.Cols {
			r := exactly(0)
			for j, g := range m.Memberships.Row(i) {
				part := exactly(g)
				r.Add(r, part.Mul(part, exactly(m.Centers.At(j, c))))
			}
			r.Sub(r.Quo(r, all), exactly(x.At(i, c)))
			sum.Add(sum, r.Mul(r.Mul(r, r), exactly(draws.Weight(weights, i))))
		}
	}
	v, _ := sum.Float64()
	return v
}

// exactPenalty returns λ/2·Σlog(σ² + ε) of the centers of m about the exact mean of the rows.
func exactPenalty(t testing.TB, x *softkmeans.Matrix, m *softkmeans.Model, weights []float64) float64 {
	f := softkmeans.NewMatrix(m.Centers.Rows, m.Centers.Cols, nil)
	for c := range x.Cols {
		mean, mass := exactly(0), exactly(0)
		for i := range x.Rows {
			w := exactly(draws.Weight(weights, i))
			mass.Add(mass, w)
			mean.Add(mean, w.Mul(w, exactly(x.At(i, c))))
		}
		for j := range f.Rows {
			v := exactly(m.Centers.At(j, c))
			if m.Sum == softkmeans.SumToOne {
				v.Sub(v, new(big.Float).Quo(mean, mass))
			}
			f.Row(j)[c], _ = v.Float64()
		}
	}
	terms := f.Rows
	if m.Volume == softkmeans.VolumeAffine {
		f, terms = la.Product(la.Transpose(softkmeans.RegularSimplex(f.Rows)), f), terms-1
	}
	_, values, _, err := softkmeans.SVD(f)
	if err != nil {
		t.Fatal(err)
	}
	sum := float64(terms-len(values)) * math.Log(m.Epsilon)
	for _, v := range values {
		sum += math.Log(v*v + m.Epsilon)
	}
	return m.Lambda / 2 * sum
}

// TestReturnedPair holds LossGap to the pairs that fits return, exactly: none of the other fits of the table,
// nor its rows, has a loss below that of a pair by more. SOFTKMEANS_CLAIMS=1000 makes a thousand times as many
// draws, with seeds from the clock.
func TestReturnedPair(t *testing.T) {
	times, first, made := 1, uint64(1), 0
	if n, err := strconv.Atoi(os.Getenv("SOFTKMEANS_CLAIMS")); err == nil {
		times, first = n, uint64(time.Now().UnixNano())
	}
	for seed := first; seed < first+uint64(tables.Fewer(120, 30)*times); seed++ {
		rng := rand.New(rand.NewPCG(seed, 62))
		n, d, k := 2+rng.IntN(6), 1+rng.IntN(3), 1+rng.IntN(5)
		far := math.Pow(10, float64(rng.IntN(17)))
		x := tables.Mapped(softkmeans.NewMatrix(n, d, nil), func(int, int, float64) float64 { return far + float64(rng.IntN(10)) })
		o := softkmeans.MinVolumeOptions{Lambda: decades(rng, -12, 3), Epsilon: decades(rng, -9, 1), Workers: 1,
			Volume: softkmeans.Volume(1 + rng.IntN(2)), Sum: softkmeans.Sum(rng.IntN(4) / 3)}
		if rng.IntN(2) == 0 {
			o.Weights = make([]float64, n)
			for i := range o.Weights {
				o.Weights[i] = decades(rng, -3, 3)
			}
		}
		var models []*softkmeans.Model
		for _, init := range []softkmeans.Init{softkmeans.InitAuto, softkmeans.InitKMeans, softkmeans.InitSPA} {
			o.Init, o.MaxIter = init, 3*rng.IntN(2)
			if m, err := softkmeans.FitMinVolume(t.Context(), x, k, &o); err == nil && m.Lambda == o.Lambda && m.Epsilon == o.Epsilon {
				models = append(models, m)
			}
		}
		rows := &softkmeans.Model{Centers: draws.Chosen(x, la.Indices(min(n, k))), Sum: o.Sum, Volume: o.Volume,
			Lambda: o.Lambda, Epsilon: o.Epsilon}
		rows.Memberships = tables.Must(softkmeans.SimplexLeastSquares(nil, x, rows.Centers, &softkmeans.Options{Sum: o.Sum}))(t)
		for _, m := range models {
			gap := tables.Must(LossGap(t.Context(), x, m, &softkmeans.Options{Weights: o.Weights}))(t)
			objective, penalty := exactError(x, m, o.Weights), exactPenalty(t, x, m, o.Weights)
			if made++; objective > m.Objective {
				t.Errorf("seed %d: an error of %g, the objective is %g", seed, objective, m.Objective)
			}
			others := models
			if n >= k {
				others = append(models[:len(models):len(models)], rows)
			}
			for _, other := range others {
				lower := objective - exactError(x, other, o.Weights) + penalty - exactPenalty(t, x, other, o.Weights)
				// The two penalties are rounded themselves.
				if made++; lower > gap*m.Total*(1+1e-12)+1e-13*m.Lambda*float64(k)*100 {
					t.Errorf("seed %d, %v: a gap of %g, another pair is lower by %g", seed, fmt.Sprint(n, d, k, far),
						gap, lower/m.Total)
				}
			}
		}
	}
	t.Logf("returned pairs %9d claims from seed %d", made, first)
}
