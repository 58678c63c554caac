// Package view is what the page for browsers and the command's report have in
// common: what a fit proves in words, figures as people read them, and the plane
// that a table is drawn in.
//
// It imports neither fmt nor encoding/json, so that it can be part of a small
// WebAssembly file.
package view

import "strconv"

// Method is how centers were found.
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

// Names are p0, p1, …, of k prototypes: counted as in the files of memberships.
func Names(k int) (names []string) {
	for j := range k {
		names = append(names, name(j))
	}
	return names
}

func name(j int) string { return "p" + strconv.Itoa(j) }
