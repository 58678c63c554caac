// Package sources takes prototypes that are known, such as the spectra of a library, the
// signatures of cells or the isotopes of foods: it joins their columns with those of the rows,
// adds shares up by class, says which rows no mixture explains, and how far shares are open.
package sources

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/table"
)

// Library is a file of prototypes before its columns are joined with those of the rows. A
// prototype is a row of X, or a column where that is what the names say.
type Library struct {
	Source  string
	Names   []string   // of the rows of X; nil: they have none
	Columns []string   // nil: there is no header
	Others  [][]string // further columns of text, any of which may have the names of the rows of X
	Classes []string   // of the rows of X, by a column of classes; nil: none
	X       *softkmeans.Matrix
	SD      *softkmeans.Matrix // the standard deviations of X; nil: not given
	Notes   []string
	Doubt   error // of the file, unless its first row has the names that the rows have
}

// Reader reads a table from text; source is its name for messages.
type Reader func(text []byte, source string, d table.Dialect) (*table.Table, error)

// Read returns the library in a text. Its first column of text has the names, which may come more
// than once; class is a column of classes, "" for none.
func Read(text []byte, source, class string, read Reader) (*Library, error) {
	d := table.Dialect{Guess: true, Text: table.TextDrop, Label: class, Transpose: table.No}
	if start, _ := table.NewReader(bytes.NewReader(text), source, d); start != nil {
		columns := start.Overview().Columns
		if start.Long && columns != nil {
			d.Long = table.Yes // the table is read as it is pivoted
		}
		id := slices.IndexFunc(columns, func(c table.Taken) bool { return c.As == table.AsID })
		for j, c := range columns {
			text := c.Text && c.As != table.AsLabel
			if n := strconv.Itoa(j + 1); j == id || id < 0 && text {
				d.ID, id = n, j
			} else if text {
				d.Keep = append(d.Keep, n)
			}
		}
	}
	t, err := read(text, source, d)
	if err == nil {
		return FromTable(t)
	}
	// The names of the rows may tell that line 1 is a header of numbers.
	doubt := err
	var bad *table.Error
	if errors.As(err, &bad) {
		bad.Msg = bad.Plain()
	}
	d.Header = table.No
	if t, err = read(text, source, d); err != nil {
		return nil, doubt
	}
	l, err := FromTable(t)
	if err == nil {
		l.Doubt = doubt
	}
	return l, err
}

// FromTable returns the library in a table. Its ids are the names, its labels the classes.
// Columns such as Mean_a and SD_a, or a and a_sd, are means and their standard deviations.
func FromTable(t *table.Table) (*Library, error) {
	l := &Library{Source: t.Source, Names: t.IDs, X: softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data)}
	if t.Header {
		l.Columns = t.Names
	}
	if t.LabelColumn > 0 {
		for i := range t.Rows {
			l.Classes = append(l.Classes, t.Label(i))
		}
	}
	for _, note := range t.Notes {
		needless := []string{"taken for the rows' ids", "it holds text, and no", " used as data, but may "}
		if !slices.ContainsFunc(needless, func(s string) bool { return strings.Contains(note, s) }) {
			l.Notes = append(l.Notes, note)
		}
	}
	for j := range t.KeptNames {
		var names []string
		for i := range t.Rows {
			names = append(names, t.Kept[i][j])
		}
		l.Others = append(l.Others, names)
	}
	if t.IDName == "column" && len(t.Names) > 2 && t.Names[0] == "mean" && t.Names[1] == "deviation" {
		l.Pick(la.Indices(l.X.Cols)[2:]) // as a page saves prototypes
	}
	return l, l.spreads()
}

// Pick keeps the columns of these numbers.
func (l *Library) Pick(at []int) {
	if l.X = columns(l.X, at); l.SD != nil {
		l.SD = columns(l.SD, at)
	}
	all := l.Columns
	if l.Columns = nil; all != nil {
		for _, j := range at {
			l.Columns = append(l.Columns, all[j])
		}
	}
}

func columns(m *softkmeans.Matrix, at []int) *softkmeans.Matrix {
	out := softkmeans.NewMatrix(m.Rows, len(at), nil)
	for i := range m.Rows {
		for to, j := range at {
			out.Set(i, to, m.At(i, j))
		}
	}
	return out
}

