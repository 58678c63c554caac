package main

// Sparse counts of words and of genes: Fit and FitMinVolume beside scikit-learn's truncated SVD, NMF and LDA.
// Each way runs in a process of its own, so that its peak of memory is known.

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/enclosure"
	"softkmeans/metrics"
)

// wordShape has the size of a table of counts: n rows over d columns from k known topics, and some `length`
// counts in a row.
type wordShape struct{ n, d, k, length int }

// wordTable has the name and the size of a table that make draws. Its rows are texts, with counts of words.
// If cells is set they are cells, with counts of genes. These have the noise of a gamma distribution
// (gamma–Poisson), and lengths that differ; each row is divided by its sum.
type wordTable struct {
	name  string
	at    wordShape
	cells bool
}

var wordTables = []wordTable{
	{"texts", wordShape{20000, 50000, 20, 150}, false},
	{"cells", wordShape{3000, 20000, 10, 3000}, true},
}

// truth has the topics of a table, k×d, and the topic with the largest share of each row.
type truth struct {
	topics *softkmeans.Matrix
	labels []int
}

// make returns the table and its truth, the same at each call. A third of the counts follow Zipf's law in an
// order that all rows share. The others follow it in the order of a topic. Shares of topics are drawn from
// Dirichlet's distribution with α = 0.1.
func (t wordTable) make() (*softkmeans.SparseMatrix, truth) {
	rng, at := rand.New(rand.NewPCG(1, 2)), t.at
	orders, below, sum := make([][]int, at.k+1), make([]float64, at.d), 0.0
	for j := range orders {
		orders[j] = rng.Perm(at.d)
	}
	out := truth{softkmeans.NewMatrix(at.k, at.d, nil), make([]int, at.n)}
	for r := range below {
		p := math.Pow(float64(r)+10, -1.1)
		for j := range at.k {
			out.topics.Set(j, orders[j][r], p)
		}
		sum += p
		below[r] = sum
	}
	x := &softkmeans.SparseMatrix{Rows: at.n, Cols: at.d, Indptr: []int{0}}
	for i := range at.n {
		shares, all := make([]float64, at.k), 0.0
		for j := range shares {
			shares[j] = gamma(rng, 0.1)
			if shares[j] > shares[out.labels[i]] {
				out.labels[i] = j
			}
			all += shares[j]
		}
		length, kept := float64(at.length), 1.0
		if t.cells {
			length, kept = 4*length*math.Exp(0.4*rng.NormFloat64()), 0.25
		}
		counts, noise := map[int]float64{}, map[int]float64{}
		for range int(length) {
			topic := at.k
			if u := rng.Float64() * all; rng.IntN(3) > 0 {
				for topic = 0; topic < at.k-1 && u >= shares[topic]; topic++ {
					u -= shares[topic]
				}
			}
			word := orders[topic][min(sort.SearchFloat64s(below, rng.Float64()*sum), at.d-1)]
			if t.cells { // the mean of a gene in a cell is times gamma(2)/2, at most 4
				if noise[word] == 0 {
					noise[word] = gamma(rng, 2) / 2
				}
				if rng.Float64() > kept*noise[word] {
					continue
				}
			}
			counts[word]++
		}
		x.Indptr = append(x.Indptr, len(x.Data)+len(counts))
		over := 1.0
		if t.cells {
			over = 0
			for _, v := range counts {
				over += v
			}
		}
		for _, word := range slices.Sorted(maps.Keys(counts)) {
			x.Indices, x.Data = append(x.Indices, word), append(x.Data, counts[word]/over)
		}
	}
	return x, out
}

// gamma draws from the gamma distribution of a shape (Marsaglia & Tsang 2000).
func gamma(rng *rand.Rand, shape float64) float64 {
	d := shape + 1 - 1.0/3
	for {
		z := rng.NormFloat64()
		v := math.Pow(1+z/math.Sqrt(9*d), 3)
		if v > 0 && math.Log(rng.Float64()) < z*z/2+d-d*v+d*math.Log(v) {
			return d * v * math.Pow(rng.Float64(), 1/shape)
		}
	}
}

