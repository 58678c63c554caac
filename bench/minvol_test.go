package main

import (
	"context"
	"io"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// The same seed is the same data, to the bit. The digits are all there.
func TestVolumeCases(t *testing.T) {
	if a, b := simulateImages(60, 20, 6, 1), simulateImages(60, 20, 6, 1); !mat.Equal(a, b) {
		t.Error("two calls differ")
	}
	if a, b := simulateImages(60, 20, 6, 1), simulateImages(60, 20, 6, 2); mat.Equal(a, b) {
		t.Error("two seeds do not differ")
	}
	x, err := digitsData()
	if err != nil {
		t.Fatal(err)
	}
	if n, d := x.Dims(); n != 1797 || d != 64 {
		t.Errorf("digits are %d×%d", n, d)
	}
}

// A call is stopped when it has had its time.
func TestVolumeCap(t *testing.T) {
	x := simulateImages(60, 20, 3, 1)
	for _, c := range []struct {
		limit time.Duration
		more  string
	}{{time.Hour, ""}, {1, "> "}} {
		v, err := timeVolume(context.Background(), x, 3, c.limit)
		if err != nil || v.more() != c.more || v.passes == 0 || (v.model == nil) != (c.more != "") {
			t.Errorf("%v: %+v, %v", c.limit, v, err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if v, err := timeVolume(ctx, x, 3, time.Hour); err == nil {
		t.Errorf("cancelled: %+v", v)
	}
}

// The modes print their tables, with and without Python.
func TestModes(t *testing.T) {
	cases := volumeCases
	t.Cleanup(func() { volumeCases = cases })
	volumeCases = []volumeCase{{"small", 3, imagesCase(60, 20, 3)}}
	for _, args := range [][]string{
		{"-minvol"},
		{"-minvol", "-python", "none"},
		{"-scenes", "-python", "none", "-seeds", "5-5", "-only", "pure_5", "-without", ","},
	} {
		if err := run(context.Background(), args, io.Discard, io.Discard); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, bad := range [][]string{{"-minvol", "-only", "such"}, {"-scenes", "-python", "none", t.TempDir()}, {"-labels", "-python", "none", t.TempDir()}} {
		if err := run(context.Background(), bad, io.Discard, io.Discard); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}
