package report

// The sentences of the page.

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"softkmeans/internal/answer"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// titleOf is the name of a file without its folder.
func titleOf(source string) string {
	name := table.Printable(source)
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if name == "" || name == "<stdin>" {
		return "Standard input"
	}
	return name
}

// about says what was read, and how it was scaled.
func (b *builder) about() string {
	s := view.Count(b.Tally.rows, "row") + ", " + view.Count(b.X.Cols, "column")
	switch {
	case b.Table.LabelColumn > 0 && !b.Table.LabelFirst:
		s += "; " + view.Classes(len(b.classes)) + " in column " + strconv.Itoa(b.Table.LabelColumn) + " (" +
			short(table.Printable(b.Table.LabelName)) + "), which is not fitted"
	case len(b.classes) > 0:
		s += "; " + view.Classes(len(b.classes))
	}
	switch scale.KindOf(b.Scaling) {
	case scale.ZScore:
		s += "; every column scaled to mean 0 and variance 1"
	case scale.Counts:
		s += "; rows of counts scaled to sums of 1, and columns by the roots of their means"
	case scale.Sums:
		s += "; rows divided by their sums"
	case scale.Words:
		s += "; counts n scaled to log(1+n), columns by how few rows have them, and rows to length 1"
	case scale.MinMax:
		s += "; every column scaled to 0 to 1"
	default:
		s += "; columns as they are, without scaling"
	}
	for j, constant := range b.Constant {
		if k := scale.KindOf(b.Scaling); k != scale.None && !b.Scaling.Closes() && constant && b.Mean[j] == 0 {
			s += ", except constant ones, which are 0"
			break
		}
	}
	if b.Weights != nil && (b.Table.WeightsColumn > 0 || !b.Scaling.Closes()) {
		s += "; rows have weights"
	}
	if b.sampled() {
		s += "; pictures show " + strconv.Itoa(b.X.Rows) + " of the rows, evenly drawn"
	}
	return s + "."
}

// decides is the share of the variance from which a column is called dominant.
const decides = .8

// longest is the number of characters of a name that are shown.
const longest = 60

func short(name string) string {
	if r := []rune(name); len(r) > longest {
		return strings.TrimRight(string(r[:longest-1]), " ") + "…"
	}
	return name
}

func classNames(t *table.Table) (names []string) {
	for _, name := range t.Classes {
		if name = short(table.Printable(name)); name == "" {
			name = "(empty)"
		}
		names = append(names, name)
	}
	return names
}

// bounds is the floor, which holds for all three methods.
func (b *builder) bounds() string {
	c := b.Global.Certificate
	s := "The proven floor is " + view.Number(c.Floor) + ", of a total variance of " + view.Number(c.Total)
	if view.HasTotal(c) {
		s += ": at best " + explained(c.Floor, c.Total) + " of it can be explained"
	}
	return s + "."
}

// dominant names a column with nearly all of the variance. It is empty if there is
// none, or if the columns were scaled.
func (b *builder) dominant() string {
	if scale.KindOf(b.Scaling) != scale.None || b.X.Cols < 2 || b.Plane.Share[0] == 0 {
		return ""
	}
	total := 0.0
	for _, v := range b.Spread {
		total += v * v
	}
	for j, v := range b.Spread {
		if v *= v; v > decides*total {
			return "Column " + b.columns[j] + " alone has " + percent(v/total) + " of the variance: if " +
				"columns have different units, -scale zscore gives each the same variance."
		}
	}
	return ""
}

func (b *builder) unit() string {
	switch scale.KindOf(b.Scaling) {
	case scale.ZScore:
		return "standard deviations from the mean"
	case scale.MinMax:
		return "share of the column's range"
	case scale.Counts:
		return "share by the root of the column's mean"
	case scale.Sums:
		return "share of the row's sum"
	case scale.Words:
		return "log(1+count), by rarity"
	}
	return ""
}

// Answer is the result in one sentence.
func (in *Input) Answer() string { return in.verdict(2).Sentence() }

// off names the compact prototypes that are not close to the data.
func (b *builder) off() string {
	var off []string
	for j, v := range b.Tally.largest {
		if v < nearlyPure {
			off = append(off, b.names[j])
		}
	}
	switch n := len(off); {
	case n == 0:
		return ""
	case n == 1:
		return " The compact " + off[0] + " lies off the data: no row has 90 % of it."
	case n <= 8:
		return " The compact " + view.And(off) + " lie off the data: no row has 90 % of them."
	default:
		return " Of the compact prototypes " + strconv.Itoa(n) + " lie off the data: no row has 90 % of them."
	}
}

// explained is the share of the total that is explained where err is left over.
func explained(err, total float64) string { return percent(1 - err/total) }

// percent is a share within a sentence.
func percent(v float64) string { return strings.Replace(view.Percent(v), ">", "more than", 1) }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (b *builder) warnings() (lines []string) {
	for i, f := range b.fits() {
		for _, w := range view.Warnings(f.Model) {
			lines = append(lines, methods[i].String()+": "+w)
		}
	}
	return lines
}

// proposal is the number that was chosen or, where k was given, what the floors propose.
func (b *builder) proposal() string {
	if b.Choice != nil {
		return answer.NewChoice(b.Choice, nil).Sentence()
	}
	return answer.FloorsAlone(&b.Input.Proposal)
}

