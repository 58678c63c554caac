package main

import (
	"context"
	"os"
	"strings"
	"testing"
)

const sample = `iris Fit gap -4.14e-17 labels 66a2f956
iris FitMinVolume gap 0.0104 labels 4ca4cfc5
time digits Fit 2.496
time digits FitMinVolume 236.3
bytes 1000
done
`

func TestParse(t *testing.T) {
	r, err := parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	if r.answers["iris Fit"] != "66a2f956" || r.gaps["iris Fit"] != -4.14e-17 || r.ms["FitMinVolume"] != 236.3 || r.size != -1000 {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{"", "done\n", strings.TrimSuffix(sample, "done\n"), strings.Replace(sample, "0.0104", "x", 1), strings.Replace(sample, "2.496", "", 1) + "time digits Fit fast\n"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestCompare(t *testing.T) {
	home, err := parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	if worst, err := home.compare(home); err != nil || worst != 4.14e-17 {
		t.Error(worst, err)
	}
	for _, change := range [][2]string{
		{"66a2f956", "66a2f957"}, {"4ca4cfc5", "0"}, // labels
		{"-4.14e-17", "1.1e-12"}, {"-4.14e-17", "-1.1e-12"}, {"-4.14e-17", "NaN"},
		{"iris Fit gap -4.14e-17 labels 66a2f956\n", ""},
	} {
		other, err := parse(strings.Replace(sample, change[0], change[1], 1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.compare(home); err == nil {
			t.Errorf("%q in place of %q is not noticed", change[1], change[0])
		}
	}
}

func TestNamed(t *testing.T) {
	if all, err := named(nil); err != nil || len(all) != len(machines) {
		t.Error(len(all), err)
	}
	if two, err := named([]string{"js", "386"}); err != nil || len(two) != 2 || two[0].name != "js" || two[1].name != "386" {
		t.Error(two, err)
	}
	if _, err := named([]string{"js", "pdp11"}); err == nil || !strings.Contains(err.Error(), "pdp11") {
		t.Error(err)
	}
}

// A machine whose tools are missing says which.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", "")
	for _, m := range machines {
		if m.direct() && m.tiny == "" {
			continue
		}
		if why := m.missing(context.Background()); why == "" {
			t.Error(m.name, "is missing nothing without a PATH")
		}
	}
}

// The program runs here and agrees with itself.
func TestProbe(t *testing.T) {
	if os.Getenv("SOFTKMEANS_LONG") != "1" {
		t.Skip("builds and times a program, as .ci/run does on every machine; SOFTKMEANS_LONG=1 runs it")
	}
	ctx := context.Background()
	if err := toModule(ctx, "../.."); err != nil {
		t.Fatal(err)
	}
	r, err := machines[0].probe(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.compare(r); err != nil || len(r.answers) != 12 || r.size < 1e5 || r.ms["Fit"] <= 0 || r.ms["FitMinVolume"] <= 0 {
		t.Errorf("%v: %+v", err, r)
	}
}
