// Package report writes one HTML page about the fits of a table: what is proved, a
// comparison of the three methods, and pictures. The page needs no script, no
// network and no other file. The same input gives the same bytes.
package report

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"iter"
	"strings"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/answer"
	"softkmeans/internal/chart"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/metrics"
)

// Input is the content of a page. [Input.Fit] computes its fits.
type Input struct {
	Table    *table.Table       // the names and classes; the numbers are those of X
	X        *softkmeans.Matrix // the rows that are fitted, or some of them, for the pictures
	Scaling  *scale.Scaling     // from the table to X; nil: none
	Weights  []float64          // nil: all 1
	Sizes    []float64          // the sums of rows of counts, by which Scaling closed them; nil: none
	Blocks   bool               // the table was read in blocks
	Mixtures bool               // rows are mixtures: their labels are the largest memberships

	// Of all rows that are fitted.
	Floors   []float64 // for k = 1, 2, …
	Proposal choosek.Proposal
	Choice   *choosek.Choice // by the data, where no K is given; nil: not
	Plane    view.Plane
	Moments  view.Moments
	Tally    *Tally       // by MinVolume
	Clusters []int        // of the rows by MinVolume; nil: the labels
	Pure     []answer.Few // rows with the largest memberships in each prototype of it
	Between  answer.Few   // rows with about the same membership in two

	// The fits have the same number of centers, matched to those of MinVolume. Alternating
	// may have no Model: the page is then of the others.
	MinVolume, Global, Alternating Fit

	Slack   float64 // of MinVolume
	Bounds  string  // of MinVolume and Alternating, as in "kept at 0 or above"; "": none
	Image   Image   // the pixels of a row that is a picture
	Command string  // the command line that made the page
	Version string
	Seed    uint64
}

// Image says how a row is a picture. Without Rows it is none.
type Image struct {
	Rows, Cols int
	Transpose  bool // pixels are column after column
	Invert     bool // large values are drawn light where they would be dark, and dark where light
}

// Fit is a model with the memberships of X, and its certificate.
type Fit struct {
	Model       *softkmeans.Model
	Certificate softkmeans.Certificate
	view.Compact
	Errors  []float64 // the squared error after every iteration; nil: not recorded
	Sampled bool      // Model was found on a sample of the rows, and corrected by all

	accuracy, information float64 // see Compare
}

// Compare compares the labels of all rows with their classes.
func (f *Fit) Compare(class, labels []int) (err error) {
	if f.accuracy, err = metrics.Accuracy(class, labels); err != nil {
		return err
	}
	f.information, err = metrics.NMI(class, labels)
	return err
}

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"nbsp": func(s string) string { return strings.ReplaceAll(s, " %", "\u00a0%") },
}).Parse(pageText))

// HTML returns the page.
func (in *Input) HTML() ([]byte, error) {
	k := in.K()
	for _, f := range in.fits() {
		m := f.Model
		if m.Centers.Rows != k || m.Centers.Cols != in.X.Cols || m.Memberships == nil ||
			m.Memberships.Rows != in.X.Rows || m.Memberships.Cols != k {
			return nil, errors.New("report: the models are not of one table and one number of centers, " +
				"with memberships")
		}
	}
	if in.Table.Rows != in.X.Rows || len(in.Table.Names) != in.X.Cols || in.Image.Rows*in.Image.Cols != 0 &&
		in.Image.Rows*in.Image.Cols != in.X.Cols {
		return nil, errors.New("report: the matrix is not of the table, or the pictures are not of " +
			"its columns")
	}
	b := &builder{Input: in, k: k, names: view.Names(k)}
	b.columns = make([]string, len(in.Table.Names))
	for j, name := range in.Table.Names {
		if b.columns[j] = short(table.Printable(name)); b.columns[j] == "" {
			b.columns[j] = table.Column(j)
		}
	}
	b.Columns = &view.Columns{Names: b.columns, Axis: view.NewAxis(b.columns), Moments: in.Moments}
	b.classes = classNames(in.Table)
	var out bytes.Buffer
	err := page.Execute(&out, b.content())
	return out.Bytes(), err
}

// K is the number of prototypes of the fits.
func (in *Input) K() int { return in.MinVolume.Model.Centers.Rows }

// fits are the fits that there are, by the place of their method in methods.
func (in *Input) fits() iter.Seq2[int, *Fit] {
	return func(yield func(int, *Fit) bool) {
		for i := range methods {
			if f := in.fit(i); f.Model != nil && !yield(i, f) {
				return
			}
		}
	}
}

