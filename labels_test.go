package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainMeans are the means of clusters, row by row.
func plainMeans(x *Matrix, labels []int, centers *Matrix, w []float64) *Matrix {
	out, total := NewMatrix(centers.Rows, x.Cols, nil), make([]float64, centers.Rows)
	for i, j := range labels {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		axpy(out.row(j), wi, x.row(i))
		total[j] += wi
	}
	for j, v := range total {
		if v == 0 {
			copy(out.row(j), centers.row(j))
			continue
		}
		scale(out.row(j), 1/v)
	}
	return out
}

// plainNearest is the nearest vector of each row, and how much nearer it is than the next,
// as a share of the largest squared distance.
func plainNearest(x, f *Matrix) (labels []int, margin []float64) {
	for i := range x.Rows {
		best, next, far, at := math.Inf(1), math.Inf(1), 0.0, 0
		for j := range f.Rows {
			d := squaredDistance(x.row(i), f.row(j))
			far = max(far, d)
			if d < best {
				best, next, at = d, best, j
			} else {
				next = min(next, d)
			}
		}
		labels, margin = append(labels, at), append(margin, (next-best)/max(far, math.SmallestNonzeroFloat64))
	}
	return labels, margin
}

// plainAlong is (x − from)·axesᵀ; x, where there are no axes.
func plainAlong(x *Matrix, from []float64, axes *Matrix) *Matrix {
	if axes == nil {
		return x
	}
	return mapped(NewMatrix(x.Rows, axes.Rows, nil), func(i, a int, _ float64) (sum float64) {
		for c, v := range x.row(i) {
			sum += (v - from[c]) * axes.At(a, c)
		}
		return sum
	})
}

// ownNearest is plainNearest of a model's means, by its axes.
func ownNearest(x *Matrix, m *Model) (labels []int, margin []float64) {
	from := m.ClusterMeans.row(0)
	return plainNearest(plainAlong(x, from, m.ClusterAxes), plainAlong(m.ClusterMeans, from, m.ClusterAxes))
}

// labelCase is samples with memberships and centers of any origin.
type labelCase struct {
	name          string
	x, g, centers *Matrix
	w             []float64
}

func labelCases() (list []labelCase) {
	for i, shape := range [][3]int{{200, 5, 4}, {900, 3, 2}, {30, 80, 3}, {12, 2, 9}, {5, 1, 1}} {
		n, d, k := shape[0], shape[1], shape[2]
		seed := uint64(10 * i)
		c := labelCase{"plain", randomData(n, d, 1, seed), mapped(randomData(n, k, 0, seed+1),
			func(_, _ int, v float64) float64 { return v * v }), randomData(k, d, 1, seed+2), nil}
		list = append(list, c)
		c.name, c.w = "weighted", make([]float64, n)
		for i := range c.w {
			c.w[i] = float64(i%4) * 0x1p70
		}
		list = append(list, c)
		c.name, c.g = "an empty cluster", mapped(c.g, func(_, j int, v float64) float64 {
			if j == k/2 && k > 1 {
				return 0
			}
			return v
		})
		list = append(list, c)
		c.name, c.w = "far away, large", nil
		away := func(_, j int, v float64) float64 { return 0x1p300 * (v + 1e6*float64(1+j)) }
		c.x, c.centers = mapped(c.x, away), mapped(c.centers, away)
		list = append(list, c)
	}
	return list
}

// leading is the directions in which labels of k clusters are looked for.
func leading(t *testing.T, s *samples, k int) *Matrix {
	t.Helper()
	return mustDo(principalOf(s, wanted{min(labelDirections*k, s.rankBound()), 0}, SolverAuto, toFit))(t).basis
}

// labelled is the model of a case with its means and labels.
func (c labelCase) labelled(t *testing.T, workers int) *Model {
	t.Helper()
	m, s := &Model{Centers: c.centers, Memberships: c.g}, mustDo(newSamples(bg, c.x, c.w, workers, true))(t)
	must(t, m.label(s, largest(nil, c.g), leading(t, s, c.centers.Rows), true))
	return m
}

