package main

// Faults that nobody chose: drawn at random from all that the syntax trees offer.

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"sort"
	"strings"
)

// edit is a replacement of a part of a source.
type edit struct {
	from, to int // bytes
	text     string
	kind     string // operator, constant, condition, error, statement, arguments
	what     string
}

// sample draws count faults that type-check from the files that match, at most one from
// each line. All lines with something to get wrong are equally likely, then all kinds of
// faults there, then all faults of the kind. broken counts what was drawn and does not
// type-check.
func (p *pack) sample(files *regexp.Regexp, count int, seed uint64) (faults []fault, broken int) {
	type place struct {
		name  string
		line  int
		edits []edit
	}
	var places []place
	for _, name := range p.names {
		if !files.MatchString(name) {
			continue
		}
		lines := map[int][]edit{}
		for _, e := range p.edits(name) {
			line := strings.Count(p.sources[name].text[:e.from], "\n")
			lines[line] = append(lines[line], e)
		}
		for line, edits := range lines {
			places = append(places, place{name, line, edits})
		}
	}
	sort.Slice(places, func(i, j int) bool {
		a, b := places[i], places[j]
		return a.name < b.name || a.name == b.name && a.line < b.line
	})
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	for _, at := range places {
		if len(faults) == count {
			break
		}
		s := p.sources[at.name]
		f, ok := draw(rng, at.edits).fault(s)
		if !ok {
			continue
		}
		wrong, _, _, err := f.apply(s)
		if err == nil {
			err = p.builds(at.name, wrong)
		}
		if err != nil {
			broken++
			continue
		}
		faults = append(faults, f)
	}
	return faults, broken
}

// draw takes one edit: first a kind, then one of that kind.
func draw(rng *rand.Rand, edits []edit) *edit {
	kinds := map[string][]edit{}
	var names []string
	for _, e := range edits {
		if kinds[e.kind] == nil {
			names = append(names, e.kind)
		}
		kinds[e.kind] = append(kinds[e.kind], e)
	}
	of := kinds[names[rng.IntN(len(names))]]
	return &of[rng.IntN(len(of))]
}

// fault makes a fault of an edit: with as many of the lines before as tell where it is. It
// is false if lines cannot say it, as within a string of several lines.
func (e *edit) fault(s *source) (f fault, ok bool) {
	first := strings.Count(s.text[:e.from], "\n")
	last := first + strings.Count(s.text[e.from:e.to], "\n")
	wrong := s.text[:e.from] + e.text + s.text[e.to:]
	want := strings.Join(strings.Fields(strings.Join(canonical(wrong), " ")), " ")
	fresh := strings.Split(wrong, "\n")
	fresh = fresh[first : len(fresh)-(len(s.lines)-last-1)]
	stem := strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(s.name, ".go"), "_", "-"))
	for start := first; start >= 0; start-- {
		if s.code[start] == "" {
			continue
		}
		f = fault{name: fmt.Sprintf("%s-%d", stem, first+1), file: s.name, kind: e.kind, text: e.what}
		put := func(mark byte, lines []string) {
			for _, l := range lines {
				if canonical(l)[0] != "" {
					f.lines = append(f.lines, change{mark, strings.TrimSpace(l)})
				}
			}
		}
		put(' ', s.lines[start:first])
		put('-', s.lines[first:last+1])
		put('+', fresh)
		if text, _, _, err := f.apply(s); err == nil {
			got := strings.Join(strings.Fields(strings.Join(canonical(text), " ")), " ")
			return f, got == want && f.check() == nil
		}
	}
	return f, false
}
