package report

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
	"softkmeans/metrics"
)

// The sections, pictures and tables for a set with classes.
func TestIris(t *testing.T) {
	in := set(t, "iris", scale.None)
	in.Table.Names = []string{"sepal length", "sepal width", "petal length", "petal width"}
	in.Command, in.Version = "softkmeans report -k 3 iris.csv", "v1.2.3"
	page, all := made(t, in, 3)
	var heads []string
	for _, e := range named(all, "h2") {
		heads = append(heads, e.text)
	}
	if got := strings.Join(heads, ", "); got != "Clusters, Prototypes, Map of the data, Classes, Rows, "+
		"How this page was made" {
		t.Errorf("the sections are %s", got)
	}
	if got := strings.Join(ids(all), " "); got != "means centers plane-0 plane-0-classes ternary ternary-classes "+
		"memberships-0 loss floors plane-1 plane-1-classes plane-2 plane-2-classes memberships-1" {
		t.Errorf("the pictures are %s", got)
	}
	for _, want := range []string{
		"<h1>iris.csv</h1>", "no 3 can explain more than 97.8\u00a0% (proved)",
		`<li>Warning: Refits on half of the rows`, "The floor for every k", "softkmeans v1.2.3",
		"<code>softkmeans report -k 3 iris.csv</code>",
		`http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src ` +
			`&#39;unsafe-inline&#39;; img-src data:"`,
	} {
		if !strings.Contains(page, want) && !strings.Contains(strings.ReplaceAll(page, "'", "&#39;"), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	// Every row is in one cell of the table of classes.
	counted := 0
	for _, counts := range in.Classes {
		for _, n := range counts {
			counted += n
		}
	}
	accuracy := tables.Must(metrics.Accuracy(in.Table.Class, in.MinVolume.Model.Labels(nil)))(t)
	if want := "agree in " + strconv.FormatFloat(100*accuracy, 'f', 1, 64); counted != 150 ||
		!strings.Contains(page, want) {
		t.Errorf("the classes have %d rows, and there is no %q", counted, want)
	}
}

// The same input gives the same bytes.
func TestDeterminism(t *testing.T) {
	first, _ := made(t, set(t, "iris", scale.ZScore), 3)
	if again, _ := made(t, set(t, "iris", scale.ZScore), 3); again != first {
		t.Error("the page differs from the one before")
	}
}

// Names are shown as text, whatever is in them.
func TestEscaping(t *testing.T) {
	hostile := []string{"<script>alert(1)</script>", strings.Repeat("long name ", 20), "",
		"ü – 漢字 \u202e\x00\x01", `"><img src=x onerror=alert(1)>`,
		"{{.Title}} &amp; ]]> </style>", "javascript:alert(1)"}
	r := rand.New(rand.NewPCG(1, 2))
	in := input(40, len(hostile), func(i, j int) float64 { return float64(i%3*j) + r.NormFloat64() })
	copy(in.Table.Names, hostile)
	in.Answer.Source = hostile[0]
	in.Command, in.Version = hostile[4], hostile[0]
	in.Table.Classes = hostile
	for i := range in.Table.Rows {
		in.Table.Class = append(in.Table.Class, i%len(hostile))
	}
	page, all := made(t, in, 3)
	if len(page) > 1e6 {
		t.Errorf("it has %d bytes", len(page))
	}
	for _, e := range named(all, "tr") {
		if strings.HasPrefix(strings.TrimSpace(e.text), "0") {
			t.Errorf("a row has no name: %q", e.text)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "<img") ||
		strings.Contains(page, "</style> ") {
		t.Error("a name is markup")
	}
	text := ""
	for _, e := range named(all, "th") {
		text += "|" + e.text
	}
	for _, want := range []string{"|<script>alert(1)</script>|", "|(none)|", "ü – 漢字",
		`|"><img src=x onerror=alert(1)>|`, "|{{.Title}} &amp; ]]> </style>|",
		"|long name long…|"} {
		if !strings.Contains(text+"|", want) {
			t.Errorf("there is no %q in %q", want, text)
		}
	}
}

// Tables of few rows, equal rows, many prototypes and extreme numbers.
func TestDegenerate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(int, int) float64 { return r.NormFloat64() }
	times := func(v float64) func(int, int) float64 {
		return func(int, int) float64 { return v * r.NormFloat64() }
	}
	for _, c := range []struct {
		name          string
		rows, cols, k int
		value         func(i, j int) float64
	}{
		{"one row", 1, 3, 1, noise},
		{"one row, three prototypes", 1, 3, 3, noise},
		{"one number", 1, 1, 2, noise},
		{"equal rows", 7, 3, 2, func(_, j int) float64 { return float64(j) / 3 }},
		{"zeros", 5, 2, 3, func(int, int) float64 { return 0 }},
		{"k = 1", 30, 3, 1, noise},
		{"k above d", 30, 2, 6, noise},
		{"k above n", 3, 5, 5, noise},
		{"one column", 20, 1, 2, noise},
		{"one column, three prototypes", 20, 1, 3, noise},
		{"a constant column", 20, 3, 3, func(i, j int) float64 { return float64(j%2) * noise(i, j) }},
		{"1e149", 20, 3, 3, times(1e149)},
		{"1e-150", 20, 3, 3, times(1e-150)},
		{"far from 0", 20, 3, 2, func(i, j int) float64 { return 1e9 + noise(i, j) }},
		{"300 columns", 20, 300, 3, noise},
		{"k = 20", 30, 25, 20, noise},
		{"k = 40", 50, 42, 40, func(i, j int) float64 {
			if i%40 == j {
				return 10
			}
			return .01 * r.NormFloat64()
		}},
		{"ten rows", 10, 2, 2, func(i, j int) float64 { return float64((i*3 + j*i*i) % 7) }},
	} {
		for _, kind := range []scale.Kind{scale.None, scale.ZScore} {
			if c.k >= 20 && kind != scale.None { // takes long
				continue
			}
			t.Run(c.name+" "+kind.String(), func(t *testing.T) {
				in := input(c.rows, c.cols, c.value)
				in.Scaling = scale.Of(kind, in.X.Data, c.cols, nil)
				in.Scaling.Apply(in.X.Data)
				var weights []float64
				if c.rows%2 == 0 {
					weights = make([]float64, c.rows)
					for i := range weights {
						weights[i] = float64(i % 3)
					}
				}
				checkPictures(t, in, c.k, weights)
			})
		}
	}
}

// checkPictures makes a page and checks that it has pictures, and none is empty.
func checkPictures(t *testing.T, in *Input, k int, weights []float64) {
	t.Helper()
	fit(t, in, k, weights)
	b := tables.Must(in.HTML())(t)
	page, all := string(b), parse(t, b)
	if len(named(all, "svg")) < 4 {
		t.Errorf("there are %d pictures only", len(named(all, "svg")))
	}
	if strings.Contains(page, "There is nothing to show") || strings.Contains(page, "There are no ") {
		t.Error("a picture is empty")
	}
	if len(page) > 1<<20 {
		t.Errorf("it has %d bytes", len(page))
	}
}

// A page may be of some rows of a table in blocks, and without the alternating fit.
func TestBlocks(t *testing.T) {
	in := set(t, "iris", scale.None)
	made(t, in, 3)
	in.Alternating, in.Answer.Rows = Fit{}, 300
	b := tables.Must(in.HTML())(t)
	page, all := string(b), parse(t, b)
	for _, want := range []string{"Memberships: 150 of 300 rows", "150 of 300 rows are shown, evenly drawn",
		"read in blocks has no alternating fit"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, ">Alternating<") || strings.Contains(strings.Join(ids(all), " "), "loss") {
		t.Error("the page has a method that is not there, or the iterations of a sample")
	}
}
