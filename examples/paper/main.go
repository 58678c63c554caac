// Paper repeats the experiments of F. Nie, H. Chen, R. Wang and X. Li, On the Global
// Solution of Soft k-Means, on any data:
//
//	go run ./examples/paper table                        # Table I
//	go run ./examples/paper toy -o toy.html              # Figure 2
//	go run ./examples/paper convergence -o descent.html  # Theorem 5, Descent
//
// With -h each tells its flags.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"softkmeans/internal/scale"
	"softkmeans/internal/sets"
	"softkmeans/testdata"
)

const usage = `Usage: go run ./examples/paper COMMAND [flags]

Repeats the experiments of the paper On the Global Solution of Soft k-Means.

  table        Table I: accuracy, NMI and purity of four methods
  toy          Figure 2: points in a plane, with the centers of four methods
  convergence  Theorem 5: the loss L after every iteration

COMMAND -h tells the flags.
`

const setsHelp = `  -set NAME=VIEW.csv,MORE.csv:LABELS.csv
              a set: files of the same rows, CSV or .npy, whose columns are
              joined, and the class of each row, a number or a word. May be
              given several times. Default: the sets of testdata/
  -scale S    zscore: each column of a view gets mean 0 and variance 1 (default),
              and each view of several is divided by the root of its number of
              columns. minmax: likewise, from 0 to 1. none: as it is
  -k N        number of centers; 0: that of the classes (default)
`

const fitHelp = `  -slack S    MVSkM: squared error above the least, as a fraction of it; 0: that
              of the package (default)
  -lambda L   MVSkM: λ itself, in place of the slack
`

const tableHelp = `Usage: go run ./examples/paper table [flags]

Prints Table I in Markdown: how well clusters agree with classes, by the best
matching (ACC), normalized mutual information and purity, and the seconds of a
call. Numbers are medians over the seeds, with the least and the largest in
brackets where they differ.

  SkM-AM      FitAlternating, from random rows
  SkM-Global  Fit, the closed form, with a random B
  MVSkM       FitMinVolume, from the same rows as SkM-AM
  k-means     the best of ten runs by its own loss

` + setsHelp + `  -seeds N    how many seeds (default 5)
  -labels L   largest: a row's cluster is that of its largest membership, as in
              the paper (default). means: that of Model.Labels, which for SkM-AM
              and MVSkM is by the means of clusters
` + fitHelp + `  -plain      SkM-AM and MVSkM without momentum: step by step as the paper has
              them
`

const toyHelp = `Usage: go run ./examples/paper toy [flags]

Draws 140 points in the unit square, as many as in the paper's Figure 2, and the
centers of k-means, SkM-AM, SkM-Global and MVSkM. Prints which centers are
outside of the convex hull of the points.

  -k N        number of clouds and of centers (default 2, as the figure's data
              has)
  -seed N     of the points (default 1)
` + fitHelp + `  -o FILE     write the pictures as an HTML page
`

const convergenceHelp = `Usage: go run ./examples/paper convergence [flags]

Prints how L falls: the squared error with λ/2·Σ log(σ_i² + ε) added, which
Theorem 5 says never rises. SkM-AM has λ = 0. "plain" is step by step as the
paper has it, the others have momentum. Both start from the same centers, and
have the same λ.

` + setsHelp + fitHelp + `  -seed N     of the start (default 0)
  -trace      print every value of L as CSV: set,method,iteration,L
  -o FILE     write the curves as an HTML page
`

// config is a command line.
type config struct {
	sets          []sets.Set
	scale         scale.Kind
	k, seeds      int
	seed          uint64
	slack, lambda float64
	plain, trace  bool
	labels        string // "largest" or "means"
	page          string // "" none
}

