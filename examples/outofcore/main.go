// Outofcore writes a file of rows, fits it without loading it into memory, and compares
// the time with that of a plain read of the file:
//
//	go run ./examples/outofcore                       # CSV of 256 MB
//	go run ./examples/outofcore -size 4GB -format npy
//
// It must run in the folder of the module, because it builds the command from it. The
// fit is a process of its own, so that the memory is that of the fit alone. The exit
// code is 1 if the memory is above -limit, or if the result is not certified.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// settings are the command line.
type settings struct {
	size, limit int64
	format      string
	cols, k     int
	dir         string
	memberships bool
}

func main() {
	var s settings
	s.size, s.limit = 256<<20, 200<<20
	bytesFlag(&s.size, "size", "size of the file: 256MB, 4GB, …")
	bytesFlag(&s.limit, "limit", "the most memory that the fit may take")
	flag.StringVar(&s.format, "format", "csv", "csv, with all digits, or npy, 8 bytes a number")
	flag.IntVar(&s.cols, "cols", 32, "columns")
	flag.IntVar(&s.k, "k", 5, "number of prototypes, of the mixtures in the file and of the fit")
	flag.StringVar(&s.dir, "dir", "", "folder for the files, which are removed in the end (default a temporary folder)")
	flag.BoolVar(&s.memberships, "memberships", false, "write the memberships of all rows, too")
	flag.Parse()
	if flag.NArg() > 0 || s.cols < 1 || s.k < 1 || s.size < 1 || s.format != "csv" && s.format != "npy" {
		fmt.Fprintln(os.Stderr, "outofcore: -cols, -k and -size are at least 1, -format is csv or npy, and there are no other arguments")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := s.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "outofcore:", err)
		os.Exit(1)
	}
}

// bytesFlag defines a flag for a number of bytes.
func bytesFlag(to *int64, name, usage string) {
	flag.Func(name, usage+" (default "+strconv.FormatInt(*to>>20, 10)+"MB)", func(v string) error {
		var n float64
		var unit string
		size := map[string]float64{"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
		if _, err := fmt.Sscanf(strings.ToUpper(v), "%f%s", &n, &unit); err != nil || !(n > 0 && n < 1e9) || size[unit] == 0 {
			return errors.New("must be a number and KB, MB or GB")
		}
		*to = int64(n * size[unit])
		return nil
	})
}

func (s *settings) run(ctx context.Context) error {
	dir, err := os.MkdirTemp(s.dir, "softkmeans-outofcore-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "softkmeans.exe") // a name that every system can run
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/softkmeans")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the command: %w (is this the module's folder?)", err)
	}

	file := filepath.Join(dir, "rows."+s.format)
	rows, err := s.write(ctx, file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	mb := float64(info.Size()) / 1e6
	fmt.Printf("%s of %.0f MB: %d rows, %d columns, %.0f MB of numbers\n", strings.ToUpper(s.format), mb, rows, s.cols, float64(8*rows*s.cols)/1e6)

	if _, err = plainRead(ctx, file); err != nil { // fills the system's cache for both
		return err
	}
	plain, err := plainRead(ctx, file)
	if err != nil {
		return err
	}
	report, peak, err := s.fit(ctx, program, file, mb, plain.Seconds())
	switch {
	case err != nil:
		return err
	case !strings.Contains(report, "\nCertified"):
		return fmt.Errorf("the result is not certified:\n%s", report)
	case peak > s.limit:
		return fmt.Errorf("more than %d MB of memory", s.limit>>20)
	}
	return nil
}

// fit runs the command on the file and prints its times, its memory and its result. It returns the command's
// report and its peak memory. plain is the time of a plain read of the file, in seconds.
func (s *settings) fit(ctx context.Context, program, file string, mb, plain float64) (text string, peak int64, err error) {
	const passes = 3 // the scatter, the extent, the memberships
	args := []string{"fit", "-v", "-quiet", "-stream", "yes", "-scale", "none", "-method", "global", "-k", strconv.Itoa(s.k)}
	if s.memberships {
		args = append(args, "-o", filepath.Join(filepath.Dir(file), "memberships.csv"))
	}
	fit := exec.CommandContext(ctx, program, append(args, file)...)
	var report bytes.Buffer
	fit.Stdout, fit.Stderr = &report, os.Stderr
	from := time.Now()
	if err := fit.Run(); err != nil {
		return "", 0, fmt.Errorf("fit: %w", err)
	}
	took := time.Since(from).Seconds()
	fmt.Printf("plain read      %8.2f s  %6.0f MB/s, from the system's cache if it has the file\n", plain, mb/plain)
	fmt.Printf("fit, %d passes   %8.2f s  %6.0f MB/s a pass, %.1f plain reads each\n", passes, took, passes*mb/took, took/plain/passes)
	fmt.Printf("processor time  %8.2f s\n", (fit.ProcessState.UserTime() + fit.ProcessState.SystemTime()).Seconds())
	if peak = peakMemory(fit.ProcessState); peak > 0 {
		fmt.Printf("memory          %8.0f MB at most\n", float64(peak)/1e6)
	}
	for line := range strings.Lines(report.String()) {
		if f := strings.Fields(line); len(f) > 1 && (f[0] == "objective" || f[0] == "floor" || f[0] == "excess") {
			fmt.Printf("%-15s %s\n", f[0], f[1])
		}
	}
	return report.String(), peak, nil
}

// plainRead returns the time of reading the file without using it.
func plainRead(ctx context.Context, name string) (time.Duration, error) {
	from := time.Now()
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for buffer := make([]byte, 1<<20); err == nil && ctx.Err() == nil; {
		_, err = f.Read(buffer)
	}
	if err != io.EOF {
		return 0, cmp.Or(err, ctx.Err())
	}
	return time.Since(from), nil
}
