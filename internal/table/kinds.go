package table

// The sixth stage: what the columns of a table hold.

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// column is what a survey shows about a column of the rows.
type column struct {
	at                   int
	name                 string    // "" or, among the columns of a layout, c1, c2, … for none
	list                 []float64 // the numbers
	numbers, words, gaps int
	whole                bool  // all numbers are whole
	rising, consecutive  bool  // every number is above the last; by 1
	different            bool  // all fields differ that are not empty
	codes                []int // of each line: from 0 in order of appearance, equal for equal fields
	kinds                int   // of fields
	length               int   // of all fields that are not empty; -1 if they differ, or a word has no digit
	amounts              int   // words such as 0.5 mg and <0.1
	least, most          float64
	form                 form
	percents             int  // numbers with a percent sign
	padded               bool // a number begins with a 0 that is not needed, such as 007
	dates                int
	word                 string         // if all words are this one
	several              bool           // words differ
	below                int            // entries such as <4
	units                map[string]int // behind numbers, how often
	zeros                int            // that have none
	unit                 string         // that of the numbers; "": none
	values               []string       // different fields, in order of appearance, at most mostValues + 1
}

// mostValues is how many values a column may have that becomes columns of 0 and 1.
const mostValues = 50

func (p *parser) columnsOf(lines [][][]byte) []column {
	columns := make([]column, p.width)
	for j := range columns {
		c := &columns[j]
		*c = column{at: j, whole: true, different: true, codes: make([]int, len(lines)), units: map[string]int{}}
		seen := map[string]int{}
		for i, line := range lines {
			if j >= len(line) {
				continue
			}
			f := bytes.TrimSpace(line[j])
			code, again := seen[string(f)]
			if !again {
				code = len(seen)
				seen[string(f)] = code
			}
			c.codes[i] = code
			c.different = c.different && !(again && len(f) > 0)
			c.add(p, f, again)
			if n := len(f); n > 0 && n != c.length {
				if c.length != 0 {
					n = -1
				}
				c.length = n
			}
		}
		c.settleUnits()
		c.kinds = len(seen)
		if c.rising = goes(c.list, 1, 0); len(c.list) > 0 {
			c.least, c.most = slices.Min(c.list), slices.Max(c.list)
		}
		c.consecutive = c.rising && c.whole && c.most-c.least == float64(len(c.list)-1)
	}
	return columns
}

// distinct is how many lines differ in some columns.
func distinct(all []column, some ...int) int {
	lines := make([]int, len(all[0].codes))
	kinds := map[[2]int]int{}
	for _, j := range some {
		clear(kinds)
		for i, code := range all[j].codes {
			key := [2]int{lines[i], code}
			if _, again := kinds[key]; !again {
				kinds[key] = len(kinds)
			}
			lines[i] = kinds[key]
		}
	}
	return len(kinds)
}

// add counts a field of the column. again: the column has the same before.
func (c *column) add(p *parser, f []byte, again bool) {
	e := p.entry(f)
	if e.given != "" {
		p.survey.seen[e.given] = true
	}
	if e.limit {
		c.below++
	}
	if e.gap {
		c.gaps++
		return
	}
	if len(c.values) <= mostValues && !again {
		c.values = append(c.values, string(utf8Text(e.text)))
	}
	switch {
	case e.number:
		c.addNumber(e)
	case e.limit, numeral(e.text, ','): // an error, which the parser tells
		c.numbers++
		c.whole = false
	case isDate(e.text):
		c.words++
		c.dates++
	case isAmount(e.text):
		c.words++
		c.amounts++
	default:
		c.several = c.several || c.words > 0 && c.word != string(e.text)
		c.word = string(e.text)
		if c.words++; !bytes.ContainsAny(e.text, "0123456789") { // as n.d.
			c.length = -1
		}
	}
}

func (c *column) addNumber(e entry) {
	c.numbers++
	c.list = append(c.list, e.v)
	c.form |= e.form
	c.padded = c.padded || len(e.text) > 1 && e.text[0] == '0' && isDigit(e.text[1])
	c.whole = c.whole && e.v == math.Trunc(e.v)
	if e.unit != "" {
		c.units[e.unit]++
	} else if e.v == 0 {
		c.zeros++
	}
	if e.v != 0 && e.form&formPercent != 0 {
		c.percents++
	}
}

// years reports whether the numbers may be years.
func (c *column) years() bool { return c.whole && c.least >= 1800 && c.most <= 2100 && c.numbers > 4 }

