package proof

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"softkmeans"
)

var bgp = context.Background()

func loadp(name string) *softkmeans.Matrix {
	f, _ := os.Open("../testdata/" + name + ".csv")
	rec, _ := csv.NewReader(f).ReadAll()
	var rows [][]float64
	for _, r := range rec {
		var v []float64
		ok := true
		for _, s := range r {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil {
				ok = false
			}
			v = append(v, x)
		}
		if ok {
			rows = append(rows, v)
		}
	}
	m, _ := softkmeans.FromRows(rows)
	return m
}

func cosine(x *softkmeans.Matrix) *softkmeans.Matrix {
	n, d := x.Rows, x.Cols
	y := x.Clone()
	for j := range d {
		m, s := 0.0, 0.0
		for i := range n {
			m += x.At(i, j) / float64(n)
		}
		for i := range n {
			s += (x.At(i, j) - m) * (x.At(i, j) - m) / float64(n)
		}
		for i := range n {
			y.Set(i, j, (x.At(i, j)-m)/math.Sqrt(s))
		}
	}
	for i := range n {
		q := 0.0
		for _, v := range y.Row(i) {
			q += v * v
		}
		for j := range d {
			y.Row(i)[j] /= math.Sqrt(q)
		}
	}
	k := softkmeans.NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			s := 0.0
			for c := range d {
				s += y.At(i, c) * y.At(j, c)
			}
			k.Set(i, j, s)
			k.Set(j, i, s)
		}
	}
	return k
}

func TestProto(t *testing.T) {
	for _, name := range []string{"iris", "wine", "noise", "graph", "unbal"} {
		var K *softkmeans.Matrix
		k := 3
		switch name {
		case "noise", "unbal":
			rng := rand.New(rand.NewPCG(1, 2))
			n := 120
			P := softkmeans.NewMatrix(n, k, nil)
			for i := range n {
				s := 0.0
				for j := range k {
					P.Row(i)[j] = math.Pow(rng.ExpFloat64(), 3)
					if name == "unbal" && j == 0 {
						P.Row(i)[j] *= 10
					}
					s += P.Row(i)[j]
				}
				for j := range k {
					P.Row(i)[j] /= s
				}
			}
			K = softkmeans.NewMatrix(n, n, nil)
			for i := range n {
				for j := range i + 1 {
					v := .1 * rng.NormFloat64()
					for c := range k {
						v += P.At(i, c) * P.At(j, c)
					}
					K.Set(i, j, v)
					K.Set(j, i, v)
				}
			}
		case "graph":
			rng := rand.New(rand.NewPCG(1, 2))
			n := 120
			K = softkmeans.NewMatrix(n, n, nil)
			for i := range n {
				for j := range i {
					p := .05
					if i%3 == j%3 {
						p = .4
					}
					if rng.Float64() < p {
						K.Set(i, j, 1)
						K.Set(j, i, 1)
					}
				}
			}
		default:
			K = cosine(loadp(name))
		}
		n := K.Rows
		m, err := softkmeans.LSD(bgp, K, k, nil)
		fmt.Println(name, n, m.Objective, m.Floor, m.Total, "t", 1/m.Scale, err)
		for range 3 {
			from := time.Now()
			bd, err := LSDFloor(bgp, K, k, &LSDFloorOptions{Model: m})
			fmt.Println(bd, err, time.Since(from))
		}
	}
}
