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
	s := &Similar{Table: &table.Table{Head: table.Head{Source: "dir/pairs.csv",
		Notes: []string{"names were found"}}, Rows: n}, Kernel: "the table.", Centred: centred,
		Matrix: softkmeans.NewMatrix(n, n, nil), Proposal: "Proposed: 3; halves agree.", Proposed: 3,
		Pure: make([]answer.Few, k), Command: "softkmeans report", Version: "v1.2.3",
		Name:    func(i int) string { return "<row " + view.Names(n)[i] + ">" },
		Between: answer.Few{Rows: []answer.Ranked{{ID: "between & both", Pair: [2]int{1, 0}, Shares: [2]float64{.5, .4}}}}}
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
	s.Pure[0] = answer.Few{Rows: []answer.Ranked{{ID: "purest", Value: .99}}}
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
		{3, true, []string{"The floor is proved, the labels are not", "rows and columns centred, and no 3 can explain more (proved).", "k = 3, as proposed", `id="ternary-classes"`, "p2 has 21 to 30."}},
		{3, false, []string{"of the total above the floor", "it may be out of reach",
			"Memberships as a triangle", "these memberships", "fit -method lsd"}},
		{2, true, []string{"2 clusters explain "}},
		{1, true, []string{"1 cluster explains nothing of the sum of squares of the similarities, rows and columns centred"}},
		{1, false, []string{"1 cluster explains ", "no other can explain more"}},
		{12, false, []string{`class="wide"`}},
	} {
		s := similarOf(t, 30, test.k, test.centred)
		b := tables.Must(s.HTML())(t)
		page, all := string(b), parse(t, b)
		for _, want := range append(test.want, "<h1>pairs.csv</h1>",
			"30 rows; similarities: the table. 3 classes.", "(empty)", "Names were found.", "Mean similarity",
			"purest 0.99", "between &amp; both", "p1 0.50", "Proposed: 3; halves agree.",
			"softkmeans v1.2.3", "&lt;row p0&gt;") {
			if !strings.Contains(page, want) && !(test.k == 1 && strings.HasPrefix(want, "&lt;")) {
				t.Errorf("k = %d, %v: no %q", test.k, test.centred, want)
			}
		}
		if strings.Contains(page, "ZgotmplZ") {
			t.Error("a picture is left out")
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
	s.Pure = nil
	if _, err := s.HTML(); err == nil {
		t.Error("no error for rows of other clusters")
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
