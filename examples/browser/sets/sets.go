// Package sets is the data sets that come with the page.
package sets

import (
	"slices"
	"strconv"
	"strings"
)

// Set is a data set that comes with the page.
type Set struct {
	Name    string
	Columns []string
	Classes []string // names of the labels 0, 1, …
	Tile    int      // the width of the square that a row is as a picture; 0: rows are no pictures
	Source  string   // the authors, whom the licence requires to name
}

// Label is the name of the last column of a Table.
const Label = "class"

// Table is the set as CSV with a header and the class in the last column, from rows without a header and as many
// labels.
func (s *Set) Table(rows, labels []byte) string {
	text, classes := `"`+strings.Join(s.Columns, `","`)+`",`+Label+"\n", strings.Fields(string(labels))
	for i, row := range strings.Fields(string(rows)) {
		class, _ := strconv.Atoi(classes[i])
		text += row + "," + s.Classes[class] + "\n"
	}
	return text
}

const licence = ", as shipped with scikit-learn (BSD 3-Clause), from the UCI Machine Learning Repository, CC BY 4.0."

// All are the sets, in the order of their buttons.
var All = []Set{
	{
		Name:    "iris",
		Columns: []string{"sepal length", "sepal width", "petal length", "petal width"},
		Classes: []string{"setosa", "versicolor", "virginica"},
		Source:  "Iris: R. A. Fisher (1936), doi 10.24432/C56C76" + licence,
	},
	{
		Name: "wine",
		Columns: []string{"alcohol", "malic acid", "ash", "alcalinity of ash", "magnesium", "phenols", "flavanoids", "nonflavanoid phenols",
			"proanthocyanins", "color intensity", "hue", "OD280/OD315", "proline"},
		Classes: []string{"cultivar 1", "cultivar 2", "cultivar 3"},
		Source:  "Wine: S. Aeberhard and M. Forina (1991), doi 10.24432/C5PC7J" + licence,
	},
	{
		Name:    "digits",
		Columns: pixels(8),
		Classes: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
		Tile:    8,
		Source:  "Optical Recognition of Handwritten Digits (test part): E. Alpaydin and C. Kaynak (1998), doi 10.24432/C50P49" + licence,
	},
	{
		Name:    "breast_cancer",
		Columns: nuclei(),
		Classes: []string{"malignant", "benign"},
		Source:  "Breast Cancer Wisconsin (Diagnostic): W. Wolberg, O. Mangasarian, N. Street and W. Street (1993), doi 10.24432/C5DW2B" + licence,
	},
}

// Find returns the set of that name, nil if there is none.
func Find(name string) *Set {
	at := slices.IndexFunc(All, func(s Set) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	return &All[at]
}

func pixels(side int) (names []string) {
	for i := range side * side {
		names = append(names, "row "+strconv.Itoa(i/side+1)+", column "+strconv.Itoa(i%side+1))
	}
	return names
}

// nuclei are ten measures of the nuclei in a picture: the mean of each, its standard
// error, and the mean of the three largest.
func nuclei() (names []string) {
	for _, of := range []string{"mean ", "error of ", "worst "} {
		for _, what := range []string{"radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points",
			"symmetry", "fractal dimension"} {
			names = append(names, of+what)
		}
	}
	return names
}