// clock reports whether the numbers may be times such as 755 and 1430, by no chance.
func (c *column) clock() bool {
	times, hours, exact := map[float64]bool{}, map[float64]bool{}, false
	for _, v := range c.list {
		if minute := math.Mod(v, 100); v != math.Trunc(v) || v < 0 || v > 2400 || minute > 59 {
			return false
		} else if v >= 100 {
			times[v], hours[v-minute] = true, true
			exact = exact || math.Mod(minute, 25) != 0
		}
	}
	return len(times) >= 20 && len(hours) > 5 && exact
}

// text reports whether the column holds words rather than numbers with slips, of which the parser tells. One
// word beside three numbers with decimals, as nd, stands for a number.
func (c *column) text() bool {
	return c.words > 0 && c.words >= c.numbers && (c.several || c.dates+c.amounts > 0 || c.whole ||
		c.numbers < 3)
}

// isAmount reports whether f is a number with a unit after it or a sign such as < before it.
func isAmount(f []byte) bool {
	number, unit, _ := bytes.Cut(bytes.TrimLeft(f, "<>~≤≥ "), []byte(" "))
	return len(number) > 0 && len(number) < len(f) && isNumber(number) && !bytes.ContainsAny(unit, "/-,")
}

// isDate reports whether f is a date such as 2020-01-31, 31.1.2020 or 1/31/20, with or without a time.
func isDate(f []byte) bool {
	f, _, _ = bytes.Cut(f, []byte("T"))
	f, _, _ = bytes.Cut(f, []byte(" "))
	shape, _ := shapeOf(string(f))
	return shape == "0-0-0" || shape == "0.0.0" || shape == "0/0/0"
}

// guessColumns finds the columns that are not data: those of ids, and empty ones. It returns an error that
// names the columns of text that are left. wanted has the names that Pick asks for, if it does.
func (p *parser) guessColumns(rows [][][]byte, wanted []string, h *Head) error {
	s := p.survey
	clear(s.seen) // of the header
	s.columns = p.columnsOf(rows)
	for j := range s.columns {
		s.columns[j].name = p.names[j]
	}
	p.plain = p.plain && !slices.ContainsFunc(s.columns, func(c column) bool { return c.unit != "" })
	sorted := slices.Sorted(slices.Values(wanted))
	free := func(j int) bool {
		if p.roles[j] != 0 {
			return false
		}
		_, is := slices.BinarySearch(sorted, p.names[j])
		hot, _ := slices.BinarySearch(sorted, p.names[j]+"=") // the first of the names that begin so
		return !is && !(hot < len(sorted) && strings.HasPrefix(sorted[hot], p.names[j]+"="))
	}
	p.guessIDs(free, h, wanted != nil)
	p.carryPositions(free, h)
	for j := range s.columns {
		if free(j) && p.kept[j] && s.columns[j].text() && p.dialect.Text != TextOneHot {
			p.roles[j] = roleNone // text that is carried along
		}
	}
	if wanted != nil {
		return p.unwanted(free, wanted)
	}
	p.guessHollow(len(rows), h)
	if p.dialect.Text == TextOneHot {
		p.guessValues()
	}
	told := p.noteDoubtful(h)
	p.noteCrossed(told)
	p.noteApart(rows)
	p.notePlate()
	p.noteForms()
	p.noteMended()
	return p.settleTexts()
}

// guessHollow leaves out named columns that are always 100, a first column with hardly a number, such as the
// temperature of a plate, and empty ones.
func (p *parser) guessHollow(rows int, h *Head) {
	if !p.survey.cut {
		p.leaveOut("always 100", func(c *column) bool {
			return h.Header && !isNumber([]byte(c.name)) && c.numbers >= 5 && c.words+c.gaps == 0 &&
				c.least == 100 && c.most == 100
		})
		p.leaveOut("almost empty", func(c *column) bool {
			return c.at == 0 && p.width > 1 && c.numbers > 0 && 8*c.numbers <= rows &&
				2*p.survey.columns[1].numbers > rows
		})
	}
	p.leaveOut("empty", func(c *column) bool { return c.numbers+c.words == 0 && rows > 0 })
}

// leaveOut leaves out the columns of numbers that are as asked. Empty ones without a name go without a note.
func (p *parser) leaveOut(is string, are func(*column) bool) {
	at := p.some(are)
	for _, j := range at {
		p.roles[j] = roleNone
	}
	at = slices.DeleteFunc(at, func(j int) bool {
		return is == "empty" && nameless(j, p.names[j]) && p.header != nil
	})
	if len(at) > 0 {
		p.survey.note(p.these(at, " is ", " are ") + is + " and left out")
	}
}

