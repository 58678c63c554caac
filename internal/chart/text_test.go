package chart

import (
	"slices"
	"strings"
	"testing"
)

// Text is any bytes, and comes out as it went in where XML has a way to say it.
func TestText(t *testing.T) {
	const nasty = `<b>&amp;"']]>`
	names := []string{nasty, "a\x00b\x1f\xff\ufffe\n\tc", strings.Repeat("wide ", 100)}
	f := Frame{ID: `i"d 1>`, Title: nasty, Desc: nasty + "\x01", XLabel: nasty, YLabel: nasty}
	for kind, b := range kinds(f, names) {
		all := parse(t, b)
		if svg := all[0]; svg.attr["id"] != "id1" || svg.attr["aria-labelledby"] != "id1-title id1-desc" ||
			svg.attr["role"] != "img" {
			t.Errorf("%s: %v", kind, svg.attr)
		}
		if title, desc := all[1], all[2]; title.name != "title" ||
			title.attr["id"] != "id1-title" || title.text != nasty ||
			desc.name != "desc" || desc.attr["id"] != "id1-desc" ||
			!strings.HasPrefix(desc.text, nasty+"\ufffd") {
			t.Errorf("%s: title %q, desc %q", kind, title.text, desc.text)
		}
		all = all[3:]
		if got := texts(all); !strings.Contains(got, nasty) ||
			!strings.Contains(got, "a\ufffdb\ufffd\ufffd\ufffd  c") || (kind == "ternary" ||
			kind == "mixtures") && !strings.Contains(got, "wide w") && !strings.Contains(got, "…") {
			t.Errorf("%s: %q", kind, got)
		}
	}
	for kind, b := range kinds(Frame{Title: nasty}, names) {
		svg := parse(t, b)[0]
		if _, ok := svg.attr["id"]; ok || svg.attr["aria-label"] != nasty {
			t.Errorf("%s without an id: %v", kind, svg.attr)
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1234.5678: "1235", -0.5: "−0.5", 1e-7: "1e−7",
		123456789: "1.235e8", 1.5e150: "1.5e150", 12345: "12345"} {
		if got := number(v); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", -0.04: "0", 1.25: "1.3", -1.25: "-1.3", 12: "12",
		nan: "-1000000", 1e300: "1000000"} {
		if got := string(appendCoordinate(nil, v)); got != want {
			t.Errorf("%g is at %s, want %s", v, got, want)
		}
	}
	if got := wrap("one two three four", 50, 12, 2); !slices.Equal(got, []string{"one two", "three f…"}) &&
		len(got) != 2 {
		t.Errorf("%q", got)
	}
}
