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

// frame is what surrounds the numbers of a text, and what they are.
type frame struct {
	ok      bool
	width   int
	head    [][]byte // the samples' names, if the first line has them, after the name of column 1
	units   int      // lines after it with units, or the names of pairs
	left    string   // the note on these units
	classes turning  // a line after these has the classes of the samples; certain: one of them comes twice
	paired  bool     // each sample has an axis of its own, in the column before
	rows    [][][]byte

	name, unit string // of column 1
	about      bool   // text above the table is about spectra

	all     []column
	samples []int // the columns of samples, of sort
	aside   []int // other columns after the first: annotations of the lines
}

const (
	leastTurned = 8 // lines that are needed to see which way round a text is
	mostAcross  = 200
	smoothSteps = 0.4 // squared steps of smooth numbers, by their variance: 2 for noise
)

// frame finds the names of samples, their units, and the columns. It is not ok where lines differ, or where
// numbers rise in the first line as wavelengths do.
func (s *survey) frame(p *parser) (f frame) {
	lines := s.lines
	if len(lines) == 0 {
		return f
	}
	if s.head = p.guessHeader(lines); !s.names {
		s.units, s.classes = p.headLines(lines)
	}
	if f.ok = f.pair(p, lines); f.ok {
		return f
	}
	first := lines[0]
	f = frame{about: s.about, width: len(first), rows: lines}
	numbers := s.head.numbers
	numbers = numbers[max(0, len(numbers)-f.width+1):] // but the one in the corner
	ordered := len(numbers) == f.width-1 && Ordered(numbers)
	counts := ordered && counting(numbers) && !trimmedNumber(first[0])
	across := ordered && !counts && !is("axis", shown(first[0]))
	if !across && (s.head.is || counts) {
		f.head, f.rows, f.name = first, lines[1:], shown(first[0])
	}
	other := func(line [][]byte) bool { return len(line) != f.width }
	f.ok = len(lines) > 1 && !across && !slices.ContainsFunc(lines, other)
	if f.head != nil && len(f.rows) > 2 {
		f.findUnits(s)
	}
	p.width = f.width
	f.all = p.columnsOf(f.rows)
	return f
}

// findUnits takes the lines below the names from the rows.
func (f *frame) findUnits(s *survey) {
	if f.units = s.units; f.units > 0 {
		line := f.rows[0]
		f.unit, f.left = shown(line[0]), noteHeadLines(f.units, line)
	}
	f.rows = f.rows[f.units:]
	if s.classes > 0 {
		if f.classes = likely; is("class", shown(f.rows[0][0])) && repeats(f.rows[0]) {
			f.classes = certain
		}
		f.rows = f.rows[s.classes:]
	}
}

// above is how many lines are before the numbers: names, units.
func (f *frame) above() int {
	if f.head == nil {
		return 0
	}
	return 1 + f.units
}

// nameOf is the name of column j; "" for none.
func (f *frame) nameOf(j int) string {
	if f.head == nil {
		return ""
	}
	return shown(f.head[j])
}

// sort parts the columns of samples from annotations: columns of text alone, of ids, and a second
// axis. It reports whether all others have numbers.
func (f *frame) sort() bool {
	f.samples, f.aside = nil, nil
	for j := 1; j < f.width; j++ {
		c, name := &f.all[j], f.nameOf(j)
		switch {
		case f.head != nil && (c.numbers == 0 || is("aside", name) || c.words > 0 && is("of features", name) ||
			idName(name) && c.whole && c.different && c.words == 0 ||
			is("axis", name) && c.axis(len(f.rows)) != nil):
			f.aside = append(f.aside, j)
		case c.words > 0 || c.numbers == 0:
			return false
		default:
			f.samples = append(f.samples, j)
		}
	}
	return true
}

