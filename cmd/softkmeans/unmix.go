package main

import (
	"context"
	"errors"
	"flag"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"softkmeans/internal/envi"
	"softkmeans/internal/pixels"
	"softkmeans/internal/report"
	"softkmeans/internal/sources"
	"softkmeans/unmix"
)

type unmixFlags struct {
	inputFlags
	printFlags
	args          []string
	header        string // of ENVI files; "": the input is another
	library       bool   // spectral libraries are read, too
	k             int    // 0: the proposal
	height, width int    // of a table's image; 0: none
	byColumn      bool   // its pixels come column by column
	ofTable       string // a flag for tables alone that is given; "": none
	options       unmix.Options
	bounds        *bounds // nil: at least 0
	stream        streaming

	centers, class string           // known spectra, and a column of their classes; "": none
	from           *sources.Library // what centers has

	abundances, shade, spectra, page, model string // files; "": none
}

func newUnmixFlagSet(f *unmixFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("unmix", flag.ContinueOnError)
	f.addText(fs)
	f.addTurn(fs)
	f.addMend(fs)
	columnsFlag(fs, &f.dialect.Drop, "drop")
	columnsFlag(fs, &f.dialect.Names, "names")
	f.addRun(fs)
	fs.StringVar(&f.centers, "centers", "", "")
	fs.StringVar(&f.class, "class", "", "")
	clustersFlag(fs, &f.k)
	sizeFlag(fs, "size", &f.height, &f.width)
	choiceFlag(fs, &f.byColumn, "order", []choice[bool]{{"rows", false}, {"columns", true}})
	fs.StringVar(&f.abundances, "o", "", "")
	fs.StringVar(&f.shade, "shade", "", "")
	fs.StringVar(&f.spectra, "spectra", "", "")
	fs.StringVar(&f.page, "report", "", "")
	fs.StringVar(&f.model, "model", "", "")
	f.printFlags.add(fs)
	aboveZeroFlag(fs, &f.options.Slack, "slack")
	aboveZeroFlag(fs, &f.options.Lambda, "lambda")
	boundsFlag(fs, &f.bounds)
	rowsFlag(fs, &f.options.Scaling)
	numberFlag(fs, &f.options.Trim, "trim", "must be a fraction, at least 0 and below 1",
		func(v float64) bool { return v >= 0 && v < 1 })
	sumFlag(fs, &f.options.Sum)
	seedFlag(fs, &f.options.Seed)
	streamFlag(fs, &f.stream)
	return fs
}

func parseUnmix(args []string) (f unmixFlags, err error) {
	f.args = args
	fs := newUnmixFlagSet(&f)
	if err := f.parse(fs, args); err != nil {
		return f, err
	}
	f.options.Workers = f.workers
	if f.bounds != nil && math.IsInf(f.bounds.low, -1) {
		f.bounds.low = 0
	}
	f.options.Lower, f.options.Upper = f.bounds.scaled(nil)
	given := given(fs)
	for _, name := range []string{"size", "order", "skip", "na", "below", "drop", "names"} {
		if given[name] {
			f.ofTable = name
		}
	}
	if err := f.checkKnown(given); err != nil {
		return f, err
	}
	switch {
	case !given["k"] && f.centers == "":
		return f, usageErrorf("-k is missing; give a number of materials, or auto to count the directions of the pixels above the noise, or -centers with a file of spectra")
	case given["slack"] && given["lambda"]:
		return f, usageErrorf("-slack and -lambda exclude each other; give one")
	case f.bounds != nil && (f.bounds.low < 0 || f.bounds.high <= 0):
		return f, usageErrorf("-bounds: spectra are at least 0; give a lower bound of at least 0 and an upper bound above 0")
	case f.inUnits() && f.options.Scaling == unmix.ScaleUnit:
		return f, usageErrorf("-bounds are in the units of the pixels, which -rows unit takes away; " +
			"leave one out")
	case f.k > mostCenters:
		return f, usageErrorf("-k %d: at most %d materials", f.k, mostCenters)
	case f.page != "" && f.k > report.MostPrototypes:
		return f, usageErrorf("-k %d: a page shows at most %d materials; leave -report out", f.k,
			report.MostPrototypes)
	case f.byColumn && f.height == 0:
		return f, usageErrorf("-order columns needs -size")
	case f.abundances != "" && !hasExtension(f.abundances, ".img", ".npy", ".csv"):
		return f, usageErrorf("-o %s: the name must end in .img, .npy or .csv", f.abundances)
	case f.shade != "" && !hasExtension(f.shade, ".img", ".npy", ".csv"):
		return f, usageErrorf("-shade %s: the name must end in .img, .npy or .csv", f.shade)
	case f.shade != "" && (f.options.Scaling == unmix.ScaleGiven || f.inUnits()):
		return f, usageErrorf("-shade is for -rows auto or unit without -bounds; pixels as given have no " +
			"brightness of their own")
	case f.spectra != "" && f.spectra != "-" && !hasExtension(f.spectra, ".csv", ".sli"):
		return f, usageErrorf("-spectra %s: the name must end in .csv or .sli", f.spectra)
	}
	return f, f.checkStream(f.stream)
}