// score compares the rows of f, in any order and scale, and labels with the truth. It matches each row with a
// topic and counts how many of the row's largestWords are among those of the topic. shared is the mean of
// these counts, for the matching with the most. nmi is the normalized mutual information of the labels.
func (t truth) score(f *softkmeans.Matrix, labels []int) (shared, nmi float64, err error) {
	a, b := largestWords(f), largestWords(t.topics)
	gain := softkmeans.NewMatrix(len(a), len(b), nil)
	for i := range a {
		for j := range b {
			for _, w := range a[i] {
				if slices.Contains(b[j], w) {
					gain.Set(i, j, gain.At(i, j)+1)
				}
			}
		}
	}
	for i, j := range metrics.Assignment(gain) {
		shared += gain.At(i, j) / float64(len(a))
	}
	nmi, err = metrics.NMI(labels, t.labels)
	return shared, nmi, err
}

// largestWords returns the 20 largest columns of each row, by its share of the row less the mean share.
func largestWords(f *softkmeans.Matrix) [][]int {
	f = f.Clone()
	mean := make([]float64, f.Cols)
	for i := range f.Rows {
		sum := 0.0
		for _, v := range f.Row(i) {
			sum += max(v, 0)
		}
		for c, v := range f.Row(i) {
			f.Set(i, c, max(v, 0)/sum)
			mean[c] += max(v, 0) / sum / float64(f.Rows)
		}
	}
	out := make([][]int, f.Rows)
	for i := range out {
		order := make([]int, f.Cols)
		for c := range order {
			order[c] = c
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Compare(f.At(i, b)-mean[b], f.At(i, a)-mean[a])
		})
		out[i] = order[:20]
	}
	return out
}

// wordFigure is what a way tells of its run.
type wordFigure struct {
	Seconds, Error, Peak float64 // seconds are of processor time
	Proved               float64 // how far above the least error it can be at most
	Labels               []int   // largest memberships, or labels; nil: none
}

// wordsChild is the environment variable by which the program runs one of its own ways.
const wordsChild = "SOFTKMEANS_BENCH_WORDS"

// runWords runs one of the program's own ways, in the child process. argument has the prefix of the rows'
// files, n, d, k and the way. It writes the wordFigure to w, and the centers to a file with that prefix.
func runWords(w io.Writer, argument string) error {
	f := strings.Fields(argument)
	at := wordShape{}
	for t, to := range []*int{&at.n, &at.d, &at.k} {
		*to, _ = strconv.Atoi(f[1+t])
	}
	x, err := readSparse(f[0], at)
	if err != nil {
		return err
	}
	start := cpuTime()
	var m *softkmeans.Model
	switch ctx := context.Background(); f[4] {
	case "minvol":
		m, err = softkmeans.FitMinVolume(ctx, x, at.k, &softkmeans.MinVolumeOptions{NonNegative: true})
	case "most":
		m, err = enclosure.Cone(ctx, x, at.k, nil)
	default:
		m, err = softkmeans.Fit(ctx, x, at.k, nil)
	}
	if err != nil {
		return err
	}
	out := wordFigure{cpuTime() - start, m.Objective, peakMemory(), m.ExcessShare(), m.Clusters}
	if err := writeList(f[0]+".centers", m.Centers.Data); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(out)
}

// writeSparse writes the three slices as words.py reads them.
func writeSparse(prefix string, x *softkmeans.SparseMatrix) error {
	for end, list := range map[string][]int{".indptr": x.Indptr, ".indices": x.Indices} {
		integers := make([]int64, len(list))
		for i, n := range list {
			integers[i] = int64(n)
		}
		if err := writeList(prefix+end, integers); err != nil {
			return err
		}
	}
	return writeList(prefix+".data", x.Data)
}

