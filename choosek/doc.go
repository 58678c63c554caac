// Package choosek looks for the number of prototypes of a table: [Choose] by the rows, [Propose] by the
// floors of package softkmeans alone, [ProposeScene] for pixels that are mixtures of materials.
package choosek