// inUnits reports whether there are bounds other than 0, for pixels as given.
func (f *unmixFlags) inUnits() bool {
	return f.bounds != nil && (f.bounds.low > 0 || !math.IsInf(f.bounds.high, 1))
}

func hasExtension(name string, list ...string) bool {
	for _, ext := range list {
		if strings.EqualFold(filepath.Ext(name), ext) {
			return true
		}
	}
	return false
}

// sizeFlag adds a flag that takes lines and columns of pixels, such as 8x8.
func sizeFlag(fs *flag.FlagSet, name string, height, width *int) {
	fs.Func(name, "", func(s string) (err error) {
		*height, *width, err = parseSize(s)
		return err
	})
}

func parseSize(s string) (height, width int, err error) {
	high, wide, _ := strings.Cut(strings.ReplaceAll(s, "×", "x"), "x")
	height, err = strconv.Atoi(high)
	width, err2 := strconv.Atoi(wide)
	if err != nil || err2 != nil || height < 1 || width < 1 || height > math.MaxInt32/width {
		return 0, 0, errors.New("must be two numbers of pixels, rows and columns, such as 8x8")
	}
	return height, width, nil
}

// open opens the input. Of an ENVI image it finds both files.
func (f *unmixFlags) open(ctx context.Context, std streams) (*session, error) {
	name := f.source
	if f.named() {
		header, data, err := envi.Find(name)
		if err != nil {
			return nil, err
		}
		if header != "" {
			f.header, name = header, data
		}
	}
	return newSession(ctx, name, std)
}

// blockValues is the number of values of a block of pixels; 0: as many as suit. Tests set another.
var blockValues = 0

// openImage opens the image of the session.
func (f *unmixFlags) openImage(s *session) (*pixels.Image, error) {
	return pixels.Open(s.in, s.source, f.named(), &pixels.Options{Header: f.header, Library: f.library,
		Height: f.height, Width: f.width, ByColumn: f.byColumn, Dialect: f.dialect, Known: f.from, OfTable: f.ofTable,
		File: f.stream == streamYes, Block: blockValues})
}

func (f *unmixFlags) run(s *session) error {
	if f.centers != "" {
		if err := f.readKnown(); err != nil {
			return err
		}
	}
	out, err := f.addOutputs(s)
	if err != nil {
		return err
	}
	p := s.progress(f.quiet)
	defer p.clear()
	sc, err := f.openImage(s)
	if err == nil {
		err = sc.LeaveEmpty(s.ctx)
	}
	if err != nil {
		return err
	}
	u := f.newUnmixing(s, sc, p)
	told := u.answer
	if f.centers != "" {
		u.known = &knownScene{unmixing: u}
		told, err = u.known.answer, u.known.mix(s.ctx, out)
	} else if err = u.checkStreamed(); err == nil {
		err = u.fit(s.ctx, out)
	}
	if err != nil {
		return err
	}
	if err := out.finish(u); err != nil {
		return err
	}
	p.clear()
	return s.tell(told(), &f.printFlags)
}
