module softkmeans

go 1.24
