package main

import (
	"context"
	"encoding/csv"
	"errors"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/absent"
	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
	"softkmeans/internal/view"
)

// want is an entry of testdata/tables/want.txt.
type want map[string][]string

func corpus(t *testing.T) (list []want) {
	t.Helper()
	for _, folder := range []string{"", "trade"} {
		for _, w := range tables.Want(t, filepath.Join("..", "..", "testdata", "tables", folder, "want.txt")) {
			w["file"][0] = filepath.Join(folder, w["file"][0])
			list = append(list, w)
		}
	}
	return list
}

// flagged are the options of the page for the flags of the command. columns are the names
// of the columns and roles their roles, as the page shows them before.
func flagged(t *testing.T, flags []string, columns []string, roles string) (o options) {
	t.Helper()
	o = options{k: 1, scale: scale.Auto, slack: .25}
	if flags == nil {
		return o
	}
	list, now := regexp.MustCompile(`'[^']*'|[^ ]+`).FindAllString(flags[0], -1), []byte(roles)
	at := func(name string) int {
		if name == "1-2" { // of range.csv
			now[0] = 'x'
			return 1
		}
		if n, err := strconv.Atoi(name); err == nil {
			return n - 1
		}
		return slices.Index(columns, name)
	}
	for i := 0; i < len(list); i += 2 {
		name, value := strings.TrimPrefix(list[i], "-"), list[i+1]
		switch name {
		case "header", "missing", "names", "transpose", "long", "na", "below", "skip":
			tables.OK(t, o.set(name, value))
		case "label":
			now[at(value)] = 'l'
		case "encode":
			if value == "drop" {
				tables.OK(t, o.set("words", value))
				continue
			}
			now = []byte(strings.ReplaceAll(string(now), "t", "d"))
		case "id":
			if i := strings.IndexByte(string(now), 'i'); i >= 0 {
				now[i] = 'd'
			}
			if value != "none" {
				now[at(value)] = 'i'
			}
		case "drop":
			for name := range strings.SplitSeq(value, ",") {
				now[at(name)] = 'x'
			}
		case "keep":
			now[at(value)] = 'k'
		default:
			t.Fatalf("-%s", name)
		}
	}
	if string(now) != roles {
		o.roles = string(now)
	}
	return o
}

// Every table of testdata/tables is read as want.txt says. The errors that the command
// tells have a button, or the page has an answer.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, w := range corpus(t) {
		name := w["file"][0]
		t.Run(name, func(t *testing.T) {
			s := &session{}
			from := fromText(name, string(read(t, filepath.Join("tables", name))))
			parts, err := s.open(t.Context(), from, options{scale: scale.Auto}, nil)
			if w.aboutTurning() {
				t.Skip("the page's roles are those of the columns that it shows, turned or not")
			}
			if w["flags"] != nil {
				o := flagged(t, w["flags"], strings.Split(valueOf(t, parts, "columns"), "\n"), valueOf(t, parts, "roles"))
				if o.roles != "" { // as the page does
					o.set("transpose", valueOf(t, parts, "transpose"))
					o.set("long", valueOf(t, parts, "long"))
				}
				_, err = s.fit(t.Context(), o, nil, nil)
				parts, _ = s.open(t.Context(), from, o, nil)
			}
			if fail := w["error"]; fail != nil {
				checkRefused(t, parts, err, fail[0])
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			w.check(t, s.data, valueOf(t, parts, "notes"))
		})
	}
}

// aboutTurning reports whether the flags are about columns and about which way round they are.
func (w want) aboutTurning() bool {
	flags, fail := strings.Join(w["flags"], ""), strings.Join(w["error"], "")
	for _, flag := range []string{"-transpose", "-long"} {
		if strings.Contains(flags, flag) && (strings.Count(flags, "-") > 1 || fail != "") ||
			strings.Contains(fail, flag) {
			return true
		}
	}
	return strings.Contains(fail, "as it is then read")
}

