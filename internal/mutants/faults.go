package main

// The list of faults: its form, and where in the sources a fault's lines are.

import (
	_ "embed"
	"fmt"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

//go:embed faults.txt
var list string

// listPath is the list's path in the module.
const listPath = "internal/mutants/faults.txt"

// fault is one deliberate mistake.
type fault struct {
	name, file, kind, text string
	lines                  []change
	number                 int // of its first line in the list, from 1; 0: drawn at random
}

// change is a line of a fault: ' ' stays, '-' goes, '+' comes.
type change struct {
	mark byte
	text string
}

var header = regexp.MustCompile(`^([a-z0-9-]+) ([a-z0-9_]+\.go) ([^:]+): (.+)$`)

// parse reads a list. A fault is a line
//
//	NAME FILE KIND: what is wrong
//
// and below it the lines that it concerns, as in a diff: '-' before one that goes,
// '+' before one that comes, ' ' before one that stays and tells where. An empty line
// ends it; lines that begin with '#' are comments.
func parse(list string) (faults []fault, err error) {
	seen := map[string]bool{}
	open := false // whether a fault may have more lines
	number := 0
	for text := range strings.Lines(list) {
		number++
		text = strings.TrimRight(text, "\r\n")
		switch {
		case strings.TrimSpace(text) == "":
			if open {
				err = faults[len(faults)-1].check()
			}
			open = false
		case open:
			err = faults[len(faults)-1].add(text)
		case text[0] != '#':
			m := header.FindStringSubmatch(text)
			if m == nil {
				return nil, fmt.Errorf("line %d: %q is not NAME FILE KIND: what is wrong", number, text)
			}
			if seen[m[1]] {
				return nil, fmt.Errorf("line %d: a second fault with the name %s", number, m[1])
			}
			seen[m[1]], open = true, true
			faults = append(faults, fault{name: m[1], file: m[2], kind: m[3], text: m[4], number: number})
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if open {
		err = faults[len(faults)-1].check()
	}
	return faults, err
}

// add reads a line of the fault.
func (f *fault) add(text string) error {
	c := change{text[0], strings.TrimSpace(text[1:])}
	switch {
	case c.mark != ' ' && c.mark != '-' && c.mark != '+':
		return fmt.Errorf("%q begins with neither ' ', '-' nor '+'", text)
	case canonical(c.text)[0] == "":
		return fmt.Errorf("%q has no code", text)
	}
	f.lines = append(f.lines, c)
	return nil
}

// check is an error if the fault cannot be found or changes nothing.
func (f *fault) check() error {
	before, after := f.side('+'), f.side('-')
	switch {
	case len(before) == 0:
		return fmt.Errorf("%s has no lines to be found by", f.name)
	case strings.Join(before, "\n") == strings.Join(after, "\n"):
		return fmt.Errorf("%s changes nothing", f.name)
	}
	return nil
}

// side is the canonical text of the lines without those of one mark: without '+' as it
// is before, without '-' as it is after.
func (f *fault) side(without byte) (side []string) {
	for _, c := range f.lines {
		if c.mark != without {
			side = append(side, canonical(c.text)[0])
		}
	}
	return side
}

// String is the fault as in the list.
func (f *fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s: %s\n", f.name, f.file, f.kind, f.text)
	for _, c := range f.lines {
		fmt.Fprintf(&b, "%c%s\n", c.mark, c.text)
	}
	return b.String()
}

// canonical is the Go code of each line: its words with a space between them, without
// comments. So a changed comment or format does not matter to what is looked for.
func canonical(text string) []string {
	lines := make([]string, strings.Count(text, "\n")+1)
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	for {
		pos, tok, word := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if word == "\n" { // a semicolon that is not written
			continue
		}
		if word == "" {
			word = tok.String()
		}
		line := &lines[file.Line(pos)-1]
		if *line != "" {
			*line += " "
		}
		*line += word
	}
}

// source is a file of the package.
type source struct {
	name  string
	text  string
	lines []string
	code  []string // canonical
	at    []int    // the lines that have code, from 0
}

func newSource(name, text string) *source {
	s := &source{name: name, text: text, lines: strings.Split(text, "\n"), code: canonical(text)}
	for i, c := range s.code {
		if c != "" {
			s.at = append(s.at, i)
		}
	}
	return s
}

// find returns where in s.at the lines begin.
func (s *source) find(before []string) (starts []int) {
	for i := range len(s.at) - len(before) + 1 {
		same := true
		for j := 0; same && j < len(before); j++ {
			same = s.code[s.at[i+j]] == before[j]
		}
		if same {
			starts = append(starts, i)
		}
	}
	return starts
}

// apply returns the source with the fault in it, and the first and the last line that it
// changes, from 1. The lines before must be there exactly once. All other lines keep
// their numbers if the fault has no more new lines than old ones.
func (f *fault) apply(s *source) (text string, first, last int, err error) {
	before := f.side('+')
	starts := s.find(before)
	if len(starts) != 1 {
		return "", 0, 0, fmt.Errorf("%s: its lines are %d times in %s, not once", f.name, len(starts), f.file)
	}
	at := s.at[starts[0]:]
	at = at[:len(before)]
	var out []string
	done := 0 // lines of s
	copyTo := func(end int) {
		out = append(out, s.lines[done:end]...)
		done = end
	}
	copyTo(at[0])
	for i := 0; i < len(f.lines); {
		if f.lines[i].mark == ' ' {
			copyTo(at[0] + 1)
			at = at[1:]
			i++
			continue
		}
		var fresh []string
		gone := 0
		for ; i < len(f.lines) && f.lines[i].mark != ' '; i++ {
			if f.lines[i].mark == '+' {
				fresh = append(fresh, f.lines[i].text)
			} else {
				gone++
			}
		}
		begin, end := done, done
		if gone > 0 {
			copyTo(at[0])
			begin, end = done, at[gone-1]+1
			at = at[gone:]
		}
		for len(fresh) < end-begin { // what follows keeps its line
			fresh = append(fresh, "")
		}
		out = append(out, fresh...)
		done = end
		if gone == 0 { // the lines on both sides
			begin, end = begin-1, end+1
		}
		if first == 0 {
			first = max(begin+1, 1)
		}
		last = end
	}
	return strings.Join(append(out, s.lines[done:]...), "\n"), first, last, nil
}
