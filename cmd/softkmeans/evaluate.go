package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"softkmeans"
	"softkmeans/internal/rows"
	"softkmeans/internal/table"
)

const evaluateHelp = `Usage: softkmeans evaluate [flags] TRUTH LABELS

How well do labels agree with known classes? TRUTH has the class of every row,
LABELS the cluster that was found for it: two columns of numbers or words, of
CSV or .npy files, which gzip may have compressed, in the same order of rows.
Either may be -, standard input, and both may be the same file. The names do not
matter: clusters are matched to classes. What a column writes in two ways, as 1
and 1.0 in a text, is two classes.

  -truth COL    the column of TRUTH, by its name in the header or by its number
                from 1 (a whole number is always a number); the default is the
                only column, or the one named label
  -labels COL   that of LABELS, likewise
  -json         the report as JSON
` + textHelp + `                -header and -delimiter are of both files

What is printed: ACC, the share of rows that are right where each cluster is
matched to a class of its own in the best way; NMI, the mutual information by
the geometric mean of the entropies; purity, the share of rows of the most
frequent class of their cluster; the adjusted Rand index; and the rows by class
and cluster.

Examples: softkmeans evaluate testdata/iris.labels.csv memberships.csv
          softkmeans evaluate -truth species flowers.csv memberships.csv

` + exitHelp

// evaluateFlags is the command line of evaluate.
type evaluateFlags struct {
	inputFlags
	truth, labels string // columns
	json          bool
}

// newEvaluateFlagSet returns the flags, bound to f. Their help is evaluateHelp.
func newEvaluateFlagSet(f *evaluateFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("evaluate", flag.ContinueOnError)
	f.addText(fs)
	fs.StringVar(&f.truth, "truth", "", "")
	fs.StringVar(&f.labels, "labels", "", "")
	fs.BoolVar(&f.json, "json", false, "")
	return fs
}

func runEvaluate(ctx context.Context, args []string, s streams) error {
	var f evaluateFlags
	files, err := parseFlags(newEvaluateFlagSet(&f), args, 2)
	if err != nil {
		return err
	}
	for _, c := range [][2]string{{"truth", f.truth}, {"labels", f.labels}} {
		if err := f.checkColumn(c[0], c[1]); err != nil {
			return err
		}
	}
	switch {
	case len(files) < 2:
		return usageErrorf("evaluate takes 2 files, that of the classes and that of the labels, not %d", len(files))
	case files[0] == "-" && files[1] == "-":
		return usageErrorf("standard input can be read only once; give one of the files by name")
	}
	truth, err := f.readClasses(ctx, files[0], s.in, "truth", f.truth)
	if err != nil {
		return err
	}
	labels, err := f.readClasses(ctx, files[1], s.in, "labels", f.labels)
	if err != nil {
		return err
	}
	if a, b := len(truth.Class), len(labels.Class); a != b {
		hint := ""
		if a-b == 1 || b-a == 1 {
			hint = "; is the first line of one of them a header, or not? See -header"
		}
		return fmt.Errorf("%s has %s, but %s has %s%s", truth.Source, count(a, "row"), labels.Source, count(b, "row"), hint)
	}
	e, err := await(ctx, func() (*evaluation, error) { return evaluate(truth, labels) })
	if err != nil {
		return err
	}
	if f.json {
		return writeJSON(s.out, e.json())
	}
	_, err = s.out.Write(e.text())
	return err
}

