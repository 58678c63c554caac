//go:build (wasip1 || wasm_unknown) && !nominvol

package main

import (
	"context"

	"softkmeans"
)

// minVolume is softkmeans.FitMinVolume of the first rows·cols numbers of data.
// slack and iterations of 0 are the package's defaults.
//
//go:wasmexport min_volume
func minVolume(rows, cols, k int32, slack float64, seed, iterations int32) int32 {
	if code := check(rows, cols, k); code != 0 {
		return code
	}
	if int64(k)*int64(k) > most/8 { // it needs a dozen k×k matrices
		return failed(codeRefused, "k is too large for the module")
	}
	return done(softkmeans.FitMinVolume(context.Background(), matrix(rows, cols), int(k),
		&softkmeans.MinVolumeOptions{Slack: slack, Seed: uint64(uint32(seed)), MaxIter: int(iterations)}))
}

//go:wasmexport trace
func trace() uint32 { return address(model.Trace) }

//go:wasmexport trace_length
func traceLength() int32 { return int32(len(model.Trace)) }

//go:wasmexport iterations
func iterations() int32 { return int32(model.Iterations) }

// status is a softkmeans.Status: 2 if the iteration converged, 3 if it reached its limit.
//
//go:wasmexport status
func status() int32 { return int32(model.Status) }

//go:wasmexport lambda
func lambda() float64 { return model.Lambda }
