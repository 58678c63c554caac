package main

// What a job finds of earlier ones, and what it must not leave behind.

import (
	"context"
	"errors"
	"fmt"
)

// clearResult finds what an earlier job has left under the names of this one,
// which is an error or, with -overwrite, removed: half of one result and half of
// another would look like one.
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
			what = ", but no report: a part of a result that was not completed, or is in the making"
		}
		return fmt.Errorf("%s is there already%s: give another -out, or -overwrite", old[0], what)
	}
	return remove(ctx, old...)
}

// existing returns those of the job's outputs that there are; the report is the
// first, because without it what is removed or left is no result.
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

// abandon removes the outputs that this process has written for a job that
// failed, and lets it write no more. What workers elsewhere have written stays: it
// may be the connection alone that failed, and the job still be at work, whose
// result must not lose parts.
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

// removeTemporary removes what a worker left that died, or that gave up when the
// job failed.
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
