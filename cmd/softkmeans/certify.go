package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"

	"softkmeans"
)

const certifyHelp = `Usage: softkmeans certify -centers FILE [flags] [FILE]
       softkmeans certify -model FILE [flags] [FILE]

Is it optimal? Centers and memberships of any program are held against the least
squared error that as many centers can leave over of the rows of FILE, which is
known and proven. The certificate is computed from the three alone.

` + fileHelp + `
  -centers F    CSV or .npy: a row for each center, with the columns of FILE in
                its units; in any order if F has a header with all the names
  -model F      in place of -centers: a model that fit -model has written; rows
                are scaled as those that were fitted
  -memberships F
                CSV or .npy: a row for each row of FILE, with a share of each
                center: the columns p0, p1, … if F has them, and else all but
                one named label. One column of labels, from 0 or from 1 on,
                will do, too: each row is its center's alone then. Without the
                flag the best memberships are computed, exactly
  -tol T        what is called optimal: a gap, negative memberships and row sums
                off 1 of at most T; 1e-9 is the default
  -json         the certificate as JSON
` + scaleHelp + columnsHelp + textHelp + `                -header and -delimiter are of FILE alone
` + runHelp + `
Example: softkmeans certify -centers c.csv -memberships g.csv testdata/iris.csv

Exit code: 0 optimal, 1 not optimal, or the data or a file is at fault (that is
told on standard error, and the verdict on standard output), 2 the command line
is.
`

// errNotOptimal is the exit code of a verdict, which has been printed.
var errNotOptimal = errors.New("not optimal")

// certifyFlags is the command line of certify.
type certifyFlags struct {
	inputFlags
	centers, model, memberships string
	tol                         float64
	json                        bool
}

// newCertifyFlagSet returns the flags, bound to f. Their help is certifyHelp.
func newCertifyFlagSet(f *certifyFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("certify", flag.ContinueOnError)
	f.inputFlags.add(fs)
	f.tol = certifiedTol
	fs.StringVar(&f.centers, "centers", "", "")
	fs.StringVar(&f.model, "model", "", "")
	fs.StringVar(&f.memberships, "memberships", "", "")
	aboveZeroFlag(fs, &f.tol, "tol")
	fs.BoolVar(&f.json, "json", false, "")
	return fs
}

func parseCertify(args []string) (f certifyFlags, err error) {
	fs := newCertifyFlagSet(&f)
	rest, err := parseFlags(fs, args, 1)
	if err != nil {
		return f, err
	}
	if err := f.check(rest); err != nil {
		return f, err
	}
	switch {
	case f.centers == "" && f.model == "":
		return f, usageErrorf("-centers is missing: which file has the centers? Or -model, of fit")
	case f.centers != "" && f.model != "":
		return f, usageErrorf("-centers and -model both have centers; give one")
	case f.model != "" && given(fs)["scale"]:
		return f, usageErrorf("-scale: the model has one")
	}
	piped := 0
	for _, from := range []bool{!f.named(), f.centers == "-", f.memberships == "-"} {
		if from {
			piped++
		}
	}
	if piped > 1 {
		return f, usageErrorf("standard input can be read only once; give all files but one by name")
	}
	return f, nil
}

func runCertify(ctx context.Context, args []string, s streams) error {
	f, err := parseCertify(args)
	if err != nil {
		return err
	}
	in, source, err := openInput(ctx, f.source, s.in)
	if err != nil {
		return err
	}
	defer in.Close()
	c := &certified{tol: f.tol, centers: f.model}
	read := func(*data) (*softkmeans.Matrix, error) { return nil, nil }
	if f.model != "" {
		m, err := readModel(ctx, f.model)
		if err != nil {
			return err
		}
		if err := f.use(m); err != nil {
			return err
		}
		read = func(d *data) (*softkmeans.Matrix, error) { return m.centersFor(d, f.model) }
	} else {
		centers, err := openSide(ctx, f.centers, s.in)
		if err != nil {
			return err
		}
		defer centers.Close()
		c.centers = centers.source
		read = func(d *data) (*softkmeans.Matrix, error) { return readCenters(ctx, centers, d) }
	}
	var memberships *sideFile
	if f.memberships != "" {
		if memberships, err = openSide(ctx, f.memberships, s.in); err != nil {
			return err
		}
		defer memberships.Close()
	}
	if c.data, err = f.read(ctx, in, source); err != nil {
		return err
	}
	prototypes, err := read(c.data)
	if err != nil {
		return err
	}
	if err := f.certify(ctx, c, prototypes, memberships); err != nil {
		return err
	}
	if f.json {
		err = writeJSON(s.out, c.json())
	} else {
		_, err = s.out.Write(c.text())
	}
	if err == nil && !c.Optimal(c.tol) {
		err = errNotOptimal
	}
	return err
}

