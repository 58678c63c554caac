package answer

// The parts of an answer in words, in the order in which every renderer shows them.

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// Section is a part of an answer: a title, a table, and lines below it, each of which may be empty.
type Section struct {
	ID     string // of a place where a page has pictures
	Title  string
	Table  *Table
	Lines  []string
	Detail bool // for those who ask
}

func (s *Section) empty() bool { return s.Title == "" && s.Table == nil && len(s.Lines) == 0 }

// Table is a table of texts. All rows are as long as the head, whose first column names the rows.
type Table struct {
	Head []string
	Rows [][]string
}

// mostWord is how many characters of a name are shown.
const mostWord = 40

func word(s string) string { return table.Short(s, mostWord) }

// Sections returns what was read, warnings, the answer in a sentence, clusters and prototypes, rows that tell
// most, quality, and details.
func (a *Answer) Sections() []Section {
	if a.Brief && len(a.Notes)+len(a.Warnings)+len(a.Quality) == 0 {
		return nil
	}
	read := sentences(a.Notes)
	if a.About != "" && !(a.Brief && len(read)+len(a.Quality) == 0) {
		read = append([]string{a.About + "."}, read...)
	}
	all := []Section{{ID: "read", Lines: read}, {ID: "warnings"}, {ID: "sentence"}}
	for _, w := range a.Warnings {
		all[1].Lines = append(all[1].Lines, "Warning: "+w)
	}
	if a.Sentence != "" {
		all[2].Lines = append(all[2].Lines, a.Sentence)
	}
	if a.Choice != nil {
		all[2].Lines = append(all[2].Lines, a.Choice.Sentence())
	}
	switch {
	case a.Models != nil:
		all = append(all, a.models()...)
	case a.Floors != nil:
		if all = append(all, a.floors()); a.Choice.Criteria != nil {
			all = append(all, Section{Title: "Criteria for k", Lines: a.Choice.Criteria})
		}
	case a.Scene != nil || a.Known != nil && !a.Brief:
		all = append(all, a.shares())
	case a.Known != nil:
	case a.clustered():
		all = append(all, a.clusters(), a.prototypes(), a.rows())
	case len(a.Prototypes) > 0:
		all = append(all, a.prototypes(), a.rows())
	}
	all = append(all, Section{ID: "quality", Lines: a.Quality, Detail: a.Undetermined})
	all = append(all, a.bootstrap()...)
	all = append(all, a.details()...)
	if a.Next != "" {
		all = append(all, Section{ID: "next", Lines: []string{a.Next}})
	}
	return all
}

func sentences(notes []string) (lines []string) {
	for _, note := range notes {
		lines = append(lines, Capital(strings.TrimSuffix(note, "."))+".")
	}
	return lines
}

// Capital returns s with a capital first letter.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// clusters has the means of clusters.
func (a *Answer) clusters() Section {
	t := &Table{Head: []string{"cluster", "rows", "probability"}}
	var means [][]float64
	var last []string
	for _, c := range a.Clusters {
		t.Rows = append(t.Rows, []string{word(c.Name), strconv.Itoa(c.Rows), rounded(c.Probability)})
		means, last = append(means, c.Mean), append(last, differs(c.Columns, a.mostDiffers()))
	}
	title := "Cluster means"
	if v := a.BetweenClusters; v != nil && (!a.Undetermined || a.Filled) { // else the sentence says it
		title += " explain " + view.Percent(*v) + " of the variance"
	}
	if a.Filled {
		title += " (missing values are filled in by mixtures)"
	}
	s := Section{ID: "clusters", Table: t, Title: strings.TrimSpace(title + ". \"probability\": the mean probability that " +
		"its rows belong to it. " + differsIn + " " + a.units())}
	s.Lines = a.addValues(t, means, "differs most in", last)
	return s
}

// clustered reports whether clusters lead: they are the labels.
func (a *Answer) clustered() bool { return a.LabelBy == "cluster" && len(a.Clusters) > 1 }

const pureHead = "purest rows (membership)"

// differsIn explains a column of differences.
const differsIn = "\"differs most in\": columns that set it apart, in standard deviations from the mean of all rows."

// leads reports whether prototypes take the place of clusters.
func (a *Answer) leads() bool { return !a.clustered() && a.Centers != nil && a.K > 1 }

// named reports whether prototypes say what sets them apart: they lead, or columns are words, whose names tell more
// than their values.
func (a *Answer) named() bool { return a.leads() || a.words() && a.K > 1 }

