package main

// Random shards, for trying the program.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"

	"softkmeans/internal/view"
)

// generator writes shards of random mixtures: prototypes uniform in a cube, shares uniform
// on the simplex, normal noise. A shard depends only on the seed and its number.
type generator struct {
	dir                               string
	shards, rows, columns, prototypes int
	noise                             float64
	seed                              uint64
}

func (g *generator) run(ctx context.Context, stdout io.Writer) error {
	if err := g.alone(ctx); err != nil {
		return err
	}
	prototypes := g.cube()
	id := newID()
	for i := range g.shards {
		err := writeOutput(ctx, join(g.dir, g.name(i)), id, func(w *bufio.Writer) error { return g.shard(ctx, w, i, prototypes) })
		if err != nil {
			return err
		}
	}
	err := writeOutput(ctx, join(g.dir, "manifest.csv"), id, func(w *bufio.Writer) error {
		w.WriteString("shard,rows\n")
		for i := range g.shards {
			fmt.Fprintf(w, "%s,%d\n", g.name(i), g.rows)
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: %d shards of %d rows and %d columns, and manifest.csv\n", g.dir, g.shards, g.rows, g.columns)
	return err
}

// alone returns an error if the directory has shards that would not be replaced: a
// pattern would find both. It does not remove them, because they may be somebody's data.
func (g *generator) alone(ctx context.Context) error {
	found, err := list(ctx, join(g.dir, "shard-*.csv"))
	if err != nil {
		return err
	}
	ours := map[string]bool{}
	for i := range g.shards {
		ours[clean(join(g.dir, g.name(i)))] = true
	}
	for _, name := range found {
		if !ours[clean(name)] {
			return fmt.Errorf("%s would be mixed with the %s to be written: remove it, or give another -generate",
				name, view.Count(g.shards, "shard"))
		}
	}
	return nil
}

func (g *generator) name(shard int) string { return fmt.Sprintf("shard-%04d.csv", shard) }

// cube returns the prototypes.
func (g *generator) cube() [][]float64 {
	rng := rand.New(rand.NewPCG(g.seed, 0))
	prototypes := make([][]float64, g.prototypes)
	for j := range prototypes {
		prototypes[j] = make([]float64, g.columns)
		for c := range prototypes[j] {
			prototypes[j][c] = rng.Float64()
		}
	}
	return prototypes
}

// shard writes a shard with a header and six decimals.
func (g *generator) shard(ctx context.Context, w *bufio.Writer, number int, prototypes [][]float64) error {
	rng := rand.New(rand.NewPCG(g.seed, uint64(number)+1))
	for c := range g.columns {
		if c > 0 {
			w.WriteByte(',')
		}
		w.WriteString("x" + strconv.Itoa(c+1))
	}
	w.WriteByte('\n')
	shares, row := make([]float64, g.prototypes), make([]float64, g.columns)
	for i := range g.rows {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		sum := 0.0
		for j := range shares {
			shares[j] = rng.ExpFloat64()
			sum += shares[j]
		}
		for c := range row {
			row[c] = g.noise * rng.NormFloat64()
		}
		for j, p := range prototypes {
			share := shares[j] / sum
			for c, v := range p {
				row[c] += share * v
			}
		}
		line := w.AvailableBuffer()
		for c, v := range row {
			if c > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, v, 'f', 6, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