// sure checks labels against those wanted where the margin is above rounding.
func sure(t *testing.T, what string, got, want []int, margin []float64) {
	t.Helper()
	for i, j := range got {
		if j != want[i] && margin[i] > 1e-9 {
			t.Errorf("%s: row %d has label %d, want %d, by %g", what, i, j, want[i], margin[i])
		}
	}
}

// checkClusters checks a model's clusters by plain loops: labels are the nearest of the means by the axes,
// the means those of the labels once these rest, and the axes make the scatter of the clusters, with its
// ridge, a multiple of the unit matrix. It reports whether the labels rest.
func checkClusters(t *testing.T, name string, m *Model, x *Matrix, w []float64) bool {
	t.Helper()
	labels, margin := ownNearest(x, m)
	sure(t, name, m.Labels(nil), labels, margin)
	if again := mustDo(m.PredictLabels(nil, x))(t); !slices.Equal(again, m.Labels(nil)) {
		t.Errorf("%s: the rows of the fit are labelled %v, not %v", name, again, m.Clusters)
	}
	size := maxAbs(x)
	if off := maxDiff(m.ClusterMeans, plainMeans(x, m.Clusters, m.Centers,
		w)); off > 1e-12*size*math.Sqrt(float64(x.Rows)) {
		return false // the last step has moved rows, or labels are ties
	}
	if m.ClusterAxes == nil {
		return true
	}
	basis := m.ClusterAxes.Clone()
	orthonormalize(bg, basis, 0)
	p := basis.Rows
	if k := m.Centers.Rows; p > 2*k {
		t.Errorf("%s: %d directions of the metric for %d clusters", name, p, k)
	}
	scatter := func(from *Matrix, axes *Matrix) *Matrix {
		out := NewMatrix(p, p, nil)
		for i := range x.Rows {
			wi := 1.0
			if w != nil {
				wi = w[i] / slices.Max(w)
			}
			row := make([]float64, x.Cols)
			for c, v := range x.row(i) {
				row[c] = (v - from.At(min(m.Clusters[i], from.Rows-1), c)) / size
			}
			along := make([]float64, p)
			for a := range p {
				along[a] = dot(row, axes.row(a))
			}
			for a, v := range along {
				axpy(out.row(a), wi*v, along)
			}
		}
		return out
	}
	ridge, total := 0.0, 0.0
	plain, all := scatter(m.ClusterMeans, basis),
		scatter(plainMeans(x, make([]int, x.Rows), rowsOf(m.Centers, 0, 1), w), basis)
	for a := range p {
		ridge += labelRidge * plain.At(a, a) / float64(p)
		total += all.At(a, a) / float64(p)
	}
	ridge += 0x1p-30 * total
	got := scatter(m.ClusterMeans, m.ClusterAxes)
	for a := range p {
		for b := range p {
			got.row(a)[b] += ridge * dot(m.ClusterAxes.row(a), m.ClusterAxes.row(b))
		}
	}
	unit := got.At(0, 0)
	for a := range p {
		for b := range p {
			want := 0.0
			if a == b {
				want = unit
			}
			// Of clusters of one row the ridge alone is left, 2^-30 of a scatter with a
			// rounding of some 2^-52.
			if math.Abs(got.At(a, b)-want) > 1e-5*unit {
				t.Fatalf("%s: entry %d, %d of the scatter along the axes is %g, not %g", name, a, b,
					got.At(a, b)/unit, want/unit)
			}
		}
	}
	return true
}

