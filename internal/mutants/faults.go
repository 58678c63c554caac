package main

// The list of faults: what is wrong in each, and the lines that it changes.

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed faults.txt
var list string

// fault is one deliberate mistake. before and after are whole lines without the
// white space around them, so that formatting does not matter.
type fault struct {
	name, file, kind, text string
	before, after          []string
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
	// complete looks at the fault that ends.
	complete := func() error {
		if !open {
			return nil
		}
		open = false
		switch f := faults[len(faults)-1]; {
		case len(f.before) == 0:
			return fmt.Errorf("line %d: %s has no lines to be found by", number, f.name)
		case strings.Join(f.before, "\n") == strings.Join(f.after, "\n"):
			return fmt.Errorf("line %d: %s changes nothing", number, f.name)
		}
		return nil
	}
	for line := range strings.Lines(list) {
		number++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.TrimSpace(line) == "":
			if err := complete(); err != nil {
				return nil, err
			}
		case !open && line[0] == '#':
		case !open:
			m := header.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("line %d: %q is not NAME FILE KIND: what is wrong", number, line)
			}
			if seen[m[1]] {
				return nil, fmt.Errorf("line %d: a second fault with the name %s", number, m[1])
			}
			seen[m[1]] = true
			faults = append(faults, fault{name: m[1], file: m[2], kind: m[3], text: m[4]})
			open = true
		default:
			f := &faults[len(faults)-1]
			text := strings.TrimSpace(line[1:])
			if text == "" {
				return nil, fmt.Errorf("line %d: no text behind the mark", number)
			}
			if line[0] != ' ' && line[0] != '-' && line[0] != '+' {
				return nil, fmt.Errorf("line %d: %q begins with neither ' ', '-' nor '+'", number, line)
			}
			if line[0] != '+' {
				f.before = append(f.before, text)
			}
			if line[0] != '-' {
				f.after = append(f.after, text)
			}
		}
	}
	return faults, complete()
}

// apply returns the source with the fault in it. The lines before must be there
// exactly once.
func (f *fault) apply(source string) (string, error) {
	lines := strings.Split(source, "\n")
	found, at := 0, 0
	for i := range len(lines) - len(f.before) + 1 {
		same := true
		for j, want := range f.before {
			if same = strings.TrimSpace(lines[i+j]) == want; !same {
				break
			}
		}
		if same {
			found, at = found+1, i
		}
	}
	if found != 1 {
		return "", fmt.Errorf("%s: its lines are %d times in %s, not once", f.name, found, f.file)
	}
	out := append([]string{}, lines[:at]...)
	out = append(append(out, f.after...), lines[at+len(f.before):]...)
	return strings.Join(out, "\n"), nil
}

// String is the fault as in the list.
func (f *fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s: %s\n", f.name, f.file, f.kind, f.text)
	// What both begin and end with stays.
	i, j := 0, 0
	for i < min(len(f.before), len(f.after)) && f.before[i] == f.after[i] {
		i++
	}
	for j < min(len(f.before), len(f.after))-i && f.before[len(f.before)-1-j] == f.after[len(f.after)-1-j] {
		j++
	}
	put := func(mark string, lines []string) {
		for _, l := range lines {
			b.WriteString(mark + l + "\n")
		}
	}
	put(" ", f.before[:i])
	put("-", f.before[i:len(f.before)-j])
	put("+", f.after[i:len(f.after)-j])
	put(" ", f.before[len(f.before)-j:])
	return b.String()
}
