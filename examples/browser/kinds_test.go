package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
)

// The page takes counts and parts of a whole as the command does.
func TestKinds(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"counts_types_by_samples.csv": "the numbers are counts",
		"grain_sizes_percent.csv":     "rows add up to 100, as parts of a whole",
	} {
		s := &session{}
		o := options{scale: scale.Auto, slack: .25, k: 4}
		if name[0] == 'g' {
			o.k = 3
		}
		text := string(read(t, filepath.Join("tables", "trade", name)))
		tables.Must(s.open(t.Context(), fromText(name, text), o, nil))(t)
		tables.Must(s.fit(t.Context(), o, nil, nil))(t)
		if notes := strings.Join(s.data.kindNotes(o.scale), "\n"); !strings.Contains(notes, want) ||
			!strings.Contains(notes, "kept at 0 or above") {
			t.Errorf("%s: %s", name, notes)
		}
		for i := range o.k {
			sum := 0.0
			for _, v := range s.data.shown(s.shown.model.Centers).Row(i) {
				if sum += v; v < 0 {
					t.Errorf("%s: prototype %d has %v", name, i, v)
				}
			}
			if sum > 1.000001 && (sum < 99.99 || sum > 100.01) {
				t.Errorf("%s: prototype %d adds up to %v", name, i, sum)
			}
		}
		if o.scale = scale.None; name[0] == 'c' {
			if text := saved(t, s, "memberships"); !strings.HasPrefix(text, "id,label,p0,p1,p2,p3,cluster,largest,probability,size\n") {
				t.Errorf("%.100s", text)
			}
			model := saved(t, s, "model")
			before := s.shown.certificate.Objective
			if _, err := s.load(t.Context(), []byte(model), o); err != nil ||
				s.shown.certificate.Objective != before {
				t.Errorf("objective %v, not %v, %v", s.shown.certificate.Objective, before, err)
			}
		}
		o.scale = scale.ZScore
		if _, err := s.fit(t.Context(), o, nil, nil); err != nil || s.data.above || strings.Contains(
			strings.Join(s.data.kindNotes(o.scale), "\n"), "0 or above") {
			t.Errorf("%s: %v, %v", name, s.data.kindNotes(o.scale), err)
		}
	}
}

// TestBrightness: rows that differ in brightness are divided by their sums for the k that shows it, and taken
// as given for another k, or if columns are not to be looked at.
func TestBrightness(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 8))
	profiles := softkmeans.NewMatrix(3, 12, nil)
	for i := range profiles.Data {
		profiles.Data[i] = math.Exp(r.NormFloat64())
	}
	var b strings.Builder
	for range 40 {
		light := math.Exp(.5 * r.NormFloat64())
		parts := [3]float64{r.ExpFloat64(), r.ExpFloat64(), r.ExpFloat64()}
		for c := range 12 {
			v := .01 * r.NormFloat64()
			for j, part := range parts {
				v += light * part / (parts[0] + parts[1] + parts[2]) * profiles.At(j, c)
			}
			fmt.Fprintf(&b, "%.9g%s", v, [...]string{",", "\n"}[c/11])
		}
	}
	s, o := &session{}, options{scale: scale.Auto, slack: .25, k: 3}
	tables.Must(s.open(t.Context(), fromText("open.csv", b.String()), o, nil))(t)
	noted := func() bool {
		return strings.Contains(strings.Join(s.data.kindNotes(o.scale), "\n"), "differ in brightness")
	}
	fit := func(k int, kind scale.Kind, want bool) {
		t.Helper()
		o.k, o.scale = k, kind
		tables.Must(s.fit(t.Context(), o, nil, nil))(t)
		if (s.data.sizes != nil) != want || noted() != want {
			t.Errorf("k = %d, scale %v: %v", k, kind, s.data.kindNotes(o.scale))
		}
	}
	fit(3, scale.Auto, true)
	fit(3, scale.Auto, true)
	model := saved(t, s, "model")
	if head, _, _ := strings.Cut(saved(t, s, "memberships"), "\n"); !strings.HasPrefix(head, "label,p0,p1,p2,") ||
		!strings.HasSuffix(head, ",size") {
		t.Error(head)
	}
	before := s.shown.certificate.Objective
	fit(4, scale.Auto, false)
	fit(3, scale.None, false)
	fit(0, scale.Auto, true)
	if s.shown.options.k != 3 {
		t.Errorf("k = %d is chosen", s.shown.options.k)
	}
	if _, err := s.load(t.Context(), []byte(model), o); err != nil || s.shown.certificate.Objective != before {
		t.Errorf("objective %v, not %v, %v", s.shown.certificate.Objective, before, err)
	}
}

// A note says that a symmetric table may compare its rows. The axis of spectra has the name that the file gives it.
func TestSymmetric(t *testing.T) {
	t.Parallel()
	s := &session{}
	parts := tables.Must(s.open(t.Context(), fromText("s.csv", "a,b,c\n1,.5,.2\n.5,1,.3\n.2,.3,1\n"), options{}, nil))(t)
	if notes := valueOf(t, parts, "notes"); !strings.Contains(notes, "the table is symmetric") {
		t.Error(notes)
	}
	parts = tables.Must(s.open(t.Context(), fromText("t.csv", "a,b,c\n1,.5,.2\n.5,1,.3\n.2,.4,1\n"), options{}, nil))(t)
	if notes := valueOf(t, parts, "notes"); strings.Contains(notes, "symmetric") {
		t.Error(notes)
	}
	text := string(read(t, filepath.Join("tables", "trade", "spectra_in_columns.csv")))
	_, rest, _ := strings.Cut(text, ",")
	tables.Must(s.open(t.Context(), fromText("spectra.csv", "Raman shift (cm-1),"+rest), options{}, nil))(t)
	if axis := s.data.columns.Axis; axis == nil || axis.Name != "Raman shift (cm-1)" {
		t.Errorf("%+v", axis)
	}
}