// The words for a mean and for a standard deviation in names of columns, in lower case.
var (
	meanWords = []string{"mean", "means", "average", "avg"}
	sdWords   = []string{"sd", "sds", "std", "stdev", "stddev"}
)

// without returns a name without one of these words before or after it.
func without(name string, words []string) (rest string, ok bool) {
	lower := strings.ToLower(name)
	for _, w := range words {
		switch {
		case len(lower) != len(name) || len(name) <= len(w):
			continue
		case strings.HasPrefix(lower, w):
			rest = name[len(w):]
		case strings.HasSuffix(lower, w) && strings.ContainsRune("_. -(", rune(name[len(name)-len(w)-1])):
			rest = name[:len(name)-len(w)]
		default:
			continue
		}
		if rest = strings.Trim(rest, "_. -()"); rest != "" {
			return rest, true
		}
	}
	return "", false
}

// spreads makes columns of standard deviations those of their means.
func (l *Library) spreads() error {
	of := map[string]int{} // the column of means of a name
	for j, name := range l.Columns {
		if rest, ok := without(name, meanWords); ok {
			of[rest] = j
		}
	}
	for j, name := range l.Columns {
		if _, ok := of[name]; !ok {
			of[name] = j
		}
	}
	sd, name := map[int]int{}, map[int]string{} // of a column of means
	for j, s := range l.Columns {
		if rest, ok := without(s, sdWords); ok {
			if at, ok := of[rest]; ok && at != j {
				sd[at], name[at] = j, rest
			}
		}
	}
	if len(sd) == 0 {
		return nil
	}
	all := l.X
	isSD := slices.Collect(maps.Values(sd))
	at := slices.DeleteFunc(la.Indices(len(l.Columns)), func(j int) bool { return slices.Contains(isSD, j) })
	l.Pick(at)
	l.SD = softkmeans.NewMatrix(all.Rows, len(at), nil)
	for to, j := range at {
		from, ok := sd[j]
		if !ok {
			continue
		}
		l.Columns[to] = name[j]
		for i := range all.Rows {
			v := all.At(i, from)
			if v < 0 {
				return errors.New(l.Source + ": the standard deviation of " + table.Printable(name[j]) +
					" in row " + strconv.Itoa(i+1) + " is " + number(v) + "; it must be at least 0")
			}
			l.SD.Set(i, to, v)
		}
	}
	return nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// key is what two names have in common that are the same: numbers may be written in other ways.
func key(name string) string {
	name, _ = cutUnit(table.Printable(name))
	if v, err := strconv.ParseFloat(name, 64); err == nil && v-v == 0 {
		return number(v)
	}
	return name
}

// cutUnit parts the name of a column such as Al (mg/kg) and its unit.
func cutUnit(name string) (bare, unit string) {
	if i := strings.LastIndexAny(name, "(["); i > 0 && strings.HasSuffix(name, map[byte]string{'(': ")",
		'[': "]"}[name[i]]) {
		unit = name[i+1 : len(name)-1]
		if table.IsUnit(unit) || strings.HasSuffix(unit, "%") {
			return strings.TrimSpace(name[:i]), unit
		}
	}
	return name, ""
}

func keys(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[key(name)] = true
	}
	return set
}

// variables is a way to read the library: the names of what the rows are to have.
type variables struct {
	names  []string
	turned bool // they are of the rows of X, so that a prototype is a column
	axis   bool // they are the values of the first column, which is an axis if they are names
	first  bool // they are the values of the first row, which is a header of numbers if they are names
}

func (l *Library) ways() []variables {
	ways := []variables{{names: l.Columns}, {names: l.Names, turned: true}}
	for _, names := range l.Others {
		ways = append(ways, variables{names: names, turned: true})
	}
	if l.Names == nil && l.X.Cols > 1 {
		ways = append(ways, variables{names: Axis(l.X), turned: true, axis: true})
	}
	if l.Columns == nil && l.X.Rows > 1 {
		ways = append(ways, variables{names: numerals(l.X.Row(0)), first: true})
	}
	return ways
}

func numerals(values []float64) (names []string) {
	for _, v := range values {
		names = append(names, number(v))
	}
	return names
}

