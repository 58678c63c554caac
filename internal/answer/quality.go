package answer

// How good a result is: its squared error, the floor of that, and what follows, in sentences.

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/proof"
)

// Quality is a certificate and what else the sentences about it depend on.
type Quality struct {
	softkmeans.Certificate
	K        int
	Noun     string // what a prototype is called; "": that
	Similar  bool   // the certificate is of similarities
	Sum      softkmeans.Sum
	Tol      float64 // of "optimal"
	Streamed bool    // the certificate comes from passes over a file, without SpanError
	Missing  int     // values of the table; above 0 Floor is an estimate, and Floor − FloorError is proved
	Trivial  bool    // the floor of as many prototypes is 0 for any table of this size
	Columns  int     // of the table, if Trivial
	Bounded  bool    // a flag bounds the prototypes
	Between  float64 // the share of the variance between clusters; 0: there are none
	Whole    string  // what the total is, if neither the variance nor the sum of squares
	Loose    bool    // the floor may be out of reach
}

// OfSimilarities is the quality of a fit of similarities in k clusters: with rows and columns centred, whose floor
// is reached, or not. duality says that the floor is one by duality, else it is by eigenvalues.
func OfSimilarities(c softkmeans.Certificate, k, rows int, centred, duality bool) *Quality {
	q := &Quality{Certificate: c, K: k, Noun: "cluster", Similar: true, Tol: view.CertifiedTol,
		Whole: "sum of squares of the similarities", Loose: !centred && !duality}
	if q.Solver = softkmeans.SolverGram; rows > mostTheorem && !duality {
		q.Solver = softkmeans.SolverKrylov // whose theorem it is
	}
	if centred {
		q.Whole = "sum of squares of the centred similarities"
	}
	return q
}

// mostTheorem is the number of rows up to which the floor of similarities is proved without random vectors.
const mostTheorem = 512

// OfSquares makes all shares fractions of the sum of squares, as for images. The tolerance stays a fraction of
// the variance.
func (q *Quality) OfSquares(squares float64) {
	if q.Total > 0 && squares > q.Total {
		q.Tol *= q.Total / squares
		q.Gap *= q.Total / squares
		q.Total, q.Whole = squares, "sum of squares"
	}
}

// JSON returns the certificate as data.
func (q *Quality) JSON() *Certificate {
	c := q.Certificate
	j := &Certificate{Certified: q.optimal(), Objective: c.Objective, Floor: c.Floor, FloorError: c.FloorError,
		Total: c.Total, Gap: c.Gap, Excess: InRange(c.Excess()), ExcessShare: InRange(c.ExcessShare()),
		ExcessFloors: InRange(c.ExcessFloors()), MinMembership: c.MinMembership, MaxSumError: c.MaxSumError,
		Repair: c.Repair, Solver: c.Solver.String(), Estimated: q.Missing > 0}
	if c.Total > 0 {
		v := 1 - c.Objective/c.Total
		j.Explained = &v
	}
	if !q.Streamed && q.Whole == "" && q.Missing == 0 {
		j.SpanError = &c.SpanError
	}
	return j
}

// InRange returns nil for a number that is out of range.
func InRange(v float64) *float64 {
	if math.Abs(v) < math.MaxFloat64 {
		return &v
	}
	return nil
}

// fitsAny reports whether as many prototypes fit any table of this size. With sums of at most 1 the floor of
// as many prototypes as columns is 0, too, but only data in a cone reaches it.
func (q *Quality) fitsAny() bool {
	return q.Trivial && !q.Bounded && (q.Sum == softkmeans.SumToOne || q.K > q.Columns)
}

func (q *Quality) word() string { return cmp.Or(q.Noun, "prototype") }

// prototypes returns "1 prototype" or "2 prototypes".
func (q *Quality) prototypes() string { return view.Count(q.K, q.word()) }

