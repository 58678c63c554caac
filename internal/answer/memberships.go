package answer

// Memberships as CSV. Every number has the digits that it takes to read the same float64.

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/measure"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// The columns of memberships that have the labels, the probabilities of the rows' clusters, and the sizes of rows.
// The columns of the probabilities of all clusters have the name of the prototype after it.
const (
	LabelName       = "label"
	ProbabilityName = "probability"
	SizeName        = "size"
)

// LargestOf returns the number of each row's largest membership.
func LargestOf(memberships *softkmeans.Matrix) []int {
	return (&softkmeans.Model{Memberships: memberships}).Labels(nil)
}

// Texts are what outputs repeat of some rows of the input.
type Texts struct {
	IDs  []string   // nil: none
	Kept [][]string // texts of the columns to keep; nil: none
	Left []bool     // rows that are not fitted, whose fields are empty; nil: none
}

// Leave leaves out more of the rows that are fitted.
func (t *Texts) Leave(more []bool) {
	if t.Left == nil {
		t.Left = more
		return
	}
	for i, left := range t.Left {
		if !left {
			t.Left[i], more = more[0], more[1:]
		}
	}
}

func (t *Texts) rows() int { return max(len(t.IDs), len(t.Kept), len(t.Left)) }

// Names returns the number in the table and the name of fitted row i: its id, or its number.
func (t *Texts) Names() Naming {
	var fitted []int // nil: all
	for i, left := range t.Left {
		if !left {
			fitted = append(fitted, i)
		}
	}
	return func(i int) (int, string) {
		if fitted != nil {
			i = fitted[i]
		}
		if t.IDs != nil {
			return i, t.IDs[i]
		}
		return Numbered(i)
	}
}

// MembershipWriter writes a line for every row: its id and its other texts if there are any, the label, the
// memberships, the cluster, the largest membership, the cluster's probability, and details.
type MembershipWriter struct {
	*bufio.Writer // keeps the first error for Flush
	head          *table.Head
	Centers       []string // names that are known; nil: p0, p1, …
	Sources       bool     // all prototypes are known sources: rows have no numbers of prototypes
	Clustered     bool     // rows have clusters
	Likely        bool     // clusters have probabilities
	EachLikely    bool     // of every cluster a column of its own, too
	Details       []string // the columns of details

	line  []byte   // nil: nothing is written yet
	names []string // of the columns from the label on
	texts Texts    // of the next rows
	at    int      // the next of them
	// the texts of the rows after them, without rows at the end; nil: none
	More func() (Texts, error)
}

// MemberRows are rows with memberships. Matrices that a MembershipWriter has no columns for are nil.
type MemberRows struct {
	Labels, Clusters                    []int // nil clusters: the labels
	Memberships, Probabilities, Details *softkmeans.Matrix
}

// NewMembershipWriter returns nil for nil.
func NewMembershipWriter(w io.Writer) *MembershipWriter {
	if w == nil {
		return nil
	}
	return &MembershipWriter{Writer: bufio.NewWriterSize(w, 1<<16), head: new(table.Head)}
}

// Describe takes the columns of the table and the texts of its first rows.
func (w *MembershipWriter) Describe(h *table.Head, first Texts) {
	w.head, w.texts, w.at = h, first, 0
}

// begin writes the head of k prototypes if nothing is written yet.
func (w *MembershipWriter) begin(k int) error {
	if w.line != nil {
		return nil
	}
	centers := w.Centers
	if centers == nil {
		centers = view.Names(k)
	}
	w.names = append([]string{LabelName}, centers...)
	if w.Clustered {
		w.names = append(w.names, "cluster")
	}
	if !w.Sources {
		w.names = append(w.names, "largest")
	}
	if w.Likely {
		w.names = append(w.names, ProbabilityName)
	}
	for j := 0; w.Likely && w.EachLikely && j < k; j++ {
		w.names = append(w.names, ProbabilityName+"_"+centers[j])
	}
	w.names = append(w.names, w.Details...)
	w.line = AppendLine(w.line, append(w.textNames(), w.names...))
	return w.end()
}

// textNames are the columns before the label.
func (w *MembershipWriter) textNames() (names []string) {
	if w.head.IDColumn > 0 {
		names = append(names, w.head.IDName)
	}
	return append(names, w.head.KeptNames...)
}

