package main

import (
	"bufio"
	"context"
	"io"
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
	w := bufio.NewWriterSize(f, 1<<20)
	if s.format == "npy" {
		rows = int(s.size / int64(8*s.cols))
		err = s.writeNPY(ctx, w, max(rows, 1))
	} else {
		rows, err = s.writeCSV(ctx, w)
	}
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Close()
	}
	return rows, err
}

func (s *settings) writeNPY(ctx context.Context, w io.Writer, rows int) error {
	if err := npy.WriteHeader(w, rows, s.cols); err != nil {
		return err
	}
	m, row := newMixtures(s.cols, s.k), make([]float64, s.cols)
	for range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.next(row)
		if err := npy.WriteValues(w, row); err != nil {
			return err
		}
	}
	return nil
}

func (s *settings) writeCSV(ctx context.Context, w io.Writer) (rows int, err error) {
	m, row := newMixtures(s.cols, s.k), make([]float64, s.cols)
	line := []byte("c1")
	for c := 2; c <= s.cols; c++ {
		line = strconv.AppendInt(append(line, ",c"...), int64(c), 10)
	}
	left := s.size
	for {
		n, err := w.Write(append(line, '\n'))
		if left -= int64(n); err != nil || left <= 0 && rows > 0 {
			return rows, err
		}
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		m.next(row)
		rows++
		line = strconv.AppendFloat(line[:0], row[0], 'g', -1, 64)
		for _, v := range row[1:] {
			line = strconv.AppendFloat(append(line, ','), v, 'g', -1, 64)
		}
	}
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
