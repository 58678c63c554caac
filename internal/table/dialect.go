package table

// The second stage: how lines are parted into fields, which lines are comments, which is the decimal sign.

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"softkmeans/internal/csv"
)

// delimiters are tried in this order.
const delimiters = "\t;|, "

// dialect finds the delimiter of a text and its table. Each delimiter is tried: the first is taken of
// those by which the last lines are most alike and have the most numbers. One by which all lines are
// alike goes before others. Line 1 decides if they are alike by none.
func (s *survey) dialect(text []byte, d *Dialect) {
	lines := slices.Collect(bytes.Lines(text))
	lines = lines[:min(len(lines), 2*mostAbove)]
	tried := delimiters
	if d.Delimiter != 0 {
		tried = string(d.Delimiter)
	}
	var best *block
	for _, comma := range tried {
		if comma == ',' && d.Decimal == ',' || !bytes.ContainsRune(text, comma) {
			continue
		}
		b := newBlock(lines, comma)
		if b == nil { // text follows the table
			b = newBlock(beforeBlank(lines), comma)
		}
		numbers := func() int { return howMany(b.of, func(of bool) bool { return of }) }
		sure := b != nil && (comma != ' ' || 2*b.numbers > 1 || b.width > 2 && b.even() && numbers() > 1)
		switch {
		case !sure || best != nil && best.even() && !b.even(): // lists such as 0|1
		case best == nil || b.numbers > best.numbers || b.even() && !best.even() && numbers() > 0:
			best, d.Delimiter = b, comma
		}
	}
	if best == nil {
		d.Delimiter = cmp.Or(d.Delimiter, guessDelimiter(text, d.Decimal))
		return
	}
	n := best.above()
	if !s.leftOut(0, best.lines[:n], "before") {
		return
	}
	s.skipped += n
	s.about = slices.ContainsFunc(best.lines[:n], aboutSpectra)
	if best.marked(n-1, marks) {
		s.comments[1] = best.lines[n-1]
	}
	s.skip += len(bytes.Join(lines[:n], nil))
}

// aboutSpectra reports whether a line of text names an axis or spectra.
func aboutSpectra(line []byte) bool { return is("axis", shown(line)) || is("about", shown(line)) }

// firstLine takes the delimiter from a first line such as sep=; which Excel reads, and skips the two
// lines with which a GCT file begins.
func (s *survey) firstLine(text []byte, d *Dialect) {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	word := bytes.Trim(line, "\r \"") // but no tab: it may be the delimiter
	switch {
	case is("gct", string(line)):
		s.skip = min(len(line)+1+bytes.IndexByte(rest, '\n')+1, len(text)) // line 2 has the sizes
		s.skipped, s.gct = 2, true
	case len(word) == 5 && bytes.EqualFold(word[:4], []byte("sep=")):
		s.skip, s.skipped = min(len(line)+1, len(text)), 1
		if d.Delimiter == 0 && validComma(rune(word[4])) {
			d.Delimiter = rune(word[4])
		}
	}
}

// findComments finds out whether lines that begin with # are comments, and keeps the last two before the
// first other line. They are none if they are nine lines of ten. Below that line some may be rows whose
// ids begin with #: they have as many fields as it, and a number. The user is asked about them.
func (s *survey) findComments(text []byte, d *Dialect) {
	lines := slices.DeleteFunc(slices.Collect(bytes.Lines(text)), absent)
	hashes := howMany(lines, isComment)
	if d.Delimiter == '#' || hashes == 0 || hashes >= 9*(len(lines)-hashes) {
		return
	}
	first := slices.IndexFunc(lines, func(line []byte) bool { return !isComment(line) })
	for _, line := range lines[:first] {
		if len(bytes.Trim(line, "#-= \t\r\n")) > 0 { // no rule
			s.comments = [2][]byte{s.comments[1], line}
		}
	}
	s.about = s.about || slices.ContainsFunc(lines[:first], aboutSpectra)
	body := new(survey).split(bytes.Join(lines[first:], nil), d.Delimiter, surveyRows)
	if i := slices.IndexFunc(body, func(line [][]byte) bool {
		return isComment(line[0]) && len(line) >= len(body[0]) && slices.ContainsFunc(line[1:], trimmedNumber)
	}); i >= 0 {
		s.ask = &Error{Msg: "lines with as many numbers as the rows begin with #, the first with " +
			quote(string(body[i][0])) + ": remove them if they are comments, or put the field in quotes if " +
			"they are rows"}
	}
	s.hash = true
	s.note("lines that begin with # are comments")
}

