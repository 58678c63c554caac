package main

// Mixtures with known shares: the command, which is run as a user runs it, beside this package's FitMinVolume on
// simulated tables (grid.go), and beside published ways in Python (unmix.py) on tables of folders.

import (
	"context"
	"encoding/csv"
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

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ownCommand is the name of the command's column.
const ownCommand = "fit -k K"

// readMixtures reads the sets of a folder: NAME.csv and NAME_shares.csv, and NAME_centers.csv if the prototypes
// are known. Other tables are not read.
func readMixtures(dir string) (list []*scene, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*_shares.csv"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		base := strings.TrimSuffix(path, "_shares.csv")
		s := &scene{name: filepath.Base(base), path: base + ".csv"}
		s.kind = s.name
		if s.abundances, err = readCSV(path); err != nil {
			return nil, err
		}
		if s.x, err = readCSV(s.path); err != nil {
			return nil, err
		}
		if s.spectra, err = readCSV(base + "_centers.csv"); errors.Is(err, os.ErrNotExist) {
			s.spectra, err = nil, nil
		}
		if err == nil {
			err = s.check()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		for i := range s.abundances.RawMatrix().Rows {
			s.open = s.open || math.Abs(floats.Sum(s.abundances.RawRowView(i))-1) > 0.01
		}
		closeRows(s.abundances)
		list = append(list, s)
	}
	if list == nil {
		return nil, fmt.Errorf("%s has no set: NAME.csv with NAME_shares.csv", dir)
	}
	return list, nil
}

// closeRows divides each row by its sum. Rows whose sum is 0 stay.
func closeRows(m *mat.Dense) {
	for i := range m.RawMatrix().Rows {
		row := m.RawRowView(i)
		if sum := floats.Sum(row); sum > 0 {
			floats.Scale(1/sum, row)
		}
	}
}

// readCSV reads a table of numbers without a header.
func readCSV(path string) (*mat.Dense, error) {
	rows, err := readRecords(path)
	if err != nil {
		return nil, err
	}
	return numbers(path, rows, 0, len(rows[0]))
}

// readRecords reads the lines of a CSV file, which has at least one.
func readRecords(path string) ([][]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err == nil && len(rows) == 0 {
		err = errors.New("no line")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// numbers converts the columns from first to before last. Empty fields are NaN.
func numbers(path string, rows [][]string, first, last int) (*mat.Dense, error) {
	if len(rows) == 0 || first < 0 || first >= last {
		return nil, fmt.Errorf("%s: no numbers", path)
	}
	m := mat.NewDense(len(rows), last-first, nil)
	for i, row := range rows {
		for j, field := range row[first:last] {
			v, err := strconv.ParseFloat(field, 64)
			if field == "" {
				v, err = math.NaN(), nil
			}
			if err != nil {
				return nil, fmt.Errorf("%s: row %d: %w", path, i+1, err)
			}
			m.Set(i, j, v)
		}
	}
	return m, nil
}

// program is the command softkmeans, built from the sources above this module.
type program struct {
	dir   string // for the program, its inputs and outputs
	flags []string
}

func (c *program) path() string { return filepath.Join(c.dir, "softkmeans.exe") }

// buildProgram builds the program into dir. flags are those that every fit is given.
func buildProgram(ctx context.Context, dir string, flags []string) (*program, error) {
	c := &program{dir: dir, flags: flags}
	build := exec.CommandContext(ctx, "go", "build", "-o", c.path(), "./cmd/softkmeans")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build ./cmd/softkmeans: %w\n%s", err, out)
	}
	return c, nil
}

// unmix runs `softkmeans fit` on the file of s, or on one that it writes if s has none. If the
// command leaves memberships empty, as for a row of zeros, they are 1/k.
func (c *program) unmix(ctx context.Context, s *scene, _ *python) (*unmixing, error) {
	path, centers, shares := s.path, filepath.Join(c.dir, "centers.csv"), filepath.Join(c.dir, "shares.csv")
	if path == "" {
		path = filepath.Join(c.dir, "table.csv")
		if err := writeCSV(path, s.x); err != nil {
			return nil, err
		}
	}
	args := append([]string{"fit", "-k", strconv.Itoa(s.k()), "-o", shares, "-centers", centers}, c.flags...)
	fit := exec.CommandContext(ctx, c.path(), append(args, path)...)
	fit.Env = append(os.Environ(), "GOMAXPROCS=1")
	if out, err := fit.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("softkmeans %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	u := &unmixing{cpu: (fit.ProcessState.UserTime() + fit.ProcessState.SystemTime()).Seconds()}
	rows, err := readRecords(shares)
	if err != nil {
		return nil, err
	}
	first := slices.Index(rows[0], "p0")
	if u.g, err = numbers(shares, rows[1:], first, first+s.k()); err != nil {
		return nil, err
	}
	for i, v := range u.g.RawMatrix().Data {
		if math.IsNaN(v) {
			u.g.RawMatrix().Data[i] = 1 / float64(s.k())
		}
	}
	if rows, err = readRecords(centers); err != nil {
		return nil, err
	}
	u.f, err = numbers(centers, rows[1:], len(rows[0])-s.x.RawMatrix().Cols, len(rows[0]))
	return u, err
}

// writeCSV writes a table without a header.
func writeCSV(path string, x *mat.Dense) error {
	var out []byte
	for i := range x.RawMatrix().Rows {
		for j, v := range x.RawRowView(i) {
			if j > 0 {
				out = append(out, ',')
			}
			out = strconv.AppendFloat(out, v, 'g', -1, 64)
		}
		out = append(out, '\n')
	}
	return os.WriteFile(path, out, 0o600)
}

// mixturePeers are the ways of unmix.py for sets of folders. Open rows are divided by their sums for ways whose
// shares add up to 1. learn says that a way needs scikit-learn.
var mixturePeers = []struct {
	unmixWay
	learn bool
}{
	{unmixWay{"SPA", true, mixturePeer("spa", unmixOptions{Open: true})}, false},
	{unmixWay{"SPA, open rows closed", true, mixturePeer("spa", unmixOptions{Open: true, Close: true})}, false},
	{unmixWay{"NMF", true, mixturePeer("nmf", unmixOptions{Open: true, Unit: true})}, true},
	{unmixWay{"MCR-ALS", true, mixturePeer("mcr_als", unmixOptions{Open: true, Unit: true})}, false},
	{unmixWay{"archetypes", true, mixturePeer("archetypes", unmixOptions{Open: true, Close: true})}, false},
	{unmixWay{"min-vol, best λ (oracle)", true, func(ctx context.Context, s *scene, py *python) (*unmixing, error) {
		return bestPenalty(ctx, s, py, unmixOptions{Open: s.open, Close: s.open})
	}}, false},
}

// mixturePeer is a way of unmix.py. Its options are for open rows.
func mixturePeer(way string, open unmixOptions) func(context.Context, *scene, *python) (*unmixing, error) {
	return func(_ context.Context, s *scene, py *python) (*unmixing, error) {
		if !s.open {
			return py.unmix(way, unmixOptions{})
		}
		return py.unmix(way, open)
	}
}

// compareMixtures compares ways on the sets of the folders and on simulated tables. It returns a table of each,
// in this order, with a line for each set or design. py may be nil: its ways are left out then.
func compareMixtures(
	ctx context.Context, py *python, dir string, o *options, say func(format string, args ...any),
) (tables [][][]string, err error) {
	var list []*scene
	for _, folder := range o.folders {
		more, err := readMixtures(folder)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	if o.seeds != nil {
		list = append(list, simulatedMixtures(o.seeds[0], o.seeds[1])...)
	}
	if list, err = selected(o, list, func(s *scene) string { return s.kind }); err != nil {
		return nil, err
	}
	c, err := buildProgram(ctx, dir, o.flags)
	if err != nil {
		return nil, err
	}
	own := unmixWay{ownCommand, false, c.unmix}
	sets, grid := []unmixWay{own}, append([]unmixWay{own}, gridWays...)
	for _, way := range mixturePeers {
		if py != nil && (py.learn || !way.learn) {
			sets = append(sets, way.unmixWay)
		}
	}
	for _, part := range []struct {
		head string
		ways []unmixWay
		file bool
	}{{"set", sets, true}, {"design", grid, false}} {
		var scores []wayScore
		for _, s := range list {
			if (s.path != "") != part.file {
				continue
			}
			more, err := mixtureScores(ctx, s, part.ways, py, say)
			if err != nil {
				return nil, err
			}
			scores = append(scores, more...)
		}
		if scores != nil {
			tables = append(tables, mixtureTable(part.head, part.ways, scores))
		}
	}
	return tables, nil
}

// mixtureScores runs the ways on a table.
func mixtureScores(
	ctx context.Context, s *scene, ways []unmixWay, py *python, say func(format string, args ...any),
) (scores []wayScore, err error) {
	if py != nil && s.path != "" {
		if err := py.load(s.x, s.k()); err != nil {
			return nil, err
		}
	}
	for _, way := range ways {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		u, err := way.solve(ctx, s, py)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.name, way.name, err)
		}
		e := s.errorOf(u)
		say("%s: %s: MRSA %.2f, RMSE %.3f, %s CPU s %s", s.name, way.name, e.mrsa, e.abundances, digits(u.cpu), u.how)
		scores = append(scores, wayScore{way.name, s.kind, e, u.cpu})
	}
	return scores, nil
}

// mixtureTable returns a head and a line for each kind of scores, in their order: the number of its tables, and
// the means of MRSA and RMSE of each way. The last line has the means over all tables.
func mixtureTable(head string, ways []unmixWay, scores []wayScore) [][]string {
	first := []string{head, "tables"}
	for _, way := range ways {
		first = append(first, way.name)
	}
	var kinds []string
	for _, s := range scores {
		if !slices.Contains(kinds, s.kind) {
			kinds = append(kinds, s.kind)
		}
	}
	rows := [][]string{first}
	for _, kind := range append(kinds, "mean") {
		var row []string
		count := 0
		for _, way := range ways {
			var mrsa, rmse []float64
			for _, s := range scores {
				if s.way != way.name || kind != "mean" && s.kind != kind {
					continue
				}
				rmse = append(rmse, s.abundances)
				if !math.IsNaN(s.mrsa) {
					mrsa = append(mrsa, s.mrsa)
				}
			}
			angle := "–"
			if mrsa != nil {
				angle = fmt.Sprintf("%.2f", floats.Sum(mrsa)/float64(len(mrsa)))
			}
			count = len(rmse)
			row = append(row, fmt.Sprintf("%s / %.3f", angle, floats.Sum(rmse)/float64(count)))
		}
		rows = append(rows, append([]string{kind, strconv.Itoa(count)}, row...))
	}
	return rows
}

// writeMixtures writes the tables with a line about their cells.
func writeMixtures(w io.Writer, tables [][][]string) {
	fmt.Fprint(w, "MRSA of prototypes / RMSE of shares:\n")
	for _, rows := range tables {
		fmt.Fprintln(w)
		markdown(w, 1, rows)
	}
}
