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
	"softkmeans/internal/report"
	"softkmeans/internal/sources"
	"softkmeans/unmix"
)

const unmixHelp = `Usage: softkmeans unmix -k N [flags] [FILE]
       softkmeans unmix -centers FILE [flags] [FILE]

Find N materials in an image with many bands, and their abundances: for every
pixel shares of at least 0. The spectra are centers close to the data, as those
of softkmeans fit -method minvol, at least 0, and as close as the noise of the
data allows.

FILE is one of

  ENVI          the header NAME.hdr or the file with the values, whose name is
                NAME or NAME with .dat, .img, .raw, .bsq, .bil, .bip. Bad bands
                (bbl) are left out, and values are divided by the reflectance
                scale factor
  .npy          lines×columns×bands, or pixels×bands with -size
  CSV           a pixel a row, with -size; gzip as for softkmeans fit. Names of
                columns that are numbers are wavelengths

A pixel in which a value is NaN, infinite, the data ignore value or -1.23e34 (a
deleted channel) is left out: its abundances are NaN, and the report counts it.

  -k N          number of materials, required without -centers. auto counts the
                directions of the pixels that stand out of the noise and have
                1 % of their length or more
  -centers FILE take spectra that are known, and find the shares alone: a table,
                an ENVI spectral library (.sli) or a model, as with softkmeans
                predict -centers. Bands are joined by wavelength or name. -rows
                auto is unit if that leaves clearly less of the squared error
  -class COL    shares of spectra add up by this column of the file of -centers
  -size LxC     the pixels of a table are an image of L lines and C columns
  -order O      rows: line by line (default); columns: column by column, as
                MATLAB stores images. With -size

Output:

  -o FILE       write the abundances. NAME.img: an ENVI image of float32, a
                band for each material, and its header NAME.hdr. NAME.npy:
                lines×columns×materials. Where -centers leaves shares open, the
                bands NAME_low and NAME_high after them are their ranges
  -spectra FILE write the spectra. NAME.csv, or - for standard output: a row
                for each band, with its wavelength or number, and a column for
                each material. NAME.sli: an ENVI spectral library, and its
                header NAME.hdr
  -shade FILE   write the brightness of every pixel, .img or .npy as for -o: a
                pixel is its brightness times a mixture of the spectra. 1 where
                pixels are fitted as given
  -report FILE  write an HTML page with maps of the materials, their spectra, a
                false-color view, the error of every pixel, and what is proved.
                Up to 64 materials
  -model FILE   write the model as JSON, for softkmeans predict and certify
` + jsonHelp + `
Choices:

  -rows R       given: pixels as they are; unit: scaled to length 1, for scenes
                in which light and shade vary; auto: unit if the brightness of
                the pixels varies (default)
  -trim SHARE   leave out up to this share of the pixels as outliers: those far
                from all others. They are listed, and get shares all the same
                (default 0)
  -slack S      extra squared error, as a fraction of the least. Without -slack
                and -lambda the noise of the data sets λ, the weight of the
                volume
  -lambda L     λ, in squared units of the data (of pixels of length 1 with
                -rows unit), instead of -slack
  -bounds L,H   keep the spectra from L to H, in their units, as 0,1 for
                reflectances. Either may be empty; L is at least 0. Pixels are
                fitted as given then, unless L is 0 and H is empty
  -sum S        one: the shares of a pixel add up to 1 (default); at-most-one:
                to at most 1, and the rest is shade. Pixels of length 1 have
                one, and -shade
  -seed N       seed of the starts (default 0)

Reading:

` + turnHelp + textHelp + `  -stream Y     yes: read an ENVI or .npy file in blocks, some five to nine
                times, for scenes larger than memory. A sample of about 16000
                pixels is fitted, then corrected and measured on all pixels;
                as given, without -rows unit and -trim, with a slack by the
                number of bands; spectra may be slightly below 0
                no: read FILE once and keep it in memory
                auto: yes for ENVI and .npy files above 64 MB (default)
` + runHelp + `
Examples: softkmeans unmix -k 4 -o shares.img -report page.html scene.hdr
          softkmeans unmix -k auto -size 50x50 -spectra s.csv pixels.npy

` + exitHelp

type unmixFlags struct {
	inputFlags
	printFlags
	args          []string
	header        string // of ENVI files; "": the input is another
	library       bool   // spectral libraries are read, too
	k             int    // 0: the proposal
	height, width int    // of a table's image; 0: none
	byColumn      bool   // its pixels come column by column
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
	numberFlag(fs, &f.options.Trim, "trim", "must be a share, at least 0 and below 1",
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
	if err := f.checkKnown(given); err != nil {
		return f, err
	}
	switch {
	case !given["k"] && f.centers == "":
		return f, usageErrorf("-k is missing; give a number of materials, or auto for what the " +
			"pixels speak for, or -centers with a file of spectra")
	case given["slack"] && given["lambda"]:
		return f, usageErrorf("-slack and -lambda exclude each other; give one")
	case f.bounds != nil && (f.bounds.low < 0 || f.bounds.high <= 0):
		return f, usageErrorf("-bounds: spectra are at least 0; give bounds above")
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
	case f.abundances != "" && !hasExtension(f.abundances, ".img", ".npy"):
		return f, usageErrorf("-o %s: the name must end in .img or .npy", f.abundances)
	case f.shade != "" && !hasExtension(f.shade, ".img", ".npy"):
		return f, usageErrorf("-shade %s: the name must end in .img or .npy", f.shade)
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
	sc, err := f.openScene(s)
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
