// Package view is what the page for browsers and the command's report have in common:
// sentences about what is proved, numbers as text, and the plane of the pictures.
//
// The package imports neither fmt nor encoding/json, so that a WebAssembly file with it stays small.
package view

import "strconv"

// Method is a way to compute centers.
type Method int

const (
	MinVolume Method = iota
	Global
	Alternating
)

// String returns the method's name on a page.
func (m Method) String() string {
	switch m {
	case MinVolume:
		return "Minimal volume"
	case Global:
		return "Global"
	case Alternating:
		return "Alternating"
	}
	return "Method(" + strconv.Itoa(int(m)) + ")"
}

// Names are the names p0, p1, … of k prototypes, as in the files of memberships.
func Names(k int) (names []string) {
	for j := range k {
		names = append(names, name(j))
	}
	return names
}

func name(j int) string { return "p" + strconv.Itoa(j) }

// Clusters returns the names of k clusters: the word, which may be "", and the label in files of memberships.
func Clusters(word string, k int) (names []string) {
	for j := range k {
		names = append(names, word+strconv.Itoa(j))
	}
	return names
}
