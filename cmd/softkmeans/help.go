package main

// This file prints the help: of the program, of each command, and of the files that commands read.

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"softkmeans/internal/answer"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

//go:embed help/flags.txt
var flagTexts string

//go:embed help/commands.txt
var commandTexts string

// flagHelp describes a flag of some commands. The texts of all entries for a flag of a command are joined.
type flagHelp struct {
	name, value string // "-name VALUE"; an entry that only adds to another has no value
	of          string // the commands; "": all that have the flag
	seldom      bool   // only "help COMMAND -all" lists the flag
	text        string // behind "//" what only "help COMMAND -all" tells
}

// flagGroup is a part of the help with a title.
type flagGroup struct {
	title string
	flags []flagHelp
}

// flagGroups are the flags of all commands, in the order of the help: of help/flags.txt, which has titles behind "# ",
// a line "-name VALUE rarely: commands" for each entry, and its text indented, in
// which ¶ breaks a line. The last group is about reading files.
var flagGroups = func() (groups []flagGroup) {
	for line := range strings.Lines(flagTexts) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			groups = append(groups, flagGroup{title: strings.TrimSpace(title)})
			continue
		}
		if g := &groups[len(groups)-1]; line[0] == '-' {
			head, of, _ := strings.Cut(line[1:], ":")
			words := append(strings.Fields(head), "")
			f := flagHelp{name: words[0], of: strings.TrimSpace(of), seldom: slices.Contains(words, "rarely")}
			if words[1] != "rarely" {
				f.value = words[1]
			}
			g.flags = append(g.flags, f)
		} else if n := len(g.flags); n > 0 {
			g.flags[n-1].text += line
		}
	}
	return groups
}()

// helpText returns the parts of the help of a command, or of files, before and after its flags, of help/commands.txt.
func helpText(name string) (before, after string) {
	_, text, _ := strings.Cut(commandTexts, "=== "+name+"\n")
	text, _, _ = strings.Cut(text, "=== ")
	before, after, _ = strings.Cut(text, "---\n")
	return before, after
}

const exitHelp = "Exit code: 0 success, 1 bad data or a file error, 2 a bad command line.\n"

// overview returns the help of the program.
func overview() string {
	var lists [2]string
	for _, c := range commands {
		line := fmt.Sprintf("  %-10s %s\n", c.name, c.summary)
		if c.seldom {
			lists[1] += line
		} else {
			lists[0] += line
		}
	}
	return `softkmeans approximates every row of a table by a mixture of k prototypes near
the data, and compares the squared error with the proved minimum.

Usage: softkmeans COMMAND [flags] [FILE]

` + lists[0] + `  help       print the help of a command (softkmeans help fit), or all of its
             flags (softkmeans help fit -all), or what it reads (help files)

More:

` + lists[1] + `
Example: softkmeans fit -k 3 testdata/iris.csv
`
}

// printHelp prints the help that the arguments after "help" ask for.
func printHelp(w io.Writer, args []string) error {
	text, words := overview(), slices.DeleteFunc(slices.Clone(args), isAll)
	switch {
	case len(words) > 1 && strings.HasPrefix(words[1], "-"):
		return usageErrorf("help %s takes -all and no other flag, not %s", words[0], words[1])
	case len(words) > 1:
		return usageErrorf("help takes 1 command, not %d", len(words))
	case len(words) == 1 && words[0] == "files":
		text = helpOfFiles()
	case len(words) == 1 && words[0] != "help":
		c := find(words[0])
		if c == nil {
			return usageErrorf("no help for %q%s", words[0], nearCommand(words[0]))
		}
		text = c.helpOf(len(words) < len(args))
	}
	_, err := io.WriteString(w, text)
	return err
}

func isAll(word string) bool { return word == "-all" || word == "--all" }

// nearCommand returns a question that names the command nearest to a word, or else the commands.
func nearCommand(word string) string {
	if near := didYouMean("", word, names()); near != "" {
		return near
	}
	return "; the commands are " + strings.Join(names(), ", ")
}

// names returns the names of all commands.
func names() (list []string) {
	for _, c := range commands {
		list = append(list, c.name)
	}
	return append(list, "help")
}

