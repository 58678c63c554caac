package softkmeans

// Sums of a few rows out of many, which is what sparse memberships ask for: a
// sample's mixture of the centers that it uses, a center's sum of the samples
// that use it, and the columns of a Gram matrix that a support takes part in.

// addRows adds Σ_t coef_t·x_{index_t} to y. The rows of x have the length of y
// and no gaps. As with every kernel (see kernels.go) the order of the sums
// depends on the sizes alone, here on len(index) and len(y).
func addRows(y []float64, coef []float64, index []int, x []float64) {
	if useSIMD && len(y) >= simdLength {
		addRowsSIMD(y, coef, index, x)
		return
	}
	addRowsGeneric(y, coef, index, x)
}

// addRowsGeneric takes four rows at a time: one load and one store of y for
// four products.
func addRowsGeneric(y []float64, coef []float64, index []int, x []float64) {
	l := len(y)
	for len(coef) >= 4 && len(index) >= 4 {
		c, at := (*[4]float64)(coef), (*[4]int)(index)
		x0, x1, x2, x3 := x[at[0]*l:][:l], x[at[1]*l:][:l], x[at[2]*l:][:l], x[at[3]*l:][:l]
		a, b, e, f := c[0], c[1], c[2], c[3]
		for i, v := range y {
			y[i] = v + ((a*x0[i] + b*x1[i]) + (e*x2[i] + f*x3[i]))
		}
		coef, index = coef[4:], index[4:]
	}
	switch len(coef) {
	case 3:
		x0, x1, x2 := x[index[0]*l:][:l], x[index[1]*l:][:l], x[index[2]*l:][:l]
		a, b, e := coef[0], coef[1], coef[2]
		for i, v := range y {
			y[i] = v + ((a*x0[i] + b*x1[i]) + e*x2[i])
		}
	case 2:
		x0, x1 := x[index[0]*l:][:l], x[index[1]*l:][:l]
		a, b := coef[0], coef[1]
		for i, v := range y {
			y[i] = v + (a*x0[i] + b*x1[i])
		}
	case 1:
		x0, a := x[index[0]*l:][:l], coef[0]
		for i, v := range y {
			y[i] = v + a*x0[i]
		}
	}
}
