package main

// This file holds the help of every command, before and after its flags.

// helpTexts are the words before and after the flags in the help of a command, and about its exit code.
type helpTexts struct{ usage, after, exit string }

const exitHelp = "Exit code: 0 success, 1 bad data or a file error, 2 a bad command line.\n"

var fitHelp = helpTexts{`Usage: softkmeans fit -k N [flags] [FILE]

Find N prototypes, and the memberships of every row: N numbers of at least 0
that add up to 1. A row is approximated by the mixture of the prototypes with
these weights. The report compares the squared error with its minimum.

  FILE contains                      Add to softkmeans fit -k 3 FILE
  samples in columns                 -transpose yes
  ids and classes                    -id name -label species
  missing values                     -missing fit
  counts of words                    -scale words
  distances of rows                  -kernel distances
  mixtures with some known sources   -known sources.csv
  the same columns as last month     -from lastmonth.json (without -k)
  more than fits in memory           -stream yes
`, `Example: softkmeans fit -k 3 -o memberships.csv testdata/iris.csv

`, ""}

var predictHelp = helpTexts{`Usage: softkmeans predict -model FILE [flags] [FILE]
       softkmeans predict -centers FILE [flags] [FILE]

Compute the memberships of new rows in the prototypes of a model, or in known
prototypes such as sources, signatures or spectra. A row's memberships give the
mixture with the least squared distance to the row.

Rows are scaled as the fitted rows were. Columns are found by name if both files
have a header, and additional columns are ignored. Without names, FILE must
contain the columns of the model in the same order. Missing values of a row are
left out of its distance. A warning names rows that are farther from their
mixture than any fitted row, and columns that seem to have another unit.
`, `Models of lsd and tilsd compare new rows with the fitted rows, and need all
values. With -kernel matrix, a new row contains its similarities to them.

The shares of a row in known prototypes may not be unique. The columns NAME_low
and NAME_high then contain the least and the largest share. Columns Mean_a and
SD_a, or a and a_sd, are means and standard deviations of a source. Ranges are
then from 5 % to 95 % of 200 random samples of the sources, and a row is
outside if it is outside in more than 95 % of them.

Examples: softkmeans fit -k 3 -model iris.json testdata/iris.csv
          softkmeans predict -model iris.json -o memberships.csv new.csv
          softkmeans predict -centers sources.csv -o shares.csv consumers.csv

`, ""}

var floorsHelp = helpTexts{`Usage: softkmeans floors [flags] [FILE]

Print the floor for every number k of prototypes, and propose a k. The floor is
the proved minimum of the squared error. For k = 1 it is the total variance.

The columns: "explained" is the largest fraction of the total variance that k
prototypes can explain. "step" is the part that the last prototype adds, and
"stick" is the expected step if the variance were split at random.

The proposed k is marked *. It rests on the noise, on cross-validation, on the
agreement of random halves, and on clusters that are separate. They use at most
1000 rows, and the report says whether k is certain. For fewer than 16 rows it
counts directions, not clusters.
`, `Examples: softkmeans floors testdata/iris.csv
          softkmeans floors -most 5 -o floors.csv testdata/wine.csv
          softkmeans floors -kernel distances distances.csv

`, ""}

var certifyHelp = helpTexts{`Usage: softkmeans certify -centers FILE [flags] [FILE]
       softkmeans certify -model FILE [flags] [FILE]

Check whether prototypes and memberships of any program are optimal. Their
squared error is compared with the floor, the proved minimum for this number of
prototypes. The proof uses only the rows, prototypes and memberships, and
includes all rounding errors.

Memberships are repaired first: negative ones become 0, and each row is divided
by its sum. With -sum at-most-one only sums above 1 are. The report says how
much the repair changes.
`, `-header, -delimiter and -transpose are about FILE, not about the files of other
flags.

Example: softkmeans certify -centers c.csv -memberships g.csv testdata/iris.csv

`, `Exit code: 0 proved optimal, 1 not proved, or bad data or a file error, 2 a bad
command line. The verdict goes to standard output, an error to standard error.
`}

