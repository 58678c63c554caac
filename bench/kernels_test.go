package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
)

const kernelOutput = `goos: linux
cpu: AMD EPYC
BenchmarkKernel/dot/n=1024,d=1,b=1-2 	 5000000	        99.5 ns/op	        20.58 GF/s
BenchmarkKernel/gram/n=4096,d=32     	    1000	      1000 ns/op	        10.5 GF/s	       0 B/op
BenchmarkKernel/gram/n=4096,d=32,b=1 	    1000	      1000 ns/op	        11.5 GF/s	       0 B/op
BenchmarkKernel/mul/n=4096,d=784,b=4-16	 10	 1000 ns/op	 7 MB/s	 3.25 GF/s
BenchmarkKernel/rotate/n=64-2         	 10	 1000 ns/op
BenchmarkKernelOther/n=64-2         	 10	 1000 ns/op	 7 GF/s
BenchmarkFit/n=150,d=4,k=3-2         	 10	 1000 ns/op
PASS
`

func TestParseKernels(t *testing.T) {
	speeds := kernelSpeeds{{"dot", 1024, 0, 0}: 25}
	cases, err := parseKernels(kernelOutput, speeds)
	if err != nil {
		t.Fatal(err)
	}
	if want := []kernelCase{{"gram", 4096, 32, 0}, {"mul", 4096, 784, 4}}; !reflect.DeepEqual(cases, want) {
		t.Errorf("cases %v, not %v", cases, want)
	}
	if want := (kernelSpeeds{{"dot", 1024, 0, 0}: 25, {"gram", 4096, 32, 0}: 11.5, {"mul", 4096, 784, 4}: 3.25}); !reflect.DeepEqual(speeds, want) {
		t.Errorf("speeds %v, not %v", speeds, want)
	}
	for _, bad := range []string{
		"BenchmarkKernel/dot/n=1024-2 10 7 ns/op fast GF/s",
		"BenchmarkKernel/dot/n=1024-2 10 7 ns/op -1 GF/s",
		"BenchmarkKernel/dot/n=many-2 10 7 ns/op 3 GF/s",
		"BenchmarkKernel/dot/n=0-2 10 7 ns/op 3 GF/s",
		"BenchmarkKernel/gram/n=5-2 10 7 ns/op 3 GF/s",
		"BenchmarkKernel/mulT/n=5,d=3-2 10 7 ns/op 3 GF/s",
		"BenchmarkKernel/dot/m=5-2 10 7 ns/op 3 GF/s",
		"BenchmarkKernel/dot-2 10 7 ns/op 3 GF/s",
		"BenchmarkKernel/dot/n=5/more-2 10 7 ns/op 3 GF/s",
	} {
		if _, err := parseKernels(bad, kernelSpeeds{}); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// Every kernel runs, here and in Python.
func TestKernelPeers(t *testing.T) {
	py := pythonFor(t)
	for c, flops := range map[kernelCase]float64{
		{"dot", 64, 0, 0}: 128, {"axpy", 64, 0, 0}: 128, {"gram", 10, 4, 0}: 200,
		{"mul", 10, 4, 3}: 240, {"mulT", 10, 4, 3}: 240, {"unknown", 5, 1, 1}: 10,
	} {
		known, inPython := c.name != "unknown", c.name != "unknown" && c.name != "axpy"
		if got := c.flops(); got != flops {
			t.Errorf("%v: %g operations", c, got)
		}
		f := gonumKernel(c)
		if (f != nil) != known {
			t.Errorf("%v: gonum knows it: %t", c, f != nil)
		}
		if f != nil && !(secondsPerCall(f, time.Microsecond) > 0) {
			t.Errorf("%v: gonum takes no time", c)
		}
		if py == nil {
			continue
		}
		s, err := py.kernel(c, time.Microsecond)
		if err != nil || (s > 0) != inPython {
			t.Errorf("%v: NumPy takes %g s, %v", c, s, err)
		}
	}
}

func TestWriteKernels(t *testing.T) {
	dot, gram := kernelCase{"dot", 1024, 0, 0}, kernelCase{"gram", 4096, 32, 0}
	var b bytes.Buffer
	writeKernels(&b, &kernelFigures{[]kernelCase{dot, gram}, kernelSpeeds{dot: 20}, kernelSpeeds{dot: 4, gram: 5}, kernelSpeeds{dot: 40}})
	for _, want := range []string{
		"| kernel |    n |   d |   b | softkmeans | gonum | NumPy | / gonum | / NumPy |",
		"| dot    | 1024 |     |     |       20.0 |  4.00 |  40.0 |    5.00 |    0.50 |",
		"| gram   | 4096 |  32 |     |          – |  5.00 |     – |       – |       – |",
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("no line\n%s\nin\n%s", want, &b)
		}
	}
}
