package rows

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/npy"
	"softkmeans/internal/table"
	"softkmeans/internal/tables"
)

// packed is a gzip file with each of the parts as a member.
func packed(t testing.TB, parts ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		z := gzip.NewWriter(&b)
		tables.Must(z.Write(part))(t)
		tables.OK(t, z.Close())
	}
	return b.Bytes()
}

// A compressed file is read like its content: at once, in blocks, and from a pipe.
func TestGzip(t *testing.T) {
	const rows, cols = 5003, 3
	values := random(rows * cols)
	text, array := csvText(cols, values), npyFile(t, rows, cols, values)
	for name, content := range map[string][]byte{
		"text": packed(t, text), "array": packed(t, array), "members": packed(t, text[:7], text[7:99999], nil,
			text[99999:]), "members of an array": packed(t, array[:3], array[3:]),
	} {
		path := write(t, "f", content)
		for what, in := range map[string]io.Reader{"a file": openFile(t, path),
			"a pipe": io.MultiReader(bytes.NewReader(content))} {
			got, err := ReadAll(in, path, table.Dialect{Workers: 2})
			if err != nil || got.Rows != rows || !slices.Equal(got.Data, values) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
		f := tables.Must(Open(path, Options{BlockRows: 1000, Dialect: table.Dialect{Workers: 2}}))(t)
		if !f.Compressed || f.Size != int64(len(content)) {
			t.Errorf("%s: %+v", name, f)
		}
		for range 2 {
			var data []float64
			last := int64(0)
			for x, err := range f.Blocks(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				data = append(data, x.Data...)
				if n := f.BytesRead(); n < last || n > f.Size {
					t.Errorf("%s: %d of %d bytes after %d", name, n, f.Size, last)
				}
				last = f.BytesRead()
			}
			if !slices.Equal(data, values) || f.BytesRead() != f.Size {
				t.Errorf("%s: %d values, %d of %d bytes", name, len(data), f.BytesRead(), f.Size)
			}
		}
	}
	if f, err := Open(write(t, "f", text), Options{}); err != nil || f.Compressed {
		t.Errorf("text: %v, %v", f, err)
	}
}

func openFile(t *testing.T, path string) io.Reader {
	t.Helper()
	f := tables.Must(os.Open(path))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestGzipErrors(t *testing.T) {
	text := csvText(3, random(12000))
	whole := packed(t, text)
	array := packed(t, npyFile(t, 4000, 3, random(12000)))
	changed := func(from []byte, at int, more ...byte) []byte {
		b := slices.Clone(from)
		copy(b[(at+len(b))%len(b):], more)
		return b
	}
	for _, test := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"cut in its header", whole[:5], "F: the gzip file is cut"},
		{"cut after its header", whole[:10], "F:1: the gzip file is cut"},
		{"cut in the middle", whole[:len(whole)/2], "F:1997: "},
		{"cut in the middle", whole[:len(whole)/2], "the gzip file is cut: unexpected EOF"},
		{"cut in its checksum", whole[:len(whole)-5], "F:4001: the gzip file is cut"},
		{"an array that is cut", array[:len(array)/2], "F: the gzip file is cut"},
		{"another checksum", changed(whole, -8, 1, 2, 3),
			"F: the gzip file is damaged: its content has another checksum or length"},
		{"another length", changed(whole, -4, 1, 2, 3),
			"F: the gzip file is damaged: its content has another checksum or length"},
		{"damaged", changed(whole, 12, bytes.Repeat([]byte{0xff}, 50)...),
			"F:1: the gzip file is damaged: flate: corrupt input before offset"},
		{"no gzip", []byte("\x1f\x8b,1,2\n3,4,5,6,7,8,9,1,2\n"),
			"F: the file begins like gzip, but is not gzip"},
		{"more behind", append(slices.Clone(whole), "1,2,3\nmore than a header\n"...),
			"F: the gzip data is followed by something that is not gzip"},
		{"twice", packed(t, whole), "F: this is a gzip file; unpack it first"},
		{"binary", packed(t, []byte("PK\x03\x04\x00\x00\x00")), "F: this is a zip file"},
		{"empty", packed(t, nil), "F: there are no rows"},
		{"a word", packed(t, text, []byte("1,2,x\n")), `F:4001:3: "x" is not a number`},
		{"an array and more", packed(t, npyFile(t, 1, 1, []float64{1}), []byte{0}), "F: there is more after"},
	} {
		path := write(t, "f", test.content)
		var errs []error
		_, err := ReadAll(bytes.NewReader(test.content), path, table.Dialect{})
		errs = append(errs, err)
		for workers := range 2 {
			f, err := Open(path, Options{Dialect: table.Dialect{Workers: workers}})
			if err == nil {
				for _, e := range f.Blocks(t.Context()) {
					err = e
				}
			}
			errs = append(errs, err)
		}
		for _, err := range errs {
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), path, "F"), test.want) {
				t.Errorf("%s: %v, want %s", test.name, err, test.want)
			} else if strings.Contains(test.name, "cut") && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: %v is not a cut", test.name, err)
			}
		}
	}
}

