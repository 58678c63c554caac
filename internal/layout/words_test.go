package layout

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// faults are the phrases that are read twice.
var faults = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"that of, those of", regexp.MustCompile(`(?i)\b(that|those) of\b`)},
	{"what", regexp.MustCompile(`(?i)\bwhat\b`)},
	{"where", regexp.MustCompile(`(?i)\bwhere\b`)},
	{"but for", regexp.MustCompile(`(?i)\bbut for\b`)},
	{"has, have", regexp.MustCompile(`(?i)\b(has|have)\b`)},
}

// wordCount is the number of words of a text, of each of the faults, of its sentences, and of sentences with four or
// more commas, colons and semicolons.
type wordCount struct {
	words, sentences, long int
	faults                 [5]int
}

// count adds a text of paragraphs.
func (c *wordCount) count(text string) {
	c.words += len(strings.Fields(text))
	for i, f := range faults {
		c.faults[i] += len(f.pattern.FindAllString(text, -1))
	}
	for _, paragraph := range regexp.MustCompile(`\n\s*\n|\n\s*[-*] |\n\s*\d+\. |\n-`).Split(text, -1) {
		if strings.HasPrefix(strings.TrimSpace(paragraph), "|") {
			continue
		}
		for _, s := range regexp.MustCompile(`[.!?:]\s*\n|[.!?]\)?\s+`).Split(paragraph, -1) {
			if len(strings.Fields(s)) < 3 {
				continue
			}
			c.sentences++
			if len(regexp.MustCompile(`[,:;](\s|$)`).FindAllString(s, -1)) >= 4 {
				c.long++
			}
		}
	}
}

// log prints a line of the table.
func (c *wordCount) log(t *testing.T, name string) {
	t.Logf("%-16s %6d %6d %6d %6d %6d %6.1f %9.0f", name, c.words, c.faults[0], c.faults[1], c.faults[2], c.faults[3],
		1000*float64(c.faults[4])/float64(max(1, c.words)), 100*float64(c.long)/float64(max(1, c.sentences)))
}

// TestWords: the pages keep to the words of CONTRIBUTING.md. With -v the test prints the counts of all texts.
func TestWords(t *testing.T) {
	if testing.Verbose() {
		t.Logf("%-16s %6s %6s %6s %6s %6s %6s %9s", "text", "words", "that of", "what", "where", "but for", "has, ‰", "4 of ,:; %")
	}
	fence := regexp.MustCompile("(?s)```.*?```")
	read := func(c *wordCount, files ...string) {
		for _, f := range files {
			c.count(fence.ReplaceAllString(string(mustDo(os.ReadFile(f))(t)), ""))
		}
	}
	var all wordCount
	docs := mustDo(filepath.Glob("docs/*.md"))(t)
	read(&all, append(docs, "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")...)
	if per := 1000 * all.faults[4] / all.words; all.faults[0] > 12 || all.faults[1] > 30 || all.faults[2] > 20 ||
		all.faults[3] > 2 || per > 4 || 100*all.long > 15*all.sentences {
		t.Errorf("the pages have %v times the phrases of faults, and %d of %d sentences are long",
			all.faults, all.long, all.sentences)
	}
	if !testing.Verbose() {
		return
	}
	for _, f := range append(docs, "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md") {
		var c wordCount
		read(&c, f)
		c.log(t, f)
	}
	all.log(t, "README and docs")
	var readmes, help, comments wordCount
	for _, f := range []string{"js", "convert", "gonumx", "bench", "testdata", "examples/beam", "examples/browser",
		"examples/tinygo"} {
		read(&readmes, f+"/README.md")
	}
	readmes.log(t, "other READMEs")
	read(&help, mustDo(filepath.Glob("cmd/softkmeans/help/*.txt"))(t)...)
	help.log(t, "help")
	for i, packages := range [][]string{{"."}, {"./choosek", "./enclosure", "./kernel", "./metrics", "./missing",
		"./modelfile", "./proof", "./stability", "./stream", "./unmix"}} {
		var c wordCount
		for _, p := range packages {
			c.count(string(mustDo(exec.Command("go", "doc", "-all", p).Output())(t)))
		}
		c.log(t, []string{"go doc, root", "go doc, leaves"}[i])
	}
	_, files := parsed(t)
	for _, f := range files {
		for _, group := range f.Comments {
			comments.count(group.Text())
		}
	}
	comments.log(t, "root comments")
}
