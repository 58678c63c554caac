package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"

	"softkmeans"
	"softkmeans/internal/absent"
	"softkmeans/internal/answer"
	"softkmeans/internal/envi"
	"softkmeans/internal/measure"
	"softkmeans/internal/report"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
	"softkmeans/internal/sources"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/unmix"
)

// readText reads a file of prototypes, or standard input, and returns the name for messages and whether it is a model.
func readText(name string, stdin io.Reader) (text []byte, source string, model bool, err error) {
	in, source, err := openInput(name, stdin)
	if err != nil {
		return nil, "", false, err
	}
	defer in.Close()
	text, err = io.ReadAll(io.LimitReader(in, mostLibrary+1))
	if err == nil && len(text) > mostLibrary {
		err = fmt.Errorf("%s: more than %d MB of prototypes", source, mostLibrary>>20)
	}
	return text, source, bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")), err
}

// readLibrary reads the file of -centers: prototypes, or a model. class is a column of a table, "" for none.
func readLibrary(name, class string) (l *sources.Library, m *modelFile, err error) {
	text, _, model, err := readText(name, strings.NewReader(""))
	switch {
	case err != nil:
		return nil, nil, err
	case model && class != "":
		return nil, nil, usageErrorf("-class: %s is a model, which has no classes", name)
	case model:
		m, err = readModelFrom(bytes.NewReader(text), name)
		return nil, m, err
	}
	l, err = libraryFrom(text, name, class)
	return l, nil, err
}

// libraryFrom returns the prototypes in the text of the named file.
func libraryFrom(text []byte, name, class string) (*sources.Library, error) {
	header, data, err := envi.Find(name)
	switch {
	case err != nil:
		return nil, err
	case header != "" && class != "":
		return nil, usageErrorf("-class: %s is a spectral library, which has no columns", name)
	case header != "":
		t, err := rows.Spectra(header, data)
		if err != nil {
			return nil, err
		}
		return sources.FromTable(t)
	}
	if bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		var all *gzip.Reader
		if all, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
			text, err = io.ReadAll(io.LimitReader(all, mostLibrary+1))
		}
		if err == nil && len(text) > mostLibrary {
			err = fmt.Errorf("more than 1024 MB of prototypes")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return sources.Read(text, name, class,
		func(text []byte, name string, d table.Dialect) (*table.Table, error) {
			return rows.ReadAll(bytes.NewReader(text), name, d)
		})
}

// mostLibrary bounds a table of prototypes, in bytes.
const mostLibrary = 1 << 30

// checkKnown checks the flags of -centers.
func (f *predictFlags) checkKnown() error {
	switch {
	case f.centers == "":
		return refuse(f.given, " is for -centers; a model has its own", "class", "sum", "rows", "scale", "report")
	case f.model != "":
		return usageErrorf("-model and -centers both have prototypes; give one")
	case f.rows == unmix.ScaleUnit && f.sum == softkmeans.SumAtMostOne:
		return usageErrorf("-rows unit has shares that add up to one; leave -sum out")
	}
	return nil
}

type known struct {
	*session
	flags   *predictFlags
	library *sources.Library // nil: model
	model   *modelFile

	*sources.Answer
	data   *data
	labels []int
	notes  []string
	rows   int                // also those without memberships
	given  *softkmeans.Matrix // the prototypes in the table's units
}

// page is the page about the shares.
func (k *known) page() *report.Known {
	a, name := k.answer(), k.data.texts.Names()
	a.Brief, a.Room = false, report.Room
	return &report.Known{Page: report.Page{Answer: a, Version: version(),
		Command: commandLine(append([]string{"softkmeans", "predict"}, k.flags.args...))},
		Found: k.Answer, Columns: k.data.Names, X: k.data.x, Centers: k.given, Labels: k.labels,
		Name: func(i int) string {
			_, id := name(i)
			return short(id, mostWord)
		}}
}

// read reads the rows and joins their columns with those of the prototypes.
func (k *known) read(s *session) (err error) {
	f := k.flags
	if k.library == nil {
		if k.data, err = f.read(s); err != nil {
			return err
		}
		return k.model.checkColumns(k.data.Names, s.source)
	}
	f.scale, f.settled = scale.None, true
	reading := k.library.Rows(&f.dialect)
	reading.Keep = "-keep"
	if k.data, err = f.read(s); err != nil {
		return err
	}
	d := k.data
	if reading.Settle(d.Table) {
		d.texts = answer.Texts{IDs: d.IDs}
	}
	d.x = softkmeans.NewMatrix(d.Rows, len(d.Names), d.Data)
	s.places["x"] = place{s.source, d.Names}
	return nil
}

