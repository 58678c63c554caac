package table

// The third stage: which lines are the table. Instruments write text before it, and people below it,
// such as Instrument: … and Source: …. The text is left out if the lines between are certain to be a
// table.

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"softkmeans/internal/csv"
)

const (
	mostAbove  = 200 // lines before a table
	mostBelow  = 60  // after it
	leastTable = 3   // rows of it
)

// footer is the length of text after a table, such as its source or, after a blank line, statistics of its
// columns: at most mostBelow lines, none of which is a row.
func (s *survey) footer(text []byte, comma rune) int {
	lines := slices.Collect(bytes.Lines(text))
	at := len(lines)
	b := newBlock(beforeBlank(lines), comma)
	if b == nil {
		return 0
	}
	fields := splitAll(lines, comma)
	if len(fields) > 1 && paired(fields[0], fields[1]) { // whose text is told apart by its frame
		return 0
	}
	for i := len(lines) - 1; i > 0 && len(lines)-i <= mostBelow; i-- {
		f := fields[i]
		if f == nil {
			continue
		}
		numbers := howMany(f, func(s []byte) bool { return numeric(s) || present(s) && missing(s) })
		word := strings.Trim(shown(f[0]), "% ().")
		text := numbers == 0 || isTotal(word) || is("spread", word) || numbers == 1 && len(f) != b.width
		if bytes.Count(lines[i], []byte(`"`))%2 > 0 || !text {
			break
		}
		blank := fields[i-1] == nil && !isComment(lines[i-1])
		if blank || numbers == 0 && len(f) != b.width && len(f[0]) > 8 {
			at = i
		}
	}
	s.leftOut(at, lines[at:], "after")
	return len(bytes.Join(lines[at:], nil))
}

// sections returns the titles in a text of several tables: lines of one field, at the start or after a
// blank line, that are before a line of more fields.
func sections(text []byte) (titles []string) {
	title, blank := []byte(nil), true
	for line := range bytes.Lines(text) {
		line = bytes.Trim(line, ",;\t\r\n ")
		several := bytes.ContainsAny(line, ",;\t")
		if several && title != nil {
			titles = append(titles, quote(shown(title)))
		}
		if title = nil; blank && !several && len(line) > 0 {
			title = line
		}
		blank = len(line) == 0
	}
	return titles
}

// leftOut notes that lines are text, unless they are blank or comments, and reports whether it does.
// from is the index of the first line in the text.
func (s *survey) leftOut(from int, lines [][]byte, where string) bool {
	i := slices.IndexFunc(lines, func(line []byte) bool { return present(line) && !isComment(line) })
	if i >= 0 {
		first, last := strconv.Itoa(s.skipped+from+1), strconv.Itoa(s.skipped+from+len(lines))
		are := Plural(len(lines), "line "+first+" is", "lines "+first+"-"+last+" are")
		s.note(are + " left out: text " + where + " the table (" + quote(shown(lines[i])) + ")")
	}
	return i >= 0
}

// block is the lines at the start of a text, each split at a delimiter.
type block struct {
	lines   [][]byte
	fields  [][][]byte // nil: the line is blank, a comment or no CSV
	width   int        // of two thirds of the last lines, at least 2
	of      []bool     // which columns have numbers in most of these
	numbers float64    // the share of numbers among the fields of these
}

// splitAll returns the fields of lines; nil for one that is blank, a comment, a rule, no CSV, or has a
// tab beside blanks.
func splitAll(lines [][]byte, comma rune) [][][]byte {
	return mapped(lines, func(line []byte) [][]byte {
		split := csv.New(line, comma)
		tab := comma == ' ' && bytes.IndexByte(bytes.TrimSpace(line), '\t') >= 0
		if tab || isComment(line) || split.Next() != nil || empty(split.Fields) || ruled(split.Fields) {
			return nil
		}
		return mapped(split.Fields, bytes.Clone)
	})
}

// beforeBlank is the lines before the last blank one, if it is below half of them, since text may follow
// it.
func beforeBlank(lines [][]byte) [][]byte {
	for i := len(lines) - 1; i > len(lines)/2; i-- {
		if len(bytes.Trim(lines[i], "\r\n\t ,;|")) == 0 {
			return lines[:i]
		}
	}
	return lines
}

// newBlock is nil unless two thirds of the last lines are alike.
func newBlock(lines [][]byte, comma rune) *block {
	b := &block{lines: lines, fields: splitAll(lines, comma)}
	widths, last := map[int]int{}, max(0, min(1, len(lines)-1), len(lines)-max(leastTable, len(lines)/4))
	all := 0
	for _, fields := range b.fields[last:] {
		if fields == nil {
			continue
		}
		all++
		if widths[len(fields)]++; widths[len(fields)] > widths[b.width] {
			b.width = len(fields)
		}
	}
	if b.width < 2 || 3*widths[b.width] < 2*all {
		return nil
	}
	for i, fields := range b.fields {
		b.fields[i] = within(fields, b.width)
	}
	b.of = make([]bool, b.width)
	for j := range b.of {
		n := howMany(b.fields[last:], func(fields [][]byte) bool {
			return len(fields) == b.width && (numeric(fields[j]) || missing(bytes.TrimSpace(fields[j])))
		})
		b.of[j] = 3*n >= 2*widths[b.width]
		b.numbers += float64(n) / float64(b.width*all)
	}
	return b
}

// even reports whether all lines have as many fields.
func (b *block) even() bool {
	return !slices.ContainsFunc(b.fields, func(f [][]byte) bool { return f != nil && len(f) != b.width })
}

