package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/draws"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
	"softkmeans/internal/sources"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/unmix"
)

type predictFlags struct {
	inputFlags
	printFlags
	args           []string
	model, out     string
	page           string
	centers, class string // known prototypes, and a column of their classes
	sum            softkmeans.Sum
	rows           unmix.Scaling
	divisor        sources.Scale // of the columns
	details        bool
	given          map[string]bool // the flags that are there
}

func newPredictFlagSet(f *predictFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("predict", flag.ContinueOnError)
	f.addText(fs)
	f.addTurn(fs)
	f.addRoles(fs)
	f.addMend(fs)
	f.addRun(fs)
	fs.StringVar(&f.model, "model", "", "")
	fs.StringVar(&f.out, "o", "-", "")
	fs.StringVar(&f.centers, "centers", "", "")
	fs.StringVar(&f.class, "class", "", "")
	fs.StringVar(&f.page, "report", "", "")
	sumFlag(fs, &f.sum)
	rowsFlag(fs, &f.rows)
	choiceFlag(fs, &f.divisor, "scale", []choice[sources.Scale]{{"auto", sources.ScaleAuto},
		{"none", sources.ScaleNone}, {"zscore", sources.ScaleRows}})
	fs.BoolVar(&f.details, "details", false, "")
	f.printFlags.add(fs)
	return fs
}

func parsePredict(args []string) (f predictFlags, err error) {
	f.args = args
	fs := newPredictFlagSet(&f)
	if err := f.parse(fs, args); err != nil {
		return f, err
	}
	f.dialect.Missing = true
	if f.model == "" && f.centers == "" {
		return f, usageErrorf("-model is missing; give a file that softkmeans fit -model wrote, or " +
			"-centers with a file of prototypes")
	}
	f.given = given(fs)
	if f.page != "" && !f.given["o"] {
		f.out = ""
	}
	return f, f.checkKnown()
}

func (f *predictFlags) run(s *session) error {
	model, k, err := f.prototypes()
	if err != nil {
		return err
	}
	s.reads = [][2]string{{f.model, "model"}, {f.centers, "prototypes"}}
	if k != nil {
		return f.runKnown(s, k)
	}
	s.places["centers"] = place{f.model, model.Columns}
	predict, err := model.predictor()
	if err != nil {
		return fmt.Errorf("%s: %w", f.model, err)
	}
	w, err := s.add("o", f.out)
	if err != nil {
		return err
	}
	p := &prediction{session: s, model: model, file: f.model, predict: predict, w: answer.NewMembershipWriter(w),
		watch: newWatch(model), sizes: make([]int, model.K()), shares: make([]float64, model.K()),
		details: f.details, name: answer.Numbered}
	of := model.labeller()
	p.w.Clustered = of != nil && of.ClusterMeans != nil
	p.w.Likely, p.w.EachLikely, p.w.Details = hasProbabilities(of), p.details, detailNames(p.details, nil)
	if p.details && p.watch.yardstick == nil {
		return usageErrorf("-details: a model of method %s has no prototypes to measure from",
			short(model.Method, mostName))
	}
	if err := f.predict(s, p); err != nil {
		return err
	}
	if err := p.w.Conclude(&p.notes); err != nil {
		return err
	}
	return s.tell(p.answer(), &f.printFlags)
}

// prototypes reads the model, or the known prototypes. Those of a model are known where -centers
// gives it and shares are not unique.
func (f *predictFlags) prototypes() (*modelFile, *known, error) {
	name, k := f.model, &known{flags: f}
	var err error
	if f.centers == "" {
		k.model, err = readModel(f.model)
	} else if k.library, k.model, err = readLibrary(f.centers, f.class); err == nil {
		name = f.centers
	}
	if err != nil || k.library != nil {
		return nil, k, err
	}
	if err = refuse(f.given, ": "+name+" is a model, which has its own; leave the flag out", "sum", "scale"); err == nil {
		err = f.use(k.model)
	}
	if err != nil {
		return nil, nil, err
	}
	if m := k.model.Model; m != nil && f.centers != "" {
		open, err := sources.NewOpen(m.Centers, m.Sum, k.model.UnitRows)
		if err != nil || !open.Unique() {
			return nil, k, err
		}
	}
	if f.page != "" {
		return nil, nil, usageErrorf("-report: shares in the model %s are unique; softkmeans report has a page for a table",
			name)
	}
	f.model = name
	return k.model, nil, nil
}

// prediction writes the memberships of rows and counts their labels.
type prediction struct {
	*session
	model   *modelFile
	file    string // of the model
	predict predictor
	w       *answer.MembershipWriter
	watch   *watch
	details bool
	name    answer.Naming
	rows    int
	sizes   []int
	shares  []float64 // summed over the rows with memberships
	likely  likelyRows
	counts  []float64 // the sums of all rows of counts; nil: they are none
	notes   []string
}

