package view

// The warnings of a model in sentences.

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
)

// SureTo explains Turns of unmix.Result, in degrees.
const SureTo = "Uncertainty: in simulated images 9 of 10 spectra were within this angle of the true one (means " +
	"removed; 0° is the same shape)."

// Degrees writes an angle, which is given in % of π.
func Degrees(percent float64) string { return strconv.FormatFloat(1.8*percent, 'f', 1, 64) + "°" }

// unsureTurn is the angle from which a spectrum is unsure: docs/accuracy.md has how often it tells of spectra
// that are off.
const unsureTurn = 15

// Unsure names the spectra with large Turns in a sentence, as a list of it; nil if there are none.
func Unsure(turns []float64) []string {
	var unsure []string
	for j, v := range turns {
		if v > unsureTurn {
			unsure = append(unsure, name(j))
		}
	}
	if unsure == nil {
		return nil
	}
	return []string{"The uncertainty of these spectra is above 27°, since they depend on the estimate of the noise: " +
		And(unsure) + "."}
}

// TypicalAccuracy returns the mean accuracy of labels on those of 58 tables with classes that had a WarnLabels
// of about this share. Their accuracy falls with the share, with a rank correlation of −.69.
func TypicalAccuracy(share float64) float64 {
	switch {
	case share < .1:
		return .87
	case share < .2:
		return .76
	case share < .4:
		return .64
	}
	return .50
}

// Warnings returns a sentence for each warning: that of the package, unless it names a prototype.
// All empty prototypes share one sentence, as do all that are far outside of the data. undetermined says that
// memberships mean little.
func Warnings(m *softkmeans.Model, undetermined bool) (lines []string) {
	rely := "For rows between clusters rely on memberships."
	if undetermined || slices.ContainsFunc(m.Warnings, isDimensions) {
		rely = "Fewer clusters may be more stable."
	}
	for i, w := range m.Warnings {
		var same []int
		worst := 0.0
		first := true
		for l, v := range m.Warnings {
			if v.Kind == w.Kind {
				first = first && l >= i
				same = append(same, v.Cluster)
				worst = max(worst, v.Value)
			}
		}
		switch w.Kind {
		case softkmeans.WarnCoincident:
			lines = append(lines,
				"Prototypes "+name(w.Cluster)+" and "+name(w.Other)+" coincide: fewer would do.")
		case softkmeans.WarnEmpty:
			if first {
				lines = append(lines, are(same)+" the largest membership of no row: a small part of "+
					"mixtures, or too many prototypes.")
			}
		case softkmeans.WarnFar:
			if first {
				upTo := ""
				if len(same) > 1 {
					upTo = "up to "
				}
				lines = append(lines, are(same)+" far outside of the data: "+upTo+Small(
					worst)+" times as far from the middle as the farthest row. A larger slack or fewer prototypes may help.")
			}
		case softkmeans.WarnSeveral:
			lines = append(lines, "The spectra depend on the weight of the volume (λ). With half or twice this weight "+
				"they differ by "+Degrees(w.Value)+" on average, "+name(w.Cluster)+" most. Fewer materials may be more certain.")
		case softkmeans.WarnLabels, softkmeans.WarnShares:
			text := "change up to " + Percent(w.Value) + " of the memberships. Fewer prototypes may be more stable."
			if w.Kind == softkmeans.WarnLabels {
				text = "give up to " + Percent(w.Value) + " of the rows another label. In test tables as unstable as this one, " +
					"about " + strconv.Itoa(int(math.Round(100*TypicalAccuracy(w.Value)))) + " % of the labels agreed with the known classes. " + rely
			}
			lines = append(lines, "Refits on half of the rows "+text)
		case softkmeans.WarnDimensions:
			if w.Other == 0 {
				lines = append(lines, "All rows are equal: they form one cluster.")
				break
			}
			use := ": use the clusters, not the memberships."
			if m.ClusterMeans == nil { // labels are the largest memberships
				most := w.Other + 1
				if m.Sum == softkmeans.SumAtMostOne {
					most = w.Other
				}
				use = ": take " + strconv.Itoa(most) + " or fewer."
			}
			lines = append(lines, "In "+Count(w.Other, "dimension")+" the data does not determine "+
				Prototypes(int(w.Value))+use)
		case softkmeans.WarnRows:
			lines = append(lines, "There are "+Prototypes(int(w.Value))+" for "+Count(w.Other, "row")+
				": clusters are empty. Fewer prototypes would do.")
		case softkmeans.WarnSlack:
			lines = append(lines, "The squared error is "+Small(w.Value)+" times the largest error that the slack allows, and no fit had a smaller one: check bounds and known prototypes.")
		default:
			text := strings.ReplaceAll(w.String(), "centers", "prototypes") // names none
			lines = append(lines, strings.ToUpper(text[:1])+text[1:]+".")
		}
	}
	return lines
}

func isDimensions(w softkmeans.Warning) bool { return w.Kind == softkmeans.WarnDimensions }

// renumbered returns warnings whose prototype i has become place[i].
func renumbered(warnings []softkmeans.Warning, place []int) []softkmeans.Warning {
	warnings = slices.Clone(warnings)
	for i := range warnings {
		w := &warnings[i]
		switch w.Kind {
		case softkmeans.WarnCoincident:
			a, b := place[w.Cluster], place[w.Other]
			w.Cluster, w.Other = min(a, b), max(a, b)
		case softkmeans.WarnEmpty, softkmeans.WarnFar, softkmeans.WarnSeveral:
			w.Cluster = place[w.Cluster]
		}
	}
	return warnings
}

// are is the start of a sentence about some prototypes. It sorts their numbers, which Match may have changed.
func are(prototypes []int) string {
	slices.Sort(prototypes)
	if len(prototypes) == 1 {
		return "Prototype " + name(prototypes[0]) + " is"
	}
	var names []string
	for _, j := range prototypes {
		names = append(names, name(j))
	}
	return "Prototypes " + And(names) + " are"
}
