package main

// Whether the list still follows the sources, and what to mend in it.

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// checkList looks for every fault of the list in the sources and type-checks it. It prints
// what to mend and returns the exit code. With fix it writes the list anew with the files
// in which the lines are now, and the names in them.
func checkList(p *pack, module string, faults []fault, fix bool, out io.Writer) int {
	bad, moved := 0, map[int]*fault{}
	complain := func(f *fault, text string) {
		bad++
		fmt.Fprintf(out, "%s:%d: %s: %s\n", listPath, f.number, f.name, text)
	}
	changes := map[string]string{}
	for i := range faults {
		f := &faults[i]
		s, err := p.locate(f)
		if err != nil {
			g, ok := p.follow(f)
			if !ok {
				complain(f, err.Error())
				continue
			}
			f, s = &g, p.sources[g.file]
			moved[f.number] = f
		} else if s.name != f.file {
			g := *f
			f, g.file = &g, s.name
			moved[f.number] = f
		}
		wrong, _, _, err := f.apply(s)
		if err == nil {
			err = p.builds(s.name, wrong)
		}
		if other := changes[wrong]; err == nil && other != "" {
			err = fmt.Errorf("it is the same as %s", other)
		}
		changes[wrong] = f.name
		if err != nil {
			delete(moved, f.number)
			complain(f, err.Error())
		} else if moved[f.number] != nil && !fix {
			complain(f, fmt.Sprintf("its lines are other ones now; -fix writes\n%s", f))
		}
	}
	if fix && len(moved) > 0 {
		path := filepath.Join(module, listPath)
		if err := rewrite(path, faults, moved); err != nil {
			fmt.Fprintln(out, err)
			return 2
		}
		fmt.Fprintf(out, "%s: %d faults have the file and the names that they have now\n", path, len(moved))
	}
	fmt.Fprintf(out, "%d faults, %d to mend\n", len(faults), bad)
	return min(bad, 1)
}

// rewrite writes the list with other faults at some lines. All else in it stays.
func rewrite(path string, faults []fault, moved map[int]*fault) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(string(data), "\n")
	var out []string
	done := 0
	for i := range faults {
		f := &faults[i]
		if moved[f.number] == nil {
			continue
		}
		if f.number > len(lines) || !strings.HasPrefix(lines[f.number-1], f.name+" ") {
			return fmt.Errorf("%s:%d is no longer the first line of %s", path, f.number, f.name)
		}
		out = append(out, lines[done:f.number-1]...)
		out = append(out, strings.Split(strings.TrimSpace(moved[f.number].String()), "\n")...)
		done = f.number + len(f.lines)
	}
	return os.WriteFile(path, []byte(strings.Join(append(out, lines[done:]...), "\n")), 0o666)
}

// missing says which of a fault's lines are not in its file, and what is like them there.
func (p *pack) missing(f *fault) string {
	var b strings.Builder
	fmt.Fprintf(&b, "its lines are not in %s", f.file)
	s := p.sources[f.file]
	if s == nil {
		b.WriteString(", which is not a file of the package")
	}
	for _, c := range f.lines {
		if c.mark == '+' {
			continue
		}
		code := canonical(c.text)[0]
		if s != nil {
			if lines := s.have(code); len(lines) > 0 {
				fmt.Fprintf(&b, "\n\t%c%s\n\t\tin lines %v", c.mark, c.text, lines)
				continue
			}
		}
		fmt.Fprintf(&b, "\n\t%c%s\n\t\t", c.mark, c.text)
		for _, name := range p.names {
			if lines := p.sources[name].have(code); len(lines) > 0 {
				fmt.Fprintf(&b, "%s:%d has it; ", name, lines[0])
			}
		}
		if name, line := p.nearest(code, f.file); line > 0 {
			fmt.Fprintf(&b, "the most like it is %s:%d: %s", name, line, strings.TrimSpace(p.sources[name].lines[line-1]))
		}
	}
	return b.String()
}

// have returns the lines with this code, from 1.
func (s *source) have(code string) (lines []int) {
	for _, i := range s.at {
		if s.code[i] == code {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// nearest is the line that shares most words with this code, in the file if there is one
// that shares half of them, else in all. Lines are from 1; 0: none.
func (p *pack) nearest(code, file string) (name string, line int) {
	words := strings.Fields(code)
	look := func(names ...string) (best float64) {
		for _, n := range names {
			s := p.sources[n]
			if s == nil {
				continue
			}
			for _, i := range s.at {
				if l := likeness(words, strings.Fields(s.code[i])); l > best {
					best, name, line = l, n, i+1
				}
			}
		}
		return best
	}
	if look(file) < 0.5 {
		look(p.names...)
	}
	return name, line
}

// likeness is the share of words that two lines have in common, in any order.
func likeness(a, b []string) float64 {
	count := map[string]int{}
	for _, w := range a {
		count[w]++
	}
	common := 0
	for _, w := range b {
		if count[w] > 0 {
			count[w]--
			common++
		}
	}
	return 2 * float64(common) / float64(max(len(a)+len(b), 1))
}
