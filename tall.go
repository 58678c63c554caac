package softkmeans

// Many rows: a fit begins on a draw of them.

import (
	"math"
	"math/rand/v2"
)

// A fit of more than manyRows rows begins on a draw of drawnRows, or of drawnPerCenter a
// center. On all rows Tol is tallTol times as large, and the objective ends within a share
// tallClose of the slack: more exact ends took two to four times as many passes over all rows.
const (
	manyRows       = 1 << 14
	drawnRows      = 1 << 12
	drawnPerCenter = 128
	tallTol        = 10
	tallClose      = 0.05
	leastTallSlack = 0.05
)

// isTall reports whether the fit begins on a draw. InitSPA looks for single rows among all. A slack below leastTallSlack is not much above
// what the centers of a draw add to the floor by chance.
func (vf *volumeFit) isTall() bool {
	return vf.z.Rows > max(manyRows, 4*vf.drawSize()) && vf.o.Slack >= leastTallSlack &&
		vf.o.Init == InitKMeans && vf.o.Centers == nil && !vf.plain
}

func (vf *volumeFit) drawSize() int { return max(drawnRows, drawnPerCenter*vf.k) }

// draw returns the fit of rows that are drawn by weight. They have the weight of all rows,
// and what they have outside the principal plane is replaced by the floor of these.
func (vf *volumeFit) draw() *volumeFit {
	rows := drawRows(vf.s, rand.New(rand.NewPCG(vf.o.Seed, drawStream)), vf.drawSize())
	s := *vf.s
	s.x, s.n, s.weights = nil, len(rows), make([]float64, len(rows))
	weight := math.Ldexp(1/vf.perWeight(1)/float64(s.n), s.wexp)
	for i := range s.weights {
		s.weights[i] = weight
	}
	part := *vf
	part.s, part.work, part.z = &s, nil, chosenRows(vf.z, rows)
	inside, _ := part.leading()
	part.residual = vf.pc.floor - squaresBeyond(&s, part.z, inside)
	return &part
}

// drawStream is the stream of random numbers for draw.
const drawStream = 0xd0a7
