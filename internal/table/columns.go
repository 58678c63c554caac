package table

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The roles of the columns that are not data.
const (
	roleLabel = -1 - iota
	roleWeight
	roleNone // ignored
	roleOneHot
)

// begin takes the layout from the first line.
func (p *parser) begin(fields [][]byte, h *Head) error {
	p.width = len(fields)
	d := &p.dialect
	p.plain = strings.ContainsRune(",;\t |:/&!#", d.Delimiter) && // which show in the byte after a number
		d.Decimal != ',' && d.NA == nil && d.Skip.none() && !d.slow && !d.classes
	p.roles, p.kept, p.text = make([]int, p.width), make([]bool, p.width), make([]int, p.width)
	first := mapped(fields, utf8Text)
	if d.Names != nil {
		if n := len(d.Names); n != p.width {
			return p.fault(-1, Count(n, "name")+" in "+d.Words.Names+", but there are "+Count(p.width, "column"))
		}
		first = mapped(d.Names, func(name string) []byte { return []byte(name) })
	}
	if d.classes {
		if err := p.findClasses(fields); err != nil {
			return err
		}
	}
	found, err := p.assign(first, h)
	if err != nil {
		return err
	}
	if err := p.findHeader(fields, found && d.Names == nil, h); err != nil {
		return err
	}
	named := h.Header || d.Names != nil
	if p.names = p.columnNames(first, named); named {
		p.header = p.names
	}
	return p.setColumns(h)
}

// columnNames returns the names of all columns: from line 1 if it is named, and from the lines below it that
// complete them; else c1, c2, ….
func (p *parser) columnNames(first [][]byte, named bool) (names []string) {
	names = make([]string, p.width)
	for j, s := range first {
		if named {
			names[j] = Printable(string(s))
		}
		names[j] = cmp.Or(names[j], Column(j))
	}
	joined, fresh, equal := names, 0, sameBehind(mapped(first, shown))
	for i := 1; i <= p.survey.units; i++ {
		line, more := p.survey.lines[i], 0
		if sameBehind(mapped(line, shown)) { // a word or a unit of all
			continue
		}
		joined, more = joinedNames(joined, line)
		fresh += more
		if len(Set(joined)) == len(names) && (fresh > 1 || len(Set(names)) < len(names)) {
			names = joined // a name on line 1 is that of several columns
			name := func(f []byte) bool { return present(f) && !isUnit(f) }
			p.survey.joined = p.survey.joined || fresh > 1 || slices.ContainsFunc(line, name)
		}
	}
	for j := 1; equal && fresh == 0 && j < len(names) && len(Set(names)) == len(names); j++ {
		names[j] = strings.TrimPrefix(names[j], shown(first[j])+" ")
	}
	return names
}

// sameBehind reports whether a line has the same word in all fields but the first, as DeepLabCut writes.
func sameBehind(fields []string) bool {
	return len(fields) > 2 && fields[1] != "" && len(Set(fields[1:])) == 1
}

// joinedNames adds the fields of a line below to names, and counts the columns that have no other name. If
// such a field comes twice, the last name before it is that of several columns.
func joinedNames(names []string, line [][]byte) (joined []string, named int) {
	joined = slices.Clone(names)
	last, times := "", map[string]int{}
	for _, f := range line {
		times[string(f)]++
	}
	for j, f := range line[:min(len(line), len(names))] {
		if names[j] != Column(j) {
			last = names[j]
		}
		switch {
		case absent(f):
		case names[j] == Column(j):
			named++
			if joined[j] = shown(f); last != "" && times[string(f)] > 1 {
				joined[j] = last + " " + shown(f)
			}
		default:
			joined[j] += " " + shown(f)
		}
	}
	return joined, named
}

// repeats reports whether a line has a field twice.
func repeats(line [][]byte) bool {
	names := mapped(slices.DeleteFunc(slices.Clone(line), absent), shown)
	return len(Set(names)) < len(names)
}

