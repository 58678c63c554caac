package table

import "testing"

func TestNearest(t *testing.T) {
	list := []string{"missing", "model", "k", "o", "scale", "label", "labelby", "größe"}
	for word, want := range map[string]string{"mising": "missing", "missign": "missing", "modle": "model",
		"x": "",
		"":  "", "kk": "k", "scal": "scale", "nothing": "", "labelbi": "labelby", "labels": "label",
		"missing": "missing",
		"grösse":  "größe", "mo": "o", "scll": "", "sca": ""} {
		if got := Nearest(word, list); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
