package main

// The kernels, on one thread. This package's run in its own benchmarks, because they are
// not exported; gonum's run here, NumPy's in peers.py.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// kernelCase is a kernel and its sizes. A size that a kernel does not have is 0.
//
//	dot   xᵀy of length n
//	axpy  y + ax of length n
//	gram  XᵀX, one triangle, of X n×d
//	mul   XW of X n×d and W d×b
//	mulT  XᵀY of X n×d and Y n×b
type kernelCase struct {
	name    string
	n, d, b int
}

// flops is the number of additions and multiplications.
func (c kernelCase) flops() float64 {
	n, d, b := float64(c.n), float64(c.d), float64(c.b)
	switch c.name {
	case "dot", "axpy":
		return 2 * n
	case "gram":
		return n * d * (d + 1)
	}
	return 2 * n * d * b
}

// kernelSpeeds are GF/s by kernel, the best of several.
type kernelSpeeds map[kernelCase]float64

// parseKernels reads lines of benchmarks,
//
//	BenchmarkKernel/gram/n=4096,d=100-2  500  2000 ns/op  12.5 GF/s
//
// into speeds, keeping the best, and returns the cases in order of appearance. Other lines, and kernels
// without that metric, are ignored. A line of this form that cannot be read is an error.
func parseKernels(output string, speeds kernelSpeeds) (cases []kernelCase, err error) {
	for _, line := range strings.Split(output, "\n") {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "BenchmarkKernel/") {
			continue
		}
		var speed float64
		for i := 2; i+1 < len(fields); i += 2 {
			if fields[i+1] == "GF/s" {
				if speed, err = strconv.ParseFloat(fields[i], 64); err != nil || !(speed > 0) {
					return nil, fmt.Errorf("benchmark line %q: the GF/s cannot be read", line)
				}
			}
		}
		if speed == 0 {
			continue
		}
		c, err := parseKernelName(fields[0])
		if err != nil {
			return nil, fmt.Errorf("benchmark line %q: %w", line, err)
		}
		if speeds[c] == 0 {
			cases = append(cases, c)
		}
		speeds[c] = max(speeds[c], speed)
	}
	return cases, nil
}

// parseKernelName reads BenchmarkKernel/name/n=1,d=2,b=3, with or without the number of
// processors at its end, -P.
func parseKernelName(s string) (c kernelCase, err error) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return c, errors.New("the name is not BenchmarkKernel/kernel/sizes")
	}
	c.name = parts[1]
	sizes, _, _ := strings.Cut(parts[2], "-")
	to := map[string]*int{"n": &c.n, "d": &c.d, "b": &c.b}
	for _, one := range strings.Split(sizes, ",") {
		name, value, _ := strings.Cut(one, "=")
		v, err := strconv.Atoi(value)
		if err != nil || v < 1 || to[name] == nil {
			return c, fmt.Errorf("the size %q is not n, d or b=number", one)
		}
		*to[name] = v
	}
	switch c.name { // a size that a kernel does not have may be left out, or be 1
	case "dot", "axpy":
		c.d, c.b = 0, 0
	case "gram":
		c.b = 0
	}
	if !(c.flops() > 0) {
		return c, errors.New("a size is missing")
	}
	return c, nil
}

// gonumKernel returns a function that calls gonum's kernel, nil if gonum has none.
func gonumKernel(c kernelCase) func() {
	dense := func(r, c int) *mat.Dense {
		return table(r, c, func(i, j int) float64 { return float64((i*7+j*3)%11) - 5.25 })
	}
	vector := func() blas64.Vector {
		return blas64.Vector{N: c.n, Inc: 1, Data: dense(1, c.n).RawMatrix().Data}
	}
	switch c.name {
	case "dot":
		x, y := vector(), vector()
		return func() { kernelSink += blas64.Dot(x, y) }
	case "axpy":
		x, y := vector(), vector()
		return func() { blas64.Axpy(1e-9, x, y) }
	case "gram":
		x, out := dense(c.n, c.d), mat.NewSymDense(c.d, nil)
		return func() { out.SymOuterK(1, x.T()) }
	case "mul":
		x, w, out := dense(c.n, c.d), dense(c.d, c.b), mat.NewDense(c.n, c.b, nil)
		return func() { out.Mul(x, w) }
	case "mulT":
		x, y, out := dense(c.n, c.d), dense(c.n, c.b), mat.NewDense(c.d, c.b, nil)
		return func() { out.Mul(x.T(), y) }
	}
	return nil
}

