// Everywhere fits the data sets of testdata/ on every machine that can be run here,
// compares the results, and prints a Markdown table:
//
//	go run ./examples/everywhere                    # all
//	go run ./examples/everywhere -test arm64 wasip1 # these, and the package's tests there
//	go run ./examples/everywhere -list
//
// Go and TinyGo build the programs. qemu (Debian's qemu-user-static), Node and wazero
// (github.com/tetratelabs/wazero/cmd/wazero) run those of other machines. A machine
// whose tools are missing is left out, and the reason is printed. On all others the
// certificate's gap must be at most 1e-12, and the labels must be those of this machine.
//
// The exit code is 1 if they are not, and 77 if none of the named machines can be run
// (go run turns 77 into 1).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is the most time that one program may take. Tests in an emulator are slow.
const patience = 25 * time.Minute

const (
	exitFailure = 1
	exitUsage   = 2
	exitNone    = 77
)

func main() {
	test := flag.Bool("test", false, "run the package's tests there, too, with -short on slow machines")
	run := flag.String("run", "", "of the package's tests only those whose names match the `REGEXP`, all with -short")
	list := flag.Bool("list", false, "list the machines and what is missing here")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Usage: go run ./examples/everywhere [flags] [MACHINE …]\n\n"+
			"Fit the data sets of testdata/ on these machines, or all, and compare the answers.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	wanted, err := named(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "everywhere:", err)
		os.Exit(exitUsage)
	}
	if *list {
		for _, m := range machines {
			fmt.Printf("%-14s %s\n", m.name, strings.TrimSuffix(m.how+": "+m.missing(ctx), ": "))
		}
		return
	}
	code, err := runAll(ctx, wanted, *test, *run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "everywhere:", err)
	}
	os.Exit(code)
}

func named(names []string) ([]machine, error) {
	if len(names) == 0 {
		return machines, nil
	}
	var out []machine
	for _, name := range names {
		i := slices.IndexFunc(machines, func(m machine) bool { return m.name == name })
		if i < 0 {
			return nil, errors.New("there is no machine " + name + "; -list names them, and flags go before")
		}
		out = append(out, machines[i])
	}
	return out, nil
}

// result is the output of a machine's program, and its size.
type result struct {
	answers map[string]string  // "iris Fit": the checksum of the labels
	gaps    map[string]float64 // "iris Fit": the gap of the certificate
	ms      map[string]float64 // "Fit": the time of a call on digits
	size    int64              // bytes of the program without the data
	tests   string
}

// runAll runs the program on the machines and prints the table.
func runAll(ctx context.Context, wanted []machine, test bool, chosen string) (code int, err error) {
	if err := toModule(ctx, "."); err != nil {
		return exitFailure, err
	}
	work, err := os.MkdirTemp("", "everywhere")
	if err != nil {
		return exitFailure, err
	}
	defer os.RemoveAll(work)
	// The reference for the others.
	home, err := machines[0].probe(ctx, work)
	if err != nil {
		return exitFailure, err
	}

	failed, ran := 0, 0
	for _, m := range wanted {
		if why := m.missing(ctx); why != "" {
			fmt.Fprintf(os.Stderr, "%s is left out: %s\n", m.name, why)
			continue
		}
		row, err := m.row(ctx, home, work, test, chosen)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", m.name, err)
			failed++
			continue
		}
		if ran == 0 {
			fmt.Println("| machine | tests | program, kB | `Fit`, ms | of native | `FitMinVolume`, ms | of native | largest gap |")
			fmt.Println("| --- | --- | --: | --: | --: | --: | --: | --: |")
		}
		ran++
		fmt.Println(row)
	}
	switch {
	case failed > 0:
		return exitFailure, fmt.Errorf("machines that failed: %d", failed)
	case ran == 0:
		return exitNone, nil
	}
	return 0, nil
}

// row runs the program, and with test the tests, on a machine and returns its row of
// the table.
func (m machine) row(ctx context.Context, home result, work string, test bool, chosen string) (row string, err error) {
	r := home
	if m.name != machines[0].name {
		if r, err = m.probe(ctx, work); err != nil {
			return "", err
		}
	}
	if test {
		if r.tests, err = m.test(ctx, work, chosen); err != nil {
			return "", err
		}
	}
	worst, err := r.compare(home)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("| %s | %s | %d | %s | %.2g | %s | %.2g | %.1g |", m.how, r.tests, r.size/1000,
		three(r.ms["Fit"]), r.ms["Fit"]/home.ms["Fit"], three(r.ms["FitMinVolume"]), r.ms["FitMinVolume"]/home.ms["FitMinVolume"], worst), nil
}

// toModule changes to the folder of the module that contains the folder from: programs are built and run
// there.
func toModule(ctx context.Context, from string) error {
	file, err := machines[0].tool(ctx, "go", "env", "-C="+from, "GOMOD")
	if err != nil {
		return err
	}
	folder := filepath.Dir(file)
	if _, err := os.Stat(filepath.Join(folder, "examples", "everywhere", "probe")); err != nil {
		return errors.New("run this in the folder of the module softkmeans")
	}
	return os.Chdir(folder)
}

