package view

// LabelBy says what the labels of rows are: the largest memberships if rows are mixtures, else the clusters.
func LabelBy(mixtures bool) string {
	if mixtures {
		return "The label of a row is the prototype of its largest membership."
	}
	return "Label is the cluster."
}
