package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/enclosure"
)

// TestWords: the child fits what was written, to the minimum of all entries.
func TestWords(t *testing.T) {
	at := wordShape{200, 120, 3, 10}
	x, known := wordTable{"words", at, false}.make()
	if shared, nmi, err := known.score(known.topics, known.labels); shared != 20 || nmi != 1 || err != nil {
		t.Errorf("the truth itself has %v words and an NMI of %v, %v", shared, nmi, err)
	}
	cells, _ := wordTable{"cells", at, true}.make()
	for i := range at.n {
		sum := 0.0
		for _, v := range cells.Data[cells.Indptr[i]:cells.Indptr[i+1]] {
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("a cell has a sum of %v", sum)
		}
	}
	prefix := filepath.Join(t.TempDir(), "words")
	if err := writeSparse(prefix, x); err != nil {
		t.Fatal(err)
	}
	back, err := readSparse(prefix, at)
	if err != nil || !slices.Equal(back.Data, x.Data) || !slices.Equal(back.Indices, x.Indices) || !slices.Equal(back.Indptr, x.Indptr) {
		t.Fatal("the rows that were read are not those written", err)
	}
	dense, err := x.Dense()
	if err != nil {
		t.Fatal(err)
	}
	figure := func(child string) (f wordFigure) {
		var out bytes.Buffer
		err := runWords(&out, fmt.Sprint(prefix, " ", at.n, " ", at.d, " ", at.k, " ", child))
		if err == nil {
			err = json.Unmarshal(out.Bytes(), &f)
		}
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	type fit = func(context.Context, softkmeans.Samples, int, *softkmeans.Options) (*softkmeans.Model, error)
	for child, fit := range map[string]fit{"one": softkmeans.Fit, "most": enclosure.Cone} {
		want, err := fit(context.Background(), dense, at.k, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := figure(child)
		if math.Abs(f.Error-want.Objective) > 1e-10*want.Total || !(f.Proved < 1e-10) {
			t.Errorf("%s: %+v, and the minimum is %v", child, f, want.Objective)
		}
	}
	if f := figure("minvol"); len(f.Labels) != at.n {
		t.Fatalf("%d labels", len(f.Labels))
	}
	centers, err := readList[float64](prefix + ".centers")
	if err != nil || len(centers) != at.k*at.d {
		t.Fatalf("%d numbers of centers, %v", len(centers), err)
	}
}
