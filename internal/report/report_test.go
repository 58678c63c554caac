package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/testdata"
)

// input is a table of rows × cols, not yet fitted.
func input(rows, cols int, value func(i, j int) float64) *Input {
	in := &Input{Table: &table.Table{Head: table.Head{Source: "dir/some table.csv"}, Rows: rows}, X: softkmeans.NewMatrix(rows, cols, nil),
		Command: "softkmeans report -o page.html 'some table.csv'", Version: "v1.2.3"}
	for j := range cols {
		in.Table.Names = append(in.Table.Names, table.Column(j))
	}
	for i := range rows {
		for j := range cols {
			in.X.Set(i, j, value(i, j))
		}
	}
	in.Table.Data = in.X.Data
	return in
}

// set is one of the sets that come with the package, with its classes.
func set(t *testing.T, name string, kind scale.Kind) *Input {
	t.Helper()
	read := func(name string) *table.Table {
		f, err := testdata.Files.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		data, err := table.Read(f, name, table.Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	data := read(name + ".csv")
	in := &Input{Table: data, X: softkmeans.NewMatrix(data.Rows, len(data.Names), data.Data), Scaling: scale.Of(kind, data.Data, len(data.Names), nil)}
	in.Scaling.Apply(data.Data)
	for _, v := range read(name + ".labels.csv").Data {
		data.Class = append(data.Class, int(v))
		for len(data.Classes) <= int(v) {
			data.Classes = append(data.Classes, "class "+strconv.Itoa(len(data.Classes)))
		}
	}
	return in
}

// made fits k prototypes and returns the page, checked.
func made(t *testing.T, in *Input, k int) (string, []*element) {
	t.Helper()
	if err := in.Fit(t.Context(), Options{K: k}); err != nil {
		t.Fatal(err)
	}
	b, err := HTML(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), parse(t, b)
}

// element is one of the page, with all text in it.
type element struct {
	name, text string
	attr       map[string]string
	drawing    bool // in an svg element
}

var (
	notFinite = regexp.MustCompile(`NaN|\bInf\b|[+-]Inf`)
	address   = regexp.MustCompile(`(?i)\b(src|srcset|href|data|action|poster|background)\s*=|url\(|@import|https?:`)
)

// parse reads a page, which has to be XML as well, and fails where an id is not
// unique, where a label has nothing to label, where something would be loaded or
// run, or where a number is not one.
func parse(t *testing.T, b []byte) (all []*element) {
	t.Helper()
	body, ok := bytes.CutPrefix(b, []byte("<!doctype html>\n"))
	if !ok {
		t.Fatalf("it begins with %.30q", b)
	}
	d := xml.NewDecoder(bytes.NewReader(body))
	var open []*element
	var from []int // where each of these begins in text
	var text []byte
	ids := map[string]bool{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %.2000s", err, body[max(0, d.InputOffset()-1000):])
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				name := a.Name.Local
				e.attr[name] = a.Value
				switch {
				case name == "id" && ids[a.Value]:
					t.Errorf("there are two elements %q", a.Value)
				case name == "id":
					ids[a.Value] = true
				case strings.HasPrefix(name, "on"), (name == "src" || name == "href") && a.Value != "data:,":
					t.Errorf("%s of %s is %.80q", name, e.name, a.Value)
				}
			}
			switch e.name {
			case "script", "iframe", "object", "embed", "img", "image", "foreignObject", "base", "form", "a", "use":
				t.Errorf("there is a %s", e.name)
			}
			e.drawing = e.name == "svg" || len(open) > 0 && open[len(open)-1].drawing
			all, open, from = append(all, e), append(open, e), append(from, len(text))
		case xml.CharData:
			text = append(text, token...)
		case xml.EndElement:
			last := len(open) - 1
			open[last].text = string(text[from[last]:])
			open, from = open[:last], from[:last]
		}
	}
	for _, e := range all {
		for _, name := range []string{"aria-labelledby", "for"} {
			for _, id := range strings.Fields(e.attr[name]) {
				if !ids[id] {
					t.Errorf("%s has %s=%q, which is not there", e.name, name, id)
				}
			}
		}
		switch e.name {
		case "style":
			if address.MatchString(e.text) {
				t.Errorf("the style has an address: %s", address.FindString(e.text))
			}
		case "th":
			if s := e.attr["scope"]; s != "col" && s != "row" {
				t.Errorf("a header has scope %q", s)
			}
		case "td", "path", "text", "p", "h3":
			if m := notFinite.FindString(e.text + e.attr["d"]); m != "" {
				t.Errorf("%s in %s: %.200s%.200s", m, e.name, e.text, e.attr["d"])
			}
		}
	}
	return all
}

