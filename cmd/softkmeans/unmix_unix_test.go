//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

// A limit of the size of files ends every output of unmix: old files are unchanged, and no
// temporary file is left.
func TestUnmixTooLarge(t *testing.T) {
	dir := inFolder(t, readFile(t, someRows(t, iris, 2)))
	for _, name := range []string{"g.img", "g.hdr", "g.npy", "s.sli", "s.hdr",
		"s.csv", "page.html", "model.json"} {
		writeText(t, name, "the old "+name)
	}
	before := files(t, dir)
	for args, want := range map[string][2]string{ // with no byte, and with 512
		"-o g.img -spectra s.csv":          {"g.hdr", "g.img"},
		"-o g.npy -spectra s.sli":          {"g.npy", "g.npy"},
		"-spectra s.sli -model model.json": {"s.hdr", "model.json"},
		"-spectra s.csv -report page.html": {"s.csv", "page.html"},
	} {
		for i, limit := range []string{"0", "1"} {
			if i == 1 && want[0] == want[1] {
				break
			}
			code, stderr := fails(shell(t, `ulimit -f `+limit+`; exec "$@"`,
				strings.Fields("unmix -k 3 -size 5x15 "+args+" data.csv")...))
			unharmed(t, args+" with "+limit, code, stderr, "cannot write "+want[i]+": file too large\n", dir,
				before)
		}
	}
	// An abundance is written anywhere in its file, which a pipe is not.
	if err := os.Symlink("/dev/null", "null.npy"); err != nil {
		t.Fatal(err)
	}
	before = files(t, dir)
	failure{"unmix -k 3 -o null.npy data.csv", 2, "-o null.npy is no regular file"}.check(t)
	if after := files(t, dir); after != before {
		t.Error(after)
	}
}
