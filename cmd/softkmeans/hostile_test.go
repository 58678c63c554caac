package main

import (
	"fmt"
	"strings"
	"testing"
)

// A name may have many characters or control characters. Reports and messages
// show its beginning, on one line and as plain text.
func TestHostileNames(t *testing.T) {
	for what, name := range map[string]string{
		"long": strings.Repeat("x", 6e4),
		"evil": "</script><img src=x onerror=alert(1)>'&\x1b[2J\x07\u202e\"\"\nsecond line",
	} {
		table := `"` + name + `",b,"` + name + "\"\n1,2,3\n3,4,9\n5,7,1\n9,1,2\n"
		inFolder(t, table)
		writeText(t, "other.csv", "a,b\n1,2\n3,5\n")
		writeText(t, "words.csv", "a,b\n\""+name+"\",1\n\""+name+"2\",2\n")
		must(t, strings.Fields("fit -k 2 -o m.csv -centers c.csv -model model.json data.csv")...)
		for _, args := range []string{
			"fit -k 2 data.csv", "fit -k 2 -label 1 data.csv", "fit -k 2 -weights 3 data.csv",
			"fit -k 2 -stream yes data.csv", "fit -k 1 -method lsd -label 1 data.csv",
			"floors data.csv", "floors -label 3 data.csv", "certify -centers c.csv data.csv",
			"certify -model model.json -json other.csv", "certify -centers c.csv other.csv",
			"predict -model model.json other.csv", "predict -model model.json data.csv",
			"evaluate -labels 1 -truth 3 data.csv data.csv",
			"evaluate -labels 1 -truth 2 words.csv words.csv",
			"fit -k 2 words.csv", "fit -k 2 -weights 1 words.csv", "fit -k 2 -header no data.csv",
			"report -k 2 -o - data.csv", "report -k 2 -o - -label 1 words.csv",
			"report -k 1 -o - -classes words.csv other.csv", "unmix -k 2 data.csv",
			"unmix -k 2 -report - -size 2x2 data.csv",
		} {
			_, stdout, stderr := do(t, "", strings.Fields(args)...)
			most := 16 << 10
			page := strings.HasPrefix(args, "report") || strings.Contains(args, "-report")
			if page {
				most = 128 << 10 // the page has 80 kB without any names
			}
			if len(stdout) > most || len(stderr) > 1500 {
				t.Errorf("%s, %s: %d bytes and %d of messages", what, args, len(stdout), len(stderr))
			}
			if strings.ContainsAny(stdout+stderr, "\x1b\x07\u202e") ||
				page && (strings.Contains(stdout, "<script") || strings.Contains(stdout, "</script") ||
					strings.Contains(stdout, "<img src=x")) {
				t.Errorf("%s, %s: %q, %q", what, args, stdout, stderr)
			}
		}
		// JSON has the complete name, escaped.
		if text := must(t, "fit", "-k", "2", "-json", "data.csv"); len(name) < 1000 &&
			(strings.ContainsAny(text, "\x1b\x07<>") || !strings.Contains(text, "script")) {
			t.Errorf("%s: %s", what, text)
		}
	}
	// A model may come from another program.
	inFolder(t, "1,2\n3,4\n")
	digits := strings.Repeat("9", 1e5)
	for _, text := range []string{
		strings.Replace(written(t, "-k 2"), `"c1", "c2"`, `"\u001b[2J`+digits+`"`, 1),
		strings.Replace(written(t, "-k 2"), `"k": 2`, `"k": `+digits, 1),
		strings.Replace(written(t, "-k 2"), `"none"`, `"\u001b[2J`+digits+`"`, 1),
		strings.Replace(written(t, "-k 2 -method tilsd"), `"rbf"`, `"\u001b[2J`+digits+`"`, 1),
		strings.Replace(written(t, "-k 2 -method tilsd"), `"tilsd"`, `"\u001b[2J`+digits+`"`, 1),
	} {
		writeText(t, "bad.json", text)
		for _, args := range []string{"predict -model bad.json data.csv",
			"certify -model bad.json data.csv"} {
			if _, stdout, stderr := do(t, "", strings.Fields(args)...); len(stdout)+len(stderr) > 10000 ||
				strings.Contains(stdout+stderr, "\x1b") {
				t.Errorf("%s: %d bytes, %.200q", args, len(stdout)+len(stderr), stderr)
			}
		}
	}
}

