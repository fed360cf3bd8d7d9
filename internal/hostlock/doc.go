// Package hostlock lets one at a time measure on a machine, across users: two
// that measure together share the processors, and each sees the other in its
// numbers.
//
// The lock is an exclusive flock(2) on the root directory, which everybody may
// open, which is always there, and so is never left behind. The kernel keeps a
// directory's locks to the machine on every file system, and drops them with
// their holder, however it ended. Where the root directory is another one (a
// container, a chroot), so is the lock.
package hostlock
