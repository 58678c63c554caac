// Package table reads a table of numbers from CSV text, at once or in blocks of rows. No row and no
// value is left out without a note: a field that is not a finite number is an error with its place.
// The package imports neither fmt nor reflect, so that a WebAssembly file with it stays small.
//
// # How a text is read
//
// With Dialect.Guess a text goes through seven stages. The first four look at the first 256 kB. A stage notes
// what it takes for granted, and asks, by an error, about what it leaves open. A setting of the Dialect
// answers.
//
//  1. Bytes (sniff.go, package csv). Other formats are named: binary ones, HTML, JSON, ARFF. UTF-16 is read,
//     and so are lines that end in CR. Bytes that are not UTF-8 are Windows-1252.
//  2. Dialect (dialect.go). Lines are split at tab, semicolon, bar, comma or, without tabs, space: at the
//     first by which two thirds of the last lines have equally many fields, most of them numbers. Lines that
//     begin with # are comments, unless nine of ten do. Rules such as ---- and an empty field after the last
//     column are passed over. The decimal sign is the comma if some number can only be read so, and none
//     only with a point. 1.234 beside semicolons is a question.
//  3. Block (block.go). Rows have numbers where most of the last lines have them; the first three in a row
//     begin the block. The header is the lines right above with as many fields, or one with a name less. All
//     above is text, unless a line there has as many fields, or more numbers than words without a blank line
//     below, or three have. Keys (Date:), lines that begin with *!%; and all above one with * or ! or <tag>
//     are text. Without a header, names come from the last comment. Lines below are text if they have no
//     number and another number of fields; below a blank line also if they begin with Mean, SD, n, …, or
//     have no number, or one and another number of fields. An error in a text of several titled tables says
//     so.
//  4. Head (head.go). Line 1 is a header if it has no numbers, is alone in quotes, begins with the name of
//     an axis, or has words above columns of numbers as often as numbers. Numbers are a header if they rise
//     or fall on line 1 alone and one thing more says so: eight or more have regular steps; they count above
//     names of rows; they lie outside of their columns; a column has no name. Otherwise eight such numbers,
//     equal steps, or an axis below them are a question, and so is a word beside more numbers. Up to four
//     lines below belong to the header, such as units and questions: they have words, and no number, above
//     numbers, and if they have text above text, units or three different words. They complete names that
//     come twice or are blank. Below such names a line with a word in column 1 alone ends the header, as
//     pandas writes. A header with a field less has no name for column 1, or with a blank corner none for
//     the last.
//     Ids (ids.go) are the first column whose values all differ and that is text, or is named id, nr, code,
//     or has no name, or counts the rows, or rises evenly beside names that are numbers: names before dates,
//     and these before counts. Other such columns are left out. Columns without a name, or named x, y, z,
//     beside names that are numbers are positions, and carried along.
//  5. Way round (turn.go, pairs.go, long.go). The columns are the samples if two things say so. Column 1 is
//     an axis by its name, its unit or the text above (nm, cm-1, m/z, Wavelength), or has genes by its name,
//     types of mutations or the main oxides. And line 1 names samples (S1, ctrl2; numbers), or there is no
//     line 1, and the columns along the axis are smooth. One line does as well: below the names it begins
//     with Group or Class, the file is GCT, or each sample stands beside the same axis, as the Cary writes.
//     One of the two is a question: smooth columns beside an axis, or eight of samples or without names
//     beside regular steps; five columns or more beside genes, or names of samples above features (Compound,
//     Species, OTU_3, gene12, Abra alba, Fe) or above a column 1 without a name; features without line 1; a
//     column of m/z or lineages; a line below the names of words that all come again. An axis or features
//     beside other columns is a warning. Time, Date and Year are no axes.
//     Lines of sample, axis and value are a long table if names say so. They are a question if each sample
//     has each value of the axis: two columns of text, or one and years, beside numbers. Codes, places,
//     units, flags and a counter are left out, and counts from 1 are 0 where a line lacks. One column may be
//     values.
//  6. Columns (kinds.go, unit.go, faults.go). A column with as many words as numbers or more is text, and an
//     error that names them all, unless Text says what to do. A unit that nine of ten numbers have is taken
//     out. Empty columns are left out, named ones of 100 alone, and a first one of a number in eight rows.
//  7. Numbers (package number, entry.go, form.go). Digits with a sign, a decimal sign and an exponent, E or
//     D; in columns that have them, separators of thousands, percent signs, currencies, (5) and 5- for -5.
//     An empty field, NA, NaN, null, n/a, -, ? and errors of spreadsheets are missing. All that is missing
//     or no number is counted to the end of the text, and told in one error (faults.go).
//
// Warnings (kinds.go, total.go, alike.go) tell of
//   - a first or last row that is the sum or the mean of the others, rows named Total, Mean, LOD, … with
//     those named SD, n, … beside them, and genes as ids of five columns;
//   - -200, -0.99, -9999 and the like that come twice or more, far from all others of their column, 1e30,
//     and -1 or -9 as the one number below 0;
//   - columns that agree on rows of a different size, if neither ids nor names are samples, dates or a
//     series;
//   - uncertainties behind values (Zr Error, sd), names of sums, years, parts of dates, names that come
//     twice, depths and coordinates;
//   - codes: few whole numbers in columns such as Plot or class, numbers such as 007;
//   - whole numbers that only rise or count again, others at regular steps, equal ones that stay together or
//     come in turn, numbers that are the same within such a group.
//
// # Advice
//
// An error may advise settings (errors.go). They are tried on the start of the text, and told only if
// rows come of it, at once or by the advice of the next error. The words of fields are one table, in words.go.
package table
