package table

import "slices"

// Nearest returns the word of the list from which another differs least: by one letter that is inserted,
// left out or replaced, by two if it has five or more, and by fewer than it has. Letters
// in another order count as one. It returns "" if there is none. The first of several is taken.
func Nearest(word string, list []string) string {
	n := len([]rune(word))
	best, near := min(2+n/5, 3, n), ""
	for _, other := range list {
		d := distance([]rune(word), []rune(other))
		if d > 0 && slices.Equal(sorted(word), sorted(other)) {
			d = 1
		}
		if d < best {
			best, near = d, other
		}
	}
	return near
}

func sorted(word string) []rune {
	letters := []rune(word)
	slices.Sort(letters)
	return letters
}

// distance is the edit distance of Levenshtein. Words whose lengths differ by more than 2 are 3 apart.
func distance(a, b []rune) int {
	if max(len(a)-len(b), len(b)-len(a)) > 2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range a {
		before := row[0] // of the row and the column before
		row[0] = i + 1
		for j, other := range b {
			replaced := before
			if r != other {
				replaced++
			}
			before = row[j+1]
			row[j+1] = min(replaced, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
