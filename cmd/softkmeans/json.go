package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/view"
)

func writeJSON(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(layout(text))
	return err
}

// answer is what a command has found.
type answer interface {
	text() []byte
	json() any
}

func writeAnswer(w io.Writer, a answer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, a.json())
	}
	_, err := w.Write(a.text())
	return err
}

// scalars is a string, or a list without lists and objects in it.
var scalars = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\[(?:[^][{}"]|"(?:[^"\\]|\\.)*")*\]`)

// layout puts every member of an object on its own line, and every item of a list
// unless the items are numbers or strings: a row of a matrix is one line.
func layout(text []byte) []byte {
	var b bytes.Buffer
	json.Indent(&b, append(text, '\n'), "", "\t") // of what Marshal wrote, without an error
	return scalars.ReplaceAllFunc(b.Bytes(), func(list []byte) []byte {
		if list[0] == '"' {
			return list
		}
		fields := strings.Split(string(list[1:len(list)-1]), ",\n")
		for i := range fields {
			fields[i] = strings.Trim(fields[i], "\n\t")
		}
		return []byte("[" + strings.Join(fields, ", ") + "]")
	})
}

// certificateJSON is a certificate. A number that is not known is null.
type certificateJSON struct {
	Certified     bool     `json:"certified"`
	Objective     float64  `json:"objective"`
	Floor         float64  `json:"floor"`
	FloorError    float64  `json:"floorError"`
	Total         float64  `json:"total"`
	Explained     *float64 `json:"explained"` // 1 − objective/total
	Gap           float64  `json:"gap"`
	Excess        *float64 `json:"excess"` // the objective is at most this far above the minimum
	ExcessShare   *float64 `json:"excessShare"`
	ExcessFloors  *float64 `json:"excessFloors"` // null where the floor is within rounding of 0
	MinMembership float64  `json:"minMembership"`
	MaxSumError   float64  `json:"maxSumError"`
	Repair        float64  `json:"repair"`    // largest change of a membership
	SpanError     *float64 `json:"spanError"` // null for a stream
	Solver        string   `json:"solver"`    // that proved the floor
}

func newCertificateJSON(c softkmeans.Certificate, tol float64, streamed bool) *certificateJSON {
	j := &certificateJSON{Certified: c.Optimal(tol), Objective: c.Objective,
		Floor: c.Floor, FloorError: c.FloorError,
		Total: c.Total, Explained: explained(c), Gap: c.Gap,
		Excess: inRange(c.Excess()), ExcessShare: inRange(c.ExcessShare()), ExcessFloors: inRange(c.ExcessFloors()),
		MinMembership: c.MinMembership, MaxSumError: c.MaxSumError,
		Repair: c.Repair, Solver: c.Solver.String()}
	if !streamed {
		j.SpanError = &c.SpanError
	}
	return j
}

// inRange returns nil for a number that is out of range.
func inRange(v float64) *float64 {
	if math.Abs(v) < math.MaxFloat64 {
		return &v
	}
	return nil
}

type fitReportJSON struct {
	Source  string   `json:"source"`
	Rows    int      `json:"rows"`
	Columns []string `json:"columns"`
	Label   string   `json:"label,omitempty"`   // the column left out
	Weights string   `json:"weights,omitempty"` // the column of weights
	ID      string   `json:"id,omitempty"`      // the column of ids
	Notes   []string `json:"notes,omitempty"`   // what was found out about the table, and done with it

	Method      string           `json:"method"`
	K           int              `json:"k"`
	Scale       string           `json:"scale"`
	Bounds      *boundsJSON      `json:"bounds,omitempty"` // of the centers
	Kernel      string           `json:"kernel,omitempty"`
	Gamma       float64          `json:"gamma,omitempty"`
	Proposal    string           `json:"proposal,omitempty"`   // the reason for k, with -k auto
	Sizes       []int            `json:"sizes"`                // rows by label
	LabelBy     string           `json:"labelBy"`              // cluster, or largest: the largest membership
	Centers     [][]float64      `json:"centers,omitempty"`    // in the table's units
	Prototypes  []prototypeJSON  `json:"prototypes,omitempty"` // what they mean
	Between     []rowJSON        `json:"between,omitempty"`    // rows between two prototypes
	Clusters    *clustersJSON    `json:"clusters,omitempty"`   // absent: the method has none
	Others      []answerJSON     `json:"others,omitempty"`
	Certificate *certificateJSON `json:"certificate,omitempty"`
	Bootstrap   *surenessJSON    `json:"bootstrap,omitempty"`
	Similarity  *similarityJSON  `json:"similarity,omitempty"`

	Streamed   bool        `json:"streamed"`   // read in blocks
	Summarised bool        `json:"summarised"` // the centers were fitted to a sample of the rows
	Solver     string      `json:"solver,omitempty"`
	Lambda     float64     `json:"lambda,omitempty"`
	Epsilon    float64     `json:"epsilon,omitempty"`
	Slack      float64     `json:"slack,omitempty"`        // by which lambda was chosen
	Volume     float64     `json:"volumeRatio,omitempty"`  // times the least; absent: not known
	Unique     *uniqueJSON `json:"sameMixtures,omitempty"` // absent: not known
	LossGap    float64     `json:"lossGap,omitempty"`      // above its least, of the total; absent: not known
	Iterations int         `json:"iterations"`
	Status     string      `json:"status"`
	Warnings   []string    `json:"warnings"`
}

// uniqueJSON is a proof.Verdict.
type uniqueJSON struct {
	Factor   float64 `json:"factor"` // at most so many times their least volume
	Smallest bool    `json:"smallest"`
	Only     bool    `json:"only"`
}

type answerJSON struct {
	Factor  float64     `json:"factor"`
	Moved   float64     `json:"moved"`
	Centers [][]float64 `json:"centers"`
}

type similarityJSON struct {
	AtFloor    bool    `json:"atFloor"` // to 1e-9 of the total; the objective is as computed
	Objective  float64 `json:"objective"`
	Floor      float64 `json:"floor"`
	FloorError float64 `json:"floorError"`
	FloorBy    string  `json:"floorBy"` // eigenvalues, or duality
	Total      float64 `json:"total"`
	Gap        float64 `json:"gap"`
	Scale      float64 `json:"scale"`
}

func (r *result) json() any { return r.reportJSON() }

func (r *result) reportJSON() *fitReportJSON {
	j := &fitReportJSON{
		Source: r.Source, Rows: r.rows, Columns: r.Names, Label: r.LabelName,
		Weights: r.WeightsName, ID: r.IDName, Notes: r.Notes,
		Method: r.method.String(), K: r.k, Scale: scale.KindOf(r.scale).String(), Sizes: r.sizes,
		Bounds: r.bounds.json(), Streamed: r.streamed, Summarised: r.summarised, Warnings: []string{}}
	if j.LabelBy = "largest"; r.clustered() && !r.mixtures {
		j.LabelBy = "cluster"
	}
	j.Prototypes, j.Between = r.prototypesJSON()
	switch {
	case r.choice != nil:
		j.Proposal = r.choice.Reason
	case r.proposal != nil:
		j.Proposal = r.proposal.Reason
	}
	if r.lsd != nil {
		m, by := r.rated(), "eigenvalues"
		if r.byDuality() {
			by = "duality"
		}
		j.Kernel, j.Gamma = r.kernel.String(), r.gamma
		j.Similarity = &similarityJSON{r.similarityAtFloor(), m.Objective,
			m.Floor, m.FloorError, by, m.Total, m.Gap, m.Scale}
		j.Iterations, j.Status = m.Iterations, m.Status.String()
		return j
	}
	m := r.model
	j.Centers, j.Certificate = rowsOf(r.centers), newCertificateJSON(r.cert, certifiedTol, r.streamed)
	j.Bootstrap, j.Clusters = r.sure.json(), r.clustersJSON()
	for _, other := range r.others {
		j.Others = append(j.Others, answerJSON{other.Factor, other.Moved, rowsOf(other.Centers)})
	}
	j.Solver, j.Lambda, j.Epsilon, j.Slack = m.Solver.String(), m.Lambda, m.Epsilon, m.Slack
	if r.faint != "" {
		j.Notes = append(slices.Clone(j.Notes), r.faint)
	}
	if v := r.compact.VolumeRatio; v < math.MaxFloat64 {
		j.Volume = v
	}
	if v := r.compact.LossGap; v < math.MaxFloat64 {
		j.LossGap = v
	}
	if v := r.compact.Unique; v != nil && v.Factor < math.MaxFloat64 {
		j.Unique = &uniqueJSON{v.Factor, v.Smallest(), v.Only()}
	}
	j.Iterations, j.Status = m.Iterations, m.Status.String()
	j.Warnings = append(j.Warnings, view.Warnings(m)...)
	return j
}
