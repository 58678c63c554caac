package main

// Sparse counts of words: Fit beside scikit-learn's truncated SVD and NMF. Each way
// runs in a process of its own, so that its peak of memory is known.

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"softkmeans"
)

// wordShape is a bag of words: n texts of `filled` different words of d, and k topics.
type wordShape struct{ n, d, k, filled int }

// wordsOf makes the texts. A text has one topic, and now and then another. Two thirds of its
// words are of the topic, the others of all; both are drawn by Zipf's law.
func wordsOf(at wordShape) (*softkmeans.SparseMatrix, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	order := make([][]int, at.k)
	for t := range order {
		order[t] = rng.Perm(at.d)
	}
	zipf := rand.NewZipf(rng, 1.1, 10, uint64(at.d-1))
	var i, j []int
	var v []float64
	for text := range at.n {
		topic := rng.IntN(at.k)
		for seen := map[int]bool{}; len(seen) < at.filled; {
			if rng.IntN(3) == 0 {
				topic = rng.IntN(at.k)
			}
			word := int(zipf.Uint64())
			if rng.IntN(3) > 0 {
				word = order[topic][word]
			}
			if !seen[word] {
				seen[word] = true
				i, j, v = append(i, text), append(j, word), append(v, 1+math.Floor(rng.ExpFloat64()))
			}
		}
	}
	return softkmeans.SparseFromTriples(at.n, at.d, i, j, v)
}

// wordFigure is what a way tells of its run.
type wordFigure struct {
	Seconds, Error, Peak float64
	Proved               float64 // how far above the least error it can be at most; NaN: unknown
}

// wordsChild is the environment variable by which the program runs one of its own ways.
const wordsChild = "SOFTKMEANS_BENCH_WORDS"

// runWords is the child's part: it reads the rows and prints its figure.
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
	o := &softkmeans.Options{}
	if f[4] == "most" {
		o.Sum = softkmeans.SumAtMostOne
	}
	start := time.Now()
	m, err := softkmeans.Fit(context.Background(), x, at.k, o)
	if err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	return json.NewEncoder(w).Encode(wordFigure{seconds, m.Objective, peakMemory(), m.Certificate().ExcessShare})
}

func writeSparse(prefix string, x *softkmeans.SparseMatrix) error {
	integers := func(v []int) []int64 {
		out := make([]int64, len(v))
		for i, n := range v {
			out[i] = int64(n)
		}
		return out
	}
	for end, data := range map[string]any{".indptr": integers(x.Indptr), ".indices": integers(x.Indices), ".data": x.Data} {
		b, err := binary.Append(nil, binary.LittleEndian, data)
		if err != nil {
			return err
		}
		if err := os.WriteFile(prefix+end, b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func readSparse(prefix string, at wordShape) (*softkmeans.SparseMatrix, error) {
	x := &softkmeans.SparseMatrix{Rows: at.n, Cols: at.d}
	for end, to := range map[string]*[]int{".indptr": &x.Indptr, ".indices": &x.Indices} {
		b, err := os.ReadFile(prefix + end)
		if err != nil {
			return nil, err
		}
		for ; len(b) >= 8; b = b[8:] {
			*to = append(*to, int(binary.LittleEndian.Uint64(b)))
		}
	}
	b, err := os.ReadFile(prefix + ".data")
	for ; len(b) >= 8; b = b[8:] {
		x.Data = append(x.Data, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return x, err
}

// wordWays are the ways in the order of the table: a name, and the words for the child.
var wordWays = []struct{ name, child, python string }{
	{"softkmeans Fit of sparse rows, sums of at most 1", "most", ""},
	{"softkmeans Fit of sparse rows, sums of 1", "one", ""},
	{"scikit-learn TruncatedSVD, randomized", "", "randomized"},
	{"scikit-learn TruncatedSVD, arpack", "", "arpack"},
	{"scikit-learn NMF", "", "NMF"},
}

// compareWords runs all ways on one table.
func compareWords(ctx context.Context, py *python, dir string, o *options, say func(format string, args ...any)) ([][]string, error) {
	at := wordShape{20000, 50000, 20, 100}
	x, err := wordsOf(at)
	if err != nil {
		return nil, err
	}
	prefix := filepath.Join(dir, "words")
	if err := writeSparse(prefix, x); err != nil {
		return nil, err
	}
	total := 0.0
	for _, v := range x.Data {
		total += v * v
	}
	rows := [][]string{{fmt.Sprintf("%d texts, %d words, %d in each, k = %d", at.n, at.d, at.filled, at.k), "seconds", "peak MB", "squared error / total", "proved within"}}
	x = nil
	runtime.GC()
	for _, way := range wordWays {
		if way.python != "" && (py == nil || !py.learn) {
			continue
		}
		say("%s", way.name)
		f, err := wordsProcess(ctx, py, o, prefix, at, way.child, way.python)
		if err != nil {
			return nil, err
		}
		proved := "–"
		if way.child != "" {
			proved = share(f.Proved)
		}
		rows = append(rows, []string{way.name, digits(f.Seconds), digits(f.Peak), strconv.FormatFloat(f.Error/total, 'f', 6, 64), proved})
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
	return f, json.Unmarshal(out, &f)
}
