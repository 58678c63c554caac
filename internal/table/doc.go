// Package table reads a table of numbers from CSV text, at once or in blocks of rows. No row and no
// value is left out without a note: a field that is not a finite number is an error with its place.
// The package imports neither fmt nor reflect, so that a WebAssembly file with it stays small.
//
// # How a text is read
//
// With Dialect.Guess a text goes through seven stages. The first four look at the first 256 kB. A stage
// notes each decision that it takes. If a text can be read in two ways, the stage asks by an error. A
// setting of the Dialect answers.
//
//  1. Bytes (sniff.go, package csv). Other formats are named: binary ones, HTML, JSON, ARFF. UTF-16 is
//     read, and so are lines that end in CR. Bytes that are not UTF-8 are Windows-1252.
//  2. Dialect (dialect.go). Lines are split at tab, semicolon, bar, comma or, without tabs, space: at the
//     first by which two thirds of the last lines have equally many fields, most of them numbers. A
//     delimiter by which all lines have equally many goes before others. A table parted by spaces needs
//     numbers in half of its fields, or in two columns if all lines are alike. Lines that begin with # are
//     comments, unless nine of ten do. Rules such as ---- and empty fields after the last column are passed
//     over. The decimal sign is the comma if some number can only be read so, and none only with a point.
//     1.234 beside semicolons is a question.
//  3. Block (block.go). A row has numbers in the columns in which most of the last lines have them, and
//     hardly a word there. The block begins with the first three rows in a row. The lines right above that
//     have as many fields are the header, or one line with a name less. Comments may stand between. Lines
//     above the header are text before the table. An error follows if one of them has as many fields as the
//     rows, or more numbers than words and no blank line below it. If three have more numbers than words,
//     the table begins above them. A number alone in a line below others, such as a year, is text. Keys
//     (Date:), lines that begin with *!%; and all lines above one with * or ! or <tag> are text anyway.
//     Without a header, names come from the last comment that is no rule. Lines below the rows are text if
//     they have no number, another number of fields, and more than eight letters in the first. Below a
//     blank line they are text, too, if they begin with Mean, SD, n, …, or have no number. One number is
//     text there if the line has another number of fields. An error in a text of several titled tables says
//     so.
//  4. Head (head.go). Line 1 is a header if it has no numbers, or begins with the name of an axis. It is
//     one if it alone has all fields in quotes, or has words above columns of numbers as often as numbers.
//     A line of numbers that rise or fall is a header if no other line's numbers do so and one thing more
//     says so: eight or more have regular steps; they count above names of rows; five or more, or numbers
//     at equal steps, lie outside of their columns or leave a column without a name. Otherwise it is a
//     question if it has eight numbers or equal steps, or if numbers of another line rise or fall, too.
//     Eight different numbers in any order are a question above ids that are text, if the corner is blank;
//     three are, if it names ids. If none of this holds, it is a question if it has words above columns of
//     numbers.
//     Up to four lines below belong to the header, such as units and questions. Above columns of numbers
//     they have words and no number; if they have words above text, too, these must be units, three
//     different ones, or make names that come twice all different. They complete such names, and blank
//     ones. Below such names a line with a word in column 1 alone ends the header, as pandas writes. A
//     header with a field less has no name for column 1, or with a blank corner none for the last.
//     Ids (ids.go) are a column whose values all differ. One may be blank beside eight or more. The column
//     is text or dates, or its name is or ends in id, nr or code, or the header has none for it and its
//     numbers are whole. Or, in five rows or more, its numbers count by ones, or they rise evenly beside
//     names that are numbers. In column 1 a fifth of the values, at least three, may be words beside
//     numbers. Elsewhere words with digits may stand beside whole numbers if all have one length (01, 2A).
//     Texts and names go before dates, and dates before counts; of several the first is taken. Other
//     columns that may be ids are left out, with a note. Columns without a name, or named x, y, z, beside
//     names that are numbers are positions, and carried along.
//  5. Way round (turn.go, pairs.go, long.go). A table with its samples in columns is transposed, and a long
//     one is arranged anew, or it is a question: see the next sections.
//  6. Columns (kinds.go, unit.go, faults.go). A column with as many words as numbers or more is text, and
//     an error that names them all, unless Text says what to do. One word beside three numbers with
//     decimals, as nd, is no text. Dates that come again are text. If one column of numbers is left, the
//     error says so, and advises nothing but Long. A unit that nine of ten numbers have is taken out. Left
//     out with a note are empty columns, named columns of five numbers or more that are all 100, and a
//     first column with one number in eight rows or fewer.
//  7. Numbers (package number, entry.go, form.go). Digits with a sign, a decimal sign and an exponent, E or
//     D; in columns that have them, separators of thousands, percent signs, currencies, (5) and 5.0- for
//     -5. An empty field, NA, NaN, null, none, n/a, dashes, ? and errors of spreadsheets are missing.
//     Missing values, words among numbers and columns of text are counted to the end of the text, and told
//     in one error, unless Missing and Text say what to do (faults.go).
//
// # Samples in columns
//
// A table is looked at if it has three columns of samples and eight rows. Columns of samples are all but
// column 1 and annotations (text, ids, m/z, a second axis). The first column of text that is named gene,
// species or the like, and has no value twice, counts as column 1 if only text and counters without a name
// stand before it. Line 1 names samples if four of five names differ in their numbers alone (X1, X2, or 1,
// 2), or are a word of words.txt and a number (S1, ctrl2). Columns are smooth if three of four change from
// row to row by less than .6 of their standard deviation. Time, Date and Year are no axis, and numbers that
// count are one only by its name or unit.
//
// The table is transposed in these cases.
//   - Column 1 is an axis by its name, its unit or the text above (nm, cm-1, m/z, Wavelength), and line 1
//     names samples, or there is no line 1 and the columns are smooth.
//   - Column 1 has genes, by its name (gene, protein, OTU), types of mutations or the main oxides, and line
//     1 names samples.
//   - A line below the names begins with Group or Class, also with fewer rows.
//   - The file is GCT, or each sample stands beside the same axis, as the Cary writes.
//
// It is a question in these cases.
//   - Columns are smooth along such an axis, though line 1 does not name samples.
//   - Eight columns or more are smooth along regular steps that have no name of an axis, and line 1 has
//     words of words.txt with numbers or is missing.
//   - Five columns or more stand beside genes, or are named as samples beside features (Compound, Species,
//     OTU_3, gene12, Abra alba, Fe), or by words of words.txt (S1, ctrl2, but not X1) beside a column 1
//     without a name.
//   - There are features and no line 1.
//   - Any column is named m/z.
//   - Any column has lineages, also in fewer rows.
//   - A line below the names has words above text and numbers that all come again, also with fewer rows.
//
// Else there are warnings. With 17 rows or more column 1 is an axis by its name, or has regular steps
// beside one column and no header. Of two columns, the first alone rises in 100 rows, and has decimals.
// Texts are features (OTU_3, gene12, Fe) beside one or two columns.
//
// # Long tables
//
// They have a sample, a value of an axis and a value in each line. They are arranged anew if a name tells
// the axis (wavelength, gene, taxon, parameter), and half of the cells have a value. If fewer have, and the
// values are counts, they are a question. If no name tells, they are a question: the axis is then the last
// of two columns of text, or years beside one, and no sample may have a value of it twice. So are two
// columns of values. Three are a long table only as a full grid. Codes, units, flags, a counter and columns
// that tell of a sample alone are left out with a note, and counts from 1 are 0 where a line lacks. Numbers
// named as samples, places or dates tell of the sample.
//
// # Warnings
//
// If rows come of a text, there are warnings (kinds.go, total.go, alike.go) of these kinds.
//   - The first or last row is the sum or the mean of the others. Rows are named Total, Mean, LOD, …,
//     with rows named SD, n, … beside them.
//   - Numbers such as -200, -0.99 and -9999 are far from all others of their column, and come twice or
//     more, or are the only one below 0. So are -1 and -9 if they come twice. A number such as 1e30 comes
//     once.
//   - All columns of data have about the same number in each row, while rows differ in size, as genes by
//     samples do. Ids or names that are samples, dates or a series prevent this warning. Five columns stand
//     beside ids named gene, protein, … or such as ENSG0123, or beside species if a third of the numbers
//     is 0.
//   - Columns are uncertainties (Zr Error or 2s_Zr behind Zr, Fe_err, sd), or named as sums or n. They are
//     years (1800 to 2100), times such as 1430, or parts of dates. Beside three columns or more they are
//     named Depth, Time, Age_ka or as coordinates (lat, and long beside it; x beside y; Xsugg beside
//     Ysugg). Names come twice. Columns are named m/z, have the numbers of a column before (five different
//     ones or more), limits (<4) alone, or the sums or means of columns beside them. They have other names
//     than four times as many columns, at least eight, named by numbers.
//   - Columns are codes: whole numbers in columns such as Plot or Plate ID, few in columns such as class,
//     numbers such as 007, in column 1 numbers of six digits or more that all differ, and numbers that
//     stand one for one for the words of another column. So are whole numbers in quotes beside others
//     without. Beside decimals few different small whole numbers may be codes, ratings or answers under any
//     name (package kinds). In a table of whole numbers the first and the last column may.
//   - One row alone has no id. Ten texts or more have a line for each of two texts or more of another
//     column. Three texts do, beside at most three columns of numbers. One column of numbers is left beside
//     two columns in which values come again, or which have a warning.
//   - Whole numbers only rise, except one of 16 if all differ, or count again. Other numbers rise at
//     regular steps, or alone rise in column 1. Equal numbers stay together, or come in turn. Numbers are
//     the same within each such group.
//   - Rows with one value of a column of text have numbers 100 times as large as rows with another, in each
//     column. Rows of a transposed table have numbers 1000 times as large as others. Rows A, B, C, … and
//     columns 1, 2, 3, … are a plate.
//
// # Advice
//
// An error may advise settings (errors.go). They are tried on the start of the text, and told only if
// rows come of it, at once or by the advice of the next error. The words of fields are one table, in
// words.txt.
package table
