// Package stability estimates the uncertainty of a model of package softkmeans. [Bootstrap] returns
// intervals for its centers and mean memberships, [Others] looks for other solutions, and [Match]
// matches the prototypes of two models.
package stability
