// Package carrier is how an agent is reached. In this version that is a child
// process: the same program, in a network namespace of its own, spoken to
// over its standard input and output.
//
// End of file is an agent's death signal. A coordinator that is killed takes
// its ends of the pipes with it, the agents see that and end, and with the
// last process of a namespace go its devices, rules and sysctls. (A
// parent-death signal would follow the thread that started the child, which
// in Go may end at any time.)
package carrier
