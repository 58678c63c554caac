// Package report writes an answer as an HTML page with pictures: of a table, of an image, or of similarities.
// The page needs no script, no network and no other file. The same input gives the same bytes.
package report

import (
	_ "embed"
	"slices"
	"strings"

	"softkmeans/internal/answer"
	"softkmeans/internal/chart"
	"softkmeans/internal/table"
)

// MostPrototypes is the largest number of prototypes that a page shows. The colors of
// more could not be told apart.
const MostPrototypes = 64

// Page is what all pages have.
type Page struct {
	Answer  *answer.Answer
	Command string // the command line that made the page
	Version string
	below   map[string]string // what stands below sections of the answer, by their ids
}

// Room is how many characters of a row of a table a page shows.
const Room = 128

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

// html writes the page. sections are those of the answer, with others between them.
func (p *Page) html(sections []answer.Section) []byte {
	body := answer.HTML(sections, func(id string) string { return p.below[id] })
	return []byte(strings.NewReplacer("{{title}}", escaped(titleOf(p.Answer.Source)),
		"{{style}}", chart.Style+answer.Style+styleText, "{{body}}", body, "{{version}}", escaped(p.Version),
		"{{command}}", escaped(p.Command)).Replace(pageText))
}

// show puts HTML below the sections of an id.
func (p *Page) show(id, html string) {
	if p.below == nil {
		p.below = map[string]string{}
	}
	p.below[id] += html
}

// escaped is text in HTML.
func escaped(s string) string { return string(chart.AppendText(nil, s)) }

// insert puts a section before that of an id, or at the end.
func insert(sections []answer.Section, before string, s answer.Section) []answer.Section {
	at := slices.IndexFunc(sections, func(s answer.Section) bool { return s.ID == before })
	if at < 0 {
		at = len(sections)
	}
	return slices.Insert(sections, at, s)
}

// titleOf is the name of a file without its folder.
func titleOf(source string) string {
	name := table.Printable(source)
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if name == "" || name == "<stdin>" {
		return "Standard input"
	}
	return name
}

// longest is the number of characters of a name that are shown.
const longest = 60

func short(name string) string { return table.Short(name, longest) }

// shortened returns names as short as they are shown.
func shortened(names []string) (list []string) {
	for _, name := range names {
		list = append(list, short(name))
	}
	return list
}

// Counts are the rows of each class by label.
type Counts [][]int

// Add counts rows with these classes, which may be nil, and labels below k.
func (c *Counts) Add(class, labels []int, k int) {
	for i, l := range class[:min(len(class), len(labels))] {
		for l >= len(*c) {
			*c = append(*c, make([]int, k))
		}
		(*c)[l][labels[i]]++
	}
}

// section returns the table of the rows of every class by label; empty if there are no classes.
func (c Counts) section(classes, names []string) answer.Section {
	s := answer.Section{ID: "classes"}
	if len(c) > 0 {
		s.Title, s.Table = "Rows by class and by label", answer.CountsTable(classes[:len(c)], names, c, Room)
	}
	return s
}