// named reports whether column 1 names the lines: its texts differ, its numbers rise or fall, or they are whole
// and differ below a name of ids or of features, or below none.
func (f *frame) named() bool {
	if f.paired {
		return true
	}
	n, c := len(f.rows), &f.all[0]
	ids := f.head != nil && (f.name == "" || idName(f.name) || is("feature", f.name) || is("gene", f.name))
	return n > 0 && c.different && c.words+c.numbers == n && (c.words == n || c.whole && ids) ||
		n > 4 && f.axis() != nil
}

// axis returns the axis in column 1, nil if there is none. If its name is a name of axes, a few lines may contain
// words there, such as depth. They describe the samples.
func (f *frame) axis() []float64 {
	c, n := &f.all[0], len(f.rows)
	if c.words <= mostHeadLines && longAxis*c.words < n && is("axis", f.name) {
		n -= c.words
	}
	return c.axis(n)
}

// axis is the numbers of a column if they rise or fall in all rows, however they are rounded; else nil.
func (c *column) axis(rows int) []float64 {
	steps := slices.Compact(slices.Clone(c.list))
	if len(c.list) == rows && 2*len(steps) > rows && (rises(steps) || falls(steps)) {
		return c.list
	}
	return nil
}

// wayRound finds out whether the samples of a text are its columns, and says why.
func (s *survey) wayRound(d *Dialect, f *frame) (t turning, why string) {
	switch {
	case f.paired:
		n := len(f.samples)
		return certain, Count(n, "sample") + Plural(n, " has its own column of ", " have columns of ") +
			shown(f.head[0]) + Plural(n, "", ", all alike")
	case f.ok && len(d.Known) > 0:
		return f.known(d.Known)
	case !f.ok || len(f.rows) < leastTurned || !f.sort():
		return asItStands, ""
	}
	axis, head, about := f.axis(), f.head, -1
	lineage := func(v string) bool { return strings.Count(v, ";")+strings.Count(v, "|") >= 3 }
	for j := len(head) - 1; j >= 0; j-- {
		if c := &f.all[j]; is("of features", f.nameOf(j)) || c.words > 0 && 2*howMany(c.values, lineage) > len(c.values) {
			about = j
		}
	}
	rules := []evidence{
		{f.classes > asItStands, f.classes, "a line below their names has classes"}, // or is a row without numbers
		{len(f.samples) < 3 || head == nil && d.Pick != nil, asItStands, ""},
		{s.gct, certain, "the file has the form GCT"},
		{about > 0 || about == 0 && !f.spectral(), likely,
			f.column(max(about, 0)) + " tells of features"},
	}
	if axis != nil {
		rules = append(rules, f.byAxis(axis)...)
	} else if f.all[0].words == len(f.rows) && f.all[0].different {
		rules = append(rules, f.byNames()...)
	}
	t, why = decide(rules)
	if t == asItStands && d.Pick == nil {
		if what := f.lone(axis); what != "" {
			n := max(1, len(f.samples))
			s.note("warning: this seems to be " + what + " are taken for the rows" +
				hint(d.Words.Transpose, " yes makes "+Plural(n, "one row of it", Count(n, "row")+" of them")) +
				"; put the samples of several files into one table")
		}
	}
	return t, why
}

// known reports that column 1 has names that the dialect knows, and line 1 has not.
func (f *frame) known(names []string) (turning, string) {
	known := Set(names)
	has := func(name string) bool { return known[name] }
	down, top := f.down(has), f.rows[0]
	if f.head != nil {
		top = f.head
	}
	across := slices.ContainsFunc(mapped(top[1:], shown), has)
	if !across && down > 1 && 10*down >= 9*min(len(f.rows), len(names)) {
		return certain, "column 1 has the names of the model's columns"
	}
	return asItStands, ""
}

// spectral reports whether the name of column 1, its unit or the text above say that it is an axis.
func (f *frame) spectral() bool {
	return is("axis", f.name) || is("axis", f.unit) || f.about && (f.name == "" || f.name == "x" || f.name == "X")
}

