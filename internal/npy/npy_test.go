package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"softkmeans/internal/tables"
)

// file returns a .npy file with the given dictionary and values.
func file(version byte, dict string, values []byte) []byte {
	b := []byte(Magic + string([]byte{version, 0}))
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	return append(append(b, dict...), values...)
}

func dict(descr, shape string) string {
	return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n"
}

// readAll reads all rows in blocks of so many values.
func readAll(in io.Reader, block int) (r *Reader, data []float64, err error) {
	if r, err = NewReader(in, "f.npy"); err != nil {
		return nil, nil, err
	}
	dst := make([]float64, max(block, r.Cols))
	for {
		n, err := r.ReadRows(dst)
		data = append(data, dst[:n*r.Cols]...)
		if err == io.EOF {
			return r, data, nil
		}
		if err != nil {
			return r, data, err
		}
	}
}

func encode(order binary.ByteOrder, values any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, order, values); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestRead(t *testing.T) {
	little, big := binary.LittleEndian, binary.BigEndian
	for _, test := range []struct {
		name       string
		file       []byte
		rows, cols int
		data       []float64
	}{
		{"f8", file(1, dict("<f8", "(2, 3)"), encode(little, []float64{1, 2.5, -3, 4, math.MaxFloat64,
			5e-324})), 2, 3, []float64{1, 2.5, -3, 4, math.MaxFloat64, 5e-324}},
		{"big endian", file(1, dict(">f8", "(3, 1)"), encode(big, []float64{1, 2, -3})), 3, 1,
			[]float64{1, 2, -3}},
		{"f4", file(2, dict("<f4", "(1, 2)"), encode(little, []float32{0.1, -2})), 1, 2,
			[]float64{float64(float32(0.1)), -2}},
		{"f4, big endian", file(3, dict(">f4", "(1, 2)"), encode(big, []float32{0.1, -2})), 1, 2,
			[]float64{float64(float32(0.1)), -2}},
		{"one dimension", file(1, dict("<f8", "(3,)"), encode(little, []float64{1, 2, 3})), 3, 1,
			[]float64{1, 2, 3}},
		{"i8", file(1, dict("<i8", "(2,)"), encode(little, []int64{-1, 1 << 60})),
			2, 1, []float64{-1, 1 << 60}},
		{"u8", file(1, dict(">u8", "(1,)"), encode(big, []uint64{1 << 63})), 1, 1, []float64{1 << 63}},
		{"i4", file(1, dict(">i4", "(2,)"), encode(big, []int32{-1, 7})), 2, 1, []float64{-1, 7}},
		{"u4", file(1, dict("<u4", "(1,)"), encode(little, []uint32{1 << 31})), 1, 1, []float64{1 << 31}},
		{"i2", file(1, dict("<i2", "(2,)"), encode(little, []int16{-1, 7})), 2, 1, []float64{-1, 7}},
		{"u2", file(1, dict("<u2", "(1,)"), encode(little, []uint16{1 << 15})), 1, 1, []float64{1 << 15}},
		{"i1", file(1, dict("|i1", "(2,)"), []byte{255, 7}), 2, 1, []float64{-1, 7}},
		{"u1", file(1, dict("|u1", "(2,)"), []byte{255, 7}), 2, 1, []float64{255, 7}},
		{"bool", file(1, dict("|b1", "(2,)"), []byte{1, 0}), 2, 1, []float64{1, 0}},
		{"another hand", file(1, ` { "shape" :( 1L ,2L ) , "fortran_order":False,"descr":"<f8"} `,
			encode(little, []float64{1, 2})), 1, 2, []float64{1, 2}},
		{"one row has no order", file(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2)}",
			encode(little, []float64{1, 2})), 1, 2, []float64{1, 2}},
		{"columns", file(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3)}",
			encode(little, []int16{0, 2, 4, 1, 3, 5})), 2, 3, []float64{0, 4, 3, 2, 1, 5}},
	} {
		for block := 1; block < 8; block++ {
			r, data, err := readAll(iotest.OneByteReader(bytes.NewReader(test.file)), block)
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			} else if r.CheckSize(int64(len(test.file))) != nil || r.Rows != test.rows ||
				r.Cols != test.cols || !slices.Equal(data, test.data) {
				t.Errorf("%s: %d×%d %v, want %d×%d %v", test.name, r.Rows, r.Cols, data,
					test.rows, test.cols, test.data)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	f8 := func(v ...float64) []byte { return encode(binary.LittleEndian, v) }
	for _, test := range []struct {
		file []byte
		want string
		rows int // before the error
	}{
		{nil, "the file is cut in its header", 0},
		{[]byte(Magic), "the file is cut in its header", 0},
		{[]byte("a,b,c\n1,2,3\n"), "not a .npy file", 0},
		{file(1, dict("<f8", "(1,)"), nil)[:30], "the file is cut in its header", 0},
		{file(4, dict("<f8", "(1,)"), nil), "version 4.0 of the .npy format", 0},
		{file(2, dict("<f8", "(1,)"), nil)[:11], "the file is cut in its header", 0},
		{append([]byte(Magic), 2, 0, 255, 255, 255, 255), "a header of 4294967295 bytes", 0},
		{file(1, dict("|O", "(1,)"), nil), `values of type "|O"`, 0},
		{file(1, dict("<c16", "(1,)"), nil), `values of type "<c16"`, 0},
		{file(1, dict("=f8", "(1,)"), nil), `values of type "=f8"`, 0},
		{file(1, dict("<f8", "()"), nil), "an array of 0 dimensions", 0},
		{file(1, dict("<f8", "(2, 2, 2)"), nil), "an array of 3 dimensions", 0},
		{file(1, dict("<f8", "(0, 2)"), nil), "there are no rows", 0},
		{file(1, dict("<f8", "(2, 0)"), nil), "there are no columns", 0},
		{file(1, dict("<f8", "(3)"), nil), "the shape is a number", 0},
		{file(1, dict("<f8", "(-3,)"), nil), `is not a size`, 0},
		{file(1, dict("<f8", "(99999999999999999999,)"), nil), `is not a size`, 0},
		{file(1, dict("<f8", fmt.Sprintf("(%d, 2)", math.MaxInt/8)), nil), "more than can be addressed", 0},
		{file(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2)}", nil),
			"the file is cut: 32 of 32 bytes of values are missing", 0},
		{file(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}", nil),
			"records of several fields", 0},
		{file(1, "{'descr': '<f8', 'shape': (2,)}", nil), `there is no "fortran_order"`, 0},
		{file(1, "{'descr': '<f8', 'descr': '<f8'}", nil), `"descr" twice`, 0},
		{file(1, "{'other': '<f8'}", nil), `"other" is not an entry`, 0},
		{file(1, dict("<f8", "(2,)")+"x", nil), "something follows", 0},
		{file(1, "{'descr': '<f8", nil), "does not end", 0},
		{file(1, dict("<f8", "(3, 2)"), f8(1, 2, 3)),
			"the file is cut: 24 of 48 bytes of values are missing, from row 2 on", 1},
		{file(1, dict("<f8", "(3, 2)"), f8(1, 2, 3, 4, 5, 6)[:47]),
			"the file is cut: 1 of 48 bytes of values are missing, from row 3 on", 2},
		{file(1, dict("<f8", "(3, 2)"), nil),
			"the file is cut: 48 of 48 bytes of values are missing, from row 1 on", 0},
		{file(1, dict("<f8", "(1000000000, 100)"), f8(1)), "the file is cut: 799999999992 of 800000000000",
			0},
		{file(1, dict("<f8", "(1, 2)"), f8(1, 2, 3)), "there is more after the 1×2 values", 1},
		{file(1, dict("<f8", "(3, 2)"), f8(1, 2, 3, math.NaN(), 5, 6)),
			"row 2, column 2: NaN is not a finite number", 1},
		{file(1, dict("<f8", "(3, 2)"), f8(1, 2, 3, 4, math.Inf(-1), 6)),
			"row 3, column 1: -Inf is not a finite number", 2},
	} {
		if strings.Contains(test.want, "of 800000000000") && math.MaxInt == math.MaxInt32 {
			test.want = "more than can be addressed"
		}
		r, err := NewReader(bytes.NewReader(test.file), "f.npy")
		rows := 0
		if err == nil {
			dst := make([]float64, 100)
			for err == nil {
				var n int
				n, err = r.ReadRows(dst)
				rows += n
			}
		}
		if !strings.HasPrefix(err.Error(), "f.npy: ") ||
			!strings.Contains(err.Error(), test.want) || rows != test.rows {
			t.Errorf("%.60q: %d rows, %v, want %d, %s", test.file, rows, err, test.rows, test.want)
		}
	}
}

