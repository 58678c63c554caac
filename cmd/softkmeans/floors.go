package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

const floorsHelp = `Usage: softkmeans floors [flags] [FILE]

How many centers? For every number k of them: the floor, which is the proven
least squared error that any k centers can leave over; the share of the variance
that they explain then; the step, which is what the last of them adds to that;
and the stick, which it would add were the variance split at random. A k is
proposed (the mark *) as long as its step exceeds its stick, and the report says
why, or why not. It is a first guess: it counts directions in which centers lie,
not clusters. Columns with different units should have one scale: -scale zscore.

` + fileHelp + `
  -most K       the largest k in the report, beside the proposed one; 20 is the
                default. -o and -json have every k, up to the one that leaves
                over nothing
  -o FILE       write them as CSV: k,floor,explained,step,stick. With - they go
                to standard output and the report to standard error
  -json         the report as JSON
` + scaleHelp + columnsHelp + textHelp + `  -stream Y     yes: FILE is read block by block, once, twice with -scale, for
                tables larger than the memory, of up to 4096 columns; floors
                below 1e-12 of the first are rounding then
                no: it is kept in memory
                auto: yes for files above 64 MB, no for pipes, standard input
                and with -weights (default)
` + runHelp + `
Examples: softkmeans floors testdata/iris.csv
          softkmeans floors -most 5 -o floors.csv testdata/wine.csv

` + exitHelp

// floorsFlags is the command line of floors.
type floorsFlags struct {
	inputFlags
	most   int
	out    string // "": none; "-": standard output
	json   bool
	stream choose
}

// newFloorsFlagSet returns the flags, bound to f. Their help is floorsHelp.
func newFloorsFlagSet(f *floorsFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("floors", flag.ContinueOnError)
	f.inputFlags.add(fs)
	f.most = 20
	fs.Func("most", "", func(s string) (err error) {
		if f.most, err = strconv.Atoi(s); err != nil || f.most < 1 {
			return errors.New("must be a whole number, at least 1")
		}
		return nil
	})
	fs.StringVar(&f.out, "o", "", "")
	fs.BoolVar(&f.json, "json", false, "")
	streamFlag(fs, &f.stream)
	return fs
}

func parseFloors(args []string) (f floorsFlags, err error) {
	rest, err := parseFlags(newFloorsFlagSet(&f), args, 1)
	if err != nil {
		return f, err
	}
	if err := f.check(rest); err != nil {
		return f, err
	}
	return f, f.checkStream(f.stream)
}

func runFloors(ctx context.Context, args []string, s streams) error {
	f, err := parseFloors(args)
	if err != nil {
		return err
	}
	in, source, err := openInput(ctx, f.source, s.in)
	if err != nil {
		return err
	}
	defer in.Close()
	out := &outputs{ctx: ctx, in: in, stdout: s.out}
	defer out.discard()
	list, err := out.add("o", f.out)
	if err != nil {
		return err
	}

	f.quiet = f.quiet || out.mixedWith(s.err)
	find := f.ofTable
	if f.stream == chooseYes || f.stream == chooseAuto && f.dialect.Weights == "" && f.large(in) {
		find = f.ofStream
	}
	r, err := find(ctx, in, source, s.err)
	if err != nil {
		return err
	}
	if err := r.propose(); err != nil {
		return err
	}
	if list != nil {
		if err := r.writeList(list); err != nil {
			return err
		}
	}
	return out.finish(s, func(w io.Writer) error {
		if f.json {
			return writeJSON(w, r.json())
		}
		_, err := w.Write(r.text(f.most))
		return err
	})
}

// scree is what floors tells of.
type scree struct {
	table.Head
	rows     int
	scale    *scale.Scaling
	floors   []float64
	vary     bool // not all rows are equal; known where the first floor is 0
	proposal softkmeans.KProposal
}

// ofTable finds the floors of a table that is in memory.
func (f *floorsFlags) ofTable(ctx context.Context, in io.Reader, source string, _ io.Writer) (*scree, error) {
	d, err := f.read(ctx, in, source)
	if err != nil {
		return nil, err
	}
	r := &scree{Head: d.Head, rows: d.Rows, scale: d.scale}
	r.floors, err = await(ctx, func() ([]float64, error) {
		return softkmeans.Floors(context.Background(), d.x, &softkmeans.Options{Weights: d.Weights})
	})
	if err != nil {
		return nil, err
	}
	var first []float64
	for i := 0; i < d.Rows && r.floors[0] == 0 && !r.vary; i++ {
		if d.Weights == nil || d.Weights[i] > 0 {
			first = r.compare(d.x.Row(i), first)
		}
	}
	return r, nil
}

// ofStream finds those of the named file, read block by block.
func (f *floorsFlags) ofStream(ctx context.Context, _ io.Reader, source string, stderr io.Writer) (*scree, error) {
	s, err := f.openStream(ctx, source, stderr)
	if err != nil {
		return nil, err
	}
	defer s.progress.clear()
	if s.progress.most = 1; f.scale != scale.None {
		s.progress.most = 2
	}
	return await(ctx, func() (*scree, error) {
		if err := s.setScale(f.scale); err != nil {
			return nil, err
		}
		r := &scree{Head: s.file.Head, scale: s.scale}
		if r.floors, err = s.floors(); err != nil || r.floors[0] > 0 {
			r.rows = s.rows
			return r, err
		}
		var first []float64
		return r, s.each(func(x *softkmeans.Matrix) error {
			for i := range x.Rows {
				first = r.compare(x.Row(i), first)
			}
			r.rows += x.Rows
			return nil
		})
	})
}

