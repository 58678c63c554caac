package table

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// noteTotals warns of rows of totals or statistics, by their ids or since the numbers of the last or the
// first row are the sums or means of the others.
func (t *Table) noteTotals(data []bool, d *Dialect) {
	if t.Rows < 4 {
		return
	}
	first, n := t.statistics()
	why := Plural(n, "its id is ", "their ids are ") + quote(t.RowName(first))
	for _, row := range []int{t.Rows - 1, 0} {
		if word := t.totals(data, row); n == 0 && word != "" {
			first, n, why = row, 1, "its numbers are the "+word+" of the columns"
		}
	}
	if howMany(t.IDs, func(id string) bool { return id == "" }) == 1 && n == 0 {
		first, n, why = slices.Index(t.IDs, ""), 1, "it alone has no id"
	}
	where, out := "row "+strconv.Itoa(first+1), d.Skip.adds(first, t.Rows)
	if n == 0 {
		return
	} else if n > 1 {
		why += " to " + quote(t.RowName(first+n-1))
		where, out = "rows "+strconv.Itoa(first+1)+" to "+strconv.Itoa(first+n), out+"-"
		if first+n < t.Rows {
			out += d.Skip.adds(first+n-1, t.Rows)
		}
	}
	t.note("warning: " + where + " of " + strconv.Itoa(t.Rows) + Plural(n, " seems", " seem") +
		" to be totals, statistics or limits, since " + why +
		hint(d.Words.Skip, " "+out+Plural(n, " leaves it", " leaves them")+" out"))
}

func (t *Table) note(text string) { t.Notes = append(slices.Clip(t.Notes), text) }

