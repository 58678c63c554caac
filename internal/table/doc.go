// Package table reads a table of numbers from CSV text, at once or in blocks of rows. No row and no
// value is left out without a note: a field that is not a finite number is an error with its place.
// The package imports neither fmt nor reflect, so that a WebAssembly file with it stays small.
//
// # How a text is read
//
// With Dialect.Guess a text goes through these stages. The first four look at the first 256 kB. What a
// stage takes for granted becomes a note; what it leaves open becomes an error that asks. A setting of
// the Dialect answers for its stage.
//
//  1. Bytes (sniff.go, package csv). Binary formats, HTML and JSON are named. UTF-16 is read, and bytes that
//     are not UTF-8 are Windows-1252.
//  2. Dialect (dialect.go). Lines are split at tab, semicolon, bar, comma and, without tabs, space. The
//     delimiter is the one by which two thirds of the last lines have the same number of fields, and most of
//     these are numbers; the first of equals. Lines that begin with # are comments, unless nine lines of ten
//     do; a line ---- is skipped, and so is an empty field after the last column. A line of delimiters alone
//     is blank. The decimal sign is the comma if some number below line 1 can only be read so, and none can
//     only be read with a point. 1.234 beside semicolons is asked about.
//  3. Block (block.go). Rows have numbers where most of the last lines have them; they begin with the first
//     three in a row. The header is the lines right above with as many fields, or one with a name less. All
//     above is text, unless a line has as many fields, or more numbers than words without a blank line below,
//     or three have. Keys such as Date: and lines with *!%; at the start are text anyway, and so is all above
//     one with * or ! or <tag>. Without a header, names come from the last comment, or from the one above it
//     if the last has units. Lines below are text if they have no numbers and another number of fields. Below
//     a blank line they also are if they begin with Mean, SD, n, …, or have no numbers, or one number and
//     another number of fields. An error in a text of several tables, each below a title, says so.
//  4. Head (head.go). Line 1 is a header if it has no numbers, or alone is in quotes, or has words above
//     columns of numbers as often as numbers, or begins with the name of an axis. Other numbers may be a
//     header if they rise or fall on line 1 alone. They are one in four cases: eight or more have regular
//     steps; they count above names of rows; they lie outside of their columns; a column has no name. Else
//     eight numbers, equal steps, or any numbers above an axis without a name are a question, and so is a
//     word beside more numbers. Long headers may step back a few times, as where detectors overlap. Up to
//     four lines below belong to it, as units and questions do: they have words, and no number, above columns
//     of numbers. Such a line with text above a column of text as well needs units or three different words.
//     Eight fields below blank names are names. If names come twice, or two columns or more have none, the
//     words of these lines are added to them. Below names that come twice, as pandas writes, a line with a
//     word in column 1 alone ends the header. A header with one field less than the rows has no name for
//     column 1, or if its field 1 is blank, none for the last. Ids (ids.go) are the first column whose values
//     all differ and that is text, or is named id, nr, code, …, or has no name, or counts the rows, or rises
//     evenly beside names that are numbers; names go before dates, and these before counts. Other such
//     columns are left out. Columns without a name or named x, y, z beside names that are numbers are
//     positions, carried along.
//  5. Way round (turn.go, pairs.go, long.go). Rows are the columns of the text if two things say so. Column 1
//     is an axis, by its name, its unit or the text above (nm, cm-1, m/z, Wavelength), or has genes, by its name
//     (gene, protein, …), types of mutations or the main oxides. And line 1 names samples (S1, ctrl2; numbers),
//     or beside an axis there is no line 1, and the columns are smooth. So are they if a line below the header
//     is named Group, Class, …, if the file is GCT, or if the same axis stands beside each sample, as the Cary
//     writes. A line there of words that all come again, two or more, is a question. So is less: smooth columns
//     of other names beside an axis, or eight of samples or without names beside regular steps; five columns or
//     more beside genes, or below names of samples beside features (Compound, Species, OTU_3, gene12, Abra alba,
//     Fe) or without a name of column 1; features without line 1; a column of m/z or of lineages. An axis beside
//     columns of other kinds, or it or regular steps beside one, is one measurement, whose points stay rows, with
//     a warning. So are names of features beside one or two samples. Lines of sample, axis and value are a long
//     table if names say so. If each sample has each value of the axis, that is a question, as it is for two
//     columns of text beside numbers, or more beside one. Codes, places, units, flags and a counter are left out
//     of it, and entries that counts from 1 lack are 0. Of more values the text may have one. Time, Date and Year
//     are no axes.
//  6. Columns (kinds.go, unit.go, faults.go). A column with as many words as numbers or more is text, and an
//     error that names them all, unless Text says what to do. A unit that nine of ten numbers have is taken
//     out. Empty columns are left out, named ones of 100 alone, and a first one of a number in eight rows.
//  7. Numbers (package number, entry.go, form.go). Digits with a sign, a decimal sign and an exponent, E or
//     D; in columns that have them, separators of thousands, percent signs, currencies, (5) and 5- for -5.
//     An empty field, NA, NaN, null, n/a, -, ? and errors of spreadsheets are missing. All that is missing or
//     no number is counted to the end of the text, and told in one error (faults.go).
//
// The whole table is then checked (total.go), and a warning tells of:
//   - a first or last row that is the sum or the mean of the others, rows named Total, Mean, LOD, … with
//     those named SD, n, … beside them;
//   - numbers such as -200, -0.99 or -9999 that come twice or more, or 1e30, far from all others of their
//     column; genes as ids of five columns; columns that agree on rows of a different size (alike.go), if
//     neither ids nor names are samples, dates or a series;
//   - columns such as Zr Error behind Zr, those named as sums, years, parts of dates, names that come twice;
//   - few whole numbers in columns such as Plot or class; 0 and 1 beside other numbers; whole numbers that only
//     rise or count again, others at regular steps, equal ones that stay together or come in turn, numbers that
//     are the same within such a group;
//   - depths and coordinates beside other columns (names with lat or long, x and y, top and bottom).
//
// # Advice
//
// An error may advise settings (errors.go). They are tried on the start of the text, and told only if
// rows come of it, at once or by the advice of the next error. The words of fields are one table, in words.go.
package table
