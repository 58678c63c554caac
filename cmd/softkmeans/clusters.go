package main

// This file holds what a fit says of its clusters: their means, sizes and weights, and how likely rows are in
// their own.

import (
	"softkmeans"
	"softkmeans/internal/la"
)

// hasProbabilities reports whether m, which may be nil, has the numbers that ClusterProbabilities needs.
func hasProbabilities(m *softkmeans.Model) bool {
	return m != nil && m.ClusterMeans != nil && m.ClusterWeights != nil
}

// likelyRows counts rows by cluster, and adds up the probabilities of their clusters.
type likelyRows struct {
	sizes []int
	sums  []float64 // of probabilities, by cluster
	rows  int
}

// add adds rows with these clusters and probabilities p.
func (l *likelyRows) add(clusters []int, p *softkmeans.Matrix) {
	if l.sizes == nil {
		l.sizes, l.sums = make([]int, p.Cols), make([]float64, p.Cols)
	}
	l.rows += len(clusters)
	for i, cluster := range clusters {
		l.sizes[cluster]++
		l.sums[cluster] += p.At(i, cluster)
	}
}

func (l *likelyRows) mean() float64 { return la.Sum(l.sums) / float64(l.rows) }

// probabilities returns how likely each cluster is for the rows x, whose clusters are given, and adds the rows to
// r.likely. It returns nil if the method finds no clusters. Clusters of similarities are of the rows' coordinates.
func (r *result) probabilities(x softkmeans.Samples, clusters []int) (p *softkmeans.Matrix, err error) {
	m := r.model
	if r.lsd != nil {
		m = r.lsd.Clustering
	}
	if !hasProbabilities(m) {
		return nil, nil
	}
	if r.lsd != nil {
		if x, err = r.lsd.Coordinates(nil, nil); err != nil {
			return nil, err
		}
	}
	p, err = m.ClusterProbabilities(nil, x)
	if err == nil {
		r.likely.add(clusters, p)
	}
	return p, err
}

// clusterMeans returns the means of the clusters in the table's units.
func (r *result) clusterMeans() *softkmeans.Matrix {
	means := r.model.ClusterMeans.Clone()
	r.scale.Undo(means.Data)
	r.flatten(means)
	return means
}
