package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/absent"
	"softkmeans/internal/answer"
	"softkmeans/internal/la"
	"softkmeans/internal/rows"
	"softkmeans/internal/scenes"
	"softkmeans/internal/table"
	"softkmeans/metrics"
)

type evaluateFlags struct {
	inputFlags
	truth, labels string // columns
	json          bool
	materials     bool
}

func newEvaluateFlagSet(f *evaluateFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("evaluate", flag.ContinueOnError)
	f.addText(fs)
	fs.StringVar(&f.truth, "truth", "", "")
	fs.StringVar(&f.labels, "labels", "", "")
	fs.BoolVar(&f.json, "json", false, "")
	fs.BoolVar(&f.materials, "materials", false, "")
	return fs
}

func runEvaluate(ctx context.Context, args []string, s streams) error {
	var f evaluateFlags
	fs := newEvaluateFlagSet(&f)
	files, err := parseFlags(fs, args, 2)
	if err != nil {
		return err
	}
	f.dialect.Words = wordsOf(fs)
	switch {
	case len(files) < 2:
		return usageErrorf("evaluate takes 2 files, the classes and the labels, not %d", len(files))
	case files[0] == "-" && files[1] == "-":
		return usageErrorf("standard input can be read only once; give one of the files by name")
	case f.materials && f.truth+f.labels != "":
		return usageErrorf("-truth and -labels are columns of classes; leave them out with -materials")
	case f.materials:
		return f.evaluateMaterials(ctx, files, s)
	}
	var both [2]*table.Classes
	for i, column := range []string{f.truth, f.labels} {
		d := f.dialect
		d.Words.Label, d.Missing = []string{"-truth", "-labels"}[i], true
		if both[i], err = readClasses(files[i], s.in, d, column); err != nil {
			return err
		}
	}
	truth, labels := both[0], both[1]
	if a, b := len(truth.Class), len(labels.Class); a != b {
		hint := ""
		if a-b == 1 || b-a == 1 {
			hint = "; if line 1 of one of them is taken wrongly for a header or a row, give -header yes or no"
		}
		return fmt.Errorf("%s has %s, but %s has %s; both files must contain the same rows%s", truth.Source,
			count(a, "row"), labels.Source, count(b, "row"), hint)
	}
	empty := make([]bool, len(truth.Class)) // as of rows that a fit has left out
	for i := range empty {
		empty[i] = truth.Class[i] < 0 || labels.Class[i] < 0
	}
	truth.Class, labels.Class = absent.Without(truth.Class, empty, 1), absent.Without(labels.Class, empty, 1)
	if len(truth.Class) == 0 {
		return fmt.Errorf("%s, %s: every row lacks a class or a label", truth.Source, labels.Source)
	}
	e, err := evaluate(truth, labels)
	if err != nil {
		return err
	}
	e.Left = len(empty) - len(truth.Class)
	return writeAs(s.out, f.json, e, answer.Text(e.Sections(), false))
}

// readClasses reads a column of a file.
func readClasses(name string, stdin io.Reader, d table.Dialect, column string) (*table.Classes, error) {
	in, source, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	c, err := rows.ReadClasses(in, source, d, column)
	if err == nil {
		sortClasses(c)
	}
	return c, err
}

// sortClasses renumbers the classes in the order of their values: as numbers if all
// are numbers, else as words.
func sortClasses(c *table.Classes) {
	values := make([]float64, len(c.Classes))
	numbers := true
	for i, s := range c.Classes {
		var err error
		values[i], err = strconv.ParseFloat(s, 64)
		numbers = numbers && err == nil
	}
	order := la.Indices(len(c.Classes))
	slices.SortFunc(order, func(a, b int) int {
		if numbers && values[a] != values[b] {
			return cmp.Compare(values[a], values[b])
		}
		return cmp.Compare(c.Classes[a], c.Classes[b])
	})
	names, place := make([]string, len(order)), make([]int, len(order))
	for i, from := range order {
		names[i], place[from] = c.Classes[from], i
	}
	for i, class := range c.Class {
		if class >= 0 {
			c.Class[i] = place[class]
		}
	}
	c.Classes = names
}

