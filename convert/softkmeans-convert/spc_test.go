package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// spc is a file of SPC: spectra of 3 points, i + j/4 each, at 400, 410, 420.
func spc(order binary.ByteOrder, flags byte, exponent int8, count int) []byte {
	b := make([]byte, spcHeader)
	b[0], b[1], b[3], b[28], b[29] = flags, spcLittle, byte(exponent), 3, 2
	if flags&spcMulti != 0 {
		b[3] = 9 // each has its own
	}
	if order == binary.BigEndian {
		b[1] = spcBig
	}
	order.PutUint32(b[4:], 3)
	order.PutUint64(b[8:], math.Float64bits(400))
	order.PutUint64(b[16:], math.Float64bits(420))
	order.PutUint32(b[24:], uint32(count))
	copy(b[88:], "leaf")
	add := func(v any) { b = append(b, must(binary.Append(nil, order, v))...) }
	if flags&spcX != 0 {
		add([]float32{400, 411, 420})
	}
	for i := range count {
		head := make([]byte, spcSubheader)
		head[1] = byte(exponent)
		b = append(b, head...)
		for j := range 3 {
			switch v := float64(i) + float64(j)/4; {
			case exponent == spcFloat:
				add(float32(v))
			case flags&spc16 != 0:
				add(int16(math.Ldexp(v, 16-int(exponent))))
			default:
				add(int32(math.Ldexp(v, 32-int(exponent))))
			}
		}
	}
	return b
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// Spectra of all kinds of numbers are read; what is not is said.
func TestSPC(t *testing.T) {
	little, big := binary.LittleEndian, binary.BigEndian
	three := "\"leaf 1\",0,0.25,0.5\n\"leaf 2\",1,1.25,1.5\n\"leaf 3\",2,2.25,2.5\n"
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{spc(little, 0, spcFloat, 1), "\"spectrum\",\"400\",\"410\",\"420\"\n\"leaf\",0,0.25,0.5\n"},
		{spc(little, spcMulti, spcFloat, 3), three},
		{spc(big, spcMulti, spcFloat, 3), three},
		{spc(little, spcMulti, 4, 3), three},
		{spc(big, spcMulti|spc16, 4, 3), three},
		{spc(little, spcMulti|spcX, 4, 3), "\"411\",\"420\"\n" + three},
		{spc(little, spcMulti|spcOwnX, 4, 3), "has its own axis"},
		{append([]byte{0, spcOld}, spc(little, 0, 4, 1)[2:]...), "the old format"},
		{spc(little, spcMulti, 4, 3)[:520], "3 spectra of 3 points need 644 bytes, and there are 520"},
		{spc(little, spcMulti, 4, 3)[:20], "shorter than the header"},
	} {
		name := put(t, filepath.Join(t.TempDir(), "x.SPC"), string(c.b))
		var out bytes.Buffer
		err := run([]string{name}, &out)
		if got := out.String(); err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, not %s", err, c.want)
			}
		} else if !strings.HasSuffix(got, c.want) {
			t.Errorf("%s, not %s", got, c.want)
		}
	}
}