// readClasses reads a column, which the flag of that name chose.
func (f *evaluateFlags) readClasses(ctx context.Context, name string, stdin io.Reader, flag, column string) (*table.Classes, error) {
	in, source, err := openInput(ctx, name, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	d := f.dialect
	d.Words.Label = "-" + flag
	return await(ctx, func() (*table.Classes, error) {
		c, err := rows.ReadClasses(in, source, d, column)
		if err == nil {
			sortClasses(c)
		}
		return c, err
	})
}

// sortClasses numbers the classes in the order of their values: of numbers, or of
// words where one is no number.
func sortClasses(c *table.Classes) {
	values := make([]float64, len(c.Classes))
	numbers := true
	for i, s := range c.Classes {
		var err error
		values[i], err = strconv.ParseFloat(s, 64)
		numbers = numbers && err == nil
	}
	order := make([]int, len(c.Classes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if numbers && values[a] != values[b] {
			return cmp.Compare(values[a], values[b])
		}
		return cmp.Compare(c.Classes[a], c.Classes[b])
	})
	names, place := make([]string, len(order)), make([]int, len(order))
	for i, from := range order {
		names[i], place[from] = c.Classes[from], i
	}
	for i, class := range c.Class {
		c.Class[i] = place[class]
	}
	c.Classes = names
}

// mostPairs is up to how many pairs of class and cluster are counted, and matched:
// 2048 of each. Nobody wants more, and a column of anything but labels has them soon.
const mostPairs = 1 << 22

// evaluation is what evaluate tells of.
type evaluation struct {
	truth, labels             *table.Classes
	accuracy                  *float64 // nil: more than mostPairs
	nmi, purity, adjustedRand float64
	counts                    [][]int // by class and cluster; nil: as accuracy
}

func evaluate(truth, labels *table.Classes) (*evaluation, error) {
	e := &evaluation{truth: truth, labels: labels}
	a, b := truth.Class, labels.Class
	var err error
	for _, m := range []struct {
		to  *float64
		get func(truth, labels []int) (float64, error)
	}{{&e.nmi, softkmeans.NMI}, {&e.purity, softkmeans.Purity}, {&e.adjustedRand, softkmeans.AdjustedRand}} {
		if *m.to, err = m.get(a, b); err != nil {
			return nil, err
		}
	}
	if len(labels.Classes) > mostPairs/len(truth.Classes) {
		return e, nil
	}
	accuracy, err := softkmeans.Accuracy(a, b)
	if err != nil {
		return nil, err
	}
	e.accuracy = &accuracy
	e.counts = make([][]int, len(truth.Classes))
	for i := range e.counts {
		e.counts[i] = make([]int, len(labels.Classes))
	}
	for i, class := range a {
		e.counts[class][b[i]]++
	}
	return e, nil
}

// json is what -json prints.
func (e *evaluation) json() any {
	type side struct {
		Source string   `json:"source"`
		Column string   `json:"column"`
		Values []string `json:"values"`
	}
	return struct {
		Truth        side     `json:"truth"`
		Labels       side     `json:"labels"`
		Rows         int      `json:"rows"`
		Accuracy     *float64 `json:"accuracy"` // null: too many pairs of class and cluster
		NMI          float64  `json:"nmi"`
		Purity       float64  `json:"purity"`
		AdjustedRand float64  `json:"adjustedRand"`
		Counts       [][]int  `json:"counts"` // by class and cluster; null as accuracy
	}{side{e.truth.Source, e.truth.Name, e.truth.Classes}, side{e.labels.Source, e.labels.Name, e.labels.Classes},
		len(e.truth.Class), e.accuracy, e.nmi, e.purity, e.adjustedRand, e.counts}
}

// text is the report.
func (e *evaluation) text() []byte {
	var b bytes.Buffer
	side := func(c *table.Classes, one, more string) {
		n := len(c.Classes)
		fmt.Fprintf(&b, "%s, column %s: %s in %d %s\n", c.Source, short(c.Name, mostName), count(len(c.Class), "row"), n, plural(n, one, more))
	}
	side(e.truth, "class", "classes")
	side(e.labels, "cluster", "clusters")
	line := func(name, value, remark string) { fmt.Fprintf(&b, "  %-14s %-8s %s\n", name, value, remark) }
	share := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	b.WriteString("\nAgreement\n\n")
	if e.accuracy != nil {
		line("ACC", share(*e.accuracy), "of the rows are right, with the best one-to-one matching")
	} else {
		line("ACC", "-", "not computed for so many classes and clusters")
	}
	line("NMI", share(e.nmi), "mutual information, from 0 to 1")
	line("purity", share(e.purity), "of the rows are of the most frequent class of their cluster")
	line("adjusted Rand", share(e.adjustedRand), "pairs that agree, 0 by chance, 1 at best")
	if e.counts != nil {
		b.WriteString("\nRows by class (down) and cluster (across)\n\n")
		writeCounts(&b, e.truth.Classes, e.labels.Classes, e.counts)
	}
	return b.Bytes()
}

// mostShown is up to how many classes and clusters the table of counts has.
const mostShown = 20

// writeCounts writes a table with sums. Of too many classes or clusters the largest
// are shown, in their order, and the others together.
func writeCounts(b *bytes.Buffer, classes, clusters []string, counts [][]int) {
	down, across := make([]int, len(classes)), make([]int, len(clusters))
	all := 0
	for i, row := range counts {
		for j, n := range row {
			down[i] += n
			across[j] += n
			all += n
		}
	}
	rows := largest(down, mostShown)
	names := func(values []string, of []int) []string {
		list := []string{}
		for _, i := range of {
			list = append(list, short(values[i], 16))
		}
		if left := len(values) - len(of); left > 0 {
			list = append(list, fmt.Sprintf("%d others", left))
		}
		return append(list, "sum")
	}
	head := names(classes, rows)
	first := 0
	for _, s := range head {
		first = max(first, utf8.RuneCountInString(s))
	}
	// As many clusters as a line has room for.
	var columns []int
	var top []string
	var width []int
	for most := mostShown; ; most-- {
		columns = largest(across, most)
		top = names(clusters, columns)
		width = width[:0]
		total := 2 + first
		for _, s := range top {
			w := max(utf8.RuneCountInString(s), len(strconv.Itoa(all)))
			width = append(width, w)
			total += 2 + w
		}
		if total <= lineWidth || most == 1 {
			break
		}
	}
	write := func(name string, cells []string) {
		fmt.Fprintf(b, "  %-*s", first, name)
		for i, s := range cells {
			fmt.Fprintf(b, "  %*s", width[i], s)
		}
		b.WriteByte('\n')
	}
	// cells are those of a row of counts.
	cells := func(row []int, sum int) (list []string) {
		rest := sum
		for _, j := range columns {
			list = append(list, strconv.Itoa(row[j]))
			rest -= row[j]
		}
		if len(columns) < len(clusters) {
			list = append(list, strconv.Itoa(rest))
		}
		return append(list, strconv.Itoa(sum))
	}
	write("", top)
	others, left := slices.Clone(across), all
	for at, i := range rows {
		write(head[at], cells(counts[i], down[i]))
		for j, n := range counts[i] {
			others[j] -= n
		}
		left -= down[i]
	}
	if len(rows) < len(classes) {
		write(head[len(rows)], cells(others, left))
	}
	write("sum", cells(across, all))
}

// largest returns where the largest sizes stand, in ascending order.
func largest(sizes []int, most int) []int {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	order = order[:min(most, len(order))]
	slices.Sort(order)
	return order
}

// short is a value for the head of a column or row, of so many characters at most.
func short(s string, most int) string {
	s = table.Printable(s)
	if s == "" {
		return "(none)"
	}
	if r := []rune(s); len(r) > most {
		return strings.TrimRight(string(r[:most-1]), " ") + "…"
	}
	return s
}
