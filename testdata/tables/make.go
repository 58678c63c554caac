//go:build ignore

// Make writes the tables of this folder and want.txt, which says what must come out of
// each. Every table holds some rows of iris or digits in a form that spreadsheets, R,
// pandas or instruments write. Run it in the project's folder:
//
//	go run testdata/tables/make.go
package main

import (
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"
)

// table is some rows of a set.
type table struct {
	names, ids, kinds []string
	rows              [][]float64
}

// want is what must come out of a file.
type want struct {
	flags   string
	rows    int
	columns []string
	ids     []string // nil: none
	sum     float64  // of all numbers that are there
	missing int
	notes   []string
	fail    string // an error with this text, instead
}

var (
	index strings.Builder // want.txt
	count int
)

func main() {
	log.SetFlags(0)
	iris := read("testdata/iris.csv", "testdata/iris.labels.csv", 12, 150)
	iris.names = []string{"sepal_length", "sepal_width", "petal_length", "petal_width"}
	digits := read("testdata/digits.csv", "testdata/digits.labels.csv", 16, 1600)
	spectra := table{ids: iris.ids, kinds: iris.kinds}
	for j := range 12 { // as many bands, from 400 nm on
		spectra.names = append(spectra.names, strconv.Itoa(400+5*j))
	}
	for i := range iris.rows {
		spectra.rows = append(spectra.rows, digits.rows[i][18:30])
	}
	headers(iris, spectra, digits)
	ids(iris)
	signs(iris)
	lines(iris)
	words(iris)
	gaps(iris)
	if err := os.WriteFile("testdata/tables/want.txt", []byte(index.String()), 0o666); err != nil {
		log.Fatal(err)
	}
	fmt.Println(count, "tables")
}

// read takes n rows of the first most rows of a set, evenly.
func read(data, labels string, n, most int) (t table) {
	rows, classes := records(data), records(labels)
	names := []string{"setosa", "versicolor", "virginica", "d", "e", "f", "g", "h", "i", "j"}
	for i := range n {
		at := i * most / n
		row := make([]float64, len(rows[at]))
		for j, s := range rows[at] {
			row[j], _ = strconv.ParseFloat(s, 64)
		}
		class, _ := strconv.Atoi(classes[at][0])
		t.rows, t.kinds = append(t.rows, row), append(t.kinds, names[class])
		t.ids = append(t.ids, fmt.Sprintf("F-%03d", 7*i+3))
	}
	return t
}

func records(name string) [][]string {
	in, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	list, err := csv.NewReader(in).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	return list
}

// write writes a file and what must come out of it.
func write(name, content string, w want) {
	if err := os.WriteFile(filepath.Join("testdata/tables", name), []byte(content), 0o666); err != nil {
		log.Fatal(err)
	}
	count++
	fmt.Fprintf(&index, "file: %s\n", name)
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&index, "%s: %s\n", key, value)
		}
	}
	line("flags", w.flags)
	for _, n := range w.notes {
		line("note", n)
	}
	if line("error", w.fail); w.fail == "" {
		line("rows", strconv.Itoa(w.rows))
		line("columns", strings.Join(w.columns, "|"))
		line("ids", strings.Join(w.ids, "|"))
		line("sum", strconv.FormatFloat(w.sum, 'g', 12, 64))
		line("missing", strconv.Itoa(w.missing))
	}
	index.WriteByte('\n')
}

// plain is what must come out of a table as it is.
func (t table) plain() want {
	w := want{rows: len(t.rows), columns: t.names}
	for _, row := range t.rows {
		for _, v := range row {
			w.sum += v
		}
	}
	return w
}

// with adds notes to a want.
func (w want) with(notes ...string) want {
	w.notes = append(w.notes, notes...)
	return w
}

func (w want) by(ids []string) want {
	w.ids = ids
	return w
}

