// Probe fits the data sets of testdata/. It prints results that must be the same on
// every machine, and times. It embeds its data and does not import fmt, so that Go and
// TinyGo can build it for machines without files and with little memory.
//
//	NAME METHOD gap G labels CRC
//	time NAME METHOD MILLISECONDS
//	bytes N    the data in the program
//	done       the last line
//
// The command examples/everywhere runs it on many machines and compares the results.
package main

import (
	"context"
	"hash/crc32"
	"os"
	"strconv"
	"strings"
	"time"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/testdata"
)

var sets = []struct {
	name string
	k    int
}{{"iris", 3}, {"wine", 3}, {"breast_cancer", 2}, {"digits", 10}}

var methods = []struct {
	name string
	fit  func(x *softkmeans.Matrix, k int) (*softkmeans.Model, error)
}{
	{"Fit", func(x *softkmeans.Matrix, k int) (*softkmeans.Model, error) {
		return softkmeans.Fit(context.Background(), x, k, nil)
	}},
	{"Fit-tight", func(x *softkmeans.Matrix, k int) (*softkmeans.Model, error) {
		return softkmeans.Fit(context.Background(), x, k, &softkmeans.Options{Enclosure: softkmeans.EnclosureTight})
	}},
	{"FitMinVolume", func(x *softkmeans.Matrix, k int) (*softkmeans.Model, error) {
		return softkmeans.FitMinVolume(context.Background(), x, k, nil)
	}},
}

func main() {
	for _, s := range sets {
		x, err := load(s.name)
		check(err)
		for _, m := range methods {
			model, err := m.fit(x, s.k)
			check(err)
			c, err := softkmeans.Certify(context.Background(), x, model.Centers, model.Memberships, nil)
			check(err)
			say(s.name, m.name, "gap", strconv.FormatFloat(c.Gap, 'g', 3, 64), "labels", crc(model.Labels(nil)))
			if s.name == "digits" {
				ms, err := best(func() error { _, err := m.fit(x, s.k); return err })
				check(err)
				say("time", s.name, m.name, strconv.FormatFloat(ms, 'g', 4, 64))
			}
		}
	}
	files, err := testdata.Files.ReadDir(".")
	check(err)
	var size int64
	for _, f := range files {
		info, err := f.Info()
		check(err)
		size += info.Size()
	}
	say("bytes", strconv.FormatInt(size, 10))
	say("done")
}

// load returns a table with standardized columns.
func load(name string) (*softkmeans.Matrix, error) {
	text, err := testdata.Files.ReadFile(name + ".csv")
	if err != nil {
		return nil, err
	}
	t, err := table.Read(strings.NewReader(string(text)), name+".csv", table.Dialect{})
	if err != nil {
		return nil, err
	}
	scale.Of(scale.ZScore, t.Data, len(t.Names), nil).Apply(t.Data)
	return softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data), nil
}

// best calls f for half a second, at least once, and returns the shortest time in
// milliseconds.
func best(f func() error) (float64, error) {
	var shortest, all time.Duration
	for calls := 0; calls == 0 || all < 500*time.Millisecond; calls++ {
		begin := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		took := time.Since(begin)
		all += took
		if calls == 0 || took < shortest {
			shortest = took
		}
	}
	return float64(shortest) / float64(time.Millisecond), nil
}

func crc(labels []int) string {
	b := make([]byte, len(labels))
	for i, l := range labels {
		b[i] = byte(l)
	}
	return strconv.FormatUint(uint64(crc32.ChecksumIEEE(b)), 16)
}

func say(words ...string) { os.Stdout.WriteString(strings.Join(words, " ") + "\n") }

func check(err error) {
	if err != nil {
		say("error:", err.Error())
		os.Exit(1)
	}
}
