package main

// This file writes memberships and centers as CSV. Every number has the digits
// that it takes to read the same float64 back.

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/measure"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// centerName is the name of center j, from 0, in reports and as the column of its memberships.
func centerName(j int) string { return "p" + strconv.Itoa(j) }

// largestOf returns the number of each row's largest membership.
func largestOf(memberships *softkmeans.Matrix) []int {
	return (&softkmeans.Model{Memberships: memberships}).Labels(nil)
}

// rowTexts are what outputs repeat of some rows of the input.
type rowTexts struct {
	ids   []string   // nil: none
	kept  [][]string // texts of the columns to keep; nil: none
	left  []bool     // rows that are not fitted, whose fields are empty; nil: none
	zeros []bool     // rows that are left, but have the size 0; nil: none
}

// leave leaves out more of the rows that are fitted.
func (t *rowTexts) leave(more []bool) {
	if t.left == nil {
		t.left = more
		return
	}
	for i, left := range t.left {
		if !left {
			t.left[i], more = more[0], more[1:]
		}
	}
}

func (t *rowTexts) rows() int { return max(len(t.ids), len(t.kept), len(t.left)) }

// names returns the number in the table and the name of fitted row i: its id, or its number.
func (t *rowTexts) names() answer.Naming {
	var fitted []int // nil: all
	for i, left := range t.left {
		if !left {
			fitted = append(fitted, i)
		}
	}
	return func(i int) (int, string) {
		if fitted != nil {
			i = fitted[i]
		}
		if t.ids != nil {
			return i, t.ids[i]
		}
		return answer.Numbered(i)
	}
}

// membershipWriter writes a line for every row: its id and its other texts if there are any, the label, the
// memberships, the cluster, the largest membership, the cluster's probability, and details.
type membershipWriter struct {
	*bufio.Writer // keeps the first error for Flush
	head          *table.Head
	centers       []string // names that are known; nil: p0, p1, …
	sources       bool     // all prototypes are known sources: rows have no numbers of prototypes
	clustered     bool     // rows have clusters
	likely        bool     // clusters have probabilities
	eachLikely    bool     // of every cluster a column of its own, too
	details       []string // the columns of details

	line  []byte   // nil: nothing is written yet
	names []string // of the columns from the label on
	texts rowTexts // of the next rows
	at    int      // the next of them
	// the texts of the rows after them, without rows at the end; nil: none
	more func() (rowTexts, error)
}

// memberRows are rows with memberships. Matrices that a membershipWriter has no columns for are nil.
type memberRows struct {
	labels, clusters                    []int // nil clusters: the labels
	memberships, probabilities, details *softkmeans.Matrix
}

// newMembershipWriter returns nil for nil.
func newMembershipWriter(w io.Writer) *membershipWriter {
	if w == nil {
		return nil
	}
	return &membershipWriter{Writer: bufio.NewWriterSize(w, 1<<16), head: new(table.Head)}
}

// describe takes the columns of the table and the texts of its first rows.
func (w *membershipWriter) describe(h *table.Head, first rowTexts) {
	w.head, w.texts, w.at = h, first, 0
}

// begin writes the head of k prototypes if nothing is written yet.
func (w *membershipWriter) begin(k int) error {
	if w.line != nil {
		return nil
	}
	centers := w.centers
	if centers == nil {
		centers = view.Names(k)
	}
	w.names = append([]string{labelName}, centers...)
	if w.clustered {
		w.names = append(w.names, "cluster")
	}
	if !w.sources {
		w.names = append(w.names, "largest")
	}
	if w.likely {
		w.names = append(w.names, probabilityName)
	}
	for j := 0; w.likely && w.eachLikely && j < k; j++ {
		w.names = append(w.names, probabilityName+"_"+centers[j])
	}
	w.names = append(w.names, w.details...)
	w.line = answer.AppendLine(w.line, append(w.textNames(), w.names...))
	return w.end()
}

// textNames are the columns before the label.
func (w *membershipWriter) textNames() (names []string) {
	if w.head.IDColumn > 0 {
		names = append(names, w.head.IDName)
	}
	return append(names, w.head.KeptNames...)
}