// Conclude finishes, and notes a column that has a name of the memberships' own. A nil w does nothing.
func (w *MembershipWriter) Conclude(notes *[]string) error {
	if w == nil {
		return nil
	}
	for _, name := range w.textNames() {
		if slices.Contains(w.names, name) {
			*notes = append(*notes, "In the memberships two columns are named "+table.Short(name, table.MostName)+
				"; the first is the table's")
			break
		}
	}
	return w.Finish()
}

// Add writes the next rows that are fitted, and those before them that are not.
func (w *MembershipWriter) Add(ctx context.Context, r MemberRows) error {
	if err := w.begin(r.Memberships.Cols); err != nil {
		return err
	}
	digits := -1
	if slices.Equal(w.Details, measure.Names) { // others are shares or sizes
		digits = 6
	}
	largest := LargestOf(r.Memberships)
	for i, label := range r.Labels {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := w.startRow(); err != nil {
			return err
		}
		if w.Centers != nil {
			w.line = AppendField(w.line, w.Centers[label])
		} else {
			w.line = strconv.AppendInt(w.line, int64(label), 10)
		}
		w.addValues(r.Memberships.Row(i), -1)
		cluster := label
		if r.Clusters != nil {
			cluster = r.Clusters[i]
		}
		if w.Clustered {
			w.line = strconv.AppendInt(append(w.line, ','), int64(cluster), 10)
		}
		if !w.Sources {
			w.line = strconv.AppendInt(append(w.line, ','), int64(largest[i]), 10)
		}
		if w.Likely {
			w.addValues(r.Probabilities.Row(i)[cluster:cluster+1], -1)
		}
		if w.Likely && w.EachLikely {
			w.addValues(r.Probabilities.Row(i), -1)
		}
		if w.Details != nil {
			w.addValues(r.Details.Row(i), digits)
		}
		if err := w.endRow(); err != nil {
			return err
		}
	}
	return nil
}

func (w *MembershipWriter) addValues(values []float64, digits int) {
	for _, v := range values {
		w.line = strconv.AppendFloat(append(w.line, ','), v, 'g', digits, 64)
	}
}

// startRow begins the line of the next row that is fitted with its texts, and writes the
// rows before it that are not. It returns false where there are no more texts.
func (w *MembershipWriter) startRow() (bool, error) {
	for {
		for w.at == w.texts.rows() {
			if w.line, w.at = w.line[:0], 0; w.More == nil {
				w.texts = Texts{}
				return false, nil
			}
			var err error
			if w.texts, err = w.More(); err != nil || w.texts.rows() == 0 {
				return false, err
			}
		}
		t, i := &w.texts, w.at
		w.at++
		w.line = w.line[:0]
		if t.IDs != nil {
			w.line = append(AppendField(w.line, t.IDs[i]), ',')
		}
		if t.Kept != nil {
			for _, s := range t.Kept[i] {
				w.line = append(AppendField(w.line, s), ',')
			}
		}
		if t.Left == nil || !t.Left[i] {
			return true, nil
		}
		if err := w.endEmpty(); err != nil {
			return false, err
		}
	}
}

// endEmpty ends the line of a row without memberships.
func (w *MembershipWriter) endEmpty() error {
	w.line = append(w.line, strings.Repeat(",", len(w.names)-1)...)
	return w.endRow()
}

// Skip writes the next row, which has none of its k memberships.
func (w *MembershipWriter) Skip(k int) error {
	if err := w.begin(k); err != nil {
		return err
	}
	if _, err := w.startRow(); err != nil {
		return err
	}
	return w.endEmpty()
}

// Finish writes the rows after the last one that is fitted.
func (w *MembershipWriter) Finish() error {
	for more := w.line != nil; more; {
		var err error
		if more, err = w.startRow(); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (w *MembershipWriter) endRow() error {
	w.line = append(w.line, '\n')
	return w.end()
}

// end writes the line. Only complete lines reach the writer below, so that output
// that stops early does not end in half a number.
func (w *MembershipWriter) end() error {
	if len(w.line) > w.Available() {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	_, err := w.Write(w.line)
	return err
}
