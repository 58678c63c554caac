package view

// Pictures of rows and their memberships.

import (
	"math"

	"softkmeans"
	"softkmeans/internal/chart"
)

// Points are rows with memberships, and how pictures show them.
type Points struct {
	Memberships *softkmeans.Matrix
	Labels      []int
	Names       []string           // of the prototypes
	Clustered   bool               // labels are clusters, else prototypes
	Plain       bool               // all points have the same opacity
	Class       []int              // the color of each row
	Classes     []string           // the names of the colors
	Most        int                // the most points of a plot; 0: the chart's default
	Of          int                // the number of rows from which these are drawn; 0: these are all
	Row         func(i int) string // returns the name of row i
	More        func(i int) string // returns what the text at row i has after its memberships; nil: nothing
}

// MostShaded is the largest number of rows with opacities of their own.
const MostShaded = 600

func (p *Points) opacity() []float64 {
	if p.Plain || p.Memberships.Rows > MostShaded {
		return nil
	}
	return Opacity(p.Memberships)
}

// tip returns the text of row i under the pointer: its name and its largest memberships.
func (p *Points) tip(i int) string {
	text := p.Row(i) + ": " + chart.Shares(p.Memberships.Row(i), p.Names)
	if p.More != nil {
		text += p.More(i)
	}
	return text
}

// LabelNames are the names of the labels.
func (p *Points) LabelNames() []string {
	if p.Clustered {
		return Clusters("cluster ", len(p.Names))
	}
	return p.Names
}

// Scatter draws the plot, which has a frame, the places of the rows, and outlines.
func (p *Points) Scatter(plot chart.ScatterPlot) []byte {
	plot.AllClasses, plot.EqualScale, plot.Opacity, plot.Tip = true, true, p.opacity(), p.tip
	plot.Class, plot.Classes, plot.MaxPoints, plot.Of = p.Class, p.Classes, p.Most, p.Of
	return chart.Scatter(nil, &plot)
}

// Triangle draws the memberships in three prototypes; nil for another number. pure begins the description: it names
// the rows in the corners.
func (p *Points) Triangle(f chart.Frame, pure string) []byte {
	if len(p.Names) != 3 {
		return nil
	}
	f.Desc = pure + " lies in a corner, an even mixture in the middle."
	return chart.Ternary(nil, &chart.TernaryPlot{Frame: f, Memberships: p.Memberships.Data,
		Corners: [3]string(p.Names), Class: p.Class, Classes: p.Classes, Opacity: p.opacity(), MaxPoints: p.Most,
		Of: p.Of, Tip: p.tip})
}

// Mixtures draws the memberships of all rows; nil for one prototype, in which all are 1. in is the noun for
// prototypes.
func (p *Points) Mixtures(f chart.Frame, in string) []byte {
	if len(p.Names) == 1 {
		return nil
	}
	f.XLabel = "rows, by label"
	f.Desc = "Each row is drawn as a column of its memberships. Rows are sorted by label, then by the membership in its " +
		in + "."
	plot := &chart.MixturePlot{Frame: f, Memberships: p.Memberships.Data, Labels: p.Labels, K: len(p.Names),
		Names: p.Names, Name: p.Row}
	if p.Clustered {
		plot.XLabel, plot.LabelNames = "rows, by cluster", Clusters("", plot.K)
	}
	return chart.Mixtures(nil, plot)
}

// TileSize returns the size of each of n square tiles that fill about a square of this width.
func TileSize(n, width int) int {
	across := max(2, int(math.Ceil(math.Sqrt(float64(n)*1.6))))
	return max(min((width-6)/across-10, 140), 40)
}