var kernelSink float64 // prevents that the calls are optimized away

// secondsPerCall calls f for at least the given time, and returns the time of a call.
func secondsPerCall(f func(), atLeast time.Duration) float64 {
	f()
	for count := 1; ; {
		start := time.Now()
		for range count {
			f()
		}
		t := time.Since(start)
		if t >= atLeast {
			return t.Seconds() / float64(count)
		}
		count = min(10*count, int(1.2*float64(count)*float64(atLeast)/float64(max(t, 1)))+1)
	}
}

// kernelRounds is the number of turns.
const kernelRounds = 5

// ownKernels builds the package's benchmarks, and returns a function that runs those of
// the kernels for a given time each.
func ownKernels(ctx context.Context, dir string) (run func(time.Duration) (string, error), err error) {
	mod, err := os.ReadFile(filepath.Join("..", "go.mod"))
	if err != nil || !bytes.Contains(mod, []byte("module softkmeans")) {
		return nil, errors.New("the package is not in .. here: run this in its folder bench/")
	}
	test := filepath.Join(dir, "kernels.test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", test, ".")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go test -c in ..: %w\n%s", err, out)
	}
	return func(t time.Duration) (string, error) {
		cmd := exec.CommandContext(ctx, test, "-test.run", "^$", "-test.bench", "^BenchmarkKernel$", "-test.cpu", "1", "-test.benchtime", t.String())
		cmd.Dir = ".."
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("the benchmarks of ..: %w\n%s", err, out)
		}
		return string(out), nil
	}, nil
}

// kernelFigures is the speeds of all kernels.
type kernelFigures struct {
	cases             []kernelCase
	own, gonum, numpy kernelSpeeds
}

// timeKernels measures all kernels in turns.
func timeKernels(ctx context.Context, py *python, dir string, o *options, say func(format string, args ...any)) (*kernelFigures, error) {
	k := &kernelFigures{own: kernelSpeeds{}, gonum: kernelSpeeds{}, numpy: kernelSpeeds{}}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	say("building the package's benchmarks")
	run, err := ownKernels(ctx, dir)
	if err != nil {
		return nil, err
	}
	each := o.time / kernelRounds
	for round := range kernelRounds {
		say("round %d of %d", round+1, kernelRounds)
		out, err := run(each)
		if err != nil {
			return nil, err
		}
		found, err := parseKernels(out, k.own)
		if err != nil {
			return nil, err
		}
		if round == 0 {
			if k.cases = found; found == nil {
				return nil, errors.New("the package has no benchmarks BenchmarkKernel/… with GF/s")
			}
		}
		if err := k.timePeers(ctx, py, each); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// timePeers measures gonum's and NumPy's kernels once.
func (k *kernelFigures) timePeers(ctx context.Context, py *python, each time.Duration) error {
	for _, c := range k.cases {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f := gonumKernel(c); f != nil {
			k.gonum[c] = max(k.gonum[c], c.flops()/secondsPerCall(f, each)/1e9)
		}
		if py == nil {
			continue
		}
		s, err := py.kernel(c, each)
		if err != nil {
			return err
		}
		time.Sleep(pythonPause)
		if s > 0 {
			k.numpy[c] = max(k.numpy[c], c.flops()/s/1e9)
		}
	}
	return nil
}

// writeKernels writes the table of kernels.
func writeKernels(w io.Writer, k *kernelFigures) {
	fmt.Fprintf(w, "GF/s on one thread, the best of %d turns, and softkmeans' as a share of the others' (below 1: slower than they are):\n\n", kernelRounds)
	cell := func(v float64) string {
		if !(v > 0) || math.IsInf(v, 1) {
			return "–"
		}
		return digits(v)
	}
	rows := [][]string{{"kernel", "n", "d", "b", "softkmeans", "gonum", "NumPy", "/ gonum", "/ NumPy"}}
	for _, c := range k.cases {
		row := []string{c.name}
		for _, size := range []int{c.n, c.d, c.b} {
			row = append(row, strings.TrimLeft(strconv.Itoa(size), "0"))
		}
		own, gonum, numpy := k.own[c], k.gonum[c], k.numpy[c]
		for _, v := range []float64{own, gonum, numpy, own / gonum, own / numpy} {
			row = append(row, cell(v))
		}
		rows = append(rows, row)
	}
	markdown(w, 1, rows)
}
