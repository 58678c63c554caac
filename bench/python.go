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
	about string // versions
	blas  string // and threads; "" if NumPy does not tell
	learn bool   // there is scikit-learn
}

// findPython returns the interpreter to use. asked is a path, "" for any that
// imports NumPy, or "none".
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
	switch asked {
	case "none":
		return "", errNoNumPy
	case "":
	default:
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
		About, Blas string
		Sklearn     bool
	}
	if err := p.ask(map[string]any{"op": "hello"}, &hello); err != nil {
		p.close()
		return nil, err
	}
	p.about, p.blas, p.learn = hello.About, hello.Blas, hello.Sklearn
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
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	p.n, p.d = x.Dims()
	p.k = k
	for i := range p.n {
		var b [8]byte
		for _, v := range x.RawRowView(i) {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			w.Write(b[:]) // Flush returns its error
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	defer os.Remove(path)
	return p.ask(map[string]any{"op": "load", "path": path, "n": p.n, "d": p.d, "k": p.k}, &struct{}{})
}

// solve calls a peer once and returns its solution.
func (p *python) solve(way string) (*solution, time.Duration, error) {
	f, g := filepath.Join(p.dir, "f"), filepath.Join(p.dir, "g")
	var answer struct {
		Seconds float64
		Floor   *float64
		How     string
	}
	if err := p.ask(map[string]any{"op": "solve", "way": way, "f": f, "g": g}, &answer); err != nil {
		return nil, 0, err
	}
	s := &solution{floor: math.NaN(), how: answer.How}
	if answer.Floor != nil {
		s.floor = *answer.Floor
	}
	var err error
	if s.f, err = readDense(f, p.k, p.d); err == nil {
		s.g, err = readDense(g, p.n, p.k)
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
	f, g := filepath.Join(p.dir, "f"), filepath.Join(p.dir, "g")
	var answer struct{ Seconds float64 }
	if err := p.ask(map[string]any{"op": "unmix", "way": way, "options": o, "f": f, "g": g}, &answer); err != nil {
		return nil, err
	}
	u := &unmixing{cpu: answer.Seconds}
	var err error
	if u.f, err = readDense(f, p.k, p.d); err == nil {
		u.g, err = readDense(g, p.n, p.k)
	}
	return u, err
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

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func readDense(path string, r, c int) (*mat.Dense, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	if len(raw) != 8*r*c {
		return nil, fmt.Errorf("%s has %d bytes, not %d×%d numbers", filepath.Base(path), len(raw), r, c)
	}
	data := make([]float64, r*c)
	for i := range data {
		data[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return mat.NewDense(r, c, data), nil
}
