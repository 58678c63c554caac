package main

// The command line. It has the flags of this program and those of Beam.

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"softkmeans"
	"softkmeans/internal/table"
)

const help = `Usage: beam -k N -out DIR [flags] SHARD…
       beam -generate DIR [flags]

Fit soft k-means to a table in many CSV files, its shards: N centers with the least
squared error that any N centers can have, and a certificate that proves it. Each
machine reads its shards three times and sends no row to another.

SHARD is a file, or a pattern of files in quotes. All shards have the same columns.
A header is optional, and so are rows. Names must mean the same on every machine:
an absolute path, or gs://bucket/name. A pattern finds the files that exist; a missing
shard is found only with -manifest.

The outputs are written under temporary names and then renamed:

  DIR/memberships/NAME   for every shard: label,p0,p1,… The label is the number of
                         the largest membership, from 0
  DIR/model.json         the model, for modelfile.Read and softkmeans predict
  DIR/report.txt         the text that is also printed; it is written last

  -k N           the number of centers
  -out DIR       where the result goes; gs://bucket/dir on Google Cloud
  -overwrite     replace an existing result; without it that is an error
  -enclosure E   ball: the centers enclose a ball around the data (default)
                 tight: they enclose the data more closely, for the same error
  -label COL     drop one column, given by its name in the header of every shard, or
                 by its number from 1
  -header H      auto: line 1 of a shard is a header if it has no number (default);
                 yes, no: it is, or is not, in every shard
  -manifest F    a CSV file with the columns shard,rows in place of SHARD…: a missing
                 shard, or another number of rows, is an error. Names are relative to
                 the file
  -open-end      accept shards whose last line has no end of line; without it that is
                 an error, because a file that was cut ends so
  -plain         compute the same in one loop, without Beam
  -log LEVEL     Beam's messages on standard error: error, warn, info or debug. The
                 default is none with the runner in this process, else error. Beam
                 repeats errors; the last line is the one of this program

  -generate DIR  write shards of random mixtures and a manifest, and replace files of
                 the same names; other files shard-*.csv in DIR are an error
  -shards N  -rows N  -columns N  -prototypes N  -noise S  -seed N
                 the number of shards (20), the rows (10000) and columns (32) of each,
                 the prototypes (5), the noise's standard deviation (0.05), seed (1)

Examples: beam -generate /data/demo
          beam -k 5 -out /data/fit '/data/demo/shard-*.csv'
          beam -k 5 -out /data/fit -manifest /data/demo/manifest.csv
          beam -k 5 -out gs://b/fit --runner=dataflow --project=P --region=R
               --staging_location=gs://b/staging 'gs://b/demo/shard-*.csv'

Exit codes: 0 success; 1 an error of the data, of a file or of a runner; 2 an error of
the command line.

Beam's flags follow. --runner is prism (default, in this process), universal, flink,
spark or dataflow, for which README.md has commands, or direct, which runs in this
process on one core.

`

// usage prints the flags of this program, then those of Beam.
func usage(w io.Writer, fs *flag.FlagSet) {
	io.WriteString(w, help)
	ours, beams := flag.NewFlagSet("", flag.ContinueOnError), flag.NewFlagSet("", flag.ContinueOnError)
	newOptions(ours)
	beams.SetOutput(w)
	fs.VisitAll(func(f *flag.Flag) {
		if ours.Lookup(f.Name) == nil {
			beams.Var(f.Value, f.Name, f.Usage)
		}
	})
	beams.PrintDefaults()
}

// options is the command line.
type options struct {
	k         int
	out       string
	overwrite bool
	enclosure softkmeans.Enclosure
	reading   reading
	manifest  string
	plain     bool
	log       string
	generate  generator
	shards    []string // files and patterns
}

type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usageErrorf(format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...)}
}