// numeric reports whether a field is a number with either decimal sign.
func numeric(f []byte) bool {
	return trimmedNumber(f) || numeral(f, '.') || numeral(f, ',')
}

// share is how many of the columns of numbers have one in a line of any number of fields; 0 if words are
// in more than an eighth as many. A few words, such as OVRFLW, are missing values.
func (b *block) share(fields [][]byte) float64 {
	n, words, all := 0, 0, howMany(b.of, func(of bool) bool { return of })
	for j, f := range fields[:min(len(fields), b.width)] {
		if b.of[j] && numeric(f) {
			n++
		} else if b.of[j] && !missing(bytes.TrimSpace(f)) {
			words++
		}
	}
	if 8*words > n {
		return 0
	}
	return float64(n) / float64(max(all, 1))
}

// row reports whether a line has as many fields as the rows, and numbers where they have them: at least a
// quarter, since a key and its value in a sheet are less.
func (b *block) row(fields [][]byte) bool { return len(fields) == b.width && b.share(fields) >= 0.25 }

// above counts the lines before the table and its header, if they are text and it is one for certain.
func (b *block) above() int {
	first := slices.IndexFunc(b.fields, b.row)
	if first < 0 || b.width == 2 && !(b.of[0] && b.of[1]) {
		return 0
	}
	rows := slices.DeleteFunc(slices.Clone(b.fields[first:]), func(f [][]byte) bool { return f == nil })
	if len(rows) < leastTable || howMany(rows[:leastTable], b.row) < leastTable {
		return 0
	}
	n, numbers, blank := b.header(first), 0, false
	for i := n - 1; i >= 0 && !b.marked(i, noName); i-- { // lines above one such as ***End_of_Header*** are text
		fields := b.fields[i]
		numerals, all := howMany(fields, numeric), howMany(fields, present)
		text := b.marked(i, marks) ||
			numerals < all && len(fields) > 1 && empty(fields[:2]) // about the columns, as MS-DIAL writes
		if !text && 2*numerals > all && (all > 1 || i == 0 && len(fields) > 1) && !keyed(fields[:1]) {
			numbers++ // another table has three such lines or more
		}
		blank = blank || absent(b.lines[i])
		full := b.width > 2 && b.filled(fields) && !keyed(fields)
		same := len(fields) == b.width && (full || numeric(fields[0]) && all > 1)
		if bytes.Count(b.lines[i], []byte(`"`))%2 == 1 || // a field of several lines
			!text && (same || !blank && numbers > 0 || numbers == leastTable) {
			return 0
		}
	}
	for n > 0 && isComment(b.lines[n-1]) { // the last may have names
		n--
	}
	return n
}

// header is the first line of the header above the row first, or first without one; 0 is open.
func (b *block) header(first int) int {
	row := first
	for first > 0 && len(bytes.Trim(b.lines[first-1], "-=:+|,; \t\r\n")) == 0 { // blank, or a rule
		first--
	}
	n := first
	for n > 0 && len(b.fields[n-1]) == b.width && !b.marked(n-1, noName) && b.heads(n, n < first) {
		n--
	}
	last := b.fields[max(n-1, 0)] // above the header
	filled := howMany(last, present)
	switch above := first - n; {
	case first > 1 && paired(b.fields[first-2], b.fields[first-1]):
		return first - 2
	case row > 0 && completes(b.fields[row-1], b.fields[row]):
		return row - 1
	case above > 2 && b.width == 2: // keys and values have two fields as well
		return first - 1
	case above > 0 || n == 0:
		return n
	case first < row:
		return row
	case b.marked(n-1, marks) && !(len(last) == b.width && absent(last[0])): // but ;a;b is a header
		return n
	case b.width > 2 && len(last) == b.width-1 && b.filled(last): // as R writes: column 1 has no name
		return n - 1
	case !keyed(last) && howMany(last, numeric) == 0 && filled <= 3*b.width && // more are a sentence
		(filled > 2 || filled == 2 && (b.width < 4 || n < 2)):
		return 0 // a header with too few names, or too many
	}
	return n
}

// heads reports whether the line above line n belongs to the header: it has names itself or, if line n
// does, adds to names that come twice. Columns 1 and 2 have names on the last such line.
func (b *block) heads(n int, named bool) bool {
	line := b.fields[n-1]
	if named && repeats(b.fields[n]) && howMany(line, present) > 1 {
		return true
	}
	return b.filled(line) && !(named && empty(line[:2]))
}

// marked reports whether line i begins with one of some signs of comments, but #, or is between < and >.
func (b *block) marked(i int, signs string) bool {
	line := bytes.TrimSpace(b.lines[i])
	return bytes.ContainsAny(line[:min(1, len(line))], signs) || bytes.HasPrefix(line, []byte("<")) &&
		bytes.HasSuffix(line, []byte(">"))
}

const (
	marks  = "*!%;"
	noName = "*!" // names may begin with the others
)

// filled reports whether most fields of a line are there, and it is no key with a value. Names of
// columns may end in a colon as well.
func (b *block) filled(fields [][]byte) bool {
	n := howMany(fields, present)
	return 2*n >= len(fields) && (n > 2 || b.width == 2) && (n == b.width && n > 2 || !keyed(fields))
}

// keyed reports whether a line is a key with values, such as Instrument: … or Title=….
func keyed(fields [][]byte) bool {
	return slices.ContainsFunc(fields[:min(2, len(fields))], func(f []byte) bool {
		f = bytes.TrimSpace(f)
		ends := bytes.TrimRight(f, ":=")
		return len(ends) < len(f) || len(fields) < 3 && bytes.ContainsAny(f, ":=")
	})
}
