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

	"softkmeans/internal/scenes"
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
		{"help nothing", 2, `no help for "nothing"; the commands are ` + commandNames()},
		{"help fit fit", 2, "help takes 1 command, not 2"},
		{"nothing", 2, `unknown command "nothing"; the commands are ` + commandNames()},
		{"-k 3 data.csv", 2, "-k 3 data.csv is not a command; did you mean softkmeans fit -k 3 data.csv?"},
		{"data.csv", 2, "did you mean softkmeans fit -k 3 data.csv?"},
		{"version 1", 2, "version takes no files, not 1"},
	} {
		f.check(t)
	}
}

// What the help of fit says about files is true.
func TestHelpOfFiles(t *testing.T) {
	for _, s := range []string{"file:line:field", "no for pipes, standard input",
		"The last line needs no newline"} {
		if !strings.Contains(strings.Join(strings.Fields(fitHelp), " "), s) {
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

// flagSets are the flags of every command.
var flagSets = map[string]*flag.FlagSet{
	"fit":      newFitFlagSet(new(fitFlags)),
	"predict":  newPredictFlagSet(new(predictFlags)),
	"floors":   newFloorsFlagSet(new(floorsFlags)),
	"certify":  newCertifyFlagSet(new(certifyFlags)),
	"compare":  newCompareFlagSet(new(compareFlags)),
	"evaluate": newEvaluateFlagSet(new(evaluateFlags)),
	"unmix":    newUnmixFlagSet(new(unmixFlags)),
	"simulate": newSimulateFlagSet(new(scenes.Recipe)),
	"report":   newReportFlagSet(new(reportFlags)),
	"version":  flag.NewFlagSet("version", flag.ContinueOnError),
}

// The help of a command lists exactly its flags. It has an example, the exit codes and
// lines of at most 80 characters.
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

// The help of fit names the methods that take a flag as the table of methods does.
func TestHelpOfMethods(t *testing.T) {
	for _, m := range regexp.MustCompile(`(?m)^  -(\w+)(?: +[A-Z])? `+
		`+((?:\w+, )*\w+):`).FindAllStringSubmatch(fitHelp, -1) {
		flag, words := m[1], m[2]
		if of := takers(flag); of != "" && flag != "missing" && flag != "stream" {
			named := strings.Split(words, ", ")
			for _, c := range methodsWith(func(method) bool { return true }) {
				if c.value.takes(flag) != slices.Contains(named, c.word) {
					t.Errorf("-%s: the help says %q, the table %s", flag, words, of)
				}
			}
		}
	}
}