// unwanted is the error for columns of numbers to the right of those picked by their places alone.
func (p *parser) unwanted(free func(int) bool, wanted []string) error {
	at := -1
	for j := p.width - 1; j >= 0 && free(j) && p.header == nil; j-- {
		if p.survey.columns[j].numbers > 0 {
			at = j
		}
	}
	if at < 0 {
		return nil
	}
	w, n := p.dialect.Words.Drop, strconv.Itoa(at+1)
	return p.fault(-1, "column "+n+" is one more than the "+Count(len(wanted), "column")+
		" asked for, "+someOf(mapped(wanted, quote))).advise(w, w+" "+n+" leaves it out", []string{w, n})
}

// nameless reports whether a column has no name but one that a program gives it.
func nameless(j int, name string) bool { return name == "" || name == Column(j) || unnamed(name) }

// columnName is "column 2 (income)" for notes, without a name that stands for the place.
func (p *parser) columnName(j int) string { return columnName(j, p.names[j]) }

func columnName(j int, name string) string {
	s := "column " + strconv.Itoa(j+1)
	if name != "" && name != Column(j) {
		s += " (" + Short(name, MostName) + ")"
	}
	return s
}

// which returns the columns that are as asked.
func (p *parser) which(are func(*column) bool) (at []int) {
	for j := range p.survey.columns {
		if are(&p.survey.columns[j]) {
			at = append(at, j)
		}
	}
	return at
}

// some returns the columns of numbers that are data and as asked.
func (p *parser) some(are func(*column) bool) []int {
	return p.which(func(c *column) bool { return p.roles[c.at] >= 0 && !c.text() && are(c) })
}

// numbers are the columns of numbers that are data.
func (p *parser) numbers() []int { return p.some(func(*column) bool { return true }) }

// these are the names of columns in a note, followed by one word if there is one, else the other.
func (p *parser) these(at []int, one, more string) string {
	return someOf(mapped(at, p.columnName)) + Plural(len(at), one, more)
}

// noteIn notes something about the columns of numbers that are as asked, if there are any.
func (p *parser) noteIn(say string, are func(*column) bool) {
	if at := p.some(are); at != nil {
		p.survey.note(say + ": " + p.these(at, "", ""))
	}
}

// mostListed is the largest number of columns that a note tells how to leave out: nobody types more.
const mostListed = 50

// without is the end of the last of several warnings about columns: what leaves all of them out.
func (p *parser) without(at []int, warnings int) string {
	names := p.wordsFor(mapped(at, func(j int) flaw { return flaw{field: j} }))
	w, out := p.dialect.Words, " "+strings.Join(names, ",")
	if len(at) > mostListed || w.Drop == "" {
		return ""
	}
	these := Plural(warnings, Plural(len(at), "it", "them"), "the columns of these warnings")
	drop := hint(w.Drop, out+" leaves "+these+" out")
	if w.Keep != "" {
		drop += ", and " + w.Keep + out + " beside it copies " + Plural(len(at), "it", "them") + " to the outputs"
	}
	return drop
}

// beside parts the columns of numbers: those whose names have the form that most have, with a number in it,
// and the others. span is the former as "12 columns from a to b".
func (p *parser) beside() (many, others []int, span string) {
	shape := func(j int) string {
		shape, _ := shapeOf(strings.TrimLeft(strings.Replace(p.names[j], ".", "", 1), "-"))
		return shape
	}
	shapes, most := map[string][]int{}, ""
	for _, j := range p.numbers() {
		s := shape(j)
		if shapes[s] = append(shapes[s], j); len(shapes[s]) > len(shapes[most]) {
			most = s
		}
	}
	if many = shapes[most]; !strings.Contains(most, "0") {
		return nil, nil, ""
	}
	span = Count(len(many), "column") + " from " + p.names[many[0]] + " to " + p.names[many[len(many)-1]]
	return many, slices.DeleteFunc(p.numbers(), func(j int) bool { return shape(j) == most }), span
}

// carryPositions carries columns along that have no name, or that of a position, if all others have names
// that end with numbers in order, such as the positions of spectra on a map.
func (p *parser) carryPositions(free func(int) bool, h *Head) {
	many, others, _ := p.beside()
	none := func(j int) bool {
		return !free(j) || p.kept[j] || p.survey.columns[j].numbers == 0 ||
			!nameless(j, p.names[j]) && !is("position", p.names[j])
	}
	end := func(j int) string {
		name := p.names[j]
		return string(p.withPoint([]byte(name[max(0, strings.IndexAny(name, "0123456789")):])))
	}
	if !h.Header || len(others) == 0 || slices.ContainsFunc(others, none) || !IsAxis(mapped(many, end)) {
		return
	}
	for _, j := range others {
		p.kept[j], p.roles[j] = true, roleNone
	}
	p.survey.note(p.these(others, " has", " have") +
		" no name, or the name of a position, and other names are numbers: taken for positions, not for data")
}

