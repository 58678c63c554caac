package main

// This file holds -centers of predict: shares of rows in prototypes that are known.

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/envi"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
	"softkmeans/internal/sources"
	"softkmeans/internal/table"
)

// readLibrary reads the file of -centers: prototypes, or a model. class is a column of a table,
// "" for none.
func readLibrary(ctx context.Context, name, class string) (l *sources.Library, m *modelFile, err error) {
	in, err := openFile(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	start := make([]byte, 512)
	n, err := await(ctx, func() (int, error) { return io.ReadFull(in, start) })
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, nil, err
	}
	all := io.MultiReader(bytes.NewReader(start[:n]), in)
	if bytes.HasPrefix(bytes.TrimLeft(start[:n], " \t\r\n"), []byte("{")) {
		if class != "" {
			return nil, nil, usageErrorf("-class: %s is a model, which has no classes", name)
		}
		m, err = readModelFrom(ctx, all, name)
		return nil, m, err
	}
	l, err = await(ctx, func() (*sources.Library, error) {
		header, data, err := envi.Find(name)
		switch {
		case err != nil:
			return nil, err
		case header != "" && class != "":
			return nil, usageErrorf("-class: %s is a spectral library, which has no columns", name)
		case header != "":
			return sources.FromENVI(header, data)
		}
		if bytes.HasPrefix(start[:n], []byte("\x1f\x8b")) {
			if all, err = gzip.NewReader(all); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		text, err := io.ReadAll(io.LimitReader(all, mostLibrary+1))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(text) > mostLibrary {
			return nil, fmt.Errorf("%s: more than %d MB of prototypes", name, mostLibrary>>20)
		}
		return libraryTable(text, name, class)
	})
	return l, nil, err
}

// mostLibrary bounds a table of prototypes, in bytes.
const mostLibrary = 1 << 30

// libraryTable reads a table of prototypes. Its first column of text has the names, which may come
// more than once.
func libraryTable(text []byte, name, class string) (*sources.Library, error) {
	d := table.Dialect{Guess: true, Text: table.TextDrop, Label: class, Transpose: table.TransposeNo}
	if survey, _ := table.Survey(bytes.NewReader(text), name, d); survey.Columns != nil {
		if survey.Long {
			d.Long = table.LongYes // the columns are those of the pivoted table
		}
		for j, c := range survey.Columns {
			if c.As == table.AsID || d.ID == "" && c.Text && c.As != table.AsLabel {
				if d.ID = strconv.Itoa(j + 1); c.As == table.AsID {
					break
				}
			}
		}
	}
	t, err := rows.ReadAll(bytes.NewReader(text), name, d)
	if err == nil {
		return sources.FromTable(t)
	}
	// The names of the rows may tell that line 1 is a header of numbers.
	doubt := plainError(err)
	d.Header = table.HeaderNo
	if t, err = rows.ReadAll(bytes.NewReader(text), name, d); err != nil {
		return nil, doubt
	}
	l, err := sources.FromTable(t)
	if err == nil {
		l.Doubt = doubt
	}
	return l, err
}

// checkKnown checks the flags of -centers.
func (f *predictFlags) checkKnown() error {
	switch {
	case f.centers == "":
		for _, flag := range []string{"class", "sum", "rows"} {
			if f.given[flag] {
				return usageErrorf("-%s is for -centers; a model has its own", flag)
			}
		}
	case f.model != "":
		return usageErrorf("-model and -centers both have prototypes; give one")
	case f.centers == "-":
		return usageErrorf("-centers -: must be a file")
	case f.rows == softkmeans.RowsUnit && f.sum == softkmeans.SumAtMostOne:
		return usageErrorf("-rows unit has shares that add up to one; leave -sum out")
	}
	return nil
}

// known is a run of predict with known prototypes.
type known struct {
	flags   *predictFlags
	library *sources.Library // nil: model
	model   *modelFile
	all     []string // the columns of the rows' file; nil: it has no header
	picked  bool     // some of them are those of the prototypes

	data   *data
	mixer  *sources.Mixer
	result *sources.Result
	labels []int
	out    []bool
	noise  sources.Noise
	notes  []string
	rows   int // also those without memberships
}

// read reads the rows and joins their columns with those of the prototypes.
func (k *known) read(s *session) (err error) {
	f := k.flags
	if k.library == nil {
		if k.data, err = f.read(s); err != nil {
			return err
		}
		return k.model.checkColumns(k.data.Names, s.source)
	}
	f.scale, f.dialect.Heads, f.dialect.Known = scale.None, k.library.Heads, k.library.Known()
	f.dialect.Pick = func(names []string) []string {
		shared := k.library.Shared(f.notAsked(names))
		k.all, k.picked = names, shared != nil
		return shared
	}
	if k.data, err = f.read(s); err != nil {
		return err
	}
	d := k.data
	ids := d.IDs
	if ids == nil && d.x.Cols > 1 { // the first column may be an axis, such as wavelengths
		ids = sources.Axis(d.x)
	}
	shared, columns := k.library.Shared(ids), k.library.Shared(d.Names)
	switch {
	case len(shared) > 1 && (!k.named() || columns == nil):
		k.turn(ids, shared)
	case k.named() && len(columns) > 0 && len(columns) < len(d.Names): // of files without a header
		k.keep(columns)
	}
	for i, note := range d.Notes {
		note = strings.Replace(note, "no column of the model", "no column of the prototypes", 1)
		d.Notes[i] = strings.Replace(note, "names of the model's columns",
			"names that the prototypes have", 1)
	}
	if d.Header {
		k.noteLeft()
	}
	s.places["x"] = place{s.source, d.Names}
	return nil
}

// named reports whether the columns of the rows have names.
func (k *known) named() bool { return k.data.Header || named(k.data.Names) }

// keep leaves out the columns that the prototypes do not have.
func (k *known) keep(names []string) {
	d := k.data
	n := len(d.Names) - len(names)
	x := softkmeans.NewMatrix(d.x.Rows, len(names), nil)
	for to, name := range names {
		at := slices.Index(d.Names, name)
		for i := range x.Rows {
			x.Set(i, to, d.x.At(i, at))
		}
	}
	d.Notes = append(d.Notes, count(n, "column")+" that the prototypes lack "+plural(n, "is", "are")+
		" left out")
	d.Names, d.x, d.Data = names, x, x.Data
}

// notAsked returns the columns that -drop and -id do not ask for.
func (f *predictFlags) notAsked(names []string) (list []string) {
	for j, name := range names {
		n := strconv.Itoa(j + 1)
		if !slices.Contains(f.dialect.Drop, name) && !slices.Contains(f.dialect.Drop, n) &&
			f.dialect.ID != name && f.dialect.ID != n {
			list = append(list, name)
		}
	}
	return list
}

// noteLeft names the columns of the rows that the prototypes do not have.
func (k *known) noteLeft() {
	d := k.data
	var left []string
	for j, name := range k.all {
		if !slices.Contains(d.Names, name) && !slices.Contains(d.KeptNames, name) && j+1 != d.IDColumn &&
			!slices.Contains(k.flags.dialect.Drop, name) {
			left = append(left, name)
		}
	}
	if len(left) > 0 && k.picked {
		d.Notes = append(d.Notes, plural(len(left), "a column that the prototypes lack is",
			"columns that the prototypes lack are")+" left out: "+abridged(left))
	}
}

// turn makes rows of the columns. ids are the names of the lines, and shared those that the
// prototypes have.
func (k *known) turn(ids, shared []string) {
	d := k.data
	from := 0
	if d.IDs == nil {
		from = 1
	}
	x := softkmeans.NewMatrix(d.x.Cols-from, len(shared), nil)
	for to, name := range shared {
		for j, v := range d.x.Row(slices.Index(ids, name))[from:] {
			x.Set(j, to, v)
		}
	}
	note := "a row is a column of the file, as its lines have the names that the prototypes have"
	if n := d.Rows - len(shared); n > 0 {
		note += "; " + count(n, "line") + " that the prototypes lack " + plural(n, "is", "are") + " left out"
	}
	d.Notes = append(slices.DeleteFunc(d.Notes, func(note string) bool {
		return strings.Contains(note, "is data, though")
	}), note)
	d.texts = rowTexts{ids: d.Names[from:]}
	d.Names, d.Rows, d.x, d.Data, d.Header = shared, x.Rows, x, x.Data, true
	d.IDColumn, d.IDName, d.KeptNames = 1, "id", nil
}

// runKnown computes and writes the shares.
func (f *predictFlags) runKnown(s *session, k *known) error {
	w, err := s.add("o", f.out)
	if err != nil {
		return err
	}
	if err := k.read(s); err != nil {
		return err
	}
	d := k.data
	k.rows = d.Rows
	if left, n := emptyRows(d.x); n > 0 {
		if d.keep(left); d.Rows == 0 {
			return fmt.Errorf("%s: no row has a value", s.source)
		}
	}
	if _, err := await(s.ctx, func() (struct{}, error) { return struct{}{}, k.mix(s) }); err != nil {
		return err
	}
	if err := k.write(s.ctx, newMembershipWriter(w)); err != nil {
		return err
	}
	return s.finish(func(w io.Writer) error {
		if f.json {
			return writeJSON(w, k.json(s))
		}
		return k.summary(w, s)
	})
}

// mix computes the shares.
func (k *known) mix(s *session) (err error) {
	f, d := k.flags, k.data
	o := sources.Options{Sum: f.sum, Workers: f.workers}
	var from *sources.Sources
	if k.library == nil {
		m := k.model.Model
		from = &sources.Sources{Names: centerNames(m.Centers.Rows), Centers: m.Centers,
			Groups: centerNames(m.Centers.Rows)}
		for j := range from.Names {
			from.Class = append(from.Class, j)
		}
		o.Sum, o.Cone = m.Sum, k.model.unit()
	} else {
		if from, err = k.library.Join(s.source, d.Names, k.named()); err != nil {
			return err
		}
		if n := from.Centers.Rows; n > mostCenters {
			return fmt.Errorf("%s: %d prototypes; at most %d can be given", f.centers, n, mostCenters)
		}
		k.notes = append(k.notes, from.Notes...)
	}
	s.places["centers"] = place{f.centers, d.Names}
	if k.library != nil && o.Sum == softkmeans.SumToOne {
		if o.Cone = f.rows == softkmeans.RowsUnit; f.rows == softkmeans.RowsAuto {
			if o.Cone, err = from.Lengths(s.ctx, someOf(d.x), o); err != nil {
				return err
			}
		}
	}
	if o.Cone && k.library != nil {
		note := "each row is a mixture times a length of its own"
		if f.rows == softkmeans.RowsAuto {
			note += ", as that leaves clearly less of the squared error; -rows given takes that away"
		}
		k.notes = append(k.notes, note)
	}
	if k.mixer, err = from.NewMixer(o); err != nil {
		return err
	}
	if k.result, err = k.mixer.Mix(s.ctx, d.x, true); err != nil {
		return err
	}
	k.labels = largestOf(k.result.Shares)
	if k.library == nil && gapRows(d.x) == nil {
		if k.labels, err = k.model.label(d.x, k.result.Shares); err != nil {
			return err
		}
	}
	k.noise = k.mixer.Noise(k.result)
	k.out = k.mixer.Out(k.result, k.noise)
	return nil
}

// someOf returns some rows of x, evenly spaced.
func someOf(x *softkmeans.Matrix) *softkmeans.Matrix {
	var at []int
	for i := 0; i < x.Rows; i += max(1, x.Rows/sampleSize) {
		at = append(at, i)
	}
	return draws.Chosen(x, at)
}

// detailed returns the columns after the shares, and their names.
func (k *known) detailed() (names []string, values *softkmeans.Matrix) {
	r := k.result
	if r.Low != nil {
		for _, name := range k.mixer.Groups {
			names = append(names, name+"_low", name+"_high")
		}
	}
	ranges := len(names)
	names = append(names, detailNames[:1]...)
	if k.flags.details {
		names = append(names, "entropy")
	}
	if r.Length != nil {
		names = append(names, "length")
	}
	names = append(names, "outside")
	values = softkmeans.NewMatrix(k.data.Rows, len(names), nil)
	for i := range values.Rows {
		row := values.Row(i)
		for j := 0; j < ranges; j += 2 {
			row[j], row[j+1] = r.Low.At(i, j/2), r.High.At(i, j/2)
		}
		row[ranges] = r.Residual[i]
		if k.flags.details {
			row[ranges+1] = entropy(r.Shares.Row(i), k.flags.sum)
		}
		if r.Length != nil {
			row[len(row)-2] = r.Length[i]
		}
		if k.out[i] {
			row[len(row)-1] = 1
		}
	}
	return names, values
}

// write writes the shares.
func (k *known) write(ctx context.Context, w *membershipWriter) error {
	w.describe(&k.data.Head, k.data.texts)
	w.centers = k.mixer.Groups
	w.named, w.details = k.detailed()
	if err := w.add(ctx, k.labels, k.result.Shares); err != nil {
		return err
	}
	if note := w.doubles(len(w.centers)); note != "" {
		k.notes = append(k.notes, note)
	}
	return w.finish()
}

// openWords says that shares are not unique, and what ranges are; "" where there are none.
func (k *known) openWords() string {
	r, low := k.result, short(k.mixer.Groups[0], mostWord)+"_low"
	text := ""
	switch n := k.mixer.Centers.Rows; {
	case r.Open && k.mixer.Unique():
		text = "Shares of rows with missing values are not unique. They are those of least norm. "
	case r.Open:
		text = fmt.Sprintf("Shares are not unique: there are %s, and the columns tell %d of them apart. "+
			"They are those of least norm. ", prototypes(n), k.mixer.Apart())
	}
	switch {
	case r.Drawn != nil:
		text += fmt.Sprintf("The ranges, %s and so on, are from 5 %% to 95 %% of %d draws of the sources, "+
			"normal by their means and standard deviations", low, sources.Draws)
		if r.Open {
			text += "; of each draw they have the least and the largest share"
		}
		text += "."
	case r.Open && r.Low == nil:
		text += "Ranges are left out, as those of so many would take long."
	case r.Open:
		text += "The ranges, " + low + " and so on, are from the least to the largest share of all nearest " +
			"mixtures."
	}
	return text
}

// farOut returns the rows that are outside: how many, and the farthest.
func (k *known) farOut() (n int, rows few) {
	rows.most = mostBetween
	name := k.data.texts.names()
	for i, out := range k.out {
		if !out {
			continue
		}
		n++
		if v := k.result.Residual[i]; rows.takes(v) {
			row, id := name(i)
			rows.add(ranked{row: row, id: id, value: v})
		}
	}
	return n, rows
}

// outWords says how many rows are outside.
func (k *known) outWords() string {
	n, rows := k.farOut()
	text, why := "no row", "rounding explains"
	switch {
	case k.result.Drawn != nil:
		why = "the standard deviations explain, in 95 % of the draws"
	case k.noise.Value > 0:
		why = "noise explains; it is " + small(k.noise.Value) + " in a value, by the rows themselves"
	}
	list := ""
	if n > 0 {
		text = count(n, "row")
		for i, r := range rows.rows {
			list += [...]string{": ", ", "}[min(i, 1)] + r.name() + " (" + small(r.value) + ")"
		}
		if n > len(rows.rows) {
			list += ", …"
		}
	}
	return fmt.Sprintf("Outside of the prototypes %s %s, farther from their mixtures than %s%s.",
		plural(max(n, 1), "is", "are"), text, why, list)
}

// means returns the mean share of each group.
func (k *known) means() []float64 {
	means := make([]float64, len(k.mixer.Groups))
	for i := range k.result.Shares.Rows {
		for j, v := range k.result.Shares.Row(i) {
			means[j] += v / float64(k.result.Shares.Rows)
		}
	}
	return means
}

// sizes counts the rows by label.
func (k *known) sizes() []int {
	sizes := make([]int, len(k.mixer.Groups))
	for _, label := range k.labels {
		sizes[label]++
	}
	return sizes
}

// summary writes what was read and found.
func (k *known) summary(w io.Writer, s *session) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s, shares in %s of %s", s.source, count(k.rows, "row"),
		count(len(k.mixer.Groups), k.noun()), k.flags.centers)
	writeNotes(&b, append(slices.Clone(k.data.Notes), k.notes...))
	b.WriteByte('\n')
	if !s.taken {
		wide := 5
		for _, name := range k.mixer.Groups {
			wide = max(wide, len([]rune(short(name, mostWord))))
		}
		fmt.Fprintf(&b, "\n  %-*s  mean share   rows by label\n", wide, "")
		sizes := k.sizes()
		for j, v := range k.means() {
			name := short(k.mixer.Groups[j], mostWord)
			fmt.Fprintf(&b, "  %s%s  %10s %14d\n", name, strings.Repeat(" ", wide-len([]rune(name))),
				percent(v), sizes[j])
		}
		b.WriteByte('\n')
	}
	for _, line := range []string{k.openWords(), k.outWords()} {
		if line != "" {
			b.WriteString(wrapped(line))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (k *known) noun() string {
	if k.mixer.Bundled() {
		return "group"
	}
	return "prototype"
}

// json returns the summary for -json.
func (k *known) json(s *session) *predictJSON {
	n, rows := k.farOut()
	j := &predictJSON{Source: s.source, Rows: k.rows, Columns: k.data.Names, Centers: k.flags.centers,
		Unique: !k.result.Open, Noise: k.noise.Value, Outside: n, Farthest: farthest(rows),
		Notes: append(slices.Clone(k.data.Notes), k.notes...), Warnings: []string{}}
	if k.result.Drawn != nil {
		j.Draws = sources.Draws
	}
	sizes := k.sizes()
	for i, v := range k.means() {
		j.Shares = append(j.Shares, shareJSON{k.mixer.Groups[i], v, sizes[i]})
	}
	return j
}
