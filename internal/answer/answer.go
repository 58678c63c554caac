// Package answer is what the commands say. An [Answer] is plain data, which a function fills once for each kind
// of command. Its renderers are JSON (encoding/json of the value), [Answer.Text], and pages, which show the
// [Section] list as well. A new fact is a field here and a line in sections.go.
//
// The package imports neither fmt nor encoding/json, so that a WebAssembly file with it stays small.
package answer

// Version is the version of the JSON. It rises when a field changes its meaning or goes.
const Version = 1

// Answer is what a command found. Parts that a kind of command does not have are empty. Names of prototypes
// are p0, p1, …, or the names of known prototypes. Names of clusters are their numbers 0, 1, …. Numbers that are
// not known are nil.
type Answer struct {
	Version int `json:"version"`
	Read
	Warnings []string `json:"warnings"`           // each says what to do
	Sentence string   `json:"sentence,omitempty"` // the answer in short
	Choice   *Choice  `json:"proposal,omitempty"`

	Method string  `json:"method,omitempty"`
	K      int     `json:"k,omitempty"`
	Bounds *Bounds `json:"bounds,omitempty"` // of the centers
	Kernel string  `json:"kernel,omitempty"` // of similarities
	Gamma  float64 `json:"gamma,omitempty"`

	LabelBy         string      `json:"labelBy,omitempty"`         // cluster, or largest: the largest membership
	Sizes           []int       `json:"sizes,omitempty"`           // rows by label
	Centers         [][]float64 `json:"centers,omitempty"`         // the prototypes in the table's units
	Shown           []int       `json:"shown,omitempty"`           // columns, from 0, that tell most: the first ones most
	Units           string      `json:"units,omitempty"`           // of centers and means, in a sentence
	Where           string      `json:"where,omitempty"`           // how prototypes lie to the data, in sentences
	Clusters        []Cluster   `json:"clusters,omitempty"`        // also of mixtures, whose labels are others
	BetweenClusters *float64    `json:"betweenClusters,omitempty"` // the share of the variance between them; nil: not known
	Filled          bool        `json:"filled,omitempty"`          // their means contain mixtures in place of missing values
	Prototypes      []Prototype `json:"prototypes,omitempty"`      // of the centers
	Probability     *float64    `json:"probability,omitempty"`     // of the rows' own clusters, on average
	Doubt           float64     `json:"doubt,omitempty"`           // the share of rows to which halves give other labels
	TypicalAccuracy float64     `json:"typicalAccuracy,omitempty"` // of labels that change as much; 0: no warning

	// Undetermined: as many prototypes mix any table of this size, so that clusters alone mean something.
	Undetermined bool  `json:"undetermined,omitempty"`
	Between      []Row `json:"between,omitempty"` // rows between two prototypes

	Certificate *Certificate `json:"certificate,omitempty"`
	Quality     []string     `json:"quality,omitempty"` // sentences about the squared error
	Proofs      []string     `json:"proofs,omitempty"`  // sentences about what is proved beside the floor
	Bootstrap   *Bootstrap   `json:"bootstrap,omitempty"`
	Details

	*Scene
	*Known
	Models          *Models   `json:"models,omitempty"`
	CentersFile     string    `json:"centersFile,omitempty"`     // of given prototypes
	MembershipsFile string    `json:"membershipsFile,omitempty"` // of memberships that are certified; "": computed
	Tol             float64   `json:"tol,omitempty"`             // of optimal, in a certificate
	Floors          []Floor   `json:"floors,omitempty"`          // for k = 1, 2, …
	Total           float64   `json:"total,omitempty"`           // of which floors of similarities are shares
	Evidence        *Evidence `json:"evidence,omitempty"`
	Most            int       `json:"-"` // the largest k in a text, beside the one that is chosen

	Brief bool   `json:"-"` // a text has no table of shares, as a file is printed
	Room  int    `json:"-"` // characters of a row of a table; 0: LineWidth
	Next  string `json:"-"` // what to do next, for a text
}

// Read is what was read, and how.
type Read struct {
	Source  string   `json:"source"`
	About   string   `json:"read"` // all of it in one sentence
	Rows    int      `json:"rows"`
	Columns []string `json:"columns"`
	Label   string   `json:"label,omitempty"`   // the column left out
	Weights string   `json:"weights,omitempty"` // the column of weights
	ID      string   `json:"id,omitempty"`      // the column of ids
	Scale   string   `json:"scale"`
	Notes   []string `json:"notes,omitempty"` // what was found out about the table, and done with it
}

// Bounds are those of the values of prototypes, in the table's units.
type Bounds struct {
	Lower *float64 `json:"lower"` // nil: none
	Upper *float64 `json:"upper"`
}

// Cluster is rows around one mean.
type Cluster struct {
	Name    string       `json:"name"`
	Rows    int          `json:"rows"`
	Weight  float64      `json:"weight"`  // a share of all
	Mean    []float64    `json:"mean"`    // in the table's units
	Columns []Difference `json:"columns"` // with the largest differences from the mean of all rows

	Probability float64 `json:"probability"` // of this cluster, the mean over its rows
}

