package main

// This file writes memberships and centers as CSV. Every number has the digits
// that it takes to read the same float64 back.

import (
	"bufio"
	"context"
	"encoding/csv"
	"io"
	"strconv"

	"softkmeans"
)

// centerName is the name of center j, from 0, in reports and as the column of its
// memberships.
func centerName(j int) string { return "p" + strconv.Itoa(j) }

// centerNames returns the names of k centers.
func centerNames(k int) []string {
	names := make([]string, k)
	for j := range names {
		names[j] = centerName(j)
	}
	return names
}

// largestOf returns the number of each row's largest membership.
func largestOf(memberships *softkmeans.Matrix) []int {
	return (&softkmeans.Model{Memberships: memberships}).Labels(nil)
}

// membershipWriter writes label,p0,…,p(k−1) for every row.
type membershipWriter struct {
	*bufio.Writer        // keeps the first error for Flush
	line          []byte // nil: nothing is written yet
}

func newMembershipWriter(w io.Writer) *membershipWriter {
	return &membershipWriter{Writer: bufio.NewWriterSize(w, 1<<16)}
}

// add writes the next rows.
func (w *membershipWriter) add(ctx context.Context, labels []int, g *softkmeans.Matrix) error {
	if w.line == nil {
		w.line = append(w.line, "label"...)
		for j := range g.Cols {
			w.line = append(append(w.line, ','), centerName(j)...)
		}
		if err := w.end(); err != nil {
			return err
		}
	}
	for i, label := range labels {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		w.line = strconv.AppendInt(w.line[:0], int64(label), 10)
		for _, v := range g.Row(i) {
			w.line = strconv.AppendFloat(append(w.line, ','), v, 'g', -1, 64)
		}
		if err := w.end(); err != nil {
			return err
		}
	}
	return nil
}

// end writes the line. Only complete lines reach the writer below, so that output
// that stops early does not end in half a number.
func (w *membershipWriter) end() error {
	if w.line = append(w.line, '\n'); len(w.line) > w.Available() {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	_, err := w.Write(w.line)
	return err
}

// writeCenterTable writes the names of the columns and a row for each center.
func writeCenterTable(w io.Writer, names []string, centers *softkmeans.Matrix) error {
	c := csv.NewWriter(w)
	c.Write(names) // c keeps the first error
	fields := make([]string, centers.Cols)
	for i := range centers.Rows {
		for j, v := range centers.Row(i) {
			fields[j] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		c.Write(fields)
	}
	c.Flush()
	return c.Error()
}