// checkRefused compares an error and the buttons that come with it.
func checkRefused(t *testing.T, parts []part, err error, want string) {
	t.Helper()
	ways := valueOf(t, parts, "ways")
	switch {
	case err == nil:
		t.Error("no error")
	case want == "-encode onehot turns":
		if !strings.Contains(ways, "Make columns of 0 and 1\troles\t") {
			t.Errorf("%v; %q", err, ways)
		}
	case strings.HasPrefix(want, "-drop "):
		names := strings.Replace(want[len("-drop "):], ",", ", ", 1)
		if !strings.HasPrefix(ways, "Leave out "+names+"\troles\t") {
			t.Errorf("%v; %q", err, ways)
		}
	default:
		want, _, _ = strings.Cut(want, " (add ") // a button
		none := want[0] == '"'                   // nothing on the page mends the file
		starts := []string{"this is ", "a blank line ", "each sample ", "the rows of numbers ", "4 fields "}
		for _, start := range starts {
			none = none || strings.HasPrefix(want, start)
		}
		if !strings.Contains(err.Error(), strings.Replace(want, "-header", "Header", 1)) || ways == "" && !none {
			t.Errorf("%v; %q", err, ways)
		}
	}
}

func (w want) check(t *testing.T, d *data, notes string) {
	t.Helper()
	sum, missing := 0.0, 0
	for _, n := range d.Missing {
		missing += n
	}
	for _, v := range d.Data {
		sum += v
	}
	if got := strings.Join(d.Names, "|"); got != w["columns"][0] {
		t.Errorf("columns %s", got)
	}
	if w["ids"] != nil && strings.Join(d.texts.IDs, "|") != w["ids"][0] || w["ids"] == nil && d.texts.IDs != nil {
		t.Errorf("ids %q", d.texts.IDs)
	}
	if all := max(d.Rows, len(d.texts.Left)); itoa(all) != w["rows"][0] || itoa(missing) != w["missing"][0] {
		t.Errorf("%d rows, %d values missing", all, missing)
	}
	if want := number64(t, w["sum"][0]); missing == 0 && math.Abs(sum-want) > 1e-9*math.Abs(want) {
		t.Errorf("the sum is %v", sum)
	}
	for _, note := range w["note"] {
		if !strings.Contains(notes, note) {
			t.Errorf("the notes %q do not say %q", notes, note)
		}
	}
}

func number64(t *testing.T, s string) float64 {
	t.Helper()
	return tables.Must(strconv.ParseFloat(s, 64))(t)
}

// Which column the labels are, what the buttons offer, and what roles do.
func TestRoles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, roles string // asked for
		got         string // the roles then, "" with an error
		names       string // of the data
		err, ways   string
	}{
		{"a,b,kind\n1,2,x\n3,4,y\n5,6,x\n", "", "", "", "a column of text: column 3 (kind)",
			"Leave out kind\troles\tddx\nMake columns of 0 and 1\troles\tddd\n" +
				"Take it for the labels\troles\tddl"},
		{"a,b,kind\n1,2,x\n3,4,y\n5,6,x\n", "ddl", "ddl", "a|b", "", ""},
		{"a,b,kind\n1,2,x\n3,4,y\n5,6,x\n", "ddd", "ddd", "a|b|kind=x|kind=y", "", ""},
		{"a,b,kind\n1,2,x\n3,4,y\n5,6,x\n", "dxk", "dxk", "a", "", ""},
		{"a,b,kind\n1,2,x\n3,4,y\n5,6,x\n", "wdi", "wdi", "b", "", ""},
		{"a,b,kind\n1,2,x\n3,4,y\n5,6,x\n", "ddt", "", "",
			"a column of text: column 3 (kind), 2 values such as \"x\" and " +
				"\"y\"", "Leave out kind\troles\tddx\nMake columns of 0 and 1\troles\tddd\n" +
				"Take it for the labels\troles\tddl"},
		{"a,b,kind\n1,2,x\n3,4,y\n5,6,x\n", "dd", "", "", "2 roles for 3 columns", ""},
		{"a,b,kind\n1,2,x\n3,4,y\n5,6,x\n", "xxx", "", "", "t.csv: there is no column of data", ""},
		{"a,b\n1,2\n3,4\n", "", "dd", "a|b", "", ""},
		{"a,b\n1,2\n3,y\n", "", "", "", "t.csv: a column of text", "Leave out b"}, // of two values one is a slip
		{"x,y,z\n1,a,b\n2,c,d\n3,a,b\n", "", "", "", "columns of text", "Leave out y, z\troles\tdxx\nMake"},
		{"a,b\n1,2\n3,4\n<4,3\n", "", "", "", "t.csv, line 4, column 1: \"<4\" in column \"a\" is not a number",
			"Half of each limit\tbelow\thalf\nEntries below a limit are missing\tbelow\tmissing"},
		{"a,b\n1,2\n3,4\n1,n.d.\n5,x y\n1,1\n", "", "", "", "\"n.d.\", \"x y\"",
			"Count n.d., x y as missing\tna\tn.d., x y"},
		{"a,b\n1,2\n3,\n", "", "", "", "1 missing value", "Leave these rows out\tmissing\tdrop"},
		{"", "", "", "", "t.csv: there are no rows", ""},
	} {
		s := &session{}
		parts, err := s.open(t.Context(), fromText("t.csv", c.text), options{reading: reading{roles: c.roles}}, nil)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) || !strings.HasPrefix(valueOf(t, parts, "ways"), c.ways) {
				t.Errorf("%q, roles %q: %v, %q", c.text, c.roles, err, valueOf(t, parts, "ways"))
			}
		case err != nil:
			t.Errorf("%q, roles %q: %v", c.text, c.roles, err)
		case valueOf(t, parts, "roles") != c.got || strings.Join(s.data.Names, "|") != c.names:
			t.Errorf("%q, roles %q: %s, %q", c.text, c.roles, valueOf(t, parts, "roles"), s.data.Names)
		}
	}
}