func (w want) flag(flags string) want {
	w.flags = flags
	return w
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// text writes rows with a delimiter. cell makes the text of a number, first what stands
// before the numbers of a row, and last what stands after them.
func (t table) text(comma, end string, cell func(float64) string, first, last func(i int) string) string {
	var b strings.Builder
	for i, row := range t.rows {
		var fields []string
		if first != nil {
			fields = append(fields, first(i))
		}
		for _, v := range row {
			fields = append(fields, cell(v))
		}
		if last != nil {
			fields = append(fields, last(i))
		}
		b.WriteString(strings.Join(fields, comma) + end)
	}
	return b.String()
}

func (t table) id(i int) string { return t.ids[i] }

func counted(from int) func(int) string { return func(i int) string { return strconv.Itoa(from + i) } }

func list(n int, f func(int) string) (s []string) {
	for i := range n {
		s = append(s, f(i))
	}
	return s
}

// headers are first lines of all kinds.
func headers(iris, spectra, digits table) {
	header := strings.Join(iris.names, ",") + "\n"
	rows := iris.text(",", "\n", number, nil, nil)
	bare := iris.plain()
	bare.columns = []string{"c1", "c2", "c3", "c4"}
	write("plain.csv", header+rows, iris.plain())
	write("bare.csv", rows, bare)

	bands := strings.Join(spectra.names, ",") + "\n"
	write("wavelengths.csv", bands+spectra.text(",", "\n", number, nil, nil), spectra.plain().with("header"))
	write("wavelengths-ids.csv", "sample,"+bands+spectra.text(",", "\n", number, spectra.id, nil),
		spectra.plain().by(spectra.ids).with("header"))
	years := iris
	years.names = []string{"2019", "2020", "2021", "2022"}
	write("years.csv", "country,"+strings.Join(years.names, ",")+"\n"+rows2(years, years.id), years.plain().by(iris.ids))
	zero := digits
	zero.names = list(64, counted(0))
	write("pandas-columns.csv", strings.Join(zero.names, ",")+"\n"+zero.text(",", "\n", number, nil, nil), zero.plain().with("header"))
	write("pandas-index-columns.csv", ","+strings.Join(zero.names, ",")+"\n"+zero.text(",", "\n", number, counted(0), nil),
		zero.plain().by(list(16, counted(0))).with("header", "ids"))
	rising := want{fail: "-header yes or no"}
	steps := ""
	for i := range 8 {
		row := list(6, func(j int) string { return number(float64(j*j+i) / 2) })
		if i%3 > 0 {
			row[3] = "0"
		}
		steps += strings.Join(row, ",") + "\n"
	}
	write("rising.csv", steps, rising)
	write("rising-header.csv", steps, want{flags: "-header yes", rows: 7, columns: list(6, func(j int) string { return number(float64(j*j) / 2) }), sum: sumOf(steps, 1)})
	units := "cm,cm,cm,cm\n"
	write("units.csv", header+units+rows, iris.plain().with("units (cm"))
	write("hash-header.txt", "# "+strings.Join(iris.names, " ")+"\n"+iris.text(" ", "\n", number, nil, nil), iris.plain().with("comments"))
	write("preamble.csv", "# instrument: Q3\n# date: 2020-01-31\n#\n"+header+rows+"# end\n", iris.plain().with("comments"))
	write("r.txt", `"`+strings.Join(iris.names, `" "`)+"\"\n"+iris.text(" ", "\n", number, func(i int) string { return `"` + iris.ids[i] + `"` }, nil),
		iris.plain().by(iris.ids).with("one name less"))
	write("r.csv", `"","`+strings.Join(iris.names, `","`)+"\"\n"+iris.text(",", "\n", number, func(i int) string { return `"` + iris.ids[i] + `"` }, nil),
		iris.plain().by(iris.ids).with("ids"))
	named := iris.plain().flag("-names a,b,c,d")
	named.columns = []string{"a", "b", "c", "d"}
	write("names.csv", rows, named)
}

func rows2(t table, first func(int) string) string { return t.text(",", "\n", number, first, nil) }

// sumOf adds the numbers of some lines, but the first skip.
func sumOf(text string, skip int) (sum float64) {
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i < skip {
			continue
		}
		for _, s := range strings.Split(line, ",") {
			v, _ := strconv.ParseFloat(s, 64)
			sum += v
		}
	}
	return sum
}