// TestClusters compares means, axes and labels with plain loops. They do not depend on the
// workers, and the rows of the fit have their own labels by PredictLabels.
func TestClusters(t *testing.T) {
	rest := 0
	for _, c := range labelCases() {
		m := c.labelled(t, 1)
		if checkClusters(t, c.name, m, c.x, c.w) {
			rest++
		}
		for j := range c.g.Cols {
			if !slices.Contains(m.Clusters, j) && c.name == "plain" && slices.Contains(largest(nil, c.g), j) {
				t.Errorf("%s %d×%d: cluster %d has lost its rows", c.name, c.x.Rows, c.x.Cols, j)
			}
		}
		for _, workers := range []int{2, 5} {
			p := c.labelled(t, workers)
			same := laSameBits(p.ClusterMeans.Data, m.ClusterMeans.Data) &&
				slices.Equal(p.Clusters, m.Clusters)
			if !same || m.ClusterAxes != nil && !laSameBits(p.ClusterAxes.Data, m.ClusterAxes.Data) {
				t.Errorf("%s: other clusters with %d workers", c.name, workers)
			}
		}
		if !slices.Equal(mustDo(m.PredictLabels(nil, c.x))(t), m.Clusters) {
			t.Errorf("%s: other labels are predicted", c.name)
		}
	}
	if rest < len(labelCases())/2 {
		t.Errorf("labels rest in %d of %d cases", rest, len(labelCases()))
	}
}

// TestClusterMetric: long clusters side by side come apart from a start that mixes their
// ends, where k-means cuts them across.
func TestClusterMetric(t *testing.T) {
	n := 200
	x, g := NewMatrix(n, 2, nil), NewMatrix(n, 2, nil)
	noise := randomData(n, 1, 0, 3)
	truth := make([]int, n)
	for i := range n {
		truth[i] = i % 2
		along := 20 * (float64(i)/float64(n) - 0.5)
		copy(x.row(i), []float64{along, float64(2*truth[i]) + 0.2*noise.At(i, 0)})
		switch {
		case along > 9:
			g.Set(i, 1, 1)
		case along < -9:
			g.Set(i, 0, 1)
		default:
			g.Set(i, truth[i], 1)
		}
	}
	c := labelCase{"long", x, g, rowsOf(x, 0, 2), nil}
	if m := c.labelled(t, 1); !slices.Equal(m.Clusters, truth) {
		t.Errorf("labels %v", m.Clusters)
	}
	plain := largest(nil, g)
	for range labelSteps {
		plain, _ = plainNearest(x, plainMeans(x, plain, c.centers, nil))
	}
	if slices.Equal(plain, truth) {
		t.Error("k-means would do")
	}
}

// TestLabelsMoved: labels go with their rows and clusters, do not depend on the origin, and a
// weight of 2 is a row twice.
func TestLabelsMoved(t *testing.T) {
	for _, c := range labelCases() {
		if c.name == "far away, large" {
			continue
		}
		m := c.labelled(t, 1)
		_, margin := ownNearest(c.x, m)
		n, k := c.x.Rows, c.g.Cols
		reversed := func(a *Matrix, cols bool) *Matrix {
			return mapped(a, func(i, j int, _ float64) float64 {
				if cols {
					return a.At(i, a.Cols-1-j)
				}
				return a.At(a.Rows-1-i, j)
			})
		}

		rows := labelCase{"rows", reversed(c.x, false), reversed(c.g, false), c.centers, slices.Clone(c.w)}
		slices.Reverse(rows.w)
		got := rows.labelled(t, 1).Clusters
		slices.Reverse(got)
		sure(t, c.name+", rows reversed", got, m.Clusters, margin)

		clusters := labelCase{"clusters", c.x, reversed(c.g, true), reversed(c.centers, false), c.w}
		got = clusters.labelled(t, 1).Clusters
		for i := range got {
			got[i] = k - 1 - got[i]
		}
		sure(t, c.name+", clusters reversed", got, m.Clusters, margin)

		shift := func(_, j int, v float64) float64 { return v + 1000 - float64(j) }
		moved := labelCase{"moved", mapped(c.x, shift), c.g, mapped(c.centers, shift), c.w}
		sure(t, c.name+", moved", moved.labelled(t, 1).Clusters, m.Clusters, margin)

		twice := labelCase{name: "twice", centers: c.centers, x: NewMatrix(2*n, c.x.Cols, nil),
			g: NewMatrix(2*n, k, nil)}
		double := c
		double.w = make([]float64, n)
		for i := range 2 * n {
			copy(twice.x.row(i), c.x.row(i%n))
			copy(twice.g.row(i), c.g.row(i%n))
			double.w[i%n] = float64(1 + i%n%2) // rows with an odd index count twice
			twice.w = append(twice.w, float64((1+i%n%2)*(1-i/n)))
			if i >= n && i%n%2 == 1 {
				twice.w[i], twice.w[i-n] = 1, 1
			}
		}
		two := double.labelled(t, 1)
		_, margin = ownNearest(c.x, two)
		sure(t, c.name+", rows twice", twice.labelled(t, 1).Clusters[:n], two.Clusters, margin)
	}
}

