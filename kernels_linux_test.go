//go:build linux && !tinygo

package softkmeans

import (
	"fmt"
	"runtime"
	"strconv"
	"syscall"
	"testing"
)

// atPageEnd returns n numbers that end where memory ends: the page behind them, which belongs to the same
// slice, is closed until the test is over. Large slices begin at a page. The address comes out of a print, so
// that not even a test needs package unsafe.
func atPageEnd(t *testing.T, n int) []float64 {
	page := syscall.Getpagesize()
	bytes := roundUp(8*n+1, page)
	all := make([]float64, (max(bytes, 32<<10)+page)/8)
	at, err := strconv.ParseUint(fmt.Sprintf("%p", all), 0, 64)
	if err != nil || at%uint64(page) != 0 {
		t.Skip("this slice does not begin at a page: ", err)
	}
	protect := func(how uintptr) syscall.Errno {
		_, _, errno := syscall.Syscall(syscall.SYS_MPROTECT, uintptr(at)+uintptr(bytes), uintptr(page), how)
		return errno
	}
	if errno := protect(syscall.PROT_NONE); errno != 0 {
		t.Skip(errno)
	}
	t.Cleanup(func() {
		if errno := protect(syscall.PROT_READ | syscall.PROT_WRITE); errno != 0 {
			panic(errno)
		}
		runtime.KeepAlive(all)
	})
	return all[bytes/8-n : bytes/8 : bytes/8]
}

// TestKernelsAtPageEnd: kernels read and write nothing behind their slices.
func TestKernelsAtPageEnd(t *testing.T) {
	for n := range 71 {
		x, y := atPageEnd(t, n), atPageEnd(t, n)
		dot(x, y)
		axpy(x, 2, y)
		scale(x, 2)
		rotate(x, y, 0.6, 0.8)
		norm2(x)
		z := atPageEnd(t, n)
		addDifference(x, y, z, 3)
		addDifference(x, y, z, 0)
		shift(x, y, z, 2)
		for count := range 6 { // rows of which the last one ends where memory ends
			addRows(x, atPageEnd(t, count), []int{0, 5, 3, 5, 4}[:count:count], atPageEnd(t, 6*n))
		}
	}
	for n := range 20 { // a matrix, and its vectors with the capacity that they need
		a := atPageEnd(t, n*n)
		full := (n + 7) / 8 * 8
		rankTwoMul(a, n, 0, n, atPageEnd(t, full), atPageEnd(t, full), atPageEnd(t, full), atPageEnd(t, n), atPageEnd(t, full))
	}
}

// TestStripsAtPageEnd: nor do strips, from samples that end there to sums that do.
func TestStripsAtPageEnd(t *testing.T) {
	const b = 4
	for _, n := range []int{1, 2, 3, 5, 8, 15, 16, 17, 23, 24, 25, 49} {
		for _, d := range []int{1, 2, 3, 7, 8, 9, 16, 17, 25, 47, 97} {
			s := &samples{ctx: bg, n: n, d: d, mean: atPageEnd(t, d), x: &Matrix{Rows: n, Cols: d, Stride: d + 1, Data: atPageEnd(t, n*(d+1)-1)}}
			rows, columns := atPageEnd(t, stripSize(n, d)), atPageEnd(t, stripSize(d, n))
			s.packStrips(rows, span{0, n}, span{0, d}, true)
			s.packStripsT(columns, span{0, n}, span{0, d})
			s.pack(atPageEnd(t, n*d), 0, n, true)
			s.packPart(atPageEnd(t, n*d), span{0, n}, span{0, d}, true)
			addMulStrips(atPageEnd(t, n*n), n, rows, n, rows, n, d, true)
			addMulStrips(atPageEnd(t, d*d), d, columns, d, columns, d, n, true)

			v, factor := atPageEnd(t, b*d), atPageEnd(t, stripSize(b, d))
			packStrips(factor, v, b, d, d)
			addMulStrips(atPageEnd(t, b*n), n, factor, b, rows, n, d, false)
		}
	}
}

// TestAddMulNTAtPageEnd: nor do products of vectors where they stand.
func TestAddMulNTAtPageEnd(t *testing.T) {
	for m := 1; m < 6; m++ {
		for n := 1; n < 6; n++ {
			for _, l := range []int{1, 3, 15, 16, 17, 23, 24, 25, 31, 33, 65} {
				a, b := atPageEnd(t, m*l), atPageEnd(t, n*l)
				addMulNT(atPageEnd(t, m*(n+1)-1), n+1, a, m, b, n, l, false)
				addMulNT(atPageEnd(t, m*m), m, a, m, a, m, l, true)
			}
		}
	}
}
