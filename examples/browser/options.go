package main

// The options of a request: pairs of a name and a value, which are checked here once.

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
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

// parseOptions reads lines of a name, a tab and a value.
func parseOptions(text string) (options, error) {
	o := options{slack: byNoise, scale: scale.Auto}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if err := o.set(name, value); err != nil {
			return o, err
		}
	}
	return o, nil
}

// The words of the methods, as the command has them, and of delimiters.
var (
	methods        = strings.Fields("minvol global alternating known")
	delimiters     = strings.Fields("auto comma semicolon tab space bar")
	delimiterSigns = []rune{0, ',', ';', '\t', ' ', '|'}
)

const ofKnown = 3 // the place among methods that is not a method of fits

// choices has the words of all options of a few words, and what takes the number of one.
func (o *options) choices() map[string]choice {
	auto, texts := strings.Fields("auto yes no"), []table.Text{table.TextError, table.TextDrop}
	scales, signs := []scale.Kind{scale.Auto, scale.ZScore, scale.None}, []rune{0, '.', ','}
	return map[string]choice{
		"method":      {methods, func(at int) { o.known, o.method = at == ofKnown, view.Method(at%ofKnown) }},
		"enclosure":   {strings.Fields("ball tight"), number(&o.enclosure)},
		"standardize": {auto, func(at int) { o.scale = scales[at] }},
		"color":       {strings.Fields("clusters classes"), func(at int) { o.byClass = at == 1 }},
		"zoom":        {strings.Fields("no yes"), func(at int) { o.zoom = at == 1 }},
		"delimiter":   {delimiters, func(at int) { o.delimiter = delimiterSigns[at] }},
		"decimal":     {strings.Fields("auto point comma"), func(at int) { o.decimal = signs[at] }},
		"header":      {auto, number(&o.header)},
		"transpose":   {auto, number(&o.transpose)},
		"long":        {auto, number(&o.long)},
		"missing":     {strings.Fields("error drop mean fit"), number(&o.missing)},
		"words":       {strings.Fields("error drop"), func(at int) { o.text = texts[at] }},
		"below":       {strings.Fields("error missing half"), number(&o.below)},
	}
}

type choice struct {
	words []string
	take  func(at int)
}

// number returns a function that sets a constant to its number.
func number[T ~int](dst *T) func(at int) { return func(at int) { *dst = T(at) } }

func (o *options) set(name, value string) error {
	want, ok := "", true
	whole := func(dst *int, least, most int) {
		n, err := strconv.Atoi(value)
		*dst, ok = n, err == nil && n >= least && n <= most
		want = "a whole number from " + itoa(least) + " to " + itoa(most)
	}
	c, few := o.choices()[name]
	switch {
	case few:
		at := slices.Index(c.words, value)
		if want, ok = strings.Join(c.words, ", "), at >= 0; ok {
			c.take(at)
		}
	case value == "" && (name == "k" || name == "slack"): // as the table says
	case name == "k":
		whole(&o.k, 1, maxK)
	case name == "width":
		whole(&o.width, 0, maxWidth)
	case name == "wide":
		whole(&o.wide, 0, maxWidth)
	case name == "slack":
		var err error
		o.slack, err = strconv.ParseFloat(value, 64)
		ok = err == nil && o.slack >= 0 && o.slack <= maxSlack
		want = "a number from 0 to " + strconv.FormatFloat(maxSlack, 'g', -1, 64)
	case name == "na":
		o.na = value
	case name == "names":
		o.names = value
	case name == "skip":
		o.skip, ok = value, value == "" || new(table.Skip).Add(value) == nil
		want = "rows such as 1, 3-5, 40- or last"
	case name == "roles":
		count := func(role string) int { return strings.Count(value, role) }
		o.roles, ok = value, strings.Trim(value, "dlwikxt") == "" && max(count("l"), count("w"), count("i")) < 2
		want = "a letter of d, l, w, i, k, x, t for each column, with l, w and i once at most"
	default:
		return errors.New("there is no option " + strconv.Quote(name))
	}
	if !ok {
		return errors.New(name + " is " + strconv.Quote(value) + ", not " + want)
	}
	return nil
}

func itoa(n int) string { return strconv.Itoa(n) }
