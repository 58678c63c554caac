package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strings"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/absent"
	"softkmeans/internal/answer"
	"softkmeans/internal/draws"
	"softkmeans/internal/kinds"
	"softkmeans/internal/measure"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/stream"
	"softkmeans/unmix"
)

type streaming int

const (
	streamAuto streaming = iota
	streamYes
	streamNo
)

func streamFlag(fs *flag.FlagSet, p *streaming) {
	choiceFlag(fs, p, "stream", []choice[streaming]{{"auto", streamAuto},
		{"yes", streamYes}, {"no", streamNo}})
}

// streamSize is the size in bytes above which -stream auto reads a file in blocks.
// The size of a compressed file counts five times.
const streamSize = 64 << 20

// large reports whether the input is a file above streamSize. Standard input is
// not, even if it is a file, nor are sparse files, which are read at once.
func (f *inputFlags) large(in io.Reader) bool {
	size, ok := rows.Replayable(in)
	if !ok || !f.named() || size > streamSize/5 && rows.IsSparse(in, f.dialect) {
		return false
	}
	if start := make([]byte, 2); size > streamSize/5 {
		in.(*os.File).ReadAt(start, 0) // reading the table repeats an error
		if string(start) == "\x1f\x8b" {
			size *= 5 // gzip
		}
	}
	return size > streamSize
}

func (f *inputFlags) checkStream(s streaming) error {
	switch {
	case s != streamYes:
		return nil
	case f.scale == scale.Counts:
		return usageErrorf("-scale counts needs the sums of all rows; leave -stream yes out")
	case f.scale == scale.Words:
		return usageErrorf("-scale words needs the words of all rows; leave -stream yes out")
	case f.perRow == unmix.ScaleUnit:
		return usageErrorf("-rows unit needs the sums of all rows; leave -stream yes out")
	case f.dialect.Weights != "":
		return usageErrorf("-stream yes does not go with -weights; leave one out")
	case !f.inBlocks():
		return usageErrorf("-stream yes goes with -missing drop only; use -stream no")
	case !f.named():
		return usageErrorf("-stream yes: standard input can be read only once; give a file")
	}
	return nil
}

func (f *inputFlags) inBlocks() bool {
	return f.dialect.Weights == "" && f.scale != scale.Counts && f.scale != scale.Words && f.perRow != unmix.ScaleUnit &&
		(f.missing == absent.Error || f.missing == absent.Drop)
}

func (f *fitFlags) streams(in io.Reader) bool {
	can := f.method.takes("stream") && f.inBlocks() && !f.inMemory()
	return f.stream == streamYes || f.stream == streamAuto && can && f.large(in)
}

// blockReader reads a file pass by pass, in blocks of scaled rows.
type blockReader struct {
	ctx      context.Context
	file     *rows.File
	scale    *scale.Scaling // nil: none
	progress *progress
	rows     int   // rows of the last pass by each
	fault    error // of reading or writing; reported without the words of the package

	drop bool          // rows with missing values are left out
	gaps *absent.Count // of the last pass
	left int           // rows left out in the last pass
	none int           // rows without any value in the last pass

	kind    scale.Kind       // what the scale of the columns was asked to be
	columns *scale.Columns   // of the first pass of a fit or of floors
	collect *scale.Collector // of the columns; nil: not, or no more
}

func (f *inputFlags) openStream(s *session) (*blockReader, error) {
	file, err := rows.Open(s.source, rows.Options{Dialect: f.dialect})
	if err != nil {
		return nil, err
	}
	if t := file.Sparse; t != nil {
		file.Notes = append(file.Notes, filledNote(t))
	}
	b := &blockReader{ctx: s.ctx, file: file, scale: f.scaling, progress: s.progress(f.quiet),
		drop: f.missing == absent.Drop, gaps: absent.NewCount(file.Names)}
	b.progress.size, b.progress.read = file.Size, file.BytesRead
	s.places["x"] = place{s.source, file.Names}
	return b, nil
}

func (b *blockReader) blocks(yield func(*softkmeans.Matrix, error) bool) {
	n := 0
	b.gaps, b.left, b.none = absent.NewCount(b.file.Names), 0, 0
	for x, err := range b.file.Blocks(b.ctx) {
		if err == nil && (b.scale != nil || b.drop) {
			err = checkEntries(x, n)
		}
		if b.fault = err; err == nil {
			n += x.Rows
			if b.prepare(x); x.Rows == 0 {
				continue
			}
		}
		if !yield(x, err) {
			return
		}
	}
	if n > 0 && n == b.left {
		b.fault = b.gaps.NoRow(b.file.Source, dropWords)
		yield(nil, b.fault)
		return
	}
	if b.collect != nil && b.fault == nil && n > 0 {
		b.columns, b.collect = b.collect.Columns(), nil
	}
}

