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
	list                 []float64 // the numbers
	numbers, words, gaps int
	whole                bool // all numbers are whole
	rising, consecutive  bool // every number is above the last; by 1
	different            bool // all fields differ that are not empty
	length               int  // of all fields that are not empty; -1 if they differ, or a word has no digit
	amounts              int  // words such as 0.5 mg and <0.1
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
		*c = column{whole: true, different: true, units: map[string]int{}}
		seen := map[string]bool{}
		for _, line := range lines {
			if j >= len(line) {
				continue
			}
			f := bytes.TrimSpace(line[j])
			c.add(p, f)
			if c.different && len(f) > 0 {
				c.different, seen[string(f)] = !seen[string(f)], true
			}
			if n := len(f); n > 0 && n != c.length {
				if c.length != 0 {
					n = -1
				}
				c.length = n
			}
		}
		c.settleUnits()
		if c.rising = goes(c.list, 1, 0); len(c.list) > 0 {
			c.least, c.most = slices.Min(c.list), slices.Max(c.list)
		}
		c.consecutive = c.rising && c.whole && c.most-c.least == float64(len(c.list)-1)
	}
	return columns
}

// add counts a field of the column.
func (c *column) add(p *parser, f []byte) {
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
	if len(c.values) <= mostValues {
		if word := string(utf8Text(e.text)); !slices.Contains(c.values, word) {
			c.values = append(c.values, word)
		}
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

// kinds counts the different numbers.
func (c *column) kinds() int { return len(slices.Compact(slices.Sorted(slices.Values(c.list)))) }

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
	return c.words > 0 && c.words >= c.numbers && (c.several || c.dates+c.amounts > 0 || c.whole || c.numbers < 3)
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
	told := p.noteDoubtful(rows)
	p.noteCrossed(rows, told)
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
		p.leaveOut("always 100", func(j int, c *column) bool {
			return h.Header && !isNumber([]byte(p.names[j])) && c.numbers >= 5 && c.words+c.gaps == 0 &&
				c.least == 100 && c.most == 100
		})
		p.leaveOut("almost empty", func(j int, c *column) bool {
			return j == 0 && p.width > 1 && c.numbers > 0 && 8*c.numbers <= rows &&
				2*p.survey.columns[1].numbers > rows
		})
	}
	p.leaveOut("empty", func(_ int, c *column) bool { return c.numbers+c.words == 0 && rows > 0 })
}

