package answer

import (
	"strings"
	"testing"
)

// HTML has sections in order, details folded after them, text that is no markup, and what stands below sections.
func TestHTML(t *testing.T) {
	wide := &Table{Head: []string{"a<b>", strings.Repeat("n", 50)}, Rows: [][]string{{"p0 & p1", "1.5"}}}
	html := HTML([]Section{{ID: "read", Lines: []string{"x.csv: 3 rows.", "A note."}}, {ID: "warnings", Lines: []string{"Warning: 5 % change."}},
		{ID: "sentence", Lines: []string{"2 prototypes explain <all>.", "Proposed."}}, {ID: "how", Lines: []string{"In closed form."}, Detail: true},
		{ID: "map"}, {ID: "rows"}, {Title: "Wide", Table: wide}, {ID: "next", Lines: []string{"-v"}}},
		func(id string) string { return map[string]string{"map": "<figure></figure>", "how": "<b></b>"}[id] })
	at := 0
	for _, want := range []string{`<p class="about">x.csv: 3 rows.</p>`, `<ul class="notes"><li>A note.</li></ul>`,
		"<li>Warning: 5\u00a0% change.</li>", `<p class="answer">2 prototypes explain &lt;all&gt;.</p>`, `<p class="note">Proposed.</p>`,
		"<h2>Map of the data</h2>", "<figure></figure>", "<caption>Wide</caption>", "a&lt;b&gt;", `<th scope="row" class="words">p0 &amp; p1</th><td>1.5</td>`,
		"move it sideways", "<details", "<summary>How this was found</summary>", "In closed form.", "<b></b>", "</details>"} {
		i := strings.Index(html[at:], want)
		if i < 0 {
			t.Fatalf("there is no %q after %d in\n%s", want, at, html)
		}
		at += i
	}
	if strings.Contains(html, "-v") || strings.Contains(html, "<h2>Rows</h2>") {
		t.Error(html)
	}
	narrow := &Table{Head: []string{"", ""}, Rows: [][]string{{"p0", "a long text that breaks, as long as it takes"}}}
	if html := HTML([]Section{{Table: narrow}}, func(string) string { return "" }); strings.Contains(html, "sideways") || strings.Contains(html, "<thead>") {
		t.Error(html)
	}
}
