//go:build gramonly

package softkmeans

// gramOnly leaves out two of the three solvers, for small WebAssembly modules (-tags gramonly): SolverAuto
// is SolverGram, and to ask for another is an ErrOption. Data with more than 512 rows and columns takes
// longer then, and floors below 1e-9 of the total have fewer digits. Labels start from the memberships
// alone, and many rows are solved without the inverse, which is slower. Fits of more
// than 32 centers begin at those of k-means.
const gramOnly = true