// named are all elements of that name.
func named(all []*element, name string) (found []*element) {
	for _, e := range all {
		if e.name == name {
			found = append(found, e)
		}
	}
	return found
}

func ids(all []*element) (found []string) {
	for _, e := range all {
		if e.name == "svg" {
			found = append(found, e.attr["id"])
		}
	}
	return found
}

// Sections, figures and figures' numbers of a set with classes.
func TestIris(t *testing.T) {
	in := set(t, "iris", scale.None)
	in.Table.Names = []string{"sepal length", "sepal width", "petal length", "petal width"}
	in.Command, in.Version = "softkmeans report -k 3 iris.csv", "v1.2.3"
	page, all := made(t, in, 3)
	var heads []string
	for _, e := range named(all, "h2") {
		heads = append(heads, e.text)
	}
	if got := strings.Join(heads, ", "); got != "What is proved, Data and prototypes, Memberships, Prototypes, Clusters, How many prototypes, Iterations, How this page was made" {
		t.Errorf("the sections are %s", got)
	}
	if got := strings.Join(ids(all), " "); got != "plane-0 plane-0-classes plane-1 plane-1-classes plane-2 plane-2-classes ternary ternary-classes memberships-2 memberships-0 centers-2 centers-0 floors trace" {
		t.Errorf("the pictures are %s", got)
	}
	for _, want := range []string{
		"<h1>iris.csv</h1>", "no three can explain more than 97.8\u00a0%, which is proved and reached", "<h3>Proved optimal</h3>", "<h3>24.9\u00a0% above the floor</h3>",
		`<b class="yes">yes</b>`, "The three have the same axes.", "Proposed: 2;", "softkmeans v1.2.3", "<code>softkmeans report -k 3 iris.csv</code>", "slack of 25\u00a0%", "seed 0",
		`http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:"`,
	} {
		if !strings.Contains(page, want) && !strings.Contains(strings.ReplaceAll(page, "'", "&#39;"), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	// Every row is in one cluster, and in one cell of the table of classes.
	tables := named(all, "table")
	if len(tables) != 5 {
		t.Fatalf("%d tables", len(tables))
	}
	counted := 0
	for _, e := range named(parse(t, []byte("<!doctype html>\n"+between(t, page, "<caption>Classes and clusters", "</table>"))), "td") {
		n, err := strconv.Atoi(e.text)
		if err != nil {
			t.Fatal(err)
		}
		counted += n
	}
	if counted != 2*150 {
		t.Errorf("the classes have %d rows, with their sums", counted)
	}
	// The table of methods has the certificates, accuracy among them.
	accuracy, err := softkmeans.Accuracy(in.Table.Class, in.MinVolume.Model.Labels(nil))
	if err != nil || !strings.Contains(tables[0].text, strconv.FormatFloat(100*accuracy, 'f', 1, 64)+"\u00a0%") {
		t.Errorf("an accuracy of %v is not among %s", accuracy, tables[0].text)
	}
}

// between is the table around what is between two marks.
func between(t *testing.T, page, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, from)
	inside, _, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("there is no %q", from)
	}
	return "<table>" + "<caption>" + inside + "</table>"
}

// The centers are those of the model, in the units of the table.
func TestUnits(t *testing.T) {
	plain := set(t, "wine", scale.None)
	in := set(t, "wine", scale.ZScore)
	page, _ := made(t, in, 3)
	cells := named(parse(t, []byte("<!doctype html>\n"+between(t, page, "<caption>Compact prototypes in the table", "</table>"))), "td")
	if len(cells) != 13*4 {
		t.Fatalf("%d cells", len(cells))
	}
	for j := range 13 {
		var mean, size float64
		for i := range plain.X.Rows {
			mean += plain.X.At(i, j) / float64(plain.X.Rows)
		}
		for c := range 4 {
			got, err := strconv.ParseFloat(strings.ReplaceAll(cells[4*j+c].text, "−", "-"), 64)
			if err != nil {
				t.Fatal(err)
			}
			want := mean
			if c < 3 {
				want = in.MinVolume.Model.Centers.At(c, j)*in.Scaling.Divisor[j] + in.Scaling.Shift[j]
			}
			size = max(size, math.Abs(want))
			if math.Abs(got-want) > 1e-3*size+1e-12 {
				t.Errorf("column %d, %d: %v, not %v", j, c, got, want)
			}
		}
	}
	if !strings.Contains(page, "standard deviations from the mean") || !strings.Contains(page, "scaled to mean 0 and variance 1") {
		t.Error("the page does not tell that columns are scaled")
	}
}