func (q *Quality) whole() string {
	if q.Whole == "" && q.Sum == softkmeans.SumAtMostOne {
		return "sum of squares"
	}
	return cmp.Or(q.Whole, "variance")
}

// optimal reports whether the squared error is proved to be the least.
func (q *Quality) optimal() bool { return q.Optimal(q.Tol) }

// lost reports whether v is no more than its rounding, where that is seen: numbers far from 0 have cancelled.
func (q *Quality) lost(v float64) bool { return v <= q.FloorError && q.FloorError > 1e-9*q.Total }

// Sentence says how much of the variance is explained, and how much can be.
func (q *Quality) Sentence() string {
	others := "no " + strconv.Itoa(q.K)
	if q.K == 1 {
		others = "no other"
	}
	switch {
	case !view.Finite(q.Total) || !view.Finite(q.Objective):
		return "Squared errors are out of range, so that no fraction of the " + q.whole() + " is known."
	case !(q.Total > 0) && q.Whole == "" && q.Sum == softkmeans.SumToOne:
		return "All rows are equal: one prototype is enough."
	case !(q.Total > 0):
		return "The " + q.whole() + " is 0: there is nothing to explain."
	case q.lost(q.Total):
		return "The " + q.whole() + " is no more than its rounding, so that nothing is known of its parts."
	case q.K == 1 && q.Sum == softkmeans.SumToOne && q.Whole == "" && q.optimal():
		return "1 " + q.word() + ", the mean of the rows, explains nothing of how they differ."
	case q.K == 1 && q.Sum == softkmeans.SumToOne && q.Whole == "":
		return "1 " + q.word() + " explains nothing of how rows differ; their mean has the least squared error."
	}
	low := (q.Floor - q.FloorError) / q.Total
	have, most := q.explained(low)
	text := q.prototypes() + table.Plural(q.K, " explains ", " explain ") + have + " of the " + q.whole()
	if q.Similar {
		text = "Memberships in " + q.prototypes() + " explain " + have + " of the " + q.whole()
	}
	switch {
	case q.Missing > 0:
		about := upTo(q.Floor/q.Total) + " (an estimate)"
		text += " of the values present. The best " + q.prototypes() + table.Plural(q.K, " explains", " explain") + " about " +
			about
		if low > 0 {
			text += ", and at most " + most + " (proved)"
		}
	case q.fitsAny() && q.K > 1 && q.Between > 0:
		return view.Count(q.K, "cluster") + " explain " + view.Percent(q.Between) + " of the variance by their means."
	case q.fitsAny() && q.K > 1:
		text += ". This number of prototypes fits any table of this size without error, so that the result " +
			"says little"
	case q.lost(q.Floor):
		text += ". The floor is no more than its rounding, so that nothing is proved"
	case q.optimal():
		text += ", and " + others + " can explain more (proved)"
	case low <= 1e-12:
		text += "; others may explain all of it"
	case most == "all": // to within a millionth: of no use
	default:
		text += "; " + others + " can explain more than " + most + " (proved)"
	}
	return text + "."
}

// explained writes the share of the total that is explained, and the largest that can be if an error of the share
// low remains. Unless the result is optimal, they have as many digits as it takes to tell them apart, and to tell
// the second one from 100 %, "all", up to four.
func (q *Quality) explained(low float64) (have, most string) {
	share := 1 - q.Objective/q.Total
	if most = upTo(low); share <= 0 {
		return "nothing", most
	}
	have = strings.Replace(view.Percent(share), ">", "more than", 1)
	for digits := 2; !q.optimal() && (have == most && digits < 10 || most == "all" && digits < 5); digits++ {
		p := math.Pow10(digits)
		if v := math.Ceil(100*(1-low)*p-1e-6) / p; v < 100 {
			have = strconv.FormatFloat(100*share, 'f', digits, 64) + " %"
			most = strconv.FormatFloat(v, 'f', digits, 64) + " %"
		}
	}
	return have, most
}

