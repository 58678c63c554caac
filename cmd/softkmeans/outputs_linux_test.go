package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// If the disk is full, in bytes or in files, the message names the output that failed,
// and none is written.
func TestFullDisk(t *testing.T) {
	dir := writingFolder(t)
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, w := range writings {
		args := w.args
		for _, output := range w.outputs {
			args = strings.Replace(args, " "+output, " disk/"+output, 1)
		}
		sizes := []string{"size=4k", "size=20k", "size=1m,nr_inodes=5", "size=12k", "size=28k", "size=36k",
			"size=44k", "size=1m,nr_inodes=4", "size=1m,nr_inodes=6"}
		for _, size := range sizes[:runs(3, len(sizes))] {
			if err := syscall.Mount("none", disk, "tmpfs", 0, size); err != nil {
				t.Skipf("only root may mount a disk: %v", err)
			}
			// Each old file takes a page of the disk, if there is one.
			for _, output := range w.outputs {
				os.WriteFile(filepath.Join(disk, output), []byte("the old "+output), 0o666)
			}
			before := files(t, disk)
			code, _, stderr := do(t, "", strings.Fields(args)...)
			after := files(t, disk)
			if err := syscall.Unmount(disk, 0); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(after, ".tmp") {
				t.Errorf("%s, %s: the disk has\n%s", w.args, size, after)
			}
			if code == 0 {
				continue
			}
			named := ""
			for _, output := range w.outputs {
				if stderr == "softkmeans: cannot write disk/"+output+": no space left on device\n" {
					named = output
				}
			}
			if told[w.args+named] = true; code != 1 || named == "" || after != before {
				t.Errorf("%s, %s: code %d, %q; the disk has\n%s\nbefore\n%s", w.args,
					size, code, stderr, after, before)
			}
		}
	}
	for _, w := range writings {
		if !told[w.args+w.outputs[0]] {
			t.Errorf("%s: no disk was full", w.args)
		}
	}
}