// A column that decides alone is named, unless columns are scaled.
func TestDominant(t *testing.T) {
	for _, c := range []struct {
		factor float64
		kind   scale.Kind
		want   bool
	}{{1, scale.None, false}, {1e3, scale.None, true}, {1e3, scale.ZScore, false}, {1e200, scale.None, true}} {
		r := rand.New(rand.NewPCG(1, 2))
		in := input(30, 3, func(i, j int) float64 {
			if j == 1 {
				return c.factor * r.NormFloat64()
			}
			return 7 + r.NormFloat64()
		})
		in.Scaling = scale.Of(c.kind, in.X.Data, 3, nil)
		in.Scaling.Apply(in.X.Data)
		if page, _ := made(t, in, 2); regexp.MustCompile("Column c2 alone has (100|more than 99.99)\u00a0% of the variance").MatchString(page) != c.want {
			t.Errorf("times %g, %v: the column is named: %v", c.factor, c.kind, !c.want)
		}
	}
}

// Rows that are pictures give tiles, and a table that is folded.
func TestImages(t *testing.T) {
	in := set(t, "digits", scale.None)
	in.Rows, in.Cols = 8, 8
	page, all := made(t, in, 10)
	if n := strings.Count(page, `class="sk-chart sk-tiles"`); n != 2 {
		t.Errorf("%d pictures of tiles", n)
	}
	if len(named(all, "details")) != 1 || !strings.Contains(page, "Each has axes of its own") {
		t.Error("the table of 64 columns is not folded, or the simplex has the data's axes")
	}
	in.Cols = 9
	if _, err := HTML(in); err == nil {
		t.Error("64 columns are pictures of 72 pixels")
	}
}

// The same input gives the same bytes.
func TestDeterminism(t *testing.T) {
	var first string
	for range 3 {
		page, _ := made(t, set(t, "iris", scale.ZScore), 3)
		if first == "" {
			first = page
		}
		if page != first {
			t.Fatal("the page differs from the one before")
		}
	}
}

// Names are hostile text, and come out as text.
func TestEscaping(t *testing.T) {
	hostile := []string{"<script>alert(1)</script>", strings.Repeat("long name ", 20), "", "ü – 漢字 \u202e\x00\x01", `"><img src=x onerror=alert(1)>`, "{{.Title}} &amp; ]]> </style>", "javascript:alert(1)"}
	r := rand.New(rand.NewPCG(1, 2))
	in := input(40, len(hostile), func(i, j int) float64 { return float64(i%3*j) + r.NormFloat64() })
	copy(in.Table.Names, hostile)
	in.Table.Source = hostile[0]
	in.Table.LabelColumn, in.Table.LabelName = 3, hostile[4]+strings.Repeat("m", 1e6)
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
	if strings.Contains(page, "<script") || strings.Contains(page, "<img") || strings.Contains(page, "</style> ") {
		t.Error("a name is markup")
	}
	text := ""
	for _, e := range named(all, "th") {
		text += "|" + e.text
	}
	for _, want := range []string{"|<script>alert(1)</script>|", "|c3|", "|(empty)", "ü – 漢字", `|"><img src=x onerror=alert(1)>|`, "|{{.Title}} &amp; ]]> </style>|", "|" + strings.Repeat("long name ", 5) + "long name…|"} {
		if !strings.Contains(text+"|", want) {
			t.Errorf("there is no %q in %q", want, text)
		}
	}
}

