//go:build wasip1 || wasm_unknown

// Command tinygo is the package as a WebAssembly module for any host. Tables and results
// are arrays of float64 in the module's memory. README.md describes the exports. With
// -tags nominvol the module has Fit alone.
package main

import (
	"context"

	"softkmeans"
)

func main() {}

// most is the largest number of entries of a matrix. To run out of memory is a trap in
// WebAssembly, not an error, so larger sizes are refused before.
const most = 1 << 25

// The module holds one table and one result.
var (
	table []float64
	model = &softkmeans.Model{}
	text  []byte // of the error
)

// data returns the address of n float64 for the table. It is valid until the next call
// with a larger n. It is 0 if n is negative or above 2^25.
//
//go:wasmexport data
func data(n int32) uint32 {
	if n < 0 || n > most {
		return 0
	}
	if int(n) > cap(table) {
		table = make([]float64, n)
	}
	table = table[:n]
	return address(table[:cap(table)])
}

// fit is softkmeans.Fit of the first rows·cols numbers of data.
//
//go:wasmexport fit
func fit(rows, cols, k int32) int32 {
	if code := check(rows, cols, k); code != 0 {
		return code
	}
	// One solver and no weights: TinyGo leaves out the code of the others.
	return done(softkmeans.Fit(context.Background(), matrix(rows, cols), int(k), &softkmeans.Options{Solver: softkmeans.SolverGram}))
}

func matrix(rows, cols int32) *softkmeans.Matrix {
	return &softkmeans.Matrix{Rows: int(rows), Cols: int(cols), Stride: int(cols), Data: table}
}

// check refuses sizes that need too much memory. The package checks everything else.
func check(rows, cols, k int32) int32 {
	tall, wide, prototypes := int64(rows), int64(cols), int64(k)
	small := min(tall, wide)
	if tall*prototypes > most || wide*prototypes > most || small*small > most {
		return failed(codeRefused, "this is too large for the module")
	}
	return 0
}

// The results of fit and min_volume; 0: there is a result.
const (
	codeRefused = 1 // sizes, k or an option
	codeEntry   = 2 // an entry is not finite, or out of range
)

// done stores the result. It does not use errors.Is, which compares interfaces: TinyGo
// needs 8 kB of reflection for that.
func done(m *softkmeans.Model, err error) int32 {
	if err == nil {
		model, text = m, nil
		return 0
	}
	if _, ok := err.(*softkmeans.InputError); ok {
		return failed(codeEntry, err.Error())
	}
	return failed(codeRefused, err.Error())
}

func failed(code int32, message string) int32 {
	model, text = &softkmeans.Model{}, []byte(message)
	return code
}

//go:wasmexport error_text
func errorText() uint32 { return address(text) }

//go:wasmexport error_length
func errorLength() int32 { return int32(len(text)) }

//go:wasmexport centers
func centers() uint32 { return entries(model.Centers) }

//go:wasmexport memberships
func memberships() uint32 { return entries(model.Memberships) }

// entries is the address of a result's numbers, row after row; 0 if there is no result.
func entries(m *softkmeans.Matrix) uint32 {
	if m == nil {
		return 0
	}
	return address(m.Data)
}

//go:wasmexport objective
func objective() float64 { return model.Objective }

//go:wasmexport floor
func floor() float64 { return model.Floor }

//go:wasmexport floor_error
func floorError() float64 { return model.FloorError }

//go:wasmexport total
func total() float64 { return model.Total }

//go:wasmexport gap
func gap() float64 { return model.Gap }
