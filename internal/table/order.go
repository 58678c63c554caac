package table

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
)

// inOrder returns columns of data that are seldom measurements: times, places, codes and parts of a
// design. Their numbers rise or turn down the file, see order. Measurements do so by chance in one of
// 1000 tables. If most columns rise, as curves do, the rising ones are not returned. Column 1 is one if it
// alone rises with each of ten rows or more, such as ages down a core: so it does in 17 of 1 297 files, none
// of which has measurements there.
//
// 1 087 tables, 503 of them R's, have 289 such columns that no name tells. Of these, 13 are measurements by
// which the file is sorted, such as the speed of R's cars. Then numbers that count again did not yet turn.
func (p *parser) inOrder() (at []int) {
	var rising []int
	all := p.numbers()
	for _, j := range all {
		rises, turns := p.survey.columns[j].order(1000 * float64(len(all)))
		if turns && len(all) > 1 { // something must be data
			at = append(at, j)
		} else if rises {
			rising = append(rising, j)
		}
	}
	if 2*len(rising) <= len(all) {
		at = append(at, rising...)
	}
	up := p.some(func(c *column) bool { return c.rising && c.numbers >= 10 })
	if slices.Equal(up, []int{0}) && len(all) > 2 && p.survey.columns[0].gaps == 0 {
		at = append(at, 0)
	}
	return at
}

// order reports whether the numbers of a column rise, and whether they turn. Both are false if the numbers
// can be arranged in fewer than `least` ways. Numbers rise if they are whole and never fall, or all
// differ and 15 of 16 steps go up. So they do if they rise or fall at regular steps. They turn in three
// cases. The first two need half of the different numbers twice.
//
//   - equal numbers stay together: 1, 1, 1, 2, 2. Numbers with decimals must not also be sorted, since they
//     may be rounded measurements;
//   - numbers come in turn: 1, 2, 3, 1, 2, 3;
//   - nine of ten count on from the number before, or begin again at the least, as animals by site do.
func (c *column) order(least float64) (rises, turns bool) {
	ways, times := 1.0, map[float64]int{}
	for i, v := range c.list {
		times[v]++
		ways *= float64(i+1) / float64(times[v])
	}
	runs, lap := slices.Compact(slices.Clone(c.list)), len(times)
	up, n := slices.IsSorted(runs), len(runs)
	sorted := up || goes(runs, -1, 0)
	climbs := up || c.different && goes(c.list, 1, n/16) // as numbers of samples, except a few
	rises = ways >= least && (c.whole && climbs || sorted && n == len(c.list) && regular(c.list))
	for i := range lap { // whatever number comes first
		ways /= float64(i + 1)
	}
	once := howMany(slices.Collect(maps.Values(times)), func(often int) bool { return often == 1 })
	turns = ways >= least && 2*once <= lap && (lap > 2 || n == 2) && slices.Equal(runs[lap:], runs[:n-lap]) &&
		(c.whole || n >= 2*lap || n == lap && !sorted)
	again, counted := 0, 1
	for i := 1; i < n; i++ {
		if runs[i] == c.least {
			again++
		} else if runs[i] == runs[i-1]+1 {
			counted++
		}
	}
	return rises, turns || c.whole && ways >= least && again > 0 && 4*again <= n &&
		10*(again+counted) >= 9*n
}

const (
	mostCrossed  = 12 // columns of text that are compared
	leastCrossed = 10 // samples
	mostKinds    = 20 // of measurements
)

// noteCrossed warns if each of many values of a column of text stands once beside each value of another,
// as countries beside indicators: the lines are then several measurements of one sample. Fewer are a
// design, unless they stand beside at most three columns of numbers, as samples and analytes do.
func (p *parser) noteCrossed(told map[int]bool) {
	few := len(p.varying()) <= 3
	all := p.survey.columns
	rows := len(all[0].codes)
	texts := p.which(func(c *column) bool { return c.words+c.numbers == rows && c.text() && !c.different })
	texts = texts[:min(len(texts), mostCrossed)]
	for _, of := range texts {
		for _, kind := range texts {
			n, m := all[of].kinds, all[kind].kinds
			full := rows == n*m || p.survey.cut && rows > (n-1)*m && rows < n*m
			many := n >= leastCrossed && m > 1 && m <= min(n/2, mostKinds) && full
			if (many || few && m > 2 && n >= m && 2*rows >= n*m) && distinct(all, of, kind) == rows {
				p.survey.note("warning: each value of " + p.columnName(of) + " stands beside up to " +
					strconv.Itoa(m) + " of " + p.columnName(kind) + " on lines of their own, which may be of one sample")
				return
			}
		}
	}
	left := only(p.varying(), func(j int) bool { return !told[j] })
	if n := len(p.keys(told)); n > 1 && len(left) == 1 {
		p.survey.note("warning: only " + p.columnName(left[0]) + " seems to be a measurement, beside " +
			strconv.Itoa(n) + " columns in which values come again: several lines may be of one sample, as in a " +
			"long table")
	}
}

