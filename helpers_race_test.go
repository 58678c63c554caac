//go:build race

package softkmeans

const raceDetector = true
