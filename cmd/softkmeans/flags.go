package main

// This file adds to the standard flag package: flags after the file name, flags
// that take one of a few words, and an error type for the command line.

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/table"
	"softkmeans/unmix"
)

// usageError is an error in the command line. The exit code is 2.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usageErrorf(format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...)}
}

// unknownFlag is the error for a flag that a command does not have.
type unknownFlag struct {
	usageError
	name string
}

// parseFlags parses flags before, between and after the other arguments and returns those. There may be up to
// most of them. After "--" nothing is a flag. The error is flag.ErrHelp, an
// unknownFlag or a usageError.
func parseFlags(fs *flag.FlagSet, args []string, most int) (rest []string, err error) {
	fs.SetOutput(io.Discard) // run prints the error, once
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			if _, name, ok := strings.Cut(err.Error(), "not defined: -"); ok {
				return nil, unknownFlag{usageError{err.Error()}, name}
			}
			return nil, usageError{err.Error()}
		}
		read := len(args) - fs.NArg()
		if read > 0 && args[read-1] == "--" {
			rest = append(rest, fs.Args()...)
			break
		}
		if args = fs.Args(); len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	if n := len(rest); n > most {
		more := ""
		if most == 1 {
			more = "; to fit several files, put them into one table, for example each spectrum into a row"
		}
		return nil, usageErrorf("%s takes %s, not %d: %q%s", fs.Name(), count(most, "file"), n,
			rest[:min(n, 4)], more)
	}
	return rest, checkEmpty(fs, rest)
}

// checkEmpty returns an error for an empty file name or flag value. They come
// from unset variables of shell scripts.
func checkEmpty(fs *flag.FlagSet, rest []string) (err error) {
	if slices.Contains(rest, "") {
		return usageErrorf("the name of a file is empty; leave it out to read standard input")
	}
	fs.Visit(func(f *flag.Flag) {
		if v, ok := f.Value.(flag.Getter); ok && v.Get() == "" {
			err = usageErrorf("-%s is empty; give a value or leave the flag out", f.Name)
		}
	})
	return err
}

func given(fs *flag.FlagSet) map[string]bool {
	set := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { set[f.Name] = true })
	return set
}

// refuse returns an error for the first of some flags that is given, with the reason after its name.
func refuse(given map[string]bool, why string, flags ...string) error {
	for _, name := range flags {
		if given[name] {
			return usageErrorf("-%s%s", name, why)
		}
	}
	return nil
}

// choice is one of the words that a flag takes.
type choice[T any] struct {
	word  string
	value T
}

// choiceFlag adds a flag that takes one of the words and sets *p to its value.
// The first choice is the default.
func choiceFlag[T any](fs *flag.FlagSet, p *T, name string, choices []choice[T]) {
	*p = choices[0].value
	fs.Func(name, "", func(s string) error {
		var words []string
		for _, c := range choices {
			if c.word == s {
				*p = c.value
				return nil
			}
			words = append(words, c.word)
		}
		last := len(words) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(words[:last], ", "), words[last])
	})
}

func sumFlag(fs *flag.FlagSet, p *softkmeans.Sum) {
	choiceFlag(fs, p, "sum", []choice[softkmeans.Sum]{{"one", softkmeans.SumToOne},
		{"at-most-one", softkmeans.SumAtMostOne}})
}

func labelByFlag(fs *flag.FlagSet, p *labelRule) {
	choiceFlag(fs, p, "labelby", []choice[labelRule]{{"auto", labelAuto}, {"cluster", labelCluster},
		{"largest", labelLargest}})
}

func rowsFlag(fs *flag.FlagSet, p *unmix.Scaling) {
	choiceFlag(fs, p, "rows", []choice[unmix.Scaling]{{"auto", unmix.ScaleAuto},
		{"given", unmix.ScaleGiven}, {"unit", unmix.ScaleUnit}})
}

func clustersFlag(fs *flag.FlagSet, k *int) {
	fs.Func("k", "", func(s string) (err error) {
		if s == "auto" {
			*k = 0
			return nil
		}
		if *k, err = strconv.Atoi(s); err != nil || *k < 1 {
			return errors.New("must be a whole number, at least 1, or auto")
		}
		return nil
	})
}

// wholeFlag adds a flag that takes a whole number, at least least.
func wholeFlag(fs *flag.FlagSet, p *int, name string, least int) {
	fs.Func(name, "", func(s string) (err error) {
		if *p, err = strconv.Atoi(s); err != nil || *p < least {
			return fmt.Errorf("must be a whole number, at least %d", least)
		}
		return nil
	})
}

func seedFlag(fs *flag.FlagSet, seed *uint64) {
	fs.Func("seed", "", func(s string) (err error) {
		if *seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			return errors.New("must be a whole number, at least 0")
		}
		return nil
	})
}

// aboveZeroFlag adds a flag that takes a finite number above 0.
func aboveZeroFlag(fs *flag.FlagSet, p *float64, name string) {
	numberFlag(fs, p, name, "must be a number above 0", func(v float64) bool { return v > 0 })
}

func numberFlag(fs *flag.FlagSet, p *float64, name, must string, ok func(float64) bool) {
	fs.Func(name, "", func(s string) (err error) {
		if *p, err = strconv.ParseFloat(s, 64); err != nil || !ok(*p) || *p > math.MaxFloat64 {
			return errors.New(must)
		}
		return nil
	})
}

// count returns "1 file", "2 files" or "no files".
func count(n int, noun string) string {
	if n == 0 {
		return "no " + noun + "s"
	}
	return table.Count(n, noun)
}