// Tables that are hardly any, and those at the end of what a float64 holds.
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
		{"1e150", 20, 3, 3, times(1e150)},
		{"1e-150", 20, 3, 3, times(1e-150)},
		{"1e300", 20, 3, 2, times(1e300)},
		{"1e-300", 20, 3, 2, times(1e-300)},
		{"far from 0", 20, 3, 2, func(i, j int) float64 { return 1e9 + noise(i, j) }},
		{"300 columns", 50, 300, 3, noise},
		{"k = 20", 60, 25, 20, noise},
		{"k = 64", 130, 66, 64, func(i, j int) float64 {
			if i%64 == j {
				return 10
			}
			return .01 * r.NormFloat64()
		}},
		{"ten rows", 10, 2, 2, func(i, j int) float64 { return float64((i*3 + j*i*i) % 7) }},
	} {
		for _, kind := range []scale.Kind{scale.None, scale.ZScore} {
			if c.k >= 20 && kind == scale.ZScore {
				continue // time
			}
			t.Run(c.name+" "+kind.String(), func(t *testing.T) {
				in := input(c.rows, c.cols, c.value)
				in.Scaling = scale.Of(kind, in.X.Data, c.cols, nil)
				in.Scaling.Apply(in.X.Data)
				if c.rows%2 == 0 {
					in.Weights = make([]float64, c.rows)
					for i := range in.Weights {
						in.Weights[i] = float64(i % 3)
					}
				}
				page, all := made(t, in, c.k)
				if len(named(all, "svg")) < 5 {
					t.Errorf("there are %d pictures only", len(named(all, "svg")))
				}
				if strings.Contains(page, "There is nothing to show") || strings.Contains(page, "There are no ") {
					t.Error("a picture is empty")
				}
				if len(page) > 1<<20 {
					t.Errorf("it has %d bytes", len(page))
				}
			})
		}
	}
}

// The answer in one sentence, where there is none, too.
func TestAnswer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(scale float64) func(int, int) float64 {
		return func(int, int) float64 { return scale * r.NormFloat64() }
	}
	last := func(scale float64) func(int, int) float64 { // the last of three columns is small
		return func(_, j int) float64 { return []float64{1, 1, scale}[j] * r.NormFloat64() }
	}
	for _, c := range []struct {
		k     int
		value func(i, j int) float64
		want  string
	}{
		{3, last(1e-3), "Three prototypes close to the data explain more than 99.99 % of the variance; no three can explain all of it."},
		{2, func(int, int) float64 { return 7 }, "All rows are equal: one prototype says it all."},
		{2, noise(1e-300), "The squares of these numbers are out of range"},
		{2, noise(1e300), "The squares of these numbers are out of range"},
		{1, noise(1e307), "The squares of these numbers are out of range, and with them the shares that are explained; prototypes and memberships are not."},
		{1, noise(1), "One prototype is the mean of all rows"},
		{2, noise(1), "Two prototypes close to the data explain "},
		{4, noise(1), "Four prototypes can mix this table exactly; compact ones explain "},
		{13, noise(1), "13 prototypes can mix this table exactly; compact ones explain "},
	} {
		in := input(20, 3, c.value)
		if page, _ := made(t, in, c.k); !strings.HasPrefix(in.Answer(), c.want) || !strings.Contains(strings.ReplaceAll(page, "\u00a0%", " %"), `<p class="answer">`+c.want) {
			t.Errorf("k = %d: %q, not %q", c.k, in.Answer(), c.want)
		}
	}
}

// Rows that have no weight are not called equal, and a column whose variance is
// rounding does not decide alone.
func TestRowsWithoutWeight(t *testing.T) {
	in := input(8, 3, func(i, j int) float64 { return float64(j+1) + float64(i/5*j)/3 })
	in.Weights = []float64{1, 1, 1, 1, 1, 0, 0, 0}
	page, _ := made(t, in, 2)
	if got := in.Answer(); got != "All rows that have weight are equal: one prototype says it all." || strings.Contains(page, "alone has") || !strings.Contains(page, "go by the weights of rows") {
		t.Errorf("%s\n%s", got, page[strings.Index(page, `<p class="about">`):][:300])
	}
}