// leaveOut leaves out the columns of numbers that are as asked. Empty ones without a name go without a note.
func (p *parser) leaveOut(is string, are func(j int, c *column) bool) {
	at := p.some(are)
	for _, j := range at {
		p.roles[j] = roleNone
	}
	at = slices.DeleteFunc(at, func(j int) bool { return is == "empty" && p.nameless(j) && p.header != nil })
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
func (p *parser) nameless(j int) bool { return p.names[j] == Column(j) || unnamed(p.names[j]) }

// columnName is "column 2 (income)" for notes, without a name that stands for the place.
func (p *parser) columnName(j int) string {
	s := "column " + strconv.Itoa(j+1)
	if p.names[j] != Column(j) {
		s += " (" + p.names[j] + ")"
	}
	return s
}

// some returns the columns of numbers that are data and as asked.
func (p *parser) some(are func(j int, c *column) bool) (at []int) {
	for j := range p.survey.columns {
		if c := &p.survey.columns[j]; p.roles[j] >= 0 && !c.text() && are(j, c) {
			at = append(at, j)
		}
	}
	return at
}

// numbers are the columns of numbers that are data.
func (p *parser) numbers() []int { return p.some(func(int, *column) bool { return true }) }

// these are the names of columns in a note, followed by one word if there is one, else the other.
func (p *parser) these(at []int, one, more string) string {
	return someOf(mapped(at, p.columnName)) + Plural(len(at), one, more)
}

// noteIn notes something about the columns of numbers that are as asked, if there are any.
func (p *parser) noteIn(say string, are func(j int, c *column) bool) {
	if at := p.some(are); at != nil {
		p.survey.note(say + ": " + p.these(at, "", ""))
	}
}

// mostListed is the largest number of columns that a note tells how to leave out: nobody types more.
const mostListed = 50

// without is the end of the last of several warnings about columns: what leaves all of them out.
func (p *parser) without(at []int, warnings int) string {
	number := func(j int) string { return strconv.Itoa(j + 1) }
	w, out := p.dialect.Words, " "+strings.Join(mapped(at, number), ",")
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
	shape := func(j int) string { // without the .1 that R and pandas add to a name that comes again
		name, again := p.names[j], strings.LastIndexByte(p.names[j], '.')
		if again > 0 && strings.ContainsAny(name[:again], "0123456789") && isNumber([]byte(name[again+1:])) {
			name = name[:again]
		}
		shape, _ := shapeOf(strings.TrimLeft(strings.Replace(name, ".", "", 1), "-"))
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
// that end with a number, such as the positions of spectra on a map.
func (p *parser) carryPositions(free func(int) bool, h *Head) {
	many, others, _ := p.beside()
	none := func(j int) bool {
		return !free(j) || p.kept[j] || p.survey.columns[j].numbers == 0 ||
			!p.nameless(j) && !is("position", p.names[j])
	}
	end := func(j int) float64 {
		name := p.names[j]
		v, err := parseFloat(p.withPoint([]byte(name[max(0, strings.IndexAny(name, "0123456789")):])))
		if err != nil {
			return math.NaN() // which is in no order
		}
		return v
	}
	if !h.Header || len(many) < 5 || len(others) == 0 || slices.ContainsFunc(others, none) ||
		!ordered(mapped(many, end)) {
		return
	}
	for _, j := range others {
		p.kept[j], p.roles[j] = true, roleNone
	}
	p.survey.note(p.these(others, " has", " have") +
		" no name, or the name of a position, and other names are numbers: taken for positions, not for data")
}

// noteDoubtful warns of a name that several columns have, and of columns of data that seem to tell something
// else. Each of the latter has one warning, and is told.
func (p *parser) noteDoubtful(rows [][][]byte) (told map[int]bool) {
	times := map[string]int{}
	told = map[int]bool{}
	for _, j := range p.numbers() {
		times[p.names[j]]++
	}
	if twice := p.some(func(j int, _ *column) bool { return times[p.names[j]] > 1 }); twice != nil {
		p.survey.note("warning: " + Count(len(twice), "column") + " have names that come twice, such as " +
			quote(p.names[twice[0]]))
	}
	warned := 0
	for _, doubt := range p.doubts(rows, times, told) {
		found := p.some(func(j int, c *column) bool { return !told[j] && doubt.are(j, p.names[j], c) })
		for _, j := range found {
			told[j] = true
		}
		if found != nil {
			warned++
			p.survey.note("warning: " + firstOf(mapped(found, p.columnName), 7, ", ") +
				Plural(len(found), " is", " are") + " used as data, but may " + doubt.may)
		}
	}
	if warned > 0 {
		p.survey.notes[len(p.survey.notes)-1] += p.without(slices.Sorted(maps.Keys(told)), warned)
	}
	return told
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

// doubt is what columns of data may be, and the rule by which they are found.
type doubt struct {
	may string
	are func(j int, name string, c *column) bool
}

// doubts returns all doubts. times are how often the names of columns come, told the columns of earlier
// doubts.
func (p *parser) doubts(rows [][][]byte, times map[string]int, told map[int]bool) []doubt {
	pairs := map[string]string{"x": "y", "y": "x", "top": "bottom", "bottom": "top"}
	onMap := slices.ContainsFunc(p.names, func(name string) bool { return has("where", name) })
	where := func(name string) bool {
		word, _ := sampleWord(name)
		return is("depth", word) || is("when", name) || has("where", name) || onMap && has("long", name) ||
			times[pairs[name]] > 0 && p.width > 4 || times[twin(name)] > 0
	}
	in := func(list []int, j int) bool { _, in := slices.BinarySearch(list, j); return in }
	all, order, added, coded := p.numbers(), p.inOrder(), p.added(), p.coded(rows)
	many, others, span := p.beside()
	dates := p.some(func(j int, c *column) bool { return c.whole && is("date", p.names[j]) })
	rising := func(c *column) bool { return p.header != nil && p.width > 2 && c.rising && c.numbers >= 10 }
	var design []int // order and told
	return []doubt{
		{"be an axis, whose points are taken for the rows" + hint(p.dialect.Words.Transpose, " yes turns the table"),
			func(j int, name string, c *column) bool { return rising(c) && j == 0 && !c.whole && name == Column(0) }},
		{"be an axis, whose points are taken for the rows", func(j int, name string, c *column) bool {
			return rising(c) && j > 0 && c.whole && is("axis", name)
		}},
		{"be classes or ids", func(j int, name string, c *column) bool { // such as Plot, and cell 207827637
			few := 2*c.kinds() <= c.numbers && !strings.ContainsAny(name, "0123456789") // as gene NR_000005, NO3
			named := is("factor", name) || has("flag", name) || idName(name)
			long := j == 0 && p.header != nil && c.different && c.least >= 1e5 && c.most < 10*c.least
			group := is("class", name) || has("factor", name) || is("id", lastWord(name))
			bare := func(i int) bool { return !p.inQuotes(i) }
			quoted := !bare(j) && c.form == 0 && slices.ContainsFunc(all, bare) // and is not 1,234
			return c.whole && (c.padded || named || long || few && group || quoted)
		}},
		{"be dates or parts of them", func(_ int, name string, c *column) bool {
			day := has("day", name) && c.least >= 20000 && c.most <= 60000 // from 1900 on, of a spreadsheet
			part := len(dates) > 1 && is("date", name) || has("year", name)
			return c.whole && (part || c.years() || day || c.clock())
		}},
		{"be a sum of others, or count cases", func(_ int, name string, c *column) bool {
			return (is("sum", name) || name == "n" && c.whole) && len(all) > len(told)+2
		}},
		{"tell of peaks or taxa, which are no samples", func(_ int, name string, _ *column) bool {
			return is("of features", name) // m/z of few peaks
		}},
		{"be sums or means of columns beside them", func(j int, _ string, _ *column) bool { return in(added, j) }},
		{"be uncertainties of the columns before them", func(j int, name string, _ *column) bool {
			rest := strings.Replace(name, p.names[max(0, j-1)], "", 1) // of Zr Error behind Zr
			return rest != name && is("uncertainty", strings.Trim(rest, " _.()[]")) ||
				j > 0 && p.roles[j-1] == 0 && is("uncertainty", lastWord(name)) && !words["element"][lastWord(name)]
		}},
		{"be limits of detection alone", func(_ int, _ string, c *column) bool {
			return c.below > 0 && c.below == c.numbers
		}},
		{"mix numbers such as 0.5 and 50 %, which is read as 50", func(_ int, _ string, c *column) bool {
			return c.percents > 0 && c.percents < len(c.list)-c.zeros
		}},
		{"tell where or when a sample was taken", func(_ int, name string, _ *column) bool {
			return p.width > 3 && where(name)
		}},
		{"be times, places, codes or parts of a design, by the order of the numbers down the file",
			func(j int, name string, c *column) bool {
				if design == nil {
					design = slices.AppendSeq(slices.Clone(order), maps.Keys(told))
				}
				by := func(i int) bool { return !where(p.names[i]) && p.survey.columns[i].groups(c) }
				return !is("axis", name) && (j == 0 || !isNumber([]byte(name))) && (in(order, j) ||
					len(design) <= mostListed && slices.ContainsFunc(design, by))
			}},
		{"be codes of another column's words", func(j int, _ string, _ *column) bool { return in(coded, j) }},
		{"be copies of columns before them", func(j int, _ string, c *column) bool { // such as the mean of one
			same := func(i int) bool { return i < j && slices.Equal(p.survey.columns[i].list, c.list) }
			return len(all) <= mostListed && c.gaps == 0 && c.kinds() > 4 && slices.ContainsFunc(all, same)
		}},
		{"not belong beside " + span, func(j int, _ string, _ *column) bool {
			return len(many) >= max(longAxis, 4*len(others)) && in(others, j)
		}},
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
func (h *Head) Doubted(name string) bool {
	number := "column " + strings.TrimPrefix(name, "c") // of one without a name, before " is" or a comma
	return slices.ContainsFunc(h.Notes, func(note string) bool {
		return strings.HasPrefix(note, "warning: column ") && (strings.Contains(note, "("+name+")") ||
			strings.Contains(note, number+" ") || strings.Contains(note, number+","))
	})
}

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
		p.noteIn(f.say, func(_ int, c *column) bool { return c.form&f.is != 0 })
	}
}
