package main

// Results of earlier jobs, and the files that a failed job removes.

import (
	"context"
	"errors"
	"fmt"
)

// clearResult looks for files of an earlier job with the names of this job's outputs. They are an error or,
// with -overwrite, removed: parts of two results could be taken for one.
func (o *options) clearResult(ctx context.Context, j *job, shards []shard) error {
	ours := []string{j.modelName(), j.reportName()}
	for _, s := range shards {
		ours = append(ours, s.Output)
	}
	old, err := j.existing(ctx, ours)
	if err != nil {
		return err
	}
	if len(old) > 0 && !o.overwrite {
		what := ""
		if clean(old[0]) != clean(j.reportName()) {
			what = ", but no report: a part of a result that was not completed, or is being written"
		}
		return fmt.Errorf("%s is there already%s: give another -out, or -overwrite", old[0], what)
	}
	return remove(ctx, old...)
}

// existing returns those of the job's outputs that exist. The report is the first, so
// that it is removed first: without it no other file is taken for a result.
func (j *job) existing(ctx context.Context, outputs []string) (names []string, err error) {
	among := map[string]bool{}
	for _, name := range outputs {
		among[clean(name)] = true
	}
	for _, pattern := range []string{j.reportName(), j.modelName(), join(j.Out, "memberships/*")} {
		found, err := list(ctx, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			if among[clean(name)] {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// abandon removes the outputs that this process has written for a failed job, and stops
// further writes. The outputs of other workers stay: if only the connection failed, the
// job may still run, and its result must stay complete.
func (j *job) abandon(ctx context.Context) error {
	writing.Lock()
	ended[j.ID] = true
	writing.Unlock()
	var ours []string
	renamed.Range(func(name, job any) bool {
		if job == j.ID {
			ours = append(ours, name.(string))
		}
		return true
	})
	var err error
	if len(ours) > 0 {
		if ours, err = j.existing(ctx, ours); err == nil {
			err = remove(ctx, ours...)
		}
	}
	return errors.Join(err, j.removeTemporary(ctx))
}

// removeTemporary removes the temporary files of workers that died, or that stopped when the job failed.
func (j *job) removeTemporary(ctx context.Context) error {
	writing.Lock()
	defer writing.Unlock()
	for _, dir := range []string{j.Out, join(j.Out, "memberships")} {
		names, err := list(ctx, join(dir, "*."+j.ID+"-*.tmp"))
		if err != nil {
			return err
		}
		if err := remove(ctx, names...); err != nil {
			return err
		}
	}
	return nil
}
