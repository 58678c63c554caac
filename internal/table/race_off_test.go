//go:build !race

package table

const raceAllows = 0
