package main

// What the page asks for: pairs of a name and a value, checked here once.

import (
	"errors"
	"strconv"

	"softkmeans"
	"softkmeans/internal/view"
)

// options are those of a fit. The zero value fits as many prototypes as are
// proposed, with a minimal volume.
type options struct {
	method      view.Method
	enclosure   softkmeans.Enclosure // of the global method
	k           int                  // 0: as many as there are classes, or as proposed
	slack       float64              // of the minimal volume; 0: the global simplex itself
	standardize bool
	label       string // a column that is not data: its number from 1; "": none; "auto": one of words, if there is just one
	byClass     bool   // colors are the given classes; otherwise the clusters
	width, wide int    // of pictures, and of one that has a row to itself, in CSS pixels; 0: theirs
	zoom        bool   // the picture of the data leaves out the global simplex, which can be far larger
}

const (
	maxK     = 64   // more cannot be told apart on a page
	maxSlack = 1.0  // twice the floor
	noSlack  = 1e-4 // below, the simplex is that of the global solution
)

// parseOptions reads name, value, name, value…
func parseOptions(pairs []string) (options, error) {
	o := options{slack: 0.25}
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
	bad := func(want string) error {
		return errors.New(name + " is " + strconv.Quote(value) + ", not " + want)
	}
	switch name {
	case "method":
		switch value {
		case "minvol":
			o.method = view.MinVolume
		case "global":
			o.method = view.Global
		case "alternating":
			o.method = view.Alternating
		default:
			return bad("minvol, global or alternating")
		}
	case "enclosure":
		switch value {
		case "ball":
			o.enclosure = softkmeans.EnclosureBall
		case "tight":
			o.enclosure = softkmeans.EnclosureTight
		default:
			return bad("ball or tight")
		}
	case "k":
		if value == "" {
			o.k = 0
			return nil
		}
		k, err := strconv.Atoi(value)
		if err != nil || k < 1 || k > maxK {
			return bad("a whole number from 1 to " + itoa(maxK))
		}
		o.k = k
	case "slack":
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v >= 0 && v <= maxSlack) {
			return bad("a number from 0 to " + strconv.FormatFloat(maxSlack, 'g', -1, 64))
		}
		o.slack = v
	case "standardize":
		switch value {
		case "yes", "no":
			o.standardize = value == "yes"
		default:
			return bad("yes or no")
		}
	case "label":
		o.label = value
	case "color":
		switch value {
		case "clusters", "classes":
			o.byClass = value == "classes"
		default:
			return bad("clusters or classes")
		}
	case "zoom":
		switch value {
		case "yes", "no":
			o.zoom = value == "yes"
		default:
			return bad("yes or no")
		}
	case "width", "wide":
		w, err := strconv.Atoi(value)
		if err != nil || w < 0 || w > 4000 {
			return bad("a whole number up to 4000")
		}
		if name == "wide" {
			o.wide = w
		} else {
			o.width = w
		}
	default:
		return errors.New("there is no option " + strconv.Quote(name))
	}
	return nil
}

func itoa(n int) string { return strconv.Itoa(n) }
