package main

// NumPy and scikit-learn, in a process that runs peers.py. It runs until this program
// ends, so that all peers can be timed in turns.

import (
	"bufio"
	"context"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
)

// scripts are peers.py, which runs, and the modules that it imports.
//
//go:embed *.py
var scripts embed.FS

var errNoNumPy = errors.New("no NumPy found, skipped")

// python is a running peers.py.
type python struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	said  *strings.Builder // its standard error
	dir   string           // for files to exchange
	k, d  int
	n     int
	about string // versions, and BLAS with its threads where NumPy tells
	learn bool   // there is scikit-learn
}

// findPython returns the interpreter to use. asked is a path, or "" for any that imports NumPy.
func findPython(ctx context.Context, asked string) (string, error) {
	imports := func(path string) error {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		out, err := exec.CommandContext(ctx, path, "-c", "import numpy").CombinedOutput()
		if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); err != nil && lines[len(lines)-1] != "" {
			return errors.New(lines[len(lines)-1])
		}
		return err
	}
	if asked != "" {
		if err := imports(asked); err != nil {
			return "", fmt.Errorf("-python %s: import numpy: %w", asked, err)
		}
		return asked, nil
	}
	for _, path := range pythons(os.Getenv("PATH")) {
		if imports(path) == nil {
			return path, nil
		}
	}
	return "", errNoNumPy
}

// systemPython is tried after those in the PATH, which may hide it.
var systemPython = "/usr/bin/python3"

// pythons lists the interpreters in the folders of a PATH.
func pythons(path string) (found []string) {
	var candidates []string
	for _, dir := range filepath.SplitList(path) {
		candidates = append(candidates, filepath.Join(dir, "python3"), filepath.Join(dir, "python3.exe"), filepath.Join(dir, "python.exe"))
	}
	for _, path := range append(candidates, systemPython) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// startPython starts peers.py with a number of threads. dir is for its files.
func startPython(ctx context.Context, path, dir string, threads int) (*python, error) {
	if err := os.CopyFS(dir, scripts); err != nil {
		return nil, err
	}
	p := &python{cmd: exec.CommandContext(ctx, path, filepath.Join(dir, "peers.py")), said: new(strings.Builder), dir: dir}
	p.cmd.Env = os.Environ()
	for _, name := range []string{"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"} {
		p.cmd.Env = append(p.cmd.Env, name+"="+strconv.Itoa(threads))
	}
	p.cmd.Stderr = p.said
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	var hello struct {
		About   string
		Sklearn bool
	}
	if err := p.ask(map[string]any{"op": "hello"}, &hello); err != nil {
		p.close()
		return nil, err
	}
	p.about, p.learn = hello.About, hello.Sklearn
	return p, nil
}

// close ends the process.
func (p *python) close() {
	p.in.Close()
	p.cmd.Wait()
}

// ask sends a request and waits for its answer.
func (p *python) ask(request map[string]any, answer any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return p.died(err)
	}
	line, err = p.out.ReadBytes('\n')
	if err != nil {
		return p.died(err)
	}
	var failed struct{ Error string }
	if err := json.Unmarshal(line, &failed); err != nil {
		return fmt.Errorf("peers.py answers %q: %w", line, err)
	}
	if failed.Error != "" {
		return fmt.Errorf("peers.py, %v: %s", request["op"], failed.Error)
	}
	return json.Unmarshal(line, answer)
}

func (p *python) died(err error) error {
	p.in.Close()
	p.cmd.Wait() // its standard error is complete then
	return fmt.Errorf("peers.py ended: %w\n%s", err, p.said)
}

// load sends the data in a file of little-endian float64.
func (p *python) load(x *mat.Dense, k int) error {
	path := filepath.Join(p.dir, "x")
	p.n, p.d = x.Dims()
	p.k = k
	if err := writeList(path, x.RawMatrix().Data); err != nil {
		return err
	}
	defer os.Remove(path)
	return p.ask(map[string]any{"op": "load", "path": path, "n": p.n, "d": p.d, "k": p.k}, &struct{}{})
}