// upTo writes the share of the total that remains for an error of this share, rounded up.
func upTo(err float64) string {
	digits := 1e4
	if v := 1 - err; v > .0995 && v <= .9995 {
		digits = 1e3
	}
	if v := math.Ceil((1-err)*digits-1e-6) / digits; v < .99995 {
		return view.Percent(v)
	}
	return "all"
}

// FillProofs fills in how compact k prototypes, which noun names, are proved to be.
func (a *Answer) FillProofs(c *view.Compact, k int, noun string) {
	if k < 2 || a.Undetermined {
		return
	}
	for _, text := range []string{volumeWords(c.VolumeRatio, k), sameWords(c.Unique, k)} {
		if text = strings.ReplaceAll(text, "prototypes", noun); noun == "spectra" {
			text = strings.ReplaceAll(text, "memberships", "shares")
		}
		if text != "" {
			a.Proofs = append(a.Proofs, text)
		}
	}
}

// mostSmaller is the least bound of a volume, as a fraction, from which it says that nothing is much smaller.
const mostSmaller = 0.5

// sizeOf returns the simplex of k prototypes and its measure, as words.
func sizeOf(k int) (simplex, measure string) {
	switch k {
	case 2:
		return "segment", "length"
	case 3:
		return "triangle", "area"
	}
	return "simplex", "volume"
}

// spanned says that no simplex of k prototypes has less than 1/ratio of the volume of the one that is shown, if it
// has a property, which that names.
func spanned(that string, ratio float64, k int) string {
	simplex, measure := sizeOf(k)
	if least := 1 / ratio; least >= mostSmaller {
		return "No other " + simplex + " of prototypes " + that + " is smaller by more than " +
			strconv.FormatFloat(math.Ceil(100*(1-least)), 'f', 0, 64) + " % (proved)."
	}
	return "Any other " + simplex + " of prototypes " + that + " has at least 1/" + view.AtMost(ratio) + " of its " + measure +
		" (proved)."
}

// volumeWords compares the volume of k prototypes with the least possible, in a sentence; "" if that is not known.
// ratio is proof.VolumeRatio.
func volumeWords(ratio float64, k int) string {
	simplex, measure := sizeOf(k)
	switch {
	case ratio == 0:
		return ""
	case ratio <= 1+1e-6:
		return "No other " + simplex + " of prototypes that fits as well is smaller (proved to within a millionth of the " +
			measure + ")."
	case !view.Finite(ratio):
		return "For prototypes that fit as well no lower bound of the " + measure + " is proved."
	}
	return spanned("that fits as well", ratio, k)
}

// sameWords says of k prototypes that give the same mixtures how compact they can be, in a sentence; "" if that is
// not known.
func sameWords(v *proof.Verdict, k int) string {
	simplex, measure := sizeOf(k)
	switch {
	case v == nil || !view.Finite(v.Factor):
		return ""
	case v.Smallest() && v.Only():
		return "Every equally small " + simplex + " with these fitted values gives the same memberships, to within 0.01 " +
			"(proved). Noise is not included."
	case v.Smallest():
		return "No other " + simplex + " of prototypes with the same fitted values is smaller (proved to within a " +
			"millionth of the " + measure + ")."
	}
	return spanned("with the same fitted values", v.Factor, k)
}

// leastExcess is the fraction of the total from which an excess is worth a sentence.
const leastExcess = 1e-3