// compare finds out whether rows vary. It returns the first one, to be given with
// the next.
func (r *scree) compare(row, first []float64) []float64 {
	if first == nil {
		return slices.Clone(row)
	}
	r.vary = r.vary || !slices.Equal(row, first)
	return first
}

// propose proposes a k. There is none where the squares are out of float64's range,
// above or below: their shares say nothing.
func (r *scree) propose() (err error) {
	if total := r.floors[0]; total == math.MaxFloat64 || total == 0 && r.vary {
		r.proposal.Reason = "the squares of the data are out of range; give its columns another scale"
		return nil
	}
	r.proposal, err = softkmeans.ProposeK(r.floors)
	return err
}

// screeLine is what there is to say of one k. What there is none of is nil.
type screeLine struct {
	K         int      `json:"k"`
	Floor     float64  `json:"floor"`
	Explained *float64 `json:"explained"`
	Step      *float64 `json:"step"`
	Stick     *float64 `json:"stick"`
}

func (r *scree) lines() []screeLine {
	at := func(values []float64, i int) *float64 {
		if i < 0 || i >= len(values) {
			return nil
		}
		return &values[i]
	}
	p := &r.proposal
	lines := make([]screeLine, len(r.floors))
	for i, floor := range r.floors {
		lines[i] = screeLine{i + 1, floor, at(p.Explained, i), at(p.Step, i-1), at(p.Stick, i-1)}
	}
	return lines
}

// writeList writes the lines as CSV, with the digits that it takes to read the same
// float64 back.
func (r *scree) writeList(w io.Writer) error {
	b := bufio.NewWriter(w) // it keeps the first error for Flush
	b.WriteString("k,floor,explained,step,stick\n")
	for _, l := range r.lines() {
		text := strconv.AppendInt(nil, int64(l.K), 10)
		for _, v := range []*float64{&l.Floor, l.Explained, l.Step, l.Stick} {
			if text = append(text, ','); v != nil {
				text = strconv.AppendFloat(text, *v, 'g', -1, 64)
			}
		}
		b.Write(append(text, '\n'))
	}
	return b.Flush()
}

// json is what -json prints.
func (r *scree) json() any {
	type proposal struct {
		K       *int   `json:"k"` // null: none
		Reason  string `json:"reason"`
		Elbow   *int   `json:"elbow"`
		Profile *int   `json:"profile"`
	}
	known := func(k int) *int {
		if k == 0 {
			return nil
		}
		return &k
	}
	p := &r.proposal
	return struct {
		Source   string      `json:"source"`
		Rows     int         `json:"rows"`
		Columns  []string    `json:"columns"`
		Scale    string      `json:"scale"`
		Proposal proposal    `json:"proposal"`
		Floors   []screeLine `json:"floors"`
	}{r.Source, r.rows, r.Names, kindOf(r.scale).String(), proposal{known(p.K), p.Reason, known(p.Elbow), known(p.Profile)}, r.lines()}
}

// barWidth is that of the bar of 100 %.
const barWidth = 30

// text is the report, with lines up to that of most, and that of the proposed k.
func (r *scree) text(most int) []byte {
	var b bytes.Buffer
	writeHead(&b, &r.Head, r.rows, kindOf(r.scale))
	b.WriteString("\n\nFloors: the proven least squared error that any k centers can leave over, and the share\n" +
		"of the total variance that they explain then\n\n")
	lines := r.lines()
	percentOf := func(share *float64) string {
		if share == nil {
			return ""
		}
		return percent(*share)
	}
	write := func(mark, k, floor, explained, step, stick, bar string) {
		line := fmt.Sprintf("  %1s %5s  %-16s %9s  %9s  %9s  %s", mark, k, floor, explained, step, stick, bar)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	write("", "k", "floor", "explained", "step", "stick", "")
	left := 0
	for i, l := range lines {
		proposed := l.K == r.proposal.K
		if i >= most && !proposed {
			left++
			continue
		}
		mark, bar := "", ""
		if proposed {
			mark = "*"
		}
		if l.Explained != nil {
			bar = strings.Repeat("#", int(math.Round(barWidth*min(max(*l.Explained, 0), 1))))
		}
		if i > most {
			write("", "…", "", "", "", "", "")
		}
		write(mark, strconv.Itoa(l.K), number(l.Floor), percentOf(l.Explained), percentOf(l.Step), percentOf(l.Stick), bar)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%d more, up to k = %d, are left out; -most, -o and -json have them.\n", left, len(lines))
	}
	b.WriteString("\n" + r.words())
	return b.Bytes()
}

// words is the proposal in sentences.
func (r *scree) words() string {
	p := &r.proposal
	text := proposed(p)
	if p.Elbow > 0 {
		text += fmt.Sprintf("Second opinion: what is explained has its elbow at k = %d.\n", p.Elbow)
	}
	if p.Profile > 0 {
		text += fmt.Sprintf("Another: with k = %d the large steps are done, and the small ones begin.\n", p.Profile)
	}
	return text
}

// proposed is why k is proposed, or why none is, in lines.
func proposed(p *softkmeans.KProposal) string {
	if p.K == 0 {
		return wrapped(fmt.Sprintf("No k is proposed: %s.", p.Reason))
	}
	return wrapped(fmt.Sprintf("Proposed: k = %d, since %s.", p.K, p.Reason))
}

// wrapped breaks a text into lines of up to lineWidth characters.
func wrapped(text string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > lineWidth:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String() + "\n"
}
