package answer

import (
	"strconv"
	"strings"

	"softkmeans/choosek"
	"softkmeans/internal/view"
)

// Choice is a number of prototypes and the reason for it.
type Choice struct {
	K        *int     `json:"k"` // nil: none
	Certain  bool     `json:"certain"`
	Reason   string   `json:"reason"`
	Criteria []string `json:"criteria,omitempty"` // sentences
	Elbow    *int     `json:"elbow,omitempty"`    // of the curve of floors
	Profile  *int     `json:"profile,omitempty"`  // where large steps end
}

// NewChoice returns a choice by the data, or without one by the floors alone; nil without either.
func NewChoice(c *choosek.Choice, p *choosek.Proposal) *Choice {
	switch {
	case c != nil:
		return &Choice{K: AtLeastOne(c.K), Certain: c.Certain, Reason: c.Reason, Criteria: criteria(c)}
	case p != nil:
		return &Choice{K: AtLeastOne(p.K), Certain: p.Certain, Reason: p.Reason}
	}
	return nil
}

// AtLeastOne returns nil for 0.
func AtLeastOne(k int) *int {
	if k == 0 {
		return nil
	}
	return &k
}

// criteria are what a choice rests on. A choice by the agreement of halves alone has one, in which agreement
// worse than by chance is 0.
func criteria(c *choosek.Choice) []string {
	if len(c.Step) > 0 || len(c.Agreement) < 2 {
		return view.Opinions(*c)
	}
	var list []string
	for i, v := range c.Agreement[1:] {
		list = append(list, rounded(max(v, 0))+" for k = "+strconv.Itoa(i+2))
	}
	return []string{"Halves of the rows: " + strings.Join(list, ", ") + "."}
}

// Sentence says which k is proposed, and why.
func (c *Choice) Sentence() string {
	switch {
	case c.K == nil:
		return "No k is proposed: " + c.Reason + "."
	case !c.Certain:
		k, doubt := "Best supported: k = "+strconv.Itoa(*c.K), ", but not certain. "
		if strings.HasPrefix(c.Reason, "not certain") {
			doubt = ". "
		}
		return k + doubt + Capital(c.Reason) + "."
	}
	return "Proposed: k = " + strconv.Itoa(*c.K) + ", since " + c.Reason + "."
}

// Lines are the criteria, in lines of a text.
func (c *Choice) Lines() (text string) {
	for _, line := range c.Criteria {
		text += Wrapped(line)
	}
	return text
}

// FloorsAlone says which k the floors propose, and that nothing else was asked.
func FloorsAlone(p *choosek.Proposal) string {
	text := NewChoice(nil, p).Sentence()
	return "By the floors alone, " + strings.ToLower(text[:1]) + text[1:]
}
