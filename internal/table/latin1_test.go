package table

import (
	"slices"
	"strings"
	"testing"
)

// Names and classes in Windows-1252 become UTF-8; those in UTF-8 are left unchanged.
func TestWindows1252(t *testing.T) {
	got, err := read("L\xe4nge \x80,b,Art\n1,2,na\xefve\n3,4,gr\xfcn\n5,6,na\xefve\n", Dialect{Label: "Art"})
	if err != nil || !slices.Equal(got.Names, []string{"Länge €", "b"}) ||
		!slices.Equal(got.Classes, []string{"naïve", "grün"}) || !slices.Equal(got.Class, []int{0, 1, 0}) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = read("Länge €,Art\n1,grün\n", Dialect{Label: "Art"})
	if err != nil || got.Names[0] != "Länge €" || got.Classes[0] != "grün" {
		t.Errorf("%+v, %v", got, err)
	}
	classes, err := ReadClasses(strings.NewReader("x,Stra\xdfe\n1,\x84hier\x93\n2,dort\n"), "f.csv",
		Dialect{}, "Straße")
	if err != nil || classes.Name != "Straße" || !slices.Equal(classes.Classes, []string{"„hier“",
		"dort"}) {
		t.Errorf("%+v, %v", classes, err)
	}
}