// mostPairs is the largest number of pairs of class and cluster that are counted and
// matched: 2048 of each. More come from a column that has no labels.
const mostPairs = 1 << 22

func evaluate(truth, labels *table.Classes) (*answer.Agreement, error) {
	e := &answer.Agreement{Truth: answer.Labelling{Source: truth.Source, Column: truth.Name, Values: truth.Classes},
		Labels: answer.Labelling{Source: labels.Source, Column: labels.Name, Values: labels.Classes}, Rows: len(truth.Class)}
	a, b := truth.Class, labels.Class
	var err error
	for _, m := range []struct {
		to  *float64
		get func(truth, labels []int) (float64, error)
	}{{&e.NMI, metrics.NMI}, {&e.Purity, metrics.Purity}, {&e.AdjustedRand, metrics.AdjustedRand}} {
		if *m.to, err = m.get(a, b); err != nil {
			return nil, err
		}
	}
	if len(labels.Classes) > mostPairs/len(truth.Classes) {
		return e, nil
	}
	accuracy, err := metrics.Accuracy(a, b)
	if err != nil {
		return nil, err
	}
	e.Accuracy = &accuracy
	e.Counts = make([][]int, len(truth.Classes))
	for i := range e.Counts {
		e.Counts[i] = make([]int, len(labels.Classes))
	}
	for i, class := range a {
		e.Counts[class][b[i]]++
	}
	return e, nil
}

// materials has a table of spectra, a band a row, or of shares, a pixel a row. A column is a material.
type materials struct {
	source string
	names  []string
	rows   int
	at     []int              // the rows that have values, rising
	values *softkmeans.Matrix // these rows
	bad    []bool             // rows that are bad channels of a library; nil: none
	notes  []string           // of an ENVI header
}

// readMaterials reads a CSV file, an array, an ENVI image, or an ENVI spectral library, whose
// spectra become columns. A column of bands or their wavelengths is left out, and so are bad
// channels of a library, which unmix does not write.
func (f *evaluateFlags) readMaterials(ctx context.Context, name string, turn table.Choice,
	std streams) (*materials, error) {
	u := unmixFlags{inputFlags: f.inputFlags, library: true}
	u.source = name
	u.dialect.Transpose, u.dialect.Long = turn, table.No
	s, err := u.open(ctx, std)
	if err != nil {
		return nil, err
	}
	defer s.close()
	sc, err := u.openImage(s)
	if err != nil {
		return nil, err
	}
	m := &materials{source: s.source, names: sc.Names, rows: sc.Pixels(), bad: sc.BadPixels}
	all, err := sc.All(ctx)
	if m.values, m.at = all.X, all.At; err != nil {
		return nil, err
	}
	if sc.Header != nil {
		m.notes = sc.Header.Notes
	}
	first := m.names[0]
	if sc.Header == nil && len(m.names) > 1 && (first == "wavelength" || first == "band") {
		m.names, m.values.Cols = m.names[1:], m.values.Cols-1
		m.values.Data = m.values.Data[min(1, len(m.at)):]
	}
	return m, nil
}

// mostMaterials is the largest number of materials that evaluate matches.
const mostMaterials = 1024