// Axis returns the values of the first column as names if they rise or fall, and do not merely count
// the rows; else nil.
func Axis(x *softkmeans.Matrix) []string {
	if first := la.Transpose(x).Row(0); table.Ordered(first) && !table.Counts(first) {
		return numerals(first)
	}
	return nil
}

// common returns the keys that two lists of names have.
func common(a, b []string) (list []string) {
	have := keys(a)
	for name := range keys(b) {
		if have[name] {
			list = append(list, name)
		}
	}
	return list
}

// take makes the names those of the library, without the values that they were.
func (l *Library) take(way variables) {
	if way.turned {
		l.Names = way.names
	}
	switch {
	case way.axis:
		l.Pick(la.Indices(l.X.Cols)[1:])
	case way.first:
		l.Columns = way.names
		l.X = softkmeans.NewMatrix(l.X.Rows-1, l.X.Cols, l.X.Data[l.X.Cols:])
		if l.Names != nil {
			l.Names = l.Names[1:]
		}
		if l.Classes != nil {
			l.Classes = l.Classes[1:]
		}
	}
}

// way returns the way to read the library that shares most names with a list, and how many. A list that
// is not sure to have names may be a row or a column of numbers.
func (l *Library) way(names []string, sure bool) (best variables, most int) {
	for _, way := range l.ways() {
		if n := l.shared(way, names, sure); n > most {
			best, most = way, n
		}
	}
	return best, most
}

// Numbers that coincide are no names. Of an axis in both lists half must be shared, and all if it counts. If
// one of the lists may be values, it must be in order or have the same numbers. If both may be, they must be
// the same, of leastAxis numbers or more in order, and most other rows, or columns, of the library must not be
// in order.
const leastAxis = 5

// shared returns how many names a list shares with a way to read the library.
func (l *Library) shared(way variables, names []string, sure bool) int {
	both, a, b := common(names, way.names), numbers(names), numbers(way.names)
	m := len(numbers(both))
	n := len(both) - m // words
	values := way.axis || way.first && !l.cornered()
	least, same := min(len(a), len(b)), m == max(len(a), len(b))
	inOrder := (sure || table.Ordered(a)) && (!values || table.Ordered(b))
	switch {
	case 2*m < least, table.Counts(a) && !same, table.Counts(b) && m < len(a),
		(values || !sure) && !(m > 1 && same || m > 2 && inOrder && (m == least || m >= leastAxis)),
		values && !sure && !(same && inOrder && m >= leastAxis && l.unlike(way)):
		return n
	}
	return n + m
}

// unlike reports whether most lines of the library beside the one of these names are not in order.
func (l *Library) unlike(way variables) bool {
	x, n := l.X, 0
	if way.axis {
		x = la.Transpose(x)
	}
	for i := range x.Rows {
		if table.Ordered(x.Row(i)) {
			n++
		}
	}
	return 2*(n-1) < x.Rows-1
}

