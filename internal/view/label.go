package view

// LabelBy says what the labels of rows are: the largest memberships if rows are mixtures, else the clusters.
func LabelBy(mixtures bool) string {
	if mixtures {
		return "Label is the largest membership, as rows are mixtures."
	}
	return "Label is the cluster."
}
