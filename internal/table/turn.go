package table

// Spectroscopy, genomics and work on single cells keep a sample in each column: the first
// column has wavelengths or genes, the first line the names of the samples. Such a table is
// turned before anything else is read from it. It is turned without being asked only where
// more than one thing says so; a first column that rises may as well be the time of rows.

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
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
	head    [][]byte   // the samples' names, if the first line has them, after the name of column 1
	above   int        // lines before the numbers: names, units, the names of pairs
	paired  bool       // each sample has an axis of its own, in the column before
	classes [][][]byte // lines after these with the classes of the samples
	rows    [][][]byte

	name, unit string // of column 1; the unit may be the name
	about      bool   // text above is about spectra

	all     []column
	key     int   // the column that names the lines or is their axis: column 1 here, wherever it stands
	samples []int // the columns of samples, of sort
	aside   []int // other columns: annotations of the lines
	again   []int // aside columns that repeat the axis
}

const (
	leastTurned = 8 // lines that are needed to see which way round a text is
	leastCurve  = 100
	smoothSteps = 0.4 // squared steps of smooth numbers, by their variance: 2 for noise
)

// frame finds the names of samples, their units, and the columns. It is not ok where lines differ.
func (s *survey) frame(p *parser) (f frame) {
	lines := s.lines
	if len(lines) == 0 {
		return f
	}
	if s.head = p.guessHeader(lines); !s.names {
		s.units, s.classes = p.headLines(lines)
	}
	if f.about = s.about; !f.pair(lines) {
		f.width, f.rows = len(lines[0]), lines
		if s.head.is {
			f.head, f.rows, f.name, f.above = lines[0], lines[1:], shown(lines[0][0]), 1
		}
		other := func(line [][]byte) bool { return len(line) != f.width }
		f.ok = len(lines) > 1 && !slices.ContainsFunc(lines, other)
		if f.head != nil && len(f.rows) > 2 {
			if f.above += s.units; s.units > 0 {
				f.unit = shown(f.rows[0][0])
				f.name = cmp.Or(f.name, f.unit)
			}
			f.classes, f.rows = f.rows[s.units:][:s.classes], f.rows[s.units+s.classes:]
		}
	}
	p.width = f.width
	f.all = p.columnsOf(f.rows)
	for j, name := range f.head {
		f.all[j].name = shown(name)
	}
	f.all[0].name = f.name
	return f
}

// lead makes the first column that names genes or species the key, if only text, as of taxa, and counters
// stand before it.
func (f *frame) lead() {
	if !f.ok || f.paired || f.head == nil || f.all[0].text() && f.all[0].different {
		return
	}
	for j := range f.all {
		c, name := &f.all[j], f.nameOf(j)
		if c.different && c.words == len(f.rows) && (is("gene", name) || is("feature", name)) {
			f.key, f.name = j, name
			return
		} else if !c.text() && !f.counts(j) {
			return
		}
	}
}

// counts reports whether a column without a name counts the lines.
func (f *frame) counts(j int) bool {
	c := &f.all[j]
	return c.consecutive && c.numbers == max(2, len(f.rows)) && nameless(j, c.name)
}

// nameOf is the name of column j; "" for none.
func (f *frame) nameOf(j int) string { return f.all[j].name }

// sort parts the columns of samples from annotations: columns of text alone, of ids, and a second
// axis. It reports whether all others have numbers. An axis before each sample makes pairs.
func (f *frame) sort() bool {
	if f.paired {
		return true
	}
	f.samples, f.aside, f.again = nil, nil, nil
	for j := range f.width {
		c, name := &f.all[j], f.nameOf(j)
		again := sameAxis(name, f.name)
		axis := (again || is("axis", name)) && c.axis(len(f.rows)) != nil
		switch {
		case j == f.key:
		case f.head != nil && (axis || c.numbers == 0 || is("aside", name) || f.counts(j) ||
			idName(name) && c.whole && c.different && c.words == 0):
			if f.aside = append(f.aside, j); axis && again {
				f.again = append(f.again, j)
			}
		case c.words > 0 || c.numbers == 0:
			return false
		default:
			f.samples = append(f.samples, j)
		}
	}
	f.paired = len(f.again) > 0 && len(f.samples) == len(f.again)+1
	return true
}

