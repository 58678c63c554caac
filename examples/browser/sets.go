package main

// The data sets that come with the page.

// set is a data set that comes with the page.
type set struct {
	name, title string
	columns     []string // the table has no header
	classes     []string // names of the labels 0, 1, …
	k           int      // the number of classes
	why         string   // why it is standardized, or why not
	tile        int      // the width of the picture that a row is; 0: rows are no pictures
	source      string   // the authors, whom the licence requires to name
}

const licence = ", as shipped with scikit-learn (BSD 3-Clause), from the UCI Machine Learning Repository, CC BY 4.0."

var sets = []set{
	{
		name: "iris", title: "Iris",
		columns: []string{"sepal length", "sepal width", "petal length", "petal width"},
		classes: []string{"setosa", "versicolor", "virginica"},
		k:       3,
		why: "Not for iris: all four columns are lengths in cm. Their scales can be compared, and the long ones, which tell the " +
			"species apart, should count for more.",
		source: "Iris: R. A. Fisher (1936), doi 10.24432/C56C76" + licence,
	},
	{
		name: "wine", title: "Wine",
		columns: []string{"alcohol", "malic acid", "ash", "alcalinity of ash", "magnesium", "phenols", "flavanoids", "nonflavanoid phenols",
			"proanthocyanins", "color intensity", "hue", "OD280/OD315", "proline"},
		classes: []string{"cultivar 1", "cultivar 2", "cultivar 3"},
		k:       3,
		why: "For wine: its columns have different units. Without it the result depends almost only on proline, which reaches 1680 while hue stays " +
			"below 2: labels then agree with the cultivars to 68 % instead of 97 %.",
		source: "Wine: S. Aeberhard and M. Forina (1991), doi 10.24432/C5PC7J" + licence,
	},
	{
		name: "digits", title: "Digits",
		columns: pixels(8),
		classes: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
		k:       10, tile: 8,
		why: "Not for digits: all columns are pixels on one scale, and standardizing would enlarge the pixels at the edge, which are nearly always " +
			"blank. Labels then agree with the digits to 74 % instead of 85 %.",
		source: "Optical Recognition of Handwritten Digits (test part): E. Alpaydin and C. Kaynak (1998), doi 10.24432/C50P49" + licence,
	},
	{
		name: "breast_cancer", title: "Breast cancer",
		columns: nuclei(),
		classes: []string{"malignant", "benign"},
		k:       2,
		why:     "For breast cancer: areas reach the thousands, and smoothness stays below 1. Without it the result depends almost only on the areas.",
		source:  "Breast Cancer Wisconsin (Diagnostic): W. Wolberg, O. Mangasarian, N. Street and W. Street (1993), doi 10.24432/C5DW2B" + licence,
	},
}

// whyAny is the advice for other tables.
const whyAny = "Yes if the columns have different units; no if they share one, as pixels, spectra and lengths do. Auto is yes " +
	"if units in the header differ, or if fewer than 64 columns differ in spread by more than 100 times."

// findSet returns the set of that name, nil if there is none.
func findSet(name string) *set {
	for i := range sets {
		if sets[i].name == name {
			return &sets[i]
		}
	}
	return nil
}

func pixels(side int) (names []string) {
	for i := range side * side {
		names = append(names, "row "+itoa(i/side+1)+", column "+itoa(i%side+1))
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