// ReadHeader takes any shape and order, and HeaderText writes what it reads.
func TestReadHeader(t *testing.T) {
	text := HeaderText(4, 5, 3)
	h, err := ReadHeader(strings.NewReader(text))
	if err != nil || !slices.Equal(h.Shape, []int{4, 5, 3}) || h.Fortran || h.Kind.Size != 8 ||
		h.Size != int64(len(text)) || h.Size%64 != 0 {
		t.Errorf("%+v, %v", h, err)
	}
	h, err = ReadHeader(bytes.NewReader(file(1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 4)}",
		nil)))
	if err != nil || !slices.Equal(h.Shape, []int{2, 3, 4}) || !h.Fortran || h.Kind.Size != 2 {
		t.Errorf("%+v, %v", h, err)
	}
}

// Every kind writes what it reads. What does not fit is an error.
func TestKinds(t *testing.T) {
	for descr, limits := range map[string][2]float64{"|u1": {0, 255}, "|i1": {-128, 127}, "<u2": {0, 65535},
		">i2": {-32768, 32767}, "<i4": {-1 << 31, 1<<31 - 1},
		">u4": {0, 1<<32 - 1}, "<i8": {-1 << 63, 1<<63 - 1024}, ">u8": {0, 1<<64 - 2048},
		"<f4": {-math.MaxFloat32, math.MaxFloat32}, ">f8": {-math.MaxFloat64, math.MaxFloat64}} {
		kind := tables.Must(KindOf(descr))(t)
		values := []float64{limits[0], limits[1], 0, 1, 2}
		b := make([]byte, len(values)*kind.Size)
		if err := kind.Put(b, values); err != nil {
			t.Errorf("%s: %v", descr, err)
		}
		got := make([]float64, len(values))
		if kind.Get(got, b); !slices.Equal(got, values) {
			t.Errorf("%s: %v, not %v", descr, got, values)
		}
		for _, v := range []float64{2*limits[0] - 1, 2*limits[1] + 1, math.NaN()} {
			if err := kind.Put(b, []float64{v}); err == nil && !strings.Contains(descr, "f") {
				t.Errorf("%s takes %v", descr, v)
			}
		}
	}
	if kind, _ := KindOf("<f4"); kind.Put(make([]byte, 4), []float64{1e39}) == nil ||
		kind.Put(make([]byte, 4), []float64{math.Inf(1)}) != nil {
		t.Error("f4: 1e39 is no infinity")
	}
	kind, _ := KindOf("<i2")
	got, b := make([]float64, 4), make([]byte, 8)
	if err := kind.Put(b, []float64{1.5, 2.5, -1.4, 32767.2}); err != nil {
		t.Error(err)
	}
	if kind.Get(got, b); !slices.Equal(got, []float64{2, 2, -1, 32767}) {
		t.Errorf("rounded to %v", got)
	}
}

