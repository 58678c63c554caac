//go:build wasip1 || wasm_unknown

package main

import "unsafe"

// address is where in the module's memory s begins, 0 for a slice of no length.
// Nothing else here is unsafe: hosts read and write through their own view of the
// memory, the module through the slice. No collector moves or frees what table,
// model and text hold.
func address[T byte | float64](s []T) uint32 {
	if len(s) == 0 {
		return 0
	}
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
}