// evidence is a rule: if it holds, it decides, and why.
type evidence struct {
	holds bool
	t     turning
	why   string
}

// decide returns what the first rule says that holds.
func decide(rules []evidence) (t turning, why string) {
	for _, e := range rules {
		if e.holds {
			return e.t, e.why
		}
	}
	return asItStands, ""
}

// byAxis returns the rules for a text whose column 1 is an axis.
func (f *frame) byAxis(axis []float64) []evidence {
	why, spectral, even, smooth := f.column(0)+" falls", f.spectral(), regular(axis), f.smooth()
	if rises(axis) {
		why = f.column(0) + " rises"
	}
	if even {
		why += " evenly"
	}
	if smooth {
		why += ", and the other columns rise and fall smoothly along it"
	}
	numbered, _, sampled := likeSamples(f.sampleNames())
	samples, bare := sampled || numbered, f.head == nil
	return []evidence{
		{is("clock", f.name) || !spectral && Counts(axis), asItStands, ""},
		{spectral && (samples || bare) && (smooth || even || sampled), certain, why},
		{spectral && (smooth || samples), likely, why},
		{spectral || !smooth || !even || len(f.samples) < leastTurned || years(axis), asItStands, ""},
		{!bare && !sampled, asItStands, ""},
		{!is("time", f.name) && spectrumLike(axis) && (f.name == "" || sampled), certain, why},
		{true, likely, why},
	}
}

// lone says that a text is a spectrum or two beside their axis, the numbers of one without it, or a sample or
// two beside names of features; "" if it is none.
func (f *frame) lone(axis []float64) string {
	n := len(f.samples)
	switch {
	case axis == nil && n > 0 && n < 3 && f.all[0].different && f.features():
		return Count(n, "sample") + " beside names of features, whose features"
	case len(f.rows) <= 2*leastTurned:
	case f.width == 1:
		f.samples = []int{0}
		if (axis == nil || !even(axis)) && (f.about || f.smooth()) {
			return "one spectrum, a number a line, whose points"
		}
	case axis != nil && n > 0 && (f.spectral() && !is("clock", f.name) || f.head == nil && n == 1 &&
		regular(axis) && !Counts(axis) && !years(axis) && f.all[1].axis(len(f.rows)) == nil):
		return []string{"one spectrum", "two spectra", "one measurement with several channels"}[min(n, 3)-1] +
			" beside an axis in column 1, whose points"
	}
	return ""
}

// column is "column 2 (depth)", without a name if there is none. Column 1 may have a unit instead.
func (f *frame) column(j int) string {
	s, name := "column "+strconv.Itoa(j+1), f.nameOf(j)
	if j == 0 {
		name = cmp.Or(name, f.unit)
	}
	if name != "" {
		s += " (" + name + ")"
	}
	return s
}

// byNames returns the rules for a text whose column 1 has different texts.
func (f *frame) byNames() []evidence {
	numbered, _, sampled := likeSamples(f.sampleNames())
	n, rows, samples := len(f.samples), len(f.rows), numbered || sampled
	gene, features := is("gene", f.name), f.features()
	feature := is("feature", f.name) || features
	return []evidence{
		{f.down(isMutation) == rows, certain, "column 1 has types of mutations"},
		{f.down(func(s string) bool { return is("oxide", s) }) == 3, certain, "column 1 has oxides"},
		{f.down(isElement) >= max(5, 4*rows/5), likely, "column 1 has elements"},
		{gene && samples, certain, f.column(0) + " has genes, and line 1 samples"},
		{gene && n > 4, likely, f.column(0) + " has genes or proteins"}, // few are signatures
		{samples && (is("down", f.name) || feature && n > 4) && !likeSample(f.name), likely,
			f.column(0) + " has features, and the names in line 1 are numbered"},
		{f.head == nil && features, likely, "column 1 has names of features"},
		{(feature || f.name == "") && sampled && rows >= 2*n && n > 5, likely,
			"line 1 has names as of samples, and there are many more rows than columns"},
	}
}

