//go:build !gramonly

package softkmeans

// gramOnly: see solvers_gram.go.
const gramOnly = false