// named reports whether column 1 names the lines: its texts differ, its numbers rise or fall, or they are
// whole and differ below a name of ids or of features, or below none.
func (f *frame) named() bool {
	if f.paired {
		return true
	}
	n, c := len(f.rows), &f.all[f.key]
	ids := f.head != nil && (f.name == "" || idName(f.name) || is("feature", f.name) || is("gene", f.name))
	return n > 0 && c.different && c.words+c.numbers == n && (c.words == n || c.whole && ids) ||
		n > 4 && f.axis() != nil || lineages(*c)
}

// axis returns the axis in column 1, nil if there is none. If its name is a name of axes, a few lines may
// contain words there, such as depth. They describe the samples.
func (f *frame) axis() []float64 {
	c, n := &f.all[f.key], len(f.rows)
	if c.words <= mostHeadLines && longAxis*c.words < n && is("axis", f.name) {
		n -= c.words
	}
	return c.axis(n)
}

// axis is the numbers of a column if they rise or fall in all rows, however they are rounded; else nil.
func (c *column) axis(rows int) []float64 {
	steps := slices.Compact(slices.Clone(c.list))
	if len(c.list) == rows && 2*len(steps) > rows && Ordered(steps) {
		return c.list
	}
	return nil
}

// wayRound finds out whether the samples of a text are its columns, and says why.
func (s *survey) wayRound(d *Dialect, f *frame) (t turning, why string) {
	switch {
	case f.ok && !f.paired && len(d.Known) > 0:
		return f.known(d.Known)
	case !f.ok || !f.sort():
		return asItStands, ""
	case f.paired:
		n := len(f.samples)
		return certain, Count(n, "sample") + Plural(n, " has", " have") + " columns of " + f.name + ", all alike"
	case len(f.classes) > 0: // or is a row without numbers
		if t = likely; is("class", shown(f.classes[0][f.key])) && repeats(f.classes[0]) {
			t = certain
		}
		return t, "a line below their names has classes"
	case s.gct:
		return certain, "the file has the form GCT"
	}
	if at := slices.IndexFunc(f.all, lineages); at >= 0 && len(f.samples) > 2 {
		return likely, f.column(at) + " names features"
	} else if len(f.rows) < leastTurned {
		return asItStands, ""
	}
	axis := f.axis()
	if len(f.samples) > 2 && (f.head != nil || d.Pick == nil) {
		t, why = f.tells(axis)
	}
	if t == asItStands && d.Pick == nil && f.lone(axis) {
		n := len(f.samples)
		these := Plural(n, "1 sample or channel in a column", strconv.Itoa(n)+" samples or channels in columns")
		s.note("warning: this seems to be " + these + ": each line is taken for a row" +
			hint(d.Words.Transpose, " yes makes rows of the columns") +
			"; put the samples of several files into one table")
	}
	return t, why
}

// tells weighs what tells that three columns or more are samples: column 1 is an axis or has features,
// line 1 names samples, and the columns are smooth. Two of them leave no doubt if a name tells the
// first.
func (f *frame) tells(axis []float64) (t turning, why string) {
	numbered, _, sampled := likeSamples(mapped(f.samples, f.nameOf))
	n, c, bare, spectral := len(f.samples), &f.all[f.key], f.head == nil, f.spectral()
	samples, smooth := numbered || sampled, axis != nil && f.smooth()
	gene := is("gene", f.name) || f.down(isMutation) == len(f.rows) || f.down(isOxide) == 3
	for j := range f.all {
		if is("of features", f.nameOf(j)) && (j != f.key || !spectral) {
			return likely, f.column(j) + " names features"
		}
	}
	switch why = f.column(f.key) + " names features"; {
	case axis != nil:
		if why = f.column(f.key) + " is an axis"; smooth {
			why += ", along which the other columns rise and fall smoothly"
		}
		switch {
		case f.clock(axis):
		case spectral && (samples || bare && smooth):
			return certain, why
		case smooth && (spectral || regular(axis) && n >= leastTurned && (sampled || bare)):
			return likely, why
		}
	case c.words < len(f.rows) || !c.different:
	case gene && samples:
		return certain, why + ", and line 1 names samples"
	case n > 4 && (gene || samples && (is("feature", f.name) || f.features()) || sampled && f.name == ""),
		bare && (gene || f.features()): // few are signatures otherwise
		return likely, why
	}
	return asItStands, ""
}

