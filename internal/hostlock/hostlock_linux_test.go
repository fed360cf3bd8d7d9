package hostlock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// bound is the longest that anything here may take on a loaded machine.
const bound = 10 * time.Second

// private are doors of the test's own: the machine's may be in use.
func private(t *testing.T) doors {
	t.Helper()
	return doors{lock: t.TempDir(), gate: t.TempDir()}
}

func ignore(int) {}

func (d doors) mustTake(t *testing.T) *Lock {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	l, err := d.take(ctx, ignore)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *Lock) mustRelease(t *testing.T) {
	t.Helper()
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}

// awaitWaiter returns when somebody waits for the lock, as /proc/locks has it.
func (d doors) awaitWaiter() error {
	id, err := inode(d.lock)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(bound); ; time.Sleep(100 * time.Microsecond) {
		table, err := os.ReadFile("/proc/locks")
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(table)) {
			if f := strings.Fields(line); len(f) > 6 && f[1] == "->" && f[6] == id {
				return nil
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("nobody waits for %s:\n%s", id, table)
		}
	}
}

func TestHolderIsNamed(t *testing.T) {
	d := private(t)
	l := d.mustTake(t)
	gaveUp := errors.New("gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	named := 0
	if _, err := d.take(ctx, func(pid int) { named = pid; cancel(gaveUp) }); !errors.Is(err, gaveUp) {
		t.Errorf("got %v, want the cause of the context's end", err)
	}
	if named != os.Getpid() {
		t.Errorf("the holder is said to be %d, it is %d", named, os.Getpid())
	}
	l.mustRelease(t)
}

// A lock that nobody wants any more is released when it comes.
func TestLateLockIsGivenBack(t *testing.T) {
	d := private(t)
	l := d.mustTake(t)
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error)
	go func() {
		_, err := d.take(ctx, ignore)
		given <- err
	}()
	if err := d.awaitWaiter(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v while the lock was held, want that it was cancelled", err)
	}
	l.mustRelease(t)
	d.mustTake(t).mustRelease(t)
}

// Each releases only when the other waits, and asks again at once: then the
// other is next, always. A descriptor is to flock(2) what a process is.
func TestTurnsAlternate(t *testing.T) {
	const turns = 200
	c := contest{doors: private(t), turns: turns}
	failures := make(chan error)
	for who := range 2 {
		go func() { failures <- c.contend(t.Context(), who) }()
	}
	if err := errors.Join(<-failures, <-failures); err != nil {
		t.Fatal(err)
	}
	for i := range len(c.order) - 1 {
		if c.order[i] == c.order[i+1] {
			t.Fatalf("turns %d and %d went to the same one: %v", i, i+1, c.order[:i+2])
		}
	}
	if len(c.order) != 2*turns {
		t.Errorf("%d turns, want %d", len(c.order), 2*turns)
	}
}

// contest is two who want the same lock, over and over.
type contest struct {
	doors
	turns int
	mu    sync.Mutex // for the race detector: it does not know flock
	order []int
}

func (c *contest) contend(ctx context.Context, who int) error {
	for mine := 1; mine <= c.turns; mine++ {
		l, err := c.take(ctx, ignore)
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.order = append(c.order, who)
		others := len(c.order) - mine
		c.mu.Unlock()
		if others < c.turns { // it will come again
			err = c.awaitWaiter()
		}
		if err := errors.Join(err, l.Release()); err != nil {
			return err
		}
	}
	return nil
}

func TestNoProgramInheritsTheLock(t *testing.T) {
	l := private(t).mustTake(t)
	defer l.mustRelease(t)
	flags, err := unix.FcntlInt(uintptr(l.fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("got descriptor flags %#x, %v, want FD_CLOEXEC", flags, err)
	}
}

// The machine's doors can be opened by everybody, and name their inodes.
func TestHostDoors(t *testing.T) {
	for _, dir := range []string{host.lock, host.gate} {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || info.Mode()&0o004 == 0 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
}

func TestMissingDoorIsAnError(t *testing.T) {
	d := private(t)
	d.lock += "/none"
	if _, err := d.take(t.Context(), ignore); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), d.lock) {
		t.Errorf("got %v, want that there is no %s", err, d.lock)
	}
}

func TestHolderIn(t *testing.T) {
	const table = `1: POSIX  ADVISORY  WRITE 11 fe:00:2 0 EOF
2: FLOCK  ADVISORY  WRITE 12 fe:00:20 0 EOF
3: FLOCK  ADVISORY  WRITE 13 fe:00:2 0 EOF
3: -> FLOCK  ADVISORY  WRITE 14 fe:00:2 0 EOF
4: FLOCK  ADVISORY  READ  -1 00:15:1 0 EOF
5: FLOCK
`
	want := map[string]int{"": 0, "fe:00:2": 13, "fe:00:20": 12, "fe:00:3": 0, "00:15:1": 0}
	for id, pid := range want {
		if got := holderIn(table, id); got != pid {
			t.Errorf("%s: got %d, want %d", id, got, pid)
		}
	}
}