// ids are columns that are not data.
func ids(iris table) {
	header := strings.Join(iris.names, ",")
	w := iris.plain()
	write("id.csv", "id,"+header+"\n"+rows2(iris, iris.id), w.by(iris.ids).with("ids"))
	write("id-number.csv", "customerId,"+header+"\n"+rows2(iris, func(i int) string { return strconv.Itoa(90211 - 37*i) }),
		w.by(list(12, func(i int) string { return strconv.Itoa(90211 - 37*i) })).with("ids"))
	write("pandas.csv", ","+header+"\n"+rows2(iris, counted(0)), w.by(list(12, counted(0))).with("ids"))
	write("pandas-twice.csv", "Unnamed: 0,"+header+"\n"+rows2(iris, counted(0)), w.by(list(12, counted(0))).with("ids"))
	write("row-numbers.csv", "c,"+header+"\n"+rows2(iris, counted(1)), w.by(list(12, counted(1))).with("count the rows"))
	bare := w
	bare.columns = []string{"c2", "c3", "c4", "c5"}
	write("bare-numbers.csv", rows2(iris, counted(101)), bare.by(list(12, counted(101))).with("count the rows"))
	write("id-last.csv", header+",sample_id\n"+iris.text(",", "\n", number, nil, iris.id), w.by(iris.ids).with("ids"))
	two := iris.text(",", "\n", number, func(i int) string { return strconv.Itoa(i+1) + "," + iris.ids[i] }, nil)
	write("two-ids.csv", "n,plant,"+header+"\n"+two, w.by(iris.ids).with("count the rows", "ids"))
	kept := w
	kept.columns = append([]string{"id"}, iris.names...)
	for i := range iris.rows {
		kept.sum += float64(i + 1)
	}
	write("id-none.csv", "id,"+header+"\n"+rows2(iris, counted(1)), kept.flag("-id none"))
	write("id-chosen.csv", header+",code,plot\n"+iris.text(",", "\n", number, nil, func(i int) string { return "A" + strconv.Itoa(i/2) + ",p" + strconv.Itoa(i) }),
		w.by(list(12, func(i int) string { return "p" + strconv.Itoa(i) })).flag("-id plot -drop code"))
	write("range.csv", "site,plot,"+header+",note\n"+iris.text(",", "\n", number, func(i int) string { return "s" + strconv.Itoa(i%3) + ",7" }, func(int) string { return "ok" }),
		w.flag("-drop 1-2,note"))
}

// signs are numbers in other forms.
func signs(iris table) {
	header := func(comma string) string { return strings.Join(iris.names, comma) + "\n" }
	comma := func(v float64) string { return strings.Replace(number(v), ".", ",", 1) }
	w := iris.plain()
	write("excel-de.csv", header(";")+iris.text(";", "\r\n", comma, nil, nil), w.with("decimal sign"))
	write("decimal-tab.txt", header("\t")+iris.text("\t", "\n", comma, nil, nil), w.with("decimal sign"))
	quoted := func(v float64) string { return `"` + comma(v) + `"` }
	write("decimal-quoted.csv", header(",")+iris.text(",", "\n", quoted, nil, nil), w.with("decimal sign"))
	big := iris
	big.rows = nil
	for _, row := range iris.rows {
		var r []float64
		for _, v := range row {
			r = append(r, float64(int(v*123456))/100)
		}
		big.rows = append(big.rows, r)
	}
	write("thousands.csv", header(",")+big.text(",", "\n", func(v float64) string { return `"` + grouped(v, ",", ".") + `"` }, nil, nil), big.plain().with("thousands"))
	write("thousands-de.csv", header(";")+big.text(";", "\n", func(v float64) string { return grouped(v, ".", ",") }, nil, nil), big.plain().with("thousands", "decimal sign"))
	write("thousands-fr.csv", header(";")+big.text(";", "\n", func(v float64) string { return grouped(v, "\u202f", ",") }, nil, nil), big.plain().with("thousands", "decimal sign"))
	write("dollars.csv", header(",")+big.text(",", "\n", func(v float64) string { return `"$` + grouped(v, ",", ".") + `"` }, nil, nil), big.plain().with("currencies"))
	write("euros.csv", header(";")+big.text(";", "\n", func(v float64) string { return grouped(v, ".", ",") + " €" }, nil, nil), big.plain().with("currencies"))
	write("percent.csv", header(",")+iris.text(",", "\n", func(v float64) string { return number(v) + "%" }, nil, nil), w.with("percent"))
	at := 0
	write("percent-mixed.csv", header(",")+iris.text(",", "\n", func(v float64) string {
		if at++; at%8 == 3 {
			return number(v) + " %"
		}
		return number(v)
	}, nil, nil), w.with("percent", "warning: column 3 (petal_length) has numbers with a percent sign and numbers without one, such as 1.4"))
	write("accounts.csv", header(",")+iris.text(",", "\n", func(v float64) string { return "(" + number(v) + ")" }, nil, nil), minus(w).with("(5)"))
	write("scientific.txt", iris.text("  ", "\n", func(v float64) string { return strconv.FormatFloat(v, 'E', 6, 64) }, nil, nil), bareNames(w))
}

