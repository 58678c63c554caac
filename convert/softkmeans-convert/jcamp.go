package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Spectra in JCAMP-DX 4.24, 5.00 and 5.01: R. S. McDonald and P. A. Wilks, Applied Spectroscopy
// 42 (1988) 151, and A. N. Davies and P. Lampen, 47 (1993) 1093. Read are XYDATA=(X++(Y..Y)),
// ordinates at equal steps, in all forms: AFFN, PAC, SQZ, DIF and DUP. There is no library in Go.

// spectrum is a block of data.
type spectrum struct {
	title, xunits, yunits string
	at                    string // the file and line of its data
	x                     []float64
	y                     []float64 // NaN: missing
}

// readJCAMP writes the spectra of the file, and of others that are given, as rows.
func readJCAMP(f *os.File, o *options, w *writer) error {
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	all, err := parseJCAMP(text, f.Name())
	if err != nil {
		return err
	}
	for _, name := range o.more {
		if text, err = os.ReadFile(name); err != nil {
			return err
		}
		if !isJCAMP(text) {
			return fmt.Errorf("%s is no JCAMP-DX file, as the first is; give it alone", name)
		}
		more, err := parseJCAMP(text, name)
		if err != nil {
			return fmt.Errorf("of %s: %w", name, err)
		}
		all = append(all, more...)
	}
	return writeSpectra(all, o, w)
}

// isJCAMP reports whether a file begins as one of JCAMP-DX.
func isJCAMP(start []byte) bool {
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), "\r\n ")
	return len(start) >= 7 && strings.EqualFold(string(start[:7]), "##TITLE")
}

// writeSpectra writes spectra that have the same axis.
func writeSpectra(all []spectrum, o *options, w *writer) error {
	if len(all) == 0 {
		return errors.New("there is no spectrum in it")
	}
	if o.list {
		for _, s := range all {
			fmt.Fprintf(w, "%s\t%s\n", s.title, &s)
		}
		return nil
	}
	first, titles := all[0], map[string]int{}
	w.quoted("spectrum")
	for _, x := range first.x {
		w.quoted(strconv.FormatFloat(x, 'g', 10, 64))
	}
	w.end()
	for _, s := range all {
		if err := s.fits(&first); err != nil {
			return err
		}
		name := s.title
		if titles[s.title]++; titles[s.title] > 1 {
			name += fmt.Sprintf(" (%d)", titles[s.title])
		}
		w.quoted(name)
		for _, y := range s.y {
			if y != y {
				w.plain("")
			} else {
				w.number(y)
			}
		}
		w.end()
	}
	return nil
}

// fits returns an error unless s has the axis and the units of first.
func (s *spectrum) fits(first *spectrum) error {
	off := 0.01 * math.Abs(first.x[len(first.x)-1]-first.x[0]) / float64(len(first.x))
	near := func(x, y float64) bool { return math.Abs(x-y) <= off }
	if slices.EqualFunc(s.x, first.x, near) && s.xunits == first.xunits && s.yunits == first.yunits {
		return nil
	}
	return fmt.Errorf("the spectra have different axes: %s has %s, and %s has %s; interpolate them before",
		first.at, first, s.at, s)
}

func (s *spectrum) String() string {
	return fmt.Sprintf("%d points from %.10g to %.10g %s, %s", len(s.x), s.x[0], s.x[len(s.x)-1], s.xunits,
		s.yunits)
}

// parseJCAMP reads the spectra of a file. Blocks may be in others, of links.
func parseJCAMP(text []byte, name string) (all []spectrum, err error) {
	var open []map[string]string // the records of the blocks that are open
	lines := strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
	for i := 0; i < len(lines); i++ {
		label, value, ok := labelled(lines[i])
		if !ok {
			continue // more of a text
		}
		if label == "TITLE" {
			open = append(open, map[string]string{})
		}
		if len(open) == 0 {
			return nil, fmt.Errorf("line %d: ##%s before ##TITLE", i+1, label)
		}
		block := open[len(open)-1]
		switch label {
		case "END":
			if open = open[:len(open)-1]; len(open) == 0 && len(all) == 0 {
				return nil, fmt.Errorf("the block %q has no ##XYDATA=(X++(Y..Y))", block["TITLE"])
			}
		case "XYDATA":
			if strings.Join(strings.Fields(value), "") != "(X++(Y..Y))" {
				return nil, fmt.Errorf("line %d: ##XYDATA=%s is not read, only (X++(Y..Y))", i+1, value)
			}
			from := i + 1
			for i+1 < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[i+1]), "##") {
				i++
			}
			s, err := newSpectrum(block, lines[from:i+1], from+1)
			if err != nil {
				return nil, err
			}
			s.at = fmt.Sprintf("%s, line %d,", name, from)
			all = append(all, *s)
		case "NTUPLES", "XYPOINTS", "PEAKTABLE", "PEAKASSIGNMENTS", "RADATA":
			return nil, fmt.Errorf("line %d: ##%s is not read, only spectra at equal steps, "+
				"##XYDATA=(X++(Y..Y))", i+1, label)
		default:
			block[label] = value
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("the block %q has no ##END: the file is cut off", open[len(open)-1]["TITLE"])
	}
	return all, nil
}

