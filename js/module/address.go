//go:build wasip1 || wasm_unknown

package main

import "unsafe"

// address is the address of s in the module's memory, 0 if s is empty. Nothing else in
// the program is unsafe: hosts read and write through their own view of the memory, the
// module through the slice. No collector moves or frees table, model and text.
func address[T byte | float64](s []T) uint32 {
	if len(s) == 0 {
		return 0
	}
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
}
