package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	inFolder(t, "1,2\n3,4\n")
	for _, args := range []string{"help", "-h", "--help", "help help", "help fit", "fit -h",
		"fit data.csv --help", "help version", "version -h"} {
		want := "Usage: softkmeans COMMAND"
		for _, command := range []string{"fit", "version"} {
			if strings.Contains(args, command) {
				want = "Usage: softkmeans " + command
			}
		}
		if text := must(t, strings.Fields(args)...); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in %s", args, want, text)
		}
	}
	for _, args := range []string{"version", "--version"} {
		text := must(t, args)
		if !strings.Contains(text, runtime.Version()) || !strings.HasSuffix(text, ", "+arithmetic+"\n") {
			t.Errorf("%s: %s", args, text)
		}
	}
	if code, stdout, stderr := do(t, ""); code != 2 || stdout != "" ||
		!strings.Contains(stderr, "Usage: softkmeans COMMAND") {
		t.Errorf("without arguments: code %d, %q, %q", code, stdout, stderr)
	}
	for _, f := range []failure{
		{"help nothing", 2, `no help for "nothing"; the commands are ` + strings.Join(names(), ", ")},
		{"help fit fit", 2, "help takes 1 command, not 2"},
		{"help fti", 2, `no help for "fti"; did you mean fit?`},
		{"reports", 2, `unknown command "reports"; did you mean report?`},
		{"fit -k 2 -mising drop data.csv", 2, "not defined: -mising; did you mean -missing?"},
		{"report -others no data.csv", 2, "-others is a flag of softkmeans fit"},
		{"nothing", 2, `unknown command "nothing"; the commands are ` + strings.Join(names(), ", ")},
		{"-k 3 data.csv", 2, "-k 3 data.csv is not a command; did you mean softkmeans fit -k 3 data.csv?"},
		{"data.csv", 2, "did you mean softkmeans fit -k 3 data.csv?"},
		{"version 1", 2, "version takes no files, not 1"},
	} {
		f.check(t)
	}
}

// What the help says about files is true.
func TestHelpOfFiles(t *testing.T) {
	for _, s := range []string{"file:line:field", "no for pipes and standard input",
		"The last line needs no newline"} {
		if !strings.Contains(strings.Join(strings.Fields(helpOfFiles()+find("fit").helpOf(true)), " "), s) {
			t.Errorf("the help does not say %q", s)
		}
	}
	path := filepath.Join(t.TempDir(), "f.csv")
	for text, want := range map[string]string{"1,2\n3,4\n5,7": "",
		"1,2\n3,4\n5,":      path + ": 1 missing value: 1 in column 2 (first on line 3)",
		"1,2\n3,4\n5,\"7\n": path + ":3:2: a quoted field"} {
		for _, stream := range []string{"yes", "no"} {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := do(t, "", "fit", "-k", "2", "-stream", stream, path)
			if want == "" && (code != 0 || !strings.Contains(stdout, "3 rows")) || want != "" &&
				(code != 1 || !strings.Contains(stderr, want)) {
				t.Errorf("%q, -stream %s: %d, %s%s", text, stream, code, stdout, stderr)
			}
		}
	}
}