// TestLabelsOfFits: which fits have cluster means, that these are of their own rows, and what
// labels are without them.
func TestLabelsOfFits(t *testing.T) {
	x := loadCSV(t, "iris")
	w := inTurn(x.Rows, 0, 1, 2)
	few := rowsOf(x, 0, 4)
	for name, c := range map[string]struct {
		m *Model
		x *Matrix
		w []float64
	}{
		"FitMinVolume":   {mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Weights: w}))(t), x, w},
		"FitAlternating": {mustDo(FitAlternating(bg, x, 3, &MinVolumeOptions{Weights: w}))(t), x, w},
		"at most one": {mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Weights: w,
			Sum: SumAtMostOne}))(t), x, w},
		"k above n and d": {mustDo(FitMinVolume(bg, few, 6, nil))(t), few, nil},
	} {
		m := c.m
		if !checkClusters(t, name, m, c.x, c.w) {
			t.Errorf("%s: labels do not rest", name)
		}
		top := (&Model{Memberships: m.Memberships}).Labels(nil)
		if !slices.Equal(top, largest(nil, m.Memberships)) || name == "FitMinVolume" &&
			slices.Equal(top, m.Labels(nil)) {
			t.Errorf("%s: memberships alone have the labels %v", name, top)
		}
		m.Labels(nil)[0] = 99
		if m.Clusters[0] == 99 {
			t.Errorf("%s: Labels returns the model's own", name)
		}
	}
	m := mustDo(Fit(bg, x, 3, nil))(t)
	if top := largest(nil, m.Memberships); m.ClusterMeans != nil || m.Clusters != nil ||
		!slices.Equal(m.Labels(nil), top) {
		t.Error("Fit has cluster means, or not the largest memberships as labels")
	}
	if got, want := mustDo(m.PredictLabels(nil, x))(t),
		largest(nil, mustDo(m.Predict(nil, x))(t)); !slices.Equal(got, want) {
		t.Errorf("of Fit's model PredictLabels has %v, not %v", got, want)
	}
	m.ClusterMeans = NewMatrix(2, 4, nil)
	if _, err := m.PredictLabels(nil, x); !errors.Is(err, ErrShape) {
		t.Errorf("two means for three centers: %v", err)
	}
	m.ClusterMeans = m.Centers.Clone()
	for _, axes := range []*Matrix{NewMatrix(2, 3, nil), NewMatrix(1, 4, []float64{0, 0, math.NaN(), 0}),
		NewMatrix(1, 4, []float64{2, 0, 0, 0}), {Rows: 2, Cols: 4, Stride: 4, Data: make([]float64, 5)}} {
		m.ClusterAxes = axes
		if _, err := m.PredictLabels(nil, x); err == nil {
			t.Errorf("no error for axes %v", axes.Data)
		}
	}
}

// mixedUp is four clusters of n rows in all, whose memberships join two of them and cut another in two.
func mixedUp(n int) (c labelCase, truth []int) {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	c = labelCase{name: "mixed up", x: NewMatrix(n, 3, nil), g: NewMatrix(n, 4, nil)}
	c.centers = NewMatrix(4, 3, nil)
	for i := range n {
		j := i % 4
		truth = append(truth, j)
		for a := range 3 {
			c.x.Set(i, a, rng.NormFloat64())
		}
		c.x.row(i)[j%3] += 12 * float64(1+j/3)
		at := [4]int{1, 1, 2, 3}[j]
		if j == 3 && c.x.At(i, 1) > 0 {
			at = 0
		}
		c.g.Set(i, at, 1)
	}
	return c, truth
}

