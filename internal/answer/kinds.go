package answer

// What answers about images, known prototypes, floors and two models have beside the parts of a fit.

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/sources"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// Scene is what was found of an image. Lists have a value for each material.
type Scene struct {
	Lines       int       `json:"lines"`
	Samples     int       `json:"samples"`
	Bands       int       `json:"bands"` // of the file, with -centers those that are used
	Empty       int       `json:"empty"` // pixels left out, without data
	Incomplete  int       `json:"incomplete"`
	BadBands    []int     `json:"badBands"` // left out, from 1
	Wavelengths []float64 `json:"wavelengths,omitempty"`
	Unit        string    `json:"wavelengthUnits,omitempty"`
	Shares      []float64 `json:"meanShares"`
	Pure        []int     `json:"nearlyPure"`       // pixels with a share of 0.9 or more
	RowScaling  string    `json:"rowScaling"`       // given, or unit: pixels have a brightness of their own
	Shade       *Shade    `json:"shade,omitempty"`  // with unit
	Turns       []float64 `json:"sureTo,omitempty"` // see Turns, PureRows, Noise of unmix.Result
	PureRows    []float64 `json:"pureRows,omitempty"`
	BandNoise   []float64 `json:"bandNoise,omitempty"` // of the columns, over the median
	Trimmed     []Pixel   `json:"trimmed"`             // left out as outliers
	LambdaBy    string    `json:"lambdaBy,omitempty"`  // noise, slack or lambda: what set it
}

// Shade is the brightness of pixels.
type Shade struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"` // of an even number the mean of two
	Max    float64 `json:"max"`
}

// ShadeOf sums up the brightness of pixels; nil: they have none.
func ShadeOf(list []float64) *Shade {
	n := len(list)
	if n == 0 {
		return nil
	}
	v := slices.Sorted(slices.Values(list))
	return &Shade{Min: v[0], Median: v[(n-1)/2]/2 + v[n/2]/2, Max: v[n-1]}
}

// Words is as in "the brightness is 1 to 3 (median 2)".
func (s *Shade) Words() string {
	return view.Small(s.Min) + " to " + view.Small(s.Max) + " (median " + view.Small(s.Median) + ")"
}

// Pixel is a place, from 1.
type Pixel struct {
	Line   int `json:"line"` // of a list of pixels its number
	Sample int `json:"sample"`
}

// mostListed is how many outliers a text names.
const mostListed = 5

// Outliers says which pixels, of an image or of a list, were left out of the fit, in a line or none.
func Outliers(trimmed []Pixel, pictured bool) []string {
	n := len(trimmed)
	if n == 0 {
		return nil
	}
	var places []string
	for _, p := range trimmed[:min(n, mostListed)] {
		place := "pixel " + strconv.Itoa(p.Line)
		if pictured {
			place = "line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Sample)
		}
		places = append(places, place)
	}
	if n > mostListed {
		places = append(places, "…")
	}
	return []string{view.Count(n, "pixel") + table.Plural(n, " is", " are") + " left out of the fit as " +
		table.Plural(n, "an outlier", "outliers") + ": " + strings.Join(places, "; ") + "."}
}

// Known is what was found of rows with prototypes that are known, or of a model.
type Known struct {
	Unique   bool    `json:"unique"`          // every row has one nearest mixture, or this was not asked
	Draws    int     `json:"draws,omitempty"` // of the sources, by their standard deviations
	Outside  int     `json:"outside"`         // rows farther out than noise, or than those of the fit
	Noise    float64 `json:"noise,omitempty"` // of a value; 0: not known
	Farthest []Far   `json:"farthest"`
}

// mostFar is how many rows outside are named.
const mostFar = 5

// FillKnown fills in the shares of rows with these labels, and the rows that are outside.
func (a *Answer) FillKnown(k *sources.Answer, labels []int, name Naming) {
	n, rows := k.Farthest(mostFar)
	a.Known = &Known{Unique: !k.Result.Open, Noise: k.Noise.Value, Outside: n, Farthest: []Far{}}
	if k.Result.Drawn != nil {
		a.Draws = sources.Draws
	}
	for _, i := range rows {
		row, id := name(i)
		a.Farthest = append(a.Farthest, Far{Row: row + 1, ID: id, Residual: k.Result.Residual[i]})
	}
	a.Sizes = make([]int, len(k.Mixer.Groups))
	for _, label := range labels {
		a.Sizes[label]++
	}
	mean := func(m *softkmeans.Matrix, j int) *float64 {
		if m == nil {
			return nil
		}
		sum := 0.0
		for i := range m.Rows {
			sum += m.At(i, j)
		}
		sum /= float64(m.Rows)
		return &sum
	}
	for j, v := range k.Means() {
		a.Prototypes = append(a.Prototypes, Prototype{Name: k.Mixer.Groups[j], Membership: v, Low: mean(k.Result.Low, j),
			High: mean(k.Result.High, j)})
	}
	a.K, a.Sentence = len(k.Mixer.Groups), a.mixtures(k.Result.Open)
	out := k.OutWords(mostFar, func(i int) string {
		_, id := name(i)
		return word(id)
	})
	for _, line := range []string{k.OpenWords(), out} {
		if line != "" {
			a.Quality = append(a.Quality, line)
		}
	}
}