// Each flag of each command has a text, and each text is for a flag. The help names the words that a flag takes.
func TestHelpOfFlags(t *testing.T) {
	used := map[[2]string]bool{} // flag and command, "" of all
	for i := range commands {
		c := &commands[i]
		fs := c.flags()
		all := c.helpOf(true)
		short := c.helpOf(false)
		fs.VisitAll(func(f *flag.Flag) {
			var texts []flagHelp
			for _, g := range flagGroups {
				for _, e := range entries(g.flags, c.name, fs) {
					if e.name == f.Name {
						texts = append(texts, e)
						used[[2]string{f.Name, c.name}], used[[2]string{f.Name, ""}] = true, true
					}
				}
			}
			if len(texts) != 1 || strings.Trim(texts[0].text, " /") == "" {
				t.Errorf("%s -%s has the texts %v", c.name, f.Name, texts)
				return
			}
			if !strings.Contains(all, "\n  -"+f.Name+" ") || !texts[0].seldom != strings.Contains(short, "\n  -"+f.Name+" ") {
				t.Errorf("%s: the help of -%s is not where it should be", c.name, f.Name)
			}
			err := f.Value.Set("?")
			if err == nil {
				return
			}
			// The error of a flag that takes one of a few words is a list of these.
			if list := regexp.MustCompile(`^must be ([^ ]+(, [^ ]+)+)$`).FindStringSubmatch(err.Error()); list != nil {
				words := list[1]
				for word := range strings.SplitSeq(words, ", ") {
					if !strings.Contains(texts[0].text, word) {
						t.Errorf("%s -%s: the help does not name %s", c.name, f.Name, word)
					}
				}
			}
		})
	}
	for _, g := range flagGroups {
		for _, e := range g.flags {
			for of := range strings.SplitSeq(e.of, " ") {
				if !used[[2]string{e.name, of}] {
					t.Errorf("there is a text for -%s of %q, but no flag", e.name, of)
				}
			}
		}
	}
	for i, m := range methods {
		for flag := range strings.FieldsSeq(m.takes) {
			if find("fit").flags().Lookup(flag) == nil {
				t.Errorf("method %v takes -%s, which fit does not have", method(i), flag)
			}
		}
	}
}

// The help of a command has an example, the exit codes and lines of at most 80 characters. That of fit is short.
func TestHelpIsComplete(t *testing.T) {
	for i := range commands {
		c := &commands[i]
		text := c.helpOf(false)
		if !strings.HasPrefix(text, "Usage: softkmeans "+c.name) {
			t.Errorf("%s: the help begins with %.40q", c.name, text)
		}
		if c.name != "version" {
			if !regexp.MustCompile(`(?m)^(?:Examples?:)? +softkmeans ` + c.name + ` `).MatchString(text) {
				t.Errorf("%s: the help has no example", c.name)
			}
			if !regexp.MustCompile(`(?m)^Exit code: 0 [^.]*,\s1 [^.]*,\s2 `).MatchString(text) {
				t.Errorf("%s: the help does not say what the exit codes are", c.name)
			}
		}
		if n := strings.Count(text, "\n"); n > 60 {
			t.Errorf("%s: the help has %d lines", c.name, n)
		}
		for line := range strings.Lines(text + c.helpOf(true) + overview() + helpOfFiles()) {
			if n := len([]rune(line)); n > 81 {
				t.Errorf("%s: the help has a line of %d characters: %s", c.name, n, line)
			}
		}
	}
}

// The help is plain: few sentences have four or more commas, colons and semicolons, and words that only the
// authors know do not come.
func TestHelpIsPlain(t *testing.T) {
	var sentences []string
	for _, g := range flagGroups {
		for _, e := range g.flags {
			sentences = append(sentences, sentencesOf(strings.ReplaceAll(e.text, "//", ""))...)
		}
	}
	for _, c := range commands {
		before, after := helpText(c.name)
		for _, part := range strings.Split(before+"\n\n"+after, "\n\n") {
			if !strings.HasPrefix(part, "Usage") && !strings.HasPrefix(part, " ") && !strings.HasPrefix(strings.TrimSpace(part), "Example") {
				sentences = append(sentences, sentencesOf(part)...)
			}
		}
	}
	long := 0
	private := regexp.MustCompile(`(?i)\b(draws?|scenes?|opinions?|to go on with|rest|vague|sure to|stick to|` +
		`room|shade|gaps?|vectors|the trade|reads as|that of|those of|but for)\b`)
	for _, s := range sentences {
		if strings.Count(s, ",")+strings.Count(s, ":")+strings.Count(s, ";") >= 4 {
			long++
		}
		if word := private.FindString(strings.ReplaceAll(s, "-shade", "")); word != "" {
			t.Errorf("%q: %s", word, s)
		}
	}
	if n := len(sentences); n < 200 || float64(long) > .15*float64(n) {
		t.Errorf("%d of %d sentences have four or more commas, colons and semicolons", long, n)
	}
}

func sentencesOf(text string) []string {
	return regexp.MustCompile(`\. `).Split(strings.Join(strings.Fields(text), " "), -1)
}
