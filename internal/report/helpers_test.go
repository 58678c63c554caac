package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/tables"
	"softkmeans/internal/view"
	"softkmeans/stability"
	"softkmeans/testdata"
)

func init() { debug.SetGCPercent(400) } // the tests make much garbage of little memory

// pageOf is a page about a file, without sections.
func pageOf(source string) Page {
	return Page{Answer: &answer.Answer{Read: answer.Read{Source: source}},
		Command: "softkmeans report -o page.html 'some table.csv'", Version: "v1.2.3"}
}

// input is the input for a table of rows × cols, not fitted yet.
func input(rows, cols int, value func(i, j int) float64) *Input {
	in := &Input{Table: &table.Table{Head: table.Head{Source: "dir/some table.csv"}, Rows: rows},
		X: softkmeans.NewMatrix(rows, cols, nil), Page: pageOf("dir/some table.csv")}
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

// set is the input for a data set of testdata with its classes, not fitted yet.
func set(t *testing.T, name string, kind scale.Kind) *Input {
	t.Helper()
	read := func(name string) *table.Table {
		f := tables.Must(testdata.Files.Open(name))(t)
		defer f.Close()
		data := tables.Must(table.Read(f, name, table.Dialect{}))(t)
		return data
	}
	data := read(name + ".csv")
	in := &Input{Table: data, X: softkmeans.NewMatrix(data.Rows, len(data.Names), data.Data),
		Scaling: scale.Of(kind, data.Data, len(data.Names), nil), Page: pageOf(name + ".csv")}
	in.Scaling.Apply(data.Data)
	for _, v := range read(name + ".labels.csv").Data {
		data.Class = append(data.Class, int(v))
		for len(data.Classes) <= int(v) {
			data.Classes = append(data.Classes, "class "+strconv.Itoa(len(data.Classes)))
		}
	}
	return in
}

// fit fits k prototypes with weights, and fills the input with what a command finds.
func fit(t *testing.T, in *Input, k int, weights []float64) {
	t.Helper()
	x, o := in.X, &softkmeans.MinVolumeOptions{Weights: weights}
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, k, o))(t)
	kinds.Label(m, false)
	tables.OK(t, stability.Others(t.Context(), x, m, o))
	c := tables.Must(softkmeans.Certify(t.Context(), x, m.Centers, m.Memberships,
		&softkmeans.Options{Weights: weights}))(t)
	in.MinVolume = Fit{Model: m, Certificate: c}
	a := in.Answer
	a.Rows, a.Columns, a.K, a.LabelBy, a.Sizes = x.Rows, in.Table.Names, k, "cluster", make([]int, k)
	a.About, a.Notes, a.Warnings = a.Source+": the table", []string{"a note"}, view.Warnings(m, false)
	for _, l := range m.Labels(nil) {
		a.Sizes[l]++
	}
	a.Centers, a.Clusters, a.Prototypes, a.Between = nil, nil, nil, nil
	in.Moments = view.MomentsOf(x, weights)
	columns := answer.NewColumns(a.Columns, in.Moments.Mean, in.Moments.Spread, nil, m.Centers)
	a.Shown = columns.Shown(m.Centers)
	var rows answer.Rows
	rows.Add(m.Memberships, answer.Numbered)
	rows.Fill(a, view.Names(k))
	for j, name := range view.Names(k) {
		a.Centers = append(a.Centers, m.Centers.Row(j))
		a.Clusters = append(a.Clusters, answer.Cluster{Name: name, Rows: a.Sizes[j], Mean: m.Centers.Row(j),
			Columns: columns.Differences(m.Centers.Row(j))})
	}
	q := answer.Quality{Certificate: c, K: k, Tol: view.CertifiedTol}
	a.Certificate, a.Sentence, a.Quality = q.JSON(), q.Sentence(), q.Sentences()
	tables.OK(t, in.Others(t.Context(), Options{Weights: weights}))
}

// made fits k prototypes and returns the page, checked.
func made(t *testing.T, in *Input, k int) (string, []*element) {
	t.Helper()
	fit(t, in, k, nil)
	b := tables.Must(in.HTML())(t)
	return string(b), parse(t, b)
}

// element is an element of the page with all text in it.
type element struct {
	name, text string
	attr       map[string]string
	drawing    bool // in an svg element
}

var (
	notFinite = regexp.MustCompile(`NaN|\bInf\b|[+-]Inf`)
	address   = regexp.MustCompile(
		`(?i)\b(src|srcset|href|data|action|poster|background)\s*=|url\(|@import|https?:`)
)

// parse reads a page, which has to be XML as well. It fails where an id is not
// unique, where a label has nothing to label, where something would be loaded or
// run, and where a number is not finite.
func parse(t *testing.T, b []byte) (all []*element) {
	t.Helper()
	body, ok := bytes.CutPrefix(b, []byte("<!doctype html>\n"))
	if !ok {
		t.Fatalf("it begins with %.30q", b)
	}
	d := xml.NewDecoder(bytes.NewReader(body))
	type part struct {
		*element
		text *strings.Builder
	}
	var open []part
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
			e := startElement(t, token, ids)
			e.drawing = e.name == "svg" || len(open) > 0 && open[len(open)-1].drawing
			all, open = append(all, e), append(open, part{e, &strings.Builder{}})
		case xml.CharData:
			for _, e := range open {
				e.text.Write(token)
			}
		case xml.EndElement:
			last := len(open) - 1
			open[last].element.text = open[last].text.String()
			open = open[:last]
		}
	}
	for _, e := range all {
		checkElement(t, e, ids)
	}
	return all
}

// startElement checks the attributes of an element, and adds its id to ids.
func startElement(t *testing.T, token xml.StartElement, ids map[string]bool) *element {
	t.Helper()
	e := &element{name: token.Name.Local, attr: map[string]string{}}
	for _, a := range token.Attr {
		name := a.Name.Local
		e.attr[name] = a.Value
		switch {
		case name == "id" && ids[a.Value]:
			t.Errorf("there are two elements %q", a.Value)
		case name == "id":
			ids[a.Value] = true
		case e.name == "img" && name == "src" && strings.HasPrefix(a.Value, "data:image/png;base64,"):
		case strings.HasPrefix(name, "on"), (name == "src" || name == "href") && a.Value != "data:,":
			t.Errorf("%s of %s is %.80q", name, e.name, a.Value)
		}
	}
	switch e.name {
	case "script", "iframe", "object", "embed", "image", "foreignObject", "base", "form", "a", "use":
		t.Errorf("there is a %s", e.name)
	case "img":
		if _, ok := e.attr["alt"]; !ok || e.attr["src"] == "" {
			t.Errorf("an image has no alternative text or no content: %.100v", e.attr)
		}
	}
	return e
}

// checkElement checks an element with its text. ids are those of the page.
func checkElement(t *testing.T, e *element, ids map[string]bool) {
	t.Helper()
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

// named returns all elements of that name.
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