func (in *Input) sampled() bool { return in.Tally.rows > in.X.Rows }

func (in *Input) fit(i int) *Fit { return [...]*Fit{&in.Global, &in.Alternating, &in.MinVolume}[i] }

// methods are in the order in which they are shown.
var methods = [...]view.Method{view.Global, view.Alternating, view.MinVolume}

// builder is an input and the names that are shown.
type builder struct {
	*Input
	k       int
	names   []string // of the prototypes
	columns []string // their names, shortened and on one line
	classes []string // their names, shortened and on one line
	*view.Columns
}

// content is the data of the templates of all pages.
type content struct {
	Title, Answer, About     string
	Left                     []string // what was left out
	Style                    template.CSS
	ByClass                  bool // there are classes to color by
	Proved                   bool
	Method, Verdict, Meaning string // of the result, or of the global solution
	Errors                   grid
	Warnings                 []string
	Reading                  []string // what was taken for what
	Panels                   []picture
	Wide                     bool // a table takes the width of the page
	Sizes, Confusion         []grid
	Pure, Between            grid
	Proposal                 string
	Curves                   []picture
	Steps                    grid
	Made                     []string
	Command, Version         string

	// Of a table.
	Dominant                string // about a column with nearly all of the variance
	CompactProved           bool
	Compact, CompactMeaning string // of the minimal volume
	Bounds                  string
	Methods                 []methodRow
	PlaneNote               string
	Memberships, Centers    []picture
	CentersTable, Means     []grid
	Ternary                 bool // there are three pictures of memberships, not two
	Three                   bool // there are three methods, not two
	Apart                   grid
	SecondOpinions          string
	Trace                   []picture
	TraceNotes              []string

	// Of an image.
	Views, Materials []mapPicture
	MapNote          string
	Spectra          template.HTML
	SpectraTable     grid

	// Of similarities.
	Matrices   []mapPicture
	MatrixNote string
	Blocks     []grid
}

func (b *builder) content() *content {
	c := &content{
		Title: titleOf(b.Table.Source), About: b.about(), Dominant: b.dominant(), Answer: b.Answer(),
		Style:   template.CSS(chart.Style + styleText),
		ByClass: len(b.classes) > 0, Reading: readingOf(b.Table.Notes),
		Made: b.made(), Command: b.Command, Version: b.Version,
	}
	g := b.verdict(0)
	c.Proved = g.Certificate.Optimal(view.CertifiedTol)
	c.Verdict, c.Meaning = g.Head(), meaning(g, &b.Global.Compact)
	mv := b.verdict(2)
	c.CompactProved = mv.Certificate.Optimal(view.CertifiedTol)
	c.Compact, c.CompactMeaning = mv.Head(), meaning(mv, &b.MinVolume.Compact)
	c.Bounds = b.bounds()
	c.Methods = b.methodRows()
	c.Warnings = b.warnings()
	c.Panels, c.PlaneNote = b.panels()
	c.Memberships = b.memberships()
	c.Centers = b.centers()
	c.CentersTable, c.Means = b.centersTable().parts(), b.meansTable().parts()
	c.Wide, c.Ternary, c.Three = b.k > 6, b.k == 3, b.Alternating.Model != nil
	c.Sizes, c.Confusion = b.Tally.sizes(b.names, view.LabelBy(b.Mixtures)).parts(), b.Tally.confusion(b.classes, b.names).parts()
	c.Apart, c.Pure, c.Between = b.apart(), pureOf(b.Pure, b.names), betweenOf(b.Between)
	c.Proposal, c.SecondOpinions = b.proposal(), b.secondOpinions()
	c.Curves, c.Steps = b.curves(), b.steps()
	c.Trace, c.TraceNotes = b.trace(), b.traceNotes()
	return c
}

// verdict is the quality of fit i.
func (in *Input) verdict(i int) *answer.Quality {
	return &answer.Quality{Certificate: in.fit(i).Certificate, K: in.K(), Tol: view.CertifiedTol,
		Trivial: in.K() > min(in.Tally.rows-1, in.X.Cols), Why: answer.Why(methods[i])}
}

// meaning says what the quality is, and what is proved of how compact the prototypes are.
func meaning(q *answer.Quality, c *view.Compact) string {
	lines := q.Sentences()
	if q.K > 1 {
		lines = append(lines, answer.Proofs(c)...)
	}
	return strings.Join(lines, " ")
}