// Prototype is a point that rows are mixtures of.
type Prototype struct {
	Name       string  `json:"name"`
	Membership float64 `json:"membership"` // the mean over the rows
	// The means over the rows of the ends of their ranges, of known prototypes; nil: there are none.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// The columns with the largest differences from the mean of all rows, and the rows with the largest
	// memberships; nil: not looked for.
	Columns []Difference `json:"columns,omitzero"`
	Purest  []Row        `json:"purest,omitzero"`
}

// Difference is how far a value is from the column's mean. Where columns are an axis it is the top of a peak.
type Difference struct {
	Name   string  `json:"name"`
	Value  float64 `json:"difference"`     // in standard deviations
	Around int     `json:"peak,omitempty"` // columns of its peak, if there are several
}

// Row is a row and some of its memberships.
type Row struct {
	Row         int       `json:"row"` // from 1
	ID          string    `json:"id"`
	Prototypes  []string  `json:"prototypes"`
	Memberships []float64 `json:"memberships"`
}

// Certificate compares the squared error of rows, or of similarities, with the floor.
type Certificate struct {
	Certified     bool     `json:"certified"`
	Objective     float64  `json:"objective"`
	Floor         float64  `json:"floor"`
	FloorError    float64  `json:"floorError"`
	Total         float64  `json:"total"`
	Explained     *float64 `json:"explained"` // 1 − objective/total
	Gap           float64  `json:"gap"`
	Excess        *float64 `json:"excess"` // the objective is at most this far above the minimum
	ExcessShare   *float64 `json:"excessShare"`
	ExcessFloors  *float64 `json:"excessFloors"` // nil if the floor is 0 to rounding
	MinMembership float64  `json:"minMembership"`
	MaxSumError   float64  `json:"maxSumError"`
	Repair        float64  `json:"repair"`              // largest change of a membership
	SpanError     *float64 `json:"spanError"`           // nil for a stream
	Solver        string   `json:"solver"`              // that proved the floor
	Estimated     bool     `json:"estimated,omitempty"` // with missing values only floor − floorError is proved

	// Of similarities.
	FloorBy string  `json:"floorBy,omitempty"` // eigenvalues, or duality
	Scale   float64 `json:"scale,omitempty"`   // of products of memberships
}

// Bootstrap is how sure a fit is, by fits of rows drawn with replacement.
type Bootstrap struct {
	Draws       int           `json:"draws"`
	Level       float64       `json:"level"`
	Status      string        `json:"status"`
	Lower       [][]float64   `json:"lower"` // of the centers
	Upper       [][]float64   `json:"upper"`
	Shares      []float64     `json:"shares"`
	ShareLower  []float64     `json:"shareLower"`
	ShareUpper  []float64     `json:"shareUpper"`
	Stability   float64       `json:"stability"`
	LeastStable []UnstableRow `json:"leastStable"`
}

// UnstableRow is a row of the file, from 1, and the share of the draws that give it its label.
type UnstableRow struct {
	Row    int     `json:"row"`
	ID     string  `json:"id,omitempty"`
	Stable float64 `json:"stable"`
}

// Details are for those who ask how a fit was found.
type Details struct {
	Streamed     bool     `json:"streamed,omitempty"`   // read in blocks
	Summarised   bool     `json:"summarised,omitempty"` // the centers were fitted to a sample of the rows
	Mixed        int      `json:"mixed,omitempty"`      // rows between two prototypes
	Moved        int      `json:"moved,omitempty"`      // rows with their largest membership in another cluster
	Others       []Other  `json:"others,omitempty"`
	Solver       string   `json:"solver,omitempty"`
	Lambda       float64  `json:"lambda,omitempty"`
	Epsilon      float64  `json:"epsilon,omitempty"`
	Slack        float64  `json:"slack,omitempty"`        // by which lambda was chosen
	Volume       float64  `json:"volumeRatio,omitempty"`  // times the least; 0: not known
	SameMixtures *Unique  `json:"sameMixtures,omitempty"` // nil: not known
	LossGap      float64  `json:"lossGap,omitempty"`      // above its least, of the total; 0: not known
	Iterations   int      `json:"iterations,omitempty"`
	Status       string   `json:"status,omitempty"`
	How          []string `json:"how,omitempty"` // sentences about λ and the iterations
}

// Unique is a proof.Verdict.
type Unique struct {
	Factor   float64 `json:"factor"` // at most so many times their least volume
	Smallest bool    `json:"smallest"`
	Only     bool    `json:"only"`
}

// Other is an answer with another slack.
type Other struct {
	Factor  float64     `json:"factor"`
	Moved   float64     `json:"moved"` // share of labels, or of memberships; of materials the mean angle in % of π
	Centers [][]float64 `json:"centers"`
}
