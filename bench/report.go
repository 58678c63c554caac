package main

// The tables, in Markdown.

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// result is a row of the tables: all figures of one problem.
type result struct {
	kind    string
	at      shape
	figures []*figure
	others  float64 // the share of the processors that other programs took; NaN: not measured
}

// duration writes a time with three digits.
func duration(t time.Duration) string {
	v, unit := t.Seconds(), "s"
	switch {
	case v < 999.5e-9:
		v, unit = v*1e9, "ns"
	case v < 999.5e-6:
		v, unit = v*1e6, "µs"
	case v < 999.5e-3:
		v, unit = v*1e3, "ms"
	}
	return digits(v) + " " + unit
}

// digits writes v with three digits, without an exponent.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 99.95 || a == 0:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// share writes a ratio to the total, with one digit if it is rounding.
func share(v float64) string {
	if math.Abs(v) <= limit {
		return strconv.FormatFloat(v, 'e', 0, 64)
	}
	return strconv.FormatFloat(v, 'e', 1, 64)
}

// markdown writes a table, its columns aligned also as plain text. All columns
// but the first `left` are numbers.
func markdown(w io.Writer, left int, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for j, cell := range row {
			width[j] = max(width[j], utf8.RuneCountInString(cell), 3)
		}
	}
	line := func(row []string) {
		var b strings.Builder
		for j, cell := range row {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(cell))
			if j < left {
				b.WriteString("| " + cell + pad + " ")
			} else {
				b.WriteString("| " + pad + cell + " ")
			}
		}
		fmt.Fprintln(w, b.String()+"|")
	}
	line(rows[0])
	rule := make([]string, len(width))
	for j, n := range width {
		rule[j] = strings.Repeat("-", n)
		if j >= left {
			rule[j] = rule[j][1:] + ":"
		}
	}
	line(rule)
	for _, row := range rows[1:] {
		line(row)
	}
}

// writeTimes writes to w a table of times, a table of objectives and a list of the skipped runs. All results
// must contain the same peers in the same order, this package first.
func writeTimes(w io.Writer, results []result, workers int) {
	times := [][]string{{"data", "n×d, k"}}
	excess := [][]string{{"data", "n×d, k"}}
	for _, f := range results[0].figures {
		switch name := f.peer.name; name {
		case ownName:
			times[0] = append(times[0], name)
		case "1 worker":
			times[0] = append(times[0], name, fmt.Sprintf("speed-up of %d", workers))
		default:
			times[0] = append(times[0], name, "ratio")
		}
		excess[0] = append(excess[0], f.peer.name)
	}
	times[0] = append(times[0], "others' load")
	excess[0] = append(excess[0], "solvers chosen")
	var skipped []string
	worst, where := 1.0, ""
	for _, r := range results {
		timed, reached, chosen := []string{r.kind, r.at.String()}, []string{r.kind, r.at.String()}, []string(nil)
		for i, f := range r.figures {
			name := f.peer.name
			if f.skipped != "" {
				timed, reached = append(timed, "–", "–"), append(reached, "–")
				skipped = append(skipped, fmt.Sprintf("- %s, %s, %v skipped: %s.", name, r.kind, r.at, f.skipped))
				continue
			}
			timed = append(timed, duration(f.best()))
			if i > 0 {
				timed = append(timed, digits(f.best().Seconds()/r.figures[0].best().Seconds()))
			}
			reached = append(reached, share(f.excess))
			if f.how != "" && name != "1 worker" {
				chosen = append(chosen, f.how)
			}
			if f.spread() > worst {
				worst, where = f.spread(), fmt.Sprintf(" (%s, %s, %v)", name, r.kind, r.at)
			}
		}
		load := "–"
		if !math.IsNaN(r.others) {
			load = fmt.Sprintf("%.0f %%", 100*r.others)
		}
		times = append(times, append(timed, load))
		excess = append(excess, append(reached, strings.Join(chosen, "; ")))
	}
	fmt.Fprintf(w, "Time of a call, the best of up to %d turns, and its ratio to softkmeans' (above 1: slower than softkmeans):\n\n", rounds)
	markdown(w, 2, times)
	fmt.Fprintf(w, "\nThe median turn is at most %s times the best%s.\n", digits(worst), where)
	fmt.Fprint(w, "\nExcess of the objective reached over the floor, as a share of the total; only rounding, either way, where the solution is exact:\n\n")
	markdown(w, 2, excess)
	if skipped != nil {
		fmt.Fprintf(w, "\n%s\n", strings.Join(skipped, "\n"))
	}
}

// writeHead writes the machine, the versions and the command.
func writeHead(w io.Writer, args []string, workers int, peers string) {
	fmt.Fprintf(w, "`%s`\n\n", command(args))
	build := "plain build"
	if strings.Contains(runtime.Version(), "simd") {
		build = "vector build"
	}
	threads := "1 thread"
	if workers > 1 {
		threads = fmt.Sprintf("%d threads", workers)
	}
	fmt.Fprintf(w, "%s, %d cores, %s/%s, %s (%s), gonum %s, %s.\n", cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), build, gonumVersion(), threads)
	fmt.Fprintf(w, "%s.\n\n", peers)
}

// command is the command line that repeats the measurement.
func command(args []string) string {
	var words []string
	for _, name := range []string{"GOTOOLCHAIN", "GOEXPERIMENT", "GOAMD64", "GOARM64", "GODEBUG", "GOGC", "GOMAXPROCS"} {
		if v := os.Getenv(name); v != "" {
			words = append(words, name+"="+quoted(v))
		}
	}
	words = append(words, "go run .")
	for _, a := range args {
		words = append(words, quoted(a))
	}
	return strings.Join(words, " ")
}

// quoted is s for a shell.
func quoted(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// cpuModel is the name of the processor, if the system has it.
func cpuModel() string {
	switch runtime.GOOS {
	case "linux":
		info, _ := os.ReadFile("/proc/cpuinfo")
		for _, line := range strings.Split(string(info), "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	case "darwin":
		if out, err := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output(); err == nil {
			return strings.TrimSpace(string(out))
		}
	case "windows":
		if v := os.Getenv("PROCESSOR_IDENTIFIER"); v != "" {
			return v
		}
	}
	return "unknown CPU"
}