// conclude finishes, and notes a column that has a name of the memberships' own. A nil w does nothing.
func (w *membershipWriter) conclude(notes *[]string) error {
	if w == nil {
		return nil
	}
	for _, name := range w.textNames() {
		if slices.Contains(w.names, name) {
			*notes = append(*notes, "In the memberships two columns are named "+short(name, mostName)+
				"; the first is the table's")
			break
		}
	}
	return w.finish()
}

// add writes the next rows that are fitted, and those before them that are not.
func (w *membershipWriter) add(ctx context.Context, r memberRows) error {
	if err := w.begin(r.memberships.Cols); err != nil {
		return err
	}
	digits := -1
	if slices.Equal(w.details, measure.Names) { // others are shares or sizes
		digits = 6
	}
	largest := largestOf(r.memberships)
	for i, label := range r.labels {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := w.startRow(); err != nil {
			return err
		}
		if w.centers != nil {
			w.line = answer.AppendField(w.line, w.centers[label])
		} else {
			w.line = strconv.AppendInt(w.line, int64(label), 10)
		}
		w.addValues(r.memberships.Row(i), -1)
		cluster := label
		if r.clusters != nil {
			cluster = r.clusters[i]
		}
		if w.clustered {
			w.line = strconv.AppendInt(append(w.line, ','), int64(cluster), 10)
		}
		if !w.sources {
			w.line = strconv.AppendInt(append(w.line, ','), int64(largest[i]), 10)
		}
		if w.likely {
			w.addValues(r.probabilities.Row(i)[cluster:cluster+1], -1)
		}
		if w.likely && w.eachLikely {
			w.addValues(r.probabilities.Row(i), -1)
		}
		if w.details != nil {
			w.addValues(r.details.Row(i), digits)
		}
		if err := w.endRow(); err != nil {
			return err
		}
	}
	return nil
}

func (w *membershipWriter) addValues(values []float64, digits int) {
	for _, v := range values {
		w.line = strconv.AppendFloat(append(w.line, ','), v, 'g', digits, 64)
	}
}

// startRow begins the line of the next row that is fitted with its texts, and writes the
// rows before it that are not. It returns false where there are no more texts.
func (w *membershipWriter) startRow() (bool, error) {
	for {
		for w.at == w.texts.rows() {
			if w.line, w.at = w.line[:0], 0; w.more == nil {
				w.texts = rowTexts{}
				return false, nil
			}
			var err error
			if w.texts, err = w.more(); err != nil || w.texts.rows() == 0 {
				return false, err
			}
		}
		t, i := &w.texts, w.at
		w.at++
		w.line = w.line[:0]
		if t.ids != nil {
			w.line = append(answer.AppendField(w.line, t.ids[i]), ',')
		}
		if t.kept != nil {
			for _, s := range t.kept[i] {
				w.line = append(answer.AppendField(w.line, s), ',')
			}
		}
		if t.left == nil || !t.left[i] {
			return true, nil
		}
		if err := w.endEmpty(t.zeros != nil && t.zeros[i]); err != nil {
			return false, err
		}
	}
}

// endEmpty ends the line of a row without memberships, or of zeros. The size is the last of the details.
func (w *membershipWriter) endEmpty(zeros bool) error {
	w.line = append(w.line, strings.Repeat(",", len(w.names)-1)...)
	if zeros && slices.Contains(w.details, sizeName) {
		w.line = append(w.line, '0')
	}
	return w.endRow()
}

// skip writes the next row, which has none of its k memberships.
func (w *membershipWriter) skip(k int) error {
	if err := w.begin(k); err != nil {
		return err
	}
	if _, err := w.startRow(); err != nil {
		return err
	}
	return w.endEmpty(false)
}

// finish writes the rows after the last one that is fitted.
func (w *membershipWriter) finish() error {
	for more := w.line != nil; more; {
		var err error
		if more, err = w.startRow(); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (w *membershipWriter) endRow() error {
	w.line = append(w.line, '\n')
	return w.end()
}

// end writes the line. Only complete lines reach the writer below, so that output
// that stops early does not end in half a number.
func (w *membershipWriter) end() error {
	if len(w.line) > w.Available() {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	_, err := w.Write(w.line)
	return err
}