// probe builds the program and runs it.
func (m machine) probe(ctx context.Context, work string) (r result, err error) {
	file := filepath.Join(work, m.name+".out")
	if err := m.build(ctx, file, "./examples/everywhere/probe"); err != nil {
		return r, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return r, err
	}
	said, err := m.run(ctx, file)
	if err == nil {
		r, err = parse(said)
	}
	if err != nil {
		return r, fmt.Errorf("%w\n%s", err, said)
	}
	r.size += info.Size()
	r.tests = "not run"
	return r, nil
}

// test builds the package's tests, runs those whose names match chosen, if that is not
// empty, and counts them.
func (m machine) test(ctx context.Context, work, chosen string) (string, error) {
	flags := []string{"-v"}
	if !m.direct() || m.tiny != "" || chosen != "" {
		flags = append(flags, "-short") // the machine is many times slower
	}
	parts := [][]string{flags}
	if chosen != "" {
		parts[0] = append(flags, "-run="+chosen)
	} else if m.tiny != "" && !m.direct() { // all in one program do not do with 4 GB
		parts = [][]string{append(flags[:2:2], "-run=^Test[A-L]"), append(flags[:2:2], "-skip=^Test[A-L]")}
	}
	file, passed, begin := filepath.Join(work, m.name+".test"), 0, time.Now()
	for i, part := range parts {
		if i == 0 || m.tiny == "wasm" {
			if err := m.build(ctx, file, ".", part...); err != nil {
				return "", err
			}
		}
		n, err := m.part(ctx, file, part)
		if err != nil {
			return "", err
		}
		passed += n
	}
	fmt.Fprintf(os.Stderr, "%s: %d tests passed, %.0f s\n", m.name, passed, time.Since(begin).Seconds())
	return strconv.Itoa(passed) + " pass", nil
}

// part runs a program of tests with these flags and counts what passes.
func (m machine) part(ctx context.Context, file string, flags []string) (passed int, err error) {
	var args []string
	for _, f := range flags {
		if m.tiny != "wasm" {
			args = append(args, "-test."+f[1:])
		}
	}
	said, err := m.run(ctx, file, args...)
	passed = strings.Count("\n"+said, "\n--- PASS: ")
	if err == nil && (strings.Contains("\n"+said, "\n--- FAIL: ") || !strings.Contains("\n"+said, "\nPASS\n") || passed == 0) {
		err = errors.New("the tests fail")
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, failures(said))
	}
	return passed, err
}

// failures returns the parts of a test's output about failures.
func failures(said string) string {
	lines := strings.Split(said, "\n")
	var out []string
	for i, l := range lines {
		if strings.HasPrefix(l, "--- FAIL") || strings.HasPrefix(l, "panic") {
			out = append(out, lines[max(0, i-5):min(len(lines), i+20)]...)
		}
	}
	return strings.Join(append(out, lines[max(0, len(lines)-5):]...), "\n")
}

func (m machine) run(ctx context.Context, file string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd, err := m.command(ctx, file, args...)
	if err != nil {
		return "", err
	}
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// parse reads the output of probe, whose package comment describes the lines.
func parse(said string) (result, error) {
	r := result{answers: map[string]string{}, gaps: map[string]float64{}, ms: map[string]float64{}}
	done := false
	for _, line := range strings.Split(said, "\n") {
		f := strings.Fields(line)
		var err error
		switch {
		case len(f) == 6 && f[2] == "gap":
			r.answers[f[0]+" "+f[1]] = f[5]
			r.gaps[f[0]+" "+f[1]], err = strconv.ParseFloat(f[3], 64)
		case len(f) == 4 && f[0] == "time":
			r.ms[f[2]], err = strconv.ParseFloat(f[3], 64)
		case len(f) == 2 && f[0] == "bytes":
			r.size, err = strconv.ParseInt(f[1], 10, 64)
			r.size = -r.size
		case len(f) == 1 && f[0] == "done":
			done = true
		}
		if err != nil {
			return r, err
		}
	}
	if !done || len(r.answers) == 0 {
		return r, errors.New("the program has not printed all of its results")
	}
	return r, nil
}

// compare compares a machine's results to those of this machine, and returns the
// largest gap of the global method.
func (r result) compare(home result) (worst float64, err error) {
	if len(r.answers) != len(home.answers) {
		return 0, fmt.Errorf("%d results, want %d", len(r.answers), len(home.answers))
	}
	for what, labels := range home.answers {
		if r.answers[what] != labels {
			return 0, fmt.Errorf("%s: labels %s, here they are %s", what, r.answers[what], labels)
		}
		if strings.Contains(what, "FitMinVolume") {
			continue // FitMinVolume ends above the floor
		}
		if gap := r.gaps[what]; !(gap <= 1e-12 && gap >= -1e-12) {
			return 0, fmt.Errorf("%s: the certificate's gap is %g", what, gap)
		}
		worst = max(worst, r.gaps[what], -r.gaps[what])
	}
	return worst, nil
}

// three writes a number with three digits, or as an integer if it has more.
func three(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
