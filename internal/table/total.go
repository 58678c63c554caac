package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// totalWords begin the line of totals of a table, in lower case.
var totalWords = []string{"total", "totals", "grand total", "sum", "sums", "summe", "gesamt",
	"gesamtsumme", "gesamtergebnis", "insgesamt", "average", "mean", "mittelwert", "durchschnitt", "somme",
	"moyenne", "suma", "promedio", "totale", "media"}

// spreadWords stand below such a line.
var spreadWords = []string{"sd", "stdev", "std", "std dev", "rsd", "min", "max", "median",
	"minimum", "maximum"}

func isTotal(s string) bool {
	return slices.Contains(totalWords, strings.ToLower(strings.TrimRight(strings.TrimSpace(s), ":")))
}

// noteTotals warns of a row of totals, by its id or since its numbers are the sums or means of others.
func (t *Table) noteTotals(data []bool, line int, d *Dialect) {
	if t.Rows < 4 {
		return
	}
	why, what, which := "", "line", "last"
	if t.Turned {
		what = "column"
	}
	t.noteSum(d.Words.Drop)
	if id := t.RowName(t.Rows - 1); t.IDs != nil && isTotal(id) {
		why = "its id is " + quote(id)
	} else if word := t.totals(data, t.Rows-1); word != "" {
		why = "its numbers are the " + word + " of the columns"
	}
	row := t.Rows
	if n := t.trailing(); n > 1 && d.Words.Skip != "" {
		from := t.Rows - n + 1
		t.note("warning: the last " + strconv.Itoa(n) +
			" rows seem to be totals or statistics, since their ids are " + quote(t.RowName(from-1)) +
			" to " + quote(t.RowName(row-1)) + "; to leave them out: " +
			d.Words.Skip + " " + d.Skip.adds(from-1, t.Rows) + "-")
		return
	}
	if why == "" && t.totals(data, 0) == "sums" {
		why, which, row, line = "its numbers are the sums of the columns", "first", 1, line-t.Rows+1
	}
	if why == "" {
		return
	}
	out := "delete " + what + " " + strconv.Itoa(line) + " of the table"
	if skip := d.Words.Skip; skip != "" {
		out = skip + " " + d.Skip.adds(row-1, t.Rows)
	}
	t.note("warning: the " + which + " row, row " + strconv.Itoa(row) +
		", seems to be a line of totals, since " + why + "; to leave it out: " + out)
}

func (t *Table) note(text string) { t.Notes = append(slices.Clip(t.Notes), text) }

// trailing is how many rows at the end have ids as of statistics, if one of them is a total or a mean.
func (t *Table) trailing() (n int) {
	total := false
	for ; t.IDs != nil && n < t.Rows; n++ {
		id := t.RowName(t.Rows - 1 - n)
		if !isTotal(id) && !slices.Contains(spreadWords, strings.ToLower(id)) {
			break
		}
		total = total || isTotal(id)
	}
	if !total {
		return 0
	}
	return n
}

// leastZero is how many columns a table has where a row of zeros is more than chance.
const leastZero = 4

// noteZeros names rows without anything in them, if they are few.
func (t *Table) noteZeros() {
	width := len(t.Names)
	var zeros []string
	for i := range t.Rows {
		if !slices.ContainsFunc(t.Data[i*width:(i+1)*width], func(v float64) bool { return v != 0 }) {
			if zeros = append(zeros, t.RowName(i)); 10*len(zeros) > t.Rows {
				return
			}
		}
	}
	if n := len(zeros); n > 0 && width >= leastZero {
		t.note(Plural(n, "a row is", Count(n, "row")+" are") + " 0 in all columns: " + someOf(zeros))
	}
}

// noteSum names a column of totals that is the sum of a part of the columns, those before it.
func (t *Table) noteSum(drop string) {
	width := len(t.Names)
	for j, name := range t.Names {
		if !isTotal(name) {
			continue
		}
		for from := j - 3; from >= 0; from-- {
			if from == 0 && j == width-1 || !t.adds(from, j) { // package kinds tells of the sum of all
				continue
			}
			t.note("column " + name + " is the sum of those from " + t.Names[from] + " to " + t.Names[j-1] +
				", and says again what they say" + hint(drop, " "+shellWord(name)+" leaves it out"))
			break
		}
	}
}

// adds reports whether column to is the sum of those from from, but for rounding, in all rows.
func (t *Table) adds(from, to int) bool {
	for i := range t.Rows {
		row, sum := t.Data[i*len(t.Names):], 0.0
		for _, v := range row[from:to] {
			sum += v
		}
		if math.Abs(sum-row[to]) > 5e-3*math.Abs(row[to]) {
			return false
		}
	}
	return true
}

// totals returns "sums" or "means" if a row has those of the other rows in all of at
// least two columns of data that it has values in; else "". A mean must have more digits than
// the numbers above in some column, because few digits meet by chance.
func (t *Table) totals(data []bool, row int) string {
	width := len(t.Names)
	last := t.Data[row*width : (row+1)*width]
	sums, means, summed, columns := true, true, 0, 0
	finer := false
	for j := 0; j < width && (sums || means); j++ {
		v := last[j]
		if !data[j] || v != v {
			continue
		}
		sum, n := 0.0, 0
		for i := j; i < len(t.Data); i += width {
			if t.Data[i] == t.Data[i] && i/width != row {
				sum += t.Data[i]
				n++
			}
		}
		digits, above := decimals(v), 0
		for i := j; i < min(len(t.Data), width*surveyRows); i += width {
			if i/width != row {
				above = max(above, decimals(t.Data[i]))
			}
		}
		// The numbers above are rounded, too.
		off := 0.5*math.Pow10(-digits) + math.Pow10(-above)*math.Sqrt(float64(n)) + 1e-12*math.Abs(sum)
		if above == 0 && digits == 0 {
			off = 1e-12 * math.Abs(sum)
		}
		sums = sums && math.Abs(v-sum) <= off
		means = means && n > 0 && math.Abs(v-sum/float64(n)) <= 0.5*math.Pow10(-digits)+1e-12*math.Abs(v)
		finer = finer || digits > above
		if math.Abs(sum) > 10*off { // a sum near 0 is that of any row near 0
			summed++
		}
		if sum != 0 {
			columns++
		}
	}
	switch {
	case sums && summed >= 2:
		return "sums"
	case means && finer && columns >= 2:
		return "means"
	}
	return ""
}

// decimals is how many digits after the point a number has.
func decimals(v float64) int {
	if v == math.Trunc(v) || v != v {
		return 0
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	return len(s) - 1 - strings.IndexByte(s, '.')
}
