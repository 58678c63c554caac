package answer

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// docs/answer.md has every field of the JSON.
func TestFields(t *testing.T) {
	text, err := os.ReadFile("../../docs/answer.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var check func(of reflect.Type)
	check = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			f := of.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			if check(f.Type); !f.Anonymous && !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("no %s of %v in docs/answer.md", name, of)
			}
		}
	}
	check(reflect.TypeFor[Answer]())
}