// flags returns the flags of a command, of which each has some.
func (c *config) flags(command string) *flag.FlagSet {
	f := flag.NewFlagSet(command, flag.ContinueOnError)
	f.Float64Var(&c.slack, "slack", 0, "")
	f.Float64Var(&c.lambda, "lambda", 0, "")
	f.IntVar(&c.k, "k", 0, "")
	if command != "toy" {
		f.Func("set", "", func(text string) error {
			s, err := sets.Parse(text)
			c.sets = append(c.sets, s)
			return err
		})
		f.Func("scale", "", func(text string) error {
			for _, kind := range []scale.Kind{scale.None, scale.ZScore, scale.MinMax} {
				if kind.String() == text {
					c.scale = kind
					return nil
				}
			}
			return errors.New("must be zscore, minmax or none")
		})
	}
	if command == "table" {
		f.IntVar(&c.seeds, "seeds", c.seeds, "")
		f.BoolVar(&c.plain, "plain", false, "")
		f.StringVar(&c.labels, "labels", c.labels, "")
	} else {
		f.Uint64Var(&c.seed, "seed", c.seed, "")
		f.StringVar(&c.page, "o", "", "")
	}
	if command == "convergence" {
		f.BoolVar(&c.trace, "trace", false, "")
	}
	return f
}

// check is an error for numbers out of range. The package checks -slack and -lambda.
func (c *config) check() error {
	switch {
	case c.seeds < 1:
		return fmt.Errorf("-seeds is %d, below 1", c.seeds)
	case c.k < 0:
		return fmt.Errorf("-k is %d, below 0", c.k)
	case c.labels != "" && c.labels != "largest" && c.labels != "means":
		return fmt.Errorf("-labels is %q, not largest or means", c.labels)
	}
	return nil
}

// command is an experiment.
type command struct {
	name, help string
	run        func(c *config, out io.Writer) error
	start      config // the defaults
}

var commands = []command{
	{"table", tableHelp, table, config{scale: scale.ZScore, seeds: 5, labels: "largest"}},
	{"toy", toyHelp, toy, config{seeds: 1, seed: 1}},
	{"convergence", convergenceHelp, convergence, config{scale: scale.ZScore, seeds: 1}},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 0, 1 for data at fault, 2 for a wrong command line.
func run(args []string, out, complaints io.Writer) int {
	if len(args) > 0 && strings.Contains(" -h -help --help help ", " "+args[0]+" ") {
		fmt.Fprint(out, usage)
		return 0
	}
	i := slices.IndexFunc(commands, func(e command) bool { return len(args) > 0 && args[0] == e.name })
	if i < 0 {
		fmt.Fprint(complaints, usage)
		return 2
	}
	e := commands[i]
	f := e.start.flags(e.name)
	f.SetOutput(io.Discard)
	err := f.Parse(args[1:])
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, e.help)
		return 0
	}
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("%q is no flag; sets are given with -set", f.Arg(0))
	}
	if err = cmp.Or(err, e.start.check()); err != nil {
		fmt.Fprintf(complaints, "paper %s: %v; %s -h tells the flags\n", e.name, err, e.name)
		return 2
	}
	if err := e.run(&e.start, out); err != nil {
		fmt.Fprintf(complaints, "paper %s: %v\n", e.name, err)
		return 1
	}
	return 0
}

// each calls fn for every set, with its classes' number as K, or -k.
func (c *config) each(fn func(name string, t *sets.Labeled) error) error {
	all := c.sets
	if all == nil {
		labels, err := fs.Glob(testdata.Files, "*.labels.csv")
		if err != nil {
			return err
		}
		for _, file := range labels {
			name := strings.TrimSuffix(file, ".labels.csv")
			all = append(all, sets.Set{Name: name, Views: []string{name + ".csv"}, Labels: file, Open: testdata.Files.Open})
		}
	}
	for _, s := range all {
		s.Scale = c.scale
		t, err := s.Load()
		if err == nil {
			if c.k > 0 {
				t.K = c.k
			}
			err = fn(s.Name, t)
		}
		if err != nil {
			return fmt.Errorf("set %s: %w", s.Name, err)
		}
	}
	return nil
}