// prepare counts the missing values of a block, leaves their rows out if b.drop is set,
// and scales the others.
func (b *blockReader) prepare(x *softkmeans.Matrix) {
	if left := absent.Rows(x); left != nil {
		b.gaps.Add(x)
		_, none := absent.EmptyRows(x)
		b.none += none
		if b.drop {
			b.left += x.Rows
			x.Data = absent.Without(x.Data, left, x.Cols)
			x.Rows = len(x.Data) / x.Cols
			b.left -= x.Rows
		}
	}
	if b.collect != nil {
		b.collect.Add(x.Data, x.Cols, nil)
	}
	b.scale.Apply(x.Data)
}

// head is what the file says about itself, with notes about what was done with it: of a fit also that columns
// are as they are, and that prototypes are free of bounds.
func (b *blockReader) head(fitted, free bool) table.Head {
	h := b.file.Head
	h.Notes = slices.Clone(h.Notes)
	switch {
	case b.drop && b.left > 0:
		h.Notes = append(h.Notes, b.gaps.LeftOut(b.left))
	case !b.drop && b.gaps.Values > 0:
		h.Notes = append(h.Notes, b.gaps.Present(b.none)...)
	}
	note := scaleNote(&h, b.scale, b.kind, b.columns)
	if note == "" && fitted && b.kind == scale.Auto {
		note = asTheyAre
	}
	if c := b.columns; free && b.scale == nil && c != nil && c.AboveZero() {
		note += ". " + freeWords
	} else if free {
		note += ". " + unbounded
	}
	if note != "" {
		h.Notes = append(h.Notes, strings.TrimPrefix(note, ". "))
	}
	return h
}

// textsOf are the texts of a block, and the rows that are left out where drop is set.
func textsOf(b *rows.Block, drop bool) answer.Texts {
	t := answer.Texts{IDs: b.IDs, Kept: b.Kept}
	if drop {
		if t.Left = absent.Rows(b.X); t.Left == nil {
			t.Left = make([]bool, b.X.Rows)
		}
	}
	return t
}

// textsFor lets w take the texts of the rows from the file, in a pass of its own beside the
// one that computes memberships. The caller calls stop in the end.
func (b *blockReader) textsFor(w *answer.MembershipWriter) (stop func()) {
	w.Describe(&b.file.Head, answer.Texts{})
	if b.file.IDColumn == 0 && b.file.KeptNames == nil && !b.drop {
		return func() {}
	}
	next, stop := iter.Pull2(b.file.TextBlocks(b.ctx))
	w.More = func() (answer.Texts, error) {
		block, err, ok := next()
		if !ok || err != nil {
			return answer.Texts{}, err
		}
		return textsOf(block, b.drop), nil
	}
	return stop
}

func (b *blockReader) each(take func(*softkmeans.Matrix) error) error {
	n := 0
	for x, err := range iter.Seq2[*softkmeans.Matrix, error](b.blocks) {
		if err != nil {
			return err
		}
		if err := take(x); err != nil {
			return draws.LaterRow(err, n)
		}
		n += x.Rows
		b.progress.pass(1, n)
	}
	b.progress.before++
	b.rows = n
	return nil
}

func (b *blockReader) setScale(kind scale.Kind) error {
	b.kind = kind
	if kind == scale.None {
		return nil
	}
	if kind == scale.Auto {
		kind, _ = view.ByUnits(&b.file.Head)
	}
	c := scale.Collector{Kind: kind}
	n := 0
	err := b.each(func(x *softkmeans.Matrix) error {
		if n++; n == 1 && b.kind == scale.Auto && kinds.Look(x).Counts {
			b.file.Notes = append(b.file.Notes, "the first rows are counts, but a table in blocks is "+
				"fitted as it is; -stream no -scale counts fits them as such")
		}
		c.Add(x.Data, x.Cols, nil)
		return nil
	})
	if err != nil {
		return err
	}
	b.scale = c.Scaling()
	return nil
}

// freeWords say that a table in blocks leaves no way to bound prototypes.
const freeWords = "Prototypes may be below 0, as the table is read in blocks (-stream no -bounds 0, keeps them at 0 or above)"

// statsColumns is the largest number of columns for floors of a stream. The scatter
// matrix of d columns and its eigenvalues take 50·d² bytes.
const statsColumns = 4096

// stats adds up all rows in one pass, which also goes to the draw.
func (b *blockReader) stats(d *draws.Sample) (*softkmeans.Stats, error) {
	if n := len(b.file.Names); n > statsColumns {
		advice := "use -stream no"
		if b.file.Sparse != nil {
			advice = "without -stream " + unfilled
		}
		return nil, fmt.Errorf("%s: %d columns; floors of a stream take at most %d; %s",
			b.file.Source, n, statsColumns, advice)
	}
	stats := new(softkmeans.Stats)
	return stats, b.each(func(x *softkmeans.Matrix) error {
		if err := stats.Add(x); err != nil {
			return err
		}
		return d.Add(x)
	})
}

