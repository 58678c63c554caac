package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("data.csv", []byte("1,2\n3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		code int
		out  string // where the text is found: standard output for 0, standard error otherwise
	}{
		{"", 2, "Usage: softkmeans COMMAND"},
		{"help", 0, "Usage: softkmeans COMMAND"},
		{"-h", 0, "Usage: softkmeans COMMAND"},
		{"--help", 0, "Usage: softkmeans COMMAND"},
		{"help help", 0, "Usage: softkmeans COMMAND"},
		{"help fit", 0, "Usage: softkmeans fit"},
		{"fit -h", 0, "Usage: softkmeans fit"},
		{"fit data.csv --help", 0, "Usage: softkmeans fit"},
		{"help version", 0, "Usage: softkmeans version"},
		{"version -h", 0, "Usage: softkmeans version"},
		{"version", 0, runtime.Version()},
		{"--version", 0, runtime.Version()},

		{"help nothing", 2, `no help for "nothing"; the commands are ` + commandNames()},
		{"help fit fit", 2, "help takes 1 command, not 2"},
		{"nothing", 2, `unknown command "nothing"; the commands are ` + commandNames()},
		{"-k 3 data.csv", 2, "-k 3 data.csv is not a command; did you mean softkmeans fit -k 3 data.csv?"},
		{"data.csv", 2, "did you mean softkmeans fit -k 3 data.csv?"},
		{"version 1", 2, "version takes no files, not 1"},

		{"fit data.csv", 2, "-k is missing"},
		{"fit -k", 2, "flag needs an argument: -k"},
		{"fit -k 0 data.csv", 2, `"0" for flag -k: must be a whole number, at least 1`},
		{"fit -k -1 data.csv", 2, `"-1" for flag -k: must be`},
		{"fit -k two data.csv", 2, `"two" for flag -k: must be`},
		{"fit -k 1.5 data.csv", 2, `"1.5" for flag -k: must be`},
		{"fit -k 2 -slack 0 data.csv", 2, `"0" for flag -slack: must be a number above 0`},
		{"fit -k 2 -slack NaN -method minvol data.csv", 2, `"NaN" for flag -slack: must be`},
		{"fit -k 2 -slack 0.1 data.csv", 2, "-slack is only for -method minvol"},
		{"fit -k 2 -method minvol -solver gram data.csv", 2, "-solver is only for -method global"},
		{"fit -k 2 -method best data.csv", 2, `"best" for flag -method`},
		{"fit -k 2 -seed 1 data.csv", 2, "-seed is only for -method minvol, alternating and lsd"},
		{"fit -k 2 -seed -1 data.csv", 2, `"-1" for flag -seed`},
		{"fit -k 2 -nothing data.csv", 2, "not defined: -nothing"},
		{"fit data.csv -k 2 -nothing", 2, "not defined: -nothing"},
		{"fit -k 2 data.csv more.csv", 2, `fit takes 1 file, not 2: ["data.csv" "more.csv"]`},
		{"fit -k 2 -workers -1 data.csv", 2, "-workers -1"},
		{"fit -k 2 -enclosure big data.csv", 2, `"big" for flag -enclosure: must be ball, tight`},
		{"fit -k 2 -solver fast data.csv", 2, `"fast" for flag -solver: must be auto, gram, jacobi, krylov`},
		{"fit -k 2 -header maybe data.csv", 2, `"maybe" for flag -header: must be auto, yes, no`},
		{"fit -k 2 -delimiter ab data.csv", 2, `"ab" for flag -delimiter: must be auto`},
		{"fit -k 2 -delimiter \" data.csv", 2, `for flag -delimiter: must be auto`},
		{"fit -k 2 -label 0 data.csv", 2, "-label 0: columns are counted from 1"},
		{"fit -k 2 -label a -header no data.csv", 2, `-label "a" is a name`},
		{"fit -k 2 -o data.csv data.csv", 2, "-o data.csv would overwrite the data"},

		{"fit -k 2 missing.csv", 1, "open missing.csv: "},
		{"fit -k 2 .", 1, "softkmeans: read .: "},
		{"fit -k 2", 1, "softkmeans: <stdin>: there are no rows"},
		{"fit -k 2 -- -k", 1, "open -k: "},
	} {
		code, stdout, stderr := do(t, "", strings.Fields(test.args)...)
		text, other := stdout, stderr
		if test.code != 0 {
			text, other = stderr, stdout
		}
		if code != test.code || !strings.Contains(text, test.out) || other != "" {
			t.Errorf("%q: code %d, stdout %q, stderr %q; want code %d, %q", test.args, code, stdout, stderr, test.code, test.out)
		}
		if code != 0 && test.args != "" && (!strings.HasPrefix(stderr, "softkmeans: ") || strings.Count(stderr, "softkmeans: ") != 1) {
			t.Errorf("%q: stderr should begin with the program's name, once: %q", test.args, stderr)
		}
	}
}

