package table

// Spectroscopy, genomics and work on single cells keep a sample in each column: the first
// column has wavelengths or genes, the first line the names of the samples. Such a table is
// turned before anything else is read from it. It is turned without being asked only where
// more than one thing says so; a first column that rises may as well be the time of rows.

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Transpose says whether the rows of a text are its columns.
type Transpose int

const (
	TransposeAuto Transpose = iota // with Guess: where the text is certain to have samples in columns
	TransposeYes
	TransposeNo
)

// turning is how sure it is that the samples of a text are its columns.
type turning int

const (
	asItStands turning = iota
	likely             // an error asks, or a note says so
	certain
)

// frame is what surrounds the numbers of a text.
type frame struct {
	width  int
	head   [][]byte // the samples' names, if the first line has them, after the name of column 1
	counts bool     // they are numbers that count the samples
	units  int      // 1: the next line has units, or the names of pairs
	paired bool     // each sample has an axis of its own, in the column before
	rows   [][][]byte

	samples []int    // of sort, the columns of samples
	aside   []int    // other columns after the first: annotations of the lines
	columns []column // of the samples
}

// sort parts the columns of samples from annotations: columns of text alone, of ids, and a second
// axis. It reports whether all others have numbers.
func (f *frame) sort(p *parser) bool {
	if p.width = f.width; f.paired {
		return true
	}
	f.samples, f.aside, f.columns = nil, nil, nil
	for j, c := range p.columnsOf(f.rows) {
		name := ""
		if f.head != nil {
			name = shown(f.head[j])
		}
		switch {
		case j == 0:
		case f.head != nil && (c.numbers == 0 && (c.words > 0 || name == "") || annotates(name) ||
			idName(name) && c.whole && c.different && c.words == 0 ||
			isSpectral(name) && f.axis(p, j) != nil):
			f.aside = append(f.aside, j)
		case c.words > 0 || c.numbers == 0:
			return false
		default:
			f.samples, f.columns = append(f.samples, j), append(f.columns, c)
		}
	}
	return true
}

// named reports whether column 1 names the lines: its texts differ, or its numbers rise or fall.
func (f *frame) named(p *parser) bool {
	seen := map[string]bool{}
	for _, line := range f.rows {
		if _, words := p.numbersOf(line[:1]); words > 0 {
			seen[string(line[0])] = true
		}
	}
	return len(f.rows) > 0 && len(seen) == len(f.rows) || len(f.rows) > 4 && f.axis(p, 0) != nil
}

func (f *frame) ragged() bool {
	return slices.ContainsFunc(f.rows, func(line [][]byte) bool { return len(line) != f.width })
}

const (
	leastTurned = 8 // lines that are needed to see which way round a text is
	mostAcross  = 200
)

// frame finds the names of samples and their units. It is not ok where lines differ, or where
// numbers rise in the first line as wavelengths do.
func (s *survey) frame(p *parser) (f frame, ok bool) {
	lines := s.lines
	if s.names != nil {
		lines = slices.Insert(slices.Clone(lines), 0, s.names)
	}
	if f.pair(p, lines) {
		return f, true
	}
	if f = (frame{}); len(lines) < 2 {
		return f, false
	}
	f.width, f.rows = len(lines[0]), lines
	if f.ragged() {
		return f, false
	}
	numbers, words := p.numbersOf(lines[0][1:])
	all := len(numbers) == f.width-1
	switch {
	case all && Ordered(numbers):
		f.head, f.counts = lines[0], counting(numbers)
		if _, first := p.numbersOf(lines[0][:1]); f.counts && (first > 0 || len(lines[0][0]) == 0) {
			break
		}
		f.rows = lines[1:] // both ways have an axis: one with a name of spectra asks
		if axis := f.axis(p, 0); axis == nil || Counts(axis) || !isSpectral(string(utf8Text(lines[0][0]))) {
			return f, false
		}
	case s.names != nil || s.quoted || words == f.width-1,
		words == f.width-2 && len(lines[0][f.width-1]) == 0: // mzMine ends each line with a comma
		f.head = lines[0]
	case !all:
		return f, false
	}
	if f.head != nil {
		f.rows = lines[1:]
	}
	if len(f.rows) > 2 && f.head != nil && s.names == nil {
		above, _ := p.numbersOf(f.rows[0])
		below, _ := p.numbersOf(f.rows[1])
		if f.units = 0; len(above) == 0 && len(below) >= f.width-1 && !empty(f.rows[0]) {
			f.units, f.rows = 1, f.rows[1:]
		}
	}
	return f, true
}

