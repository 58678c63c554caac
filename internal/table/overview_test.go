package table

import (
	"strings"
	"testing"
)

// Overview tells of the columns, also where NewReader has an error.
func TestOverview(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		d     Dialect
		roles string // and T for text, C for classes
		names string
		err   bool
	}{
		{"id;x;y\na;1,5;2\nb;2,5;3\n", Dialect{}, "iT d d ", "id|x|y", false},
		{"1,2\n3,1\n", Dialect{}, "d d ", "c1|c2", false},
		{"x,kind,day\n1,a,2020-01-01\n2,b,2020-01-01\n3,a,2020-01-02\n", Dialect{},
			"d dTC dT ", "x|kind|day", true},
		{"x,kind,w,z\n1,a,1,p\n2,b,1,q\n3,a,2,r\n", Dialect{Label: "2", Weights: "w", Drop: []string{"z"},
			Keep: []string{"z"}}, "d lTC w kT ", "x|kind|w|z", false},
		{"x,,e\n1,a,\n2,b,\n3,c,\n", Dialect{Text: TextOneHot}, "d iT x ", "x|c2|e", false},
		{"0,0.5,2\n0,1,3\n4,2,0\n1,5,1\n", Dialect{}, "", "", true}, // a header or a row
		{"", Dialect{}, "", "", true},
		{"a,b\n", Dialect{}, "d d ", "a|b", true},
	} {
		c.d.Guess = true
		r, err := NewReader(strings.NewReader(c.text), "f", c.d)
		var o Overview
		if r != nil {
			o = r.Overview()
		}
		var roles strings.Builder
		var names []string
		for _, k := range o.Columns {
			roles.WriteByte(byte(k.As))
			if k.Text {
				roles.WriteByte('T')
			}
			if k.Classes {
				roles.WriteByte('C')
			}
			roles.WriteByte(' ')
			names = append(names, k.Name)
		}
		if roles.String() != c.roles || strings.Join(names, "|") != c.names || (err != nil) != c.err {
			t.Errorf("%q: %q, %q, %v", c.text, roles.String(), names, err)
		}
	}
}
