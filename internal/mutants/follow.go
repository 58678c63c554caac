package main

// Faults whose lines have other names by now.

import (
	"go/token"
	"regexp"
	"strings"
)

// follow returns the fault as it is where the only lines are that differ from its own in
// names alone, each name in all places for the same other one. It is false if there are no
// such lines, or several.
func (p *pack) follow(f *fault) (g fault, ok bool) {
	var before [][]string
	for _, c := range f.side('+') {
		before = append(before, strings.Fields(c))
	}
	found := 0
	look := func(s *source) {
		for i := range len(s.at) - len(before) + 1 {
			names := map[string]string{}
			if alike(before, s, i, names) {
				found++
				g = f.renamed(s, i, names)
			}
		}
	}
	if s := p.sources[f.file]; s != nil {
		look(s)
	}
	if found == 0 {
		for _, name := range p.names {
			look(p.sources[name])
		}
	}
	return g, found == 1 && g.check() == nil
}

// alike reports whether the lines of s from its i-th with code differ in names alone, and
// notes which.
func alike(before [][]string, s *source, i int, names map[string]string) bool {
	kept := false // a name that stays, so that not every line of the form is meant
	for j, words := range before {
		now := strings.Fields(s.code[s.at[i+j]])
		if len(now) != len(words) {
			return false
		}
		for w, word := range words {
			if !token.IsIdentifier(word) || !token.IsIdentifier(now[w]) {
				if word != now[w] {
					return false
				}
				continue
			}
			if other, seen := names[word]; seen && other != now[w] {
				return false
			}
			names[word] = now[w]
			kept = kept || word == now[w] && len(word) > 2
		}
	}
	return kept
}

var identifier = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// renamed is the fault with the lines of s from its i-th with code, and in what is new the
// names that these have now.
func (f *fault) renamed(s *source, i int, names map[string]string) fault {
	g := *f
	g.file, g.lines = s.name, nil
	for _, c := range f.lines {
		if c.mark == '+' {
			c.text = identifier.ReplaceAllStringFunc(c.text, func(w string) string {
				if now, ok := names[w]; ok {
					return now
				}
				return w
			})
		} else {
			c.text = strings.TrimSpace(s.lines[s.at[i]])
			i++
		}
		g.lines = append(g.lines, c)
	}
	return g
}