// labelled parts a line such as ##LABEL= value $$ comment. Case and some signs of labels do not count.
func labelled(line string) (label, value string, ok bool) {
	line, _, _ = strings.Cut(strings.TrimSpace(line), "$$")
	if !strings.HasPrefix(line, "##") {
		return "", "", false
	}
	label, value, ok = strings.Cut(line[2:], "=")
	label = strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "/", "", "_", "").Replace(label))
	return label, strings.TrimSpace(value), ok
}

// newSpectrum decodes the lines of data of a block, the first of which is line at.
func newSpectrum(block map[string]string, lines []string, at int) (*spectrum, error) {
	number := map[string]float64{"XFACTOR": 1, "YFACTOR": 1}
	for _, key := range []string{"FIRSTX", "LASTX", "NPOINTS", "XFACTOR", "YFACTOR"} {
		value, ok := block[key]
		if _, known := number[key]; !ok && known {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || v-v != 0 {
			return nil, fmt.Errorf("line %d: the spectrum has ##%s=%s, no number", at-1, key, value)
		}
		number[key] = v
	}
	s := &spectrum{title: block["TITLE"], xunits: block["XUNITS"], yunits: block["YUNITS"]}
	n, first := number["NPOINTS"], number["FIRSTX"]
	step := (number["LASTX"] - first) / (n - 1)
	if n < 2 || step == 0 || n > 1<<24 {
		return nil, fmt.Errorf("line %d: %v points from %v to %v are no spectrum", at-1, n, first,
			number["LASTX"])
	}
	var d decoder
	for i, line := range lines {
		line, _, _ = strings.Cut(line, "$$")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		x, from, err := d.line(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", at+i, err)
		}
		if want := first + step*float64(from); math.Abs(x*number["XFACTOR"]-want) > 2*math.Abs(step) {
			return nil, fmt.Errorf("line %d begins at %v, where value %d of the spectrum is at %.10g", at+i,
				x*number["XFACTOR"], from+1, want)
		}
	}
	if len(d.y) != int(n) {
		return nil, fmt.Errorf("line %d: the spectrum has %d values, not the %v of ##NPOINTS", at-1,
			len(d.y), n)
	}
	for i, y := range d.y {
		s.x, s.y = append(s.x, first+step*float64(i)), append(s.y, y*number["YFACTOR"])
	}
	return s, nil
}

// decoder reads ordinates in the forms of JCAMP-DX, which may be mixed.
type decoder struct {
	y    []float64
	last float64 // as it was written
	isD  bool    // last is a difference
}

// forms are the first digits of numbers, beside plain ones.
var forms = []struct {
	digits string
	least  int // what the first stands for
	sign   string
	kind   byte // of a difference 'd', of the times that the ordinate before comes 'x'
}{
	{"@ABCDEFGHI", 0, "", 0}, {"abcdefghi", 1, "-", 0},
	{"%JKLMNOPQR", 0, "", 'd'}, {"jklmnopqr", 1, "-", 'd'},
	{"STUVWXYZs", 1, "", 'x'},
}

// line decodes a line: an abscissa, and ordinates, the first of which is number from. After a
// difference the first repeats the last of the line before, as a check.
func (d *decoder) line(line string) (x float64, from int, err error) {
	check := d.isD
	from = len(d.y)
	for field := 0; line != ""; field++ {
		kind, text, rest := token(line)
		line = strings.TrimLeft(rest, " \t,;")
		v, err := strconv.ParseFloat(text, 64)
		if text == "?" {
			v, err = math.NaN(), nil
		}
		switch {
		case err != nil || field == 0 && (kind != 0 || v != v):
			return 0, 0, fmt.Errorf("%.20q is no number of JCAMP-DX", text)
		case field == 0:
			x = v
		case field == 1 && check:
			if last := d.y[len(d.y)-1]; kind == 'd' || kind == 'x' || v != last {
				return 0, 0, fmt.Errorf("its first value must be %v, that of the line before, not %s", last,
					text)
			}
			from, d.isD, d.last = from-1, false, v
		case kind == 'x' && (len(d.y) == 0 || field == 1 || v < 1 || v > 1<<24):
			return 0, 0, fmt.Errorf("%v values are the same as none", v)
		case kind == 'x':
			for range int(v) - 1 {
				d.add()
			}
		case kind == 'd' && len(d.y) == 0:
			return 0, 0, errors.New("it begins with a difference")
		default:
			d.last, d.isD = v, kind == 'd'
			d.add()
		}
	}
	return x, from, nil
}

// add appends the last ordinate or difference.
func (d *decoder) add() {
	y := d.last
	if d.isD {
		y += d.y[len(d.y)-1]
	}
	d.y = append(d.y, y)
}

// token parts the first number from a line, with plain digits. Its kind is 'd' of a difference and
// 'x' of a count.
func token(line string) (kind byte, text, rest string) {
	end := 1
	digit := func(i int) bool { return i < len(line) && line[i] >= '0' && line[i] <= '9' }
	for digit(end) || end < len(line) && line[end] == '.' {
		end++
	}
	// E is an exponent only before a sign and two or three digits.
	if e := end; digit(e+2) && digit(e+3) && strings.ContainsRune("Ee", rune(line[e])) &&
		strings.ContainsRune("+-", rune(line[e+1])) {
		for end = e + 2; digit(end) && end < e+5; end++ {
		}
	}
	text, rest = line[:end], line[end:]
	for _, form := range forms {
		if i := strings.IndexByte(form.digits, line[0]); i >= 0 {
			return form.kind, form.sign + strconv.Itoa(i+form.least) + text[1:], rest
		}
	}
	return 0, text, rest
}
