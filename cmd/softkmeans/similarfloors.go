package main

// This file holds the floors of similarities, for the command floors.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// similarScree is the floors of similarities, and the number that these speak for.
type similarScree struct {
	table.Head
	rows   int
	scale  *scale.Scaling
	method method
	kernel kernelKind
	gamma  float64
	total  float64
	floors []float64 // of k = 1, 2, …
	choice choosek.Choice
	k      int    // that the choice supports; 0: none
	why    string // of k
}

// fitFlags are those of fit for the same similarities.
func (f *similarFlags) fitFlags(in *inputFlags, seed uint64) *fitFlags {
	fit := &fitFlags{inputFlags: *in, method: f.method, kernel: f.kernel, gamma: f.gamma, seed: seed}
	fit.options.Workers = in.workers
	return fit
}

// runSimilar computes the floors of similarities and writes the outputs.
func (f *floorsFlags) runSimilar(s *session, list io.Writer) error {
	fit := f.similarFlags.fitFlags(&f.inputFlags, 0)
	d, err := fit.read(s)
	if err != nil {
		return err
	}
	d.noteKind(fit)
	r, err := fit.screeOf(s.ctx, d, f.most)
	if err != nil {
		return err
	}
	if list != nil {
		if err := r.writeList(list); err != nil {
			return err
		}
	}
	return s.finish(func(w io.Writer) error {
		if f.json {
			return writeJSON(w, r.json())
		}
		_, err := w.Write(r.text())
		return err
	})
}

// screeOf computes the floors up to most, and up to the number that is chosen.
func (f *fitFlags) screeOf(ctx context.Context, d *data, most int) (*similarScree, error) {
	fit := &result{}
	s, err := f.openSimilar(d, fit)
	if err != nil {
		return nil, err
	}
	r := &similarScree{Head: d.Head, rows: d.Rows, scale: d.scale, method: f.method,
		kernel: f.kernel, gamma: fit.gamma}
	if r.choice, err = s.choose(ctx); errors.Is(err, softkmeans.ErrTooFewSamples) {
		r.choice, err = choosek.Choice{Rows: d.Rows, Reason: count(d.Rows, "row") +
			" are too few to compare halves"}, nil
	}
	if err != nil {
		return nil, err
	}
	r.k, r.why = r.choice.Supported()
	r.total, r.floors, err = s.floors(ctx, max(most, r.k))
	return r, err
}

// similarLine is a line of the table. A number that does not exist is nil.
type similarLine struct {
	K         int      `json:"k"`
	Floor     float64  `json:"floor"`
	Explained *float64 `json:"explained"`
	Step      *float64 `json:"step"`
}

func (r *similarScree) lines() []similarLine {
	lines := make([]similarLine, len(r.floors))
	for i, floor := range r.floors {
		lines[i] = similarLine{K: i + 1, Floor: floor}
		if r.total > 0 && r.total < math.MaxFloat64 {
			explained := max(0, 1-floor/r.total)
			lines[i].Explained = &explained
			if i > 0 {
				step := (r.floors[i-1] - floor) / r.total
				lines[i].Step = &step
			}
		}
	}
	return lines
}

// writeList writes the lines as CSV, with all digits.
func (r *similarScree) writeList(w io.Writer) error {
	b := bufio.NewWriter(w) // b keeps the first error for Flush
	b.WriteString("k,floor,explained,step\n")
	for _, l := range r.lines() {
		text := strconv.AppendInt(nil, int64(l.K), 10)
		for _, v := range []*float64{&l.Floor, l.Explained, l.Step} {
			if text = append(text, ','); v != nil {
				text = strconv.AppendFloat(text, *v, 'g', -1, 64)
			}
		}
		b.Write(append(text, '\n'))
	}
	return b.Flush()
}

// json returns the report for -json.
func (r *similarScree) json() any {
	type proposal struct {
		K       *int   `json:"k"` // null: none
		Certain bool   `json:"certain"`
		Reason  string `json:"reason"`
	}
	type evidence struct {
		Rows      int       `json:"rows"`
		Agreement []float64 `json:"agreement"`
		Chance    []float64 `json:"chance"`
	}
	p := proposal{Certain: r.choice.K > 0, Reason: r.why}
	if r.k > 0 {
		p.K = &r.k
	}
	var halves *evidence
	if c := &r.choice; c.Agreement != nil {
		halves = &evidence{c.Rows, c.Agreement, c.Chance}
	}
	return struct {
		Source   string        `json:"source"`
		Rows     int           `json:"rows"`
		Columns  []string      `json:"columns"`
		Notes    []string      `json:"notes,omitempty"`
		Scale    string        `json:"scale"`
		Method   string        `json:"method"`
		Kernel   string        `json:"kernel"`
		Gamma    float64       `json:"gamma,omitempty"`
		Total    float64       `json:"total"`
		Proposal proposal      `json:"proposal"`
		Evidence *evidence     `json:"evidence,omitempty"`
		Floors   []similarLine `json:"floors"`
	}{r.Source, r.rows, r.Names, r.Notes, kindOf(r.scale).String(), r.method.String(), r.kernel.String(),
		r.gamma, r.total, p, halves, r.lines()}
}

// text returns the report.
func (r *similarScree) text() []byte {
	var b bytes.Buffer
	writeHead(&b, &r.Head, r.rows, kindOf(r.scale))
	b.WriteString("\n\nSimilarities: " + kernelWords(r.kernel, r.gamma) + "\n" + wrapped(r.proof()) + "\n")
	write := func(mark string, cells ...any) {
		line := fmt.Sprintf("  %1s %5s  %-16s %9s  %9s  %s", append([]any{mark}, cells...)...)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	write("", "k", "floor", "explained", "step", "")
	for _, l := range r.lines() {
		mark, bar := "", ""
		if l.K == r.k {
			mark = "*"
		}
		if l.Explained != nil {
			bar = strings.Repeat("#", int(math.Round(barWidth*min(*l.Explained, 1))))
		}
		write(mark, strconv.Itoa(l.K), number(l.Floor), optionalPercent(l.Explained), optionalPercent(l.Step),
			bar)
	}
	b.WriteString("\n" + chosen(&r.choice) + opinions(&r.choice) + agreements(&r.choice))
	return b.Bytes()
}

// proof says what the floors prove.
func (r *similarScree) proof() string {
	text := "Floors: no memberships in k clusters can have a smaller squared error, but for rounding. "
	if r.method == methodTILSD {
		text += "It is the error of the similarities with rows and columns centred, and -method tilsd " +
			"reaches the floor: a better one does not exist. "
	} else {
		text += "The floor holds for all positive semidefinite matrices of rank k. Products of memberships " +
			"are fewer, so -method lsd may not reach it. "
	}
	return text +
		"Explained is the rest of the sum of squares, in percent; step what the last cluster adds. " +
		"A small floor says that k directions are enough, not that there are k clusters."
}