func (a *Answer) words() bool { return a.Scale == scale.Words.String() }

// units says in which units a table shows values; "" for words, of which it shows none.
func (a *Answer) units() string {
	if a.words() {
		return ""
	}
	return a.Units
}

// prototypes has the prototypes, with their purest rows if clusters lead.
func (a *Answer) prototypes() Section {
	t := &Table{Head: []string{"prototype", "membership"}}
	alike := a.Method == "tilsd" // all have a mean membership of 1/k
	if a.Kernel != "" {
		t.Head[0] = "cluster"
	}
	if alike {
		t.Head = t.Head[:1]
	}
	head, rows, counted := pureHead, "", !a.clustered()
	if counted {
		t.Head, rows = append(t.Head, "rows"), "\"rows\": rows with their largest membership in it. "
	}
	if a.named() {
		head = "differs most in"
	} else if a.K == 1 || a.purestApart() {
		head = ""
	}
	var last []string
	for j, p := range a.Prototypes {
		row := []string{word(p.Name)}
		if !alike {
			row = append(row, view.Percent(p.Membership))
		}
		if counted {
			row = append(row, strconv.Itoa(a.Sizes[j]))
		}
		switch t.Rows = append(t.Rows, row); {
		case head == "":
			last = append(last, "")
		case a.named():
			last = append(last, differs(p.Columns, a.mostDiffers()))
		default:
			last = append(last, purest(p.Purest))
		}
	}
	s := Section{ID: "prototypes", Table: t, Title: "Prototypes: each row is a mixture of these extremes. " +
		"\"membership\": the mean over all rows. " + rows, Detail: a.Undetermined && !counted}
	switch {
	case a.Kernel != "":
		s.ID, s.Title = "clusters", "Clusters: each row is a mixture of them. \"membership\": the mean over all rows. "
		if alike && a.K > 1 {
			s.Title = "Clusters: each row is a mixture of them. By construction memberships average 1/" + strconv.Itoa(a.K) +
				" in each: " + rounded(a.largest()) + " is as pure as rows get. "
		}
	case a.K == 1:
		s.Title = "The prototype. "
	}
	if a.named() && counted {
		s.Title += differsIn + " "
	}
	if counted {
		s.Title += a.units() + " "
	}
	s.Title = strings.TrimSpace(s.Title + a.Where)
	s.Lines = a.addValues(t, a.Centers, head, last)
	return s
}

// addValues adds columns of values to a table, as many as a line has room for, and a last column of texts. It
// returns a note about columns that are left out.
func (a *Answer) addValues(t *Table, values [][]float64, head string, last []string) (notes []string) {
	at := len(t.Head)
	if head != "" {
		t.Head = append(t.Head, head)
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], last[i])
		}
	}
	room := cmp.Or(a.Room, LineWidth) - t.Width()
	if a.words() {
		room = 0
	}
	var shown []int
	cells := map[int][]string{}
	for n, j := range a.Shown {
		c := decimals(values, j, 3)
		width := utf8.RuneCountInString(a.column(j))
		for _, cell := range c {
			width = max(width, utf8.RuneCountInString(cell))
		}
		if room -= 2 + width; room < 0 && (n > 0 || a.words()) {
			break
		}
		shown, cells[j] = append(shown, j), c
	}
	slices.Sort(shown)
	for n, j := range shown {
		t.Head = slices.Insert(t.Head, at+n, a.column(j))
		for i := range t.Rows {
			t.Rows[i] = slices.Insert(t.Rows[i], at+n, cells[j][i])
		}
	}
	if n := len(a.Columns); len(shown) < n && len(shown) > 0 {
		notes = []string{strconv.Itoa(len(shown)) + " of " + view.Count(n, "column") +
			table.Plural(len(shown), " is", " are") + " shown."}
	}
	return notes
}

// column is the name of column j over values.
func (a *Answer) column(j int) string { return table.Short(a.Columns[j], 16) }

// decimals writes column j with so many digits of its largest value.
func decimals(rows [][]float64, j, digits int) (cells []string) {
	top := 0.0
	for _, row := range rows {
		top = max(top, math.Abs(row[j]))
	}
	format, precision := byte('f'), digits-1
	if top > 0 {
		exponent := int(math.Floor(math.Log10(top)))
		precision = max(digits-1-exponent, 0)
		if exponent < -4 || exponent > 8 {
			format, precision = 'e', digits-1
		}
	}
	for _, row := range rows {
		cell := strconv.FormatFloat(row[j], format, precision, 64)
		if strings.Trim(cell, "-0.") == "" {
			cell = strings.TrimPrefix(cell, "-")
		}
		cells = append(cells, cell)
	}
	return cells
}