// drawnRows is how many rows of a stream a choice of k has. It looks at fewer.
const drawnRows = 1024

// fitStream fits the session's file block by block. The last pass writes the
// memberships to w, unless w is nil, and checks them for the certificate.
func (f *fitFlags) fitStream(s *session, w *answer.MembershipWriter) (*result, error) {
	b, err := f.openStream(s)
	if err != nil {
		return nil, err
	}
	defer b.progress.clear()
	b.progress.passes, b.progress.atMost = f.passes(), f.method == methodMinVolume
	r, err := f.beginStream(b)
	if err != nil {
		return nil, err
	}
	if r.k == 0 {
		drawn := draws.NewSample(f.seed, drawnRows)
		if err := b.each(drawn.Add); err != nil {
			return nil, err
		}
		if err := r.choose(s.ctx, drawn.Table(), nil,
			&choosek.Options{Seed: f.seed, Workers: f.workers}); err != nil {
			return nil, err
		}
	}
	return r, f.fitOpened(b, r, w, nil)
}

// beginStream scales the columns of the file.
func (f *fitFlags) beginStream(b *blockReader) (*result, error) {
	b.collect = &scale.Collector{Kind: scale.ZScore}
	err := b.setScale(f.inputFlags.scale)
	return &result{Head: b.file.Head, k: f.k, method: f.method, scale: b.scale,
		slack: f.slack > 0, seed: f.seed, streamed: true}, err
}

// checkCenters returns an error if the file is too short for k rows, before a pass counts them. A row has at
// least two bytes, of which gzip packs up to 1032 in one.
func (b *blockReader) checkCenters(k int) error {
	most := b.file.Size/2 + 1
	if b.file.Compressed {
		most *= 1032
	}
	if int64(k) > most {
		return fmt.Errorf("%s: fewer rows than -k %d; give a k of at most the number of rows", b.file.Source, k)
	}
	return nil
}

// fitOpened fits r.k prototypes to the blocks of b. It writes the memberships to w unless w is nil, and gives
// each block to take unless that is nil.
func (f *fitFlags) fitOpened(b *blockReader, r *result, w *answer.MembershipWriter,
	take func(labels []int, g *softkmeans.Matrix) error) error {
	if err := b.checkCenters(r.k); err != nil {
		return err
	}
	if w != nil {
		w.Clustered = f.method == methodMinVolume
		w.Likely, w.EachLikely, w.Details = w.Clustered, f.details, detailNames(f.details, nil)
		defer b.textsFor(w)()
	}
	m, err := f.fitBlocks(b, r, func(labels []int, g, likely *softkmeans.Matrix) error {
		if take != nil {
			if err := take(labels, g); err != nil {
				return err
			}
		}
		r.meaning.Add(g, answer.Numbered)
		if f.method == methodMinVolume {
			r.meaning.Compare(labels, g)
		}
		if w == nil || f.details {
			return nil
		}
		return w.Add(b.ctx, answer.MemberRows{Labels: labels, Memberships: g, Probabilities: likely})
	})
	if err != nil {
		return err
	}
	if err := checkCenters(r.Source, r.rows, r.k); err != nil {
		return err
	}
	r.Head = b.head(true, f.method.takes("bounds") && f.bounds == nil)
	r.columns = b.columns
	r.setModel(m)
	switch {
	case f.details:
		err = b.measure(r, w)
	case f.model != "":
		err = b.measure(r, nil)
	}
	if err == nil {
		err = b.name(append(r.meaning.Pure, r.meaning.Between))
	}
	if err == nil && w != nil {
		err = w.Finish()
	}
	return err
}

// name gives rows their ids, or where rows are left out their numbers in the file. It takes
// a pass over the texts.
func (b *blockReader) name(lists []answer.Few) error {
	named := map[int][]*answer.Ranked{}
	for _, f := range lists {
		for i := range f.Rows {
			named[f.Rows[i].Row] = append(named[f.Rows[i].Row], &f.Rows[i])
		}
	}
	if len(named) == 0 || b.file.IDColumn == 0 && b.left == 0 {
		return nil
	}
	return b.eachText(func(block *rows.Block, i, row, fitted int) {
		for _, r := range named[fitted] {
			if r.Row, r.ID = answer.Numbered(row); block.IDs != nil {
				r.ID = block.IDs[i]
			}
		}
	})
}

