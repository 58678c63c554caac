package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// flagWord is a flag in a message.
var flagWord = regexp.MustCompile(`(?:^|[ (])-([a-z]+)\b`)

// What a command says of each table, in errors, notes and warnings, names no flag that it lacks.
func TestAdvisedFlags(t *testing.T) {
	t.Parallel()
	tables := filepath.Join("..", "..", "testdata", "tables")
	known := writeText(t, filepath.Join(t.TempDir(), "known.csv"), "name,x,y\na,1,2\nb,2,1\nc,4,4\n")
	model := filepath.Join(t.TempDir(), "m.json")
	if code, _, stderr := do(t, "", "fit", "-k", "2", "-model", model, known); code != 0 {
		t.Fatal(stderr)
	}
	// The usual run gives each command every third table.
	at, every := 0, runs(3, 1)
	lists := map[string][]string{} // sources, classes and labels come before a table
	for _, c := range []struct {
		args  string
		flags *flag.FlagSet
	}{
		{"fit -quiet -k 1 -method global", newFitFlagSet(new(fitFlags))},
		{"fit -quiet -k 1 -stream yes", newFitFlagSet(new(fitFlags))},
		{"predict -quiet -model " + model, newPredictFlagSet(new(predictFlags))},
		{"predict -quiet -centers " + known, newPredictFlagSet(new(predictFlags))},
		{"predict -quiet -centers TABLE " + known, newPredictFlagSet(new(predictFlags))},
		{"floors -quiet -kernel distances", newFloorsFlagSet(new(floorsFlags))},
		{"certify -quiet -centers " + known, newCertifyFlagSet(new(certifyFlags))},
		{"certify -quiet -centers TABLE " + known, newCertifyFlagSet(new(certifyFlags))},
		{"unmix -quiet -k 1", newUnmixFlagSet(new(unmixFlags))},
		{"evaluate " + known, newEvaluateFlagSet(new(evaluateFlags))},
		{"report -quiet -o - -k 1 -classes TABLE " + known, newReportFlagSet(new(reportFlags))},
	} {
		for _, folder := range []string{tables, filepath.Join(tables, "trade")} {
			if lists[folder] == nil {
				entries, err := os.ReadDir(folder)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					if !e.IsDir() && !slices.Contains([]string{"make.go", "want.txt"}, e.Name()) {
						lists[folder] = append(lists[folder], filepath.Join(folder, e.Name()))
					}
				}
			}
			for _, name := range lists[folder] {
				if at++; at%every != 0 {
					continue
				}
				args := strings.Fields(c.args)
				if i := slices.Index(args, "TABLE"); i >= 0 {
					args[i] = name
				} else {
					args = append(args, name)
				}
				_, stdout, stderr := do(t, "", args...)
				if args[0] == "report" {
					stdout = ""
				}
				for _, m := range flagWord.FindAllStringSubmatch(stdout+stderr, -1) {
					if c.flags.Lookup(m[1]) == nil {
						t.Errorf("%q: %s has no -%s\n%s", args, args[0], m[1], stdout+stderr)
					}
				}
			}
		}
	}
}