// known reports that column 1 has names that the dialect knows, and line 1 has not.
func (f *frame) known(names []string) (turning, string) {
	known := Set(names)
	has := func(name string) bool { return known[name] }
	down, top := f.down(has), f.rows[0]
	if f.head != nil {
		top = f.head
	}
	above := slices.ContainsFunc(mapped(top[f.key+1:], shown), has)
	if above || down < 2 || 10*down < 9*min(len(f.rows), len(names)) {
		return asItStands, ""
	}
	return certain, "column " + strconv.Itoa(f.key+1) + " has the names of the model's columns"
}

// spectral reports whether the name of column 1, its unit or the text above say that it is an axis.
func (f *frame) spectral() bool {
	return is("axis", f.name) || is("axis", f.unit) || f.about && strings.Trim(f.name, "xX") == ""
}

// lineages reports whether most values of a column are lineages, such as k__Bacteria;p__Firmicutes;c__;o__.
func lineages(c column) bool {
	lineage := func(v string) bool { return strings.Count(v, ";")+strings.Count(v, "|") >= 3 }
	return c.words > 0 && 2*howMany(c.values, lineage) > len(c.values)
}

// clock reports whether an axis in column 1 may count or tell the time.
func (f *frame) clock(axis []float64) bool {
	return is("clock", f.name) || !f.spectral() && (Counts(axis) || years(axis))
}

// lone reports whether a text seems to be one or two samples, or several channels of one, in columns beside
// an axis or names of features in column 1, or one without them.
func (f *frame) lone(axis []float64) bool {
	n := len(f.samples)
	switch {
	case axis == nil && n > 0:
		return n < 3 && f.all[f.key].different && f.features()
	case n == 0:
		f.samples = []int{0}
		return f.width == 1 && (axis == nil || !even(axis)) && (f.about || f.smooth())
	}
	curve := f.width == 2 && len(f.rows) >= leastCurve && !f.all[0].whole || f.head == nil && regular(axis)
	return !f.clock(axis) && (f.spectral() || curve && n == 1 && f.all[1].axis(len(f.rows)) == nil)
}

func (f *frame) column(j int) string { return columnName(j, f.nameOf(j)) }

// down is how many lines have a name in column 1 that is as asked.
func (f *frame) down(is func(string) bool) int {
	return howMany(f.rows, func(line [][]byte) bool { return is(shown(line[f.key])) })
}

// features reports whether column 1 has names of features.
func (f *frame) features() bool { return 5*f.down(isFeature) >= 4*len(f.rows) }

// isMutation reports whether s is a type of mutations, such as A[C>A]T.
func isMutation(s string) bool {
	return strings.Index(s, ">") > 0 && strings.Trim(s, "ACGT>[]: -_") == ""
}

func isOxide(s string) bool { return is("oxide", s) }

// isGene reports whether s is a word for genes and a number, such as OTU_3, gene12 and ENSG00000000003.
func isGene(s string) bool {
	word, number := sampleWord(s)
	return number != "" && (is("gene", word) || strings.HasPrefix(word, "ens"))
}

// isFeature reports whether s is a name such as gene12, OTU_3, ENSG00000000003, M450T1918 (XCMS), Abra
// alba, Al and Fe (mg/kg).
func isFeature(s string) bool {
	if shape, _ := shapeOf(s); strings.HasPrefix(shape, "M0T0") {
		return true
	}
	at := max(0, strings.IndexAny(s, " ._"))
	genus, species := s[:at], s[min(at+1, len(s)):]
	if n := len(species); n > 2 && species[n-2] == '_' { // a layer of vegetation, as Tilia_cordata_t
		species = species[:n-2]
	}
	lower := func(s string) bool { return len(s) > 1 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz. ") == "" }
	digits := strings.ContainsAny(species, "0123456789")
	word, number := sampleWord(s)
	return isGene(s) || number != "" && is("feature", word) || words["element"][s] ||
		words["element"][genus] && !digits ||
		len(genus) > 2 && genus[0] >= 'A' && genus[0] <= 'Z' && lower(genus[1:]) && latin(species) && lower(species)
}

// latin reports whether a word may be the second of a species' name: Orange juice and Whole milk are none.
func latin(s string) bool {
	ends := []string{"a", "i", "is", "us", "um", "are", "ale", "ens", "ans", "sp.", "spp.", "sp",
		"oides", "estre", "ior", "inor", "ajor", "ix"}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(s, end) })
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// likeSamples reports three things about names. numbered: most differ in their numbers alone, as names of
// few kinds do. replicated: there are several such kinds, each with replicates. sampled: most begin with a
// word for a sample and a number, or are barcodes of cells.
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

