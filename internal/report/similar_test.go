package report

import (
	"image"
	"math"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/table"
	"softkmeans/internal/tables"
	"softkmeans/internal/view"
)

// similarOf is the page of n rows in three blocks: alike by .9 within, by .1 between.
func similarOf(t *testing.T, n, k int, centred bool) *Similar {
	t.Helper()
	s := &Similar{Table: &table.Table{Rows: n}, Page: pageOf("dir/pairs.csv"), Centred: centred,
		Matrix: softkmeans.NewMatrix(n, n, nil), Proposed: 3,
		Name: func(i int) string { return "<row " + view.Names(n)[i] + ">" }}
	for i := range n {
		for j := range n {
			v := .1
			if i%3 == j%3 {
				v = .9
			}
			s.Matrix.Set(i, j, v+float64((i*j)%7)/100)
		}
		s.Table.Class = append(s.Table.Class, i%3)
	}
	s.Table.Classes = []string{"a", "b", ""}
	of, floors, o := softkmeans.LSD, softkmeans.LSDFloors, &softkmeans.LSDOptions{}
	if centred {
		of, floors = softkmeans.TILSD, softkmeans.TILSDFloors
		o.Enclosure = softkmeans.EnclosureTight
	}
	s.Model = tables.Must(of(t.Context(), s.Matrix, k, o))(t)
	plane := tables.Must(softkmeans.TILSD(t.Context(), s.Matrix, 3,
		&softkmeans.LSDOptions{Enclosure: softkmeans.EnclosureTight}))(t)
	s.Plane = tables.Must(plane.Coordinates(nil, nil))(t)
	s.Total = s.Model.Total
	a := s.Answer
	a.About, a.Notes, a.Rows, a.K, a.Kernel = "pairs", []string{"names were found"}, n, k, "matrix"
	a.LabelBy, a.Sizes = "largest", make([]int, k)
	var rows answer.Rows
	rows.Add(s.Model.Memberships, func(i int) (int, string) { return i, s.Name(i) })
	rows.Fill(a, view.Names(k))
	q := answer.Quality{Certificate: s.Model.Certificate, K: k, Noun: "cluster", Tol: view.CertifiedTol,
		Whole: "sum of squares"}
	a.Certificate, a.Sentence, a.Quality = q.JSON(), q.Sentence(), q.Sentences()
	s.Floors = tables.Must(floors(t.Context(), s.Matrix, 6, nil))(t)
	return s
}

// The page is complete for both methods and any k, and says what is proved.
func TestSimilar(t *testing.T) {
	for _, test := range []struct {
		k       int
		centred bool
		want    []string
	}{
		{3, true, []string{"3 clusters explain ", " (proved).", "k = 3, as proposed",
			`id="ternary-classes"`, "cluster 2 has 21 to 30."}},
		{3, false, []string{"Memberships as a triangle", "this fit"}},
		{2, true, []string{"2 clusters explain "}},
		{1, true, []string{"1 cluster explains nothing"}},
		{1, false, []string{"1 cluster explains "}},
		{12, false, []string{`class="wide"`}},
	} {
		s := similarOf(t, 30, test.k, test.centred)
		b := tables.Must(s.HTML())(t)
		page, all := string(b), parse(t, b)
		for _, want := range append(test.want, "<h1>pairs.csv</h1>",
			"(none)", "Names were found.", "Mean similarity", "softkmeans v1.2.3", "&lt;row p0&gt;") {
			if !strings.Contains(page, want) && !(test.k == 1 && strings.HasPrefix(want, "&lt;")) {
				t.Errorf("k = %d, %v: no %q in %s", test.k, test.centred, want, s.Answer.Sentence)
			}
		}
		if images := decoded(t, all); len(images) != 3 {
			t.Errorf("%d images", len(images))
		}
	}
	s := similarOf(t, 30, 3, true)
	s.Matrix = nil
	if b, err := s.HTML(); err != nil || strings.Contains(string(b), "The similarities</h3>") {
		t.Error("similarities that are not given are drawn", err)
	}
}

// The pictures have the rows by label, and what the memberships make is the model's product.
func TestSimilarPictures(t *testing.T) {
	for _, centred := range []bool{true, false} {
		s := similarOf(t, 30, 3, centred)
		m := s.Model
		labels := m.Labels(nil)
		rows := s.sorted(labels)
		for i := range rows[1:] {
			if labels[rows[i]] > labels[rows[i+1]] {
				t.Fatal(rows)
			}
		}
		sum := 0.0
		made := s.product()
		for i := range 30 {
			for j := range 30 {
				sum += math.Pow(s.Matrix.At(i, j)-made(i, j), 2)
			}
		}
		if math.Abs(sum-m.Objective) > 1e-9*m.Total { // centred, too: the means are free
			t.Errorf("centred %v: the pictures differ by %v, the objective is %v", centred, sum, m.Objective)
		}
		b := tables.Must(s.HTML())(t)
		img := decoded(t, parse(t, b))["The similarities of 30 rows, sorted by label."].(*image.Paletted)
		for i := 0; i < 30; i += 10 { // blocks of 10
			if within, between := img.ColorIndexAt(i+1, i+2),
				img.ColorIndexAt(i+1, (i+12)%30); within < 200 || between > 60 {
				t.Errorf("%d: colors %d within a block, %d between two", i, within, between)
			}
		}
	}
}
