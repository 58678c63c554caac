//go:build !race

package softkmeans

const raceDetector = false
