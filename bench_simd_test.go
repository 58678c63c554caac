//go:build goexperiment.simd && go1.27 && (amd64 || arm64 || wasm)

package softkmeans

// peakFlopsSIMD is peakFlops in twelve chains of vectors.
func peakFlopsSIMD(turns int) float64 {
	x, y := broadcast(0.999), broadcast(0.001)
	start := randomData(12, 4, 0, 1) // equal ones would be computed once
	s0 := load(start.row(0))
	s1 := load(start.row(1))
	s2 := load(start.row(2))
	s3 := load(start.row(3))
	s4 := load(start.row(4))
	s5 := load(start.row(5))
	s6 := load(start.row(6))
	s7 := load(start.row(7))
	s8 := load(start.row(8))
	s9 := load(start.row(9))
	s10 := load(start.row(10))
	s11 := load(start.row(11))
	for ; turns > 0; turns-- {
		s0 = s0.MulAdd(x, y)
		s1 = s1.MulAdd(x, y)
		s2 = s2.MulAdd(x, y)
		s3 = s3.MulAdd(x, y)
		s4 = s4.MulAdd(x, y)
		s5 = s5.MulAdd(x, y)
		s6 = s6.MulAdd(x, y)
		s7 = s7.MulAdd(x, y)
		s8 = s8.MulAdd(x, y)
		s9 = s9.MulAdd(x, y)
		s10 = s10.MulAdd(x, y)
		s11 = s11.MulAdd(x, y)
	}
	var l [4]float64
	s0.Add(s1).Add(s2.Add(s3)).Add(s4.Add(s5).Add(s6.Add(s7))).Add(s8.Add(s9).Add(s10.Add(s11))).Store(l[:])
	clearUpper()
	return sumLanes(&l)
}
