package layout

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// fences returns the lines of a page in ``` of the language; lines that end in \ are joined with the next.
func fences(t *testing.T, page, language string) (lines []string) {
	text := strings.ReplaceAll(string(mustDo(os.ReadFile(page))(t)), "\\\n", " ")
	for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)\n```").FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.Split(m[1], "\n")...)
	}
	return lines
}

// written are the flags of each command that name a file to write.
var written = map[string][]string{
	"fit": {"-o", "-centers", "-model", "-means"}, "predict": {"-o"}, "report": {"-o", "-memberships"},
	"unmix": {"-o", "-spectra", "-report", "-shade", "-model"},
}

// lacks returns a file that a command reads and the folder does not have; "" if all are there.
func lacks(dir string, args []string) string {
	file := regexp.MustCompile(`\.(csv|json|hdr|npy|mtx|svm|img|sli|txt)$`)
	for i, arg := range args[1:] {
		if !file.MatchString(arg) || slices.Contains(written[args[0]], args[i]) {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, arg)); err != nil {
			return arg
		}
	}
	return ""
}

// TestCommands runs the commands of softkmeans that pages show, one after another in one folder, if their files are in
// testdata or were written by the commands before. A command with "# stops" ends with exit code 1.
func TestCommands(t *testing.T) {
	if os.Getenv("SOFTKMEANS_LONG") == "" {
		t.Skip("SOFTKMEANS_LONG is not set")
	}
	dir := t.TempDir()
	root := mustDo(os.Getwd())(t)
	if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")); err != nil {
		t.Skip(err)
	}
	program := filepath.Join(dir, "softkmeans.exe")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/softkmeans").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ran := 0
	for _, page := range []string{"README.md", "docs/command.md", "docs/files.md", "docs/unmix.md"} {
		for _, line := range fences(t, page, "") {
			command, comment, _ := strings.Cut(line, "#")
			words := strings.Fields(command)
			switch {
			case strings.HasPrefix(command, "./softkmeans ") && !strings.Contains(command, "|"):
				words = words[1:]
			case strings.HasPrefix(command, "go run ./cmd/softkmeans "):
				words = words[3:]
			default:
				continue
			}
			if file := lacks(dir, words); file != "" {
				t.Logf("%s: %s is not here: %s", page, file, command)
				continue
			}
			ran++
			c := exec.Command(program, words...)
			c.Dir = dir
			out, err := c.CombinedOutput()
			if stops := strings.HasPrefix(strings.TrimSpace(comment), "stops"); (err != nil) != stops {
				t.Errorf("%s: %s: %v\n%s", page, command, err, out)
			}
		}
	}
	if ran < 25 {
		t.Errorf("only %d commands ran", ran)
	}
}

// TestFigures: the shares of correct labels of the README and docs/accuracy.md are those that examples/accuracy prints.
func TestFigures(t *testing.T) {
	if os.Getenv("SOFTKMEANS_LONG") == "" {
		t.Skip("SOFTKMEANS_LONG is not set")
	}
	out := mustDo(exec.Command("go", "run", "./examples/accuracy").Output())(t)
	cells := func(line string) (list []string) {
		for _, c := range strings.Split(strings.Trim(line, "| "), "|") {
			list = append(list, strings.TrimSpace(c))
		}
		return list
	}
	printed := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if c := cells(strings.TrimSpace(line)); len(c) > 8 && strings.HasPrefix(c[2], ".") {
			printed[c[0]] = c
		}
	}
	// The columns of each page, and of the program.
	for page, columns := range map[string]map[int]int{
		"README.md": {1: 1, 2: 2, 3: 7}, "docs/accuracy.md": {1: 1, 2: 2, 3: 3, 4: 5, 5: 6, 6: 7}} {
		found := 0
		for line := range strings.Lines(string(mustDo(os.ReadFile(page))(t))) {
			c := cells(strings.TrimSpace(line))
			want := printed[strings.TrimSuffix(c[0], " *")]
			if want == nil || len(c) <= len(columns) {
				continue
			}
			found++
			for at, of := range columns {
				if c[at] != want[of] {
					t.Errorf("%s has %s for %s, examples/accuracy %s", page, c[at], c[0], want[of])
				}
			}
		}
		if found < 3 {
			t.Errorf("%s has %d sets of examples/accuracy", page, found)
		}
	}
}

// TestProgram runs the lines of Go in the README, and compares the figures that its comments name.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	root := mustDo(os.Getwd())(t)
	source := "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n\t\"softkmeans\"\n)\n\nfunc main() {\n" +
		strings.Join(fences(t, "README.md", "go"), "\n") + "\n}\n"
	mod := "module example.org/readme\n\ngo 1.24\n\nrequire softkmeans v0.0.0\n\nreplace softkmeans => " + root + "\n"
	for name, text := range map[string]string{"main.go": source, "go.mod": mod} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("go", "run", ".")
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := regexp.MustCompile(`-?\d+\.\d+`).FindAllString(string(out), -1)
	for _, want := range regexp.MustCompile(`//.*`).FindAllString(source, -1) {
		for _, figure := range regexp.MustCompile(`\b0\.\d+`).FindAllString(want, -1) {
			if !slices.ContainsFunc(got, func(g string) bool { return rounds(g, figure) }) {
				t.Errorf("the program of the README prints no %s: %s", figure, out)
			}
		}
	}
}

// rounds reports whether a number rounds to the shorter one.
func rounds(long, short string) bool {
	v, err := strconv.ParseFloat(long, 64)
	_, decimals, _ := strings.Cut(short, ".")
	return err == nil && strconv.FormatFloat(v, 'f', len(decimals), 64) == short
}
