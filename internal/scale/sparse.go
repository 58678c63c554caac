package scale

// ColumnsOfSparse is [ColumnsOf] for rows of which only some entries are stored: row i has
// data[start[i]:start[i+1]] in the columns of index. The others are 0, and a scaling may not shift them.
func ColumnsOfSparse(start, index []int, data []float64, weights []float64, cols int, scaled *Scaling) *Columns {
	values, shares := make([][]float64, cols), make([][]float64, cols)
	rows, total := 0, 0.0
	for i := range len(start) - 1 {
		w := weight(weights, i)
		if w == 0 {
			continue
		}
		rows++
		total += w
		for t := start[i]; t < start[i+1]; t++ {
			j := index[t]
			values[j], shares[j] = append(values[j], data[t]), append(shares[j], w)
		}
	}
	all := new(Columns)
	for j, v := range values {
		if stored := len(v); stored < rows { // the zeros count as one row
			rest := total
			for _, w := range shares[j] {
				rest -= w
			}
			v, shares[j] = append(v, 0), append(shares[j], max(rest, 0x1p-52*total))
		}
		c := ColumnsOf(v, 1, shares[j], nil)
		all.Least, all.Most = append(all.Least, c.Least[0]), append(all.Most, c.Most[0])
		all.Mean, all.Spread = append(all.Mean, c.Mean[0]), append(all.Spread, c.Spread[0])
		all.Whole = append(all.Whole, c.Whole[0])
	}
	if scaled != nil {
		for j, d := range scaled.Divisor {
			for _, v := range [][]float64{all.Least, all.Most, all.Mean, all.Spread} {
				v[j] *= d
			}
		}
	}
	return all
}