// statistics returns the first and the number of rows, one after another, that have ids as of statistics, if
// one of them is a total, a mean or a limit of detection: the last such rows, or none.
func (t *Table) statistics() (first, n int) {
	for at := 0; at < len(t.IDs); {
		sure, end := false, at
		for ; end < t.Rows; end++ {
			name := strings.Trim(t.IDs[end], "% ().")
			if limit := is("limit", name); limit || isTotal(name) {
				sure = true
			} else if !is("spread", name) {
				break
			}
		}
		if sure {
			first, n = at, end-at
		}
		at = end + 1
	}
	return first, n
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

// totals returns "sums" or "means" if a row has those of the other rows in all columns of data that it has
// values in, else "". Sums in half of them do: others may have means or quotients. Two sums must be above all
// they are made of. Means must be of more digits than the numbers above in one column: few meet by chance.
func (t *Table) totals(data []bool, row int) string {
	columns, sums, means, clear, finer, width := 0, 0, 0, 0, 0, len(t.Names)
	for j, v := range t.Data[row*width : (row+1)*width] {
		if 2*(columns-max(sums, means)) > width {
			return ""
		} else if !data[j] || v != v {
			continue
		}
		columns++
		n, sum, most, above := 0, 0.0, 0.0, 0
		for i := j; i < len(t.Data); i += width {
			if u := t.Data[i]; u == u && i/width != row {
				sum, most = sum+u, max(most, math.Abs(u))
				if n++; n <= surveyRows/10 {
					above = max(above, decimals(u))
				}
			}
		}
		digits, off := decimals(v), 1e-12*math.Abs(sum)
		half := 0.5 * math.Pow10(-digits)
		if n > 0 && math.Abs(v-sum/float64(n)) <= half+off {
			if means++; digits > above {
				finer++
			}
		}
		if above+digits > 0 { // the numbers above are rounded, too
			off += half + math.Pow10(-above)*math.Sqrt(float64(n))
		}
		if math.Abs(v-sum) <= off {
			if sums++; math.Abs(sum) > 10*off && math.Abs(v) > most { // a sum near 0 is that of any row near 0
				clear++
			}
		}
	}
	switch {
	case clear > 1 && (sums == columns || 2*clear >= columns && t.Rows > 5):
		return "sums"
	case means == columns && finer > 0 && columns > 1:
		return "means"
	}
	return ""
}

// noteFar warns of numbers that may stand for missing ones: -200, -9999, 999, 1e30 and the like that come
// more than once, are the one number below 0, or are at least 1e20, and are further from all others of their
// column than half of their size. -1 and -9 may, too, if they come more than once as the one number below 0.
func (t *Table) noteFar(data []bool, d *Dialect) {
	times, in, sure := map[float64]int{}, map[float64][]string{}, map[float64]bool{}
	largest := t.ends(1)
	for _, sign := range []float64{-1, 1} {
		for j, e := range t.ends(sign) {
			v, all := sign*e.value, math.IsInf(e.next, 0)
			far := e.value-e.next >= math.Abs(v)/2 && (math.Abs(v) >= 99 || !all && e.next <= 0)
			one := sign < 0 && (v == -1 || v == -9) && e.next <= 0 && largest[j].value > 2 // the one number below 0
			if data[j] && (one || standIn(v) && far && !(all && (sign > 0 || !standIn(-v)))) {
				times[v], in[v] = times[v]+e.times, append(in[v], t.Names[j])
				alone := v < 0 && e.next <= 0 && !all && standIn(-v)
				sure[v] = sure[v] || alone || times[v] > 1 || math.Abs(v) >= 1e20
			}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(times)) {
		shown := strconv.FormatFloat(v, 'g', -1, 64)
		if sure[v] {
			often := Plural(times[v], "once", strconv.Itoa(times[v])+" times")
			t.note("warning: " + shown + " comes " + often + ", in " + someOf(in[v]) +
				hint(d.Words.NA, d.naFlags(shown)+", if it is a missing value, in any column"))
		}
	}
}

// noteNegative warns of -1 to -9, by which surveys tell why an answer is missing. Two of them or more must
// be the only numbers below 0, in three columns or more. In one column they must reach further than numbers
// above 0.
func (t *Table) noteNegative(data []bool, d *Dialect) {
	times, columns, further, largest := map[float64]bool{}, 0, false, t.ends(1)
	for j, e := range t.ends(-1) {
		for i := j; i < len(t.Data) && data[j] && e.value >= 1; i += len(t.Names) {
			if v := t.Data[i]; v < 0 && (v < -9 || v != math.Trunc(v)) {
				return
			} else if v < 0 {
				times[v] = true
			}
		}
		if data[j] && e.value >= 1 {
			columns++
			further = further || e.value > largest[j].value
		}
	}
	if len(times) < 2 || columns < 3 || !further {
		return
	}
	shown := mapped(slices.Sorted(maps.Keys(times)), func(v float64) string { return strconv.Itoa(int(v)) })
	list := strings.Join(shown, ",")
	t.note("warning: " + list + " are the only numbers below 0, in " + strconv.Itoa(columns) + " columns" +
		hint(d.Words.NA, d.naFlags(list)+", if they say why a value is missing"))
}

// naFlags is the advice to take words as missing, without the setting's own word.
func (d *Dialect) naFlags(words string) string {
	if fills := d.fills(); fills != nil {
		return " " + words + " " + d.Words.Missing + " " + fills[0]
	}
	return " " + words
}

// end is the largest of some numbers, the next to it, and how often it comes.
type end struct {
	value, next float64
	times       int
}

// ends returns the largest numbers of all columns, or with sign -1 the smallest ones with the other sign.
func (t *Table) ends(sign float64) []end {
	ends := slices.Repeat([]end{{math.Inf(-1), math.Inf(-1), 0}}, len(t.Names))
	for row := range slices.Chunk(t.Data, len(t.Names)) {
		for j, v := range row {
			switch e := &ends[j]; {
			case sign*v > e.value:
				*e = end{sign * v, e.value, 1}
			case sign*v == e.value:
				e.times++
			case sign*v > e.next:
				e.next = sign * v
			}
		}
	}
	return ends
}

// standIn reports whether a number may be written where one is missing.
func standIn(v float64) bool {
	size := math.Abs(v)
	digits := strings.TrimPrefix(strconv.FormatFloat(size, 'f', -1, 64), "0")
	nines := strings.Trim(digits, "9") // of 999.9 and 0.99 the point
	all := nines == "" || nines == "."
	return v <= -99 && v == math.Trunc(v) || size >= 1e20 || all && (size >= 99 || v < 0)
}

// decimals is how many digits after the point a number has.
func decimals(v float64) int {
	if v == math.Trunc(v) || v != v {
		return 0
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	return len(s) - 1 - strings.IndexByte(s, '.')
}
