package main

// Faults that nobody chose: drawn at random from all that the syntax trees offer.

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// edit is a replacement of a part of a source.
type edit struct {
	from, to int // bytes
	text     string
	kind     string // operator, constant, condition, error, statement, arguments
	what     string
}

// fault is a deliberate mistake: an edit of a file.
type fault struct {
	name, file string
	edit
	first, last int // the lines that it changes, from 1
}

// newFault names the edit of a source by file and line. What follows keeps its lines, so
// that a fault without effect compiles to the same program.
func newFault(s *source, e edit) fault {
	first := 1 + strings.Count(s.text[:e.from], "\n")
	lines := strings.Count(s.text[e.from:e.to], "\n")
	if less := lines - strings.Count(e.text, "\n"); less > 0 {
		e.text += strings.Repeat("\n", less)
	}
	stem := strings.ReplaceAll(strings.TrimSuffix(s.name, ".go"), "_", "-")
	return fault{name: fmt.Sprintf("%s-%d", stem, first), file: s.name, edit: e,
		first: first, last: first + lines}
}

// apply returns the source with the fault in it.
func (f *fault) apply(s *source) string { return s.text[:f.from] + f.text + s.text[f.to:] }

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
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(strings.Compare(a.name, b.name), a.line-b.line)
	})
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	for _, at := range places {
		if len(faults) == count {
			break
		}
		s := p.sources[at.name]
		f := newFault(s, *draw(rng, at.edits))
		if p.builds(at.name, f.apply(s)) != nil {
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
