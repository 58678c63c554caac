//go:build race

package rows

// raceAllows is by how much a test of memory may exceed its bound: the race
// detector's build allocates more.
const raceAllows = 128 << 20