// sampleNames are the names of samples, if line 1 has them.
func (f *frame) sampleNames() (names []string) {
	for _, j := range f.samples {
		if f.head != nil {
			names = append(names, string(bytes.TrimSpace(utf8Text(f.head[j]))))
		}
	}
	return names
}

// down is how many lines have a name in column 1 that is as asked.
func (f *frame) down(is func(string) bool) int {
	return howMany(f.rows, func(line [][]byte) bool { return is(shown(line[0])) })
}

// features reports whether column 1 has names of features.
func (f *frame) features() bool { return 5*f.down(isFeature) >= 4*len(f.rows) }

// isMutation reports whether s is a type of mutations, such as A[C>A]T.
func isMutation(s string) bool {
	from, to, _ := strings.Cut(s, ">")
	return from != "" && to != "" && strings.Trim(s, "ACGT>[]: -_") == ""
}

// isFeature reports whether s is a name such as gene12, OTU_3, ENSG00000000003 and Abra alba.
func isFeature(s string) bool {
	word, number := sampleWord(s)
	at := max(0, strings.IndexAny(s, " ._"))
	genus, species := s[:at], s[min(at+1, len(s)):]
	lower := func(s string) bool { return len(s) > 1 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz. ") == "" }
	return number != "" && (is("gene", word) || is("feature", word) || strings.HasPrefix(word, "ens")) ||
		len(genus) > 2 && genus[0] >= 'A' && genus[0] <= 'Z' && lower(genus[1:]) && latin(species) && lower(species)
}

// latin reports whether a word may be the second of a species' name: Orange juice and Whole milk are none.
func latin(s string) bool {
	return slices.ContainsFunc([]string{"a", "i", "is", "us", "um", "are", "ale", "ens", "ans", "sp.", "spp.", "sp"},
		func(end string) bool { return strings.HasSuffix(s, end) })
}

// isElement reports whether s is the symbol of an element, with or without a unit.
func isElement(s string) bool {
	word, _, _ := strings.Cut(strings.ReplaceAll(s, "_", " "), " ")
	return words["element"][word]
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// likeSamples reports three things about names. numbered: most differ in their numbers alone, as names of few
// kinds do. replicated: there are several such kinds, each with replicates. sampled: most begin with a word for
// a sample and a number, or are barcodes of cells.
func likeSamples(names []string) (numbered, replicated, sampled bool) {
	shapes, numbers, samples := map[string]int{}, 0, 0
	for _, name := range names {
		shape, digits := shapeOf(name)
		if digits && (!isNumber([]byte(name)) || shape == "0") {
			shapes[shape]++
			numbers++
		}
		word, number := sampleWord(name)
		end := len(word)
		switch {
		case (word == "s" || is("sample", word)) && len(number) > 0 && (isDigit(number[0]) || len(number) == 1),
			end >= 4 && strings.Trim(name[:end], "ACGT") == "": // a barcode such as AAACCTG-1
			samples++
		}
	}
	most, n := slices.Max(append(slices.Collect(maps.Values(shapes)), 0)), len(names)
	replicated = len(shapes) > 1 && 2*len(shapes) <= n && 5*numbers >= 4*n
	return n > 0 && 5*most >= 4*n || replicated, replicated, n > 0 && 5*samples >= 4*n
}

// sampleWord parts a name such as WT_rep1 into a first word, in lower case, and a number.
func sampleWord(name string) (word, number string) {
	rest := strings.TrimLeftFunc(name, isLetter)
	number = strings.TrimPrefix(strings.TrimLeft(rest, " _-.#"), "rep")
	return strings.ToLower(strings.TrimSuffix(name, rest)), number
}

func likeSample(name string) bool {
	word, _ := sampleWord(name)
	return is("sample", word) // Probe is one in German
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

// smooth reports whether most samples change little from line to line, for how far they change in all.
func (f *frame) smooth() bool {
	samples := f.samples[:min(len(f.samples), mostAcross)]
	n := howMany(samples, func(j int) bool {
		list := f.all[j].list
		sum, steps, squares := 0.0, 0.0, 0.0
		for i, v := range list {
			step := v - list[max(0, i-1)]
			v -= list[0]
			sum, steps, squares = sum+v, steps+step*step, squares+v*v
		}
		return steps < smoothSteps*(squares-sum*sum/float64(len(list)))
	})
	return 4*n >= 3*len(samples)
}

// turned arranges a text with its columns as rows.
func (s *survey) turned(p *parser, in *chunks, text []byte, f *frame) (a *arranged, err error) {
	if p.width = f.width; !f.paired && f.width > 0 {
		f.sort()
	}
	lines, at, err := s.records(p, in, text, f.after)
	if err != nil {
		return nil, err
	}
	if f.head != nil && len(lines) > 0 {
		lines[0] = pack(f.head)
	}
	if n := min(f.above(), len(lines)); n > 1 { // text may follow at once
		lines, at = slices.Delete(lines, 1, n), slices.Delete(at, 1, n)
	}
	if err := f.agree(p, lines, at); err != nil {
		return nil, err
	}
	corner := f.head == nil || !f.named() // a value, and no name of column 1
	if corner {
		f.aside = nil
	}
	a = &arranged{lines: lines, at: at, turned: true}
	a.on = func(i int) string {
		return "in its column " + strconv.Itoa(int(a.cells[i][len(lines)-1].field)+1)
	}
	for j := range p.width {
		if _, aside := slices.BinarySearch(f.aside, j); aside {
			continue
		}
		row := make([]cell, len(lines))
		for i := range row {
			row[i] = cell{int32(i), int32(j)}
		}
		a.cells = append(a.cells, row)
	}
	if !corner && len(lines) > 0 {
		a.cells[0][0].field = -1
	}
	return a, nil
}

// choose decides which way round a text is read. The error asks.
func (s *survey) choose(p *parser, f *frame) (turn bool, note string, err *Error) {
	d, ask := &p.dialect, p.dialect.Words.Transpose
	switch {
	case d.Transpose == TransposeYes:
		return true, "the table is transposed, as asked: its columns are the rows", nil
	case d.Transpose == TransposeNo || !d.Guess:
		return false, "", nil
	}
	t, why := s.wayRound(d, f)
	down := func(line [][]byte) string { return shown(line[0]) }
	stay := t == certain && hasAll(mapped(s.lines[1:], down), d.columns())
	err = d.doubt(t, stay, ask, "the samples of this table seem to be its columns, since "+why,
		"reads it so", "reads the rows as they are")
	switch {
	case t == asItStands || err != nil:
		return false, "", err
	case t == certain:
		return true, "the table is transposed: its columns are the rows, since " + why +
			hint(ask, " no reads it as it stands"), nil
	}
	s.note("the samples of this table may be its columns, since " + why + hint(ask, " yes reads it so"))
	return false, "", nil
}

// settings changes a Dialect of the text to one of the turned table, and returns the end of a note.
func (f *frame) settings(d *Dialect) (note string) {
	if d.Header == HeaderAuto && d.Names == nil && f.width > 0 {
		if d.Header = HeaderNo; f.named() {
			d.Header = HeaderYes
		}
	}
	if f.head != nil && d.Label != "1" && d.Weights != "1" {
		d.takeIDs("1")
	}
	named := slices.DeleteFunc(slices.Clone(f.aside), func(j int) bool { return f.nameOf(j) == "" })
	if len(named) > 0 {
		note += "; left out as no samples: " + someOf(mapped(named, f.column))
	}
	if f.left != "" {
		note += "; " + f.left
	}
	return note
}