// newOptions adds the flags to fs.
func newOptions(fs *flag.FlagSet) *options {
	o := &options{}
	fs.StringVar(&o.out, "out", "", "")
	fs.BoolVar(&o.overwrite, "overwrite", false, "")
	fs.StringVar(&o.reading.Label, "label", "", "")
	fs.BoolVar(&o.reading.OpenEnd, "open-end", false, "")
	fs.StringVar(&o.manifest, "manifest", "", "")
	fs.BoolVar(&o.plain, "plain", false, "")
	number(fs, &o.k, "k", 0, 1)
	choice(fs, &o.enclosure, "enclosure", map[string]softkmeans.Enclosure{"ball": softkmeans.EnclosureBall, "tight": softkmeans.EnclosureTight})
	answers := map[string]table.Choice{"auto": table.Auto, "yes": table.Yes, "no": table.No}
	choice(fs, &o.reading.Header, "header", answers)
	choice(fs, &o.log, "log", map[string]string{"error": "error", "warn": "warn", "info": "info", "debug": "debug"})
	g := &o.generate
	fs.StringVar(&g.dir, "generate", "", "")
	number(fs, &g.shards, "shards", 20, 0)
	number(fs, &g.rows, "rows", 10000, 0)
	number(fs, &g.columns, "columns", 32, 1)
	number(fs, &g.prototypes, "prototypes", 5, 1)
	fs.Float64Var(&g.noise, "noise", 0.05, "")
	fs.Uint64Var(&g.seed, "seed", 1, "")
	return o
}

// number adds a flag for an integer that is at least `least`.
func number(fs *flag.FlagSet, p *int, name string, value, least int) {
	*p = value
	fs.Func(name, "", func(s string) (err error) {
		if *p, err = strconv.Atoi(s); err != nil || *p < least {
			return fmt.Errorf("must be a whole number, at least %d", least)
		}
		return nil
	})
}

// choice adds a flag that takes one of the words.
func choice[T any](fs *flag.FlagSet, p *T, name string, words map[string]T) {
	fs.Func(name, "", func(s string) error {
		v, ok := words[s]
		if !ok {
			return errors.New("is not one of the words in -help")
		}
		*p = v
		return nil
	})
}

// parse takes flags before, between and after the shards. The error is flag.ErrHelp or a usageError.
func (o *options) parse(fs *flag.FlagSet, args []string) error {
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return err
			}
			return usageError{err.Error()}
		}
		if args = fs.Args(); len(args) > 0 {
			o.shards, args = append(o.shards, args[0]), args[1:]
		}
	}
	return nil
}

// runnerNames are the runners that Beam has registered, except vet and dot, which run
// nothing. Beam does not list them, and ends the process for another name.
var runnerNames = []string{"prism", "PrismRunner", "universal", "portable", "PortableRunner", "flink", "FlinkRunner",
	"spark", "SparkRunner", "dataflow", "DataflowRunner", "direct", "DirectRunner"}

// check checks that all required options are given. It is not called in a worker.
func (o *options) check() error {
	if name := *runners.Runner; name != "" && !slices.Contains(runnerNames, name) {
		return usageErrorf("--runner=%s: there are prism, universal, flink, spark, dataflow and direct", name)
	}
	if o.generate.dir != "" {
		if len(o.shards) > 0 {
			return usageErrorf("-generate takes no shards: %q", o.shards)
		}
		if hasPattern(o.generate.dir) {
			return usageErrorf("-generate %s: the name of a directory cannot have *, ? or [ in it", o.generate.dir)
		}
		if !(o.generate.noise >= 0 && o.generate.noise <= 1e100) {
			return usageErrorf("-noise %v: must be a number, at least 0", o.generate.noise)
		}
		return nil
	}
	label, notNumber := strconv.Atoi(o.reading.Label)
	switch {
	case o.k == 0:
		return usageErrorf("-k is missing: give the number of centers")
	case o.out == "":
		return usageErrorf("-out is missing: give the directory of the result")
	case hasPattern(o.out):
		return usageErrorf("-out %s: the name of a directory cannot have *, ? or [ in it", o.out)
	case o.manifest == "" && len(o.shards) == 0:
		return usageErrorf("no shards given")
	case o.manifest != "" && len(o.shards) > 0:
		return usageErrorf("the shards are those of -manifest, so no others can be given: %q", o.shards)
	case notNumber == nil && label < 1:
		return usageErrorf("-label %d: columns are counted from 1", label)
	case notNumber != nil && o.reading.Label != "" && o.reading.Header == table.No:
		return usageErrorf("-label %q is a name, but with -header no columns have none", o.reading.Label)
	}
	return nil
}
