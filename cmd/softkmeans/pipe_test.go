//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// An interrupt ends the wait for the other end of a named pipe, and no file is left.
func TestInterruptedOpen(t *testing.T) {
	inputs(t)
	before := files(t, ".")
	for i, args := range []string{
		"fit -k 2 -o out.csv pipe",
		"fit -k 2 -o pipe data.csv",
		"predict -model pipe data.csv",
		"predict -model good.json pipe",
		"floors pipe",
		"floors -o pipe data.csv",
		"certify -model pipe data.csv",
		"certify -centers pipe data.csv",
		"certify -centers good-centers.csv pipe",
		"certify -centers good-centers.csv -memberships pipe data.csv",
		"evaluate pipe data.csv",
		"evaluate -truth 1 data.csv pipe",
		"evaluate -materials data.csv pipe",
		"report -o page.html pipe",
		"unmix -k 2 -spectra out.csv pipe",
	} {
		pipe := "pipe" + strconv.Itoa(i) // a late open of one must not meet the next
		if err := syscall.Mkfifo(pipe, 0o666); err != nil {
			t.Fatal(err)
		}
		args = strings.ReplaceAll(args, "pipe", pipe)
		var stderr bytes.Buffer
		if code := runFor(t, 10, strings.Fields(args), nil, &stderr); code != 1 ||
			stderr.String() != "softkmeans: interrupted; no file was written\n" {
			t.Errorf("%s: code %d, %q", args, code, &stderr)
		}
		if err := os.Remove(pipe); err != nil {
			t.Fatal(err)
		}
	}
	if after := files(t, "."); after != before {
		t.Errorf("%q, not %q", after, before)
	}
}

// A file that is not a model is not read to its end, which it may not have.
func TestEndlessModel(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	inputs(t)
	for _, args := range []string{"predict -model /dev/zero data.csv", "certify -model /dev/zero data.csv"} {
		code, stdout, stderr := do(t, "", strings.Fields(args)...)
		if want := "softkmeans: /dev/zero: not a model file: this is no text; give a file that softkmeans " +
			"fit -model wrote\n"; code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}
