package table

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

const (
	leastAlike = 0.6
	leastNamed = 0.4 // if the columns are named as samples or their replicates
	leastApart = 0.5
	mostAlike  = 500 // rows and columns that are compared
)

// noteAlike warns if the columns of data are alike and the rows are not, as where each row is a gene, a
// species or a peak, and each column a sample. It warns, too, if the name of the ids says so. Rows named as
// samples or by dates are samples. Columns named by wavelengths, times or places, or by numbers such as M1,
// M2, …, are taken for repeated measurements.
//
// Tried on 177 tables with ids, 6 rows and 3 columns of 26 projects, on which the constants were chosen: 10
// of 11 warnings were right. The other was of a curve beside its smooth forms. Of 20 tables of branches by
// products 8 are warned of, wrongly; of tables of exams, months, partners, visits and soils none.
func (t *Table) noteAlike(data []bool, d *Dialect) {
	if t.IDs == nil || t.Turned || t.Long || t.Rows < 6 || d.Transpose != Auto || d.Pick != nil ||
		slices.Contains(data, false) || len(t.Names) < 3 {
		return
	}
	sample := func(name string) bool { return likeSample(name) || isDate([]byte(name)) }
	placed := func(name string) bool { return isNumber([]byte(name)) || isTime(name) }
	numbered, replicated, sampled := likeSamples(t.Names)
	why, least, end := "", leastAlike, " yes takes the columns for samples"
	if replicated || sampled {
		least = leastNamed
	}
	zero := func(v float64) bool { return v == 0 }
	species := 5*howMany(t.IDs, isFeature) >= 4*t.Rows && 3*howMany(t.Data, zero) >= len(t.Data)
	few := len(t.Names) < 5 // signatures
	if !few && (is("gene", t.IDName) || 2*howMany(t.IDs, isGene) > t.Rows || species) {
		why = "the ids, such as " + quote(t.IDs[0]) + ", name features, not samples"
		end = " yes takes the columns for samples, if the file has no other columns"
	} else if sample(t.IDName) || 2*howMany(t.IDs, sample) > t.Rows ||
		2*howMany(t.Names, placed) > len(t.Names) ||
		t.Header && numbered && !replicated && !sampled {
		return
	} else if alike, apart := t.agreement(); alike >= least && apart >= leastApart {
		why = "the columns contain similar numbers, and the rows do not, as in a table of genes, species or " +
			"peaks with a sample in each column"
	}
	if why != "" {
		t.note("warning: " + why + ": rows are taken for samples" + hint(d.Words.Transpose, end))
	}
}

// leastMixed is how many times larger the numbers of other quantities are. In 51 tables that are transposed
// rows that follow each other in size are at most 180 times apart if all are samples, else at least 7400.
const leastMixed = 1000

// noteMixed warns of rows of a transposed table with far smaller numbers than the others, as counts of
// peptides beside intensities. A row is rated by the median size of its numbers but 0.
func (t *Table) noteMixed() {
	size := map[int]float64{}
	for i := 0; t.Turned && i < t.Rows; i++ {
		list := mapped(t.Data[i*len(t.Names):(i+1)*len(t.Names)], math.Abs)
		list = only(list, func(v float64) bool { return v > 0 })
		if slices.Sort(list); len(list) > 0 {
			size[i] = list[len(list)/2]
		}
	}
	rows := slices.Sorted(maps.Keys(size))
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	name := func(i int) string { return quote(t.RowName(i)) }
	for i := 1; i < len(rows); i++ {
		if size[rows[i]] >= leastMixed*size[rows[i-1]] {
			t.note("warning: rows " + someOf(mapped(rows[:i], name)) + " have numbers 1000 times smaller than rows " +
				someOf(mapped(rows[i:], name)) + " have: they may be other quantities, and no samples")
			return
		}
	}
}

// isTime reports whether a name is a date, a month or a quarter.
func isTime(name string) bool {
	shape, _ := shapeOf(name)
	return isDate([]byte(name)) || slices.Contains([]string{"0-0", "0/0", "0Q0", "Q0 0"}, shape) ||
		is("not a unit", name[:min(3, len(name))])
}

// agreement returns how alike the columns of data are, at most 1, and how far apart the rows are.
//
// Alike is the intraclass correlation ICC(1) of Shrout and Fleiss (1979) between columns. Columns in several
// units disagree, and so do columns of several levels, as of wines, pixels and topics. Apart is the standard
// deviation of the rows' means: subjects that are measured again and again are within a factor of two, genes
// are not. Both are of the logarithms of 1 + |v|/q, with the sign of v, where q is the 5 % quantile of the
// |v| that are not 0.
func (t *Table) agreement() (alike, apart float64) {
	n, m := min(t.Rows, mostAlike), min(len(t.Names), mostAlike)
	values := make([]float64, 0, n*m)
	for i := range n {
		at := i * t.Rows / n * len(t.Names)
		values = append(values, t.Data[at:at+m]...)
	}
	sizes := slices.DeleteFunc(mapped(values, math.Abs), func(v float64) bool { return !(v > 0) })
	if len(sizes) == 0 {
		return 0, 0
	}
	slices.Sort(sizes)
	q := sizes[len(sizes)/20]
	all, rows := mean{}, make([]mean, n)
	for i, v := range values {
		values[i] = math.Copysign(math.Log1p(math.Abs(v)/q), v)
		all.add(values[i])
		rows[i/m].add(values[i])
	}
	var between, within float64 // sums of squares
	for i, v := range values {
		if row := rows[i/m].mean(); v == v {
			between += (row - all.mean()) * (row - all.mean())
			within += (v - row) * (v - row)
		}
	}
	r, c := float64(n), float64(m)
	between, within = between/(r-1), within/max(1, all.n-r)
	return (between - within) / (between + (c-1)*within), math.Sqrt(between / c)
}

// mean is the mean of numbers that are added one by one. A NaN does not count.
type mean struct{ sum, n float64 }

func (m *mean) add(v float64) {
	if v == v {
		m.sum, m.n = m.sum+v, m.n+1
	}
}

func (m *mean) mean() float64 { return m.sum / max(1, m.n) }
