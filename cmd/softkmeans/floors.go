package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/answer"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

type floorsFlags struct {
	inputFlags
	printFlags
	similarFlags
	most   int
	out    string // "": none; "-": standard output
	stream streaming
}

func newFloorsFlagSet(f *floorsFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("floors", flag.ContinueOnError)
	f.inputFlags.add(fs)
	f.similarFlags.add(fs)
	f.most = 20
	wholeFlag(fs, &f.most, "most", 1)
	fs.StringVar(&f.out, "o", "", "")
	f.printFlags.add(fs)
	streamFlag(fs, &f.stream)
	return fs
}

func parseFloors(args []string) (f floorsFlags, err error) {
	fs := newFloorsFlagSet(&f)
	if err := f.parse(fs, args); err != nil {
		return f, err
	}
	if err := f.similarFlags.check(fs, &f.inputFlags, "stream"); err != nil {
		return f, err
	}
	return f, f.checkStream(f.stream)
}

func (f *floorsFlags) run(s *session) error {
	list, err := s.add("o", f.out)
	if err != nil {
		return err
	}

	find := f.ofTable
	if f.similarFlags.given {
		find = f.ofSimilarities
	} else if f.stream == streamYes || f.stream == streamAuto && f.inBlocks() && f.large(s.in) {
		find = f.ofStream
	}
	r, err := find(s)
	if err != nil {
		return err
	}
	if list != nil {
		if err := r.writeList(list); err != nil {
			return err
		}
	}
	return s.tell(r.answer(), &f.printFlags)
}

type scree struct {
	table.Head
	rows     int
	scale    *scale.Scaling
	most     int               // the largest k that the text shows, beside the proposed one
	floors   []float64         // of k = 1, 2, …
	proposal *choosek.Proposal // by the floors of rows; nil: of similarities
	choice   *choosek.Choice   // by the data; nil: not

	fit   *fitFlags // of similarities
	gamma float64
	total float64 // of which floors are shares
}

// propose sets the proposal by the floors. Without the floors of all k it has no k.
func (r *scree) propose(all bool) error {
	p, err := choosek.Propose(r.floors)
	if r.proposal = &p; !all {
		p.K, p.Elbow, p.Profile, p.Stick = 0, 0, 0, nil
		p.Reason = fmt.Sprintf("the floors beyond k = %d are not computed, and a proposal needs all",
			len(r.floors))
	}
	return err
}

// k is the number to mark, 0 if there is none, and why.
func (r *scree) k() (k int, why string) {
	if r.choice != nil {
		return r.choice.K, r.choice.Reason
	}
	return r.proposal.K, r.proposal.Reason
}

func (f *floorsFlags) ofTable(s *session) (*scree, error) {
	d, err := f.readAs(s, always(true))
	if err != nil {
		return nil, err
	}
	if d.sparse != nil {
		return f.ofSparse(s.ctx, d.sparse)
	}
	d.noteKind(&fitFlags{})
	r, err := f.ofRows(s.ctx, d)
	if err != nil {
		return nil, err
	}
	k, _ := r.k()
	if open, err := d.open(s.ctx, &f.inputFlags, k, true); err != nil || !open {
		return r, err
	}
	return f.ofRows(s.ctx, d)
}

// ofRows computes the floors of rows in memory, and what they propose.
func (f *floorsFlags) ofRows(ctx context.Context, d *data) (r *scree, err error) {
	r = &scree{Head: d.Head, rows: d.Rows, scale: d.scale, most: f.most}
	r.floors, err = softkmeans.Floors(ctx, d.x, &softkmeans.Options{Weights: d.Weights, Workers: f.workers})
	if err != nil {
		return nil, err
	}
	if err := r.propose(true); err != nil {
		return nil, err
	}
	o := &choosek.Options{Workers: f.workers}
	x, _ := d.rowsForK(o)
	return r, r.choose(ctx, x, d.sizes, o)
}

// choose sets the choice of k by rows, unless they are too few. sums are those by which rows were divided; nil:
// they were not.
func (r *scree) choose(
	ctx context.Context, x *softkmeans.Matrix, sums []float64, o *choosek.Options,
) (err error) {
	r.choice, err = kinds.Choose(ctx, x, sums, r.scale, o)
	return err
}

// ofStream computes the floors of a file block by block.
func (f *floorsFlags) ofStream(s *session) (*scree, error) {
	b, err := f.openStream(s)
	if err != nil {
		return nil, err
	}
	defer b.progress.clear()
	b.collect = &scale.Collector{Kind: scale.ZScore}
	if b.progress.passes = 1; f.scale != scale.None {
		b.progress.passes = 2
	}
	if err := b.setScale(f.scale); err != nil {
		return nil, err
	}
	drawn := newRowDraw(0, drawnRows)
	stats, err := b.stats(drawn)
	if err != nil {
		return nil, err
	}
	floors, err := stats.Floors()
	if err != nil {
		return nil, err
	}
	r := &scree{Head: b.head(false, false), rows: b.rows, scale: b.scale, most: f.most, floors: floors}
	if err := r.propose(true); err != nil {
		return nil, err
	}
	return r, r.choose(s.ctx, drawn.table(), nil, &choosek.Options{Workers: f.workers})
}

