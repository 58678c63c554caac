package main

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// TestRun: the picture is there, and has points of all three colors.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "iris.png")
	if err := run(file); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	pixels := map[[3]uint32]int{}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			r, g, b, _ := picture.At(x, y).RGBA()
			pixels[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	for _, c := range [][3]uint32{{0, 114, 178}, {213, 94, 0}, {0, 158, 115}} {
		if pixels[c] < 200 {
			t.Errorf("%d pixels have the color %v", pixels[c], c)
		}
	}
	if err := run(filepath.Join(t.TempDir(), "iris.doc")); err == nil {
		t.Error("a format that there is not is no error")
	}
}
