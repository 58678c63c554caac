// A module of its own: it serves the tests, and nothing uses it.
module softkmeans/internal/mutants

go 1.24
