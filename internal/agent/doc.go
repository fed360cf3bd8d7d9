// Package agent is the worker at one end of a path: sender, receiver, or the
// path between them. It does what the coordinator asks over its standard input
// and answers on its standard output, in a network namespace of its own, and
// it ends when its input does.
package agent