var evaluateHelp = helpTexts{`Usage: softkmeans evaluate [flags] TRUTH LABELS
       softkmeans evaluate -materials [flags] TRUTH FOUND

Compare labels with known classes. TRUTH contains the class of every row, and
LABELS its label, with the rows in the same order. Both are numbers or words in
CSV or .npy files, which may be the same file. One may be -, standard input.
Clusters are matched to classes, so their names do not matter. Rows with an
empty class or label are not compared.
`, `The report contains the accuracy (ACC), which is the fraction of rows whose
class is matched with their cluster. NMI is the mutual information, divided by
the geometric mean of the entropies. Purity is the fraction of rows in the most
frequent class of their cluster. The adjusted Rand index compares pairs of rows.
A table counts the rows of each class and cluster.

Examples: softkmeans evaluate testdata/iris.labels.csv memberships.csv
          softkmeans evaluate -truth species flowers.csv memberships.csv
          softkmeans evaluate -materials rocks_endmembers.csv spectra.csv

`, ""}

var compareHelp = helpTexts{`Usage: softkmeans compare [flags] A B

Compare two models that fit -model wrote, such as last month's and today's. The
report matches the prototypes of A with prototypes of B, and prints how far each
moved, in total and by column. Columns are found by name if both have names.

The sum of squared distances of the matches is minimal. Distances are in the
scaled units of A. "moved" is also printed as a fraction of the root mean square
distance between prototypes of A.
`, `Examples: softkmeans fit -from a.json -model b.json today.csv
          softkmeans compare a.json b.json

`, ""}

var unmixHelp = helpTexts{`Usage: softkmeans unmix -k N [flags] [FILE]
       softkmeans unmix -centers FILE [flags] [FILE]

Find N materials in an image with many bands, and their abundances: the shares
of the materials in every pixel, which are at least 0. The spectra of the
materials are prototypes as of fit -method minvol, and at least 0.

  FILE is     its name, and what follows
  ENVI image  NAME.hdr or the file of values beside it. Bad bands (bbl) are left
              out, and values are divided by the reflectance scale factor
  .npy        lines×columns×bands, or pixels×bands with -size
  CSV         a pixel in each row, with -size. Names of columns that are numbers
              are wavelengths

Pixels with a value that is NaN, infinite, the data ignore value or -1.23e34 (a
deleted channel) are left out. Their abundances are NaN.
`, `Examples: softkmeans unmix -k 4 -o shares.img -report page.html scene.hdr
          softkmeans unmix -k auto -size 50x50 -spectra s.csv pixels.npy

`, ""}

var simulateHelp = helpTexts{`Usage: softkmeans simulate [flags] NAME

Write an image with known materials, to try softkmeans unmix. It has 120 bands
from 400 to 2500 nm. The spectra are smooth with absorption bands, and materials
vary and mix smoothly. The image also contains light and shadow, a little light
reflected twice, noise, and one outlier per thousand pixels. The noise differs
by a factor of ten between bands, and grows with the brightness.

  NAME.img             the image, an ENVI file with the header NAME.hdr
  NAME_endmembers.csv  the spectra of the materials: a row for each band, with
                       its wavelength, and a column for each material
  NAME_abundances.img  the share of each material in every pixel, an ENVI file
`, `Example: softkmeans simulate -k 4 rocks
         softkmeans unmix -k 4 -o shares.img -spectra spectra.csv rocks.hdr
         softkmeans evaluate -materials rocks_endmembers.csv spectra.csv
         softkmeans evaluate -materials rocks_abundances.img shares.img

`, ""}

var reportHelp = helpTexts{`Usage: softkmeans report -o FILE [flags] [FILE]

Write an HTML page about a table. It contains the certificate, the fits of the
methods global, alternating and minvol, and pictures of rows, memberships and
prototypes. With -kernel it is about similarities of rows. The page needs no
script, no network and no other file.
`, `Examples: softkmeans report -k 3 -o iris.html testdata/iris.csv
          softkmeans report -k 10 -image 8x8 -o digits.html testdata/digits.csv
          softkmeans report -kernel distances -o page.html distances.csv

`, ""}

var versionHelp = helpTexts{`Usage: softkmeans version

Print the version of this program and of Go, and whether it uses SIMD
instructions on this processor.
`, "", ""}