func (f *evaluateFlags) evaluateMaterials(ctx context.Context, files []string, std streams) error {
	var both [2]*materials
	for i, name := range files {
		var err error
		if both[i], err = f.readMaterials(ctx, name, table.No, std); err != nil {
			return err
		}
		if k := len(both[i].names); k > mostMaterials {
			return fmt.Errorf("%s: %d columns; at most %d materials can be matched", name, k, mostMaterials)
		}
	}
	flat := both[0].rows < len(both[0].names) && both[1].rows < len(both[1].names) // more materials than values
	for i := range both {                                                          // its materials may be rows
		other := both[1-i].rows
		if (flat || both[i].rows < min(other, len(both[i].names))) && files[i] != "-" {
			t, err := f.readMaterials(ctx, files[i], table.Yes, std)
			if err == nil && (flat || t.rows == other && len(t.names) == both[i].rows) {
				t.notes = append(t.notes, "the materials are the rows of "+files[i])
				both[i] = t
			}
		}
	}
	a, b := both[0], both[1]
	// Where tables have the same rows, bad channels of one lack values; else the other has no rows for them.
	apart := a.rows != b.rows || slices.Equal(a.bad, b.bad)
	a.leave(apart)
	b.leave(apart)
	if a.rows != b.rows {
		return fmt.Errorf("%s has %s, but %s has %d; they must be of the same pixels or bands", a.source,
			count(a.rows, "row"), b.source, b.rows)
	}
	a.keep(b.at)
	b.keep(a.at)
	if len(a.at) == 0 {
		return fmt.Errorf("%s, %s: every row lacks values", a.source, b.source)
	}
	e := matchMaterials(a, b)
	return writeAs(std.out, f.json, e, answer.Text(e.Sections(), false))
}

// keep leaves the rows out that are not in at.
func (m *materials) keep(at []int) {
	n := 0
	for i, row := range m.at {
		if _, found := slices.BinarySearch(at, row); found {
			copy(m.values.Row(n), m.values.Row(i))
			m.at[n] = row
			n++
		}
	}
	m.at, m.values.Rows = m.at[:n], n
}

// leave takes bad channels out of the table, with their rows as if it had never had them, if asked for.
func (m *materials) leave(rows bool) {
	if m.bad == nil {
		return
	}
	var left []int
	for i, bad := range m.bad {
		if !bad {
			left = append(left, i)
		}
	}
	m.keep(left)
	if rows {
		for i, at := range m.at {
			m.at[i], _ = slices.BinarySearch(left, at)
		}
		m.rows = len(left)
	}
}

// matchMaterials matches the columns of a with those of b, and returns the report. The angles
// between matched columns, less their means, have the least sum.
func matchMaterials(a, b *materials) *answer.Materials {
	e := &answer.Materials{Truth: answer.MaterialsOf{Source: a.source, Names: a.names, Notes: a.notes},
		Found: answer.MaterialsOf{Source: b.source, Names: b.names, Notes: b.notes},
		Rows:  len(a.at), Left: a.rows - len(a.at)}
	truth, found := la.Transpose(a.values), la.Transpose(b.values)
	shape, like := lessMeans(truth), lessMeans(found)
	gain := softkmeans.NewMatrix(len(a.names), len(b.names), nil)
	for i := range gain.Rows {
		for j := range gain.Cols {
			gain.Set(i, j, -scenes.Angle(shape.Row(i), like.Row(j)))
		}
	}
	matched := 0.0
	for i, j := range metrics.Assignment(gain) {
		m := answer.MaterialMatch{Truth: a.names[i]}
		if j >= 0 {
			square := la.SquaredDistance(truth.Row(i), found.Row(j)) / float64(truth.Cols)
			m = answer.MaterialMatch{Truth: a.names[i], Found: b.names[j], MRSA: -gain.At(i, j) / 1.8,
				Angle: scenes.Angle(truth.Row(i), found.Row(j)), RMSE: math.Sqrt(square)}
			matched++
			e.MRSA, e.Angle, e.RMSE = e.MRSA+m.MRSA, e.Angle+m.Angle, e.RMSE+square
		}
		e.Matches = append(e.Matches, m)
	}
	e.MRSA, e.Angle, e.RMSE = e.MRSA/matched, e.Angle/matched, math.Sqrt(e.RMSE/matched)
	return e
}

// lessMeans returns the rows of m less the means of their entries.
func lessMeans(m *softkmeans.Matrix) *softkmeans.Matrix {
	m = m.Clone()
	for i := range m.Rows {
		mean := la.Sum(m.Row(i)) / float64(m.Cols)
		for j := range m.Row(i) {
			m.Row(i)[j] -= mean
		}
	}
	return m
}
