package modelfile

// The kind of a file that is no model file, by its beginning.

import (
	"bufio"
	"io"
	"strings"

	"softkmeans"
	"softkmeans/internal/fault"
)

// foreign returns an error if r does not begin as a model file does. The error names the kind of file.
// foreign waits for no more than the first byte.
func foreign(r *bufio.Reader) error {
	if _, err := r.Peek(1); err != nil {
		if err == io.EOF {
			return fault.New(softkmeans.ErrFormat, "the file is empty")
		}
		return err
	}
	b, _ := r.Peek(min(r.Buffered(), mostSpace))
	start := strings.TrimLeft(string(b), " \t\r\n")
	what := ""
	switch {
	case strings.HasPrefix(start, "{"):
		what = foreignObject(start)
	case start == "": // of spaces; the reader counts them
	default:
		what = "this is " + foreignText(start)
	}
	if what == "" {
		return nil
	}
	return fault.New(softkmeans.ErrFormat, "not a model file: "+what)
}

// beginnings are the first bytes of files of other kinds, and the names of the kinds.
var beginnings = [][2]string{
	{"SKMS", "statistics of softkmeans in binary form"},
	{"SKP3", "a subspace of package stream in binary form"},
	{"SKE3", "an extent of package stream in binary form"},
	{"\x93NUMPY", "an array of NumPy"},
	{"\x1f\x8b", "a file in gzip; unpack it first"},
	{"PK\x03\x04", "a ZIP archive, as .npz and .xlsx are"},
	{"\x89HDF", "an HDF5 file"},
	{"\x80\x02", "a pickle of Python"},
	{"\x80\x03", "a pickle of Python"},
	{"\x80\x04", "a pickle of Python"},
	{"\x80\x05", "a pickle of Python"},
	{"RDX", "a file of R"},
	{"\xef\xbb\xbf{", "JSON behind a byte order mark; remove the mark"},
	{"\xff\xfe", "text in UTF-16; save it as UTF-8"},
	{"\xfe\xff", "text in UTF-16; save it as UTF-8"},
	{"[", "a list in JSON, not an object"},
	{"<", "HTML or XML"},
	{"ENVI", "the header of an image"},
	{"column,p0", "prototypes as older pages saved them, a row for each column"},
	{"column,mean,deviation,p0", "prototypes as older pages saved them, a row for each column"},
}

// foreignText names the kind of a file that does not begin with an object.
func foreignText(start string) string {
	for _, k := range beginnings {
		if strings.HasPrefix(start, k[0]) {
			return k[1]
		}
	}
	line, _, _ := strings.Cut(start, "\n")
	for i := range len(line) {
		if line[i] < ' ' && line[i] != '\t' && line[i] != '\r' {
			return "no text"
		}
	}
	if strings.ContainsAny(line, ",;\t") {
		return "a table, such as CSV"
	}
	return "no JSON"
}

// members are strings in the first bytes of objects of other kinds, and the names of the kinds.
var members = [][2]string{
	{`"Centers":`, "a Model by encoding/json, which json.Unmarshal reads; modelfile stores it with its columns"},
	{`"cluster_centers_`, "an estimator of scikit-learn; write its cluster_centers_ as CSV"},
	{`"components_`, "an estimator of scikit-learn; write its components_ as CSV"},
	{`sklearn`, "an estimator of scikit-learn; write its centers as CSV"},
	{`"FeatureCollection"`, "GeoJSON"},
	{`"geometry"`, "GeoJSON"},
	{`"nbformat`, "a notebook"},
	{`"certificate":`, "a report by -json; the model is what fit -model writes"},
	{`"certified":`, "a report by -json; the model is what fit -model writes"},
	{`"source":`, "a report by -json; the model is what fit -model writes"},
}

// foreignObject names the kind of an object in JSON; "": perhaps a model file. A model file begins with
// the field format, in any white space.
func foreignObject(start string) string {
	inside := strings.TrimLeft(start[1:], " \t\r\n")
	if inside == "" || strings.HasPrefix(inside, `"format"`) || strings.HasPrefix(`"format"`, inside) {
		return ""
	}
	for _, m := range members {
		if strings.Contains(start, m[0]) {
			return "this is " + m[1]
		}
	}
	return "this is an object in JSON that does not begin with \"format\": \"softkmeans model\""
}
