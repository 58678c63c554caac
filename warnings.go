package softkmeans

// Warnings: their kinds, names and sentences, and the search for them in the solution of an iteration.

import (
	"cmp"
	"math"
	"strconv"
)

// WarningKind is the subject of a [Warning].
type WarningKind int

const (
	// WarnCoincident: center Other coincides with Cluster, the first such center. Value is their distance
	// divided by the root mean square distance from the mean (from 0 under SumAtMostOne), at most 0.001.
	WarnCoincident WarningKind = iota
	// WarnEmpty: no sample of positive weight has its largest membership in Cluster. Value is the cluster's
	// part of all membership.
	WarnEmpty
	// WarnFar: the center of Cluster is far outside of the data. Value is its distance from the mean (from 0
	// under SumAtMostOne), divided by the largest distance of a sample. It is above 3.
	WarnFar
	// WarnSlack: no λ gave an error of at most (1 + max(Slack, 0.25))·floor. Value is the error of the model,
	// the best that was found, divided by (1+Slack)·floor.
	WarnSlack
	// WarnSeveral: package unmix finds other centers at λ/2 or 2λ. Value is the mean spectral angle between
	// the two sets of centers, in percent of π (MRSA). It is above 1. Center Cluster moves most.
	WarnSeveral
	// WarnLabels: fits of halves of the rows, with half or twice the slack or λ, change labels (package
	// stability). Value is the largest fraction of rows with another label: more than 0.05.
	WarnLabels
	// WarnShares: for a model without Clusters the fits of WarnLabels give rows other memberships. Value is
	// the largest part of all membership that moves to another center: more than 0.05.
	WarnShares
	// WarnDimensions: the data spans Other dimensions, too few to determine Value prototypes. This kind
	// replaces WarnCoincident and WarnEmpty.
	WarnDimensions
	// WarnRows: there are Value prototypes for Other rows of positive weight. This kind replaces
	// WarnDimensions, WarnCoincident and WarnEmpty.
	WarnRows
	warningCount // insert a new kind above
)

// String returns the kind's name in a model file: "coincident", "empty", "far", "slack", "several", "labels",
// "shares", "dimensions" or "rows".
func (k WarningKind) String() string {
	return nameOf("WarningKind", int(k), "coincident", "empty", "far", "slack", "several", "labels", "shares",
		"dimensions", "rows")
}

// Warning is a reason to check a solution. Values have no units.
type Warning struct {
	Kind    WarningKind
	Cluster int // from 0; 0 if the Kind names no cluster
	Other   int // see the Kind; otherwise 0
	Value   float64
}

// String returns the warning as a sentence without a full stop.
func (w Warning) String() string {
	value := strconv.FormatFloat(w.Value, 'g', 3, 64)
	cluster, other := strconv.Itoa(w.Cluster), strconv.Itoa(w.Other)
	switch w.Kind {
	case WarnCoincident:
		return "centers " + cluster + " and " + other + " coincide: they are " + value +
			" of the data's spread apart"
	case WarnEmpty:
		return "center " + cluster + " is empty: no sample has its largest membership there, and it has " +
			value + " of all membership"
	case WarnFar:
		return "center " + cluster + " is outside of the data: " + value +
			" times as far from the middle as the farthest sample"
	case WarnSeveral:
		return "there are several answers: with half or twice the λ the centers move by " + value +
			" % of π on average, center " + cluster + " most"
	case WarnLabels:
		return "the labels are not stable: fits of halves of the rows, with half or twice the slack or λ, " +
			"give up to " + strconv.FormatFloat(100*w.Value, 'g', 3, 64) +
			" % of all rows another label; fewer prototypes may be more stable"
	case WarnShares:
		return "the memberships are not stable: fits of halves of the rows, with half or twice the slack " +
			"or λ, move up to " + strconv.FormatFloat(100*w.Value, 'g', 3, 64) +
			" % of all membership to other centers; fewer prototypes may be more stable"
	case WarnDimensions:
		return "with k = " + strconv.Itoa(int(w.Value)) + " in " + other + " dimensions the data does not " +
			"determine prototypes and memberships. It determines clusters: take labels, by " +
			"FitMinVolume, and not memberships"
	case WarnRows:
		return "k = " + strconv.Itoa(int(w.Value)) + " exceeds the " + other + " rows: clusters are empty"
	case WarnSlack:
		return "the error is " + value + " times the largest that the slack allows, and no fit had less"
	}
	return "Warning(" + strconv.Itoa(int(w.Kind)) + ")"
}

// Answer is an alternative to a model.
type Answer struct {
	Centers *Matrix // k×d, in the order of the model's centers that they match
	Factor  float64 // its slack or λ, divided by the model's: 0.5 or 2
	// Moved is the fraction of rows whose label changes. With WarnShares it is the fraction of all membership
	// that moves. With WarnSeveral it is the mean spectral angle to the model's centers, in percent of π.
	Moved float64
}

const (
	coincidentShare = 1e-3 // centers coincide if their distance is at most this fraction of the data's spread
	farFactor       = 3    // a center is far if its distance exceeds this multiple of the farthest sample's
)

// crowded returns the warning that the given numbers of rows and dimensions do not determine k centers, or
// nil.
func crowded(k, rows, dimensions int, sum Sum) []Warning {
	switch {
	case k > rows:
		return []Warning{{Kind: WarnRows, Other: rows, Value: float64(k)}}
	case directionsOf(k, sum) > dimensions:
		return []Warning{{Kind: WarnDimensions, Other: dimensions, Value: float64(k)}}
	}
	return nil
}

// findWarnings adds the warnings about centers f to list, the result of crowded. Rows have memberships g and
// the given lengths; rows of weight 0 do not count. spread is the spread of the data.
func findWarnings(
	list []Warning, f, g *Matrix, s *samples, length func(i int) float64, spread float64,
) []Warning {
	k, many, total, farthest := f.Rows, list != nil, 0.0, 0.0
	members := make([]float64, k) // weighted sums of memberships
	largest := make([]bool, k)    // whether the cluster is the largest membership of some row
	for i := range g.Rows {
		if w := s.weight(i); w > 0 {
			axpy(members, w, g.row(i))
			largest[argmax(g.row(i))] = true
			total, farthest = total+w, max(farthest, length(i))
		}
	}
	for b := 1; b < k && !many; b++ {
		for a := range b {
			if d := math.Sqrt(squaredDistance(f.row(a), f.row(b))); d <= coincidentShare*spread {
				value := d / cmp.Or(spread, 1)
				list = append(list, Warning{Kind: WarnCoincident, Cluster: a, Other: b, Value: value})
				break
			}
		}
	}
	for a, some := range largest {
		if !some && !many {
			list = append(list, Warning{Kind: WarnEmpty, Cluster: a, Value: members[a] / total})
		}
	}
	for a := range k {
		if d := norm2(f.row(a)); d > farFactor*farthest {
			list = append(list, Warning{Kind: WarnFar, Cluster: a, Value: min(d/farthest, math.MaxFloat64)})
		}
	}
	return list
}