// numbersOf returns the numbers, and counts what is neither a number nor missing.
func (p *parser) numbersOf(fields [][]byte) (numbers []float64, words int) {
	for _, s := range fields {
		s = p.settled(bytes.TrimSpace(s))
		if v, ok := p.value(s); ok {
			numbers = append(numbers, v)
		} else if !missing(s) {
			words++
		}
	}
	return numbers, words
}

// wayRound finds out whether the samples of a text are its columns, and says why.
func (s *survey) wayRound(d *Dialect) (t turning, why string) {
	p := &parser{layout: &layout{dialect: *d}}
	f, ok := s.frame(p)
	if !ok || f.width < 2 {
		return asItStands, ""
	}
	if p.width = f.width; f.paired {
		return certain, f.pairedWhy()
	}
	if len(d.Known) > 0 {
		return f.known(d.Known)
	}
	if f.width < 4 && d.Pick == nil && len(f.rows) > 2*leastTurned && f.sort(p) && f.lone(p, s.unitsOf(f)) {
		n := len(f.samples)
		note := "warning: this seems to be " + Plural(n, "one spectrum", "two spectra") +
			" beside an axis in column 1, whose points are taken for the rows" +
			hint(d.Words.Transpose, " yes makes "+Plural(n, "one row of it", "two rows of them"))
		s.note(note + "; spectra of several files belong in one table")
	}
	if f.width < 4 || len(f.rows) < leastTurned || f.head == nil && d.Pick != nil {
		return asItStands, ""
	}
	if j := f.peaks(); j > 0 && f.sort(p) && len(f.samples) >= 3 {
		return likely, "column " + strconv.Itoa(j+1) + " has the m/z of each line"
	}
	p.width = 1
	first := p.columnsOf(f.rows)[0]
	axis := f.axis(p, 0)
	texts := first.words == len(f.rows) && first.different && f.head != nil
	if axis == nil && !texts {
		return asItStands, ""
	}
	if !f.sort(p) || len(f.samples) < 3 {
		return asItStands, ""
	}
	if texts {
		return f.byNames()
	}
	return f.byAxis(p, axis, s.unitsOf(f))
}

// axis is the numbers of column j where they rise or fall; else nil.
func (f *frame) axis(p *parser, j int) []float64 {
	axis := f.numbers(p, j)
	if len(axis) == len(f.rows) && (rises(axis) || falls(axis)) {
		return axis
	}
	return nil
}

func (f *frame) numbers(p *parser, j int) []float64 {
	list := make([]float64, 0, len(f.rows))
	for _, line := range f.rows {
		v, _ := p.numbersOf(line[j : j+1])
		list = append(list, v...)
	}
	return list
}

// units is the unit of column 1, and whether those of all others are alike.
type units struct {
	axis  string
	alike bool
}

func (s *survey) unitsOf(f frame) units {
	if f.units == 0 {
		return units{}
	}
	line := s.lines[1]
	return units{string(utf8Text(line[0])), !slices.ContainsFunc(line[2:],
		func(u []byte) bool { return len(u) == 0 || !bytes.Equal(u, line[1]) })}
}

// known reports that column 1 has names that the dialect knows, and line 1 has not.
func (f *frame) known(names []string) (turning, string) {
	known := Set(names)
	has := func(s []byte) bool { return known[shown(s)] }
	top := f.rows[0]
	if f.head != nil {
		top = f.head
	}
	down := howMany(f.rows, func(line [][]byte) bool { return has(line[0]) })
	if !slices.ContainsFunc(top[1:], has) && down > 1 && 10*down >= 9*min(len(f.rows), len(names)) {
		return certain, "column 1 has the names of the model's columns"
	}
	return asItStands, ""
}

