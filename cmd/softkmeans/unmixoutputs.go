package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"softkmeans"
	"softkmeans/internal/drafts"
	"softkmeans/internal/pixels"
	"softkmeans/internal/report"
)

// unmixOutputs are the files of unmix. Each is nil if it is not asked for.
type unmixOutputs struct {
	abundances, shade      *pixels.Writer
	spectra, spectraHeader io.Writer
	page, model            io.Writer

	scene *report.Scene
}

func (f *unmixFlags) addOutputs(s *session) (*unmixOutputs, error) {
	s.reads = [][2]string{{f.header, "data"}, {f.centers, "prototypes"}, {f.centers + ".hdr", "prototypes"},
		{headerOf(f.centers), "prototypes"}}
	out := &unmixOutputs{}
	var err error
	add := func(flag, path string) (w io.Writer) {
		if err == nil {
			w, err = s.add(flag, path)
		}
		return w
	}
	placed := func(flag, path string) *drafts.File {
		w := add(flag, path)
		if w == nil {
			return nil
		}
		file, ok := w.(*drafts.File)
		if err == nil && (!ok || !file.Temporary()) {
			err = usageErrorf("-%s %s is no regular file; images are written in any order", flag, path)
		}
		return file
	}
	image := func(flag, path string) *pixels.Writer {
		if hasExtension(path, ".csv") {
			return &pixels.Writer{Lines: csv.NewWriter(add(flag, path))}
		}
		file := placed(flag, path)
		if file == nil {
			return nil
		}
		w := &pixels.Writer{File: file}
		if hasExtension(path, ".img") {
			w.Header = placed(flag, headerOf(path))
		}
		return w
	}
	out.abundances = image("o", f.abundances)
	out.shade = image("shade", f.shade)
	if out.spectra = add("spectra", f.spectra); hasExtension(f.spectra, ".sli") {
		out.spectraHeader = add("spectra", headerOf(f.spectra))
	}
	out.page = add("report", f.page)
	out.model = add("model", f.model)
	return out, err
}

func (out *unmixOutputs) begin(u *unmixing) error {
	s, names := u.scene, u.names()
	if u.known != nil && u.known.ranged {
		for _, name := range u.names() {
			names = append(names, name+"_low", name+"_high")
		}
	}
	if out.page != nil {
		out.scene = u.page()
	}
	if out.abundances != nil {
		if err := out.abundances.Begin(s, "Abundances", names, len(names)); err != nil {
			return err
		}
	}
	if out.shade != nil {
		return out.shade.Begin(s, "Shade", []string{"shade"}, 0)
	}
	return nil
}

func (out *unmixOutputs) take(b *block, g *softkmeans.Matrix) error {
	if out.scene != nil {
		full := g
		if b.full != nil {
			full = b.full
		}
		out.scene.Add(b.Rect, b.At, b.X, full, b.shade)
	}
	if out.abundances != nil {
		row := g.Row
		if b.low != nil {
			row = b.ranges(g)
		}
		if err := out.abundances.Write(&b.Block, row); err != nil {
			return err
		}
	}
	if out.shade == nil {
		return nil
	}
	one := []float64{1}
	return out.shade.Write(&b.Block, func(i int) []float64 {
		if b.shade == nil {
			return one
		}
		return b.shade[i : i+1]
	})
}

// ranges returns a function for the shares g of row i with their ranges after them.
func (b *block) ranges(g *softkmeans.Matrix) func(i int) []float64 {
	values := make([]float64, 0, 3*g.Cols)
	return func(i int) []float64 {
		values = append(values[:0], g.Row(i)...)
		for j, v := range b.low.Row(i) {
			values = append(values, v, b.high.At(i, j))
		}
		return values
	}
}

func (out *unmixOutputs) finish(u *unmixing) error {
	if out.spectra != nil {
		names, spectra := u.names(), u.result.model.Centers
		if u.known != nil { // those of a class are not of its spectra
			names = u.known.mixer.Names
		}
		var err error
		if out.spectraHeader != nil {
			err = pixels.WriteLibrary(out.spectra, out.spectraHeader, u.scene, names, spectra)
		} else {
			err = pixels.WriteSpectra(out.spectra, u.scene, names, spectra)
		}
		if err != nil {
			return err
		}
	}
	if out.page != nil {
		u.progress.step("page")
		if u.known != nil {
			out.scene.Answer = u.known.answer()
		} else {
			out.scene.Answer = u.answer()
		}
		page, err := out.scene.HTML()
		if err != nil {
			return err
		}
		if _, err := out.page.Write(page); err != nil {
			return err
		}
	}
	if out.model != nil {
		_, err := newModelFile(u.result).WriteTo(out.model)
		return err
	}
	return nil
}

// page returns the page of the scene, without pixels yet.
func (u *unmixing) page() *report.Scene {
	s := u.scene
	p := &report.Scene{Lines: s.Lines, Samples: s.Samples, Pictured: s.Pictured, Bands: s.Bands,
		Wavelengths: s.Wavelengths, Unit: s.Unit, Model: u.found, Page: report.Page{
			Command: commandLine(append([]string{"softkmeans", "unmix"}, u.flags.args...)), Version: version()}}
	if s.Header != nil && s.Header.Scale > 0 {
		p.Value = "reflectance"
	}
	if k := u.known; k != nil {
		p.Names, p.Class = k.mixer.Groups, k.mixer.Class
	}
	d := len(s.Bands)
	p.Begin(softkmeans.NewMatrix(len(u.sample)/d, d, u.sample))
	return p
}

func (u *unmixing) means() []float64 {
	means := make([]float64, len(u.shares))
	for j, v := range u.shares {
		means[j] = v / float64(u.result.rows)
	}
	return means
}

// checkPage returns an error if there is to be a page, and it cannot show k materials.
func (f *unmixFlags) checkPage(k int) error {
	if f.page != "" && k > report.MostPrototypes {
		return fmt.Errorf("k = %d is proposed, and a page shows at most %d materials; give -k N or leave "+
			"-report out", k, report.MostPrototypes)
	}
	return nil
}

// headerOf is the name of the header beside an ENVI file that is written.
func headerOf(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) + ".hdr" }
