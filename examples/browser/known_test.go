package main

import (
	"encoding/csv"
	"math"
	"strings"
	"testing"

	"softkmeans/internal/tables"
)

// known opens a table, takes the file of the prototypes and returns the parts and the file of shares.
func known(t *testing.T, table, prototypes string, o options) (parts []part, records [][]string) {
	t.Helper()
	s := &session{}
	o.known = true
	s.open(t.Context(), fromText("t.csv", table), options{reading: o.reading}, nil) // may ask something
	tables.OK(t, s.know("sources.csv", []byte(prototypes)))
	parts = tables.Must(s.fit(t.Context(), o, nil, nil))(t)
	records = tables.Must(csv.NewReader(strings.NewReader(saved(t, s, "memberships"))).ReadAll())(t)
	if again, err := s.redraw(o); err != nil || len(again) == 0 {
		t.Errorf("drawn again: %d parts, %v", len(again), err)
	}
	return parts, records
}

// Shares are those that the rows are made of, whichever way round the files are, and rows outside are
// told. What only one of the files has is left out.
func TestKnown(t *testing.T) {
	t.Parallel()
	sources := "name,x,y,z,n\nrock,1,0,0,5\nsoil,0,1,0,6\n\"leaf, dry\",0,0,1,7\n"
	turned := "column,rock,soil,\"leaf, dry\"\nx,1,0,0\ny,0,1,0\nz,0,0,1\n"
	rows := "id,z,y,x\nann,.5,.25,.25\nbob,0,1,0\ncid,1,1,1\ndan,,.25,.75\n"
	for _, file := range []string{sources, turned} {
		parts, records := known(t, rows, file, options{})
		want := [][]string{
			{"id", "label", "rock", "soil", "leaf, dry", "residual", "outside"},
			{"ann", "leaf, dry", "0.25", "0.25", "0.5", "0", "0"},
			{"bob", "soil", "0", "1", "0", "0", "0"},
			{"cid", "rock", "0.333", "0.333", "0.333", "1.155", "1"},
			{"dan", "rock", "0.75", "0.25", "0", "0", "0"},
		}
		for i, line := range want {
			for j, text := range line {
				got := records[i][j]
				if i > 0 && j > 1 && math.Abs(number64(t, got)-number64(t, text)) < 1e-3 {
					continue
				}
				if got != text && !(i == 3 && j == 1) {
					t.Errorf("line %d: %q, not %q", i, records[i], line)
				}
			}
		}
		for _, part := range []string{"answer", "picture-scatter", "picture-ternary",
			"picture-centers", "picture-memberships"} {
			if text := valueOf(t, parts, part); !strings.Contains(text, "leaf, dry") ||
				part == "answer" && !strings.Contains(text, "1 row is outside of the prototypes") {
				t.Errorf("%s: %.200s", part, text)
			}
		}
	}
}

// Shares that are not unique have ranges, in the file and in the sentences; those of one name add up.
func TestKnownRanges(t *testing.T) {
	t.Parallel()
	parts, records := known(t, "x,y\n.5,.5\n.25,.75\n", "name,x,y\na,0,0\nb,1,0\nc,0,1\nd,1,1\n", options{})
	head := strings.Join(records[0], "|")
	if head != "label|a|b|c|d|a_low|a_high|b_low|b_high|c_low|c_high|d_low|d_high|residual|outside" ||
		number64(t, records[1][5]) > 1e-12 || math.Abs(number64(t, records[1][6])-.5) > 1e-12 {
		t.Errorf("%q", records)
	}
	if text := valueOf(t, parts, "answer"); !strings.Contains(text, "Shares are not unique") {
		t.Error(text)
	}
	_, records = known(t, "x,y\n.5,.5\n.25,.75\n", "name,x,y\na,0,0\nb,1,0\na,0,1\nb,1,1\n", options{})
	if strings.Join(records[0], "|") != "label|a|b|residual|outside" ||
		math.Abs(number64(t, records[2][2])-.25) > 1e-12 {
		t.Errorf("%q", records)
	}
}

// Counts of the corpus are made of the signatures in the second file.
func TestKnownCounts(t *testing.T) {
	t.Parallel()
	parts, records := known(t, string(read(t, "tables/trade/counts_types_by_samples.csv")),
		string(read(t, "tables/trade/counts_signatures.csv")), options{})
	if len(records) != 31 || strings.Join(records[0], "|") != "id|label|A1|A2|A3|A4|residual|length|outside" {
		t.Errorf("%d rows, %q", len(records), records[0])
	}
	if text := valueOf(t, parts, "verdict"); text != "On average a row is 30.5 % A4, 28.8 % A3, 25.8 % A1 and 15.0 % A2." {
		t.Error(text)
	}
	if notes := valueOf(t, parts, "notes"); strings.Contains(notes, "kept at 0") || strings.Contains(notes, "Labels are") {
		t.Errorf("notes on a fit: %s", notes)
	}
	if text := valueOf(t, parts, "answer"); !strings.Contains(text, "a length of its own") {
		t.Error(text)
	}
}

// A row of zeros has no length, and a picture.
func TestKnownZeros(t *testing.T) {
	t.Parallel()
	rows := "x,y,z\n0,0,0\n10,2,.1\n1,30,.2\n5,5,.1\n100,3,.3\n2,2,0\n7,70,.1\n"
	parts, records := known(t, rows, "name,x,y,z\na,1,0,0\nb,0,1,0\n", options{})
	if records[0][4] != "length" || records[1][4] != "0" || valueOf(t, parts, "picture-scatter") == "" {
		t.Errorf("%q", records)
	}
}

// What cannot be is an error that says so.
func TestKnownErrors(t *testing.T) {
	t.Parallel()
	s := &session{}
	o := options{known: true}
	tables.Must(s.open(t.Context(), fromText("t.csv", "x,y\n1,2\n3,4\n"), o, nil))(t)
	if _, err := s.fit(t.Context(), o, nil, nil); err != errNoLibrary {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"{\"a\": 1}":               "p.csv: this is a model; drop it on the page",
		"ENVI\nsamples = 3":        "p.csv: this is the header of an ENVI file",
		"\x93NUMPY\x01":            "p.csv: this is an array of NumPy",
		"":                         "p.csv: there are no rows",
		"name,u,v\na,1,2\nb,3,4\n": "p.csv and t.csv have no column in common",
		"name,x,y\na,1,\nb,3,4\n":  "p.csv: 1 missing value",
	} {
		err := s.know("p.csv", []byte(text))
		if err == nil {
			_, err = s.fit(t.Context(), options{known: true}, nil, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
