package main

import (
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/examples/browser/sets"
	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
	"softkmeans/internal/view"
	"softkmeans/modelfile"
)

func init() { debug.SetGCPercent(400) } // the tests make much garbage of little memory

func TestOptions(t *testing.T) {
	o, err := parseOptions("method\tglobal\nenclosure\ttight\nk\t7\nslack\t0.5\nstandardize\tyes\nroles\tdxl\n" +
		"color\tclasses\nwidth\t300\nwide\t700\nzoom\tyes\nna\tn.d.\t-9")
	want := options{method: view.Global, enclosure: softkmeans.EnclosureTight, k: 7, slack: .5, scale: scale.ZScore, reading: reading{roles: "dxl", na: "n.d.\t-9"}, byClass: true,
		width: 300, wide: 700, zoom: true}
	if err != nil || o != want {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := parseOptions(""); err != nil || o != (options{slack: byNoise, scale: scale.Auto}) {
		t.Errorf("none: %+v, %v", o, err)
	}
	for _, bad := range []string{"method=fast", "enclosure=", "k=0", "k=-1", "k=65", "k=3.5", "k=99999999999", "slack=-0.1", "slack=1.01", "slack=NaN",
		"slack=x", "standardize=1", "delimiter=x", "decimal=1", "header=2", "missing=none", "roles=dq", "roles=ddii", "roles=ll", "roles=wdw", "color=red", "width=-1", "wide=x", "zoom=", "speed=1"} {
		name, value, _ := strings.Cut(bad, "=")
		if _, err := parseOptions(name + "\t" + value); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Every method on every set: the words agree with the numbers, and all pictures are
// well-formed XML. Without the scale that is found out, wine has 68 % and digits 74 %.
func TestFit(t *testing.T) {
	for _, set := range sets.All {
		s := opened(t, set.Name)
		base := options{slack: .25, scale: scale.Auto, width: 400}
		for _, m := range []view.Method{view.MinVolume, view.Global, view.Alternating} {
			if set.Name == "digits" && m == view.Alternating {
				continue // time
			}
			o := base
			o.method = m
			parts := tables.Must(s.fit(t.Context(), o, nil, nil))(t)
			head, proved := valueOf(t, parts, "verdict"), valueOf(t, parts, "proved")
			if strings.HasSuffix(head, " can explain more (proved).") != (proved == "yes") || m == view.Global && proved != "yes" {
				t.Errorf("%s: the verdict is %q, proved: %s", set.Name, head, proved)
			}
			if m == view.MinVolume {
				above, err := strconv.ParseFloat(strings.TrimSuffix(valueOf(t, parts, "above"), " %"), 64)
				if err != nil || above < 24 || above > 25.05 {
					t.Errorf("%s: %v %% above the floor, with a slack of 25 %%", set.Name, above)
				}
				if got, want := accuracyOf(t, parts), map[string]string{"wine": "97", "digits": "85"}[set.Name]; want != "" && got != want {
					t.Errorf("%s: an accuracy of %s %%", set.Name, got)
				}
			}
			for _, p := range parts {
				if strings.HasPrefix(p.name, "picture-") && p.value != "" {
					sound(t, set.Name+" "+p.name, p.value)
				}
			}
			if (valueOf(t, parts, "picture-ternary") != "") != (len(set.Classes) == 3) || (valueOf(t, parts, "picture-trace") != "") != (m != view.Global) {
				t.Errorf("%s: pictures are missing, or too many", set.Name)
			}
		}
	}
}

func sound(t *testing.T, what, picture string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(picture))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
	}
}

// A cancelled fit shows the best model so far, and says so. A fit that is cancelled
// before there is a model is an error.
func TestCancelled(t *testing.T) {
	s := opened(t, "digits")
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	parts, err := s.fit(ctx, options{slack: .25}, nil, func(softkmeans.Iteration) {
		if n++; n == 10 {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if text := valueOf(t, parts, "answer"); !strings.Contains(text, "The fit was stopped after ") || valueOf(t, parts, "proved") != "no" {
		t.Error(text)
	}
	if n > 12 {
		t.Errorf("it went on for %d iterations", n-10)
	}
	if _, err = s.fit(ctx, options{slack: .25}, nil, nil); err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("cancelled from the start: %v", err)
	}
}

// The path contracts from the global simplex, and has the requested slack. After a
// cancel it continues where it was. Columns as given have bounds, and larger steps between prototypes.
func TestPath(t *testing.T) {
	for _, kind := range []scale.Kind{scale.None, scale.ZScore} {
		checkPath(t, options{slack: .25, scale: kind})
	}
}

func checkPath(t *testing.T, o options) {
	s := opened(t, "iris")
	tables.Must(s.fit(t.Context(), o, nil, nil))(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.extend(ctx, func(found int, _ softkmeans.Iteration) {
		if found == 4 {
			cancel()
		}
	})
	if n := len(s.path.points); !errors.Is(err, context.Canceled) || s.path.next != 4 || n < 4 {
		t.Fatalf("cancelled with %d points: %v", n, err)
	}
	first := -1
	if err := s.extend(t.Context(), func(found int, _ softkmeans.Iteration) {
		if first < 0 {
			first = found
		}
	}); err != nil || s.path.next != len(pathSteps) {
		t.Fatal(err)
	}
	if first != 4 {
		t.Errorf("it began anew, with %d points", first)
	}
	if n := len(s.path.points); n < len(pathSteps) || s.path.points[0].slack > .011 || s.path.points[n-1].slack < .99*maxSlack {
		t.Errorf("%d points, from a slack of %v to %v", n, s.path.points[0].slack, s.path.points[n-1].slack)
	}
	checkPreviews(t, s, o)
}

// checkPreviews checks the errors and volumes of previews.
func checkPreviews(t *testing.T, s *session, o options) {
	t.Helper()
	before := math.Inf(1)
	for _, slack := range []float64{0, .001, .01, .05, .1, .25, .4, .6, .8, 1} {
		o.slack = slack
		parts, err := s.preview(o)
		if err != nil || len(parts) == 0 {
			t.Fatalf("slack %v: %d parts, %v", slack, len(parts), err)
		}
		centers := tables.Must(s.path.at(s.data, slack))(t)
		above := 0.0
		if s := valueOf(t, parts, "above"); s != "less than 0.01 %" {
			if above, err = strconv.ParseFloat(strings.TrimSuffix(s, " %"), 64); err != nil {
				t.Fatal(err)
			}
		}
		if math.Abs(above/100-slack) > .03*slack+.001 {
			t.Errorf("a slack of %v shows prototypes %v %% above the floor", slack, above)
		}
		volume := tables.Must(softkmeans.LogVolume(centers))(t)
		if !(volume < before) {
			t.Errorf("at a slack of %v the volume is exp %v, at the one before exp %v", slack, volume, before)
		}
		before = volume
	}
}

// A preview has about the error of the fit that follows, also if the floor is 0, and if
// the slack is larger than a fit uses.
func TestPreviewFits(t *testing.T) {
	if testing.Short() {
		t.Skip("fits many times")
	}
	for name, c := range map[string]struct {
		k, columns int
		noise      float64
	}{"more prototypes than columns": {5, 2, 1}, "three in a plane": {3, 2, 0}, "noise": {2, 8, 50}} {
		var text strings.Builder
		r := rand.New(rand.NewPCG(1, 2))
		for i := range 30 {
			for j := range c.columns {
				if j > 0 {
					text.WriteByte(',')
				}
				share := r.Float64()
				text.WriteString(strconv.FormatFloat(share*float64((i+j)%3)+c.noise*r.NormFloat64(), 'g', -1, 64))
			}
			text.WriteByte('\n')
		}
		s := &session{}
		tables.Must(s.open(t.Context(), fromText("t", text.String()), options{}, nil))(t)
		o := options{k: c.k, slack: .25}
		tables.Must(s.fit(t.Context(), o, nil, nil))(t)
		tables.OK(t, s.extend(t.Context(), func(int, softkmeans.Iteration) {}))
		for _, slack := range []float64{.25, 1} {
			o.slack = slack
			tables.Must(s.fit(t.Context(), o, nil, nil))(t)
			centers := tables.Must(s.path.at(s.data, slack))(t)
			g := tables.Must((&softkmeans.Model{Centers: centers}).Predict(nil, s.data.x))(t)
			shown := tables.Must(softkmeans.Certify(context.Background(), s.data.x, centers, g, nil))(t)
			fit := s.shown.certificate
			if got, want := shown.Objective-fit.Floor, fit.Objective-fit.Floor; !(got < 1.5*want+1e-12*fit.Total && got > want/2-1e-12*fit.Total) {
				t.Errorf("%s, slack %v: the preview is %v above the floor, the fit %v, of a total of %v", name, slack, got, want, fit.Total)
			}
		}
	}
}

// Tables that are hardly any.
func TestDegenerate(t *testing.T) {
	for _, text := range []string{"1\n", "1,2\n", "5\n5\n5\n", "1,2\n1,2\n1,2\n", "1\n2\n", "0,0,0\n0,0,0\n", "1e150,1\n-1e150,2\n1e149,3\n", "1e-150\n2e-150\n5e-150\n",
		"a;b\n1;2\n3;4\n5;7\n"} {
		s := &session{}
		if _, err := s.open(t.Context(), fromText("t", text), options{}, nil); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, m := range []view.Method{view.MinVolume, view.Global, view.Alternating} {
			for _, k := range []int{0, 1, 2, 5} {
				for _, kind := range []scale.Kind{scale.None, scale.ZScore} {
					if kind == scale.ZScore && m != view.MinVolume {
						continue
					}
					parts, err := s.fit(t.Context(), options{method: m, k: k, slack: .25, scale: kind}, nil, nil)
					if err != nil {
						t.Errorf("%q, method %d, k = %d: %v", text, m, k, err)
						continue
					}
					for _, p := range parts {
						if strings.HasPrefix(p.name, "picture-") && p.value != "" {
							sound(t, text+p.name, p.value)
						} else if strings.Contains(p.value, "NaN") || strings.Contains(p.value, "Inf") {
							t.Errorf("%q, method %d, k = %d: %s is %q", text, m, k, p.name, p.value)
						}
					}
					if m != view.MinVolume {
						continue
					}
					if err := s.extend(t.Context(), func(int, softkmeans.Iteration) {}); err != nil {
						t.Errorf("%q, k = %d: the path: %v", text, k, err)
					}
					if _, err := s.preview(options{k: k, slack: .1}); err != nil {
						t.Errorf("%q, k = %d: the preview: %v", text, k, err)
					}
				}
			}
		}
	}
}

// The floors and the shares do not depend on the unit. A table beyond the range is an
// error when it is opened.
func TestUnits(t *testing.T) {
	open := func(scale string) (*session, error) {
		var text strings.Builder
		for _, row := range [][3]string{{"1", "2", "0.1"}, {"2", "4.1", "0.3"}, {"9", "18", "0.2"}, {"8", "16.2", "0.4"}, {"3", "6", "0.1"}, {"7", "14", "0.3"}} {
			text.WriteString(row[0] + scale + "," + row[1] + scale + "," + row[2] + scale + "\n")
		}
		s := &session{}
		_, err := s.open(t.Context(), fromText("t", text.String()), options{}, nil)
		return s, err
	}
	plain := tables.Must(open(""))(t)
	for _, scale := range []string{"e200", "e-200"} {
		if _, err := open(scale); !errors.Is(err, softkmeans.ErrRange) {
			t.Errorf("%s: %v", scale, err)
		}
	}
	for _, scale := range []string{"e140", "e-140"} {
		s := tables.Must(open(scale))(t)
		got, want := s.data.floors[1]/s.data.floors[0], plain.data.floors[1]/plain.data.floors[0]
		if math.Abs(got-want) > 1e-12*want {
			t.Errorf("%s: the floor of two is %v of the variance, not %v", scale, got, want)
		}
		if got, want := s.data.plane.Share[0], plain.data.plane.Share[0]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: a share of %v lies along the first direction, not %v", scale, got, want)
		}
		parts := tables.Must(s.fit(t.Context(), options{k: 2, slack: .25}, nil, nil))(t)
		if above := valueOf(t, parts, "above"); !strings.HasSuffix(above, " %") {
			t.Errorf("%s: %q above the floor", scale, above)
		}
	}
}

// After a fit that was cancelled before its first result the path is one of
// other prototypes than those shown.
func TestPathOfAnother(t *testing.T) {
	s := opened(t, "iris")
	tables.Must(s.fit(t.Context(), options{k: 3, slack: .25}, nil, nil))(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.fit(ended, options{k: 4, slack: .25}, nil, nil); err == nil {
		t.Fatal("the fit was not cancelled")
	}
	tables.OK(t, s.extend(t.Context(), func(int, softkmeans.Iteration) {}))
	tables.Must(s.redraw(options{}))(t)
	if s.global.Rows != 3 {
		t.Errorf("a global simplex of %d corners is drawn around 3 prototypes", s.global.Rows)
	}
}

func TestWithoutTable(t *testing.T) {
	s := &session{}
	if _, err := s.fit(t.Context(), options{}, nil, nil); !errors.Is(err, errNoTable) {
		t.Errorf("a fit: %v", err)
	}
	if _, err := s.save("model"); !errors.Is(err, errNoModel) {
		t.Errorf("a file: %v", err)
	}
	if parts, err := s.preview(options{}); len(parts) > 0 || err != nil {
		t.Errorf("a preview: %v, %v", parts, err)
	}
	if parts, err := s.redraw(options{}); len(parts) > 0 || err != nil {
		t.Errorf("a picture: %v, %v", parts, err)
	}
	if err := s.extend(t.Context(), nil); err != nil {
		t.Errorf("a path: %v", err)
	}
}

// saved is the text of a file that the session saves.
func saved(t *testing.T, s *session, what string) string {
	t.Helper()
	text := valueOf(t, tables.Must(s.save(what))(t), "text")
	if text == "" {
		t.Errorf("the file of %s is empty", what)
	}
	return text
}

func TestSave(t *testing.T) {
	s := &session{}
	text := "height;\"a;b\";kind\n1;5;\"x, or \"\"y\"\"\"\n1.25;5.5;z\n9;2;z\n8;1;z\n"
	o := options{k: 2, slack: .25, scale: scale.ZScore, reading: reading{roles: "ddl"}}
	tables.Must(s.open(t.Context(), fromText(`C:\data\my table.csv`, text), o, nil))(t)
	tables.Must(s.fit(t.Context(), o, nil, nil))(t)
	for what, want := range map[string]string{"memberships": "my table-memberships.csv", "centers": "my table-prototypes.csv",
		"means": "my table-means.csv", "model": "my table-model.json"} {
		if name := valueOf(t, tables.Must(s.save(what))(t), "name"); name != want {
			t.Errorf("%s is in %s", what, name)
		}
	}
	records, err := csv.NewReader(strings.NewReader(saved(t, s, "memberships"))).ReadAll()
	if err != nil || strings.Join(records[0], ",") != "kind,label,p0,p1,cluster,largest,probability" || len(records) != 5 || records[1][0] != `x, or "y"` {
		t.Errorf("%q, %v", records, err)
	}
	records, err = csv.NewReader(strings.NewReader(saved(t, s, "centers"))).ReadAll()
	if err != nil || strings.Join(records[0], ",") != "height,a;b" || len(records) != 3 {
		t.Errorf("%q, %v", records, err)
	}
	// Back in standard deviations they are the model's.
	for i, r := range records[1:] {
		for j, text := range r {
			v, err := strconv.ParseFloat(text, 64)
			if got, want := (v-s.data.scaling.Shift[j])/s.data.scaling.Divisor[j], s.shown.model.Centers.At(i, j); err != nil || math.Abs(got-want) > 1e-12 {
				t.Errorf("prototype %d in column %d is %v, not %v; %v", i, j, got, want, err)
			}
		}
	}
	records, err = csv.NewReader(strings.NewReader(saved(t, s, "means"))).ReadAll()
	if err != nil || strings.Join(records[0], ",") != "cluster,size,weight,height,a;b" || len(records) != 3 {
		t.Errorf("%q, %v", records, err)
	}
	for j, r := range records[1:] {
		sum, rows := 0.0, 0.0
		for i, cluster := range s.shown.clusters {
			if cluster == j {
				sum, rows = sum+s.data.Data[2*i], rows+1
			}
		}
		if v, err := strconv.ParseFloat(r[3], 64); err != nil || r[1] != itoa(int(rows)) || math.Abs(v-sum/rows) > 1e-12 {
			t.Errorf("the mean of cluster %d is %v, not %v; %v", j, r, sum/rows, err)
		}
	}
	want := tables.Must(s.shown.model.ClusterProbabilities(nil, s.data.x))(t)
	if !slices.Equal(want.Data, s.shown.likely.Data) {
		t.Error("other probabilities are shown")
	}
	text = saved(t, s, "model")
	m, err := modelfile.Read(strings.NewReader(text))
	if err != nil || m.Model.Objective != s.shown.certificate.Objective || m.Method != "minvol" || !m.Named || m.Rows != 4 || m.Model.Slack != .25 {
		t.Errorf("%+v, %v", m, err)
	}
	checkLoad(t, s, []byte(text))
	if _, err := s.save("everything"); err == nil {
		t.Error("there is a file of everything")
	}
}

// checkLoad: the model that was saved shows the fit again, with the memberships of then, and
// the next fit is by the options.
func checkLoad(t *testing.T, s *session, model []byte) {
	t.Helper()
	before := s.shown
	for _, kind := range []scale.Kind{scale.ZScore, scale.None} {
		o := before.options
		o.scale = kind
		if _, err := s.fit(t.Context(), o, nil, nil); err != nil || (s.data.scaling != nil) != (kind != scale.None) {
			t.Fatalf("%v, scaling %v", err, s.data.scaling)
		}
		parts, err := s.load(t.Context(), model, o)
		if err != nil || len(parts) == 0 || s.shown.options.method != view.MinVolume {
			t.Fatalf("%d parts, %v", len(parts), err)
		}
		if got, want := s.shown.compact, before.compact; math.Abs(got.LossGap-want.LossGap) > 1e-9 ||
			math.Abs(got.VolumeRatio-want.VolumeRatio) > 1e-6*want.VolumeRatio {
			t.Errorf("proved are %v, not %v", got, want)
		}
		for i, v := range s.shown.model.Memberships.Data {
			if math.Abs(v-before.model.Memberships.Data[i]) > 1e-9 {
				t.Errorf("membership %d is %v, not %v", i, v, before.model.Memberships.Data[i])
			}
		}
		saved(t, s, "model")
	}
	for text, want := range map[string]string{
		strings.Replace(string(model), "height", "weight", 1): "the checksum is wrong",
		"a,b\n": "this is a table",
		strings.Replace(string(model), "height", "weight", 1)[:strings.Index(string(model), `"checksum"`)] + `"checksum": "none"}`: "for other columns: weight",
	} {
		if _, err := s.load(t.Context(), []byte(text), before.options); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := (&session{}).load(t.Context(), model, options{}); err == nil {
		t.Error("a model is shown without a table")
	}
}

// A table of which neither k nor classes are known has the number that fit -k auto has, with what the criteria say.
func TestNumber(t *testing.T) {
	var half strings.Builder
	for i, line := range strings.SplitAfter(string(read(t, "wine.csv")), "\n") {
		if i%2 == 1 {
			half.WriteString(line)
		}
	}
	for _, c := range []struct{ text, k, says string }{
		{half.String(), "4", "Best supported: k = 4. Not certain: 4 by the noise and held-out entries, 3 by halves of the rows."},
		{string(read(t, "breast_cancer.csv")), "6", "Best supported: k = 6. Not certain: 6 by the noise, 12 by held-out entries, " +
			"2 by halves of the rows."},
	} {
		s := &session{}
		o := options{slack: .25, scale: scale.Auto}
		parts, err := s.open(t.Context(), fromText("t", c.text), o, nil)
		if err != nil || valueOf(t, parts, "k") != "" {
			t.Fatalf("%v, k = %q", err, valueOf(t, parts, "k"))
		}
		if parts, err = s.fit(t.Context(), o, nil, nil); err != nil {
			t.Fatal(err)
		}
		if says := valueOf(t, parts, "proposal"); says != c.says ||
			!strings.Contains(valueOf(t, parts, "details"), "<summary>Criteria for k</summary>\n<div class=\"card\"><p>Noise: k = "+c.k+"; ") ||
			valueOf(t, parts, "k") != c.k || valueOf(t, parts, "proposed") != c.k {
			t.Errorf("k = %s, %s", valueOf(t, parts, "k"), says)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		s.data.choice = nil
		if _, err := s.fit(ended, o, nil, nil); !errors.Is(err, errCancelled) {
			t.Error(err)
		}
	}
}