// mostDiffers is how many characters the differences of a cluster take beside its values: more if there are many
// columns, of which few values are shown, as of words.
func (a *Answer) mostDiffers() int {
	switch {
	case a.words():
		return 64
	case len(a.Columns) > MostShown && a.K <= 3:
		return 44
	}
	return 32
}

// differs writes the largest differences, in at most most characters.
func differs(list []Difference, most int) (text string) {
	for i, d := range list {
		add := table.Short(d.Name, mostWord) + " " + view.Signed(d.Value)
		if d.Around > 0 {
			add = "near " + table.Short(d.Name, mostWord) + ": " + view.Signed(d.Value)
		}
		if i > 0 {
			add = ", " + add
		}
		if i > 0 && utf8.RuneCountInString(text+add) > most {
			break
		}
		text += add
	}
	if text == "" {
		return "about the mean"
	}
	return text
}

// purest writes rows with their memberships.
func purest(rows []Row) string {
	var words []string
	for _, r := range rows {
		words = append(words, r.name()+" ("+rounded(r.Memberships[0])+")")
	}
	return strings.Join(words, ", ")
}

// name is the id of a row, or its number.
func (r *Row) name() string {
	if number := strconv.Itoa(r.Row); r.ID == "row "+number {
		return number
	}
	return word(r.ID)
}

func rounded(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// mostPurest is how many characters the purest rows of a prototype take beside its values.
const mostPurest = 40

// largest returns the largest membership.
func (a *Answer) largest() (most float64) {
	for _, p := range a.Prototypes {
		for _, r := range p.Purest {
			most = max(most, r.Memberships[0])
		}
	}
	return most
}

// purestApart reports whether the purest rows have a table of their own: prototypes lead, or the names are long.
func (a *Answer) purestApart() bool {
	return a.named() || a.K > 1 && a.Centers != nil && slices.ContainsFunc(a.Prototypes, func(p Prototype) bool {
		return utf8.RuneCountInString(purest(p.Purest)) > mostPurest
	})
}

// rows has the purest rows if prototypes lead or names are long, and the rows between two.
func (a *Answer) rows() Section {
	s := Section{ID: "rows"}
	if a.purestApart() {
		s.Table = &Table{Head: []string{"prototype", pureHead}}
		for _, p := range a.Prototypes {
			s.Table.Rows = append(s.Table.Rows, []string{word(p.Name), purest(p.Purest)})
		}
	}
	equal, of := a.Certificate != nil && !(a.Certificate.Total > 0), " of "+view.Count(a.Rows, "row")
	if a.leads() && a.Moved > 0 {
		s.Lines = append(s.Lines, "The label of a row is its largest membership. Output files also contain "+
			"clusters around means, which differ for "+strconv.Itoa(a.Moved)+of+".")
	}
	if equal || a.leads() || a.Undetermined {
		return s
	}
	if a.Mixed > 0 && !(a.LabelBy == "cluster" && a.Kernel != "") {
		var words []string
		for _, r := range a.Between {
			words = append(words, r.name()+" ("+word(r.Prototypes[0])+", "+word(r.Prototypes[1])+")")
		}
		if len(words) < a.Mixed {
			words = append(words, "…")
		}
		s.Lines = append(s.Lines, strconv.Itoa(a.Mixed)+of+table.Plural(a.Mixed, " has", " have")+" two memberships of 0.4 or "+
			"more: "+strings.Replace(strings.Join(words, ", ")+".", "….", "…", 1))
	}
	moved := strconv.Itoa(a.Moved) + of
	switch {
	case a.LabelBy != "cluster" || a.Moved == 0:
	case a.Kernel != "":
		s.Lines = append(s.Lines, "In "+moved+" the label is not the cluster of the largest membership.")
	default:
		s.Lines = append(s.Lines, "Clusters group rows; prototypes tell how much of each is in a row. Cluster 0 goes with "+
			word(a.Prototypes[0].Name)+", and so on, but "+moved+table.Plural(a.Moved, " has its", " have their")+
			" largest membership in another prototype.")
	}
	return s
}

// bootstrap says how sure the fit is.
func (a *Answer) bootstrap() []Section {
	b := a.Bootstrap
	if b == nil {
		return nil
	}
	values := Section{ID: "bootstrap", Title: "Uncertainty by " + strconv.Itoa(b.Draws) + " fits of rows drawn with " +
		"replacement. The table contains half the widths (±) of 95 % intervals for the result of the same fit of very many such rows. The prototypes that generated the rows may lie farther out."}
	if b.Status != "converged" {
		values.Title += " Some of these fits ended at the limit of iterations."
	}
	half := make([][]float64, len(b.Lower))
	shares := &Table{Head: []string{"prototype", "membership", "95 % interval"}}
	for i, low := range b.Lower {
		for j, v := range low {
			half[i] = append(half[i], (b.Upper[i][j]-v)/2)
		}
		shares.Rows = append(shares.Rows, []string{word(a.Prototypes[i].Name), percent2(b.Shares[i]),
			percent2(b.ShareLower[i]) + " to " + percent2(b.ShareUpper[i])})
	}
	values.Table, values.Lines = a.allValues(a.names(), half)
	last := Section{Table: shares, Lines: []string{"A row has the model's label in " + percent2(b.Stability) +
		" of these fits, on average."}}
	var words []string
	for _, row := range b.LeastStable {
		name := "row " + strconv.Itoa(row.Row)
		if row.ID != "" {
			name = word(row.ID)
		}
		words = append(words, name+" ("+strconv.FormatFloat(100*row.Stable, 'f', 0, 64)+" %)")
	}
	if words != nil {
		last.Lines = append(last.Lines, "Least stable: "+strings.Join(words, ", ")+".")
	}
	return []Section{values, last}
}

// names are those of the prototypes.
func (a *Answer) names() (names []string) {
	for _, p := range a.Prototypes {
		names = append(names, p.Name)
	}
	return names
}

func percent2(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) + " %" }

