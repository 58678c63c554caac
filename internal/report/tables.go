package report

// The tables of the page.

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/scale"
	"softkmeans/internal/view"
)

// grid is a table with a header at the top and names on the left.
type grid struct {
	Caption string
	Corner  string // the header of the first column
	Head    []string
	Rows    []gridRow
	Note    string
}

type gridRow struct {
	Name  string
	Cells []cell
}

type cell struct {
	Text string
	Most bool // emphasized: the largest of its row, or the row of k
}

func (g *grid) add(name string, texts ...string) {
	row := gridRow{Name: name}
	for _, text := range texts {
		row.Cells = append(row.Cells, cell{Text: text})
	}
	g.Rows = append(g.Rows, row)
}

// methodRow is a row of the table of the three methods.
type methodRow struct {
	Name, What                        string
	Objective, Above, Explained       string
	Certified                         bool
	Least, Accuracy, Information, How string
}

func (b *builder) methodRows() (rows []methodRow) {
	what := [3]string{"closed form, encloses the data",
		"iterative, without a penalty on the volume", "compact, at a larger error"}
	for i, f := range b.fits() {
		c := f.Certificate
		r := methodRow{Name: methods[i].String(), What: what[i],
			Objective: view.Number(c.Objective), Above: view.Above(c),
			Explained: view.Share(c, 1-c.Objective/c.Total), Certified: c.Optimal(view.CertifiedTol),
			Least: least(c.MinMembership), How: view.How(f.Model, f.Compact)}
		if methods[i] == view.MinVolume && r.Certified {
			r.What = "compact, at the same error"
		}
		if len(b.classes) > 0 {
			r.Accuracy, r.Information = view.Percent(f.accuracy),
				strconv.FormatFloat(f.information, 'f', 3, 64)
		}
		rows = append(rows, r)
	}
	return rows
}

// least writes the least membership, and what is below 1e-12 as 0: it is rounding.
func least(v float64) string {
	if math.Abs(v) < 1e-12 {
		return "0"
	}
	return view.Small(v)
}

const (
	mostCells   = 6000 // cells of a table of spectra
	mostClasses = 40   // rows of the table of classes
	// mostAside is the number of prototypes side by side in a table: more take several
	// tables, so that each fits a printed page.
	mostAside = 10
	// mostListed is the number of columns up to which the table of centers has all.
	mostListed = 24
)

// parts cuts a table with many columns into several, one under the other.
func (g grid) parts() (all []grid) {
	for from := 0; from == 0 || from < len(g.Head); {
		to := min(from+mostAside, len(g.Head))
		if len(g.Head)-to <= 2 {
			to = len(g.Head)
		}
		part := grid{Corner: g.Corner, Head: g.Head[from:to], Caption: g.Caption, Note: g.Note}
		if from > 0 {
			part.Caption, part.Note = g.Caption+", "+g.Head[from]+" to "+g.Head[to-1], ""
		}
		for _, r := range g.Rows {
			part.Rows = append(part.Rows, gridRow{r.Name, r.Cells[from:to]})
		}
		all = append(all, part)
		from = max(to, 1)
	}
	return all
}

func (b *builder) original(rows []float64) []float64 {
	rows = slices.Clone(rows)
	b.Scaling.Undo(rows)
	return rows
}

// centersTable has the centers and the mean in the units of the table; of pictures it has nothing, because they
// are shown.
func (b *builder) centersTable() grid {
	m := b.MinVolume.Model.Centers
	if b.Image.Rows > 0 && m.Cols > mostListed {
		return grid{}
	}
	return b.inColumns("Compact prototypes", m)
}

// meansTable has the means of the clusters, with their weights in the head. There is none without clusters, of
// pictures, and if the means are the prototypes.
func (b *builder) meansTable() grid {
	m := b.MinVolume.Model
	if m.ClusterWeights == nil || b.Image.Rows > 0 && m.Centers.Cols > mostListed ||
		slices.Equal(m.ClusterMeans.Data, m.Centers.Data) {
		return grid{}
	}
	g := b.inColumns("Means of clusters", m.ClusterMeans)
	for j, w := range m.ClusterWeights {
		g.Head[j] += ", " + view.Percent(w)
	}
	g.Note = strings.TrimSpace("The shares are of all weight. " + g.Note)
	return g
}

// inColumns has a row a column with the values of the rows of m, as many as prototypes, and the mean of all rows,
// in the units of the table. Of many columns it has the most telling ones, or evenly spaced ones if they have an
// order.
func (b *builder) inColumns(what string, m *softkmeans.Matrix) grid {
	g := grid{Caption: what + " in the table's own units", Corner: "column",
		Head: append(slices.Clone(b.names), "mean")}
	if scale.KindOf(b.Scaling) == scale.Counts {
		g.Caption = what + " as shares of a row's sum"
	}
	columns := b.Even(mostListed)
	if m.Cols > mostListed {
		g.Note = strconv.Itoa(len(columns)) + " of " + strconv.Itoa(m.Cols) + " columns, evenly spaced"
		if !b.Ordered(m) {
			columns = b.Telling(m, view.MostColumns)
			g.Note = "The " + strconv.Itoa(len(columns)) + " most telling of " + strconv.Itoa(m.Cols) +
				" columns. " + view.Grouped(b.k)
		}
		g.Note += ". The command fit writes all columns."
	}
	centers, mean := b.shown(m), b.original(b.Columns.Mean)
	values := make([]float64, b.k+1)
	for _, j := range columns {
		for i := range b.k {
			values[i] = centers.At(i, j)
		}
		values[b.k] = mean[j]
		g.add(b.columns[j], decimals(values)...)
	}
	return g
}

