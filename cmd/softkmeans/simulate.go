package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"softkmeans"
	"softkmeans/internal/cube"
	"softkmeans/internal/drafts"
	"softkmeans/internal/envi"
	"softkmeans/internal/pixels"
	"softkmeans/internal/scenes"
)

func newSimulateFlagSet(r *scenes.Recipe) *flag.FlagSet {
	*r = scenes.Recipe{Lines: 60, Columns: 60, Bands: 120, Materials: 4, Shade: 0.5, Variability: 0.02,
		Bilinear: 0.1, SNR: 30, NoiseRatio: 10, Shot: 0.3, Outliers: 0.001}
	fs := flag.NewFlagSet("simulate", flag.ContinueOnError)
	fs.IntVar(&r.Materials, "k", r.Materials, "")
	sizeFlag(fs, "size", &r.Lines, &r.Columns)
	choiceFlag(fs, &r.Purity, "purity", []choice[scenes.Purity]{{"few", scenes.Few}, {"pure", scenes.Pure},
		{"none", scenes.None}})
	numberFlag(fs, &r.SNR, "snr", "must be a number of decibels, above 0 and at most 100",
		func(v float64) bool { return v > 0 && v <= 100 })
	seedFlag(fs, &r.Seed)
	return fs
}

// mostSimulated is the largest number of values of an image, which is in memory at 8 bytes a value.
const mostSimulated = 1 << 26

func runSimulate(ctx context.Context, args []string, std streams) error {
	var r scenes.Recipe
	files, err := parseFlags(newSimulateFlagSet(&r), args, 1)
	switch {
	case err != nil:
		return err
	case len(files) == 0 || files[0] == "-":
		return usageErrorf("simulate takes the name of the image, without .img")
	case r.Materials < 2 || r.Materials > r.Bands/4:
		return usageErrorf("-k %d: must be from 2 to %d", r.Materials, r.Bands/4)
	case r.Lines*r.Columns < 20*r.Materials || max(r.Lines, r.Columns) > 1<<15 ||
		r.Lines*r.Columns > mostSimulated/r.Bands:
		return usageErrorf("-size %dx%d: must be 20 pixels a material or more, and at most %d",
			r.Lines, r.Columns, mostSimulated/r.Bands)
	}
	name := strings.TrimSuffix(strings.TrimSuffix(files[0], ".hdr"), ".img")
	out := &outputs{ctx: ctx, std: std}
	defer out.discard()
	images, table, err := out.addScene(name)
	if err != nil {
		return err
	}
	s := r.Simulate()
	if err := writeSimulated(images, table, s); err != nil {
		return err
	}
	return out.finish(func(w io.Writer) error { return reportSimulated(w, name, s) })
}

// addScene creates the files: values and header of pixels and of shares, and the table of spectra.
func (o *outputs) addScene(name string) (images [4]*drafts.File, table io.Writer, err error) {
	for i, end := range []string{".img", ".hdr", "_abundances.img", "_abundances.hdr", "_endmembers.csv"} {
		if table, err = o.add("NAME", name+end); err != nil {
			return images, nil, err
		}
		file, ok := table.(*drafts.File)
		if !ok || !file.Temporary() {
			return images, nil, usageErrorf("%s is no regular file", name+end)
		}
		if i < len(images) {
			images[i] = file
		}
	}
	return images, table, nil
}

func writeSimulated(images [4]*drafts.File, table io.Writer, s *scenes.Scene) error {
	names := make([]string, s.Materials)
	for l := range names {
		names[l] = fmt.Sprintf("m%d", l)
	}
	for i, h := range []*envi.Header{
		{Bands: s.Bands, Wavelengths: s.Wavelengths, Units: "Nanometers",
			Description: fmt.Sprintf("Simulated, seed %d", s.Seed)},
		{Bands: s.Materials, BandNames: names, Description: "Abundances of the simulated scene"},
	} {
		h.Lines, h.Samples, h.Type, h.Interleave = s.Lines, s.Columns, 4, "bsq"
		layout, err := h.Layout()
		if err != nil {
			return err
		}
		values := [][]float64{s.Pixels, s.Abundances}[i]
		err = layout.Write(images[2*i], values, cube.Rect{Lines: s.Lines, Samples: s.Columns})
		if err != nil {
			return err
		}
		if err := h.Write(images[2*i+1]); err != nil {
			return err
		}
	}
	return pixels.WriteSpectra(table, &pixels.Image{Wavelengths: s.Wavelengths, Bands: make([]int, s.Bands)}, names,
		softkmeans.NewMatrix(s.Materials, s.Bands, s.Endmembers))
}

func reportSimulated(w io.Writer, name string, s *scenes.Scene) error {
	k := fmt.Sprint(s.Materials)
	what := map[scenes.Purity]string{scenes.Pure: "pure pixels of each", scenes.Few: "few pure pixels",
		scenes.None: "no pure pixels"}[s.Purity]
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s.img: %d lines × %d columns, %d bands, %s materials, %s, %g dB\n", name, s.Lines,
		s.Columns, s.Bands, k, what, s.SNR)
	fmt.Fprintf(&b, "%s_endmembers.csv: the spectra of the materials\n", name)
	fmt.Fprintf(&b, "%s_abundances.img: the share of each material in every pixel\n", name)
	b.WriteString("\nTo unmix the image, and to compare the result with the truth:\n\n")
	for _, words := range [][]string{
		{"unmix", "-k", k, "-o", "shares.img", "-spectra", "spectra.csv", name + ".hdr"},
		{"evaluate", "-materials", name + "_endmembers.csv", "spectra.csv"},
		{"evaluate", "-materials", name + "_abundances.img", "shares.img"},
	} {
		b.WriteString("  " + commandLine(append([]string{"softkmeans"}, words...)) + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}
