package main

// A job from the command line to the report, on the machine that submits it.

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

// fit runs the job, removes unfinished files, and prints the report.
func (o *options) fit(ctx context.Context, stdout io.Writer) error {
	shards, err := o.listShards(ctx)
	if err != nil {
		return err
	}
	j := &job{ID: newID(), Out: o.out, K: o.k, Enclosure: o.enclosure, Reading: o.reading}
	if err := o.clearResult(ctx, j, shards); err != nil {
		return err
	}
	if o.plain {
		j.Reading.Workers = runtime.GOMAXPROCS(0) // a runner has a core for each shard
		err = j.plainly(ctx, shards)
	} else {
		elsewhere := !inProcess() // before the run: Prism sets its endpoint
		err = j.beam(ctx, shards)
		if ctx.Err() != nil {
			if elsewhere {
				return fmt.Errorf("interrupted; the runner may still execute the job: %w", ctx.Err())
			}
			err = ctx.Err()
		}
		if err == nil && *jobopts.Async {
			_, err := fmt.Fprintf(stdout, "submitted; the last file of the result will be %s\n", j.reportName())
			return err
		}
	}
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		j.abandon(ctx) // its error matters less than the first one
		return err
	}
	if err := j.removeTemporary(ctx); err != nil {
		return err
	}
	// A job that was cancelled at the runner has no error, and no report either.
	text, err := readFile(ctx, j.reportName())
	if err != nil {
		return fmt.Errorf("the job has ended without a report: %w", err)
	}
	_, err = stdout.Write(text)
	return err
}

// beam runs the pipeline on the runner that Beam's flags name.
func (j *job) beam(ctx context.Context, shards []shard) error {
	if inProcess() {
		// Beam leaves an empty file in the directory for temporary files.
		dir, err := os.MkdirTemp("", "softkmeans-beam-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		old, set := os.LookupEnv("TMPDIR")
		os.Setenv("TMPDIR", dir)
		defer func() {
			if os.Setenv("TMPDIR", old); !set {
				os.Unsetenv("TMPDIR")
			}
		}()
	}
	first.Store(nil)
	p, root := beam.NewPipelineWithRoot()
	j.pipeline(root, shards)
	return plainError(beamx.Run(ctx, p))
}

// inProcess reports whether runner and workers are part of this process.
func inProcess() bool {
	switch *runners.Runner {
	case "", "prism", "PrismRunner":
		return *jobopts.Endpoint == ""
	case "direct", "DirectRunner":
		return true
	}
	return false
}

// newID returns a random name for a job.
func newID() string { return fmt.Sprintf("%016x", rand.Uint64()) }
