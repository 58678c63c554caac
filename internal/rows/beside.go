package rows

// Files of single-cell work: matrix.mtx has a gene in each row and a cell in each column, and
// features.tsv (or genes.tsv) and barcodes.tsv beside it have their names.

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"softkmeans"
	"softkmeans/internal/table"
)

// mostName is the longest line of a file of names.
const mostName = 1 << 16

// beside reads the fields of the lines of a file beside source, whose name has stem in place
// of matrix.mtx. It is nil where there is no such file.
func beside(source, stem string) ([][]string, error) {
	source = strings.TrimSuffix(source, ".gz")
	prefix, ok := strings.CutSuffix(source, "matrix.mtx")
	if !ok {
		return nil, nil
	}
	for _, end := range []string{".tsv", ".tsv.gz"} {
		name := prefix + stem + end
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		in, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		var text io.Reader = in
		if strings.HasSuffix(end, ".gz") {
			if text, err = decompress(in, name); err != nil {
				return nil, err
			}
		}
		lines := bufio.NewScanner(text)
		lines.Buffer(nil, mostName)
		var all [][]string
		for lines.Scan() {
			fields := strings.Split(strings.TrimRight(lines.Text(), "\r"), "\t")
			for i := range fields {
				fields[i] = table.Printable(fields[i])
			}
			all = append(all, fields)
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return all, nil
	}
	return nil, nil
}

// name gives a matrix the names of its genes and cells, if the files beside it have as many, and
// turns it so that its rows are the cells. Without such files it is turned only if d asks for it.
func (s *Sparse) name(d *table.Dialect) error {
	genes, err := beside(s.Source, "features")
	if genes == nil && err == nil {
		genes, err = beside(s.Source, "genes")
	}
	if err != nil {
		return err
	}
	cells, err := beside(s.Source, "barcodes")
	if err != nil {
		return err
	}
	turn := d.Transpose == table.Yes
	switch {
	case genes == nil || cells == nil:
	case len(genes) != s.X.Rows || len(cells) != s.X.Cols:
		s.Notes = append(s.Notes, fmt.Sprintf("the names of %d genes and %d cells beside the file are not "+
			"taken: it has %d rows of %d columns", len(genes), len(cells), s.X.Rows, s.X.Cols))
	case d.Names == nil:
		columns, ids := firsts(cells), symbols(genes)
		if turn = d.Transpose != table.No; turn {
			columns, ids = ids, columns
		}
		if d.Names = columns; d.ID != table.NoID {
			s.IDs, s.IDColumn, s.IDName = ids, 1, "id"
		}
		if note := "the rows are the cells of barcodes.tsv, the file's columns; -transpose no makes rows " +
			"of the genes"; turn && d.Transpose == table.Auto {
			s.Notes = append(s.Notes, note)
		}
	}
	if s.Turned = turn; turn {
		s.X, err = transposed(s.X)
		if d.Transpose == table.Yes {
			s.Notes = append(s.Notes, turnedNote)
		}
	}
	return err
}

func firsts(lines [][]string) []string {
	list := make([]string, len(lines))
	for i, fields := range lines {
		list[i] = fields[0]
	}
	return list
}

// symbols are the second fields of lines, the names of genes, where no other line has the same;
// else the first, which differ.
func symbols(lines [][]string) []string {
	seen := map[string]int{}
	for _, fields := range lines {
		if len(fields) > 1 {
			seen[fields[1]]++
		}
	}
	list := firsts(lines)
	for i, fields := range lines {
		if len(fields) > 1 && seen[fields[1]] == 1 {
			list[i] = fields[1]
		}
	}
	return list
}

func transposed(x *softkmeans.SparseMatrix) (*softkmeans.SparseMatrix, error) {
	rows := make([]int, 0, len(x.Data))
	for i := range x.Rows {
		for range x.Indptr[i+1] - x.Indptr[i] {
			rows = append(rows, i)
		}
	}
	return softkmeans.SparseFromTriples(x.Cols, x.Rows, x.Indices, rows, x.Data)
}