// allValues has values with six digits in rows with these names, of many columns those that are shown.
func (a *Answer) allValues(names []string, values [][]float64) (t *Table, notes []string) {
	shown := slices.Sorted(slices.Values(a.Shown))
	t = &Table{Head: []string{""}}
	for i := range values {
		t.Rows = append(t.Rows, []string{word(names[i])})
	}
	for _, j := range shown {
		t.Head = append(t.Head, table.Short(a.Columns[j], table.MostName))
		for i, cell := range decimals(values, j, 6) {
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	if n := len(a.Columns); len(shown) < n {
		notes = []string{"These are the " + strconv.Itoa(len(shown)) + " of " + strconv.Itoa(n) +
			" columns that tell most."}
		if a.Room == 0 { // pages have no flags
			notes[0] += " -json has all."
		}
	}
	return t, notes
}

// details are the numbers in full, other answers, and how the answer was found.
func (a *Answer) details() (all []Section) {
	add := func(id, title string, t *Table, lines ...string) {
		all = append(all, Section{ID: id, Title: title, Table: t, Lines: lines, Detail: true})
	}
	if a.Choice != nil && a.Choice.Criteria != nil && a.Floors == nil {
		add("criteria", "Criteria for k", nil, a.Choice.Criteria...)
	}
	if c := a.Certificate; c != nil {
		add("certificate", "Squared error, and how it compares with the floor", c.table(a.K))
		all[len(all)-1].Detail = a.Prototypes != nil
	}
	if a.Shown != nil {
		t, notes := a.allValues(a.names(), a.Centers)
		add("values", "Prototypes, in more digits", t, notes...)
	}
	if a.clustered() && a.Shown != nil {
		var names []string
		var means [][]float64
		for _, c := range a.Clusters {
			names, means = append(names, c.Name), append(means, c.Mean)
		}
		t, _ := a.allValues(names, means)
		add("means", "Means of clusters, in more digits", t)
	}
	for _, o := range a.Others {
		if a.Shown == nil { // materials: their warning tells how far the spectra move
			break
		}
		slack := "half the slack"
		if o.Factor > 1 {
			slack = "twice the slack"
		}
		what := "labels"
		if a.LabelBy == "largest" {
			what = "memberships"
		}
		t, _ := a.allValues(a.names(), o.Centers)
		add("other", "Another answer, from half of the rows with "+slack+": it changes "+view.Percent(o.Moved)+" of the "+what, t)
	}
	add("how", "", nil, slices.Concat(a.How, a.Proofs)...)
	return all
}
