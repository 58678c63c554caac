package softkmeans

// The cone of SumAtMostOne for data that is read block by block.

// coneRounds is how often a half-space is searched for and then measured.
const coneRounds = 3

// axisSearch is a search for the half-space of all rows, and of those that are not light:
// one for every share of findAxis, since a pass cannot tell which will succeed.
type axisSearch struct {
	p      *Subspace
	levels []halfSpace
	shares []float64
}

func newAxisSearch(p *Subspace) *axisSearch {
	a := &axisSearch{p: p}
	for share := leastLight; share < 1; share *= nextLight {
		a.shares = append(a.shares, share)
	}
	a.levels = make([]halfSpace, len(a.shares))
	return a
}

// add adds the rows of a block.
func (a *axisSearch) add(s *samples) error {
	w := NewMatrix(s.n, a.p.pc.basis.Rows, nil)
	if _, err := projectRows(s, w, a.p.pc.basis, NewMatrix(0, w.Cols, nil), EnclosureBall); err != nil {
		return err
	}
	for l := range a.levels {
		light := a.shares[l] * a.p.pc.total / float64(a.p.rows)
		_, err := a.levels[l].search(directions{s.ctx, s.workers, w, func(i int, squares float64) bool {
			return s.weight(i)*squares <= light
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// subspace returns the subspace with the axis found, or as it was.
func (a *axisSearch) subspace() *Subspace {
	for l := range a.levels {
		h := &a.levels[l]
		if h.axis == nil || h.none() {
			continue
		}
		p := *a.p
		p.pc.basis = a.p.pc.basis.Clone()
		turnTo(p.pc.basis, h.axis)
		p.limit = max(h.norm/4, leastMargin) // rows of earlier blocks may be lower than h.norm
		p.fingerprint = fingerprintOf(&p)
		return &p
	}
	return a.p
}

// fitCone makes the passes that follow those for the subspace: one for the half-space and
// one for the extent, again where rows turn out to be outside.
func (q *sequence) fitCone(start *Subspace) (*Model, error) {
	search := newAxisSearch(start)
	var p *Subspace
	var m *Model
	var e *Extent
	for range coneRounds {
		err := q.again(start, func(_ rowBlock, s *samples) error { return search.add(s) })
		if err != nil {
			return nil, err
		}
		p = search.subspace()
		if m, e, err = q.reach(p); err != nil {
			return nil, err
		}
		if m.Status != StatusNoHalfSpace || p == start {
			break
		}
	}
	from, fill := p, p.coneMemberships(e, m.Centers)
	if m.Status == StatusNoHalfSpace {
		p1, e1, m1, err := q.sumToOne(p.k)
		if err != nil {
			return nil, err
		}
		if m1.Objective < m.Objective {
			m.Centers, from, fill = m1.Centers, p1, p1.simplexMemberships(e1, m1.Centers)
			m.rate(p1.frame(q.ctx, 1), p1.upper(e1, p1.enclose(e1)), &p.pc)
		}
		if m.Gap <= exactGap {
			m.Status = p.pc.status
		}
	}
	if q.o.Seq.Memberships == nil {
		return m, nil
	}
	return q.memberships(from, &p.pc, m, fill)
}

// coneMemberships is simplexMemberships for a cone.
func (p *Subspace) coneMemberships(e *Extent, centers *Matrix) func(s *samples, g *Matrix) error {
	c, around := p.cone(), p.enclose(e)
	return func(s *samples, g *Matrix) error {
		if _, err := projectRows(s, g, c.basis, NewMatrix(0, c.basis.Rows, nil), EnclosureBall); err != nil {
			return err
		}
		rest, err := c.fill(s, g, filling{around, e.height, !e.complete(&p.pc)})
		if err != nil {
			return err
		}
		return solveRows(s, centers, g, SumAtMostOne, rest)
	}
}

// sumToOne makes the passes of SumToOne, for data without a half-space.
func (q *sequence) sumToOne(k int) (*Subspace, *Extent, *Model, error) {
	o := *q.o
	o.Sum = SumToOne
	one := *q
	one.o = &o
	p, err := one.subspace(k)
	if err != nil {
		return nil, nil, nil, err
	}
	m, e, err := one.reach(p)
	q.pass = one.pass
	return p, e, m, err
}