// The settings in place of an editor are read.
func TestMend(t *testing.T) {
	t.Parallel()
	s, o := &session{}, options{}
	for name, value := range map[string]string{
		"na": "n.d., -9", "below": "half", "skip": "1,last", "missing": "drop",
	} {
		tables.OK(t, o.set(name, value))
	}
	text := "a,b\nx,1\n1,2\n3,<4\n5,n.d.\n-9.0,8\nTotal,10\n"
	tables.Must(s.open(t.Context(), fromText("t.csv", text), o, nil))(t)
	if got := s.data; len(got.texts.Left) != 4 || got.Rows != 2 || !slices.Equal(got.Data, []float64{1, 2, 3, 2}) {
		t.Errorf("%d of %d rows, %v", got.Rows, len(got.texts.Left), got.Data)
	}
	if err := o.set("skip", "x"); err == nil || !strings.Contains(err.Error(), "rows such as") {
		t.Error(err)
	}
}

// A file of a kind that the page does not read is an error that says what reads it.
func TestForeign(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ENVI\nsamples = 3\n":     "softkmeans unmix images of ENVI",
		"\x93NUMPY\x01\x00":       "softkmeans fit also reads arrays of NumPy",
		"%%MatrixMarket matrix\n": "softkmeans fit also reads arrays of NumPy, matrices of MatrixMarket",
		"\x00\x01\x02\x03":        "softkmeans-convert other formats",
		"PAR1\x15\x00":            "softkmeans-convert t.dat",
	} {
		_, err := (&session{}).open(t.Context(), fromText("t.dat", text), options{}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Files that are saved have the ids and what is carried along, and rows that were left out
// are empty.
func TestJoin(t *testing.T) {
	t.Parallel()
	s := &session{}
	text := "who,site,x,y\nann,\"a,b\",1,2\nbob,c,,2\ncid,c,3,4\ndan,d,5,1\neve,e,2,\n"
	o := options{k: 2, reading: reading{roles: "ikdd", missing: absent.Drop}}
	tables.Must(s.open(t.Context(), fromText("t.csv", text), o, nil))(t)
	tables.Must(s.fit(t.Context(), o, nil, nil))(t)
	records, err := csv.NewReader(strings.NewReader(saved(t, s, "memberships"))).ReadAll()
	if err != nil || len(records) != 6 || strings.Join(records[0], "|") != "who|site|label|p0|p1|largest" {
		t.Fatalf("%q, %v", records, err)
	}
	if records[1][1] != "a,b" || records[3][0] != "cid" || records[3][2] == "" || strings.Join(records[2], "|") != "bob|c||||" || strings.Join(records[5], "|") != "eve|e||||" {
		t.Errorf("%q", records)
	}
	if got := s.data.rowName(1); got != "cid" {
		t.Errorf("the second row that is fitted is %q", got)
	}
}

// Weights count as rows do.
func TestWeights(t *testing.T) {
	t.Parallel()
	fit := func(text, roles string) *result {
		s := &session{}
		o := options{k: 2, slack: .25, reading: reading{roles: roles}}
		tables.Must(s.open(t.Context(), fromText("t.csv", text), o, nil))(t)
		tables.Must(s.fit(t.Context(), o, nil, nil))(t)
		return s.shown
	}
	weighted := fit("1,2,2\n3,4,1\n5,1,1\n2,7,1\n9,1,0\n", "ddw")
	rows := fit("1,2\n1,2\n3,4\n5,1\n2,7\n", "dd")
	if a, b := weighted.certificate.Floor, rows.certificate.Floor; math.Abs(a-b) > 1e-12*b {
		t.Errorf("the floor is %v with weights, %v with rows", a, b)
	}
}

// Reading ends when it is stopped.
func TestStopReading(t *testing.T) {
	t.Parallel()
	s := &session{}
	stop := errors.New("stopped")
	_, err := s.open(t.Context(), fromText("t.csv", "1,2\n3,4\n"), options{}, func(read, size int) error { return stop })
	if err == nil || !strings.Contains(err.Error(), "stopped") || s.data != nil {
		t.Error(err)
	}
	if _, err := s.fit(t.Context(), options{k: 1}, nil, nil); err != nil {
		t.Errorf("and then: %v", err)
	}
}

// Previews of a table of many rows are of a draw, whose numbers are about those of all.
func TestDraw(t *testing.T) {
	t.Parallel()
	s := &session{}
	tables.Must(s.open(t.Context(), fromText("t.csv", string(largeText(17000, 3, 3))), options{}, nil))(t)
	plane := tables.Must(view.NewPlane(t.Context(), s.data.x, nil))(t)
	floors := tables.Must(softkmeans.Floors(t.Context(), s.data.x, nil))(t)
	for i, v := range plane.Axes.Data {
		if got := s.data.plane; math.Abs(got.Axes.Data[i]-v) > 1e-9 || math.Abs(got.Share[i/3]-plane.Share[i/3]) > 1e-12 || math.Abs(s.data.floors[i%3]-floors[i%3]) > 1e-9*floors[0] {
			t.Errorf("%+v and %v, not %+v and %v", got, s.data.floors, plane, floors)
		}
	}
	o := options{k: 3, slack: .25}
	tables.Must(s.fit(t.Context(), o, nil, nil))(t)
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.extend(ctx, func(found int, _ softkmeans.Iteration) {
		if found > 2 {
			cancel()
		}
	}); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	few := s.data.draw
	if few.Rows != drawnRows || few == s.data {
		t.Fatalf("a draw of %d rows", few.Rows)
	}
	parts := tables.Must(s.preview(o))(t)
	shown, all := number64(t, valueOf(t, parts, "objective")), s.shown.certificate.Objective
	if math.Abs(shown-all) > .1*all {
		t.Errorf("the preview has an error of %v, the fit of %v", shown, all)
	}
}

// A fit of what is there has the error of these values, and is not proved to be the best.
func TestGaps(t *testing.T) {
	t.Parallel()
	s := &session{}
	o := options{k: 2, slack: .25, reading: reading{missing: absent.Fit}}
	text := "x,y,z\n1,2,3\n1.1,,3.2\n0.9,2.1,2.9\n7,8,\n7.2,8.1,1\n6.8,,1.2\n3,4,2\n4,,2.2\n"
	tables.Must(s.open(t.Context(), fromText("t.csv", text), o, nil))(t)
	parts := tables.Must(s.fit(t.Context(), o, nil, nil))(t)
	if head, proved := valueOf(t, parts, "verdict"), valueOf(t, parts, "proved"); !strings.Contains(head, " of the values present. ") || proved != "no" {
		t.Errorf("%q, proved: %s", head, proved)
	}
	sum, m := 0.0, s.shown.model
	for i := range s.data.Rows {
		for j, v := range s.data.given.Row(i) {
			if v == v {
				v -= m.Memberships.At(i, 0)*m.Centers.At(0, j) + m.Memberships.At(i, 1)*m.Centers.At(1, j)
				sum += v * v
			}
		}
	}
	if got := s.shown.certificate.Objective; math.Abs(got-sum) > 1e-9*sum {
		t.Errorf("the squared error is %v, not %v", got, sum)
	}
	if _, err := s.save("model"); err != nil {
		t.Error(err)
	}
	o.method = view.Global
	if _, err := s.fit(t.Context(), o, nil, nil); err == nil || !strings.Contains(err.Error(), "minimal volume") {
		t.Errorf("global: %v", err)
	}
}
