// Command expected prints what the package in Go makes of the sets of testdata, as JSON: the
// tests of the npm package compare with it.
package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/kernel"
	"softkmeans/testdata"
)

// result is what is compared.
type result struct {
	Rows                      [][]float64
	Centers, Memberships      []float64
	Objective, Floor          float64
	Labels                    []int
	MinCenters, MinShares     []float64
	MinObjective              float64
	MinLabels                 []int
	MinMeans, MinLikely       []float64
	Floors                    []float64
	SimilarObjective          float64
	SimilarLabels             []int
	CertifiedObjective, Total float64
}

func main() {
	all := map[string]*result{}
	for name, k := range map[string]int{"iris": 3, "wine": 3} {
		r, err := solve(name, k)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		all[name] = r
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(name string) ([][]float64, error) {
	text, err := testdata.Files.ReadFile(name + ".csv")
	if err != nil {
		return nil, err
	}
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return nil, err
	}
	rows := make([][]float64, len(records))
	for i, record := range records {
		for _, field := range record {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, err
			}
			rows[i] = append(rows[i], v)
		}
	}
	return rows, nil
}

func solve(name string, k int) (*result, error) {
	rows, err := read(name)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	x, err := softkmeans.FromRows(rows)
	if err != nil {
		return nil, err
	}
	m, err := softkmeans.Fit(ctx, x, k, nil)
	if err != nil {
		return nil, err
	}
	v, err := softkmeans.FitMinVolume(ctx, x, k, nil)
	if err != nil {
		return nil, err
	}
	likely, err := v.ClusterProbabilities(nil, x)
	if err != nil {
		return nil, err
	}
	floors, err := softkmeans.Floors(ctx, x, nil)
	if err != nil {
		return nil, err
	}
	c, err := softkmeans.Certify(ctx, x, v.Centers, v.Memberships, nil)
	if err != nil {
		return nil, err
	}
	similarities, err := kernel.RBF(x, 0)
	if err != nil {
		return nil, err
	}
	s, err := softkmeans.LSD(ctx, similarities, k, nil)
	if err != nil {
		return nil, err
	}
	return &result{
		rows, m.Centers.Data, m.Memberships.Data, m.Objective, m.Floor, m.Labels(nil),
		v.Centers.Data, v.Memberships.Data, v.Objective, v.Labels(nil), v.ClusterMeans.Data, likely.Data, floors, s.Objective, s.Labels(nil), c.Objective, c.Total,
	}, nil
}