// runKnown computes and writes the shares.
func (f *predictFlags) runKnown(s *session, k *known) error {
	files, err := s.addAll([2]string{"o", f.out}, [2]string{"report", f.page})
	if err != nil {
		return err
	}
	if err := k.read(s); err != nil {
		return err
	}
	d := k.data
	k.rows = d.Rows
	if left, n := absent.EmptyRows(d.x); n > 0 {
		if d.keep(left); d.Rows == 0 {
			return fmt.Errorf("%s: no row has a value", s.source)
		}
	}
	if err := k.mix(s); err != nil {
		return err
	}
	if w := answer.NewMembershipWriter(files[0]); w != nil {
		if err := k.write(s.ctx, w); err != nil {
			return err
		}
	}
	k.session = s
	if files[1] != nil {
		page, err := k.page().HTML()
		if err != nil {
			return err
		}
		if _, err := files[1].Write(page); err != nil {
			return err
		}
	}
	return s.tell(k.answer(), &f.printFlags)
}

func (k *known) mix(s *session) (err error) {
	f, d := k.flags, k.data
	o := sources.Options{Sum: f.sum, Scale: f.divisor, Workers: f.workers}
	var from *sources.Sources
	if k.library == nil {
		m := k.model.Model
		from = &sources.Sources{Names: view.Names(m.Centers.Rows), Centers: m.Centers,
			Groups: view.Names(m.Centers.Rows)}
		for j := range from.Names {
			from.Class = append(from.Class, j)
		}
		o.Sum, o.Cone, o.Scale = m.Sum, k.model.UnitRows, sources.ScaleNone
	} else {
		if from, err = k.library.Join(s.source, d.Names, d.Named()); err != nil {
			return err
		}
		if n := from.Centers.Rows; n > mostCenters {
			return fmt.Errorf("%s: %d prototypes; at most %d can be given", f.centers, n, mostCenters)
		}
		k.notes = append(k.notes, from.Notes...)
	}
	s.places["centers"] = place{f.centers, d.Names}
	auto := false
	if k.library != nil {
		o.Cone, auto = f.rows == unmix.ScaleUnit, f.rows == unmix.ScaleAuto
	}
	k.given = from.Centers
	if k.Answer, err = from.Solve(s.ctx, d.x, o, auto); err != nil {
		return err
	}
	if k.Scaled != "" {
		k.notes = append(k.notes, k.Scaled+", and so are residuals; -scale none leaves them as they are")
	}
	if decides := k.Decides(); decides != "" {
		k.notes = append(k.notes, decides+"; -scale zscore divides columns by their standard deviations")
	}
	if k.library != nil && k.Lengths() {
		note := "each row is a mixture times a length of its own"
		if auto {
			note += ", since this clearly reduces the squared error; -rows given takes rows as they are"
		}
		k.notes = append(k.notes, note)
	}
	k.labels = answer.LargestOf(k.Result.Shares)
	if k.library == nil && absent.Rows(d.x) == nil {
		if k.labels, err = clustersOf(k.model.Model, d.x, k.Result.Shares); err != nil {
			return err
		}
	}
	return nil
}

func (k *known) write(ctx context.Context, w *answer.MembershipWriter) error {
	w.Describe(&k.data.Head, k.data.texts)
	w.Centers, w.Sources = k.Mixer.Groups, true
	var spread func(g []float64) float64
	if k.flags.details {
		spread = func(g []float64) float64 { return measure.Entropy(g, k.flags.sum) }
	}
	rows := answer.MemberRows{Labels: k.labels, Memberships: k.Result.Shares}
	w.Details, rows.Details = k.Columns(spread)
	if err := w.Add(ctx, rows); err != nil {
		return err
	}
	return w.Conclude(&k.notes)
}

// answer says which shares the rows have, and which rows are outside.
func (k *known) answer() *answer.Answer {
	noun, d := "prototype", k.data
	if k.Mixer.Bundled() {
		noun = "group"
	}
	a := answer.New(&d.Head, k.rows, scale.None)
	a.About = fmt.Sprintf("%s: %s, shares in %s of %s", k.source, count(k.rows, "row"),
		count(len(k.Mixer.Groups), noun), k.flags.centers)
	a.Notes, a.CentersFile = append(a.Notes, k.notes...), k.flags.centers
	a.Scale = k.ScaleWord()
	a.FillKnown(k.Answer, k.labels, d.texts.Names())
	a.Brief = k.taken
	return a
}
