package envi

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// extensions are those of the files with the values.
var extensions = []string{"", ".dat", ".img", ".raw", ".bsq", ".bil", ".bip", ".sli"}

// images are the extensions of files that have a header for certain.
var images = []string{".img", ".bsq", ".bil", ".bip", ".sli"}

// others are extensions of files that are no ENVI image, whatever is beside them.
var others = []string{".csv", ".tsv", ".txt", ".npy", ".gz"}

// Find returns the files of the image that a name belongs to: its header and its values.
// The name may be of either. Of NAME.hdr the values are in NAME or in NAME with the
// extension dat, img, raw, bsq, bil, bip or sli. Of values in NAME.img the header is
// NAME.img.hdr or NAME.hdr. Both are "" if the name is not of an image.
func Find(name string) (header, data string, err error) {
	if strings.EqualFold(filepath.Ext(name), ".hdr") {
		if _, err := os.Stat(name); err != nil {
			return "", "", err
		}
		if regular(name) && !begins(name) {
			_, err := ReadFile(name) // says what it is
			return "", "", err
		}
		data, err = findData(name)
		return name, data, err
	}
	if slices.Contains(others, strings.ToLower(filepath.Ext(name))) || !regular(name) {
		return "", "", nil
	}
	if begins(name) {
		return "", "",
			fmt.Errorf("%s: is a header by its content; name it NAME.hdr, beside the values in NAME", name)
	}
	base, ext := strings.TrimSuffix(name, filepath.Ext(name)), strings.ToLower(filepath.Ext(name))
	beside := false
	for _, header := range []string{name + ".hdr", name + ".HDR", base + ".hdr", base + ".HDR"} {
		if !regular(header) {
			continue
		}
		if beside = true; begins(header) {
			return header, name, nil
		}
		if slices.Contains(images[1:], ext) {
			_, err := ReadFile(header) // says what it is
			return "", "", err
		}
	}
	if !beside && slices.Contains(images, ext) {
		return "", "", fmt.Errorf("%s: its header, %s.hdr, is missing", name, base)
	}
	return "", "", nil
}

// findData returns the only file with the values of a header.
func findData(header string) (string, error) {
	base := header[:len(header)-len(".hdr")]
	var found []string
	var infos []os.FileInfo
	for _, ext := range extensions {
		for _, name := range []string{base + ext, base + strings.ToUpper(ext)} {
			info, err := os.Stat(name)
			same := func(other os.FileInfo) bool { return os.SameFile(other, info) }
			if err != nil || !info.Mode().IsRegular() || slices.ContainsFunc(infos, same) {
				continue // names that differ in case may be of one file
			}
			found, infos = append(found, name), append(infos, info)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: there is no file with the values beside it: %s with or without %s", header,
			base, strings.Join(extensions[1:], ", "))
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s: several files may have its values: %s; give the one",
		header, strings.Join(found, ", "))
}

func regular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func begins(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 8)
	n, _ := io.ReadFull(f, start)
	return isHeader(start[:n])
}

// ReadFile reads a header file. Errors name it.
func ReadFile(name string) (*Header, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h, err := Read(f)
	var path *os.PathError
	if err != nil && !errors.As(err, &path) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return h, err
}
