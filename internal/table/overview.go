package table

import "slices"

// Role is what a column is taken for.
type Role byte

// The roles of columns. Their letters are short texts of a program that shows them.
const (
	AsData    Role = 'd'
	AsLabel   Role = 'l'
	AsWeights Role = 'w'
	AsID      Role = 'i'
	AsKept    Role = 'k' // carried along, and not data
	AsNothing Role = 'x'
)

// Taken is a column of a text and what it is taken for.
type Taken struct {
	Name    string // Column(j) for column j without a name
	As      Role
	Text    bool // it holds words or different units: data only with Dialect.Text
	Classes bool // they are few, come more than once, and are no dates
}

// Overview is how a text is read.
type Overview struct {
	Delimiter, Decimal rune
	Header, Turned     bool
	Long               bool
	Columns            []Taken // all, in the order of the text; nil where an error comes before them
}

// Overview returns how the text is read, with Dialect.Guess.
func (t *Reader) Overview() Overview {
	p := &t.parser
	o := Overview{p.dialect.Delimiter, p.dialect.Decimal, t.Header, t.Turned, t.Long, nil}
	for j := range p.survey.columns {
		c, as := &p.survey.columns[j], AsData
		switch role := p.roles[j]; {
		case slices.ContainsFunc(p.found, func(f flaw) bool { return f.field == j }): // an error
		case p.id == j+1:
			as = AsID
		case role == roleLabel:
			as = AsLabel
		case role == roleWeight:
			as = AsWeights
		case role == roleNone && p.kept[j]:
			as = AsKept
		case role == roleNone:
			as = AsNothing
		}
		o.Columns = append(o.Columns, Taken{p.names[j], as, c.text(), c.text() && c.few() &&
			len(c.values) < c.words})
	}
	return o
}
