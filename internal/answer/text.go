package answer

// The text of an answer: sections one below the other, in lines of at most [LineWidth] characters.

import (
	"strings"
	"unicode/utf8"
)

// LineWidth is how many characters a line of a text has at most. A cell that is wider is not cut.
const LineWidth = 96

// Text writes the answer; with verbose also its details.
func (a *Answer) Text(verbose bool) []byte { return Text(a.Sections(), verbose) }

// Text writes sections; with verbose also those that are details.
func Text(sections []Section, verbose bool) []byte {
	var b strings.Builder
	for _, s := range sections {
		if s.empty() || s.Detail && !verbose {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if s.Title != "" {
			b.WriteString(Wrapped(s.Title))
		}
		s.Table.write(&b)
		for _, line := range s.Lines {
			b.WriteString(Wrapped(line))
		}
	}
	return []byte(b.String())
}

// Wrapped breaks a text into lines of at most LineWidth characters, with a final newline. It breaks at spaces
// that may end a line, and not before a percent sign.
func Wrapped(text string) string { return WrappedTo(text, LineWidth) }

// WrappedTo breaks text into lines of at most width characters, and returns them with a final newline.
func WrappedTo(text string, width int) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.FieldsFunc(strings.ReplaceAll(text, " %", "\u00a0%"), func(r rune) bool {
		return r == ' ' || r == '\n' || r == '\t'
	}) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return strings.ReplaceAll(b.String(), "\u00a0", " ") + "\n"
}

// write writes the table: columns of numbers are flush right, others flush left. Of columns that take more than
// a line, blocks follow one another, each with the first column.
func (t *Table) write(b *strings.Builder) {
	if t == nil {
		return
	}
	for from := 1; from == 1 || from < len(t.Head); {
		first := t.width(0)
		to, width := from, 2+first
		for to < len(t.Head) && (to == from || width+2+t.width(to) <= LineWidth) {
			width += 2 + t.width(to)
			to++
		}
		if from > 1 {
			b.WriteByte('\n')
		}
		t.writeRow(b, t.Head, from, to)
		for _, row := range t.Rows {
			t.writeRow(b, row, from, to)
		}
		from = max(to, 2)
	}
}

func (t *Table) writeRow(b *strings.Builder, cells []string, from, to int) {
	line := ""
	for j := range to {
		if j > 0 && j < from {
			continue
		}
		space := strings.Repeat(" ", t.width(j)-utf8.RuneCountInString(cells[j]))
		if line += "  "; t.numeric(j) {
			line += space + cells[j]
		} else {
			line += cells[j] + space
		}
	}
	if line = strings.TrimRight(line, " "); line != "" {
		b.WriteString(line + "\n")
	}
}

// Width returns how many characters a row takes.
func (t *Table) Width() (n int) {
	for j := range t.Head {
		n += 2 + t.width(j)
	}
	return n
}

func (t *Table) width(j int) int {
	w := utf8.RuneCountInString(t.Head[j])
	for _, row := range t.Rows {
		w = max(w, utf8.RuneCountInString(row[j]))
	}
	return w
}

// numeric reports whether all cells of column j are numbers, shares or empty.
func (t *Table) numeric(j int) bool {
	for _, row := range t.Rows {
		if strings.Trim(row[j], "0123456789.+-−eE %<>–*°") != "" {
			return false
		}
	}
	return true
}