// What the slack is a share of, and where the iterations begin, is told as it is.
func TestSlackRule(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := [][]float64{{0, 0, 0, 0}, {9, 1, 0, 2}, {1, 7, 3, 0}}
	mixed := func(noise float64) func(i, j int) float64 {
		var g [3]float64
		return func(i, j int) float64 {
			if j == 0 {
				g = [3]float64{r.ExpFloat64(), r.ExpFloat64(), r.ExpFloat64()}
			}
			return (g[0]*few[0][j]+g[1]*few[1][j]+g[2]*few[2][j])/(g[0]+g[1]+g[2]) + noise*r.NormFloat64()
		}
	}
	const k3 = "Both iterations begin with k-means centers"
	for _, c := range []struct {
		name             string
		k                int
		value            func(i, j int) float64
		made, note, none string
	}{
		{"noisy", 3, mixed(.1), "as compact as a slack of 25\u00a0% over the floor allows", k3, "millionth"},
		{"exact", 3, mixed(1e-4), "25\u00a0% of a millionth of the total variance, which stands for the floor, allows", "minimal volume with rows at the corners", k3},
		{"trivial", 5, mixed(.1), "25\u00a0% of a tenth of the total variance, which stands for the floor, allows", k3, "millionth"},
		{"noise only", 2, func(i, j int) float64 { return r.NormFloat64() }, "as compact as half of what can be explained, which is less than a slack of 25\u00a0%, allows", k3, "millionth"},
		{"one", 1, mixed(.1), "as compact as a slack of 25\u00a0% over the floor allows", k3, "on purpose"},
	} {
		cols := 4
		if c.name == "noise only" {
			cols = 30
		}
		in := input(200, cols, c.value)
		page, _ := made(t, in, c.k)
		if !strings.Contains(page, c.made) || !strings.Contains(page, c.note) || strings.Contains(page, c.none) {
			t.Errorf("%s: the page is without %q or %q, or has %q", c.name, c.made, c.note, c.none)
		}
		m := in.MinVolume.Certificate
		if part := m.Objective - m.Floor; c.name == "noise only" && !(part <= .5001*(m.Total-m.Floor) && part > .4*(m.Total-m.Floor)) ||
			c.name == "exact" && !(part <= .2501e-6*m.Total) {
			t.Errorf("%s: the error is %g above the floor of %g, of %g", c.name, part, m.Floor, m.Total)
		}
	}
}

// One row of very many in a wrong cluster is no accuracy of 100 %.
func TestNearlyAll(t *testing.T) {
	in := input(21000, 2, func(i, j int) float64 { return float64(i%2*10) + float64((i*7+j)%5)/10 })
	in.Table.Classes = []string{"a", "b"}
	for i := range in.X.Rows {
		in.Table.Class = append(in.Table.Class, i%2)
	}
	in.Table.Class[5] = 0
	page, all := made(t, in, 2)
	if text := named(all, "table")[0].text; !strings.Contains(text, "> 99.99\u00a0%") || !strings.Contains(page, "a part of the 21000 rows, evenly spaced, and say how many") {
		t.Error(text)
	}
}

// A constant column is not said to have a variance of 1, and a fit that is optimal
// not to cost more.
func TestConstantColumn(t *testing.T) {
	for _, constant := range []bool{true, false} {
		r := rand.New(rand.NewPCG(1, 2))
		in := input(30, 3, func(i, j int) float64 {
			if constant && j == 1 {
				return 7.1
			}
			return r.NormFloat64()
		})
		in.Scaling = scale.Of(scale.ZScore, in.X.Data, 3, nil)
		in.Scaling.Apply(in.X.Data)
		page, all := made(t, in, 1)
		if strings.Contains(page, "variance 1, but constant ones, which are 0.") != constant {
			t.Errorf("constant: %v, and the page says the opposite", constant)
		}
		if text := named(all, "table")[0].text; strings.Contains(text, "for some more error") {
			t.Errorf("one prototype: %s", text)
		}
	}
}

// Numbers of a row have as many decimals each, and none is shown as what it is not.
func TestDecimals(t *testing.T) {
	for want, values := range map[string][]float64{
		"5.026 −0.400 0.000":              {5.0258, -.4, -1e-9},
		"1234 −1":                         {1234.4, -1.4},
		"1.500e−07 0.000e+00":             {1.5e-7, 0},
		"2.000e+150 −1.000e+140":          {2e150, -1e140},
		"0.00 0.00":                       {0, 0},
		"out of range 1.000":              {math.MaxFloat64, 1},
		"out of range 12.50 out of range": {-math.MaxFloat64, 12.5, math.NaN()},
	} {
		if got := strings.Join(decimals(values), " "); got != want {
			t.Errorf("%v: %q, not %q", values, got, want)
		}
	}
}