// doubts warns of columns of data that seem to tell something else. Each column has one warning.
type doubts struct {
	*parser
	*Head
	told   map[int]bool
	warned int
}

// may warns of columns that no warning has told of.
func (d *doubts) may(be string, at []int) {
	at = slices.DeleteFunc(slices.Compact(at), func(j int) bool { return d.told[j] })
	for _, j := range at {
		d.told[j], d.doubted[d.names[j]] = true, true
	}
	if len(at) > 0 {
		d.warned++
		d.survey.note("warning: " + firstOf(mapped(at, d.columnName), 7, ", ") + Plural(len(at), " is", " are") +
			" used as data, but may " + be)
	}
}

// noteDoubtful warns of columns of data, and returns those that are told.
func (p *parser) noteDoubtful(h *Head) map[int]bool {
	d, all := doubts{p, h, map[int]bool{}, 0}, p.numbers()
	h.doubted = map[string]bool{}
	times := map[string]int{} // of each name
	for _, j := range all {
		times[p.names[j]]++
	}
	if twice := p.some(func(c *column) bool { return times[c.name] > 1 }); twice != nil {
		p.survey.note("warning: " + Count(len(twice), "column") + " have names that come twice, such as " +
			quote(p.names[twice[0]]))
	}
	pairs := map[string]string{"x": "y", "y": "x", "top": "bottom", "bottom": "top"}
	onMap := slices.ContainsFunc(p.names, func(name string) bool { return has("where", name) })
	where := func(c *column) bool {
		word, _ := sampleWord(c.name)
		return is("depth", word) || is("when", c.name) || has("where", c.name) || onMap && has("long", c.name) ||
			times[pairs[c.name]] > 0 && p.width > 4 || times[twin(c.name)] > 0
	}
	d.byName(all)
	d.may("tell where or when a sample was taken", p.some(func(c *column) bool {
		return p.width > 3 && where(c)
	}))
	d.byNumbers(where)
	d.may("be copies of columns before them", p.some(func(c *column) bool { // such as the mean of one
		same := func(i int) bool { return i < c.at && slices.Equal(p.survey.columns[i].list, c.list) }
		return len(all) <= mostListed && c.gaps == 0 && c.kinds > 4 && slices.ContainsFunc(all, same)
	}))
	if many, others, span := p.beside(); len(many) >= max(longAxis, 4*len(others)) {
		d.may("not belong beside "+span, others)
	}
	if d.warned > 0 {
		p.survey.notes[len(p.survey.notes)-1] += p.without(slices.Sorted(maps.Keys(d.told)), d.warned)
	}
	return d.told
}

// byName warns of columns whose names tell most.
func (d *doubts) byName(all []int) {
	const axis = "be an axis, whose points are taken for the rows"
	rising := func(c *column) bool { return d.header != nil && d.width > 2 && c.rising && c.numbers >= 10 }
	d.may(axis+hint(d.dialect.Words.Transpose, " yes turns the table"), d.some(func(c *column) bool {
		return rising(c) && c.at == 0 && !c.whole && c.name == Column(0)
	}))
	d.may(axis, d.some(func(c *column) bool { return rising(c) && c.at > 0 && c.whole && is("axis", c.name) }))
	d.may("be classes or ids", d.some(func(c *column) bool { // such as Plot, and cell 207827637
		few := 2*c.kinds <= c.numbers && !strings.ContainsAny(c.name, "0123456789") // as gene NR_000005, NO3
		named := is("factor", c.name) || has("flag", c.name) || idName(c.name) || strings.HasSuffix(c.name, "Num")
		long := c.at == 0 && d.header != nil && c.different && c.least >= 1e5 && c.most < 10*c.least
		group := is("class", c.name) || has("factor", c.name) || is("id", lastWord(c.name))
		bare := func(i int) bool { return !d.inQuotes(i) }
		quoted := !bare(c.at) && c.form == 0 && slices.ContainsFunc(all, bare) // and is not 1,234
		return c.whole && (c.padded || named || long || few && group || quoted)
	}))
	dates := d.some(func(c *column) bool { return c.whole && is("date", c.name) })
	d.may("be dates or parts of them", d.some(func(c *column) bool {
		day := has("day", c.name) && c.least >= 20000 && c.most <= 60000 // from 1900 on, of a spreadsheet
		part := len(dates) > 1 && is("date", c.name) || has("year", c.name)
		return c.whole && (part || c.years() || day || c.clock())
	}))
	d.may("be a sum of others, or count cases", d.some(func(c *column) bool {
		return (is("sum", c.name) || c.name == "n" && c.whole) && len(all) > len(d.told)+2
	}))
	d.may("tell of peaks or taxa, which are no samples", d.some(func(c *column) bool {
		return is("of features", c.name) // m/z of few peaks
	}))
	d.may("be sums or means of columns beside them", d.added())
	d.may("be uncertainties of the columns before them", d.some(func(c *column) bool {
		last := lastWord(c.name)
		rest := strings.Replace(c.name, d.names[max(0, c.at-1)], "", 1) // of Zr Error behind Zr
		return rest != c.name && is("uncertainty", strings.Trim(rest, " _.()[]")) ||
			c.at > 0 && d.roles[c.at-1] == 0 && (is("uncertainty", last) || is("uncertainty", c.name)) &&
				!words["element"][last]
	}))
}