// mostNamed is how many prototypes a sentence names.
const mostNamed = 6

// mixtures says what rows are made of, on average, the largest part first. open says that shares are not unique.
func (a *Answer) mixtures(open bool) string {
	list := slices.Clone(a.Prototypes)
	slices.SortStableFunc(list, func(p, q Prototype) int { return cmp.Compare(q.Membership, p.Membership) })
	var parts []string
	for _, p := range list[:min(len(list), mostNamed)] {
		share := view.Percent(p.Membership)
		if open {
			share = "about " + whole(p.Membership) + " %"
		}
		if share += " " + word(p.Name); p.Low != nil && p.High != nil {
			share += " (" + whole(*p.Low) + " to " + whole(*p.High) + " %)"
		}
		parts = append(parts, share)
	}
	if n := len(list) - len(parts); n > 0 {
		parts = append(parts, view.Count(n, "other")+" the rest")
	}
	text := "On average a row is " + view.And(parts) + "."
	if slices.ContainsFunc(list, func(p Prototype) bool { return p.Low != nil }) {
		text += " In brackets: the means of the rows' ranges."
	}
	wide := func(p Prototype) bool { return p.Low == nil || *p.High-*p.Low > 1e-6 }
	if open && slices.ContainsFunc(list, wide) {
		text += " Other shares fit as well."
	}
	return text
}

// Far is a row far from its mixture.
type Far struct {
	Row      int     `json:"row"` // from 1
	ID       string  `json:"id"`
	Residual float64 `json:"residual"`
}

// Floor is the least squared error of k prototypes. Numbers that do not exist are nil: step and stick of k = 1,
// and shares of a total of 0.
type Floor struct {
	K         int      `json:"k"`
	Floor     float64  `json:"floor"`
	Explained *float64 `json:"explained"`
	Step      *float64 `json:"step"`
	Stick     *float64 `json:"stick,omitempty"`
}

// Evidence is what a choice of k rests on. Lists begin with k = 1; those of noise and held-out entries are
// empty for similarities.
type Evidence struct {
	Edge       int       `json:"edge,omitempty"`
	HeldOut    int       `json:"heldOut,omitempty"`
	Stable     int       `json:"stable,omitempty"`
	Clusters   int       `json:"clusters,omitempty"`
	Rows       int       `json:"rows"`
	Drawn      bool      `json:"drawn,omitempty"` // these rows are a sample
	Permuted   bool      `json:"permuted,omitempty"`
	Step       []float64 `json:"step,omitempty"`
	Bound      []float64 `json:"bound,omitempty"`
	Error      []float64 `json:"error,omitempty"`
	Deviation  []float64 `json:"errorDeviation,omitempty"`
	Agreement  []float64 `json:"agreement,omitempty"`
	Chance     []float64 `json:"chance,omitempty"`
	Silhouette []float64 `json:"silhouette,omitempty"`
}

// Models is two models, A and B, and which center is which.
type Models struct {
	Of       []ModelFile `json:"of"`
	Distance float64     `json:"distance"` // root mean square distance of two centers of A
	Matches  []Match     `json:"matches"`  // a center of A each
	New      []Newcomer  `json:"new"`      // centers of B without a match
}

// ModelFile is the file of a model.
type ModelFile struct {
	File   string `json:"file"`
	Method string `json:"method"`
	K      int    `json:"k"`
	Rows   int    `json:"rows"`
}

// Match is a center of A. Members about its match are nil without one.
type Match struct {
	A          int       `json:"aCenter"`
	B          *int      `json:"bCenter"`
	Moved      *float64  `json:"moved"`
	Relative   *float64  `json:"movedShare"` // of the distance
	Difference []float64 `json:"difference"` // by column, in the table's units
	RowsA      int       `json:"aRows"`
	ShareA     float64   `json:"aShare"` // of the rows
	RowsB      *int      `json:"bRows"`
	ShareB     *float64  `json:"bShare"`
}

// Newcomer is a center of B without a match.
type Newcomer struct {
	B     int     `json:"bCenter"`
	Rows  int     `json:"bRows"`
	Share float64 `json:"bShare"`
}