func numbers(names []string) (list []float64) {
	for _, name := range names {
		if v, err := strconv.ParseFloat(table.Printable(name), 64); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// Known returns all names that columns of the rows may have. Values are none, nor are names that count.
func (l *Library) Known() (names []string) {
	for _, way := range l.ways() {
		if !way.axis && !way.first && !table.Counts(numbers(way.names)) {
			names = append(names, way.names...)
		}
	}
	return names
}

// Heads reports whether fields are names for certain: two or more, and half of those of the library.
func (l *Library) Heads(fields []string) bool {
	way, most := l.way(fields, false)
	return most > 1 && 2*most >= len(way.names)
}

// Shared returns those of the names that the library has, in their order; nil: none.
func (l *Library) Shared(names []string) []string { return l.list(names, true) }

func (l *Library) list(names []string, sure bool) (list []string) {
	way, _ := l.way(names, sure)
	have := keys(way.names)
	for _, name := range names {
		if have[key(name)] {
			list = append(list, name)
		}
	}
	return list
}

// Sources are prototypes for rows.
type Sources struct {
	Names   []string           // of the prototypes
	Centers *softkmeans.Matrix // in the columns of the rows
	SD      *softkmeans.Matrix // nil: not given
	columns []string           // the names of columns; nil: there are none, or they are numbers, as of spectra
	Class   []int              // of each prototype: an index into Groups
	Groups  []string           // what shares are told of: the prototypes, or their classes
	Notes   []string
}

// Bundled reports whether shares add up by class.
func (s *Sources) Bundled() bool { return len(s.Groups) < len(s.Names) }

// Join returns the prototypes for rows of a file with these columns. They are joined by names if both
// files have names, and else by their places. A prototype is a column if names, or the number of columns,
// leave no other reading.
func (l *Library) Join(source string, names []string, named bool) (*Sources, error) {
	of := *l
	l = &of // take changes it
	var way variables
	most := 0
	if named {
		way, most = l.way(names, true)
	} else if l.X.Cols != len(names) && l.X.Rows == len(names) {
		way = variables{names: l.Names, turned: true}
	}
	if named && most == 0 && l.Columns != nil {
		return nil, l.apart(source, names)
	}
	l.take(way)
	if l.Doubt != nil && !way.first {
		return nil, l.Doubt
	}
	x, sd, prototypes, classes := l.X, l.SD, l.Names, l.Classes
	if way.turned {
		if l.Classes != nil || l.SD != nil {
			return nil, errors.New(l.Source + ": its columns are read as prototypes, because only so it " +
				"matches the table; check its names, or transpose it if it contains classes or standard deviations")
		}
		x, prototypes = la.Transpose(x), l.Columns
	}
	s := &Sources{Notes: l.Notes}
	if len(numbers(names)) < len(names) && (named || l.Columns != nil) {
		s.columns = names
	}
	at, note := la.Indices(len(names)), ""
	var err error
	if most > 0 {
		s.Notes = slices.DeleteFunc(slices.Clone(l.Notes), isGuess)
		note, err = l.byName(at, names, way, source)
	} else {
		note, err = l.byPlace(len(names), named, way.turned, source)
	}
	if err != nil {
		return nil, err
	}
	s.Notes = append(slices.Clip(s.Notes), note)
	s.Centers = columns(x, at)
	if sd != nil {
		s.SD = columns(sd, at)
	}
	s.group(prototypes, classes)
	if s.Bundled() {
		n := len(s.Groups)
		classes := strconv.Itoa(n) + table.Plural(n, " class", " classes")
		s.Notes = append(s.Notes, "shares of "+table.Count(len(s.Names), "prototype")+" add up to those of "+classes)
	}
	return s, nil
}

// byPlace says how columns are joined without names, unless there is any other reading.
func (l *Library) byPlace(cols int, named, turned bool, source string) (note string, err error) {
	square := cols >= leastAxis || l.Columns != nil && isCorner(l.Columns[0])
	switch {
	case l.X.Cols != cols && !turned:
		advice := "; give the same columns, or names to both"
		if l.X.Rows == cols {
			advice = "; if a prototype is a column, transpose the file, or give names to both"
		}
		return "", errors.New(l.Source + ": " + table.Count(l.X.Rows, "prototype") + " of " +
			table.Count(l.X.Cols, "column") + ", but " + source + " has " + table.Count(cols, "column") + advice)
	case l.X.Rows == cols && l.Names == nil && (turned || square) && table.Ordered(la.Transpose(l.X).Row(0)):
		return "", errors.New(l.Source + ": if a prototype is a column, column 1 may be one, or the places of " +
			"the values; leave it out, or give names to both")
	case slices.ContainsFunc(l.Notes, isGuess), l.cornered():
		return "", errors.New(l.Source + ": line 1 may be a header of numbers or a prototype, and " +
			source + " has no such names; leave the header out, or name the columns by words in both files")
	}
	of, why := "those of "+l.Source, "as there are no names to join them by"
	if turned {
		of = "the lines of " + l.Source + ", in which a prototype is a column"
	}
	switch {
	case named:
		why = "as only " + source + " has names of columns"
	case l.Columns != nil && !turned, l.Names != nil && turned:
		why = "as only " + l.Source + " has names of columns"
	}
	return "columns are joined by their places with " + of + ", " + why, nil
}

// cornered reports whether the name of the first row is one of the first column: row 1 is a header.
func (l *Library) cornered() bool {
	return l.Columns == nil && l.Names != nil && isCorner(l.Names[0])
}

func isCorner(name string) bool { return slices.Contains(corners, strings.ToLower(name)) }

// isGuess reports whether a note of package table is about a header of numbers.
func isGuess(note string) bool { return strings.Contains(note, "is taken for a header") }

// corners are names of the first column, in lower case, of which a row has none.
var corners = []string{"", "name", "names", "id", "class", "type", "label", "labels", "source", "sources",
	"material", "species", "sample", "site", "group", "wavelength", "wavenumber", "gene", "variable"}

// apart is the error for columns that have other names than those of the rows.
func (l *Library) apart(source string, names []string) error {
	advice := "give them the same names"
	if len(numbers(names)) > 1 && len(numbers(l.Columns)) > 1 {
		advice = "bring the prototypes to the places that the rows have"
	}
	in := "no column"
	if n := len(common(names, l.Columns)); n > 0 {
		in = "only " + table.Count(n, "column")
	}
	return errors.New(l.Source + " and " + source + " have " + in + " in common: there are " +
		some(l.Columns) + ", and " + some(names) + "; " + advice)
}

// byName sets at to the place in the library of each column of the rows. It says how they were joined, and
// which names of the library are left out.
func (l *Library) byName(at []int, names []string, way variables, source string) (note string, err error) {
	where := map[string][]int{}
	for j, name := range way.names {
		where[key(name)] = append(where[key(name)], j)
	}
	joined := make([]bool, len(way.names))
	for i, name := range names {
		switch list := where[key(name)]; len(list) {
		case 0:
			return "", errors.New(l.Source + ": has no column " + strconv.Quote(name) + " of " + source)
		case 1:
			at[i] = list[0]
			joined[at[i]] = true
			_, unit := cutUnit(name)
			if _, other := cutUnit(way.names[at[i]]); unit != other && unit != "" && other != "" {
				return "", errors.New(source + ": " + strconv.Quote(name) + " has another unit than " +
					strconv.Quote(way.names[at[i]]) + " of " + l.Source)
			}
		default:
			return "", errors.New(l.Source + ": two columns are named " + strconv.Quote(name) + "; leave one out")
		}
	}
	of := l.Source
	if way.turned {
		of = "the lines of " + l.Source + ", in which a prototype is a column"
	}
	var left []string
	for j, name := range way.names {
		if !joined[j] {
			left = append(left, name)
		}
	}
	note = table.Count(len(at), "column") + " joined by name with " + of
	if len(left) > 0 {
		note += "; " + table.Plural(len(left), "its column ", "its columns ") + some(left) +
			table.Plural(len(left), " is", " are") + " not used"
	}
	return note, nil
}

// group names the prototypes and finds their classes: those given, or else their names.
func (s *Sources) group(names, classes []string) {
	k := s.Centers.Rows
	s.Names, s.Class = make([]string, k), make([]int, k)
	place := map[string]int{}
	for i := range s.Names {
		s.Names[i] = "p" + strconv.Itoa(i)
		if names != nil && table.Printable(names[i]) != "" {
			s.Names[i] = table.Printable(names[i])
		}
		class := s.Names[i]
		if classes != nil {
			class = table.Printable(classes[i])
		}
		if _, ok := place[class]; !ok {
			place[class] = len(s.Groups)
			s.Groups = append(s.Groups, class)
		}
		s.Class[i] = place[class]
	}
}

// Sum returns the shares of the groups for the memberships g in the prototypes.
func (s *Sources) Sum(g *softkmeans.Matrix) *softkmeans.Matrix {
	if !s.Bundled() {
		return g
	}
	out := softkmeans.NewMatrix(g.Rows, len(s.Groups), nil)
	for i := range g.Rows {
		row := out.Row(i)
		for j, v := range g.Row(i) {
			row[s.Class[j]] += v
		}
	}
	return out
}

// mostNamed is how many names a message has.
const mostNamed = 8

func some(names []string) string {
	more := ""
	if n := len(names); n > mostNamed {
		names, more = names[:mostNamed-1], ", and "+strconv.Itoa(n-mostNamed+1)+" more"
	}
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = table.Short(name, table.MostName)
	}
	return strings.Join(list, ", ") + more
}
