// Command modzip writes the zip of a Go module to standard output:
//
//	go run .ci/modzip.go FOLDER PATH@VERSION SECONDS
//
// It has the files of FOLDER, without folders that are modules of their own, each under
// PATH@VERSION/ and with the same time. There are no entries for folders: the checksum of a
// module does not know them, and git archive and zip write them.
package main

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "modzip:", err)
		os.Exit(1)
	}
}

func run(folder, prefix, seconds string) error {
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	z := zip.NewWriter(os.Stdout)
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != folder {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is no file", path)
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		to, err := z.CreateHeader(&zip.FileHeader{Name: prefix + "/" + filepath.ToSlash(name), Method: zip.Deflate, Modified: time.Unix(at, 0).UTC()})
		if err != nil {
			return err
		}
		from, err := os.Open(path)
		if err != nil {
			return err
		}
		defer from.Close()
		_, err = io.Copy(to, from)
		return err
	})
	if err != nil {
		return err
	}
	return z.Close()
}
