package envi

// Lists of bands as programs and people write them: in { } or [ ], with or without commas.

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// listKeys are the keys whose values may stand in [ ] over several lines.
var listKeys = []string{"wavelength", "bbl", "band names", "spectra names"}

func (h *Header) note(format string, a ...any) { h.Notes = append(h.Notes, fmt.Sprintf(format, a...)) }

// closing is the sign that ends a value that begins with a brace, or "".
func closing(key, value string) string {
	switch {
	case strings.HasPrefix(value, "{"):
		return "}"
	case strings.HasPrefix(value, "[") && slices.Contains(listKeys, key):
		return "]"
	}
	return ""
}

func (h *Header) parseBands(fields map[string]string) error {
	channels, noun := h.Bands, "band"
	if h.FileType == SpectralLibrary {
		channels, noun = h.Samples, "channel"
		h.Spectra = h.list(fields, "spectra names", h.Lines, "spectra")
	}
	if fields["wavelength"] == "" && fields["wavelengths"] != "" {
		h.note("there is no wavelength, but wavelengths, which is no key of ENVI: bands have numbers")
	}
	h.BandNames = h.list(fields, "band names", h.Bands, "bands")
	h.parseWavelengths(h.list(fields, "wavelength", channels, noun+"s"), noun)
	return h.parseBad(h.list(fields, "bbl", channels, noun+"s"))
}

// parseWavelengths reads numbers, which may be quoted. It names those that are far from the ones
// beside them.
func (h *Header) parseWavelengths(words []string, noun string) {
	var values []float64
	for i, word := range words {
		v, err := strconv.ParseFloat(strings.Trim(word, `'"`), 64)
		if err != nil || v-v != 0 {
			h.note("the list wavelength is left out: value %d is %.40q, not a finite number", i+1, word)
			return
		}
		values = append(values, v)
	}
	h.Wavelengths = values
	for _, i := range jumps(values) {
		h.note("%s %d has the wavelength %v, far from those beside it", noun, i+1, values[i])
	}
}

// badWords are the words of bbl, in lower case; true for bad bands.
var badWords = map[string]bool{"bad": true, "false": true, "no": true, "off": true,
	"good": false, "true": false, "yes": false, "on": false}

// parseBad reads which bands are bad: those with 0, or a word for it.
func (h *Header) parseBad(words []string) error {
	bad := make([]bool, len(words))
	inWords := false
	for i, word := range words {
		word = strings.Trim(word, `'"`)
		v, err := strconv.ParseFloat(word, 64)
		if bad[i] = v == 0; err == nil && v-v == 0 {
			continue
		}
		var ok bool
		if bad[i], ok = badWords[strings.ToLower(word)]; !ok {
			return fmt.Errorf("bbl: value %d is %.40q, neither a finite number nor good or bad", i+1, word)
		}
		inWords = true
	}
	if inWords {
		h.note("the list bbl has words: false, bad, no and off are taken for bad ones")
	}
	if slices.Contains(bad, true) {
		h.Bad = bad
	}
	return nil
}

// list reads a list of n words. It is nil if there is none, or one of another length, which tells
// nothing about a single band: GDAL leaves out a bbl of another length as well.
func (h *Header) list(fields map[string]string, key string, n int, nouns string) []string {
	value, ok := fields[key]
	if !ok {
		return nil
	}
	inner := inBraces(value)
	square := closing(key, value) == "]"
	if square {
		inner = strings.TrimSpace(value[1:strings.Index(value, "]")])
	}
	inner = strings.TrimSuffix(inner, ",")
	words := wordsOf(inner, n)
	switch {
	case len(words) != n:
		h.note("the list %s is left out: %d values for %d %s", key, len(words), n, nouns)
		return nil
	case square:
		h.note("the list %s is in [ ] instead of { }", key)
	case n > 1 && !strings.Contains(inner, ","):
		h.note("the list %s has no commas", key)
	}
	return words
}

// wordsOf splits a list at its commas. Without any it is n lines, or words.
func wordsOf(inner string, n int) []string {
	words := strings.Split(inner, ",")
	if len(words) == 1 && n > 1 {
		if words = strings.Split(inner, "\n"); len(words) != n {
			words = strings.Fields(inner)
		}
	}
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return words
}

func inBraces(value string) string {
	if inner, ok := strings.CutPrefix(value, "{"); ok {
		value = inner[:max(0, strings.LastIndexByte(inner, '}'))]
	}
	return strings.TrimSpace(value)
}

// mostJumps bounds the wavelengths that are named. Where more are out of place, they are in no order.
const mostJumps = 3

// jumps returns the places of values that are off by more than five median steps, where those beside
// them are in order. Sensors whose ranges overlap have longer runs out of order. At the ends, a step of
// more than 20 times any other is one.
func jumps(values []float64) (at []int) {
	n := len(values)
	if n < 8 {
		return nil
	}
	steps := make([]float64, n-1)
	up := 0
	for i := range steps {
		if steps[i] = math.Abs(values[i+1] - values[i]); values[i+1] > values[i] {
			up++
		}
	}
	slices.Sort(steps)
	far, most := 5*steps[n/2-1], 20*steps[n-3] // the last may be that to a jump
	sign := 1.0
	if up < n-1-up {
		sign = -1
	}
	for i, v := range values {
		before, after := sign*values[max(i-1, 0)], sign*values[min(i+1, n-1)]
		switch i {
		case 0:
			before = after - most
		case n - 1:
			after = before + most
		}
		if before <= after && (sign*v < before-far || sign*v > after+far) {
			at = append(at, i)
		}
	}
	if len(at) > mostJumps {
		return nil
	}
	return at
}

// foreign names the kind of a header that is not ENVI's: of a raster, a picture or a volume.
func foreign(text []byte) string {
	start := strings.ToLower(string(text[:min(len(text), 1024)]))
	switch {
	case strings.HasPrefix(start, "#?radiance"), strings.HasPrefix(start, "#?rgbe"):
		return " but a Radiance picture"
	case strings.HasPrefix(start, "\x5c\x01\x00\x00"), strings.HasPrefix(start, "\x00\x00\x01\x5c"):
		return " but one of Analyze or NIfTI"
	case strings.Contains(start, "nrows") && strings.Contains(start, "ncols"),
		strings.Contains(start, "layout") && strings.Contains(start, "nbands"):
		return " but one of an ESRI raster (.bil, .bip, .bsq), of which gdal_translate -of ENVI makes one"
	}
	return ""
}