// byAxis judges a text whose column 1 has numbers.
func (f *frame) byAxis(p *parser, axis []float64, u units) (turning, string) {
	name := ""
	if f.head != nil {
		name = strings.TrimSpace(string(utf8Text(f.head[0])))
	}
	spectral := isSpectral(name) || isSpectral(u.axis)
	why := f.axisName(name, u.axis) + " rises"
	if !rises(axis) {
		why = f.axisName(name, u.axis) + " falls"
	}
	if regular(axis) {
		why += " evenly"
	}
	numbered, sampled := f.likeSamples()
	samples := sampled || numbered || f.counts || u.alike
	alike := ofOneKind(f.columns) && f.smooth(p)
	wide := len(f.samples) >= leastTurned
	switch {
	case isClock(name) || !spectral && Counts(axis):
		return asItStands, ""
	case spectral && (samples || f.head == nil) && (alike || regular(axis) || sampled || u.alike):
		return certain, why
	case spectral && alike:
		return likely, why + ", and the other columns are of one kind"
	case spectral || !alike || !regular(axis):
		return asItStands, ""
	case !wide || years(axis) || f.head != nil && !sampled && !u.alike:
		return asItStands, ""
	case !isTime(name) && spectrumLike(axis) && (name == "" || sampled || u.alike):
		return certain, why + ", and the other columns rise and fall smoothly along it"
	}
	return likely, why + ", and the other columns are of one kind"
}

// lone reports whether a text is a spectrum or two beside their axis.
func (f *frame) lone(p *parser, u units) bool {
	axis := f.axis(p, 0)
	if axis == nil || f.samples == nil {
		return false
	}
	if isSpectral(u.axis) || f.head != nil && isSpectral(string(utf8Text(f.head[0]))) {
		return true
	}
	return f.head == nil && len(f.samples) == 1 && regular(axis) && spectrumLike(axis) &&
		!years(axis) && f.smooth(p)
}

func (f *frame) axisName(name, unit string) string {
	if name = cmp.Or(name, unit); name == "" {
		return "column 1"
	}
	return "column 1 (" + Printable(name) + ")"
}

// byNames judges a text whose column 1 has different texts.
func (f *frame) byNames() (turning, string) {
	shown := strings.TrimSpace(string(utf8Text(f.head[0])))
	name := strings.ToLower(shown)
	numbered, sampled := f.likeSamples()
	n := len(f.samples)
	tall := len(f.rows) >= 2*n
	gene, feature := isGene(name), slices.Contains(featureNames, name)
	switch {
	case f.mutations():
		return certain, "column 1 has types of mutations"
	case f.oxides():
		return certain, "column 1 has oxides"
	case gene && (numbered || sampled):
		return certain, f.axisName(shown, "") + " has genes, and line 1 samples"
	case gene && tall && n > 4 && ofOneKind(f.columns):
		return likely, f.axisName(shown, "") + " has genes"
	case feature && numbered && n > 5 && !likeSample(name): // Probe is a sample in German
		return likely, f.axisName(shown, "") + " has features, and the names in line 1 are numbered"
	case (feature || name == "") && sampled && tall && n > 5:
		return likely, "line 1 has names as of samples, and there are many more rows than columns"
	}
	return asItStands, ""
}

// mutations reports whether column 1 has types of mutations, such as A[C>A]T.
func (f *frame) mutations() bool {
	return !slices.ContainsFunc(f.rows, func(line [][]byte) bool {
		s := bytes.TrimSpace(line[0])
		from, to, _ := bytes.Cut(s, []byte(">"))
		return len(from) == 0 || len(to) == 0 || len(bytes.Trim(s, "ACGT>[]: -_")) > 0
	})
}

// oxides: column 1 has the main ones of rocks.
func (f *frame) oxides() bool {
	return howMany(f.rows, func(line [][]byte) bool {
		return slices.Contains([]string{"SiO2", "Al2O3", "CaO"}, string(bytes.TrimSpace(line[0])))
	}) == 3
}

