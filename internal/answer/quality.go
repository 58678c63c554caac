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
)

// Quality is a certificate and what else the sentences about it depend on.
type Quality struct {
	softkmeans.Certificate
	K        int
	Noun     string // what a prototype is called; "": that
	Sum      softkmeans.Sum
	Tol      float64 // of "optimal"
	Streamed bool    // the certificate comes from passes over a file, without SpanError
	Missing  int     // values of the table; above 0 Floor is an estimate, and Floor − FloorError is proved
	Trivial  bool    // as many prototypes mix any table of this size
	Between  float64 // the share of the variance between clusters; 0: there are none
	Whole    string  // what the total is, if neither the variance nor the sum of squares
	Why      string  // a sentence: why the error is above the floor
	Loose    bool    // the floor may be out of reach
}

// OfSimilarities is the quality of a fit of similarities in k clusters: with rows and columns centred, whose floor
// is reached, or not. duality says that the floor is one by duality, else it is by eigenvalues.
func OfSimilarities(c softkmeans.Certificate, k, rows int, centred, duality bool) *Quality {
	q := &Quality{Certificate: c, K: k, Noun: "cluster", Tol: view.CertifiedTol,
		Whole: "sum of squares of the similarities", Loose: !centred && !duality}
	if q.Solver = softkmeans.SolverGram; rows > mostTheorem && !duality {
		q.Solver = softkmeans.SolverKrylov // whose theorem it is
	}
	if centred {
		q.Whole += ", rows and columns centred"
	}
	return q
}

// mostTheorem is the number of rows up to which the floor of similarities is proved without random vectors.
const mostTheorem = 512

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
	switch {
	case q.Missing > 0:
		text += " of the values present; about " + upTo(q.Floor/q.Total) + " can be explained at most (an estimate)"
		if low > 0 {
			text += ", and " + others + " can explain more than " + most + " (proved)"
		}
	case q.Trivial && q.K > 1 && q.Between > 0:
		return view.Count(q.K, "cluster") + " explain " + view.Percent(q.Between) + " of the variance by their means."
	case q.Trivial && q.K > 1:
		text += ". This number of prototypes fits any table of this size without error, so that the result " +
			"says little"
	case q.lost(q.Floor):
		text += ". The floor is no more than its rounding, so that nothing is proved"
	case q.optimal():
		text += ", and " + others + " can explain more (proved)"
	case low <= 1e-12:
		text += "; others may explain all of it"
	case most == "all":
		text += "; " + others + " can explain all of it (proved)"
	default:
		text += "; " + others + " can explain more than " + most + " (proved)"
	}
	return text + "."
}

// explained writes the share of the total that is explained, and the largest that can be if an error of the share
// low remains. Unless the result is optimal, they have as many digits as it takes to tell them apart.
func (q *Quality) explained(low float64) (have, most string) {
	share := 1 - q.Objective/q.Total
	if most = upTo(low); share <= 0 {
		return "nothing", most
	}
	have = strings.Replace(view.Percent(share), ">", "more than", 1)
	for digits := 2; have == most && !q.optimal() && digits < 10; digits++ {
		p := math.Pow10(digits)
		have = strconv.FormatFloat(100*share, 'f', digits, 64) + " %"
		most = strconv.FormatFloat(math.Ceil(100*(1-low)*p-1e-6)/p, 'f', digits, 64) + " %"
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

// Why says why the squared error of a method is above the floor.
func Why(m view.Method) string {
	return [...]string{view.MinVolume: "This excess keeps the prototypes near the data.",
		view.Global:      "Better prototypes may exist.",
		view.Alternating: "The iteration may have ended in a local minimum, or before it converged."}[m]
}

// Proofs are sentences about how compact prototypes are.
func Proofs(c *view.Compact) (list []string) {
	for _, s := range []string{view.Volume(c.VolumeRatio), view.Same(c.Unique)} {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// Head says in a few words how far the squared error is above the floor.
func (q *Quality) Head() string {
	c := q.Certificate
	switch {
	case q.optimal():
		return "Proved optimal"
	case view.HasTotal(c) && c.Floor <= 1e-6*c.Total:
		return capital(view.More(c.Objective/c.Total)) + " left over"
	case view.HasTotal(c) && c.ExcessFloors() >= 10:
		return view.Number(math.Round(1+c.ExcessFloors())) + " times the floor"
	case view.HasTotal(c):
		return capital(view.More(c.ExcessFloors())) + " above the floor"
	case view.Finite(c.Gap):
		return view.Percent(c.Gap) + " of the variance above the floor"
	}
	return "No variance to explain"
}

// Sentences compares the squared error with the floor.
func (q *Quality) Sentences() (list []string) {
	switch {
	case q.Missing > 0:
		list = append(list, "The squared error of the values present is "+short(q.Objective)+
			". The memberships are the best ones for these prototypes. The minimum for "+q.prototypes()+
			" is about "+short(q.Floor)+" (an estimate).")
		if low := q.Floor - q.FloorError; low > 0 {
			list[0] += " No " + q.prototypes() + " can have less than " + atLeast(low) + " (proved)."
		} else {
			list[0] += " No floor above 0 is proved."
		}
	case q.optimal():
		return append(list, q.Verdict())
	case !view.Finite(q.ExcessShare()):
		return append(list, "The squared error is "+short(q.Objective)+", of a total of "+short(q.Total)+".")
	case q.Floor-q.FloorError > 1e-12*q.Total:
		low := q.Floor - q.FloorError
		how := view.More(q.Excess()/low) + " above "
		if q.Excess()/low >= 10 {
			how = view.Number(math.Round(1+q.Excess()/low)) + " times "
		}
		list = append(list, "The squared error is "+short(q.Objective)+", "+how+"the floor of "+
			atLeast(low)+", which no "+q.prototypes()+" can go below (proved)."+q.reach()+q.repaired()+q.chance())
	default:
		list = append(list, "The squared error, "+short(q.Objective)+", is "+view.More(q.Objective/q.Total)+" of the "+
			q.whole()+"; the floor is below 1e-12 of it (proved)."+q.repaired()+q.chance())
	}
	if q.Why != "" {
		list[0] += " " + q.Why
	}
	return list
}

func (q *Quality) reach() string {
	if q.Loose {
		return " The floor may be out of reach."
	}
	return ""
}

// atLeast writes a bound from below, above 0, with four digits, rounded down; a billionth of it is no matter.
func atLeast(v float64) string {
	for down := v; ; down *= .9999 {
		text := short(down)
		if shown, _ := strconv.ParseFloat(text, 64); shown <= v+1e-9*v {
			return text
		}
	}
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
		if q.Whole != "" {
			return "No " + q.prototypes() + " have a squared error smaller than " + atLeast(q.Objective) +
				", to within rounding (proved)." + q.chance()
		}
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
	floor := []string{"floor", digits(c.Floor), view.Prototypes(k) + " cannot have less"}
	switch {
	case c.Estimated:
		floor = []string{"floor, estimated", floor[1], "about the least; not proved"}
	case c.FloorBy != "":
		floor[2] = "proved by " + c.FloorBy
	}
	t := &Table{Head: []string{"", "", ""}, Rows: [][]string{{"objective", digits(c.Objective), "the squared error"}, floor,
		{"total", digits(c.Total), "explained and excess are parts of it"}}}
	add := func(name, value, remark string) { t.Rows = append(t.Rows, []string{name, value, remark}) }
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
