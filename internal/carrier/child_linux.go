package carrier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"ccbench/internal/agent/wire"
)

// Self is this program, whatever has become of its file since it started.
const Self = "/proc/self/exe"

// grace is how long an agent may take to end by itself once told to; a
// namespace with TUN devices takes some 50 ms.
const grace = 5 * time.Second

// Spec describes an agent to start.
type Spec struct {
	Role    wire.Role
	Program string             // default Self
	Version string             // that the agent must be of
	Files   []*os.File         // its descriptors 3, 4, ...
	OnEvent func(wire.Message) // called one at a time; must not block
}

// Agent is a running agent.
type Agent struct {
	role   wire.Role
	client *wire.Client
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *tail
	exited chan struct{} // closed once the process has been reaped
	close  sync.Once
}

// Start starts an agent in a new network namespace and waits for its hello.
// On error nothing is left running.
func Start(ctx context.Context, spec Spec) (*Agent, error) {
	program := spec.Program
	if program == "" {
		program = Self
	}
	cmd := exec.Command(program)
	cmd.Args = []string{"ccbench", "agent", "--stdio", "--role", string(spec.Role)}
	cmd.ExtraFiles = spec.Files
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNET,
		Setpgid:    true, // a terminal's Ctrl-C is for the coordinator to act on
	}
	a := &Agent{role: spec.Role, cmd: cmd, stderr: &tail{}, exited: make(chan struct{})}
	cmd.Stderr = a.stderr
	cmd.WaitDelay = grace // a child of the agent may hold its standard error
	hello := make(chan wire.Message, 1)
	if err := a.start(firstTo(hello, spec.OnEvent)); err != nil {
		return nil, &StartError{Role: spec.Role, Err: err}
	}
	if err := a.greet(ctx, hello, spec.Version); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// StartError is an agent that could not be started.
type StartError struct {
	Role wire.Role
	Err  error
}

func (e *StartError) Error() string { return fmt.Sprintf("starting the %s agent: %v", e.Role, e.Err) }

func (e *StartError) Unwrap() error { return e.Err }

// Hint translates what clone(2) answers for a namespace; "" for the rest.
func (e *StartError) Hint() string {
	switch {
	case errors.Is(e.Err, syscall.ENOSPC):
		return "the limit of network namespaces is reached: raise user.max_net_namespaces"
	case errors.Is(e.Err, syscall.EPERM):
		return "network namespaces are forbidden here (a container's policy, a security module): run ccbench outside of it"
	case errors.Is(e.Err, syscall.EINVAL):
		return "the kernel has no network namespaces (CONFIG_NET_NS)"
	}
	return ""
}

// firstTo sends the first event to hello and the others to next.
func firstTo(hello chan<- wire.Message, next func(wire.Message)) func(wire.Message) {
	var seen bool
	return func(m wire.Message) {
		if !seen {
			seen = true
			hello <- m
			return
		}
		if next != nil {
			next(m)
		}
	}
}

func (a *Agent) start(onEvent func(wire.Message)) error {
	stdin, err := a.cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := a.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := a.cmd.Start(); err != nil {
		return err
	}
	a.stdin = stdin
	a.client = wire.NewClient(stdout, stdin, onEvent)
	go a.reap()
	return nil
}

// reap waits for the process once all it said has been read. An agent that
// talks nonsense is ended: nothing it says can be used any more.
func (a *Agent) reap() {
	<-a.client.Done()
	if !errors.Is(a.client.Err(), io.EOF) {
		_ = a.cmd.Process.Kill() // fails only when it has ended already
	}
	_ = a.cmd.Wait() // the status is in ProcessState
	close(a.exited)
}

func (a *Agent) greet(ctx context.Context, first <-chan wire.Message, version string) error {
	select {
	case m := <-first:
		return checkHello(m, a.role, version)
	case <-a.client.Done():
		return a.gone("before its first word")
	case <-ctx.Done():
		return fmt.Errorf("the %s agent has not said hello: %w", a.role, context.Cause(ctx))
	}
}

func checkHello(m wire.Message, role wire.Role, version string) error {
	var hello wire.Hello
	if m.Method != wire.EventHello {
		return fmt.Errorf("%w: the %s agent began with %q", wire.ErrProtocol, role, m.Method)
	}
	if err := json.Unmarshal(m.Body, &hello); err != nil {
		return fmt.Errorf("the %s agent's hello: %w", role, err)
	}
	if hello.Protocol != wire.Protocol || hello.Version != version || hello.Role != role {
		return fmt.Errorf("%w: the %s agent is a %s of version %s, protocol %d; wanted version %s, protocol %d",
			wire.ErrProtocol, role, hello.Role, hello.Version, hello.Protocol, version, wire.Protocol)
	}
	return nil
}

// Role is what the agent does.
func (a *Agent) Role() wire.Role { return a.role }

// PID is the agent's process id.
func (a *Agent) PID() int { return a.cmd.Process.Pid }

// Gone is closed when the agent has ended, expected or not.
func (a *Agent) Gone() <-chan struct{} { return a.exited }

// Call has the agent do one thing. Failures name the agent; those on its side
// are *wire.Error, and when it is dead the error tells how it died.
func (a *Agent) Call(ctx context.Context, method wire.Method, request, reply any) error {
	err := a.client.Call(ctx, method, request, reply)
	if err == nil {
		return nil
	}
	select {
	case <-a.client.Done():
		return a.gone("during " + string(method))
	default:
		return fmt.Errorf("%s: %w", a.role, err)
	}
}

// Death is the error of an agent that ended when it should not have.
func (a *Agent) Death() error { return a.gone("unasked") }

func (a *Agent) gone(when string) error {
	select {
	case <-a.exited:
	case <-time.After(grace):
	}
	how := "it no longer answers"
	if a.cmd.ProcessState != nil {
		how = a.cmd.ProcessState.String()
	}
	if err := a.client.Err(); err != nil && !errors.Is(err, io.EOF) {
		how += "; " + err.Error()
	}
	text := fmt.Sprintf("the %s agent ended %s (%s)", a.role, when, how)
	if said := strings.TrimSpace(a.stderr.String()); said != "" {
		text += "; its last words:\n" + said
	}
	return errors.New(text)
}

// Close ends the agent and waits for its end; with it go its namespace and
// all that is in it. Closing twice is harmless.
func (a *Agent) Close() error {
	a.close.Do(func() { _ = a.stdin.Close() }) // closed already when the agent is dead
	select {
	case <-a.exited:
		return nil
	case <-time.After(grace):
	}
	if err := a.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("killing the %s agent (pid %d): %w", a.role, a.PID(), err)
	}
	select {
	case <-a.exited:
		return fmt.Errorf("the %s agent (pid %d) did not end within %v of being told to and was killed", a.role, a.PID(), grace)
	case <-time.After(grace):
		return fmt.Errorf("the %s agent (pid %d) does not end even when killed", a.role, a.PID())
	}
}