// byNumbers warns of columns by their numbers. where reports whether the name of a column tells a place.
func (d *doubts) byNumbers(where func(*column) bool) {
	d.may("be limits of detection alone", d.some(func(c *column) bool {
		return c.below > 0 && c.below == c.numbers
	}))
	d.may("mix numbers such as 0.5 and 50 %, which is read as 50", d.some(func(c *column) bool {
		return c.percents > 0 && c.percents < len(c.list)-c.zeros
	}))
	order := d.inOrder()
	design := slices.AppendSeq(slices.Clone(order), maps.Keys(d.told))
	d.may("be times, places, codes or parts of a design, by the order of the numbers down the file",
		d.some(func(c *column) bool {
			by := func(i int) bool { return !where(&d.survey.columns[i]) && d.survey.columns[i].tells(c) }
			return !is("axis", c.name) && (c.at == 0 || !isNumber([]byte(c.name))) && (slices.Contains(order, c.at) ||
				len(design) <= mostListed && slices.ContainsFunc(design, by))
		}))
	few := len(d.numbers()) <= mostListed
	d.may("be codes of another column's words", d.some(func(c *column) bool { // as numbers of districts
		coded := func(o column) bool { return o.text() && !o.different && slices.Equal(o.codes, c.codes) }
		return few && c.whole && c.gaps == 0 && c.kinds > 2 && 10*c.kinds <= 9*c.numbers &&
			slices.ContainsFunc(d.survey.columns, coded)
	}))
}

// notePlate warns of a plate of wells: columns 1, 2, 3, … beside rows A, B, C, ….
func (p *parser) notePlate() {
	rows := p.survey.columns[0].values
	at := func(i int) bool { return rows[i] == string(rune('A'+i)) && p.names[i+1] == strconv.Itoa(i+1) }
	if p.header != nil && len(rows) > 3 && p.width > 6 && at(0) && at(1) && at(2) && at(3) {
		p.survey.note("warning: rows " + rows[0] + " to " + rows[len(rows)-1] + " and columns 1, 2, … look " +
			"like the wells of a plate: rows are taken for samples, wells are not")
	}
}

// inQuotes reports whether each number of a column is in quotes, as R writes words.
func (p *parser) inQuotes(j int) bool {
	n, quotes := p.survey.columns[j].numbers, p.survey.quotes
	return !p.dialect.trying && j < len(quotes) && quotes[j] >= n && n > 2
}

// twin returns the name of the other coordinate, as Ysugg for Xsugg; "" for other names, also for x1 and x_2.
func twin(name string) string {
	at := strings.IndexByte("xyXY", name[0])
	if at < 0 || len(name) < 4 || strings.ContainsAny(name, "0123456789") {
		return ""
	}
	return "yxYX"[at:at+1] + name[1:]
}

// Doubted reports whether a warning tells of a column of data by its name.
func (h *Head) Doubted(name string) bool { return h.doubted[name] }

// lastWord returns the last word of a name, as Number of Sample_Number.
func lastWord(name string) string {
	between := func(r rune) bool { return !unicode.IsLetter(r) }
	name = strings.TrimRightFunc(name, between)
	return name[strings.LastIndexFunc(name, between)+1:]
}

// noteForms notes what is taken out of the numbers.
func (p *parser) noteForms() {
	for _, f := range []struct {
		is  form
		say string
	}{
		{formGroups, "the separators of thousands are taken out"},
		{formPercent, "percent signs are taken out, 50 % is 50"},
		{formCurrency, "signs of currencies are taken out"},
		{formParens, "(5) is read as -5"},
	} {
		p.noteIn(f.say, func(c *column) bool { return c.form&f.is != 0 })
	}
}