// What the help of fit says of files and their faults is so.
func TestHelpOfFiles(t *testing.T) {
	for _, s := range []string{"file:line:field", "no for pipes, standard input", "The last\nline needs no newline"} {
		if !strings.Contains(fitHelp, s) {
			t.Errorf("the help does not say %q", s)
		}
	}
	path := filepath.Join(t.TempDir(), "f.csv")
	for text, want := range map[string]string{"1,2\n3,4\n5,7": "", "1,2\n3,4\n5,": path + ":3:2: missing value", "1,2\n3,4\n5,\"7\n": path + ":3:2: a quoted field"} {
		for _, stream := range []string{"yes", "no"} {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := do(t, "", "fit", "-k", "2", "-stream", stream, path)
			if want == "" && (code != 0 || !strings.Contains(stdout, "3 rows")) || want != "" && (code != 1 || !strings.Contains(stderr, want)) {
				t.Errorf("%q, -stream %s: %d, %s%s", text, stream, code, stdout, stderr)
			}
		}
	}
}

// flagSets are the flags of every command.
var flagSets = map[string]*flag.FlagSet{
	"fit":      newFitFlagSet(new(fitFlags)),
	"predict":  newPredictFlagSet(new(predictFlags)),
	"floors":   newFloorsFlagSet(new(floorsFlags)),
	"certify":  newCertifyFlagSet(new(certifyFlags)),
	"evaluate": newEvaluateFlagSet(new(evaluateFlags)),
	"report":   newReportFlagSet(new(reportFlags)),
	"version":  flag.NewFlagSet("version", flag.ContinueOnError),
}

// Every flag is in the help of its command, and the help has no other. It has an
// example, says what the exit codes are, and fits on a terminal.
func TestHelpIsComplete(t *testing.T) {
	for _, c := range commands {
		fs := flagSets[c.name]
		if fs == nil {
			t.Errorf("the flags of %s are not checked", c.name)
			continue
		}
		var flags, help []string
		fs.VisitAll(func(f *flag.Flag) { flags = append(flags, "-"+f.Name) })
		for _, m := range regexp.MustCompile(`(?m)^  (-\w+)`).FindAllStringSubmatch(c.help, -1) {
			help = append(help, m[1])
		}
		slices.Sort(help)
		if !slices.Equal(flags, help) {
			t.Errorf("%s: flags %v, help for %v", c.name, flags, help)
		}
		if !strings.HasPrefix(c.help, "Usage: softkmeans "+c.name) {
			t.Errorf("%s: the help begins with %.40q", c.name, c.help)
		}
		if c.name != "version" {
			if !regexp.MustCompile(`(?m)^(?:Examples?:)? +softkmeans ` + c.name + ` `).MatchString(c.help) {
				t.Errorf("%s: the help has no example", c.name)
			}
			if !regexp.MustCompile(`(?m)^Exit code: 0 [^.]*,\s1 [^.]*,\s2 `).MatchString(c.help) {
				t.Errorf("%s: the help does not say what the exit codes are", c.name)
			}
		}
		for line := range strings.Lines(c.help + overview()) {
			if n := len([]rune(line)); n > 81 {
				t.Errorf("%s: the help has a line of %d characters: %s", c.name, n, line)
			}
		}
	}
}