// Reading a model allocates at most 64 bytes for each of its bytes. "[]," in a list of
// lists comes near: 3 bytes become a slice header of 24, copied while the list grows.
func TestModelMemory(t *testing.T) {
	const n = 1 << 18
	fill := func(with string) string { return strings.Repeat(with, n/len(with)) + with[:len(with)-1] }
	start, head := `{"format": "softkmeans model", "version": 2, "k": 1000000000, `,
		`"columns": ["a"], "scale": "none", `
	for what, text := range map[string]string{
		"columns": start + `"columns": [` + fill(`"",`) + `]}`,
		"centers": start + head + `"centers": [` + fill("[0],") + `]}`,
		"shift":   start + head + `"shift": [` + fill("0,") + `]}`,
		"samples": start + head + `"rows": 1000000000, "samples": [` + fill("[0],") + `]}`,
		"sizes":   start + head + `"rows": 1, "sizes": [` + fill("0,") + `]}`,
		"warnings": start + head + `"rows": 1, "warnings": [` +
			fill(`{"kind":"far","cluster":0,"other":0,"value":0},`) + `]}`,
		"decomposition": start + head + `"decomposition": "` + strings.Repeat("A", n) + `"}`,
		"deep":          strings.Repeat(`{"a":`, n/5),
		"deep lists":    start + head + `"centers": ` + strings.Repeat(`[`, n),
		"unknown":       start + head + `"x": [` + fill("[],") + `]}`,
	} {
		used := memory(func() {
			if _, err := parseModel([]byte(text)); err == nil {
				t.Errorf("%s: it is a model", what)
			}
		})
		if used > 64*uint64(len(text)) {
			t.Errorf("%s: %d bytes allocated for %d", what, used, len(text))
		}
		t.Logf("%s: %.1f bytes for each", what, float64(used)/float64(len(text)))
	}
}

// A file of about 100 kB may have more centers than memberships in them fit in memory.
func TestManyCenters(t *testing.T) {
	inFolder(t, "1\n2\n3\n")
	centers := strings.Repeat("[1],", mostCenters) + "[2]"
	writeText(t, "model.json", strings.Replace(strings.Replace(written(t, "-k 1 -drop 1"), `"k": 1`,
		fmt.Sprintf(`"k": %d`, mostCenters+1), 1), `[4.666666666666667]`, centers, 1))
	text := readFile(t, "model.json")
	i := strings.Index(text, `"centers": [`) + len(`"centers": [`)
	j := strings.Index(text, `"columnLeast"`)
	writeText(t, "model.json", unsealed(text[:i]+centers+`], "rows": 3, `+text[j:]))
	writeText(t, "centers.csv", strings.Repeat("1\n", mostCenters+1))
	before := files(t, ".")
	for args, want := range map[string]string{
		"predict -model model.json -o out.csv data.csv": "model.json: more than 4096 prototypes",
		"certify -model model.json data.csv":            "model.json: more than 4096 prototypes",
		"certify -centers centers.csv data.csv": "centers.csv: 4097 prototypes; at most 4096 can " +
			"be certified",
	} {
		var code int
		var stderr string
		used := memory(func() { code, _, stderr = do(t, "", strings.Fields(args)...) })
		if code != 1 || stderr != "softkmeans: "+want+"\n" || used > 32<<20 || files(t, ".") != before {
			t.Errorf("%s: code %d, %q, %d bytes", args, code, stderr, used)
		}
	}
	if code, _, stderr := do(t, "", strings.Fields("fit -k 4097 -model m.json data.csv")...); code != 2 ||
		!strings.Contains(stderr, "a model has at most 4096 prototypes") {
		t.Errorf("code %d, %q", code, stderr)
	}
}
