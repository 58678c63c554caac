package table

// Nearest returns the word of the list from which another differs least: by one letter that is inserted, left
// out or replaced, or two that are exchanged, by two such slips if it has five letters or more, and by fewer
// than it has. It returns "" if there is none. The first of several is taken.
func Nearest(word string, list []string) string {
	letters := []rune(word)
	for slips := range min(2+len(letters)/5, 3, len(letters)) {
		for _, other := range list {
			if near(letters, []rune(other), slips) {
				return other
			}
		}
	}
	return ""
}

// near reports whether a differs from b by so many slips or fewer.
func near(a, b []rune, slips int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if len(a) == 0 || len(b) == 0 {
		return len(a)+len(b) <= slips
	}
	exchanged := len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
	return slips > 0 && (near(a[1:], b, slips-1) || near(a, b[1:], slips-1) || near(a[1:], b[1:], slips-1) ||
		exchanged && near(a[2:], b[2:], slips-1))
}