// CheckSize tells files that are cut, or have more than their values.
func TestCheckSize(t *testing.T) {
	f8 := func(v ...float64) []byte { return encode(binary.LittleEndian, v) }
	for size, want := range map[int]string{8: "there is more after", 0: "",
		-1: "1 of 32 bytes of values are missing, from row 2 on", -32: "32 of 32 bytes"} {
		for version := byte(1); version <= 3; version++ {
			whole := file(version, dict("<f8", "(2, 2)"), f8(1, 2, 3, 4))
			r := tables.Must(NewReader(bytes.NewReader(whole), "f.npy"))(t)
			if err := r.CheckSize(int64(len(whole) + size)); (err == nil) != (want == "") || err != nil &&
				!strings.Contains(err.Error(), want) {
				t.Errorf("version %d, %d bytes more: %v, want %q", version, size, err, want)
			}
		}
	}
}

// An error of the file itself comes through wherever it happens.
func TestReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	whole := file(1, dict("<f8", "(2, 2)"), encode(binary.LittleEndian, []float64{1, 2, 3, 4}))
	for n := range len(whole) + 1 {
		if _, _, err := readAll(io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(broken)),
			2); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestWrite(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {3, 5}, {100000, 7}, {1, 50000}} {
		values := make([]float64, shape[0]*shape[1])
		for i := range values {
			values[i] = math.Sqrt(float64(i))
		}
		var b bytes.Buffer
		tables.OK(t, errors.Join(WriteHeader(&b, shape[0], shape[1]), WriteValues(&b, values)))
		if (b.Len()-8*len(values))%64 != 0 {
			t.Errorf("%v: the header has %d bytes", shape, b.Len()-8*len(values))
		}
		r, data, err := readAll(&b, 1000)
		if err != nil || r.Rows != shape[0] || r.Cols != shape[1] || !slices.Equal(data, values) {
			t.Errorf("%v: %v", shape, err)
		}
	}
}

func FuzzHeader(f *testing.F) {
	f.Add(dict("<f8", "(2, 3)"), byte(1))
	f.Add(` { "shape" :( 1L ,2L ) , "fortran_order":False,"descr":"<f8"} `, byte(2))
	f.Add("{'descr': [('a', '<f8')], 'fortran_order': True, 'shape': ()}", byte(3))
	f.Fuzz(func(t *testing.T, text string, version byte) {
		if len(text) > 1000 {
			return
		}
		values := make([]byte, 64)
		r, err := NewReader(bytes.NewReader(file(version, text, values)), "f.npy")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.npy: ") {
				t.Fatal(err)
			}
			return
		}
		if r.Rows < 1 || r.Cols < 1 {
			t.Fatalf("%q: %d×%d", text, r.Rows, r.Cols)
		}
		if r.Cols > 1e6 {
			return
		}
		dst := make([]float64, r.Cols)
		rows := 0
		for err == nil {
			var n int
			n, err = r.ReadRows(dst)
			rows += n
		}
		if (err == io.EOF) != (rows == r.Rows && rows*r.Cols*r.kind.Size <= 64 &&
			!strings.Contains(err.Error(), "more")) {
			t.Fatalf("%q: %d rows of %d×%d, %v", text, rows, r.Rows, r.Cols, err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	values := make([]float64, 1<<20)
	if err := errors.Join(WriteHeader(&text, 1<<16, 16), WriteValues(&text, values)); err != nil {
		b.Fatal(err)
	}
	dst := make([]float64, 1<<16)
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(text.Bytes()), "b")
		for err == nil {
			_, err = r.ReadRows(dst)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}
