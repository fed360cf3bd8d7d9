package main

import "io"

// output is standard output. It keeps its first failure: not everybody who
// prints passes it on (cobra's help does not). What is printed to a standard
// output that was closed at the start (>&-) is lost all the same: Go's runtime
// puts the null device in its place (runtime.checkfds), open for reading and
// writing as many parents open it to throw output away on purpose.
type output struct {
	io.Writer
	failed error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.failed == nil {
		o.failed = err
	}
	return n, err
}
