package softkmeans

import "testing"

// TestFingerprint: all that extents depend on makes another fingerprint, and nothing else.
func TestFingerprint(t *testing.T) {
	x := randomData(9, 3, 1, 1)
	of := func() *Subspace {
		return mustDo(statsOf(t, x, nil).Subspace(3, &Options{Orientation: RandomOrientation(3, 1)}))(t)
	}
	seen := map[uint32]string{of().fingerprint: "as it is"}
	if p := of(); p.fingerprint != fingerprintOf(p) {
		t.Error("not always the same")
	}
	for what, change := range map[string]func(p *Subspace){
		"k": func(p *Subspace) { p.k++ }, "rows": func(p *Subspace) { p.rows++ }, "columns": func(p *Subspace) { p.cols++ }, "exp": func(p *Subspace) { p.exp++ },
		"many rows": func(p *Subspace) { p.rows += 1 << 30 }, "exp below 0": func(p *Subspace) { p.exp = -p.exp - 7 },
		"wexp": func(p *Subspace) { p.wexp++ }, "enclosure": func(p *Subspace) { p.enclosure = EnclosureTight },
		"mean": func(p *Subspace) { p.mean[2] = -p.mean[2] }, "mean's rest": func(p *Subspace) { p.meanRest[2] += 0x1p-80 },
		"basis": func(p *Subspace) { p.pc.basis.Data[5] *= 1 + 0x1p-50 }, "orientation": func(p *Subspace) { p.orientation.Data[3] *= 1 + 0x1p-50 }, "no orientation": func(p *Subspace) { p.orientation = nil },
	} {
		p := of()
		change(p)
		sum := fingerprintOf(p)
		if other := seen[sum]; other != "" {
			t.Errorf("%s: the fingerprint of %s", what, other)
		}
		seen[sum] = what
	}
	p := of()
	p.pc.total, p.pc.floor, p.pc.steps = 1, 2, 3
	if fingerprintOf(p) != p.fingerprint {
		t.Error("totals change it")
	}
}