func readSparse(prefix string, at wordShape) (x *softkmeans.SparseMatrix, err error) {
	x = &softkmeans.SparseMatrix{Rows: at.n, Cols: at.d}
	for end, to := range map[string]*[]int{".indptr": &x.Indptr, ".indices": &x.Indices} {
		list, err := readList[int64](prefix + end)
		if err != nil {
			return nil, err
		}
		*to = make([]int, len(list))
		for i, n := range list {
			(*to)[i] = int(n)
		}
	}
	x.Data, err = readList[float64](prefix + ".data")
	return x, err
}

// wordWays are the ways in the order of the table: a name, and the words for the child.
var wordWays = []struct{ name, child, python string }{
	{"enclosure.Cone of sparse rows, sums of at most 1", "most", ""},
	{"softkmeans Fit of sparse rows, sums of 1", "one", ""},
	{"softkmeans FitMinVolume, NonNegative", "minvol", ""},
	{"scikit-learn TruncatedSVD, randomized", "", "randomized"},
	{"scikit-learn TruncatedSVD, arpack", "", "arpack"},
	{"scikit-learn NMF", "", "NMF"},
	{"scikit-learn LatentDirichletAllocation", "", "LDA"},
}

// compareWords runs all ways on the selected tables, whose files it writes to dir. It returns a head for each
// table, and a line for each way below. py may be nil: its ways are left out then.
func compareWords(
	ctx context.Context, py *python, dir string, o *options, say func(format string, args ...any),
) (rows [][]string, err error) {
	tables, err := selected(o, wordTables, func(t wordTable) string { return t.name })
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		x, known := t.make()
		at, stored, total := t.at, len(x.Data), 0.0
		for _, v := range x.Data {
			total += v * v
		}
		prefix := filepath.Join(dir, t.name)
		if err := writeSparse(prefix, x); err != nil {
			return nil, err
		}
		rows = append(rows, []string{
			fmt.Sprintf("%s: %d×%d, %d entries, k = %d", t.name, at.n, at.d, stored, at.k),
			"processor, s", "peak MB", "squared error / total", "proved within", "words of 20", "NMI",
		})
		x = nil
		runtime.GC()
		for _, way := range wordWays {
			if way.python != "" && (py == nil || !py.learn) {
				continue
			}
			say("%s: %s", t.name, way.name)
			f, err := wordsProcess(ctx, py, o, prefix, at, way.child, way.python)
			if err != nil {
				return nil, err
			}
			row := []string{
				way.name, digits(f.Seconds), digits(f.Peak), strconv.FormatFloat(f.Error/total, 'f', 6, 64),
				"–", "–", "–",
			}
			if way.python == "LDA" { // whose factors are of counts
				row[3] = "–"
			}
			if way.child != "" {
				row[4] = share(f.Proved)
			}
			if f.Labels != nil {
				centers, err := readList[float64](prefix + ".centers")
				if err != nil {
					return nil, err
				}
				words, nmi, err := known.score(softkmeans.NewMatrix(at.k, at.d, centers), f.Labels)
				if err != nil {
					return nil, err
				}
				row[5], row[6] = digits(words), digits(nmi)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// wordsProcess runs one way: this program, or Python's.
func wordsProcess(ctx context.Context, py *python, o *options, prefix string, at wordShape, child, way string) (f wordFigure, err error) {
	sizes := fmt.Sprint(at.n, " ", at.d, " ", at.k)
	var c *exec.Cmd
	if child != "" {
		self, err := os.Executable()
		if err != nil {
			return f, err
		}
		c = exec.CommandContext(ctx, self)
		c.Env = append(os.Environ(), wordsChild+"="+prefix+" "+sizes+" "+child, "GOMAXPROCS="+strconv.Itoa(o.workers))
	} else {
		args := append([]string{filepath.Join(py.dir, "words.py"), prefix}, strings.Fields(sizes)...)
		c = exec.CommandContext(ctx, py.cmd.Path, append(args, way)...)
		c.Env = py.cmd.Env
	}
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return f, fmt.Errorf("%s%s: %w", child, way, err)
	}
	err = json.Unmarshal(out, &f)
	return f, err
}