// helpOf returns the help of a command, with all flags or with those that most users need.
func (c *command) helpOf(all bool) string {
	text, after := helpText(c.name)
	left := false
	for i, g := range flagGroups {
		list := entries(g.flags, c.name, c.flags())
		shown := slices.DeleteFunc(slices.Clone(list), func(f flagHelp) bool { return f.seldom && !all })
		reading := i == len(flagGroups)-1 // files have a help of their own
		left = left || reading && len(list) > 0 || len(shown) < len(list) || strings.Contains(fmt.Sprint(list), "//")
		text += g.section(shown, c.name, all && !reading)
	}
	text += "\n"
	switch {
	case left && all:
		text += "Files: softkmeans help files\n\n"
	case left:
		text += "All flags: softkmeans help " + c.name + " -all    Files: softkmeans help files\n\n"
	}
	if !strings.Contains(after, "Exit code") {
		after += exitHelp
	}
	return text + after
}

// helpOfFiles returns the help about files and the flags that commands share to read them.
func helpOfFiles() string {
	g := flagGroups[len(flagGroups)-1]
	text, _ := helpText("files")
	return text + g.section(entries(g.flags, "", nil), "", true)
}

// entries returns the entries for the flags of a command, joined; of nil the entries for all commands.
func entries(of []flagHelp, command string, fs *flag.FlagSet) (list []flagHelp) {
	for _, f := range of {
		if fs != nil && fs.Lookup(f.name) == nil || f.of != "" && !slices.Contains(strings.Fields(f.of), command) {
			continue
		}
		at := slices.IndexFunc(list, func(e flagHelp) bool { return e.name == f.name })
		if at < 0 {
			list = append(list, f)
			continue
		}
		text, more := list[at].parts()
		add, rest := f.parts()
		list[at].text = text + " " + add + "//" + more + " " + rest
	}
	return list
}

// parts returns the text that every help has, and the rest of it.
func (f *flagHelp) parts() (text, more string) {
	text, more, _ = strings.Cut(f.text, "//")
	return text, more
}

// section returns the title and the flags of the list; "" without any.
func (g *flagGroup) section(list []flagHelp, command string, all bool) string {
	if len(list) == 0 {
		return ""
	}
	text := "\n" + g.title + ":\n\n"
	for _, f := range list {
		words, more := f.parts()
		if all {
			words += " " + more
			if of := takers(f.name); command == "fit" && of != "" && !ofValues(f.name) {
				words += " Only for -method " + of + "."
			}
		}
		text += entryLines("-"+f.name+" "+f.value, words)
	}
	return text
}

// entryLines returns the lines about a flag. A long name has a line of its own.
func entryLines(name, words string) string {
	const width, indent = 80, 16
	text := fmt.Sprintf("  %-*s", indent-2, name)
	if len(name) > indent-3 {
		text = "  " + name + "\n" + strings.Repeat(" ", indent)
	}
	lines := ""
	for part := range strings.SplitSeq(words, "¶") {
		lines += answer.WrappedTo(part, width-indent)
	}
	lines = strings.TrimSuffix(lines, "\n")
	return text + strings.ReplaceAll(lines, "\n", "\n"+strings.Repeat(" ", indent)) + "\n"
}

// misspelt returns advice about a flag that the command does not have: the commands that have it, or a flag of the
// command that is written alike; "" if there is none.
func (c *command) misspelt(name string) string {
	if words := instead[c.name+" -"+name]; words != "" {
		return "; " + words
	}
	if slices.Contains([]string{"standardize", "standardise", "normalize", "normalise"}, name) &&
		c.flags().Lookup("scale") != nil {
		return "; -scale zscore standardizes columns"
	}
	var others []string
	for i := range commands {
		if commands[i].flags().Lookup(name) != nil {
			others = append(others, commands[i].name)
		}
	}
	if len(others) > 0 {
		return "; -" + name + " is a flag of softkmeans " + view.And(others)
	}
	var names []string
	c.flags().VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return didYouMean("-", name, names)
}

// didYouMean returns a question that names the word of the list nearest to one that is not there; "" if none is near.
func didYouMean(before, word string, list []string) string {
	if near := table.Nearest(word, list); near != "" {
		return "; did you mean " + before + near + "?"
	}
	return ""
}

// instead are the words for flags that a command does not have, if more helps than the names of those that have it.
var instead = map[string]string{
	"evaluate -transpose": "evaluate -materials finds materials in rows",
	"predict -missing":    "predict leaves missing values out of the distance of their row",
	"unmix -missing":      "unmix leaves out pixels with missing values",
	"predict -label":      "-drop leaves a column out",
	"unmix -label":        "-drop leaves a column out",
	"floors -k":           "floors prints every k up to -most",
	"unmix -means":        "-spectra writes the spectra",
	"unmix -known":        "-centers takes known spectra",
	"predict -known":      "-centers takes known prototypes",
	"report -json":        "softkmeans fit -json prints the numbers",
	"report -v":           "softkmeans fit -v prints all digits",
}