// decimals writes values with the same number of decimals, so that the largest has four digits.
func decimals(values []float64) []string {
	top := 0.0
	for _, v := range values {
		if view.Finite(v) {
			top = max(top, math.Abs(v))
		}
	}
	format, precision := byte('f'), 2
	if top > 0 {
		exponent := int(math.Floor(math.Log10(top)))
		precision = max(3-exponent, 0)
		if exponent < -4 || exponent > 8 {
			format, precision = 'e', 3
		}
	}
	var cells []string
	for _, v := range values {
		s := "out of range"
		if view.Finite(v) {
			s = strconv.FormatFloat(v, format, precision, 64)
			if strings.Trim(s, "-0.") == "" {
				s = strings.TrimPrefix(s, "-")
			}
			s = strings.ReplaceAll(s, "-", "−")
		}
		cells = append(cells, s)
	}
	return cells
}

// mostApart is the largest number of columns that are named for a prototype.
const mostApart = 4

// apart names the columns in which each compact prototype is farthest from the mean.
func (b *builder) apart() grid {
	g := grid{Caption: "What sets each apart", Corner: "prototype", Note: "The compact prototypes' largest " +
		"differences from the mean, in standard deviations of the rows."}
	g.Head = []string{"first", "second", "third", "fourth"}[:min(mostApart, len(b.columns))]
	for p, name := range b.names {
		texts := slices.Repeat([]string{"–"}, len(g.Head))
		for i, d := range b.Apart(b.MinVolume.Model.Centers.Row(p), len(g.Head)) {
			texts[i] = b.columns[d.Column] + " " + view.Signed(d.Value)
		}
		g.add(name, texts...)
	}
	return g
}

// sizes is the table of the rows and the membership of each label. by explains the labels; "": nothing does.
func (t *Tally) sizes(names []string, by string) grid {
	g := grid{Caption: "Rows by label", Corner: "prototype",
		Head: []string{"rows", "of all rows", "of all membership", "largest membership", "nearly pure"},
		Note: "Nearly pure: a membership of 90 % or more."}
	if by != "" {
		g.Note = by + " " + g.Note
	}
	n := float64(t.rows)
	for j, name := range names {
		g.add(name, strconv.Itoa(t.size[j]), view.Percent(float64(t.size[j])/n), view.Percent(t.share[j]/n),
			view.Percent(t.largest[j]), strconv.Itoa(t.pure[j]))
	}
	return g
}

// confusion is the table of the rows of every class by label.
func (t *Tally) confusion(classes, names []string) grid {
	if len(classes) == 0 {
		return grid{}
	}
	k := len(names)
	g := grid{Caption: "Classes and clusters: rows by class and by label", Corner: "class",
		Head: append(slices.Clone(names), "all")}
	counts := make([][]int, len(classes))
	all, shown := make([]int, len(classes)), la.Indices(len(classes))
	for c := range shown {
		counts[c] = make([]int, k)
		if c < len(t.classes) {
			counts[c] = t.classes[c]
		}
		for _, n := range counts[c] {
			all[c] += n
		}
	}
	if len(shown) > mostClasses {
		slices.SortStableFunc(shown, func(x, y int) int { return cmp.Compare(all[y], all[x]) })
		shown = shown[:mostClasses]
		g.Note = "The " + strconv.Itoa(mostClasses) + " largest of " +
			strconv.Itoa(len(classes)) + " classes."
	}
	for _, c := range shown {
		row, most := gridRow{Name: classes[c]}, slices.Index(counts[c], slices.Max(counts[c]))
		for j, n := range counts[c] {
			row.Cells = append(row.Cells, cell{strconv.Itoa(n), j == most})
		}
		g.Rows = append(g.Rows, gridRow{row.Name, append(row.Cells, cell{Text: strconv.Itoa(all[c])})})
	}
	return g
}

// steps has the share of the variance that each further prototype adds at best.
func (b *builder) steps() grid {
	p := b.Input.Proposal
	if len(p.Step) == 0 {
		return grid{}
	}
	g := grid{Caption: "What each prototype can add at best", Corner: "k",
		Head: []string{"explained at best", "added", "by chance"}}
	for k := 1; k <= min(len(p.Explained), max(8, min(b.k+2, 25))); k++ {
		added, chance := "–", "–"
		if k >= 2 && k-2 < len(p.Step) {
			added, chance = view.Percent(p.Step[k-2]), view.Percent(p.Stick[k-2])
		}
		g.Rows = append(g.Rows, gridRow{strconv.Itoa(k),
			[]cell{{Text: view.Percent(p.Explained[k-1])}, {Text: added, Most: k == b.k}, {Text: chance}}})
	}
	return g
}