// TestChosenLabels: where the memberships' labels settle at wrong clusters, those of another start take their
// place, with the numbers of the prototypes with which they share most rows. Many rows have a draw. The
// workers make no difference. What is not to be chosen from stays.
func TestChosenLabels(t *testing.T) {
	for _, n := range []int{160, labelDraw + 952} {
		c, truth := mixedUp(n)
		var first *Model
		for _, workers := range []int{1, 2, 5} {
			s := mustDo(newSamples(bg, c.x, c.w, workers, true))(t)
			own, m := c.labelled(t, workers), &Model{Centers: c.centers, Memberships: c.g}
			must(t, m.label(s, largest(nil, c.g), leading(t, s, c.centers.Rows), false))
			if acc := accuracyOf(truth, own.Clusters); acc > 0.8 {
				t.Fatalf("%d rows: the memberships' start is right in %.3f", n, acc)
			}
			if acc := accuracyOf(truth, m.Clusters); acc < 0.99 {
				t.Errorf("%d rows, %d workers: right in %.3f", n, workers, acc)
			}
			for i, j := range m.Clusters { // clusters 2 and 3 keep their numbers; 0 and 1 are one prototype's
				if want := truth[i]; want == 2 && j != 2 {
					t.Fatalf("%d rows: row %d of cluster %d has label %d", n, i, want, j)
				}
			}
			if first == nil {
				first = m
			}
			if !slices.Equal(first.Clusters, m.Clusters) ||
				!laSameBits(first.ClusterAxes.Data, m.ClusterAxes.Data) {
				t.Errorf("%d rows: other labels with %d workers", n, workers)
			}
			checkClusters(t, c.name, m, c.x, c.w)
		}
	}
	for _, k := range []int{1, 2, 3} { // rows that are all the same, of which no clusters settle
		same := &Model{Centers: NewMatrix(k, 2, nil), Memberships: randomData(9, k, 0, 1)}
		s := mustDo(newSamples(bg, NewMatrix(9, 2, inTurn(18, 3, 4)), nil, 1, true))(t)
		must(t, same.label(s, largest(nil, same.Memberships), identity(2), false))
		if len(same.Clusters) != 9 || same.ClusterAxes != nil {
			t.Errorf("k = %d: equal rows have the labels %v", k, same.Clusters)
		}
	}
}

// TestLabelsOfStarts: labels of a given start are those of its memberships; a context that ends while labels
// are chosen is an error, with a model that has these.
func TestLabelsOfStarts(t *testing.T) {
	x := standardized(loadCSV(t, "wine"))
	quick := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Init: InitKMeans, Workers: 1}))(t)
	full := endingAt(1 << 30)
	best := mustDo(FitMinVolume(full, x, 3, &MinVolumeOptions{Workers: 1}))(t)
	own := &Model{Centers: best.Centers, Memberships: best.Memberships}
	s := mustDo(newSamples(bg, x, nil, 1, true))(t)
	must(t, own.label(s, largest(nil, best.Memberships), leading(t, s, 3), true))
	if maxDiff(quick.Centers, best.Centers) != 0 || !slices.Equal(quick.Clusters, own.Clusters) {
		t.Error("a given start has other centers, or not the labels of its memberships")
	}
	looks := int(1<<30 - full.left.Load())
	plain := endingAt(1 << 30)
	mustDo(FitMinVolume(plain, x, 3, &MinVolumeOptions{Init: InitKMeans, Workers: 1}))(t)
	for _, at := range []int{int(1<<30-plain.left.Load()) + 50, looks - 60} {
		m, err := FitMinVolume(endingAt(at), x, 3, &MinVolumeOptions{Workers: 1})
		if !errors.Is(err, context.Canceled) || m == nil || m.Status != StatusCancelled ||
			maxDiff(m.Centers, best.Centers) != 0 || m.Clusters != nil || m.ClusterMeans != nil {
			t.Errorf("ended at look %d of %d: %v", at, looks, err)
		}
	}
}
