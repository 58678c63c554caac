package answer

// The HTML of an answer, which pages show: the sections of its text, with pictures between them.

import (
	"cmp"
	_ "embed"
	"strings"

	"softkmeans/internal/chart"
)

// Style is the CSS of the HTML, and of what all pages have.
//
//go:embed style.css
var Style string

// heads are the headings of sections by their ids. Others begin without one.
var heads = map[string]string{"clusters": "Clusters", "prototypes": "Prototypes", "map": "Map of the data",
	"rows": "Rows", "classes": "Classes", "scene": "The scene", "spectra": "Spectra",
	"shares": "Shares", "similarities": "Similarities", "quality": "Quality", "bootstrap": "Uncertainty"}

// HTML writes sections, which a page shows within a flow of elements. Details follow the others, folded.
// under returns the HTML that stands below the section of an id, such as pictures; "": nothing.
func HTML(sections []Section, under func(id string) string) string {
	var b strings.Builder
	for _, s := range sections {
		if below := under(s.ID); !s.Detail && !(s.empty() && below == "") {
			s.html(&b, below)
		}
	}
	for _, s := range sections {
		below := under(s.ID)
		if !s.Detail || s.empty() && below == "" {
			continue
		}
		summary := cmp.Or(s.Title, heads[s.ID], "How this was found")
		if s.cutHead() {
			summary = heads[s.ID]
		} else {
			s.Title = ""
		}
		b.WriteString("<details class=\"card\"><summary>" + escaped(summary) + "</summary>\n")
		s.content(&b, below)
		b.WriteString("</details>\n")
	}
	return b.String()
}

// cutHead removes the heading of the section and a colon from the start of its title. It reports whether they were
// there.
func (s *Section) cutHead() bool {
	title, there := strings.CutPrefix(s.Title, heads[s.ID]+": ")
	if there {
		s.Title = Capital(title)
	}
	return there
}

func (s *Section) html(b *strings.Builder, below string) {
	switch s.ID {
	case "next": // flags of the command
	case "read":
		b.WriteString("<p class=\"about\">" + escaped(s.Lines[0]) + "</p>\n")
		list(b, "notes", s.Lines[1:])
	case "warnings":
		list(b, "warnings", s.Lines)
	case "sentence":
		for i, line := range s.Lines {
			b.WriteString("<p class=\"" + [2]string{"answer", "note"}[min(i, 1)] + "\">" + escaped(line) + "</p>\n")
		}
	default:
		if head := heads[s.ID]; head != "" {
			b.WriteString("<h2>" + head + "</h2>\n")
			s.cutHead()
		}
		s.content(b, below)
	}
}

// content writes the table, with the title as its caption, the lines, and what stands below or beside.
func (s *Section) content(b *strings.Builder, below string) {
	if below != "" {
		b.WriteString("<div class=\"beside\">\n")
		defer b.WriteString("</div>\n")
	}
	if s.Title != "" || s.Table != nil || len(s.Lines) > 0 {
		b.WriteString("<div class=\"card\">")
		if s.Table == nil && s.Title != "" {
			b.WriteString("<p>" + escaped(s.Title) + "</p>")
		}
		s.Table.html(b, s.Title)
		for _, line := range s.Lines {
			b.WriteString("<p>" + escaped(line) + "</p>")
		}
		b.WriteString("</div>\n")
	}
	b.WriteString(below)
}

func list(b *strings.Builder, class string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("<ul class=\"" + class + "\">")
	for _, line := range lines {
		b.WriteString("<li>" + escaped(line) + "</li>")
	}
	b.WriteString("</ul>\n")
}

const (
	narrow    = 40 // characters of a table that a narrow screen shows
	leastText = 16 // characters of a text that breaks
)

// least is how many characters a row takes if its texts break.
func (t *Table) least() (n int) {
	for j := range t.Head {
		w := t.width(j)
		if !t.numeric(j) {
			w = min(w, leastText)
		}
		n += 2 + w
	}
	return n
}

// html writes the table. Columns of numbers are flush right.
func (t *Table) html(b *strings.Builder, caption string) {
	if t == nil {
		return
	}
	b.WriteString("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + escaped(caption) + "\"><table>")
	if caption != "" {
		b.WriteString("<caption>" + escaped(caption) + "</caption>")
	}
	if strings.Join(t.Head, "") != "" {
		b.WriteString("<thead>")
		t.rowHTML(b, t.Head, "th scope=\"col\"")
		b.WriteString("</thead>")
	}
	b.WriteString("<tbody>")
	for _, row := range t.Rows {
		t.rowHTML(b, row, "td")
	}
	b.WriteString("</tbody></table></div>")
	if t.least() > narrow {
		b.WriteString("<p class=\"cut\">The table is wider than this screen: move it sideways.</p>")
	}
}

func (t *Table) rowHTML(b *strings.Builder, cells []string, tag string) {
	b.WriteString("<tr>")
	for j, cell := range cells {
		open := tag
		if j == 0 && tag == "td" {
			open = "th scope=\"row\""
		}
		if !t.numeric(j) {
			open += " class=\"words\""
		}
		b.WriteString("<" + open + ">" + escaped(cell) + "</" + open[:2] + ">")
	}
	b.WriteString("</tr>\n")
}

// escaped is text in HTML. It does not break before a percent sign.
func escaped(s string) string {
	return string(chart.AppendText(nil, strings.ReplaceAll(s, " %", "\u00a0%")))
}
