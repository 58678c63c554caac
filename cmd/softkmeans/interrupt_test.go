package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"softkmeans/internal/drafts"
)

// An interrupt removes the files of a command that does not listen, which can then neither
// create a file nor give one its name. A command whose files are about to get their names goes on.
func TestInterruptible(t *testing.T) {
	defer func(old time.Duration) { grace = old }(grace)
	grace = 5 * time.Millisecond
	for _, late := range []bool{false, true} {
		dir := t.TempDir()
		t.Chdir(dir)
		writeText(t, "a.csv", "old")
		ctx, cancel := context.WithCancel(t.Context())
		o := &outputs{ctx: ctx, std: streams{drafts: new(drafts.Set)}}
		returned, ended := make(chan bool), make(chan error, 1)
		_, err := interruptible(ctx, o.std.drafts, func() (string, error) {
			for _, name := range []string{"a.csv", "b.csv"} {
				w, err := o.add("o", name)
				if err != nil {
					return "", err
				}
				fmt.Fprint(w, "new")
			}
			if late {
				err := o.finish(nil)
				cancel()
				time.Sleep(4 * grace)
				return "", err
			}
			cancel()
			<-returned
			_, err := o.std.drafts.Create("c.csv")
			ended <- errors.Join(err, o.std.drafts.Commit(o.files))
			return "", nil
		})
		want, content := error(nil), "a.csv new b.csv new "
		if !late {
			close(returned)
			if err := <-ended; strings.Count(fmt.Sprint(err), "canceled") != 2 {
				t.Errorf("create and commit after the end: %v", err)
			}
			want, content = context.Canceled, "a.csv old "
		}
		if !errors.Is(err, want) {
			t.Errorf("late %v: error %v, want %v", late, err, want)
		}
		got := ""
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			got += e.Name() + " " + readFile(t, e.Name()) + " "
		}
		if err != nil || got != content {
			t.Errorf("late %v: the folder has %s, %v", late, got, err)
		}
	}
}