// namesAbove takes names from the last comment before the rows, or from the one above it if that has as
// many fields and the last has units or is a rule.
func (s *survey) namesAbove(d *Dialect) {
	if d.Header != Auto || len(s.lines) == 0 || len(s.lines[0]) < 2 {
		return
	}
	numbers := numbersOf(mapped(s.lines[0], shown))
	if len(numbers) == 0 || len(numbers) > 2 && rises(numbers) { // line 1 may be a header itself
		return
	}
	above, names := s.namesIn(s.comments[0], d.Delimiter), s.namesIn(s.comments[1], d.Delimiter)
	if above != nil && slices.ContainsFunc(names, isUnit) {
		names = above
	}
	if s.names = names != nil; !s.names {
		return
	}
	if s.lines = slices.Insert(s.lines, 0, names); !s.hash {
		s.note("line " + strconv.Itoa(s.skipped) + " has the names of the columns")
	}
}

// namesIn is the names in a comment; nil unless they are as many as the columns. There may be its sign
// before each, and several tabs between them.
func (s *survey) namesIn(comment []byte, comma rune) (names [][]byte) {
	comment = bytes.TrimLeft(comment, " \t")
	sign, width := string(comment[:min(1, len(comment))]), len(s.lines[0]) // a unit such as % may follow
	for _, names = range new(survey).split(bytes.TrimLeft(comment, sign+" \t"), comma, 1) {
		if len(names) != width {
			names = slices.DeleteFunc(names, absent)
		}
	}
	if len(names) != width {
		return nil
	}
	return mapped(names, func(f []byte) []byte { return bytes.TrimLeft(f, sign+" ") })
}

// decimal finds the decimal sign. Numbers such as 1,5 or 1.234,5 say that it is the comma, those such as
// 1.5 or 1,234.5 deny it. It asks about one such as 1,234, if the comma is not the delimiter, or as
// 1.234 beside semicolons, if no other says which sign it is.
func (s *survey) decimal(text []byte, d *Dialect) {
	if d.Decimal != 0 {
		return
	}
	var doubt []byte
	commas := false
	below := s.lines[min(1, max(0, len(s.lines)-1)):] // names, such as 0.5 µm
	for _, f := range slices.Concat(below...) {
		if f = bytes.TrimLeft(f, "<≤= "); bytes.IndexAny(f, ",.") < 0 {
			continue
		}
		asComma, has, _ := plainer(f, ',')
		switch comma, point := isNumber(asComma), numeral(f, '.'); {
		case point && !comma:
			return
		case comma && !point:
			commas = true
		case doubt == nil && point && (has&formGroups == 0 && d.Delimiter != ',' ||
			has&formGroups != 0 && d.Delimiter == ';'):
			doubt = f
		}
	}
	if w := d.Words.Decimal; commas {
		d.Decimal = ','
		s.note("the decimal sign is the comma")
	} else if doubt != nil {
		before := text[:max(0, bytes.Index(text, doubt))]
		s.ask = &Error{Line: 1 + s.skipped + bytes.Count(before, []byte("\n")),
			Msg: Printable(string(doubt)) + " may be a number of thousands or one with three decimals"}
		s.ask.advise(w, "say which the decimal sign is: "+w+" comma or point",
			[]string{w, "comma"}, []string{w, "point"})
	}
}

// guessDelimiter looks in the first line of a text for a tab, beside which commas and semicolons may be
// part of a name, then for a semicolon, beside which a comma may be a decimal one. In quotes there are
// no delimiters.
func guessDelimiter(text []byte, decimal rune) rune {
	quotes := 0
	for _, comma := range "\t;" {
		split := csv.New(bytes.TrimLeft(text, " \r\n"), comma)
		if split.Next() == nil && len(split.Fields) > 1 {
			return comma
		}
		quotes = len(split.Quotes)
	}
	if decimal == ',' && quotes == 0 {
		return ';' // the line has none: there is a single column
	}
	return ','
}