// readingOf is what was taken for what in a table, a sentence each.
func readingOf(notes []string) (lines []string) {
	for _, note := range notes {
		r, size := utf8.DecodeRuneInString(note)
		lines = append(lines, string(unicode.ToUpper(r))+note[size:]+".")
	}
	return lines
}

// secondOpinions is what a choice rests on, or the results of other ways to read the floors.
func (b *builder) secondOpinions() string {
	if b.Choice != nil {
		return strings.Join(view.Opinions(*b.Choice), " ")
	}
	p := b.Input.Proposal
	if p.Elbow == 0 && p.Profile == 0 {
		return ""
	}
	return "Second opinions: the elbow of the curve is at " + strconv.Itoa(p.Elbow) +
		", the split into large and small steps at " + strconv.Itoa(p.Profile) +
		". All of them count directions, not clusters: clusters along one line share a direction."
}

func (b *builder) traceNotes() []string {
	f := b.verdict(2)
	corners := view.SlackPart(f.Certificate, f.Trivial) == "a millionth" // the rule of FitMinVolume
	begin := "Both methods start from k-means centers and improve"
	switch {
	case b.Alternating.Model == nil && corners:
		begin = "The method starts from rows at the corners of the data and improves"
	case b.Alternating.Model == nil:
		begin = "The method starts from k-means centers and improves"
	case corners:
		begin = "The alternating method starts from k-means centers, the minimal volume from rows at the " +
			"corners of the data. Both improve"
	}
	minVolume := "Minimal volume: " + view.How(b.MinVolume.Model, b.MinVolume.Compact) + "."
	if !f.Certificate.Optimal(view.CertifiedTol) {
		minVolume += " λ weighs the volume and is chosen as large as the slack allows, so the error ends " +
			"above the floor."
	}
	begin += " centers and memberships in turn; every step keeps or lowers L, the squared error with λ/2 " +
		"times Σ log(σ² + ε) added, which measures the volume. " +
		"The squared error of the minimal volume may rise."
	if b.Alternating.Model == nil {
		return []string{begin, minVolume}
	}
	return []string{
		begin + " The alternating method has λ = 0: its L is the squared error.",
		minVolume,
		"Alternating: " + view.How(b.Alternating.Model, b.Alternating.Compact) + ". The method itself has no bound; how far it is " +
			"from the minimum is known from the floor of the closed form.",
	}
}

// allowance returns the error above the floor that FitMinVolume allows the compact prototypes.
func (b *builder) allowance() string {
	f, slack := b.verdict(2), "a slack of "+view.Small(100*b.Slack)+" %"
	c, part := f.Certificate, view.SlackPart(f.Certificate, f.Trivial)
	switch {
	case !view.HasTotal(c) || b.k == 1: // nothing to give up
	case part == "" && b.Slack*c.Floor > (c.Total-c.Floor)/2, f.Trivial && b.Slack/10 > .5:
		return "half of what can be explained, which is less than " + slack + ","
	case part != "":
		return slack + " of " + part + " of the total variance, which stands for the floor,"
	}
	return slack + " over the floor"
}

// inBlocks says what the page of a table that was read in blocks has, and what it lacks.
func (b *builder) inBlocks() string {
	s := "The table was read in blocks. "
	if b.MinVolume.Sampled {
		s += "The compact prototypes were fitted to a sample of the rows and corrected by passes over all " +
			"rows; the iterations counted are those of the last correction. "
	}
	s += "Errors, counts and shares are of all rows. "
	if b.sampled() {
		s += "Pictures show " + strconv.Itoa(b.X.Rows) + " of the " +
			strconv.Itoa(b.Tally.rows) + " rows, evenly drawn. "
	}
	return s + "The alternating method is left out, and other answers were not looked for; -stream " +
		"no has both."
}

func (b *builder) made() []string {
	global := "Global: the closed form, a regular simplex around a ball with all rows. Every orientation " +
		"has the same error. "
	minVolume := "Minimal volume: as compact as " + b.allowance() + " allows"
	seed := " with seed " + strconv.FormatUint(b.Seed, 10) + "."
	lines := []string{
		global + "Alternating: from k-means centers, without a penalty. " + minVolume + ". Both" + seed,
		"The command fit gives the same labels with the same seed. Prototypes of the other two methods are " +
			"numbered here by the compact ones they match.",
	}
	if b.Alternating.Model == nil {
		lines = []string{
			global + minVolume + "," + seed,
			"The command fit gives the same labels with the same seed. Prototypes of the other method are " +
				"numbered here by the compact ones they match.",
		}
	}
	if b.Input.Bounds != "" {
		lines[0] += " The values of their prototypes are kept " + b.Input.Bounds + "."
	}
	if b.Blocks {
		lines = append(lines, b.inBlocks())
	}
	if b.Weights != nil {
		lines = append(lines, "Prototypes, errors and warnings use the weights of rows; counts of rows, "+
			"memberships, accuracy and NMI do not.")
	}
	if b.X.Rows > b.mostPoints() && !b.sampled() {
		lines = append(lines, "Scatter plots show a part of the "+strconv.Itoa(b.X.Rows)+" rows, evenly "+
			"spaced, and say how many; figures and tables are of all.")
	}
	return lines
}