// smooth reports whether most samples change little from line to line, for how far they change in all.
func (f *frame) smooth() bool {
	n := howMany(f.samples, func(j int) bool {
		list := f.all[j].list
		sum, steps, squares := 0.0, 0.0, 0.0
		for i, v := range list {
			step := v - list[max(0, i-1)]
			v -= list[0]
			sum, steps, squares = sum+v, steps+step*step, squares+v*v
		}
		return steps < smoothSteps*(squares-sum*sum/float64(len(list)))
	})
	return 4*n >= 3*len(f.samples)
}

// turned arranges a text with its columns as rows, and says which are left out.
func (s *survey) turned(p *parser, in *chunks, text []byte, f *frame) (a *arranged, left string, err error) {
	p.width = f.width
	f.sort()
	lines, err := s.records(p, in, text, f.after)
	if err != nil {
		return nil, "", err
	}
	if f.head != nil && len(lines) > 0 {
		lines[0] = pack(f.head, lines[0].at)
	}
	if n := min(f.above, len(lines)); n > 1 { // text may follow at once
		lines = slices.Delete(lines, 1, n)
		if !f.paired {
			s.note(noteHeadLines(n-1, s.lines[1]))
		}
	}
	if err := f.agree(p, lines); err != nil {
		return nil, "", err
	}
	corner := f.head == nil || !f.named() // a value, and no name of column 1
	if corner {
		f.aside = nil
	}
	full := func(j int) bool { return !f.paired && f.all[j].numbers+f.all[j].words > 0 }
	if told := only(f.aside, func(j int) bool { return f.nameOf(j) != "" || full(j) }); len(told) > 0 {
		left = "; left out as no samples: " + someOf(mapped(told, f.column))
	}
	rows := []int{f.key}
	for j := range p.width {
		if j != f.key && !slices.Contains(f.aside, j) {
			rows = append(rows, j)
		}
	}
	return &arranged{lines: lines, rows: len(rows), columns: len(lines), cell: func(row, column int) cell {
		if !corner && row == 0 && column == 0 {
			return cell{0, -1}
		}
		return cell{column, rows[row]}
	}}, left, nil
}

// choose decides which way round a text is read. The error asks.
func (s *survey) choose(p *parser, f *frame) (turn bool, note string, err *Error) {
	d, ask := &p.dialect, p.dialect.Words.Transpose
	if d.Transpose == No || !d.Guess && d.Transpose == Auto {
		return false, "", nil
	}
	if f.lead(); d.Transpose == Yes {
		return true, "the table is transposed, as asked: its columns are the rows", nil
	}
	t, why := s.wayRound(d, f)
	down := func(line [][]byte) string { return shown(line[f.key]) }
	stay := hasAll(mapped(s.lines[min(1, len(s.lines)):], down), d.columns())
	turn, err = d.doubt(t, stay, ask, "the samples of this table seem to be its columns, since "+why,
		"reads it so", "reads the rows as they are")
	if turn {
		note = "the table is transposed: its columns are the rows, since " + why +
			hint(ask, " no reads it as it stands")
	} else if t == likely && err == nil {
		s.note("the samples of this table may be its columns, since " + why + hint(ask, " yes reads it so"))
	}
	return turn, note, err
}

// settings changes a Dialect of the text to one of the turned table.
func (f *frame) settings(d *Dialect) {
	if d.Header == Auto && d.Names == nil && f.width > 0 {
		if d.Header = No; f.named() {
			d.Header = Yes
		}
	}
	if f.head != nil && d.Label != "1" && d.Weights != "1" {
		d.takeIDs("1")
	}
}
