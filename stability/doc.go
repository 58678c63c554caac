// Package stability says how sure a model of package softkmeans is: [Bootstrap] gives
// intervals for its centers and shares, [Others] looks for other answers, and [Match] says
// which prototypes of two models are the same, and what moved.
package stability
