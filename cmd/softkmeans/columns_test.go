package main

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkColumns: twice the columns take about twice the time in every command that looks names up. Each
// once went through all names for each column: predict of 50000 columns took four minutes.
func BenchmarkColumns(b *testing.B) {
	for _, command := range []string{
		"predict -model m.json -o p.csv rows.csv",
		"predict -centers c.csv -o p.csv rows.csv",
		"certify -centers c.csv rows.csv",
		"compare m.json back.json",
		"fit -k 1 -method global -drop NAMES rows.csv",
		"fit -k 1 -method global -keep NAMES -o p.csv rows.csv",
		"fit -k 1 -method global strays.csv",
		"unmix -centers c.csv -size 4x2 rows.csv",
	} {
		for columns := 2500; columns <= 20000; columns *= 2 {
			b.Run(fmt.Sprintf("%s/columns=%d", strings.ReplaceAll(command, " ", "_"), columns),
				func(b *testing.B) {
					names := namedColumns(b, columns)
					args := strings.Fields(strings.ReplaceAll(command, "NAMES", strings.Join(names[2:], ",")))
					for b.Loop() {
						var stderr strings.Builder
						if code := run(b.Context(), args, nil, &stderr, &stderr); code > 1 {
							b.Fatal(stderr.String())
						}
					}
				})
		}
	}
}

// namedColumns writes tables with so many named columns and models of them to a new folder, and goes there.
func namedColumns(b *testing.B, columns int) (names []string) {
	b.Chdir(b.TempDir())
	for j := range columns {
		names = append(names, fmt.Sprintf("column_%d", j))
	}
	table := func(name string, rows int, at func(i, j int) any) {
		var text strings.Builder
		text.WriteString(strings.Join(names, ","))
		for i := range rows {
			for j := range names {
				fmt.Fprintf(&text, "%c%v", "\n,"[min(j, 1)], at(i, j))
			}
		}
		writeText(b, name, text.String()+"\n")
	}
	number := func(i, j int) any { return 1 + (7919*(i+1)*(j+3))%1013 }
	table("rows.csv", 8, number)
	table("c.csv", 2, number)
	table("strays.csv", 8, func(i, j int) any {
		if i == 2+j%4 {
			return fmt.Sprintf("word%d", j)
		}
		return number(i, j)
	})
	for _, name := range []string{"m.json", "back.json"} {
		var stderr strings.Builder
		if code := run(b.Context(),
			[]string{"fit", "-k", "2", "-method", "global", "-model", name, "rows.csv"}, nil,
			&stderr, &stderr); code != 0 {
			b.Fatal(stderr.String())
		}
		table("rows.csv", 8, number)
		for l := range columns / 2 { // columns are found by name
			names[l], names[columns-1-l] = names[columns-1-l], names[l]
		}
		table("rows.csv", 8, number)
	}
	return names
}
