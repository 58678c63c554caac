package softkmeans

import (
	"testing"
)

// Wide data has fewer directions than k > d centers could span.
func TestMinVolumeMoreCentersThanColumns(t *testing.T) {
	for _, shape := range [][3]int{{1, 2, 2}, {1, 2, 3}, {3, 5, 6}, {5, 12, 13}} {
		x := randomData(shape[0], shape[1], 1, 1)
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			for _, start := range []Init{InitKMeans, InitSPA} {
				m, err := FitMinVolume(bg, x, shape[2], &MinVolumeOptions{Sum: sum, Init: start})
				if err != nil {
					t.Fatalf("%v %v %v: %v", shape, sum, start, err)
				}
				if m.Objective > trivialShare*defaultSlack*m.Total*(1+1e-9) && len(m.Warnings) == 0 {
					t.Errorf("%v %v %v: objective %g of %g", shape, sum, start, m.Objective, m.Total)
				}
			}
		}
	}
}
