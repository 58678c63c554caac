package main

import (
	"strings"
	"testing"
)

// An entry out of range is an error that names the file, the row and the column, in
// every command that reads a table, in memory and block by block, scaled or not.
func TestEntriesOutOfRange(t *testing.T) {
	inFolder(t, "a,b\n1,2\n3,4\n5,7\n9,1\n")
	must(t, strings.Fields("fit -k 2 -model good.json -o good.csv -centers centers.csv data.csv")...)
	must(t, strings.Fields("fit -k 2 -scale zscore -model scaled.json data.csv")...)
	writeText(t, "far.csv", "a,b\n1,2\n3,4\n5,-1e200\n9,1\n")
	writeText(t, "tiny.csv", "a,b\n1e-200,0\n0,1e-160\n0,0\n0,1e-180\n")
	const far = "far.csv: row 3, column b: -1e+200 is out of range"
	const tiny = "tiny.csv: row 2, column b: 1e-160 is out of range"
	for _, args := range []string{
		"fit -k 2 -o out.csv", "fit -k 2 -stream yes", "fit -k 2 -method minvol -stream yes",
		"fit -k auto", "fit -k auto -stream yes",
		"fit -k 2 -method minvol", "fit -k 2 -method alternating", "fit -k 2 -method lsd",
		"fit -k 2 -method tilsd -kernel linear",
		"floors", "floors -stream yes", "report -k 2 -o out.html",
		"certify -centers centers.csv", "certify -model good.json",
	} {
		failure{args + " far.csv", 1, far}.check(t)
		if !strings.Contains(args, "-model") { // which has a scale
			args += " -scale none"
		}
		failure{args + " tiny.csv", 1, tiny}.check(t)
	}
	for _, args := range []string{
		"fit -k 2 -scale zscore", "fit -k 2 -scale minmax -stream yes",
		"floors -scale zscore -stream yes", "certify -model scaled.json",
		"predict -model good.json", "predict -model scaled.json",
	} {
		failure{args + " far.csv", 1, far}.check(t)
	}
	writeText(t, "far-centers.csv", "b,a\n1,2\n1e160,3\n")
	failure{"certify -centers far-centers.csv data.csv", 1,
		"far-centers.csv: row 2, column b: 1e+160 is out of range"}.check(t)
	writeText(t, "far-shares.csv", "1,0\n0,1\n1e160,1\n1,0\n")
	failure{"certify -centers centers.csv -memberships far-shares.csv data.csv", 1,
		"far-shares.csv: row 3, column p0: 1e+160 is out of range"}.check(t)
}

// In a stream the row counts from the beginning of the file, not of its block.
func TestEntriesOfStream(t *testing.T) {
	inFolder(t, strings.Repeat("1,2\n3,5\n", 10000)+"1e200,1\n")
	must(t, "fit", "-k", "1", "-model", "model.json", writeText(t, "good.csv", "1,2\n3,4\n"))
	for _, args := range []string{
		"fit -k 2 -stream yes", "fit -k 2 -stream yes -scale zscore", "fit -k auto -stream yes",
		"floors -stream yes", "predict -model model.json -o out.csv",
	} {
		failure{args + " data.csv", 1, "data.csv: row 20001, column c1: 1e+200 is out of range"}.check(t)
	}
}