// Where the page says that the three panels have the same axes they have, also
// where a prototype is nobody's largest share in one and not in another.
func TestSameAxes(t *testing.T) {
	tick := regexp.MustCompile(`<text x="[-\d.]+" y="[-\d.]+" class="sk-tick"[^<]*`)
	empty := 0
	for k := 2; k <= 9; k++ {
		in := set(t, "iris", scale.ZScore)
		page, _ := made(t, in, k)
		if !strings.Contains(page, "The three have the same axes.") {
			continue
		}
		empty += len(in.Alternating.Model.Warnings) + len(in.MinVolume.Model.Warnings)
		for _, suffix := range []string{"", "-classes"} {
			var first string
			for i := range 3 {
				_, rest, ok := strings.Cut(page, ` id="plane-`+strconv.Itoa(i)+suffix+`"`)
				svg, _, _ := strings.Cut(rest, "</svg>")
				ticks := strings.Join(tick.FindAllString(svg, -1), "\n")
				if i == 0 {
					first = ticks
				}
				if !ok || len(ticks) < 100 || ticks != first {
					t.Errorf("k = %d: panel %d%s has the axes\n%s\nnot\n%s", k, i, suffix, ticks, first)
				}
			}
		}
	}
	if empty == 0 {
		t.Error("no prototype is empty")
	}
}

// More lines than can be followed become strips.
func TestStrips(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ cols, k, want int }{{300, 9, 2}, {300, 6, 0}, {100, 9, 0}} {
		in := input(60, c.cols, func(i, j int) float64 {
			if i%c.k == j%c.k {
				return 5
			}
			return .1 * r.NormFloat64()
		})
		if page, _ := made(t, in, c.k); strings.Count(page, "a strip each, column by column</title>") != c.want {
			t.Errorf("%d prototypes of %d columns are %d pictures of strips", c.k, c.cols, strings.Count(page, "a strip each, column by column</title>"))
		}
	}
}

// A large table gives a page that is not: points are sampled, and it says so.
func TestLarge(t *testing.T) {
	const n = 40_000 // above summaryRows
	r := rand.New(rand.NewPCG(1, 2))
	in := input(n, 6, func(i, j int) float64 {
		if i%3 == j%3 {
			return 1 + r.Float64()
		}
		return .1 * r.NormFloat64()
	})
	for i := range n {
		in.Table.Class = append(in.Table.Class, i%1000)
		if i < 1000 {
			in.Table.Classes = append(in.Table.Classes, "kind "+strconv.Itoa(i))
		}
	}
	page, all := made(t, in, 3)
	if len(page) > 1<<20 {
		t.Errorf("it has %d bytes", len(page))
	}
	for _, want := range []string{"1000 of 40000 rows are shown", "Scatter plots show a part of the 40000 rows", "found on a weighted sample", "estimates from the sample", "The 40 largest of 1000 classes"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if !in.SummaryBased || len(in.MinVolume.Errors) < 2 || len(in.Alternating.Errors) < 2 {
		t.Errorf("of %d and %d iterations errors are known", len(in.MinVolume.Errors), len(in.Alternating.Errors))
	}
	if n := len(named(all, "tr")); n > 80 {
		t.Errorf("the tables have %d rows", n)
	}
}

// Of a great many columns the table has those that differ most.
func TestWide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	in := input(40, 2500, func(i, j int) float64 {
		if j == 2499 {
			return 100 * float64(i%2)
		}
		return r.NormFloat64()
	})
	page, all := made(t, in, 2)
	if !strings.Contains(page, "The 2000 of 2500 columns in which the prototypes differ most") || len(page) > 1<<20 {
		t.Errorf("all columns are shown, in %d bytes", len(page))
	}
	found := false
	for _, e := range named(all, "th") {
		found = found || e.text == "c2500"
	}
	if !found {
		t.Error("the column that differs most is not there")
	}
}

func TestFitErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	in := input(100, 10, func(int, int) float64 { return r.NormFloat64() })
	if err := in.Fit(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "no direction stands out") {
		t.Errorf("noise has prototypes: %v", err)
	}
	if err := in.Fit(t.Context(), Options{K: MostPrototypes + 1}); err == nil {
		t.Error("any number of prototypes")
	}
	if err := in.Fit(t.Context(), Options{K: 3}); err != nil {
		t.Fatal(err)
	}
	in.Global = Fit{Model: &softkmeans.Model{Centers: softkmeans.NewMatrix(2, 10, nil)}}
	if _, err := HTML(in); err == nil {
		t.Error("models of 2 and 3 prototypes make a page")
	}
}
