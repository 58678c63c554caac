package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// machine is a platform for which the package is built, and how programs run there.
type machine struct {
	name string
	how  string   // the platform and what runs its programs
	env  []string // of the build
	tiny string   // TinyGo's target, or "host"; "": Go builds it
	by   string   // the program that runs it; "": it runs by itself
}

// simd is the version of Go with vectors that the package supports.
var simd = []string{"GOTOOLCHAIN=go1.27.4", "GOEXPERIMENT=simd"}

var machines = []machine{
	{name: "native", how: runtime.GOOS + "/" + runtime.GOARCH},
	{name: "simd", how: runtime.GOOS + "/" + runtime.GOARCH + ", Go 1.27 with vectors", env: simd},
	{name: "amd64v1", how: "linux/amd64, GOAMD64=v1", env: []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v1"}},
	{name: "amd64v3", how: "linux/amd64, GOAMD64=v3", env: []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3"}},
	{name: "386", how: "linux/386, qemu", env: []string{"GOOS=linux", "GOARCH=386"}, by: "qemu-i386-static"},
	{name: "arm64", how: "linux/arm64, qemu", env: []string{"GOOS=linux", "GOARCH=arm64"}, by: "qemu-aarch64-static"},
	{name: "riscv64", how: "linux/riscv64, qemu", env: []string{"GOOS=linux", "GOARCH=riscv64"}, by: "qemu-riscv64-static"},
	{name: "s390x", how: "linux/s390x (big endian), qemu", env: []string{"GOOS=linux", "GOARCH=s390x"}, by: "qemu-s390x-static"},
	{name: "js", how: "js/wasm, Node", env: []string{"GOOS=js", "GOARCH=wasm"}, by: "node"},
	{name: "js-simd", how: "js/wasm, Node, Go 1.27 with vectors", env: append([]string{"GOOS=js", "GOARCH=wasm"}, simd...), by: "node"},
	{name: "wasip1", how: "wasip1/wasm, wazero", env: []string{"GOOS=wasip1", "GOARCH=wasm"}, by: "wazero"},
	{name: "tinygo", how: "TinyGo, " + runtime.GOOS + "/" + runtime.GOARCH, tiny: "host"},
	{name: "tinygo-js", how: "TinyGo, wasm, Node", tiny: "wasm", by: "node"},
	{name: "tinygo-wasip1", how: "TinyGo, wasip1, wazero", tiny: "wasip1", by: "wazero"},
}

// missing says which tool is missing for the machine; "" if it can be run here.
func (m machine) missing(ctx context.Context) string {
	if m.tiny != "" {
		if _, err := exec.LookPath("tinygo"); err != nil {
			return "there is no tinygo"
		}
		// It fails if the go command is too new for it.
		if _, err := m.tool(ctx, "tinygo", "list", "runtime"); err != nil {
			lines := strings.Split(err.Error(), "\n") // the other lines are its usage
			return strings.Join(lines[:min(2, len(lines))], ": ")
		}
	} else if _, err := m.tool(ctx, "go", "version"); errors.Is(err, exec.ErrNotFound) {
		return "there is no go command on the PATH"
	} else if err != nil {
		return "there is no Go with " + strings.Join(m.env, " ")
	}
	if m.direct() {
		return ""
	}
	if m.by == "" {
		return "this machine does not run its programs"
	}
	if _, err := exec.LookPath(m.by); err != nil {
		return "there is no " + m.by
	}
	return ""
}

// direct reports whether this machine runs the programs without an emulator.
func (m machine) direct() bool {
	goos, goarch := m.value("GOOS"), m.value("GOARCH")
	if m.tiny != "" {
		return m.tiny == "host"
	}
	if goos != "" && goos != runtime.GOOS {
		return false
	}
	return goarch == "" || goarch == runtime.GOARCH
}

func (m machine) value(name string) string {
	for _, v := range m.env {
		if v, ok := strings.CutPrefix(v, name+"="); ok {
			return v
		}
	}
	return ""
}

// tool runs go or tinygo with the machine's environment and returns its output.
func (m machine) tool(ctx context.Context, words ...string) (string, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	cmd.Env = append(cmd.Env, m.env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = errors.New(strings.Join(words, " ") + ": " + err.Error() + "\n" + string(exit.Stderr) + string(out))
	}
	return strings.TrimSpace(string(out)), err
}

// build compiles a package to file; with words for its tests, those.
func (m machine) build(ctx context.Context, file, pkg string, tests ...string) error {
	test := len(tests) > 0
	var words []string
	if m.tiny == "" {
		words = []string{"go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"}
		if test {
			words = []string{"go", "test", "-c"}
		}
	} else {
		words = []string{"tinygo", "build", "-no-debug", "-opt=2"}
		if test {
			words = []string{"tinygo", "test", "-c", "-opt=1"} // builds twice as fast
		}
		if m.tiny != "host" {
			words = append(words, "-target="+m.tiny)
		}
		if m.tiny == "wasm" {
			words = append(words, tests...) // built in, because the program gets no arguments
		}
	}
	_, err := m.tool(ctx, append(words, "-o", file, pkg)...)
	return err
}

// command returns the command that runs a program of the machine.
func (m machine) command(ctx context.Context, file string, args ...string) (*exec.Cmd, error) {
	words := []string{file}
	if !m.direct() {
		words = []string{m.by, file}
	}
	switch {
	case m.by == "wazero":
		folder, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		words = []string{m.by, "run", "-mount=/:/", "-env=PWD=" + folder, file} // examples of tests use /tmp
	case m.tiny == "wasm":
		root, err := m.tool(ctx, "tinygo", "env", "TINYGOROOT")
		if err != nil {
			return nil, err
		}
		words = []string{m.by, filepath.Join(root, "targets", "wasm_exec.js"), file}
	case m.value("GOOS") == "js":
		root, err := m.tool(ctx, "go", "env", "GOROOT")
		if err != nil {
			return nil, err
		}
		words = []string{m.by, "--stack-size=65500", filepath.Join(root, "lib", "wasm", "wasm_exec_node.js"), file}
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], args...)...)
	if m.by == "qemu-i386-static" {
		cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1") // it loses the signals
	}
	if m.by == "node" {
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // Go in JavaScript has space for a few kB
	}
	return cmd, nil
}
