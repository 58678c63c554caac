package answer

// Prototypes and means of clusters as files.

import (
	"strconv"
	"strings"
)

// CentersCSV has the names of the columns and a row for each prototype. It begins with the prototype's name unless
// names is nil.
func CentersCSV(columns, names []string, centers [][]float64) []byte {
	var head []string
	if names != nil {
		head = []string{"prototype"}
	}
	b := AppendLine(nil, append(head, columns...))
	for i, center := range centers {
		var fields []string
		if names != nil {
			fields = []string{names[i]}
		}
		b = AppendLine(b, AppendNumbers(fields, center...))
	}
	return b
}

// MeansCSV has a row for each cluster: its number, its rows, the share of its weight, and its mean.
func MeansCSV(columns []string, clusters []Cluster) []byte {
	b := AppendLine(nil, append([]string{"cluster", "size", "weight"}, columns...))
	for j, c := range clusters {
		fields := AppendNumbers([]string{strconv.Itoa(j), strconv.Itoa(c.Rows)}, c.Weight)
		b = AppendLine(b, AppendNumbers(fields, c.Mean...))
	}
	return b
}

// AppendNumbers appends values to fields, with the digits that it takes to read the same float64.
func AppendNumbers(fields []string, values ...float64) []string {
	for _, v := range values {
		fields = append(fields, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return fields
}

// AppendLine appends a line of CSV to b.
func AppendLine(b []byte, fields []string) []byte {
	for j, s := range fields {
		if j > 0 {
			b = append(b, ',')
		}
		b = AppendField(b, s)
	}
	return append(b, '\n')
}

// AppendField appends a field of CSV to b, in quotes if it needs them.
func AppendField(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") && s == strings.TrimSpace(s) {
		return append(b, s...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}