// peaks is the column, from 0, that has the m/z of lines which are peaks; 0: none.
func (f *frame) peaks() int {
	return max(0, slices.IndexFunc(f.head, func(name []byte) bool {
		return slices.Contains(peakNames, strings.ToLower(string(bytes.TrimSpace(name))))
	}))
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// likeSamples reports whether most names of samples differ in their numbers alone, and
// whether most begin with a word for a sample and a number, or are barcodes of cells.
func (f *frame) likeSamples() (numbered, sampled bool) {
	if f.head == nil {
		return false, false
	}
	shapes, samples := map[string]int{}, 0
	for _, j := range f.samples {
		name := string(bytes.TrimSpace(utf8Text(f.head[j])))
		shape, digits := shapeOf(name)
		if digits && !isNumber([]byte(name)) {
			shapes[shape]++
		}
		word, number := sampleWord(name)
		end := len(word)
		switch {
		case (word == "s" || slices.Contains(sampleWords, word)) && len(number) > 0 && isDigit(number[0]),
			end >= 4 && strings.Trim(name[:end], "ACGT") == "" && digits, // a barcode such as AAACCTG-1
			end >= 10 && strings.Trim(name, "ACGT") == "",
			word == "tcga":
			samples++
		}
	}
	most, n := slices.Max(append(slices.Collect(maps.Values(shapes)), 0)), len(f.samples)
	return 5*most >= 4*n, 5*samples >= 4*n
}

// sampleWord parts a name into a first word, in lower case, and a number.
func sampleWord(name string) (word, number string) {
	rest := strings.TrimLeftFunc(name, isLetter)
	return strings.ToLower(strings.TrimSuffix(name, rest)), strings.TrimLeft(rest, " _-.#")
}

func likeSample(name string) bool {
	word, _ := sampleWord(name)
	return slices.Contains(sampleWords, word)
}

// shapeOf is a name with 0 for every number in it.
func shapeOf(name string) (shape string, digits bool) {
	var b []byte
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case !isDigit(c):
			b = append(b, c)
		case i == 0 || !isDigit(name[i-1]):
			b, digits = append(b, '0'), true
		}
	}
	return string(b), digits
}

// spectrumLike reports whether even numbers are in the range of wavelengths, wavenumbers and
// energies, and no times since a start or an epoch.
func spectrumLike(axis []float64) bool {
	least := slices.Min(axis)
	return least >= 20*math.Abs(axis[1]-axis[0]) && least >= 100 && slices.Max(axis) <= 3e4
}

// ofOneKind reports whether columns have entries of about one size.
func ofOneKind(columns []column) bool {
	least, most := math.Inf(1), 0.0
	for _, c := range columns {
		size := max(math.Abs(c.least), math.Abs(c.most))
		least, most = min(least, size), max(most, size)
	}
	return most <= 1000*least && most > 0
}

// smooth: most columns change little from line to line, for how far they change in all.
func (f *frame) smooth(p *parser) bool {
	samples, n := f.samples[:min(len(f.samples), mostAcross)], 0
	for _, j := range samples {
		list := f.numbers(p, j)
		mean, steps, square := 0.0, 0.0, 0.0
		for _, v := range list {
			mean += v / float64(len(list))
		}
		for i, v := range list {
			square += (v - mean) * (v - mean)
			if i > 0 {
				steps += (v - list[i-1]) * (v - list[i-1])
			}
		}
		if steps < 0.4*square { // 2 for noise
			n++
		}
	}
	return 4*n >= 3*len(samples)
}

// turned returns the text of a table with its columns as rows, in CSV, and the line of each of
// its columns in the text.
func (s *survey) turned(p *parser, in *chunks, text []byte) (csv []byte, lines []int, f frame, err error) {
	f, _ = s.frame(p)
	var table []packed
	err = s.records(p, in, text, f.after, func(fields [][]byte, line int) *Error {
		if n := len(table); f.paired && n == 0 {
			fields = f.head
		} else if f.paired && n > f.units {
			if err := f.agree(p, fields); err != nil {
				return err
			}
		}
		table, lines = append(table, pack(fields)), append(lines, line)
		return nil
	})
	if err != nil {
		return nil, nil, f, err
	}
	if f.units > 0 {
		table, lines = slices.Delete(table, 1, 2), slices.Delete(lines, 1, 2)
	}
	width, corner := p.width, true
	if f.head != nil && f.named(p) {
		corner = false // the name of column 1
		f.sort(p)
	}
	comma := string(p.dialect.comma())
	for j := range width {
		if _, left := slices.BinarySearch(f.aside, j); left {
			continue
		}
		for i, line := range table {
			if i > 0 {
				csv = append(csv, comma...)
			}
			if i+j > 0 || corner {
				csv = appendField(csv, line.field(j))
			}
		}
		csv = append(csv, '\n')
	}
	return csv, lines, f, nil
}

// packed is the fields of a line, one after another: less memory than a slice each.
type packed struct {
	text []byte
	ends []uint32
}

func pack(fields [][]byte) packed {
	p := packed{bytes.Join(fields, nil), make([]uint32, len(fields))}
	at := 0
	for j, f := range fields {
		at += len(f)
		p.ends[j] = uint32(at) // a line has at most 64 MB
	}
	return p
}

