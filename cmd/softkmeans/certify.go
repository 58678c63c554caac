package main

import (
	"bytes"
	"errors"
	"flag"
	"io"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/measure"
	"softkmeans/internal/scale"
	"softkmeans/internal/view"
)

// errNotOptimal sets the exit code. The verdict is printed already.
var errNotOptimal = errors.New("not optimal")

type certifyFlags struct {
	inputFlags
	printFlags
	centers, model, memberships string
	tol                         float64
	sum                         softkmeans.Sum
	given                       map[string]bool // the flags that are there
}

func newCertifyFlagSet(f *certifyFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("certify", flag.ContinueOnError)
	f.inputFlags.add(fs)
	f.tol = certifiedTol
	fs.StringVar(&f.centers, "centers", "", "")
	fs.StringVar(&f.model, "model", "", "")
	fs.StringVar(&f.memberships, "memberships", "", "")
	aboveZeroFlag(fs, &f.tol, "tol")
	sumFlag(fs, &f.sum)
	f.printFlags.add(fs)
	return fs
}

func parseCertify(args []string) (f certifyFlags, err error) {
	fs := newCertifyFlagSet(&f)
	if err := f.parse(fs, args); err != nil {
		return f, err
	}
	f.given = given(fs)
	switch {
	case f.centers == "" && f.model == "":
		return f, usageErrorf("-centers is missing; give a file of prototypes, or -model with a file that fit -model " +
			"wrote")
	case f.centers != "" && f.model != "":
		return f, usageErrorf("-centers and -model both contain prototypes; give one")
	}
	if f.model != "" {
		if err := refuse(f.given, ": the model has its own; leave the flag out", "scale", "rows", "sum"); err != nil {
			return f, err
		}
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
	if f.scale == scale.Auto && f.sum == softkmeans.SumAtMostOne {
		f.scale = scale.None // 0 must stay 0
	}
	return f, nil
}

func (f *certifyFlags) run(s *session) error {
	given := new(solution)
	defer given.close()
	if err := given.open(f, s.std.in); err != nil {
		return err
	}
	a, optimal, err := f.certify(s, given)
	if err == nil {
		err = f.write(s.std.out, a)
	}
	if err == nil && !optimal {
		err = errNotOptimal
	}
	return err
}

// solution is what is certified.
type solution struct {
	model       *modelFile
	source      string        // of the centers
	centers     []byte        // a table, unless there is a model
	memberships io.ReadCloser // nil: to be computed
	from        string        // the name of memberships
}

// open opens the files, so that a wrong name is an error before the data is read.
func (s *solution) open(f *certifyFlags, stdin io.Reader) (err error) {
	if f.model != "" {
		s.source = f.model
		s.model, err = readModel(f.model)
	} else {
		err = s.readCenters(f, stdin)
	}
	if err == nil && s.model != nil {
		err = f.use(s.model)
	}
	if err == nil && f.memberships != "" {
		s.memberships, s.from, err = openInput(f.memberships, stdin)
	}
	return err
}

// readCenters reads the file of -centers, which may be a model.
func (s *solution) readCenters(f *certifyFlags, stdin io.Reader) (err error) {
	var model bool
	if s.centers, s.source, model, err = readText(f.centers, stdin); err != nil || !model {
		return err
	}
	if f.given["scale"] || f.given["sum"] {
		return usageErrorf("-centers %s is a model, which has its own -scale and -sum; leave them out", s.source)
	}
	s.model, err = readModelFrom(bytes.NewReader(s.centers), s.source)
	return err
}

func (s *solution) close() {
	if s.memberships != nil {
		s.memberships.Close()
	}
}

// certify returns the certificate of a solution, and whether it is proved optimal, with advice if better centers or
// memberships exist.
func (f *certifyFlags) certify(s *session, given *solution) (a *answer.Answer, optimal bool, err error) {
	d, err := f.readAs(s, always(f.takesSparse(given.model)))
	if err != nil {
		return nil, false, err
	}
	a = answer.New(&d.Head, d.Rows, scale.KindOf(d.scale))
	a.CentersFile = given.source
	var centers, g *softkmeans.Matrix
	if given.model != nil {
		if centers, err = given.model.centersFor(d, given.source); err != nil {
			return nil, false, err
		}
		if f.sum = given.model.Model.Sum; given.model.UnitRows {
			f.sum = softkmeans.SumAtMostOne // shares times shade
		}
	} else if centers, err = given.centersLike(d); err != nil {
		return nil, false, err
	}
	s.places["centers"] = place{a.CentersFile, d.Names}
	q := &answer.Quality{K: centers.Rows, Sum: f.sum, Tol: f.tol}
	a.K, a.Tol = q.K, q.Tol
	a.About += "; " + view.Prototypes(q.K) + " of " + a.CentersFile
	hard := false
	if given.memberships == nil {
		a.About += "; the memberships are computed, and are the best for these prototypes"
	} else {
		a.MembershipsFile = given.from
		if g, err = given.readMemberships(d, q.K); err != nil {
			return nil, false, err
		}
		a.About += "; memberships of " + a.MembershipsFile
		hard = q.K > 1 && isHard(g)
		s.places["memberships"] = place{a.MembershipsFile, view.Names(q.K)}
	}
	if given.model != nil && given.model.UnitRows {
		centers, g, err = given.model.shaded(d.x, centers, g)
	} else if g == nil && d.sparse != nil {
		g, err = (&softkmeans.Model{Centers: centers, Sum: f.sum}).Predict(nil, d.sparse.X)
	} else if g == nil {
		g, err = softkmeans.SimplexLeastSquares(nil, d.x, centers, &softkmeans.Options{Workers: f.workers, Sum: f.sum})
	}
	if err != nil {
		return nil, false, err
	}
	o := &softkmeans.Options{Weights: d.Weights, Workers: f.workers, Sum: f.sum}
	if q.Certificate, err = softkmeans.Certify(s.ctx, d.samples(), centers, g, o); err != nil {
		return nil, false, err
	}
	a.Certificate, a.Sentence = q.JSON(), q.Verdict()
	if q.Optimal(q.Tol) {
		return a, true, nil
	}
	if f.scale == scale.Auto && d.scale != nil {
		a.Quality = append(a.Quality, "The columns are standardized, as fit does; for centers of columns that were not standardized use -scale none.")
	}
	switch {
	case hard:
		a.Quality = append(a.Quality, "Each row belongs to one prototype, as in k-means. Mixtures can have a smaller "+
			"error. Without -memberships the best mixtures of these prototypes are computed.")
	case given.memberships == nil:
		a.Quality = append(a.Quality, "No memberships give a smaller squared error with these prototypes, to within rounding.")
	default:
		a.Quality = append(a.Quality, "Leave out -memberships to have the best ones computed. The excess that "+
			"remains is due to the prototypes.")
	}
	return a, false, nil
}

// takesSparse reports whether the certificate needs no zeros: columns stay as they are. The
// model is nil for centers from a table.
func (f *certifyFlags) takesSparse(m *modelFile) bool {
	if m != nil {
		return m.Model != nil && !m.UnitRows && m.scaling() == nil
	}
	return f.scale == scale.Auto || f.scale == scale.None
}

// shaded returns centers times the largest shade, and memberships times each row's shade in
// these units: a pair whose sums are at most one. g is nil for those that the model predicts.
func (f *modelFile) shaded(x, centers, g *softkmeans.Matrix) (_, _ *softkmeans.Matrix, err error) {
	if g == nil {
		predict, err := f.predictor()
		if err != nil {
			return nil, nil, err
		}
		if g, _, err = predict(x); err != nil {
			return nil, nil, err
		}
	}
	shade, mixture := make([]float64, x.Rows), make([]float64, x.Cols)
	for i := range shade {
		measure.MixInto(mixture, g.Row(i), centers)
		shade[i] = measure.Brightness(x.Row(i), mixture)
	}
	centers, g = measure.WithBrightness(centers, g, shade)
	return centers, g, nil
}