// varying are the columns of data with two numbers or more.
func (p *parser) varying() []int {
	return p.some(func(c *column) bool { return c.least < c.most })
}

// keys are columns that are no measurements, or told to be none, in which values come again, and differ.
func (p *parser) keys(told map[int]bool) []int {
	return p.which(func(c *column) bool {
		numbers := (p.roles[c.at] < 0 || told[c.at]) && c.numbers > 0 && 2*c.kinds <= c.numbers
		return (c.text() && !c.different || numbers) && len(c.values) > 1
	})
}

// leastFold is how many times larger numbers of another quantity are in each column. None of 1 297 known
// tables has kinds of rocks, animals or shops that differ so in all of three measurements.
const leastFold = 100

// noteApart warns if the values of a column of text part rows of another size in each column of numbers, as
// absorbances beside concentrations, totals beside rates, and blanks beside samples do.
func (p *parser) noteApart(rows [][][]byte) {
	numbers := p.numbers()
	short := func(line [][]byte) bool { return len(line) < p.width } // an error when it is read
	if len(numbers) < 3 || slices.ContainsFunc(rows, short) {
		return
	}
	below := func(u, v float64) bool { return u > 0 && leastFold*u <= v }
	texts := p.which(func(c *column) bool { return c.text() && len(c.values) <= mostKinds })
	for _, j := range texts[:min(len(texts), mostCrossed)] { // each of them reads all numbers again
		c := &p.survey.columns[j]
		sizes := mapped(c.values, func(value string) []float64 {
			with := func(line [][]byte) bool { return shown(bytes.TrimSpace(line[j])) == value }
			return p.sizes(only(rows, with), numbers)
		})
		for a, small := range sizes {
			for b, large := range sizes {
				if slices.EqualFunc(small, large, below) {
					p.survey.note("warning: rows with " + quote(c.values[b]) + " in " + p.columnName(j) + " have numbers " +
						strconv.Itoa(leastFold) + " times as large as rows with " + quote(c.values[a]) + ": they " +
						"may be other quantities, or blanks")
					return
				}
			}
		}
	}
}

// sizes returns the median size of the numbers of each column in some rows, NaN for fewer than three.
func (p *parser) sizes(rows [][][]byte, columns []int) []float64 {
	return mapped(columns, func(j int) float64 {
		var list []float64
		for _, line := range rows {
			if v, ok := p.value(line[j]); ok {
				list = append(list, math.Abs(v))
			}
		}
		if slices.Sort(list); len(list) < leastTable {
			return math.NaN()
		}
		return list[len(list)/2]
	})
}

// mostAdded is how many columns are looked at by added.
const mostAdded = 100

// added returns the columns that are the sum or the mean, as they are rounded, of two columns or more right
// before or behind them, as a total of plastics or the mean of an interval. The sum of all others is
// told elsewhere. 1 297 files have 10 such columns, two of them by chance.
func (p *parser) added() (at []int) {
	columns, all := p.survey.columns, p.numbers()
	full := only(all, func(j int) bool {
		c := &columns[j]
		return len(c.list) == len(c.codes) && c.least < c.most
	})
	if len(full) > mostAdded {
		return nil
	}
	halves := mapped(full, func(j int) float64 { return unit(columns[j].list) / 2 }) // of the last digit
	for i, j := range full {
		c := &columns[j]
		for _, step := range []int{-1, 1} {
			sum, off := make([]float64, len(c.list)), 0.0
			for n := 1; n < len(all)-1 && i+n*step >= 0 && i+n*step < len(full); n++ {
				off += halves[i+n*step]
				for row, v := range columns[full[i+n*step]].list {
					sum[row] += v
				}
				parts := float64(n)
				if n > 1 && (c.like(sum, 1, halves[i]+off) || c.like(sum, parts, halves[i]+off/parts)) {
					at = append(at, j)
				}
			}
		}
	}
	return at
}

// like reports whether the numbers of c are a sum over n to within off, which is little beside their
// range. They must have five values or more.
func (c *column) like(sum []float64, n, off float64) bool {
	for i, v := range c.list {
		if math.Abs(v-sum[i]/n) > 1.01*off+1e-12*math.Abs(v) {
			return false
		}
	}
	return 100*off < c.most-c.least && c.kinds > 4
}

// tells reports whether each value of c always stands beside the same number of another column, such as the
// elevation of a site. On average each value of c must come twice.
func (c *column) tells(other *column) bool {
	beside := map[int]int{}
	for i, code := range c.codes {
		if u, ok := beside[code]; ok && u != other.codes[i] {
			return false
		}
		beside[code] = other.codes[i]
	}
	return c.gaps+other.gaps == 0 && 2*c.kinds <= len(c.codes) && other.least < other.most
}