// models has the matches of two models, and the differences of their centers.
func (a *Answer) models() []Section {
	t := &Table{Head: []string{"A", "B", "moved", "fraction of the distance between prototypes", "rows of A", "rows of B"}}
	rows := func(n int, share float64) string { return strconv.Itoa(n) + " (" + percent2(share) + ")" }
	var values [][]float64
	var names []string
	for _, m := range a.Models.Matches {
		row := []string{"p" + strconv.Itoa(m.A), "–", "–", "–", rows(m.RowsA, m.ShareA), "–"}
		if m.B != nil {
			row[1], row[2], row[5] = "p"+strconv.Itoa(*m.B), view.Small(*m.Moved), rows(*m.RowsB, *m.ShareB)
			names, values = append(names, row[0]), append(values, m.Difference)
		}
		if m.Relative != nil {
			row[3] = percent2(*m.Relative)
		}
		t.Rows = append(t.Rows, row)
	}
	for _, n := range a.Models.New {
		t.Rows = append(t.Rows, []string{"–", "p" + strconv.Itoa(n.B), "–", "–", "–", rows(n.Rows, n.Share)})
	}
	s := Section{ID: "moved", Title: "Changes of the prototypes from A to B, in the table's units"}
	s.Table, s.Lines = a.allValues(names, values)
	return []Section{{ID: "matches", Title: "Matched prototypes of A and B, and the rows with their labels", Table: t}, s}
}

// shares has the mean shares of known prototypes, or of the materials of a scene.
func (a *Answer) shares() Section {
	t, ranged := &Table{Head: []string{"prototype", "mean share", "rows where largest"}}, false
	s := Section{ID: "shares", Table: t}
	scene, turns := a.Scene != nil, a.Scene != nil && a.Turns != nil
	if scene {
		t.Head = []string{"material", "mean share", "pixels", "nearly pure"}
		s.Lines = []string{"Pixels are counted by their largest share; nearly pure ones have 90 % or more of a material."}
	}
	if turns {
		t.Head, s.Lines = append(t.Head, "uncertainty"), append(s.Lines, view.SureTo)
	}
	for j, p := range a.Prototypes {
		row := []string{word(p.Name), view.Percent(p.Membership), strconv.Itoa(a.Sizes[j])}
		if scene {
			row = append(row, strconv.Itoa(a.Pure[j]))
		}
		if turns {
			row = append(row, view.Degrees(a.Turns[j]))
		}
		if ranged = p.Low != nil && p.High != nil; ranged {
			row = append(row, whole(*p.Low)+" to "+whole(*p.High)+" %")
		}
		t.Rows = append(t.Rows, row)
	}
	if ranged {
		t.Head = append(t.Head, "mean range")
	}
	return s
}

// whole writes a share in whole percent.
func whole(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) }

// barWidth is the number of characters of a bar of 100 %.
const barWidth = 30

// floors has a line for each k up to Most, and one for the k of the choice.
func (a *Answer) floors() Section {
	t := &Table{Head: []string{"k", "floor", "explained", "step"}}
	stick := a.Kernel == ""
	if stick {
		t.Head = append(t.Head, "by chance")
	}
	t.Head = append(t.Head, "")
	left, best := 0, 0
	if a.Choice.K != nil {
		best = *a.Choice.K
	}
	for i, l := range a.Floors {
		mark := strconv.Itoa(l.K)
		if l.K == best {
			mark = "* " + mark
		} else if i >= a.Most {
			left++
			continue
		}
		row := []string{mark, digits(l.Floor), optional(l.Explained), optional(l.Step)}
		if stick {
			row = append(row, optional(l.Stick))
		}
		bar := ""
		if l.Explained != nil {
			bar = strings.Repeat("#", int(math.Round(barWidth*min(max(*l.Explained, 0), 1))))
		}
		if row = append(row, bar); i > a.Most {
			t.Rows = append(t.Rows, append([]string{"…"}, slices.Repeat([]string{""}, len(row)-1)...))
		}
		t.Rows = append(t.Rows, row)
	}
	if best > len(a.Floors) { // clusters, not directions, speak for it
		row := append([]string{"* " + strconv.Itoa(best), "0", "100\u00a0%"}, slices.Repeat([]string{""}, len(t.Head)-3)...)
		t.Rows = append(t.Rows, row)
	}
	s := Section{ID: "floors", Table: t, Title: a.Where}
	if best > 0 {
		s.Title += " * marks the k above."
	}
	if left > 0 {
		s.Lines = []string{strconv.Itoa(left) + " more, up to k = " + strconv.Itoa(len(a.Floors)) +
			", are not shown; use -most, -o or -json."}
	}
	return s
}

// optional writes a share; nil is empty.
func optional(share *float64) string {
	if share == nil {
		return ""
	}
	return view.Percent(*share)
}