func minus(w want) want { w.sum = -w.sum; return w }

func bareNames(w want) want {
	w.columns = list(len(w.columns), func(j int) string { return "c" + strconv.Itoa(j+1) })
	return w
}

// grouped writes a number of two decimals with separators.
func grouped(v float64, comma, point string) string {
	whole, rest, _ := strings.Cut(strconv.FormatFloat(v, 'f', 2, 64), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + comma + whole[i:]
	}
	return whole + point + rest
}

// lines are ends of lines, marks of the order of bytes, empty lines and columns.
func lines(iris table) {
	header := strings.Join(iris.names, ",") + "\n"
	rows := iris.text(",", "\n", number, nil, nil)
	w := iris.plain()
	write("sep.csv", "sep=;\r\n"+strings.Join(iris.names, ";")+"\r\n"+iris.text(";", "\r\n", number, nil, nil), w)
	write("bom.csv", "\ufeff"+header+rows, w)
	write("utf16.txt", wide("\ufeff"+strings.ReplaceAll(header+rows, ",", "\t")), w)
	write("empty-lines.csv", header+rows+",,,\n,,,\n\n", w)
	write("empty-columns.csv", strings.TrimSpace(header)+",,\n"+iris.text(",", "\n", number, nil, func(int) string { return "," }), w)
	write("trailing-comma.csv", header+iris.text(",", ",\n", number, nil, nil), w)
	hollow := strings.SplitAfter(rows, "\n")
	hollow[4] += ",,,\n"
	write("hollow-line.csv", header+strings.Join(hollow, "")+",,,\n", want{fail: "a blank line between rows"})
	write("bar.txt", strings.ReplaceAll(header+rows, ",", "|"), w)
	write("aligned.txt", strings.ReplaceAll(header+rows, ",", "    "), w)
	write("latin1.csv", "Gr\xf6\xdfe,"+header+iris.text(",", "\n", number, func(int) string { return "1" }, nil), func() want {
		w := iris.plain()
		w.columns, w.sum = append([]string{"Größe"}, w.columns...), w.sum+12
		return w
	}())
}

