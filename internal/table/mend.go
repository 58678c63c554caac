package table

// What a user asks to be done with entries and rows, in place of an editor: what counts as missing,
// what an entry below a limit is, which rows are left out.

import (
	"bytes"
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
		if isRange && last == "" {
			to = 0
		} else if isRange && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 1 || to != 0 && to < from {
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

// skips counts a row, and reports whether it is left out.
func (p *parser) skips() bool {
	if p.dialect.Skip.none() {
		return false
	}
	p.row++
	out := p.dialect.Skip.has(p.row, p.atEnd())
	if out {
		p.skipped++
	}
	return out
}

func (p *parser) skipNote() []string {
	if p.dialect.Skip.none() {
		return nil
	}
	return []string{Count(p.skipped, "row") + Plural(p.skipped, " is", " are") + " left out, as asked"}
}

// atEnd reports whether no row follows in the text, which is there as a whole.
func (p *parser) atEnd() bool {
	for line := range bytes.Lines(p.split.Rest) {
		line = bytes.Trim(line, " \t\r\n"+string(p.dialect.Delimiter))
		if len(line) > 0 && !(p.split.Hash && isComment(line)) {
			return false
		}
	}
	return true
}

// settled is a field as the Dialect settles it: empty where it counts as missing.
func (p *parser) settled(f []byte) []byte {
	if p.isDeleted(f) || p.naWord(f) != "" {
		return nil
	}
	return p.halved(f)
}

// halved takes the text of a field and returns its replacement. For a value below a limit of detection, as
// "<0.5", it is half of the limit, or nil if such values count as missing; any other field is unchanged.
func (p *parser) halved(f []byte) []byte {
	if p.dialect.Below == BelowError {
		return f
	}
	v, unit, ok := p.limit(f)
	switch {
	case !ok:
		return f
	case p.dialect.Below == BelowMissing:
		return nil
	}
	half := strconv.AppendFloat(nil, v/2, 'g', -1, 64)
	if p.dialect.Decimal == ',' {
		half = bytes.Replace(half, []byte("."), []byte(","), 1)
	}
	if unit != nil {
		half = append(append(half, ' '), unit...)
	}
	return half
}

// isDeleted reports whether f is -1.23e34, which libraries of the USGS and of ENVI have for no value.
func (p *parser) isDeleted(f []byte) bool {
	if p.survey == nil || len(f) < 7 || f[0] != '-' || f[1] != '1' || bytes.IndexAny(f, "eE") < 0 {
		return false
	}
	v, err := parseFloat(p.withPoint(f))
	return err == nil && float32(v) == -1.23e34
}

// naWord is the word of Dialect.NA that a field is, or that is the same number; "" if there is none.
func (p *parser) naWord(f []byte) string {
	if p.dialect.NA == nil {
		return ""
	}
	v, err := parseFloat(p.withPoint(f))
	for _, word := range p.dialect.NA {
		n, no := parseFloat([]byte(word))
		if string(f) == word || err == nil && no == nil && v == n {
			return word
		}
	}
	return ""
}

func (p *parser) noteMended() {
	s := p.survey
	if s.deleted {
		s.note("-1.23e34, a deleted channel, is a missing value")
	}
	for _, word := range p.dialect.NA {
		if !s.cut && !s.seen[word] {
			s.note("no entry is " + quote(word) + ", which was to count as missing")
		}
	}
	p.noteIn("entries below a limit, marked by <, are "+Plural(int(p.dialect.Below), "missing values",
		"taken as half of it"), func(_ int, c *column) bool { return c.below > 0 && p.dialect.Below != BelowError })
}

// someOf lists three names, or two and how many others there are.
func someOf(names []string) string {
	if n := len(names) - 2; n > 1 {
		names = append(names[:2:2], strconv.Itoa(n)+" others")
	}
	return strings.Join(names, ", ")
}

// limit reads a field such as <4.0, and the unit behind it.
func (p *parser) limit(f []byte) (v float64, unit []byte, ok bool) {
	for _, sign := range []string{"<=", "<", "≤"} {
		if rest, found := bytes.CutPrefix(f, []byte(sign)); found {
			number, unit := cutUnit(rest)
			text, _ := plainer(number, p.dialect.Decimal)
			v, err := parseFloat(text)
			return v, unit, err == nil
		}
	}
	return 0, nil, false
}
