package e2e

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// entry is an entry of testdata/tables/want.txt.
type entry map[string][]string

func (e entry) one(key string) string {
	if len(e[key]) == 0 {
		return ""
	}
	return e[key][0]
}

// Every table of testdata/tables is read as want.txt says, by clicks in place of flags.
func TestTables(t *testing.T) { checkTables(t, "") }

// So are the tables of the trade.
func TestTrade(t *testing.T) { checkTables(t, "trade") }

func checkTables(t *testing.T, folder string) {
	p := open(t, pageOf(t, "go"), 1360, 900)
	p.run(chromedp.Evaluate(keepSaved, nil))
	read, last := 0, ""
	text, err := os.ReadFile(filepath.Join(root, "testdata", "tables", folder, "want.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		e := entry{}
		for line := range strings.Lines(text) {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			e[key] = append(e[key], value)
		}
		if said := e.one("error"); strings.Contains(said, "-transpose") || strings.Contains(said, "-long") ||
			strings.Contains(said, "as it is then read") || strings.HasPrefix(e.one("flags"), "-long yes -drop") {
			continue // the page's roles are those of the columns that it shows, turned or not
		}
		read++
		name := filepath.Join(folder, e.one("file"))
		if folder != "" && last == name { // settings of one entry would stay for the next
			p.run(chromedp.Evaluate(`document.getElementById("file").value = ""`, nil))
			last = ""
		}
		p.checkTable(name, e, name == last)
		last = name
	}
	t.Logf("%d tables", read)
	p.quiet()
}

// Shares in known prototypes, of a second file, are those of the command.
func TestKnown(t *testing.T) {
	command := filepath.Join(tempDir(t), "softkmeans")
	build := exec.Command("go", "build", "-o", command, "./cmd/softkmeans")
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	trade := func(name string) string {
		return absolute(filepath.Join(root, "testdata", "tables", "trade", name))
	}
	p := open(t, pageOf(t, "go"), 1360, 900)
	p.run(chromedp.Evaluate(keepSaved, nil), click("[name=method][value=known]"))
	for _, c := range []struct{ rows, prototypes string }{
		{"consumers.csv", "sources.csv"},
		{"counts_types_by_samples.csv", "counts_signatures.csv"},
		{"genes_by_cells.tsv", "signatures_with_id.txt"},
	} {
		p.settled(chromedp.SetUploadFiles("#file", []string{trade(c.rows)}, chromedp.ByQuery))
		p.settled(chromedp.SetUploadFiles("#known", []string{trade(c.prototypes)}, chromedp.ByQuery))
		if !p.hidden("error") {
			t.Errorf("%s: %s", c.rows, p.text("error"))
			continue
		}
		got := strings.Split(p.content("memberships"), "\n")
		text, err := exec.Command(command, "predict", "-centers", trade(c.prototypes), trade(c.rows)).Output()
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(string(text), "\n")
		if len(got) != len(want) || got[0] != want[0] {
			t.Errorf("%s: %d lines, %q, not %d, %q", c.rows, len(got), got[0], len(want), want[0])
			continue
		}
		for i := range want {
			one, other := strings.Split(got[i], ","), strings.Split(want[i], ",")
			for j, v := range other {
				a, err := strconv.ParseFloat(one[j], 64)
				b, _ := strconv.ParseFloat(v, 64)
				if one[j] != v && (err != nil || math.Abs(a-b) > 1e-9*max(1, math.Abs(b))) {
					t.Fatalf("%s, line %d: %s, not %s", c.rows, i, got[i], want[i])
				}
			}
		}
		if p.text("verdict") == "" || !strings.Contains(p.text("answer"), "mean share") || !p.hidden("slider") {
			t.Errorf("%s: %s", c.rows, p.text("verdict"))
		}
	}
	// The shares in other prototypes go when a file of prototypes fails, at once or with the table.
	for _, name := range []string{"../../../iris.csv", "consumers.csv"} {
		p.settled(chromedp.SetUploadFiles("#known", []string{trade(name)}, chromedp.ByQuery))
		if p.hidden("error") || !p.hidden("certificate") {
			t.Errorf("%s: %q, and there are results of other prototypes: %v", name, p.text("error"), !p.hidden("certificate"))
		}
		p.settled(chromedp.SetUploadFiles("#known", []string{trade("signatures_with_id.txt")}, chromedp.ByQuery))
		if p.hidden("certificate") {
			t.Errorf("no shares are shown: %s", p.text("error"))
		}
	}
	p.after(click("[name=method][value=minvol]"))
	if p.hidden("slider") || strings.Contains(p.text("answer"), "mean share") {
		t.Error("a fit after the shares is not shown")
	}
	p.quiet()
}

// keepSaved keeps what is saved, because browsers refuse downloads in quick succession.
const keepSaved = `URL.createObjectURL = (blob) => { window.savedBlob = blob; return "data:," }; ` +
	`HTMLAnchorElement.prototype.click = () => {}`

// settled does something, and waits until the page has a result or an error.
func (p *page) settled(actions ...chromedp.Action) {
	p.Helper()
	var now string
	p.eval("document.body.dataset.fit", &now)
	p.run(chromedp.Evaluate(`document.getElementById("error").hidden = true`, nil))
	p.run(actions...)
	p.is(fmt.Sprintf(`document.getElementById("cancel").disabled && (document.body.dataset.fit !== %q || !document.getElementById("error").hidden)`, now))
}

func (p *page) checkTable(name string, e entry, again bool) {
	p.Helper()
	if !again { // the page sees no change where a file is given twice
		file := absolute(filepath.Join(root, "testdata", "tables", name))
		p.settled(chromedp.SetUploadFiles("#file", []string{file}, chromedp.ByQuery))
	}
	if flags := e.one("flags"); flags != "" {
		p.flags(strings.Fields(flags))
	}
	failed := !p.hidden("error")
	if want := e.one("error"); want != "" {
		p.checkError(name, want, failed)
		return
	}
	if failed {
		p.Errorf("%s: %s", name, p.text("error"))
		return
	}
	records, err := csv.NewReader(strings.NewReader(string(p.content("memberships")))).ReadAll()
	if err != nil || len(records) == 0 {
		p.Errorf("%s: %v", name, err)
		return
	}
	var ids []string
	at := slices.Index(records[0], "label")
	if strings.Contains(p.text("table"), " is left out") {
		at-- // the classes are the last of the columns before it
	}
	for _, r := range records[1:] {
		ids = append(ids, r[0])
	}
	if want := e.one("ids"); e["kept"] == nil &&
		((at > 0) != (want != "") || at > 0 && strings.Join(ids, "|") != want) {
		p.Errorf("%s: %d columns before the label, ids %q", name, at, ids)
	}
	if fmt.Sprint(len(ids)) != e.one("rows") {
		p.Errorf("%s: %d rows", name, len(ids))
	}
	centers, err := csv.NewReader(strings.NewReader(string(p.content("centers")))).ReadAll()
	if err != nil || len(centers) == 0 {
		p.Errorf("%s: %v", name, err)
		return
	}
	if columns := strings.Join(centers[0], "|"); columns != e.one("columns") {
		p.Errorf("%s: columns %q", name, columns)
	}
	notes := p.text("notes")
	for _, want := range e["note"] {
		if !strings.Contains(strings.ToLower(notes), strings.ToLower(want)) {
			p.Errorf("%s: the notes %q do not say %q", name, notes, want)
		}
	}
	if missing := strings.Contains(notes, "missing value") || strings.Contains(notes, "without any value"); missing != (e.one("missing") != "0") {
		p.Errorf("%s: %q", name, notes)
	}
}

// content is a file that the page would save.
func (p *page) content(what string) (text string) {
	p.Helper()
	p.eval(`(async () => { window.savedBlob = null; document.querySelector("[data-save=`+what+`]").click();
		while (!window.savedBlob && document.getElementById("error").hidden) await new Promise((resolve) => setTimeout(resolve, 10));
		return window.savedBlob ? await window.savedBlob.text() : "" })()`, &text)
	if text == "" {
		p.Errorf("%s are not saved", what)
	}
	return text
}

// checkError compares an error and its buttons with the command's.
func (p *page) checkError(name, want string, failed bool) {
	p.Helper()
	want, _, _ = strings.Cut(want, " (add ") // which is a button
	want = strings.TrimSuffix(want, " makes")
	said, buttons := p.text("error"), p.text("ways")
	switch {
	case !failed:
		p.Errorf("%s: no error, %q expected", name, want)
	case strings.HasPrefix(want, "-drop "), strings.HasPrefix(want, "-encode "):
		names := strings.Replace(strings.TrimPrefix(want, "-drop "), ",", ", ", 1)
		if want[1] == 'd' && !strings.Contains(buttons, "Leave out "+names) {
			p.Errorf("%s: %s; %s", name, said, buttons)
		}
		p.after(click("#ways button"))
		if got := p.text("table"); !strings.Contains(got, "12 rows, 4 columns") &&
			!strings.Contains(got, "60 columns") && !strings.Contains(got, "372 rows, 2 columns") {
			p.Errorf("%s, after the click: %s", name, got)
		}
	case !strings.Contains(said, strings.Replace(want, "-header", "Header", 1)):
		p.Errorf("%s: %s", name, said)
	}
}

// flags makes the choices on the page that are flags of the command.
func (p *page) flags(list []string) {
	p.Helper()
	choose := func(selected, role string) chromedp.Action {
		return chromedp.Evaluate(fmt.Sprintf(`{const all = [...document.querySelectorAll("#columns select")], s = %s; `+
			`s.value = %q; s.dispatchEvent(new Event("change"))}`, selected, role), nil)
	}
	column := func(name, role string) chromedp.Action {
		if n, err := strconv.Atoi(name); err == nil {
			return choose(fmt.Sprintf("all[%d]", n-1), role)
		}
		return chromedp.Evaluate(fmt.Sprintf(`{const at = [...document.querySelectorAll("#columns li")].find((li) => li.querySelector("label").textContent === %q);
			const s = at.querySelector("select"); s.value = %q; s.dispatchEvent(new Event("change"))}`, name, role), nil)
	}
	for i := 0; i < len(list); i += 2 {
		switch value := list[i+1]; list[i] {
		case "-transpose", "-long": // in a box that is closed
			p.settled(chromedp.Evaluate(fmt.Sprintf(`{const e = document.getElementById(%q); `+
				`e.value = %q; e.dispatchEvent(new Event("change"))}`, list[i][1:], value), nil))
		case "-header", "-missing", "-below":
			p.settled(chromedp.SetValue("#"+list[i][1:], value, chromedp.ByQuery))
		case "-names", "-na", "-skip":
			p.settled(chromedp.Evaluate(fmt.Sprintf(`{const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event("change"))}`, list[i][1:], value), nil))
		case "-label":
			p.settled(column(value, "l"))
		case "-keep":
			p.settled(column(value, "k"))
		case "-encode":
			if value == "drop" {
				p.settled(chromedp.SetValue("#words", value, chromedp.ByQuery))
				continue
			}
			texts := 0
			p.eval(`[...document.querySelectorAll("#columns select")].filter((s) => s.value === "t").length`, &texts)
			for range texts {
				p.settled(choose(`all.find((s) => s.value === "t")`, "d"))
			}
		case "-id":
			if value == "none" {
				p.settled(choose(`all.find((s) => s.value === "i")`, "d"))
			} else {
				p.settled(column(value, "i"))
			}
		case "-drop":
			for name := range strings.SplitSeq(strings.NewReplacer("1-2", "site,plot", "6,", "Ort/Land,").Replace(value), ",") {
				p.settled(column(name, "x"))
			}
		default:
			p.Fatalf("%s", list[i])
		}
	}
}

func absolute(path string) string {
	at, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return at
}
