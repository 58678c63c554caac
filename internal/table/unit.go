package table

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// knownUnits are those that may stand behind a number without a space, and of which two in a column are
// an error.
var knownUnits = strings.Fields(`kg mg µg ug ng lb oz cm mm µm μm um nm km ft in m2 m² m3 m³ cm2 cm² cm3 cm³
	ha ml mL µl µL ul dl hl ms min sec Hz kHz MHz GHz °C °F Pa hPa kPa MPa bar mbar kJ MJ kcal cal kW MW
	Wh kWh MWh mV kV mA kA mol mmol µmol umol nmol mM µM uM nM ppm ppb ppt ‰ EUR USD GBP CHF JPY
	mg/l mg/L µg/l µg/L ug/l ug/L ng/l ng/L g/l g/L mg/kg µg/kg ug/kg ng/g g/kg g/cm3 g/cm³ kg/m3 kg/m³
	m/s km/h mg/m3 µg/m3 µg/m³ ug/m3 mg/dl mg/dL mmol/l mmol/L mol/L g t m s d h l L W V A J K N`)

// IsUnit reports whether a word is a unit for certain.
func IsUnit(word string) bool { return slices.Contains(knownUnits, word) }

// noUnits are words behind a number that are a part of it.
var noUnits = strings.Fields("am pm jan feb mar apr may mai jun jul aug sep oct okt nov dec dez")

// cutUnit parts a number and the unit behind it. The unit is empty where there is none.
func cutUnit(s []byte) (number, unit []byte) {
	end := 0 // of the last digit
	i := 0
	for i < len(s) {
		r, size := utf8.DecodeRune(s[i:])
		exponent := end == i && end > 0 && (r == 'e' || r == 'E') && i+1 < len(s) &&
			(isDigit(s[i+1]) || i+2 < len(s) && (s[i+1] == '-' || s[i+1] == '+') && isDigit(s[i+2]))
		switch {
		case r >= '0' && r <= '9':
			end = i + 1
		case exponent:
			if !isDigit(s[i+1]) {
				i++ // the sign
			}
		case r != '-' && r != '+' && r != '.' && r != '\u2212' && !isSeparator(r):
			return partUnit(s, end, i)
		}
		i += size
	}
	return s, nil
}

// partUnit parts s after its number, which ends at end, where a unit may begin at i.
func partUnit(s []byte, end, i int) (number, unit []byte) {
	unit = s[i:]
	text := string(unit)
	first, _ := utf8.DecodeRune(unit)
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("°‰/²³^·*-._⁻¹%", r)
	}
	spaced := i > end && len(bytes.TrimSpace(s[end:i])) == 0
	switch {
	case end == 0, !spaced && i > end, !unicode.IsLetter(first) && first != '°' && first != '‰',
		utf8.RuneCountInString(text) > 12, strings.ContainsFunc(text, other),
		len(text) >= 3 && slices.Contains(noUnits, strings.ToLower(text[:3])),
		slices.Contains(noUnits, strings.ToLower(text)),
		!spaced && (len(text) == 1 || !IsUnit(text)):
		return s, nil
	}
	return s[:end], unit
}

// unitOf is the unit or the currency of a number; "" for none.
func unitOf(s []byte) string {
	s = bytes.TrimSpace(utf8Text(s))
	if _, unit := cutUnit(s); unit != nil {
		return string(unit)
	}
	if i := bytes.IndexAny(s, currencies); i >= 0 {
		r, _ := utf8.DecodeRune(s[i:])
		return string(r)
	}
	return ""
}

func (c *column) addUnit(f []byte, has form) {
	if has&(formUnit|formCurrency) == 0 {
		return
	}
	switch unit := unitOf(f); {
	case has&formUnit != 0:
		if c.units == nil {
			c.units = map[string]int{}
		}
		c.units[unit]++
	case c.currency == "":
		c.currency = unit
	default:
		c.mixed = c.mixed || c.currency != unit
	}
}

// settleUnits decides what a column with units is: of one unit, of numbers without one and a few
// words, of text, or of several units. It is of one kind where nine tenths of it are.
func (c *column) settleUnits() {
	if c.units == nil {
		c.unit = c.currency
		return
	}
	all, with, known := c.numbers-c.zeros, 0, true
	top, most := "", 0
	for unit, n := range c.units {
		with += n
		known = known && IsUnit(unit)
		if n > most || n == most && unit < top {
			top, most = unit, n
		}
	}
	switch {
	case 10*most >= 9*all:
		c.unit = top
	case 10*(all-with) >= 9*all, !known:
		c.numbers, c.words, c.form = c.numbers-with, c.words+with, c.form&^formUnit
		c.amounts += with
	default:
		c.mixed = true
	}
}

// otherUnit is a value with another unit than the first.
func (c *column) otherUnit() string {
	first := unitOf([]byte(c.values[0]))
	for _, v := range c.values {
		if unitOf([]byte(v)) != first {
			return v
		}
	}
	return ""
}

// unitFault is the error for another unit than that of the column.
func (p *parser) unitFault(j int, v float64, field []byte) *Error {
	if p.units == nil || p.units[j] == "" {
		return nil
	}
	want, unit := p.units[j], unitOf(field)
	switch {
	case unit == want, unit == "" && (v == 0 || strings.Contains(currencies, want)):
		return nil
	}
	word := quote(string(field)) + p.in(j)
	if unit == "" {
		return p.fault(j, word+" has no unit, where others have "+Printable(want))
	}
	return p.fault(j, word+" is not in "+Printable(want)+", as others are")
}

func (p *parser) noteUnits(columns []column, names []string, h *Head) {
	var in []string
	for j := range columns {
		if unit := columns[j].unit; unit != "" && p.roles[j] >= 0 && !columns[j].text() {
			if h.Units == nil {
				h.Units = make([]string, p.cols)
			}
			h.Units[p.roles[j]] = Printable(unit)
			if !strings.Contains(currencies, unit) { // of these there is a note
				in = append(in, p.columnName(j, names)+" "+Printable(unit))
			}
		}
	}
	if in != nil {
		h.Notes = append(h.Notes, "units are taken out of the numbers: "+someOf(in))
	}
}
