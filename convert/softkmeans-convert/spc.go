package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// Spectra in Galactic's SPC of the new format: "The Galactic SPC File Format", 1997. Read are spectra
// that have one axis, evenly spaced or not. There is no library in Go.

// Bits of the first byte, and the versions that the second one tells.
const (
	spc16    = 1   // values are integers of 16 bits
	spcMulti = 4   // several spectra, each with its own exponent
	spcOwnX  = 64  // each has its own axis
	spcX     = 128 // the axis is not even

	spcLittle, spcBig, spcOld = 0x4b, 0x4c, 0x4d

	spcHeader, spcSubheader = 512, 32
	spcFloat                = -128 // the exponent of values that are floats
)

var (
	spcXUnits = map[byte]string{1: "1/cm", 2: "µm", 3: "nm", 4: "s", 5: "min", 6: "Hz", 9: "m/z", 13: "1/cm"}
	spcYUnits = map[byte]string{1: "interferogram", 2: "absorbance", 3: "Kubelka-Munk", 4: "counts",
		128: "transmission", 129: "reflectance"}
)

// isSPC reports whether a file of that name begins as SPC does. Any two bytes may begin others.
func isSPC(start []byte, name string) bool {
	return strings.HasSuffix(strings.ToLower(name), ".spc") && len(start) > 1 && start[1] >= spcLittle &&
		start[1] <= spcOld
}

func readSPC(f *os.File, o *options, w *writer) error {
	b, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	all, err := parseSPC(b)
	if err != nil {
		return err
	}
	return writeSpectra(all, o, w)
}

// parseSPC reads the spectra of a file.
func parseSPC(b []byte) (all []spectrum, err error) {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(b) < spcHeader:
		return nil, errors.New("the file is shorter than the header of SPC")
	case b[1] == spcOld:
		return nil, errors.New("this is SPC of the old format, before 1996; save it in the new one")
	case b[1] == spcBig:
		order = binary.BigEndian
	}
	flags, exponent := b[0], int8(b[3])
	if flags&spcOwnX != 0 {
		return nil, errors.New("each spectrum of this SPC file has its own axis; interpolate them before")
	}
	n, count := int(order.Uint32(b[4:])), max(1, int(order.Uint32(b[24:])))
	size := 4
	if flags&spc16 != 0 && exponent != spcFloat {
		size = 2
	}
	need := spcHeader + count*(spcSubheader+n*size)
	if flags&spcX != 0 {
		need += 4 * n
	}
	if n < 2 || n > 1<<28 || count > 1<<28 || len(b) < need {
		return nil, fmt.Errorf("%d spectra of %d points need %d bytes, and there are %d", count, n, need,
			len(b))
	}
	float := func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	single := func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	x := make([]float64, n)
	first, last := float(b[8:]), float(b[16:])
	at := spcHeader
	for i := range x {
		x[i] = first + float64(i)*(last-first)/float64(n-1)
		if flags&spcX != 0 {
			x[i], _ = strconv.ParseFloat(strconv.FormatFloat(single(b[at:]), 'g', -1, 32), 64)
			at += 4
		}
	}
	title, _, _ := strings.Cut(string(b[88:88+130]), "\x00")
	if title = strings.TrimSpace(title); title == "" {
		title = "spectrum"
	}
	for i := range count {
		s := spectrum{title: title, xunits: spcXUnits[b[28]], yunits: spcYUnits[b[29]], x: x,
			y: make([]float64, n), at: fmt.Sprintf("spectrum %d", i+1)}
		if count > 1 {
			s.title = fmt.Sprintf("%s %d", title, i+1)
		}
		scale := exponent
		if flags&spcMulti != 0 {
			scale = int8(b[at+1])
		}
		at += spcSubheader
		for j := range s.y {
			switch {
			case scale == spcFloat && size == 4:
				s.y[j] = single(b[at:])
			case size == 2:
				s.y[j] = math.Ldexp(float64(int16(order.Uint16(b[at:]))), int(scale)-16)
			default:
				s.y[j] = math.Ldexp(float64(int32(order.Uint32(b[at:]))), int(scale)-32)
			}
			at += size
		}
		all = append(all, s)
	}
	return all, nil
}
