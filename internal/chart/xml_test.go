package chart_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"testing"
)

var notFinite = regexp.MustCompile(`NaN|Inf`)

// wellFormed checks that b is XML without numbers that are not finite.
func wellFormed(t testing.TB, b []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%v in %.3000s", err, b)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local != "aria-label" && notFinite.MatchString(a.Value) {
					t.Fatalf("%s=%q in %.3000s", a.Name.Local, a.Value, b)
				}
			}
		}
	}
}