// eachText hands each row of the file to take: its block, its places in the block and in the file, and how many
// rows that are fitted come before; −1 if it is not fitted.
func (b *blockReader) eachText(take func(block *rows.Block, i, row, fitted int)) error {
	n, row := 0, 0
	for block, err := range b.file.TextBlocks(b.ctx) {
		if err != nil {
			return err
		}
		left := textsOf(block, b.drop).Left
		for i := range block.X.Rows {
			if left != nil && left[i] {
				take(block, i, row, -1)
			} else {
				take(block, i, row, n)
				n++
			}
			row++
		}
	}
	return nil
}

// measure measures all rows, and writes them with the details to w unless w is nil.
func (b *blockReader) measure(r *result, w *answer.MembershipWriter) error {
	return b.each(func(x *softkmeans.Matrix) error {
		g, err := r.model.Predict(nil, x)
		if err != nil {
			return err
		}
		labels, err := clustersOf(r.model, x, g)
		if err != nil {
			return err
		}
		details := measure.Of(r.model, r.unit).Measure(x, g, labels)
		if r.setResidual(details, nil, nil); w == nil {
			return nil
		}
		rows := answer.MemberRows{Labels: labels, Memberships: g, Details: details}
		if w.Likely {
			if rows.Probabilities, err = r.model.ClusterProbabilities(nil, x); err != nil {
				return err
			}
		}
		return w.Add(b.ctx, rows)
	})
}

// Passes of stream.Fit and, at most, of stream.FitMinVolume, the one for memberships among them.
const (
	globalPasses    = 3
	minVolumePasses = 8
)

// passes returns the number of passes of fitStream, for minvol the largest possible one.
func (f *fitFlags) passes() int {
	n := globalPasses
	if f.method == methodMinVolume {
		n = minVolumePasses
	}
	if f.inputFlags.scale != scale.None {
		n++
	}
	if f.k == 0 {
		n++
	}
	if f.details || f.model != "" {
		n++
	}
	return n
}

// fitBlocks runs the method and sets the certificate of r. The last pass hands the labels, memberships and
// probabilities of clusters of each block to r and then to more; without clusters the probabilities are nil.
func (f *fitFlags) fitBlocks(b *blockReader, r *result,
	more func(labels []int, g, likely *softkmeans.Matrix) error) (m *softkmeans.Model, err error) {
	r.cert.MinMembership = math.Inf(1)
	take := func(labels []int, g, likely *softkmeans.Matrix) error {
		r.add(labels, g, f.options.Sum)
		if likely != nil {
			r.likely.add(labels, likely)
		}
		b.fault = more(labels, g, likely)
		return b.fault
	}
	if f.method == methodMinVolume {
		var block, likely *softkmeans.Matrix // its labels come next
		m, err = stream.FitMinVolume(b.ctx, b.blocks, r.k, &stream.MinVolumeOptions{
			MinVolumeOptions: *f.minVolumeOptions(b.progress),
			Block:            b.progress.pass,
			Memberships:      func(_ int, g *softkmeans.Matrix) error { block = g; return nil },
			Probabilities:    func(_ int, p *softkmeans.Matrix) error { likely = p; return nil },
			Labels:           func(_ int, labels []int) error { return take(labels, block, likely) }})
	} else {
		o := stream.Options{Enclosure: f.options.Enclosure, Workers: f.options.Workers, Block: b.progress.pass}
		var labels []int
		o.Memberships = func(_ int, g *softkmeans.Matrix) error {
			labels = (&softkmeans.Model{Memberships: g}).Labels(slices.Grow(labels[:0], g.Rows)[:g.Rows])
			return take(labels, g, nil)
		}
		m, err = stream.Fit(b.ctx, b.blocks, r.k, &o)
	}
	if b.fault != nil {
		err = b.fault
	}
	if err != nil {
		return m, err
	}
	r.summarised = f.method == methodMinVolume && b.progress.number > b.progress.before+1
	r.model = m
	r.certify()
	return m, nil
}

// certify takes the certificate of the model, with what the memberships show.
func (r *result) certify() {
	seen := r.cert
	r.cert = r.model.Certificate
	r.cert.MinMembership, r.cert.MaxSumError, r.cert.Repair = seen.MinMembership, seen.MaxSumError,
		seen.Repair
}

func (r *result) add(labels []int, g *softkmeans.Matrix, rule softkmeans.Sum) {
	r.count(labels)
	c := &r.cert
	for i := range labels {
		sum, kept := 0.0, 0.0
		for _, v := range g.Row(i) {
			sum += v
			kept += max(v, 0)
			c.MinMembership = min(c.MinMembership, v)
		}
		if rule == softkmeans.SumAtMostOne {
			sum, kept = max(sum, 1), max(kept, 1)
		}
		for _, v := range g.Row(i) {
			c.Repair = max(c.Repair, math.Abs(max(v, 0)/kept-v))
		}
		c.MaxSumError = max(c.MaxSumError, math.Abs(sum-1))
	}
	r.rows += len(labels)
}
