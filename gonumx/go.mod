module softkmeans/gonumx

go 1.24.0

require (
	gonum.org/v1/gonum v0.17.0
	softkmeans v0.0.0
)

replace softkmeans => ../