// factors sends a request whose answer has k×d and n×k numbers in files.
func (p *python) factors(request map[string]any, answer any) (f, g *mat.Dense, err error) {
	request["f"], request["g"] = filepath.Join(p.dir, "f"), filepath.Join(p.dir, "g")
	if err = p.ask(request, answer); err != nil {
		return nil, nil, err
	}
	if f, err = readDense(filepath.Join(p.dir, "f"), p.k, p.d); err == nil {
		g, err = readDense(filepath.Join(p.dir, "g"), p.n, p.k)
	}
	return f, g, err
}

// solve calls a peer once and returns its solution.
func (p *python) solve(way string) (*solution, time.Duration, error) {
	var answer struct {
		Seconds float64
		Floor   *float64
		How     string
	}
	f, g, err := p.factors(map[string]any{"op": "solve", "way": way}, &answer)
	s := &solution{f, g, math.NaN(), answer.How}
	if answer.Floor != nil {
		s.floor = *answer.Floor
	}
	return s, seconds(answer.Seconds), err
}

// repeat calls a peer count times and returns the time of all calls.
func (p *python) repeat(way string, count int) (time.Duration, error) {
	var answer struct{ Seconds float64 }
	err := p.ask(map[string]any{"op": "repeat", "way": way, "count": count}, &answer)
	return seconds(answer.Seconds), err
}

// kernel returns the time of one call of a kernel, 0 if peers.py does not have it.
func (p *python) kernel(c kernelCase, atLeast time.Duration) (seconds float64, err error) {
	var answer struct{ Seconds float64 }
	err = p.ask(map[string]any{"op": "kernel", "kernel": c.name, "n": c.n, "d": c.d, "b": c.b, "seconds": atLeast.Seconds()}, &answer)
	return answer.Seconds, err
}

// unmix calls a way of unmix.py on the data that is loaded.
func (p *python) unmix(way string, o unmixOptions) (*unmixing, error) {
	var answer struct{ Seconds float64 }
	f, g, err := p.factors(map[string]any{
		"op": "unmix", "way": way, "options": o, "open": o.Open, "close": o.Close,
	}, &answer)
	return &unmixing{f: f, g: g, cpu: answer.Seconds}, err
}

// labels calls a way of cluster.py on the data that is loaded. It returns the labels and
// the seconds of processor time.
func (p *python) labels(way string, seed int) ([]int, float64, error) {
	var answer struct {
		Seconds float64
		Labels  []int
	}
	err := p.ask(map[string]any{"op": "label", "way": way, "seed": seed}, &answer)
	if err == nil && len(answer.Labels) != p.n {
		err = fmt.Errorf("peers.py, %s: %d labels of %d rows", way, len(answer.Labels), p.n)
	}
	return answer.Labels, answer.Seconds, err
}

// likely calls a way of cluster.py on the data that is loaded, for its labels and its probabilities of clusters.
func (p *python) likely(way string) (*pointAnswer, error) {
	var answer struct {
		Seconds float64
		Labels  []int
	}
	path := filepath.Join(p.dir, "likely")
	err := p.ask(map[string]any{"op": "likely", "way": way, "path": path}, &answer)
	if err != nil {
		return nil, err
	}
	likely, err := readDense(path, p.n, p.k)
	return &pointAnswer{labels: answer.Labels, likely: likely, cpu: answer.Seconds}, err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func readDense(path string, r, c int) (*mat.Dense, error) {
	data, err := readList[float64](path)
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	if len(data) != r*c {
		return nil, fmt.Errorf("%s has %d numbers, not %d×%d", filepath.Base(path), len(data), r, c)
	}
	return mat.NewDense(r, c, data), nil
}

// writeList and readList exchange numbers with Python, in little-endian order.
func writeList[T int64 | float64](path string, list []T) error {
	b, err := binary.Append(nil, binary.LittleEndian, list)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

func readList[T int64 | float64](path string) ([]T, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list := make([]T, len(b)/8)
	_, err = binary.Decode(b, binary.LittleEndian, list)
	return list, err
}