func (p *packed) field(j int) []byte {
	if j == 0 {
		return p.text[:p.ends[0]]
	}
	return p.text[p.ends[j-1]:p.ends[j]]
}

// appendField appends a field of CSV, in quotes unless it is a number.
func appendField(csv, s []byte) []byte {
	if s = bytes.TrimSpace(s); isNumber(s) || len(s) == 0 {
		return append(csv, s...)
	}
	csv = append(csv, '"')
	csv = append(csv, bytes.ReplaceAll(s, []byte(`"`), []byte(`""`))...)
	return append(csv, '"')
}

// rolesGiven is the first setting that is about columns.
func (d *Dialect) rolesGiven() string {
	for _, setting := range []struct {
		given bool
		word  string
	}{
		{d.Label != "", d.Words.Label}, {d.Weights != "", d.Words.Weights},
		{d.ID != "" && d.ID != NoID, d.Words.ID}, {d.Drop != nil, d.Words.Drop},
		{d.Keep != nil, d.Words.Keep}, {d.Names != nil, d.Words.Names},
		{d.Header == HeaderNo, d.Words.Header},
	} {
		if setting.given {
			return setting.word
		}
	}
	return ""
}

// choose decides which way round a text is read. The error asks.
func (s *survey) choose(d *Dialect) (turn bool, note string, err *Error) {
	ask := d.Words.Transpose
	switch {
	case d.Transpose == TransposeYes:
		return true, "the table is turned, as asked: its columns are the rows", nil
	case d.Transpose == TransposeNo || !d.Guess:
		return false, "", nil
	}
	t, why := s.wayRound(d)
	err = d.doubt(t, d.rolesGiven(), ask, "the samples of this table seem to be its columns, since "+why,
		"reads it so", "reads the rows as they are")
	switch {
	case t == asItStands || err != nil:
		return false, "", err
	case t == certain:
		return true, "the table is turned: its columns are the rows, since " + why +
			hint(ask, " no reads it as it stands"), nil
	}
	s.note("the samples of this table may be its columns, since " + why + hint(ask, " yes reads it so"))
	return false, "", nil
}

func (s *survey) openTurned(in *chunks, text []byte, d Dialect, note string) (*Reader, *chunks, error) {
	if d.Stream {
		return nil, nil, d.inBlocks(in.source, d.Words.Transpose)
	}
	if s == nil {
		s = new(survey)
	}
	p := &parser{layout: &layout{dialect: d, source: in.source}}
	csv, lines, f, err := s.turned(p, in, text)
	if err != nil {
		return nil, nil, err
	}
	d.Transpose = TransposeNo
	if d.Header == HeaderAuto && d.Names == nil && f.width > 0 {
		if d.Header = HeaderNo; f.named(p) {
			d.Header = HeaderYes
		}
	}
	switch {
	case f.head == nil || d.Label == "1" || d.Weights == "1":
	case d.ID == "":
		d.ID = "1"
	case d.ID == NoID:
		d.Drop = append(slices.Clone(d.Drop), "1")
	}
	if f.aside != nil && !f.paired {
		var aside []string
		for _, j := range f.aside {
			if name := shown(f.head[j]); name != "" {
				aside = append(aside, "column "+strconv.Itoa(j+1)+" ("+name+")")
			}
		}
		if aside != nil {
			note += "; left out as no samples: " + someOf(aside)
		}
	}
	t, in, err := s.reopen(in, csv, d, note, &turnedText{lines, f.aside})
	if err != nil {
		return nil, nil, err
	}
	if t.Turned = true; f.head != nil {
		t.Axis = shown(f.head[0])
	}
	return t, in, nil
}

// turnedText is where the fields of a turned text were.
type turnedText struct {
	lines []int // those of its columns
	aside []int // the columns, from 0, that are left out
}

func (t *turnedText) place(line, column int) (int, int) {
	if column == 0 {
		return 0, t.across(line)
	}
	return t.lines[min(column, len(t.lines))-1], t.across(line)
}

func (t *turnedText) on(line int) string { return "in its column " + strconv.Itoa(t.across(line)) }

// across is the column that was line.
func (t *turnedText) across(line int) int {
	for _, j := range t.aside {
		if j < line {
			line++
		}
	}
	return line
}