// predict reads a file in blocks, and other input and tables that are turned at once, and so parts of a whole
// in a file that is not large. Sparse rows stay so where the model allows it.
func (f *predictFlags) predict(s *session, p *prediction) error {
	stays := p.model.takesSparse()
	_, blocks := rows.Replayable(s.in)
	var b *blockReader
	blocks = blocks && f.named() && !f.scaling.Closes() && !f.words() && (!f.parts || f.large(s.in))
	if blocks = blocks && !(stays && rows.IsSparse(s.in, f.dialect)); blocks {
		var err error
		if b, err = f.openStream(s); errors.Is(err, table.ErrTurned) {
			blocks = false
		} else if err != nil {
			return err
		}
	}
	if !blocks {
		d, err := f.readAs(s, always(stays))
		if err != nil {
			return err
		}
		if err := p.model.checkColumns(d.Names, s.source); err != nil {
			return err
		}
		p.w.Describe(&d.Head, d.texts)
		p.notes, p.name, p.counts = d.Notes, d.texts.Names(), d.sizes
		p.w.Details = detailNames(p.details, d.sizes)
		if d.sparse != nil {
			return p.addSparse(s.ctx, d.sparse)
		}
		return p.add(s.ctx, d.x)
	}
	defer b.progress.clear()
	b.progress.passes = 1
	if err := p.model.checkColumns(b.file.Names, s.source); err != nil {
		return err
	}
	defer b.textsFor(p.w)()
	if err := b.each(func(x *softkmeans.Matrix) error { return p.add(s.ctx, x) }); err != nil {
		return err
	}
	p.notes = b.head(false, false).Notes
	if err := p.w.Finish(); err != nil {
		return err
	}
	return b.name([]answer.Few{p.watch.far})
}

// Rows are predicted in groups of at most predictRows, and of at most predictValues
// memberships or similarities. A row has one similarity for each sample.
const (
	predictRows   = 1024
	predictValues = 1 << 22
)

func (p *prediction) add(ctx context.Context, x *softkmeans.Matrix) error {
	wide := p.model.K()
	if p.model.Samples != nil {
		wide = max(wide, p.model.Samples.Rows)
	}
	most := max(1, min(predictRows, predictValues/wide))
	hi := 0
	for lo := 0; lo < x.Rows; lo = hi {
		hi = min(lo+most, x.Rows)
		rows := softkmeans.NewMatrix(hi-lo, x.Cols, x.Data[lo*x.Cols:hi*x.Cols])
		if n := valued(rows); n == 0 {
			hi = lo + 1
			if err := p.skip(); err != nil {
				return err
			}
			continue
		} else if n < rows.Rows {
			hi = lo + n
			rows = softkmeans.NewMatrix(n, x.Cols, x.Data[lo*x.Cols:hi*x.Cols])
		}
		g, of, err := p.predict(rows)
		if err != nil {
			return draws.LaterRow(err, lo)
		}
		if err := p.take(ctx, rows, of, g); err != nil {
			return draws.LaterRow(err, lo)
		}
	}
	return nil
}

// take writes labels, memberships and measures of the rows x, whose memberships are g. It adds the rows to the
// counts of the summary. Labels come from the rows `of`: x, or its coordinates for a model of tilsd.
func (p *prediction) take(ctx context.Context, x, of softkmeans.Samples, g *softkmeans.Matrix) error {
	clusters, err := clustersOf(p.model.labeller(), of, g)
	if err != nil {
		return err
	}
	labels := clusters
	if p.model.LabelLargest {
		labels = answer.LargestOf(g)
	}
	for i, label := range labels {
		p.sizes[label]++
		for j, v := range g.Row(i) {
			p.shares[j] += v
		}
	}
	rows := answer.MemberRows{Labels: labels, Clusters: clusters, Memberships: g}
	if p.w.Likely {
		if rows.Probabilities, err = p.model.labeller().ClusterProbabilities(nil, of); err != nil {
			return err
		}
		p.likely.add(clusters, rows.Probabilities)
	}
	details := p.watch.add(x, g, clusters)
	if details != nil {
		p.watch.addDetails(p, details)
	}
	if p.details {
		rows.Details = details
	}
	if p.counts != nil {
		rows.Details = withSizes(rows.Details, p.counts[p.rows:p.rows+g.Rows])
	}
	p.rows += g.Rows
	return p.w.Add(ctx, rows)
}

// valued returns how many rows there are before the first without any value.
func valued(x *softkmeans.Matrix) int {
	for i := range x.Rows {
		if !slices.ContainsFunc(x.Row(i), func(v float64) bool { return v == v }) {
			return i
		}
	}
	return x.Rows
}

// skip writes a row without any value, which has no memberships.
func (p *prediction) skip() error {
	p.rows++
	return p.w.Skip(p.model.K())
}

// answer has the rows by label, what was found out about the file, and what is strange about the rows.
func (p *prediction) answer() *answer.Answer {
	a := answer.New(&table.Head{Source: p.source, Names: p.model.Columns, Notes: p.notes}, p.rows, scale.KindOf(p.model.scaling()))
	a.About = fmt.Sprintf("%s: %s, memberships in %s of %s", p.source, count(p.rows, "row"),
		view.Prototypes(p.model.K()), p.file)
	a.CentersFile, a.Sizes, a.Warnings = p.file, p.sizes, append(a.Warnings, p.watch.warnings(p.model)...)
	a.Known = &answer.Known{Unique: true, Outside: p.watch.beyond, Farthest: []answer.Far{}}
	for _, r := range p.watch.far.Rows {
		a.Farthest = append(a.Farthest, answer.Far{Row: r.Row + 1, ID: r.ID, Residual: r.Value})
	}
	if p.likely.rows > 0 {
		mean := p.likely.mean()
		a.Probability = &mean
	}
	labelled := 0
	for _, n := range p.sizes {
		labelled += n
	}
	for i := range p.sizes {
		a.Prototypes = append(a.Prototypes, answer.Prototype{Name: centerName(i),
			Membership: p.shares[i] / max(1, float64(labelled))})
	}
	a.Brief = p.taken
	return a
}
