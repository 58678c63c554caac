package chart

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// eyes are what is seen without one kind of cones, in linear RGB, after
// G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, A Physiologically-based
// Model for Simulation of Color Vision Deficiency, 2009, severity 1.
var eyes = map[string][3][3]float64{
	"all cones": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	"tritanopia": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}},
}

type rgb [3]float64 // linear

func parseColor(t *testing.T, s string) (c rgb) {
	t.Helper()
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	for i := range c {
		v, err := strconv.ParseUint(s[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		if c[i] = float64(v) / 255; c[i] <= .04045 {
			c[i] /= 12.92
		} else {
			c[i] = math.Pow((c[i]+.055)/1.055, 2.4)
		}
	}
	return c
}

func (c rgb) luminance() float64 { return .2126*c[0] + .7152*c[1] + .0722*c[2] }

func (c rgb) lab() [3]float64 {
	for i := range c {
		c[i] = min(max(c[i], 0), 1)
	}
	f := func(t float64) float64 {
		if t > .008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16./116
	}
	x, y, z := f((.4124*c[0]+.3576*c[1]+.1805*c[2])/.95047), f(c.luminance()),
		f((.0193*c[0]+.1192*c[1]+.9505*c[2])/1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func TestColorsDiffer(t *testing.T) {
	for theme, css := range map[string]string{"light": light, "dark": dark} {
		var all []rgb
		for _, m := range regexp.MustCompile(`--sk-(\w+):#(\w+)`).FindAllStringSubmatch(css, -1) {
			all = append(all, parseColor(t, m[2]))
		}
		paper, classes := all[0], all[1:]
		if len(classes) != colors {
			t.Fatalf("%s: %d colors", theme, len(classes))
		}
		for i, c := range classes {
			a, b := c.luminance()+.05, paper.luminance()+.05
			if r := max(a/b, b/a); r < 3 {
				t.Errorf("%s: color %d is only %.2f to 1 from the paper", theme, i, r)
			}
			for j, d := range classes[:i] {
				for name, m := range eyes {
					var u, v rgb
					for k := range m {
						for l := range m[k] {
							u[k] += m[k][l] * c[l]
							v[k] += m[k][l] * d[l]
						}
					}
					p, q := u.lab(), v.lab()
					if e := math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) +
						(p[2]-q[2])*(p[2]-q[2])); e < 19 {
						t.Errorf("%s: colors %d and %d differ by only %.1f with %s", theme, i, j, e, name)
					}
				}
			}
		}
	}
}

// Up to 80 classes have pairs of color and marker of their own, 70 of color and dash.
func TestPairs(t *testing.T) {
	markers, lines := map[[2]any]int{}, map[string]int{}
	for c := range 80 {
		pair := [2]any{color(c), shape(c)}
		if other, ok := markers[pair]; ok {
			t.Errorf("classes %d and %d have one marker", c, other)
		}
		markers[pair] = c
	}
	for c := range 70 {
		if other, ok := lines[color(c)+dash(c)]; ok {
			t.Errorf("lines %d and %d are alike", c, other)
		}
		lines[color(c)+dash(c)] = c
	}
}

// Every class that the pictures use for color has a rule, and braces match.
func TestStyle(t *testing.T) {
	for c := -1; c < 2*colors; c++ {
		if !strings.Contains(Style, "."+color(c)+"{--sk-c:") {
			t.Errorf("no rule for %s", color(c))
		}
		if d := dash(4 * c); d != "" && !strings.Contains(Style, "."+strings.TrimSpace(d)+"{") {
			t.Errorf("no rule for %s", d)
		}
	}
	if strings.Count(Style, "{") != strings.Count(Style, "}") || strings.Contains(Style, "<") {
		t.Error("the style is not fit for a style element")
	}
}
