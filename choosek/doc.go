// Package choosek chooses the number of prototypes of a table. [Choose] reads the rows. [Propose] reads only
// the floors of package softkmeans. [ProposeScene] is for pixels that are mixtures of materials.
package choosek
