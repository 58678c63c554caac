package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"softkmeans/internal/answer"
	"softkmeans/metrics"
)

// wordTables returns 80 rows of counts of 120 words, of which few are above 0, as CSV and as MatrixMarket. The
// topic of row i is i mod 4, and is in the words i mod 4, 4 + i mod 4, …
func wordTables() (dense, market string, topics []int) {
	r := rand.New(rand.NewPCG(3, 9))
	var csv, entries strings.Builder
	stored := 0
	for i := range 80 {
		topics = append(topics, i%4)
		for j := range 120 {
			v, often := 0.0, .015
			if j%4 == i%4 {
				often = .3
			}
			if r.Float64() < often {
				v = math.Floor(1 + 30*math.Pow(r.Float64(), 4))
				fmt.Fprintf(&entries, "%d %d %v\n", i+1, j+1, v)
				stored++
			}
			if j > 0 {
				csv.WriteByte(',')
			}
			fmt.Fprint(&csv, v)
		}
		csv.WriteByte('\n')
	}
	return csv.String(), fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n80 120 %d\n%s", stored, &entries), topics
}

// TestWords: -scale words gives the same of dense and of sparse rows, with labels that are the topics, and predict
// takes new rows by the rarities of the model. The counts are hinted, and a count below 0 is an error.
func TestWords(t *testing.T) {
	dense, market, topics := wordTables()
	inFolder(t, dense)
	writeText(t, "data.mtx", market)
	var fitted [2][][]float64
	for i, file := range []string{"data.csv", "data.mtx"} {
		plain := parseJSON[answer.Answer](t, must(t, "fit", "-json", "-k", "4", "-others", "no", file))
		if notes := strings.Join(plain.Notes, "\n"); !strings.Contains(notes, rareCounts) {
			t.Errorf("%s: %s", file, notes)
		}
		report := parseJSON[answer.Answer](t, must(t, "fit", "-json", "-details", "-k", "4", "-others", "no", "-scale",
			"words", "-o", "g.csv", "-model", "m.json", file))
		if report.Scale != "words" || report.LabelBy != "cluster" || strings.Contains(strings.Join(report.Notes, ""), "words") {
			t.Errorf("%s: %s, %s, %q", file, report.Scale, report.LabelBy, report.Notes)
		}
		text := readFile(t, "g.csv")
		_, labels, g := parseMemberships(t, text)
		if acc, err := metrics.Accuracy(topics, labels); err != nil || acc < .95 {
			t.Errorf("%s: an accuracy of %v, %v", file, acc, err)
		}
		fitted[i] = g
		for _, other := range []string{"data.csv", "data.mtx"} {
			predicted(t, "-model", "m.json", "-details", "-o", "p.csv", other)
			_, _, p := parseMemberships(t, readFile(t, "p.csv"))
			sameShares(t, file+" predicts "+other, p, g, 1e-6)
		}
		if _, report, fault := do(t, "", "certify", "-model", "m.json", "-memberships", "g.csv", file); fault != "" {
			t.Errorf("%s: certify: %s%s", file, report, fault)
		}
	}
	sameShares(t, "sparse rows", fitted[1], fitted[0], 1e-5)
	// A part of the rows, by the rarities of all.
	writeText(t, "few.csv", strings.Join(strings.SplitAfter(dense, "\n")[:5], ""))
	predicted(t, "-model", "m.json", "-details", "-o", "p.csv", "few.csv")
	_, _, p := parseMemberships(t, readFile(t, "p.csv"))
	sameShares(t, "few rows", p, fitted[1][:5], 1e-6)
	writeText(t, "bad.csv", strings.Replace(dense, "0,0", "0,-1", 1))
	writeText(t, "bad.mtx", regexp.MustCompile("(\n1 [0-9]+ )[0-9]+").ReplaceAllString(market, "$1-1"))
	for _, args := range []string{"fit -k 4 -scale words bad.csv", "fit -k 4 -scale words bad.mtx", "predict -model m.json -o p.csv bad.csv"} {
		if code, _, stderr := do(t, "", strings.Fields(args)...); code != 1 || !strings.Contains(stderr, "-1 is below 0; -scale counts and words require counts of at least 0") {
			t.Errorf("%s: %d, %s", args, code, stderr)
		}
	}
	for flags, says := range map[string]string{"-stream yes": "-scale words needs the words of all rows",
		"-known few.csv": "-known keeps them as they are"} {
		if code, _, stderr := do(t, "", append(strings.Fields("fit -k 4 -scale words "+flags), "data.csv")...); code != 2 ||
			!strings.Contains(stderr, says) {
			t.Errorf("%s: %d, %s", flags, code, stderr)
		}
	}
}