// ofSimilarities computes the floors of similarities up to -most, and up to the number that is chosen.
func (f *floorsFlags) ofSimilarities(s *session) (*scree, error) {
	fit := f.similarFlags.fitFlags(&f.inputFlags, 0)
	d, err := fit.read(s)
	if err != nil {
		return nil, err
	}
	d.noteKind(fit)
	of := &result{}
	similar, err := fit.openSimilar(d, of)
	if err != nil {
		return nil, err
	}
	r := &scree{Head: d.Head, rows: d.Rows, scale: d.scale, fit: fit, gamma: of.gamma}
	c, err := similar.choice(s.ctx)
	if err != nil {
		return nil, err
	}
	r.choice = &c
	r.most = max(f.most, c.K)
	r.total, r.floors, err = similar.floors(s.ctx, r.most)
	return r, err
}

// lines have a stick for floors of rows alone.
func (r *scree) lines() []answer.Floor {
	at := func(values []float64, i int) *float64 {
		if i < 0 || i >= len(values) {
			return nil
		}
		return &values[i]
	}
	lines := make([]answer.Floor, len(r.floors))
	for i, floor := range r.floors {
		l := &lines[i]
		l.K, l.Floor = i+1, floor
		if p := r.proposal; p != nil {
			l.Explained, l.Step, l.Stick = at(p.Explained, i), at(p.Step, i-1), at(p.Stick, i-1)
		} else if r.total > 0 && r.total < math.MaxFloat64 {
			explained := max(0, 1-floor/r.total)
			if l.Explained = &explained; i > 0 {
				step := (r.floors[i-1] - floor) / r.total
				l.Step = &step
			}
		}
	}
	return lines
}

// writeList writes the lines as CSV. Every number has the digits that it takes to read the same float64 back.
func (r *scree) writeList(w io.Writer) error {
	b := bufio.NewWriter(w) // b keeps the first error for Flush
	b.WriteString("k,floor,explained,step")
	if r.fit == nil {
		b.WriteString(",stick")
	}
	for _, l := range r.lines() {
		fields := []*float64{&l.Floor, l.Explained, l.Step}
		if r.fit == nil {
			fields = append(fields, l.Stick)
		}
		text := strconv.AppendInt([]byte{'\n'}, int64(l.K), 10)
		for _, v := range fields {
			if text = append(text, ','); v != nil {
				text = strconv.AppendFloat(text, *v, 'g', -1, 64)
			}
		}
		b.Write(text)
	}
	b.WriteByte('\n')
	return b.Flush()
}

// answer says what the floors are, and which k they and the rows speak for.
func (r *scree) answer() *answer.Answer {
	a := answer.New(&r.Head, r.rows, scale.KindOf(r.scale))
	a.Floors, a.Most, a.Choice = r.lines(), r.most, answer.NewChoice(r.choice, r.proposal)
	if c := r.choice; c != nil && (r.fit == nil || c.Agreement != nil) {
		a.Evidence = &answer.Evidence{Edge: c.Edge, HeldOut: c.HeldOut, Stable: c.Stable, Clusters: c.Clusters,
			Rows: c.Rows, Drawn: c.Drawn, Permuted: c.Permuted, Step: c.Step, Bound: c.Bound, Error: c.Error, Deviation: c.ErrorDeviation,
			Agreement: c.Agreement, Chance: c.Chance, Silhouette: c.Silhouette}
	}
	if r.fit != nil {
		a.Method, a.Kernel, a.Gamma, a.Total = r.fit.method.String(), r.fit.kernel.String(), r.gamma, r.total
		a.About += "; similarities: " + strings.TrimSuffix(kernelWords(r.fit.kernel, r.gamma), ".")
		a.Where = r.proof()
		return a
	}
	a.Where = "Floors: no k prototypes can have a smaller squared error, to within rounding (proved). explained and " +
		"the bars: how much of the variance k prototypes can explain. step: what prototype k adds. by chance: the " +
		"step if the variance were split at random."
	p := r.proposal
	a.Choice.Elbow, a.Choice.Profile = answer.AtLeastOne(p.Elbow), answer.AtLeastOne(p.Profile)
	if r.choice == nil && p.Elbow > 0 {
		a.Choice.Criteria = append(a.Choice.Criteria,
			fmt.Sprintf("Second opinion: the curve of explained has its elbow at k = %d.", p.Elbow))
	}
	if r.choice == nil && p.Profile > 0 {
		a.Choice.Criteria = append(a.Choice.Criteria, fmt.Sprintf("Third opinion: the large steps end at k = %d.", p.Profile))
	}
	return a
}

func (r *scree) proof() string {
	reach := "-method tilsd reaches them. "
	if r.fit.method == methodLSD {
		reach = "They hold for all positive semidefinite matrices of rank k: -method lsd may not reach them. "
	}
	return "Floors: no memberships in k clusters can have a smaller squared error, to within rounding (proved). " + reach +
		"explained and the bars: how much of the sum of squares k clusters can explain. step: what cluster k adds. A " +
		"small floor says that k directions are enough, not that there are k clusters."
}