// wide is UTF-16 with the low byte first.
func wide(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// words are columns of text.
func words(iris table) {
	header := strings.Join(iris.names, ",")
	kind := func(i int) string { return iris.kinds[i] }
	w := iris.plain()
	species := header + ",species\n" + iris.text(",", "\n", number, nil, kind)
	write("species.csv", species, want{fail: "-drop species"})
	write("species-label.csv", species, w.flag("-label species"))
	hot := w.flag("-encode onehot")
	hot.columns = append(append([]string{}, iris.names...), "species=setosa", "species=versicolor", "species=virginica")
	hot.sum += 12
	write("species-onehot.csv", species, hot)
	write("two-texts.csv", "site,"+header+",day\n"+iris.text(",", "\n", number, func(i int) string { return "s" + strconv.Itoa(i%2) },
		func(i int) string { return "2020-01-" + strconv.Itoa(10+i/2) }), want{fail: "-drop site,day"})
	write("dates.csv", "day,"+header+"\n"+rows2(iris, func(i int) string { return "2020-01-" + strconv.Itoa(10+i/2) }), want{fail: "dates such as \"2020-01-10\""})
	write("slip.csv", header+"\n"+strings.Replace(rows2(iris, nil), "5.1", "5..1", 1), want{fail: `"5..1"`})
}

// gaps are missing values.
func gaps(iris table) {
	header := strings.Join(iris.names, ",") + "\n"
	sum, n := 0.0, 0
	hole := func(sign string) string {
		sum, n = 0, 0
		at := 0
		return iris.text(",", "\n", func(v float64) string {
			if at++; at%7 == 3 {
				n++
				return sign
			}
			sum += v
			return number(v)
		}, nil, nil)
	}
	write("gaps.csv", header+hole(""), want{fail: "missing values"})
	for _, f := range [][2]string{{"gaps-drop.csv", "NA"}, {"gaps-mean.csv", "nan"}, {"gaps-fit.csv", "-"}} {
		text := hole(f[1])
		w := iris.plain().flag("-missing " + strings.TrimSuffix(strings.TrimPrefix(f[0], "gaps-"), ".csv"))
		w.sum, w.missing = sum, n
		write(f[0], header+text, w)
	}
	german(iris)
	totals(iris)
}

// totals are tables with a last line of sums or means.
func totals(iris table) {
	header := strings.Join(iris.names, ",") + "\n"
	sums, means := make([]string, 4), make([]string, 4)
	for j := range sums {
		sum := 0.0
		for _, row := range iris.rows {
			sum += row[j]
		}
		sums[j] = strconv.FormatFloat(sum, 'f', 1, 64)
		means[j] = strconv.FormatFloat(sum/12, 'f', 3, 64)
	}
	for _, c := range [][3]string{{"total-sums.csv", strings.Join(sums, ","),
		"row 13 of 13 seems to be totals, statistics or limits, since its numbers are the sums of the columns; "},
		{"total-means.csv", strings.Join(means, ","), "row 13 of 13 seems to be totals, statistics or limits, since its numbers are the means of the columns"}} {
		w := iris.plain().with(c[2])
		w.rows++
		w.sum += sumOf(c[1], 0)
		write(c[0], header+rows2(iris, nil)+c[1]+"\n", w)
		write(c[0], header+rows2(iris, nil)+c[1]+"\n", skipped(iris.plain()))
	}
	last := "5,1,2,3"
	w := iris.plain().by(append(append([]string{}, iris.ids...), "Summe")).with("since its id is \"Summe\"")
	w.rows++
	w.sum += sumOf(last, 0)
	text := "Probe," + header + rows2(iris, iris.id) + "Summe," + last + "\n"
	write("total-id.csv", text, w)
	write("total-id.csv", text, skipped(iris.plain().by(iris.ids)))
	write("total-number.csv", "n,"+header+rows2(iris, counted(1))+"Total,"+strings.Join(sums, ",")+"\n",
		want{fail: "\"Total\" in column \"n\" is not a number"})
}

// skipped is w without the last row.
func skipped(w want) want {
	w.flags = "-skip last"
	return w.with("1 row is left out, as asked")
}

// german is a table of Excel with ids, columns of text, gaps and decimal commas.
func german(iris table) {
	at, w := 0, iris.plain().by(iris.ids)
	cell := func(v float64) string {
		if at++; at%11 == 4 {
			w.sum -= v
			w.missing++
			return ""
		}
		return strings.Replace(number(v), ".", ",", 1)
	}
	rows := iris.text(";", "\r\n", cell, iris.id, func(i int) string { return iris.kinds[i] + ";Bem. " + strconv.Itoa(i/2) })
	text := "Probe;" + strings.Join(iris.names, ";") + ";Ort/Land;Notiz\r\n" + rows
	write("german.csv", text, want{fail: "5 missing values: 2 in column 5 (petal_width) (first on line 2), 1 in column 4 (petal_length) (first on line 5), " +
		"1 in column 3 (sepal_width) (first on line 8), 1 in column 2 (sepal_length) (first on line 11) (add -drop Ort/Land,Notiz -missing fit, which"})
	write("german-drop.csv", text, w.flag("-drop 6,Notiz -missing fit").with("decimal sign"))
	write("german-mended.csv", text, w.flag("-encode drop -missing fit").with("columns of text are left out: column 6 (Ort/Land), 3 values such as \"setosa\" and \"virginica\"; column 7 (Notiz), 6 values"))
	write("german-slip.csv", strings.Replace(text, "\r\nF-010;", "\r\nF-010;1..", 1),
		want{fail: "\"1..4,8\" (first on line 3)"})
	write("texts-only.csv", "a,b\nx y,u\nz,v\nx y,v\n", want{flags: "-encode drop", fail: "columns of text: column 1 (a)"})
}
