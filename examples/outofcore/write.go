package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"

	"softkmeans/internal/npy"
)

// write writes the file: mixtures of k prototypes with noise, the same in every run.
func (s *settings) write(ctx context.Context, name string) (rows int, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	left, encode, head := s.size, appendCSV, []byte("c1")
	if s.format == "npy" {
		n := max(s.size/int64(8*s.cols), 1)
		left, encode, head = n*int64(8*s.cols), appendBinary, []byte(npy.HeaderText(int(n), s.cols))
	} else {
		for c := 2; c <= s.cols; c++ {
			head = strconv.AppendInt(append(head, ",c"...), int64(c), 10)
		}
		head = append(head, '\n')
	}
	w, m, row := bufio.NewWriterSize(f, 1<<20), newMixtures(s.cols, s.k), make([]float64, s.cols)
	_, err = w.Write(head)
	for line := []byte(nil); left > 0 && err == nil && ctx.Err() == nil; rows++ {
		m.next(row)
		line = encode(line[:0], row)
		_, err = w.Write(line)
		left -= int64(len(line))
	}
	return rows, cmp.Or(ctx.Err(), err, w.Flush(), f.Close())
}

func appendBinary(b []byte, row []float64) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, row) // numbers have no error
	return b
}

func appendCSV(b []byte, row []float64) []byte {
	for _, v := range row {
		b = append(strconv.AppendFloat(b, v, 'g', -1, 64), ',')
	}
	b[len(b)-1] = '\n'
	return b
}

// mixtures generates rows: random shares of k prototypes, and noise.
type mixtures struct {
	rng        *rand.Rand
	prototypes [][]float64
}

func newMixtures(cols, k int) *mixtures {
	m := &mixtures{rng: rand.New(rand.NewPCG(1, 2))}
	for range k {
		p := make([]float64, cols)
		for c := range p {
			p[c] = 100 + 10*m.rng.NormFloat64()
		}
		m.prototypes = append(m.prototypes, p)
	}
	return m
}

// next sets row to the next row.
func (m *mixtures) next(row []float64) {
	for c := range row {
		row[c] = m.rng.NormFloat64()
	}
	left := 1.0
	for j, p := range m.prototypes {
		share := left * m.rng.Float64()
		if j == len(m.prototypes)-1 {
			share = left
		}
		left -= share
		for c, v := range p {
			row[c] += share * v
		}
	}
}
