//go:build goexperiment.simd && go1.27 && amd64

package softkmeans

import "testing"

// TestEightLanes packs strips for registers of 512 bits, also on a processor without them.
func TestEightLanes(t *testing.T) {
	t.Logf("registers of 512 bits: %v", useWide)
	if !useSIMD {
		t.Skip("no SIMD")
	}
	defer func(now int) { lanes = now }(lanes)
	lanes = 8
	TestStripGaps(t)
	TestPackedColumns(t)
}
