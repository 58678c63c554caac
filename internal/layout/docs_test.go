package layout

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// pages returns those for people.
func pages(t *testing.T) []string {
	return append(mustDo(filepath.Glob("docs/*.md"))(t), "README.md", "SECURITY.md", "CONTRIBUTING.md",
		"CHANGELOG.md")
}

// TestPages: the README has at most 120 lines, no page a line above 100 characters but in
// tables, and what they link to is there.
func TestPages(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range pages(t) {
		text := mustDo(os.ReadFile(page))(t)
		lines := strings.Split(string(text), "\n")
		if page == "README.md" && len(lines) > 121 {
			t.Errorf("%s has %d lines", page, len(lines)-1)
		}
		for i, line := range lines {
			if n := utf8.RuneCountInString(line); n > 100 && (page == "README.md" || line[0] != '|') {
				t.Errorf("%s:%d has %d characters", page, i+1, n)
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
					t.Errorf("%s:%d links to %s: %v", page, i+1, m[1], err)
				}
			}
		}
	}
}

// TestBlocks: in every Markdown file headings are one line of up to 80 characters, and fences stand alone, in pairs.
func TestBlocks(t *testing.T) {
	fence := regexp.MustCompile("^ *```[a-z]*$")
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".md" || strings.Contains(path, "node_modules") {
			return err
		}
		open := false
		for i, line := range strings.Split(string(mustDo(os.ReadFile(path))(t)), "\n") {
			switch n := utf8.RuneCountInString(line); {
			case fence.MatchString(line):
				open = !open
			case strings.Contains(line, "```"), !open && strings.HasPrefix(line, "#") && n > 80:
				t.Errorf("%s:%d: a heading or fence runs into text", path, i+1)
			}
		}
		if open {
			t.Errorf("%s: a fence is not closed", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNamesInDocs: every test, fuzz target, benchmark and example that a page names in
// backquotes is in a test file of the repository.
func TestNamesInDocs(t *testing.T) {
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)[A-Z]\w*)\(`)
	known := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(text, -1) {
			known[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	code, name := regexp.MustCompile("`[^`]*`"), regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark|Example)[A-Z]\w*`)
	names := 0
	for _, page := range pages(t) {
		text := mustDo(os.ReadFile(page))(t)
		for i, line := range strings.Split(string(text), "\n") {
			for _, quoted := range code.FindAllString(line, -1) {
				for _, n := range name.FindAllString(quoted, -1) {
					names++
					if !known[n] && !prefixOf(known, n, quoted) {
						t.Errorf("%s:%d names %s, which no test file has", page, i+1, n)
					}
				}
			}
		}
	}
	// The pages have more than 50; a pattern that finds none would pass, too.
	if names < 40 || len(known) < 40 {
		t.Errorf("%d names were found, and %d functions", names, len(known))
	}
}

// prefixOf: after -run or -fuzz a name is a pattern, that of all which begin with it.
func prefixOf(known map[string]bool, n, quoted string) bool {
	if !strings.Contains(quoted, "-run "+n) && !strings.Contains(quoted, "-fuzz "+n) {
		return false
	}
	for k := range known {
		if strings.HasPrefix(k, n) {
			return true
		}
	}
	return false
}
