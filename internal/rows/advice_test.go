package rows

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans/internal/tables"
)

// advised are flags in errors and notes, with their values; where a value is to be chosen there
// are several.
var (
	advised = regexp.MustCompile(`-(drop|keep|label|id|encode|missing|header|transpose|long|skip|na|below) ` +
		`('[^']*'|[^ ;),]+)(?:( or | and )([a-z]+))?`)
	all     = regexp.MustCompile(`\(add (-.*?), which `)
	inPlace = regexp.MustCompile(`(-keep) in place of (-drop)`)
)

// advice returns the flags that a message names, each alone.
func advice(message string) (flags []string) {
	add := func(flag string) {
		if !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	var drop string
	for _, m := range advised.FindAllStringSubmatch(message, -1) {
		if m[1] == "missing" {
			add("-missing fit")
			continue
		}
		if m[1] == "drop" && drop == "" {
			drop = m[2]
		}
		add("-" + m[1] + " " + m[2])
		if m[3] != "" && (m[1] == "header" || m[1] == "transpose" || m[1] == "long") {
			add("-" + m[1] + " " + m[4])
		}
	}
	if inPlace.MatchString(message) {
		add("-keep " + drop)
	}
	return flags
}

// Each flag that an error or a note names is followed, on each table: then the rows are those that
// the table has, or there is another error, whose advice is followed as well.
func TestAdvice(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join("..", "..", "testdata", "tables")
	tried := 0
	for _, folder := range []string{corpus, filepath.Join(corpus, "trade")} {
		wants := tables.Want(t, filepath.Join(folder, "want.txt"))
		may := map[string][]string{} // the numbers of rows that a file has, either way round
		for _, want := range wants {
			name := want["file"][0]
			may[name] = append(may[name], want["rows"]...)
		}
		seen := map[string]bool{}
		for _, want := range wants {
			if name := want["file"][0]; !seen[name] {
				seen[name] = true
				tried += follow(t, filepath.Join(folder, name), may[name], "", 3)
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d pieces of advice", tried)
	}
}

// lastOf is flags without values that others replace. Lists of columns and words grow.
func lastOf(flags string) (list []string) {
	words := wordsOf(flags)
	for i := 0; i < len(words); i += 2 {
		if at := slices.Index(list, words[i]); at >= 0 {
			if slices.Contains([]string{"-drop", "-keep", "-na", "-skip"}, words[i]) {
				list[at+1] += "," + words[i+1]
				continue
			}
			list[at+1] = words[i+1]
		} else {
			list = append(list, words[i:i+2]...)
		}
	}
	return list
}

// follow reads a table with flags, and then with those that are advised.
func follow(t *testing.T, name string, may []string, flags string, depth int) (tried int) {
	got, err := ReadAll(openFile(t, name), name, dialectOf(t, []string{flags}))
	message := ""
	if err != nil {
		message = err.Error()
		if m := all.FindStringSubmatch(message); m != nil { // mends all that is wrong
			line := strings.Join(lastOf(flags+" "+m[1]), " ")
			_, err := ReadAll(openFile(t, name), name, dialectOf(t, []string{line}))
			if err != nil {
				t.Errorf("%s with %q: %v", filepath.Base(name), line, err)
			}
		}
	} else {
		message = strings.Join(got.Notes, "\n")
		if may != nil && !slices.Contains(may, strconv.Itoa(got.Rows)) &&
			!strings.Contains(flags, "-header no") {
			t.Errorf("%s with %q: %d rows, not %v; notes %q", filepath.Base(name), flags, got.Rows, may,
				got.Notes)
		}
	}
	if depth == 0 {
		return 0
	}
	for _, flag := range advice(message) {
		word, _, _ := strings.Cut(flag, " ")
		if strings.Contains(flags, word+" ") {
			continue // it is given already
		}
		tried += 1 + follow(t, name, may, strings.TrimSpace(flags+" "+flag), depth-1)
	}
	return tried
}
