package main

// The options of a request: pairs of a name and a value, which are checked here once.

import (
	"errors"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/absent"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// options are those of a fit and its pictures.
type options struct {
	method      view.Method
	known       bool                 // in place of a method: shares in known prototypes
	enclosure   softkmeans.Enclosure // of the global method
	k           int                  // 0: the number of classes, or else the proposed number
	slack       float64              // of the minimal volume; 0: the global simplex itself; byNoise
	scale       scale.Kind           // Auto, ZScore or None
	reading                          // how the file is read
	byClass     bool                 // colors are the given classes, else the clusters
	width, wide int                  // in CSS pixels, of a picture and of one as wide as the page; 0: the default
	zoom        bool                 // leave the global simplex, which can be far larger, out of the picture of the data
}

const (
	maxK     = 64   // the colors of more prototypes could not be told apart
	maxSlack = 1.0  // twice the floor
	noSlack  = 1e-4 // below it the simplex is the global one
	byNoise  = -1.0 // stands for the slack that FitMinVolume takes
	maxWidth = 4000
)

// parseOptions reads a list of name, value, name, value, ….
func parseOptions(pairs []string) (options, error) {
	o := options{slack: byNoise, scale: scale.Auto}
	if len(pairs)%2 != 0 {
		return o, errors.New("an option has no value")
	}
	for i := 0; i < len(pairs); i += 2 {
		if err := o.set(pairs[i], pairs[i+1]); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (o *options) set(name, value string) error {
	ok, want := true, ""
	switch name {
	case "method":
		if o.known = value == "known"; !o.known {
			o.method, ok = methodWords[value]
		}
		want = "minvol, global, alternating or known"
	case "enclosure":
		ok, want = pick(&o.enclosure, value, map[string]softkmeans.Enclosure{
			"ball": softkmeans.EnclosureBall, "tight": softkmeans.EnclosureTight,
		}, "ball or tight")
	case "k":
		if o.k = 0; value != "" {
			o.k, ok = number(value, 1, maxK)
		}
		want = "a whole number from 1 to " + itoa(maxK)
	case "slack":
		if o.slack = byNoise; value != "" {
			var err error
			o.slack, err = strconv.ParseFloat(value, 64)
			ok = err == nil && o.slack >= 0 && o.slack <= maxSlack
		}
		want = "a number from 0 to " + strconv.FormatFloat(maxSlack, 'g', -1, 64)
	case "standardize":
		ok, want = pick(&o.scale, value, map[string]scale.Kind{
			"auto": scale.Auto, "yes": scale.ZScore, "no": scale.None,
		}, "auto, yes or no")
	case "color":
		ok, want = pick(&o.byClass, value, map[string]bool{"clusters": false, "classes": true}, "clusters or classes")
	case "zoom":
		ok, want = pick(&o.zoom, value, yesOrNo, "yes or no")
	case "width", "wide":
		to := map[string]*int{"width": &o.width, "wide": &o.wide}[name]
		*to, ok = number(value, 0, maxWidth)
		want = "a whole number up to " + itoa(maxWidth)
	default:
		if ok, want = o.reading.set(name, value); want == "" {
			return errors.New("there is no option " + strconv.Quote(name))
		}
	}
	if !ok {
		return errors.New(name + " is " + strconv.Quote(value) + ", not " + want)
	}
	return nil
}

var methodWords = map[string]view.Method{"minvol": view.MinVolume, "global": view.Global, "alternating": view.Alternating}

var delimiters = map[string]rune{"auto": 0, "comma": ',', "semicolon": ';', "tab": '\t', "space": ' ', "bar": '|'}

// set sets an option of the reader. want is "" if there is none of that name.
func (r *reading) set(name, value string) (ok bool, want string) {
	switch name {
	case "delimiter":
		ok, want = pick(&r.delimiter, value, delimiters, "auto, comma, semicolon, tab, space or bar")
	case "decimal":
		ok, want = pick(&r.decimal, value, map[string]rune{"auto": 0, "point": '.', "comma": ','}, "auto, point or comma")
	case "header":
		ok, want = pick(&r.header, value, map[string]table.Header{
			"auto": table.HeaderAuto, "yes": table.HeaderYes, "no": table.HeaderNo,
		}, "auto, yes or no")
	case "transpose":
		ok, want = pick(&r.transpose, value, map[string]table.Transpose{
			"auto": table.TransposeAuto, "yes": table.TransposeYes, "no": table.TransposeNo,
		}, "auto, yes or no")
	case "long":
		ok, want = pick(&r.long, value, map[string]table.Long{
			"auto": table.LongAuto, "yes": table.LongYes, "no": table.LongNo,
		}, "auto, yes or no")
	case "missing":
		ok, want = pick(&r.missing, value, map[string]absent.Rule{
			"error": absent.Error, "drop": absent.Drop, "mean": absent.Mean, "fit": absent.Fit,
		}, "error, drop, mean or fit")
	case "words":
		ok, want = pick(&r.text, value, map[string]table.Text{
			"error": table.TextError, "drop": table.TextDrop,
		}, "error or drop")
	case "below":
		ok, want = pick(&r.below, value, map[string]table.Below{
			"error": table.BelowError, "half": table.BelowHalf, "missing": table.BelowMissing,
		}, "error, half or missing")
	case "na":
		r.na, ok, want = value, true, "any text"
	case "skip":
		err := new(table.Skip).Add(value)
		r.skip, ok, want = value, value == "" || err == nil, "rows such as 1, 3-5, 40- or last"
	case "names":
		r.names, ok, want = value, true, "any text"
	case "roles":
		r.roles, ok, want = value, strings.Trim(value, "dlwikxt") == "", "a letter of d, l, w, i, k, x, t for each column"
	}
	return ok, want
}

// pick sets dst to what the value stands for. It is not ok if values does not have it. want are its words.
func pick[T any](dst *T, value string, values map[string]T, words string) (ok bool, want string) {
	*dst, ok = values[value]
	return ok, words
}

var yesOrNo = map[string]bool{"yes": true, "no": false}

// number reads a whole number. It is not ok if it is not from least to most.
func number(value string, least, most int) (n int, ok bool) {
	n, err := strconv.Atoi(value)
	return n, err == nil && n >= least && n <= most
}

func itoa(n int) string { return strconv.Itoa(n) }
