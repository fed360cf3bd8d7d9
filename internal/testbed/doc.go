// Package testbed is a lab on this machine: for each trial it builds a fresh
// path out of agents, each in its own network namespace, does the trial
// through them as their client, and lets the namespaces go.
//
//	sender --TUN--> path (emulator) --TUN--> receiver     engine userspace
//	sender --------------veth--------------> receiver     engine direct
//
// Nothing of a trial is in the namespace of the caller, so there is nothing to
// undo there: a device, rule or sysctl ends with the namespace it is in,
// whatever ends the run.
package testbed
