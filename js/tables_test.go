// Package js tests that the lists in JavaScript are those in Go.
package js

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"softkmeans"
)

// read returns a file. The package may be tested without the others beside it.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// between returns what stands between two texts.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, text, ok := strings.Cut(text, from)
	text, _, closed := strings.Cut(text, to)
	if !ok || !closed {
		t.Fatalf("there is no %q … %q", from, to)
	}
	return text
}

// found returns the first group of every match.
func found(pattern, text string) (list []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// The fields of a model file are those of the package modelfile, in its order, but for those of
// similarities, which model.js does not read.
func TestModelFields(t *testing.T) {
	got := found(`(?m)^  (\w+):`, between(t, read(t, "model.js"), "const fields = {", "\n}"))
	want := []string{"format", "version", "method", "k", "columns"} // head
	body := between(t, read(t, "../modelfile/file.go"), "func (f *File) fields(t *walk) {", "\n}")
	for _, m := range regexp.MustCompile(`(?:t\.(\w+)\(|choose\(t, )(?:"(\w+)")?`).FindAllStringSubmatch(body, -1) {
		switch {
		case m[2] != "":
			want = append(want, m[2])
		case m[1] == "warnings" || m[1] == "others":
			want = append(want, m[1])
		}
	}
	want = slices.DeleteFunc(want, func(name string) bool { return name == "kernel" || name == "gamma" || name == "samples" })
	if !slices.Equal(got, want) {
		t.Errorf("model.js has\n%v, modelfile\n%v", got, want)
	}
}

// The words of the model file are those of the package.
func TestModelWords(t *testing.T) {
	text := read(t, "model.js")
	for name, word := range map[string]func(int) string{
		"sum":        func(i int) string { return softkmeans.Sum(i).String() },
		"rowScaling": func(i int) string { return [...]string{"auto", "unit", "(none)"}[i] },
		"labelBy":    func(i int) string { return [...]string{"cluster", "largest", "(none)"}[i] },
		"solver":     func(i int) string { return softkmeans.Solver(i).String() },
		"volume":     func(i int) string { return softkmeans.Volume(i).String() },
		"status":     func(i int) string { return softkmeans.Status(i).String() },
		"warnings":   func(i int) string { return softkmeans.WarningKind(i).String() },
	} {
		from, to := "  "+name+": word(", ")"
		if name == "warnings" {
			from, to = "const warnings = [", "]"
		}
		list := between(t, text, from, to)
		words := found(`'([^']*)'`, list)
		for i := range len(words) + 1 {
			if of := word(i); i == len(words) && !strings.HasSuffix(of, ")") || i < len(words) && words[i] != of {
				t.Errorf("%s: %q in model.js, and number %d of the package is %q", name, words, i, of)
			}
		}
	}
}

// The arrays and options of the module are in the same order on both sides.
func TestModuleTables(t *testing.T) {
	host, module := read(t, "softkmeans.js"), read(t, "module/main.go")
	for prefix, list := range map[string]string{
		"in":  between(t, host, "const arrays = [", "]"),
		"opt": between(t, host, "const numbers = [", "]"),
		"out": regexp.MustCompile(`(\w+): \d`).ReplaceAllString(between(t, host, "const results = {", "}"), "'$1'"),
	} {
		got := found(`'(\w+)'`, list)
		want := found(`(?m)^\t`+prefix+`([A-Z]\w*)(?: += iota)?$`, regexp.MustCompile(` +//.*`).ReplaceAllString(module, ""))
		for i, name := range want {
			want[i] = strings.ToLower(name[:1]) + name[1:]
		}
		if want = slices.DeleteFunc(want, func(name string) bool { return name == "count" }); !slices.Equal(got, want) {
			t.Errorf("%s: %v in softkmeans.js, %v in the module", prefix, got, want)
		}
	}
	statuses := found(`'([^']*)'`, between(t, host, "const statuses = [", "]"))
	for i, word := range statuses {
		if of := softkmeans.Status(i).String(); word != of {
			t.Errorf("status %d is %q in softkmeans.js, %q in the package", i, word, of)
		}
	}
}

// The words of options in input.js are those of Go, in the order of its constants, which the
// module takes.
func TestOptionWords(t *testing.T) {
	text := read(t, "input.js")
	for name, word := range map[string]func(i int) string{
		"sum":       func(i int) string { return softkmeans.Sum(i).String() },
		"enclosure": func(i int) string { return softkmeans.Enclosure(i).String() },
		"init":      func(i int) string { return softkmeans.Init(i).String() },
		"volume":    func(i int) string { return softkmeans.Volume(i).String() },
	} {
		got := found(`'([^']+)'`, between(t, text, "word('"+name+"', v, [", "]"))
		var want []string
		for i := 0; !strings.Contains(word(i), "("); i++ { // Init(4) is none
			want = append(want, strings.ReplaceAll(strings.ToLower(word(i)), " ", "-"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: input.js has %v, the package %v", name, got, want)
		}
	}
}
