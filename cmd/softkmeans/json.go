package main

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
)

func writeJSON(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(layout(text))
	return err
}

// scalars is a string, or a list without lists and objects in it.
var scalars = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\[(?:[^][{}"]|"(?:[^"\\]|\\.)*")*\]`)

// layout puts every member of an object on its own line, and every item of a list
// unless the items are numbers or strings: a row of a matrix is one line.
func layout(text []byte) []byte {
	var b bytes.Buffer
	json.Indent(&b, append(text, '\n'), "", "\t") // of what Marshal wrote, without an error
	return scalars.ReplaceAllFunc(b.Bytes(), func(list []byte) []byte {
		if list[0] == '"' {
			return list
		}
		fields := strings.Split(string(list[1:len(list)-1]), ",\n")
		for i := range fields {
			fields[i] = strings.Trim(fields[i], "\n\t")
		}
		return []byte("[" + strings.Join(fields, ", ") + "]")
	})
}
