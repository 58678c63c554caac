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
	"softkmeans/internal/table"
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

// membershipWriter writes label,p0,…,p(k−1) for every row, after its id and its other
// texts if there are any, then the cluster, the largest membership, the cluster's probability, and the details.
type membershipWriter struct {
	*bufio.Writer        // keeps the first error for Flush
	line          []byte // nil: nothing is written yet
	head          *table.Head
	k             int
	clustered     bool     // rows have clusters
	likely        bool     // clusters have probabilities
	eachLikely    bool     // of every cluster a column of its own, too
	clusters      []int    // of the next rows; nil: the labels
	texts         rowTexts // of the next rows
	at            int      // the next of them
	// the texts of the rows after them, without rows at the end; nil: none
	more          func() (rowTexts, error)
	probabilities *softkmeans.Matrix // of the next rows, if likely is set
	details       *softkmeans.Matrix // of the next rows: columns after the memberships; nil: none
	named         []string           // of the details; nil: detailNames
	centers       []string           // names that are known; nil: p0, p1, …
	sources       bool               // all prototypes are known sources: rows have no numbers of prototypes
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

func (w *membershipWriter) begin(k int) error {
	w.k = k
	w.line = w.line[:0]
	if w.head.IDColumn > 0 {
		w.line = append(answer.AppendField(w.line, w.head.IDName), ',')
	}
	for _, name := range w.head.KeptNames {
		w.line = append(answer.AppendField(w.line, name), ',')
	}
	w.line = append(w.line, labelName...)
	for j := range k {
		w.line = answer.AppendField(append(w.line, ','), w.center(j))
	}
	for _, name := range w.places() {
		w.line = answer.AppendField(append(w.line, ','), name)
	}
	if w.details != nil {
		for _, name := range w.detailNames() {
			w.line = answer.AppendField(append(w.line, ','), name)
		}
	}
	return w.end()
}

// places are the columns of numbers of prototypes after the memberships, and of probabilities of clusters.
func (w *membershipWriter) places() (list []string) {
	switch {
	case w.sources:
		return nil
	case w.clustered:
		list = append(list, "cluster")
	}
	list = append(list, "largest")
	if w.likely {
		list = append(list, probabilityName)
	}
	for j := 0; w.likely && w.eachLikely && j < w.k; j++ {
		list = append(list, probabilityName+"_"+w.center(j))
	}
	return list
}

func (w *membershipWriter) center(j int) string {
	if w.centers != nil {
		return w.centers[j]
	}
	return centerName(j)
}

func (w *membershipWriter) detailNames() []string {
	if w.named != nil {
		return w.named
	}
	return detailNames
}

// conclude finishes, and notes a column that has a name of the memberships' own. A nil w does nothing.
func (w *membershipWriter) conclude(notes *[]string) error {
	if w == nil {
		return nil
	}
	own := map[string]bool{labelName: true}
	for _, name := range w.places() {
		own[name] = true
	}
	for j := range w.k {
		own[w.center(j)] = true
	}
	names := append([]string{w.head.IDName}, w.head.KeptNames...)
	if i := slices.IndexFunc(names, func(name string) bool { return own[name] }); i >= 0 {
		*notes = append(*notes, "In the memberships two columns are named "+short(names[i], mostName)+
			"; the first is the table's")
	}
	return w.finish()
}

// add writes the next rows that are fitted, and those before them that are not.
func (w *membershipWriter) add(ctx context.Context, labels []int, g *softkmeans.Matrix) error {
	if w.line == nil {
		if err := w.begin(g.Cols); err != nil {
			return err
		}
	}
	largest := largestOf(g)
	for i, label := range labels {
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
		for _, v := range g.Row(i) {
			w.line = strconv.AppendFloat(append(w.line, ','), v, 'g', -1, 64)
		}
		if !w.sources {
			cluster := label
			if w.clusters != nil {
				cluster = w.clusters[i]
			}
			if w.clustered {
				w.line = strconv.AppendInt(append(w.line, ','), int64(cluster), 10)
			}
			w.line = strconv.AppendInt(append(w.line, ','), int64(largest[i]), 10)
			w.addProbabilities(i, cluster)
		}
		if w.details != nil {
			digits := 6
			if w.named != nil { // some are shares
				digits = -1
			}
			for _, v := range w.details.Row(i) {
				w.line = strconv.AppendFloat(append(w.line, ','), v, 'g', digits, 64)
			}
		}
		if err := w.end(); err != nil {
			return err
		}
	}
	return nil
}

// addProbabilities adds the probability of the cluster of row i, and if asked for those of all clusters.
func (w *membershipWriter) addProbabilities(i, cluster int) {
	if !w.likely {
		return
	}
	row := w.probabilities.Row(i)
	w.line = strconv.AppendFloat(append(w.line, ','), row[cluster], 'g', -1, 64)
	for j := 0; w.eachLikely && j < len(row); j++ {
		w.line = strconv.AppendFloat(append(w.line, ','), row[j], 'g', -1, 64)
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
	w.line = append(w.line, strings.Repeat(",", w.k+len(w.places()))...)
	if w.details != nil {
		w.line = append(w.line, strings.Repeat(",", len(w.detailNames()))...)
		if zeros && slices.Contains(w.named, sizeName) {
			w.line = append(w.line, '0')
		}
	}
	return w.end()
}

// skip writes the next row, which has none of its k memberships.
func (w *membershipWriter) skip(k int) error {
	if w.line == nil {
		if err := w.begin(k); err != nil {
			return err
		}
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

// end writes the line. Only complete lines reach the writer below, so that output
// that stops early does not end in half a number.
func (w *membershipWriter) end() error {
	if w.line = append(w.line, '\n'); len(w.line) > w.Available() {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	_, err := w.Write(w.line)
	return err
}
