// Package unit parses the quantities of an experiment file and prints the
// quantities of a result. Inside ccbench every quantity is in its base unit
// (bit/s, bytes, seconds, segments); prefixes exist only at the two doors.
package unit

// BitRate is a rate in bit/s. As in tc(8), kbit, mbit and gbit are powers of ten.
type BitRate int64

// Bytes is an amount of data in bytes. KB and MB are powers of ten, KiB and MiB of two.
type Bytes int64