// certified is what certify tells of.
type certified struct {
	softkmeans.Certificate
	data        *data
	k           int
	tol         float64
	centers     string // which file has them
	memberships string // "": computed
	hard        bool   // every row is one center's alone
}

// certify reads the memberships, or computes them.
func (f *certifyFlags) certify(ctx context.Context, c *certified, prototypes *softkmeans.Matrix, memberships *sideFile) (err error) {
	c.k = prototypes.Rows
	d := c.data
	var g *softkmeans.Matrix
	if memberships != nil {
		c.memberships = memberships.source
		if g, err = readMemberships(ctx, memberships, d, c.k, c.centers); err != nil {
			return err
		}
		c.hard = c.k > 1 && isHard(g)
	}
	c.Certificate, err = await(ctx, func() (none softkmeans.Certificate, err error) {
		if g == nil {
			if g, _, err = softkmeans.SimplexLeastSquares(nil, d.x, prototypes, &softkmeans.SimplexOptions{Workers: f.workers}); err != nil {
				return none, err
			}
		}
		return softkmeans.Certify(context.Background(), d.x, prototypes, g, &softkmeans.Options{Weights: d.Weights})
	})
	return err
}

// text is the report.
func (c *certified) text() []byte {
	var b bytes.Buffer
	writeHead(&b, &c.data.Head, c.data.Rows, kindOf(c.data.scale))
	fmt.Fprintf(&b, "\n%s: %s\n", c.centers, centers(c.k))
	if c.memberships != "" {
		fmt.Fprintf(&b, "%s: memberships\n", c.memberships)
	} else {
		b.WriteString("Memberships: none given; those below are the best for these centers, computed exactly\n")
	}
	b.WriteByte('\n')
	writeQuality(&b, c.k, c.Certificate, c.data.scale != nil, false)
	b.WriteString("\n" + c.verdict())
	return b.Bytes()
}

// verdict is the certificate in words.
func (c *certified) verdict() string {
	text := verdict(c.k, c.Certificate, c.tol) + "\n"
	if c.Gap > c.tol {
		text += distance(c.k, c.Certificate, c.tol) + "\n"
		switch {
		case c.hard:
			text += "Each row is one center's alone here, as with k-means, whose least error is above this floor:\n" +
				"mixtures reach it. Without -memberships the best mixtures of these centers are taken.\n"
		case c.memberships == "":
			text += "No memberships can do better with these centers.\n"
		default:
			text += "Without -memberships the best ones are taken, which tells whether it is for the centers.\n"
		}
	}
	return text
}

// json is what -json prints.
func (c *certified) json() any {
	var memberships *string
	if c.memberships != "" {
		memberships = &c.memberships
	}
	return struct {
		Source      string           `json:"source"`
		Rows        int              `json:"rows"`
		Columns     []string         `json:"columns"`
		Scale       string           `json:"scale"`
		Centers     string           `json:"centers"`
		K           int              `json:"k"`
		Memberships *string          `json:"memberships"` // null: computed
		Tol         float64          `json:"tol"`
		Certificate *certificateJSON `json:"certificate"`
		Verdict     string           `json:"verdict"`
	}{c.data.Source, c.data.Rows, c.data.Names, kindOf(c.data.scale).String(), c.centers, c.k, memberships,
		c.tol, newCertificateJSON(c.Certificate, c.tol, false), c.verdict()}
}