// A small file with a large content takes no more memory in blocks than its lines
// take. A line without an end takes no more than the limits.
func TestGzipBomb(t *testing.T) {
	if os.Getenv("SOFTKMEANS_LONG") != "1" {
		t.Skip("reads hundreds of MB; SOFTKMEANS_LONG=1 runs it")
	}
	row := bytes.Repeat([]byte("0.25,0.5,1\n"), 1<<20)
	rows := packed(t, row, row, row, row)
	line := packed(t, bytes.Repeat([]byte("1,"), 33<<20))
	promise := func(cols int) []byte {
		var b bytes.Buffer
		tables.OK(t, npy.WriteHeader(&b, 1, cols))
		return packed(t, b.Bytes())
	}
	for _, test := range []struct {
		name    string
		content []byte
		want    string
		most    uint64
	}{
		{"rows", rows, "", 16 << 20},
		{"a line", line, "a line of more than 64 MB", 400 << 20},
		{"a promise", promise(1 << 20), "the file is cut: 8388608 of 8388608 bytes of values are missing, " +
			"from row 1 on", 400<<20 + raceAllows},
		{"a larger promise", promise(1<<20 + 1),
			"1048577 columns; a pipe or a compressed file may have 1048576", 1 << 20},
	} {
		path := write(t, "f.gz", test.content)
		runtime.GC()
		var from, to runtime.MemStats
		runtime.ReadMemStats(&from)
		n := 0
		f, err := Open(path, Options{})
		if err == nil {
			for x, e := range f.Blocks(t.Context()) {
				if err = e; err == nil {
					n += x.Rows
				}
			}
		}
		runtime.ReadMemStats(&to)
		if test.want == "" && (err != nil || n != 4<<20) || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %d rows, %v", test.name, n, err)
		}
		if alloc := to.TotalAlloc - from.TotalAlloc; alloc > test.most {
			t.Errorf("%s: %d MB were allocated for %d bytes", test.name, alloc>>20, len(test.content))
		}
	}
}

// No content makes reading panic, compressed or not, and reading at once and in blocks
// give the same rows or error.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"1,2\n3,4\n", "a;b;c\n1;2;3\n", "1,2\n3", "\x93NUMPY\x01\x00F\x00{'descr': " +
		"'<f8', 'fortran_order': False, 'shape': (1, 1), }          \n\x00\x00\x00\x00\x00\x00\x00\x00", ""} {
		f.Add([]byte(s), "", "", 0)
		f.Add(packed(f, []byte(s)), "1", "2", 1)
		f.Add(packed(f, []byte(s), []byte(s)), "", "c", 2)
		f.Add(packed(f, packed(f, []byte(s))), "", "1", 3)
	}
	f.Fuzz(func(t *testing.T, content []byte, label, drop string, workers int) {
		d := table.Dialect{Label: label, Drop: strings.Fields(drop), Workers: min(max(workers, 0), 3)}
		if len(content) > 1<<16 {
			return
		}
		direct, directErr := ReadAll(bytes.NewReader(content), "f.gz", d)
		if directErr != nil && !strings.HasPrefix(directErr.Error(), "f.gz:") {
			t.Fatalf("error without the name of the file: %v", directErr)
		}
		// Blocks find the same.
		var data []float64
		r, err := newReader(bytes.NewReader(content), "f.gz", d, -1)
		if err == nil {
			block := make([]float64, 3*len(r.head.Names))
			for err == nil {
				var n int
				n, err = r.rows(block, nil)
				data = append(data, block[:n*len(r.head.Names)]...)
			}
			r.close()
		}
		if (err == io.EOF) != (directErr == nil) || err != io.EOF && err.Error() != directErr.Error() {
			t.Fatalf("in blocks: %v, at once: %v", err, directErr)
		}
		if directErr == nil && !slices.Equal(data, direct.Data) {
			t.Fatalf("in blocks: %v, at once: %v", data, direct.Data)
		}
		// And so does the packed content.
		again, err := ReadAll(bytes.NewReader(packed(t, content)), "f.gz", d)
		if isPacked := bytes.HasPrefix(content, []byte(gzipMagic)); !isPacked &&
			(err == nil) != (directErr == nil) || err == nil &&
			(isPacked || !slices.Equal(again.Data, direct.Data)) {
			t.Fatalf("packed: %v, %v; at once: %v", again, err, directErr)
		}
	})
}
