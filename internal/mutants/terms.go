package main

// Terms of proofs: faults that a file names, each with the test that must catch it.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// term is a line of the file: a floating-point expression that occurs once in a source, what it is mistaken
// for, and the test that catches that; "none: …" says why no test can, "open" that none does. "with" makes the
// line a part of the fault above.
type term struct {
	file, right, wrong, test string
	number                   int
}

// switched is what a package gets beside its sources: it runs with the fault whose number is in MUTANT.
const switched = `package %s

import (
	"os"
	"strconv"
)

var mutant, _ = strconv.Atoi(os.Getenv("MUTANT"))

func switched(number int, right, wrong float64) float64 {
	if number == mutant {
		return wrong
	}
	return right
}
`

// readTerms reads the lines FILE | EXPRESSION | FAULT | TEST. Others are empty, or begin with #.
func readTerms(name string) (terms []term, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, " | ")
		if len(f) != 4 {
			return nil, fmt.Errorf("%s:%d: not FILE | EXPRESSION | FAULT | TEST", name, i+1)
		}
		number := len(terms) + 1
		if f[3] == "with" && number > 1 {
			number = terms[number-2].number
		}
		terms = append(terms, term{f[0], f[1], f[2], f[3], number})
	}
	return terms, nil
}

// tryTerms builds the tests of each package once, with all faults in it, and runs them for one after the
// other. It says which faults were not caught.
func tryTerms(ctx context.Context, module, name string, only *regexp.Regexp, stdout io.Writer) error {
	terms, err := readTerms(name)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "terms")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	module, err = filepath.Abs(module)
	if err != nil {
		return err
	}
	built, missed := map[string]string{}, 0
	for _, t := range terms {
		if strings.HasPrefix(t.test, "none:") || t.test == "open" || t.test == "with" || !only.MatchString(t.file+" "+t.right+" "+t.test) {
			continue
		}
		folder := path.Dir(t.file)
		if built[folder] == "" {
			if built[folder], err = buildTerms(ctx, module, work, folder, terms); err != nil {
				return err
			}
		}
		cmd := exec.CommandContext(ctx, built[folder], "-test.short", "-test.failfast", "-test.timeout=5m",
			"-test.run="+t.test)
		cmd.Dir, cmd.Env = filepath.Join(module, folder), append(os.Environ(), "MUTANT="+strconv.Itoa(t.number))
		out, err := cmd.CombinedOutput()
		said := "caught by " + strings.Join(failed.FindAllString(string(out), 1), "")
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			said = "NOT CAUGHT"
			missed++
		}
		fmt.Fprintf(stdout, "%s: %s -> %s: %s (%s)\n", t.file, t.right, t.wrong, said, t.test)
	}
	if missed > 0 {
		return errors.New(strconv.Itoa(missed) + " faults of terms were not caught")
	}
	return nil
}

var failed = regexp.MustCompile(`--- FAIL: \S+`)

// buildTerms returns the test program of a folder.
func buildTerms(ctx context.Context, module, work, folder string, terms []term) (program string, err error) {
	texts, replace := map[string]string{}, map[string]string{}
	for _, t := range terms {
		if path.Dir(t.file) != folder {
			continue
		}
		text := texts[t.file]
		if text == "" {
			b, err := os.ReadFile(filepath.Join(module, t.file))
			if err != nil {
				return "", err
			}
			text = string(b)
		}
		if n := strings.Count(text, t.right); n != 1 {
			return "", fmt.Errorf("%s has %q %d times", t.file, t.right, n)
		}
		switched := fmt.Sprintf("switched(%d, %s, %s)", t.number, t.right, t.wrong)
		texts[t.file] = strings.Replace(text, t.right, switched, 1)
	}
	program = filepath.Join(work, strings.ReplaceAll(folder, "/", "_")+".test")
	add := func(name, text string) error {
		file := program + strconv.Itoa(len(replace)) + ".go"
		replace[filepath.Join(module, name)] = file
		return os.WriteFile(file, []byte(text), 0o600)
	}
	of := path.Base(folder)
	if folder == "." {
		of = "softkmeans"
	}
	err = add(path.Join(folder, "switched.go"), fmt.Sprintf(switched, of))
	for name, text := range texts {
		err = errors.Join(err, add(name, text))
	}
	overlay, _ := json.Marshal(map[string]any{"Replace": replace})
	if err = errors.Join(err, os.WriteFile(program+".json", overlay, 0o600)); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay="+program+".json", "-o="+program, "./"+folder)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", folder, err, out)
	}
	return program, nil
}
