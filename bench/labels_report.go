package main

// The tables of labels.

import (
	"fmt"
	"io"
	"strings"
)

// writeLabels writes a table for the seeds and one for the subsamples, and the
// differences from the first way below each.
func writeLabels(w io.Writer, ways []labelWay, scores []labelScore) {
	for _, t := range []struct {
		title string
		of    func(s labelScore) []agreement
	}{
		{fmt.Sprintf("Medians of %d seeds, all rows:", labelSeeds), func(s labelScore) []agreement { return s.seeds }},
		{fmt.Sprintf("Medians of %d subsamples of 80 %% of the rows:", labelParts), func(s labelScore) []agreement { return s.parts }},
	} {
		head := []string{"set", "n×d, k"}
		for _, way := range ways {
			head = append(head, way.name+", ACC", "NMI")
		}
		rows := [][]string{head}
		var found [][]agreement
		for _, s := range scores {
			n, d := s.set.x.Dims()
			row := []string{s.set.label(), shape{n, d, s.set.k}.String()}
			for _, a := range t.of(s) {
				row = append(row, fmt.Sprintf("%.3f", a[0]), fmt.Sprintf("%.3f", a[1]))
			}
			rows, found = append(rows, row), append(found, t.of(s))
		}
		fmt.Fprintf(w, "%s\n\n", t.title)
		markdown(w, 2, rows)
		fmt.Fprintln(w)
		for other := 1; other < len(ways) && len(scores) > 0; other++ {
			fmt.Fprintf(w, "%s\n", difference(ways, scores, found, other))
		}
		fmt.Fprintln(w)
	}
	writeStability(w, scores)
}

// label is the set's name, with what was not done to it.
func (s *labelSet) label() string {
	if s.raw {
		return s.name + " (raw)"
	}
	return s.name
}

// difference says by how much the first way is above another: the mean over all sets, and
// the set where it is least.
func difference(ways []labelWay, scores []labelScore, found [][]agreement, other int) string {
	var parts []string
	for m, name := range []string{"ACC", "NMI"} {
		mean, worst, where := 0.0, 2.0, ""
		for i, all := range found {
			by := all[0][m] - all[other][m]
			mean += by / float64(len(found))
			if by < worst {
				worst, where = by, scores[i].set.name
			}
		}
		parts = append(parts, fmt.Sprintf("%s %+.3f on average, at worst %+.3f (%s)", name, mean, worst, where))
	}
	return fmt.Sprintf("%s less %s: %s.", ways[0].name, ways[other].name, strings.Join(parts, "; "))
}
