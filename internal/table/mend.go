package table

// What a user asks to be done with entries and rows, in place of an editor: what counts as missing,
// what an entry below a limit is, which rows are left out.

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Below says what an entry such as <4.0 is, which is below a limit of detection.
type Below int

const (
	BelowError   Below = iota // an error, which names all of them
	BelowMissing              // a missing value
	BelowHalf                 // half of the limit
)

// Skip says which rows of data are left out, by their positions. The zero Skip leaves out none.
type Skip struct {
	ranges [][2]int // from 1; the end is 0 for all that follow
	last   bool
}

// Add adds the rows of a list such as 1,3-5,40-,last.
func (skip *Skip) Add(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word == "last" {
			skip.last = true
			continue
		}
		first, last, isRange := strings.Cut(word, "-")
		from, err := strconv.Atoi(first)
		to := from
		if isRange {
			to, _ = strconv.Atoi(cmp.Or(last, "0"))
		}
		if open := isRange && last == ""; err != nil || from < 1 || to < from && !open {
			return errors.New("must be numbers of rows from 1, ranges such as 3-5 and 40-, or last, " +
				"with commas between them")
		}
		skip.ranges = append(skip.ranges, [2]int{from, to})
	}
	return nil
}

// Mends reports whether entries or rows are settled, which is for texts alone.
func (d *Dialect) Mends() bool { return d.NA != nil || d.Below != BelowError || !d.Skip.none() }

func (s *Skip) none() bool { return s.ranges == nil && !s.last }

// has reports whether row n, from 1, is left out.
func (s *Skip) has(n int, last bool) bool {
	within := func(r [2]int) bool { return n >= r[0] && (r[1] == 0 || n <= r[1]) }
	return s.last && last || slices.ContainsFunc(s.ranges, within)
}

// adds is what [Skip.Add] takes to leave out row i, from 0, of the rows that are left.
func (s *Skip) adds(i, rows int) string {
	if i == rows-1 && !s.last {
		return "last"
	}
	n := 0
	for ; i >= 0; i-- {
		for n++; s.has(n, false); n++ {
		}
	}
	return strconv.Itoa(n)
}

// skipRows finds the rows that are left out of a text, which is there as a whole, after so many lines.
func (p *parser) skipRows(text []byte, line int) {
	var starts []int
	split := p.survey.splitter(text, p.dialect.Delimiter)
	for split.End = line; split.Next() == nil; {
		if !p.blank(split.Fields) {
			starts = append(starts, split.Start)
		}
	}
	p.skip = map[int]bool{}
	for i, start := range starts {
		if p.dialect.Skip.has(i+1, i == len(starts)-1) {
			p.skip[start] = true
		}
	}
}

func (p *parser) noteMended() {
	s := p.survey
	if s.seen[deleted] {
		s.note(deleted + ", a deleted channel, is a missing value")
	}
	for _, word := range p.dialect.NA {
		if !s.cut && !s.seen[word] {
			s.note("no entry is " + quote(word) + ", which was to count as missing")
		}
	}
	p.noteIn("entries below a limit, marked by <, are "+Plural(int(p.dialect.Below), "missing values",
		"taken as half of it"), func(c *column) bool { return c.below > 0 && p.dialect.Below != BelowError })
}

// someOf lists three names, or two and how many others there are.
func someOf(names []string) string { return firstOf(names, 3, ", ") }

// firstOf joins so many of a list, or one less and how many others there are.
func firstOf(list []string, most int, comma string) string {
	if n := len(list) - most + 1; n > 1 {
		list = append(list[:most-1:most-1], strconv.Itoa(n)+" others")
	}
	return strings.Join(list, comma)
}