// Set returns names as the keys of a map, to look up many.
func Set(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

func (p *parser) setColumns(h *Head) error {
	var picked []string
	if pick := p.dialect.Pick; pick != nil {
		if picked = pick(slices.Clone(p.header)); picked != nil && len(picked) == 0 {
			return &Error{Source: p.source, Msg: "none of the columns is to be data"}
		}
	}
	if p.dialect.Guess {
		rows := p.survey.lines
		if h.Header {
			rows = rows[min(1, len(rows)):]
		}
		rows = p.survey.left(rows[min(p.survey.units, len(rows)):], &p.dialect.Skip)
		if err := p.guessColumns(rows, picked, h); err != nil {
			return err
		}
	}
	if h.LabelColumn > 0 {
		h.LabelName = p.names[h.LabelColumn-1]
	}
	if h.WeightsColumn > 0 {
		p.weights, h.WeightsName = true, p.names[h.WeightsColumn-1]
	}
	if h.IDColumn = p.id; p.id > 0 {
		if h.IDName = p.names[p.id-1]; nameless(p.id-1, p.names[p.id-1]) {
			h.IDName = "id"
		}
	}
	for j, kept := range p.kept {
		if kept {
			h.KeptNames = append(h.KeptNames, p.names[j])
		}
		if kept || j+1 == h.LabelColumn || j+1 == p.id {
			p.texts++
			p.text[j] = p.texts
		}
	}
	h.Notes = append(h.Notes, p.survey.notes...)
	if err := p.place(picked, h); err != nil {
		return err
	}
	p.takeUnits(h)
	return nil
}

// assign sets the roles of the columns that are not data. named reports whether one
// of them was found by its name, so that the first line is a header.
func (p *parser) assign(first [][]byte, h *Head) (named bool, err error) {
	d := &p.dialect
	places := placesOf(mapped(first, shown))
	for _, use := range []struct {
		columns []string
		word    string
		role    int  // 0: the column is carried along, and may be data
		at      *int // nil: there may be several
	}{
		{[]string{d.Label}, d.Words.Label, roleLabel, &h.LabelColumn},
		{[]string{d.Weights}, d.Words.Weights, roleWeight, &h.WeightsColumn},
		{d.Drop, d.Words.Drop, roleNone, nil},
		{[]string{d.ID}, d.Words.ID, roleNone, &p.id},
		{d.Keep, d.Words.Keep, 0, nil},
	} {
		for _, column := range use.columns {
			if column == "" || column == NoID && use.at == &p.id {
				continue
			}
			list, byName, err := p.find(places, column, use.word, use.at == nil)
			if err != nil {
				return false, err
			}
			named = named || byName
			for _, j := range list {
				if old := p.roles[j]; use.role == 0 {
					p.kept[j] = true
					continue
				} else if old != 0 && old != use.role {
					return false, p.fault(-1, "column "+strconv.Itoa(j+1)+" is asked for by "+p.word(old)+
						" and by "+use.word+"; it can be only one of them")
				}
				if p.roles[j] = use.role; use.at != nil {
					*use.at = j + 1
				}
			}
		}
	}
	return named, nil
}

// placesOf returns the columns of each name.
func placesOf(names []string) map[string][]int {
	places := make(map[string][]int, len(names))
	for j, name := range names {
		places[name] = append(places[name], j)
	}
	return places
}

// word is the word for the setting that gives a role.
func (p *parser) word(role int) string {
	w := &p.dialect.Words
	return [...]string{w.Label, w.Weights, w.Drop}[min(roleLabel-role, 2)]
}

// find returns the places of a column, or of a range such as 2-4 if there may be several, by numbers or,
// which named reports, by a name as users see it.
func (p *parser) find(places map[string][]int, column, word string, several bool) (at []int, named bool,
	err error) {
	list, number := places[Printable(column)], column
	c, _ := strconv.Atoi(strings.TrimPrefix(column, "c")) // messages call columns without a name so
	if _, blank := slices.BinarySearch(places[""], c-1); blank && list == nil {
		number = strconv.Itoa(c)
	}
	from, to, isRange := strings.Cut(number, "-")
	first, no := strconv.Atoi(from)
	last := first
	if isRange && no == nil {
		last, no = strconv.Atoi(to)
	}
	switch n := len(list); {
	case no == nil && !isRange, no == nil && several && n == 0 && 1 <= first && first <= last:
		if first < 1 || last > p.width {
			return nil, false, p.fault(-1, "there is no column "+strconv.Itoa(last)+" for "+word+", only "+
				Count(p.width, "column"))
		}
		for j := first - 1; j < last; j++ {
			at = append(at, j)
		}
		return at, false, nil
	case n == 1:
		return list, true, nil
	case n > 1:
		msg := "a second column named " + strconv.Quote(column) + "; give " + word + " its number"
		return nil, false, p.fault(list[1], msg)
	}
	advice := ""
	if near := Nearest(column, slices.Sorted(maps.Keys(places))); near != "" {
		advice = "; did you mean " + quote(near) + "?"
	}
	msg := "no column is named " + strconv.Quote(column) + ", which " + word + " asks for" + advice
	return nil, false, p.fault(-1, msg)
}

// place numbers the columns that are data: their places in a row.
func (p *parser) place(picked []string, h *Head) error {
	if picked != nil {
		return p.placePicked(picked, h)
	}
	for j, role := range p.roles {
		switch {
		case role == 0 && p.dialect.classes:
			p.roles[j] = roleNone
		case role == 0:
			p.roles[j] = len(h.Names)
			h.Names = append(h.Names, p.names[j])
		case role == roleOneHot:
			for _, v := range p.survey.columns[j].values {
				if _, twice := p.hot[j][Printable(v)]; !twice { // as it is shown
					p.hot[j][Printable(v)] = len(h.Names)
					h.Names = append(h.Names, p.names[j]+"="+Printable(v))
				}
			}
		}
	}
	if len(h.Names) == 0 && !p.dialect.classes {
		msg := "there is no column of data"
		if p.width == 1 {
			msg += ": no delimiter, such as a comma or a tab, parts the lines"
		}
		for _, note := range h.Notes {
			if p.width > 1 && strings.Contains(note, "left out: ") {
				msg += "; " + note
			}
		}
		return &Error{Source: p.source, Msg: msg}
	}
	p.cols = len(h.Names)
	return nil
}

// placePicked numbers the columns of data as Pick asks for them.
func (p *parser) placePicked(picked []string, h *Head) error {
	at, places, given := placesOf(p.names), placesOf(picked), slices.Clone(p.roles)
	for j, role := range p.roles {
		if role == 0 {
			p.roles[j] = roleNone
		}
	}
	for i, name := range picked {
		list, asked := at[name], places[name]
		if list == nil && p.pickValue(name, i, at, given) {
			continue
		} else if list == nil {
			return p.fault(-1, "there is no column "+quote(name)+"; there are "+someOf(mapped(p.names, quote)))
		} else if n, m := len(list), len(asked); n != m {
			return p.fault(-1, Count(n, "column")+Plural(n, " is", " are")+" named "+quote(name)+", and "+
				strconv.Itoa(m)+Plural(m, " is", " are")+" asked for")
		}
		n, _ := slices.BinarySearch(asked, i)
		if role := given[list[n]]; role != 0 {
			return p.fault(-1, "column "+quote(name)+" is one of the data, and is "+
				"asked for by "+p.word(role)+"; it can be only one of them")
		}
		p.roles[list[n]] = i
	}
	h.Names, p.cols = slices.Clone(picked), len(picked)
	return nil
}

// numeric reports which values of a row are of columns of numbers.
func (p *parser) numeric() []bool {
	list := make([]bool, p.cols)
	for _, role := range p.roles {
		if role >= 0 {
			list[role] = true
		}
	}
	return list
}

// Layout is the roles that a Dialect gives to the columns of a table that is not text and has no names.
type Layout struct {
	Head
	roles []int
}

// NewLayout returns the Layout for a table of cols columns.
func NewLayout(source string, cols int, d Dialect) (*Layout, error) {
	d.Header, d.Guess, d.Words = No, false, d.Words.orFlags()
	p := parser{layout: &layout{dialect: d, source: source, survey: new(survey)}}
	l := &Layout{Head: Head{Source: source}}
	if err := p.begin(make([][]byte, cols), &l.Head); err != nil {
		return nil, err
	}
	l.roles = p.roles
	return l, nil
}

// Ignored reports which columns are ignored.
func (l *Layout) Ignored() []bool {
	return mapped(l.roles, func(role int) bool { return role == roleNone })
}

// Column returns the place of column j of the table among the columns of data, or −1, and
// whether it has the labels or the weights.
func (l *Layout) Column(j int) (place int, label, weight bool) {
	role := l.roles[j]
	return max(role, -1), role == roleLabel, role == roleWeight
}

// Row copies the data in row, which has all columns, to dst. label and weight are 0
// if there is no column for them.
func (l *Layout) Row(dst, row []float64) (label, weight float64) {
	for j, role := range l.roles {
		switch v := row[j]; {
		case role >= 0:
			dst[role] = v
		case role == roleLabel:
			label = v
		case role == roleWeight:
			weight = v
		}
	}
	return label, weight
}
