//go:build linux

package softkmeans

import (
	"syscall"
	"testing"
	"unsafe"
)

// atPageEnd returns room for n numbers that ends where memory ends.
func atPageEnd(t *testing.T, n int) []float64 {
	page := syscall.Getpagesize()
	m, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	if err := syscall.Mprotect(m[page:], syscall.PROT_NONE); err != nil {
		t.Skip(err)
	}
	all := unsafe.Slice((*float64)(unsafe.Pointer(&m[0])), page/8)
	return all[len(all)-n:]
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
	}
	for n := range 20 { // a matrix, and its vectors with the room that they need
		a := atPageEnd(t, n*n)
		full := (n + 7) / 8 * 8
		rankTwoMul(a, n, 0, n, atPageEnd(t, full), atPageEnd(t, full), atPageEnd(t, full), atPageEnd(t, n), atPageEnd(t, full))
	}
}
