package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Three digits are left of a time, its unit the largest with one before the point.
func TestDuration(t *testing.T) {
	for v, want := range map[time.Duration]string{
		0: "0 ns", 7: "7.00 ns", 999: "999 ns", 1000: "1.00 µs", 12345: "12.3 µs", 999499: "999 µs", 999500: "1.00 ms",
		99949 * time.Microsecond: "99.9 ms", 99950 * time.Microsecond: "100 ms", 10 * time.Minute: "600 s",
	} {
		if got := duration(v); got != want {
			t.Errorf("%d ns: %q, not %q", v, got, want)
		}
	}
}

func TestParseShapes(t *testing.T) {
	got, err := parseShapes("150x4x3,10x20x5")
	if want := []shape{{150, 4, 3}, {10, 20, 5}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := parseShapes(defaultShapes); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "3", "3x4", "3x4x5x6", "3x-4x2", "3x4x2.5", "3xfx2", "150x4x3,", "10x20x1", "10x4x6", "4x10x5", "99999999999999999999x2x2"} {
		if got, err := parseShapes(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func TestParse(t *testing.T) {
	var got []string
	for _, args := range []string{
		"-shapes 150x4x3 -data noise -time 10ms -workers 3", "-scenes one -only a,b two -python none", "-scenes one -seeds 3-14", "-scenes",
		"-mixtures", "-mixtures -flags -slack=0.1 one",
	} {
		o, err := parse(strings.Fields(args), io.Discard)
		if err != nil {
			t.Fatal(args, err)
		}
		if o.seeds == nil {
			o.seeds = &[2]uint64{}
		}
		got = append(got, fmt.Sprint(len(o.shapes), o.kinds, o.time, o.scenes, *o.seeds, o.folders, o.only, o.python))
	}
	want := []string{
		"1 [noise] 10ms false [0 0] [] []", "6 [decaying noise] 2s true [0 0] [one two] [a b]none",
		"6 [decaying noise] 2s true [3 14] [one] []", "6 [decaying noise] 2s true [0 11] [] []",
		"6 [decaying noise] 2s false [0 11] [] []", "6 [decaying noise] 2s false [0 0] [one] []",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	for _, bad := range [][]string{
		{"-scenes", "-seeds", "4-3"},
		{"-scenes", "-seeds", "3"},
		{"-seeds", "0-3"},
		{"-without", "SPA"},
		{"-mixtures", "-without", "SPA"},
		{"-flags", "-slack=0.1"},
		{"-scenes", "-mixtures"},
		{"-shapes", "150x4"},
		{"-data", "nois"},
		{"-data", ""},
		{"-time", "0s"},
		{"-time", "5"},
		{"-cap", "-1s"},
		{"-workers", "0"},
		{"-such"},
		{"150x4x3"},
		{"-labels"},
		{"-minvol", "folder"},
		{"-scenes", "-minvol"},
	} {
		if _, err := parse(bad, io.Discard); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	var help bytes.Buffer
	if _, err := parse([]string{"-help"}, &help); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
	if !strings.HasPrefix(help.String(), usage) || !strings.Contains(help.String(), "\n  -without word\n") {
		t.Errorf("the help is\n%s", &help)
	}
}

func TestWriteTimes(t *testing.T) {
	ms := func(v ...float64) (out []time.Duration) {
		for _, v := range v {
			out = append(out, time.Duration(v*1e6))
		}
		return out
	}
	own, one, gonum, pca := peer{name: ownName}, peer{name: "1 worker"}, peer{name: "gonum Gram"}, peer{name: "PCA"}
	results := []result{
		{"noise", shape{150, 4, 3}, []*figure{
			{peer: own, how: "gram", times: ms(2, 1, 3)},
			{peer: one, how: "gram", times: ms(1.5)},
			{peer: gonum, excess: -1e-16, times: ms(2.5)},
			{peer: pca, how: "full", times: ms(12.34)},
		}, 0.123},
		{"noise", shape{10, 20, 5}, []*figure{
			{peer: own, how: "krylov", times: ms(4)},
			{peer: one, how: "krylov", times: ms(4)},
			{peer: gonum, skipped: "a call would take about 83.2 s"},
			{peer: pca, how: "full", excess: 0.0123, times: ms(1)},
		}, math.NaN()},
	}
	var b bytes.Buffer
	writeTimes(&b, results, 2)
	for _, want := range []string{
		"| data  | n×d, k   | softkmeans | 1 worker | speed-up of 2 | gonum Gram | ratio |     PCA | ratio | others' load |",
		"| noise | 150×4, 3 |    1.00 ms |  1.50 ms |          1.50 |    2.50 ms |  2.50 | 12.3 ms |  12.3 |         12 % |",
		"| noise | 10×20, 5 |    4.00 ms |  4.00 ms |          1.00 |          – |     – | 1.00 ms |  0.25 |            – |",
		"at most 2.00 times the best (softkmeans, noise, 150×4, 3)",
		"| noise | 150×4, 3 |      0e+00 |    0e+00 |     -1e-16 |   0e+00 |     gram; full |",
		"| noise | 10×20, 5 |      0e+00 |    0e+00 |          – | 1.2e-02 |   krylov; full |",
		"- gonum Gram, noise, 10×20, 5 skipped: a call would take about 83.2 s.",
	} {
		if !strings.Contains(b.String(), want+"\n") && !strings.Contains(b.String(), want+".\n") {
			t.Errorf("no line\n%s\nin\n%s", want, &b)
		}
	}
}

// The program without Python, on small data, and its errors.
func TestRun(t *testing.T) {
	var out, progress bytes.Buffer
	t.Setenv("GOEXPERIMENT", "it's")
	args := []string{"-shapes", "150x4x3,10x20x5", "-data", "noise", "-time", "2ms", "-workers", "2", "-python", "none"}
	if err := run(context.Background(), args, &out, &progress); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`GOEXPERIMENT='it'\''s' go run . -shapes 150x4x3,10x20x5 -data noise`, runtime.Version(), runtime.GOARCH, "gonum v", "| 10×20, 5 |", "speed-up of 2", "Python was left out"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if progress.Len() == 0 {
		t.Error("no progress")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ended, args, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := run(context.Background(), []string{"-python", "/no/such/python3"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "/no/such/python3") {
		t.Errorf("no Python: %v", err)
	}
}

func TestOthers(t *testing.T) {
	from := processorTime{100, 50, 20}
	if got := others(from, processorTime{300, 90, 120}); got != 0.3 {
		t.Errorf("%g, not 0.3", got)
	}
	if got := others(from, processorTime{300, 90, 320}); got != 0 {
		t.Errorf("more than all is own: %g", got)
	}
	if p := readProcessorTime(); !(p.all > p.idle && p.own >= 0) && !math.IsNaN(p.all) {
		t.Errorf("%+v", p)
	}
	if p := readProcessorTime(-1); !math.IsNaN(others(from, p)) {
		t.Errorf("there is no process -1: %+v", p)
	}
}

// A slow peer is skipped with its reason; the others are not.
func TestSkip(t *testing.T) {
	o := &options{time: time.Millisecond, cap: time.Nanosecond, workers: 2}
	at := shape{800, 32, 3}
	defer func(v float64) { estimateAbove = v }(estimateAbove)
	estimateAbove = 0
	figures, err := measure(context.Background(), problem{at, peerData, func(string, ...any) {}}, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		gonum := strings.HasPrefix(f.peer.name, "gonum")
		if (f.skipped != "") != gonum || gonum != (f.times == nil) {
			t.Errorf("%s: %q, %v", f.peer.name, f.skipped, f.times)
		}
		if f.peer.name == ownName && !(math.Abs(f.excess) <= limit) {
			t.Errorf("%s: an excess of %g", f.peer.name, f.excess)
		}
	}
}

// An interpreter without NumPy is skipped if it was found, and is an error if it was
// requested.
func TestFindPython(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bare := write("a/python3", "echo Traceback >&2; echo \"ModuleNotFoundError: No module named 'numpy'\" >&2; exit 1")
	full := write("b/python3", "exit 0")
	defer func(path string) { systemPython = path }(systemPython)
	systemPython = filepath.Join(dir, "no/python3")
	list := string(os.PathListSeparator)
	for _, c := range []struct{ path, asked, want, err string }{
		{dir + "/a", "", "", errNoNumPy.Error()},
		{dir, "", "", errNoNumPy.Error()},
		{dir + "/a" + list + dir + "/b", "", full, ""},
		{dir + "/b", bare, "", "-python " + bare + ": import numpy: ModuleNotFoundError: No module named 'numpy'"},
	} {
		t.Setenv("PATH", c.path)
		got, err := findPython(context.Background(), c.asked)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("PATH %s, -python %q: %q, %v", c.path, c.asked, got, err)
		}
	}
	t.Setenv("PATH", dir+"/a")
	var out bytes.Buffer
	if err := run(context.Background(), []string{"-shapes", "20x4x3", "-data", "noise", "-time", "1ms"}, &out, io.Discard); err != nil || !strings.Contains(out.String(), "no NumPy found, skipped") {
		t.Errorf("without NumPy: %v\n%s", err, &out)
	}
	broken := write("c/python3", "if [ \"$1\" = -c ]; then exit 0; fi; echo it breaks >&2; exit 3")
	if err := run(context.Background(), []string{"-python", broken}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "it breaks") {
		t.Errorf("a Python that breaks: %v", err)
	}
}
