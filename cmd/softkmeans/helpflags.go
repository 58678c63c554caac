package main

// This file holds the help of every flag. Texts are wrapped when they are printed.

// flagHelp describes a flag of some commands. The texts of all entries for a flag of a command are joined.
type flagHelp struct {
	name, value string // "-name VALUE"; an entry that only adds to another has no value
	of          string // the commands; "": all that have the flag
	seldom      bool   // only "help COMMAND -all" lists the flag
	text        string // behind "//" what only "help COMMAND -all" tells
}

// flagGroup is a part of the help with a title.
type flagGroup struct {
	title string
	files bool // "help files" tells more about the flags than the commands do
	flags []flagHelp
}

const (
	often  = false
	seldom = true
)

// flagGroups are the flags of all commands, in the order of the help.
var flagGroups = []flagGroup{
	{"Prototypes", false, []flagHelp{
		{"model", "FILE", "predict", often, `Take the prototypes of a model that fit -model wrote. This flag
			or -centers is required.`},
		{"centers", "FILE", "predict", often, `Take known prototypes instead of a model: a table with a
			prototype in each row, or a spectral library. // FILE is CSV, .npy, an ENVI library (.sli) or a
			model, with names in a text column. Columns are joined by name, or by place if a file has no
			names, and columns of one file alone are left out. Prototypes or rows may be columns if nothing
			else fits. -o gets two more columns: residual is the distance of the row to its mixture, and
			outside is 1 if noise does not explain it.`},
		{"centers", "FILE", "certify", often, `The prototypes, one in each row, in the columns and units of
			the table. This flag or -model is required. // If the file has a header with all names, the order
			of columns does not matter. Models, and prototypes that were saved from a page, are accepted as
			well.`},
		{"model", "FILE", "certify", often, `A model that fit -model wrote, instead of -centers. Rows are
			scaled as the fitted rows were.`},
		{"memberships", "FILE", "certify", often, `The memberships, one line for each row. Without this flag
			the best memberships in the prototypes are computed. // The columns p0, p1, … are taken, or else
			all columns except label. A single column contains labels from 0 or from 1. Rows that -missing
			drop leaves out may be empty rows.`},
		{"tol", "T", "", often, `"Optimal" means that the squared error exceeds the minimum by at most T times
			the total variance (default 1e-9).`},
		{"k", "N", "fit", often, `The number of prototypes, required. auto takes the number that softkmeans
			floors proposes. // The report says whether it is certain. With -missing fit the complete rows
			decide, if there are at least 48. Otherwise means of columns replace the missing values for this
			choice.`},
		{"k", "N", "report", often, `The number of prototypes, at most 64. auto (default) takes the number
			that softkmeans floors proposes.`},
		{"k", "N", "unmix", often, `The number of materials, required without -centers. auto counts the
			directions of the pixels that exceed the noise. // Directions shorter than 1 % of the pixels'
			length are not counted.`},
		{"centers", "FILE", "unmix", often, `Take known spectra, and find only their shares. FILE is a table,
			an ENVI spectral library (.sli) or a model. // Bands are joined by wavelength or name, as by
			predict -centers.`},
		{"class", "COL", "predict unmix", often, `Add up the shares of the prototypes of one class. COL is a
			column of the file of -centers. // Without this flag prototypes of the same name are a class.`},
		{"most", "K", "", often, `The largest k in the report (default 20). The proposed k is always printed.
			// -o and -json contain all k up to the first with floor 0, except for large sparse files.`},
		{"method", "M", "fit", often, `minvol (default) finds prototypes near the data. global finds the
			minimum of the squared error and proves it. // The prototypes of minvol span a minimal volume for
			(1 + slack) times the floor. The prototypes of global enclose the data and are not typical rows,
			and its memberships are spread out. alternating is a local search from k-means. tilsd is global,
			for similarities of rows (-kernel), and lsd is a local search for similarities that are 0 between
			clusters. 8000 rows take them ten seconds.`},
		{"method", "M", "floors report", seldom, `The method for similarities of rows: tilsd (default) or
			lsd.`},
		{"kernel", "K", "", seldom, `Use similarities of rows: rbf (default), linear, matrix, distances or
			graph. The method is then tilsd, or lsd if -method says so. // rbf is exp(−γ·squared distance) of
			two rows, and linear is their inner product. With matrix, FILE is the square matrix of all
			similarities. With distances, FILE is the square matrix of all distances d, and similarities are
			exp(−γd²). With graph, FILE is the square matrix of a graph's weights, which are divided by the
			roots of both rows' sums.`},
		{"kernel", "", "floors", seldom, `// The floors are then floors of the similarities' squared error,
			for all k up to -most. The proposed k is the number for which halves of the rows agree most beyond
			chance.`},
		{"kernel", "", "report", seldom, `// The page then shows the fit of -method, and the similarities as a
			picture. -seed is for lsd.`},
		{"gamma", "G", "", seldom, `γ of the kernels rbf and distances. 0 (default) takes it from the median
			distance.`},
		{"known", "FILE", "", often, `Keep the prototypes of FILE, and fit the others. // -k counts all
			prototypes. Columns are joined as by predict -centers, and are not scaled unless -scale is given.
			Known prototypes come first in all outputs, with their names. With -rows unit they have the mean
			sum of a row.`},
		{"from", "FILE", "", often, `Start from a model that fit -model wrote, such as last month's. // Its k,
			columns, scaling, bounds and rule for labels are used, too. Columns are found by name.`},
		{"slack", "S", "", seldom, `The permitted squared error above the floor, as a fraction of the
			floor.`},
		{"slack", "", "fit report", seldom, `// The report prints the default, at most 0.25: a quarter of the
			amount that white noise adds to the error of the true prototypes. If there are more prototypes
			than columns, it is a fraction of a tenth of the variance.`},
		{"slack", "", "unmix", seldom, `// Without -slack and -lambda the noise sets λ, the weight of the
			volume.`},
		{"lambda", "L", "", seldom, `The weight of the volume in the loss, instead of -slack. Its unit is the
			square of the fitted data's unit.`},
		{"bounds", "L,H", "fit report", often, `Keep prototypes from L to H, in the table's units. 0,1 suits
			parts of a whole. // 0, or nonnegative is at least 0, and ,1 is at most 1. The table is kept in
			memory. The default is 0 for tables in memory without missing values that are not standardized, if
			no entry is below -.02 times the largest. none removes it.`},
		{"bounds", "L,H", "unmix", seldom, `Keep the spectra from L to H, in their units, such as 0,1 for
			reflectances. // L is at least 0, and either may be empty. Pixels are then fitted as given, unless
			L is 0 and H is empty.`},
		{"sum", "S", "", seldom, `one (default): the memberships of a row add up to 1. at-most-one: they add
			up to at most 1.`},
		{"sum", "", "fit", seldom, `// The difference to 1 is the membership of a prototype at 0, such as a
			shadow. Nothing is centred then, and global keeps the table in memory.`},
		{"sum", "", "unmix", seldom, `// The difference to 1 is shadow. Pixels of length 1 have memberships
			that add up to 1, and -shade contains their brightness.`},
		{"sum", "", "certify", seldom, `// The floor is the minimum under the same rule. A model contains its
			own rule.`},
		{"labelby", "L", "fit", seldom, `The label is the cluster, or the largest membership. auto (default)
			takes largest for mixtures, such as counts or spectra.`},
		{"trim", "SHARE", "", often, `Leave out up to this fraction of the pixels as outliers (default 0). The
			report lists them. // Outliers are pixels far from all others. They get abundances all the
			same.`},
		{"seed", "N", "fit report unmix", seldom, `The seed of random choices (default 0).`},
		{"others", "O", "", seldom, `yes (default): warn if refits of random halves label more than 5 % of all
			rows differently. no: skip this. // The refits use half and twice the slack, and -seed chooses
			other halves. They take a half to three quarters of the time. Tables that are read in blocks are
			not checked.`},
		{"bootstrap", "N", "", seldom, `Refit N resampled tables, and print how far prototypes, memberships
			and labels differ. // Rows are sampled with replacement. 200 is a good number. Refits start from
			the result. The table is kept in memory.`},
		{"plain", "", "", seldom, `Iterate without momentum, as the paper does. It may take four times as many
			steps.`},
		{"enclosure", "E", "", seldom, `ball (default): the prototypes enclose a ball around the data. tight:
			they enclose the data more closely. // smallest encloses the data as closely as was found, and
			needs global, without -stream. The squared error is the same.`},
		{"solver", "S", "", seldom, `auto (default) chooses. gram is fast, jacobi keeps small singular values,
			and krylov is for large tables.`},
	}},
	{"Image", false, []flagHelp{
		{"k", "N", "simulate", often, `The number of materials (default 4).`},
		{"size", "LxC", "simulate", often, `The image has L lines and C columns of pixels (default 60x60).`},
		{"purity", "P", "", often, `pure: each material has pixels of its own. few (default): half of the
			materials have one, and the others reach shares of .85 to .95. none: no share exceeds .8.`},
		{"snr", "DB", "", often, `The energy of the signal relative to the noise, in decibels (default 30).`},
		{"seed", "N", "simulate", often, `Each seed gives another image (default 0). -snr changes only the
			noise.`},
		{"size", "LxC", "unmix", often, `The rows of a table are the pixels of an image with L lines and C
			columns.`},
		{"order", "O", "", seldom, `rows (default): the pixels of a table come line by line. columns: they
			come column by column, as in MATLAB.`},
		{"rows", "R", "unmix", often, `unit scales pixels to length 1, for images with light and shadow. auto
			(default) does so if brightness varies. // given takes pixels as they are. With -centers, auto is
			unit if this clearly reduces the squared error.`},
	}},
	{"Rows and columns", false, []flagHelp{
		{"scale", "S", "fit floors certify report", often, `auto (default), none, zscore, minmax, counts or
			words. The report says what auto chose. // auto takes counts for counts, and zscore if units
			differ, or spreads by a factor of 100. It takes none for columns of one unit, and for rows that
			add up to 1, 100 or 1e6. zscore, or standard, scales columns to mean 0 and variance 1, and minmax
			to the range from 0 to 1. counts divides rows by their sums, which become weights, and columns by
			the roots of their means. words is for counts of words: n becomes log(1+n), times
			log((1+rows)/(1+rows with it)) + 1, and rows get length 1. Squared errors are in scaled units;
			prototypes are in the table's units.`},
		{"scale", "S", "predict", seldom, `With -centers: auto (default), zscore or none. // auto divides
			columns of counts by the roots of their means. It divides other columns by the standard deviations
			of the prototypes, or by the spread of prototypes of one class, if given. zscore divides by the
			standard deviations of the rows.`},
		{"rows", "R", "fit floors certify report", seldom, `unit divides rows by their sums, if each is a
			mixture times a brightness. given does not. auto (default) decides. // Rows then count by their
			sums. A membership is a part of the sum of its row, and prototypes have the mean sum. -o gets a
			column size with the sums. fit -method minvol, report and floors look for brightness in tables in
			memory that are complete and not standardized. certify takes rows as given.`},
		{"rows", "R", "predict", seldom, `With -centers: unit is for rows that are a mixture times a length,
			such as counts. given is for mixtures. // auto (default) is unit if this clearly reduces the
			squared error. The lengths are in a column length.`},
		{"missing", "M", "", often, `error (default) lists missing values. drop leaves their rows out, and
			mean inserts the means of columns. // NA and empty fields are missing values. Dropped rows are
			empty in outputs. The value fit is for softkmeans fit alone.`},
		{"missing", "", "fit", often, `fit uses all values that are present. // fit leaves missing values out
			of the squared error. It is for minvol, and proves only that the memberships are the best.`},
		{"label", "COL", "", often, `Leave out a column of classes, by name or by number from 1. // Digits are
			always a number.`},
		{"classes", "FILE", "", often, `Known classes of the rows, one in each line, for colors and
			comparison. // The flag is for tables without a -label column. If the file has several columns,
			the column label is taken.`},
		{"truth", "COL", "", often, `The column of TRUTH, by name or number from 1. The default is the only
			column, or the column label.`},
		{"labels", "COL", "evaluate", often, `The column of LABELS, in the same way. Digits are always a
			number.`},
		{"materials", "", "", often, `Compare spectra or shares of materials with the truth, as of unmix and
			simulate. Both files contain a column or band for each material. They are CSV, .npy or ENVI files,
			or spectral libraries (.sli) with a line for each material. Columns of wavelengths are left out.
			Materials may be rows if the numbers of rows and columns tell. Materials are matched one to one,
			and the report lists angles and root mean squares.`},
	}},
	{"Output", false, []flagHelp{
		{"o", "FILE", "fit", often, `Write labels and memberships as CSV: label,p0,p1,… With - they go to
			standard output, and the report to standard error. // The id and the columns of -keep come first.
			cluster is the cluster with the nearest mean, by a distance that counts directions less if
			clusters are wide in them, and probability is its probability. largest is the number of the
			largest membership. global has no clusters, and tilsd no probability. -labelby sets the rule for
			labels.`},
		{"o", "FILE", "predict", often, `Write labels and memberships as CSV, as fit -o does. Default: - is
			standard output. // Notes on FILE are then on standard error. With a file name, a summary is
			printed as well. Labels follow the rule of the fit.`},
		{"o", "FILE", "floors", often, `Write all k as CSV: k,floor,explained,step,stick. With - they go to
			standard output, and the report to standard error.`},
		{"o", "FILE", "report", often, `Write the page to this file, required. With - it goes to standard
			output.`},
		{"o", "FILE", "unmix", often, `Write the abundances. NAME.img is an ENVI image with a band for each
			material. NAME.npy is an array. // NAME.csv is for tables, with a row for each row. NAME.img is
			float32, with the header NAME.hdr. NAME.npy is lines×columns×materials. NAME_low and NAME_high are
			the ranges of shares that are not unique.`},
		{"memberships", "FILE", "report", often, `Write labels and memberships as fit -o does. They belong to
			the minvol fit, or with -kernel to the page's fit. // With - they go to standard output.`},
		{"details", "", "fit", often, `Add residual, distance and entropy to the file of -o. // residual is
			the distance of the row to its mixture, and distance the distance to the mean of its cluster (with
			global, to the prototype of its label). entropy is from 0 (pure) to 1 (all equal). minvol and
			alternating add probability_p0, … of all clusters. Distances are in scaled units.`},
		{"details", "", "predict", often, `Add columns as fit -details does. With -centers entropy is
			added.`},
		{"means", "FILE", "", often, `Write the means and sizes of the clusters as CSV. // The columns are the
			cluster, its number of rows, its fraction of the weight, and its mean in the table's units.`},
		{"centers", "FILE", "fit", often, `Write the prototypes as CSV, in the table's units.`},
		{"spectra", "FILE", "", often, `Write the spectra. NAME.csv has a row for each band, and NAME.sli is
			an ENVI spectral library. // With - the CSV goes to standard output. Its first column contains
			wavelengths or numbers of bands. NAME.hdr is the header of NAME.sli.`},
		{"shade", "FILE", "", seldom, `Write the brightness of every pixel, as -o does. A pixel is its
			brightness times a mixture. // It is 1 if pixels are fitted as given.`},
		{"report", "FILE", "", often, `Write an HTML page with maps of the materials, spectra, and the error
			of every pixel. // The page also shows a false-color view and the proofs. It shows up to 64
			materials.`},
		{"model", "FILE", "fit unmix", often, `Write the model, for softkmeans predict and certify.`},
		{"image", "RxC", "", often, `Show prototypes as images of R rows and C columns of pixels: 8x8. //
			Large values are dark if most pixels are near the least value, otherwise light. 8x8,invert changes
			this, and 8x8,transpose is for pixels stored column by column.`},
		{"json", "", "", often, `Print the report as JSON, with all digits.`},
		{"v", "", "", often, `Print more: digits, iterations, other answers, criteria for k.`},
	}},
	{"Running", false, []flagHelp{
		{"stream", "Y", "", seldom, `yes reads FILE in blocks, for tables larger than memory. no keeps it in
			memory. auto (default) decides by the size.`},
		{"stream", "", "fit floors report", seldom, `// auto is yes above 64 MB. It is no for pipes and
			standard input, with -weights and with -missing mean.`},
		{"stream", "", "fit", seldom, `// yes is for global and minvol, and takes four passes or more. minvol
			fits a sample of about 16000 rows, then corrects and measures the result on all rows.`},
		{"stream", "", "floors", seldom, `// yes takes two passes, one with -scale none, and up to 4096
			columns. Floors below 1e-12 of the first are rounding errors.`},
		{"stream", "", "report", seldom, `// With yes, errors and counts are of all rows, and pictures show
			2000 of them. There is no alternating fit. It takes up to 4096 columns.`},
		{"stream", "", "unmix", seldom, `// yes is for ENVI and .npy files, and auto takes it above 64 MB. It
			takes five to nine passes: a sample of about 16000 pixels is fitted, then corrected and measured
			on all. -rows unit and -trim are not available, and spectra may be slightly below 0.`},
		{"workers", "N", "", seldom, `The number of threads. 0 (default) is one for each core.`},
		{"quiet", "", "", seldom, `Show no progress on the terminal.`},
	}},
	{"Reading FILE", true, []flagHelp{
		{"weights", "COL", "", seldom, `COL contains the weights of the rows, at least 0. A row of weight 2
			counts as two rows. // Similarities of rows take no weights.`},
		{"id", "COL", "", often, `COL contains the ids of the rows, for outputs. // Ids may be any text.
			Without this flag a column of unique names or of row numbers is found. none: there is no such
			column.`},
		{"drop", "COLS", "", often, `Leave out these columns: -drop notes,5,7-9`},
		{"keep", "COLS", "", seldom, `Copy these columns to -o, after the id. // Text is then left out of the
			data. Numbers remain data unless -drop names them, too.`},
		{"names", "NAMES", "", seldom, `The names of all columns, instead of a header: -names id,x,y`},
		{"encode", "E", "", seldom, `onehot turns a column of text into columns of 0 and 1. drop leaves it
			out. none (default) is an error. // onehot makes a column for each value. The error lists all
			columns of text.`},
		{"skip", "ROWS", "", seldom, `Leave out rows by their places from 1, such as -skip 1,40-,last. // The
			last row may contain totals.`},
		{"na", "WORDS", "", seldom, `These words and numbers are missing values as well: -na n.d.,-999`},
		{"below", "B", "", seldom, `Entries such as <4.0 are below a limit of detection. half takes half of
			the limit, here 2. // missing takes them as missing values. error (default) stops.`},
		{"decimal", "D", "", seldom, `The decimal sign: point, comma, or auto (default). // . and , are
			accepted as well. Outputs contain points, with commas between fields.`},
		{"guess", "G", "", seldom, `yes (default) recognizes decimal signs, ids, headers of numbers, units,
			and signs such as %. no takes the table as it is. // The report says what was found.`},
		{"transpose", "T", "", often, `yes: samples are in columns. no: they are in rows. auto (default)
			transposes if this is certain, and otherwise asks. // Names or an axis in column 1 make it
			certain. Other flags are about the transposed table.`},
		{"long", "L", "", seldom, `yes: each line contains a sample, a wavelength or feature, and a value. no:
			lines are rows. auto (default) recognizes such tables. // Each sample becomes a row. If it is not
			certain, auto asks.`},
		{"header", "H", "", seldom, `yes: line 1 is a header. no: it is not. auto (default) decides. // auto
			takes line 1 as a header if no field is a number, or if its numbers are unlike the numbers below.
			Units may be in line 2.`},
		{"delimiter", "D", "", seldom, `The character between fields, or tab, or space. auto (default) finds
			it. // It is tab, semicolon, comma, bar or space, whichever splits the first lines alike.`},
	}},
}

// instead are the words for flags that a command does not have, if more helps than the names of those that have it.
var instead = map[string]string{
	"evaluate -transpose": "evaluate -materials finds materials in rows",
	"predict -missing":    "predict leaves missing values out of the distance of their row",
	"unmix -missing":      "unmix leaves out pixels with missing values",
	"predict -label":      "-drop leaves a column out",
	"unmix -label":        "-drop leaves a column out",
	"floors -k":           "floors prints every k up to -most",
	"unmix -means":        "-spectra writes the spectra",
	"unmix -known":        "-centers takes known spectra",
	"predict -known":      "-centers takes known prototypes",
	"report -json":        "softkmeans fit -json prints the numbers",
	"report -v":           "softkmeans fit -v prints all digits",
}
