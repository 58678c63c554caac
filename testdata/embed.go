// Package testdata is the data sets of this folder inside of a program, for
// examples and tests on machines without files. Sources and licences: README.md.
package testdata

import "embed"

// Files has NAME.csv, a sample a row without header, and NAME.labels.csv, a
// class a row, counted from 0.
//
//go:embed *.csv
var Files embed.FS