// Sentences says how much more could be explained, if that is not little and the sentence does not say it.
func (q *Quality) Sentences() (list []string) {
	text := ""
	have, most := q.explained((q.Floor - q.FloorError) / q.Total)
	switch share := q.Excess() / q.Total; {
	case q.Missing > 0:
	case q.optimal() && !q.Similar:
		return []string{q.Verdict()}
	case q.optimal():
	case !view.Finite(share):
		text = "The squared error is " + short(q.Objective) + ", of a total of " + short(q.Total) + "."
	case share < leastExcess:
	case q.fitsAny() && q.Between > 0: // the sentence is about clusters
		text = q.prototypes() + " explain " + have + " of the variance."
	case q.K == 1 || q.Trivial || q.lost(q.Floor) || most == "all": // the sentence says nothing of the floor
		text = "At most " + upTo(1-share) + " more of the " + q.whole() + " can be explained (proved)."
	case q.Loose:
		text = "Perhaps no " + strconv.Itoa(q.K) + " can explain " + most + "."
	}
	if text = strings.TrimSpace(text + q.repaired() + q.chance()); text != "" {
		list = append(list, text)
	}
	return list
}

// short writes a number with four digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// Verdict says whether the result is proved optimal, how far above the minimum it may be, and for which
// memberships that holds.
func (q *Quality) Verdict() string {
	if !view.Finite(q.Excess()) {
		return "Not certified: the squared error is out of range." + q.repaired()
	}
	head := "Not certified: the squared error may be above the minimum by up to " + view.AtMost(q.Excess())
	if q.optimal() {
		of := " and memberships"
		if q.Sum == softkmeans.SumAtMostOne {
			of += " that add up to at most 1"
		}
		kind := q.prototypes()
		if q.K == 1 {
			kind = "other " + q.word()
		}
		head = "Certified: no " + kind + of + " reduce the squared error, " + short(q.Objective) +
			", by more than " + view.AtMost(q.Excess())
	}
	return head + "." + q.repaired() + q.chance()
}

// repaired says that memberships were changed to be on the simplex, beyond rounding.
func (q *Quality) repaired() string {
	if q.Repair <= float64(q.K+4)*0x1p-52 {
		return ""
	}
	return " This is about repaired memberships, which differ from the given ones by up to " + view.Small(q.Repair) + "."
}

func (q *Quality) chance() string {
	if q.Solver != softkmeans.SolverKrylov {
		return ""
	}
	return " The floor is proved by random vectors, except for a chance of 2e-10."
}

// table has all digits. k is the number of prototypes.
func (c *Certificate) table(k int) *Table {
	less := view.Prototypes(k) + " cannot have less"
	floor := []string{"floor", digits(c.Floor), less}
	switch {
	case c.Estimated:
		floor = []string{"floor, estimated", floor[1], "an estimate of the minimum"}
	case c.FloorBy != "":
		floor[2] = "proved by " + c.FloorBy
	}
	t := &Table{Head: []string{"", "", ""}, Rows: [][]string{{"objective", digits(c.Objective), "the squared error"}, floor,
		{"total", digits(c.Total), "explained is a fraction of it"}}}
	add := func(name, value, remark string) { t.Rows = append(t.Rows, []string{name, value, remark}) }
	if low := c.Floor - c.FloorError; c.Estimated && low > 0 {
		add("floor, proved", digits(low), less)
	}
	if c.Explained != nil {
		add("explained", view.Percent(*c.Explained), "of the total")
	}
	if !c.Estimated {
		none := math.Inf(1)
		bound := func(v *float64) string { return view.AtMost(*cmp.Or(v, &none)) }
		add("rounding of the floor", view.AtMost(c.FloorError), "an upper bound of its error")
		add("excess", bound(c.Excess), "an upper bound of objective − minimum")
		add("excess / total", bound(c.ExcessShare), "")
		add("excess / floor", bound(c.ExcessFloors), "")
	}
	if c.Repair > 1e-12 {
		add("smallest membership", view.Small(c.MinMembership), "below 0 counts as 0")
		add("largest error of a sum", view.Small(c.MaxSumError), "rows are divided by their sums")
		add("repair", view.Small(c.Repair), "largest change of a membership")
	}
	if c.SpanError != nil {
		add("span error", view.Small(*c.SpanError), "distance of prototypes from the best subspace")
	}
	return t
}

// digits writes ten digits, so that objective and floor can be compared.
func digits(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }
