package testbed

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ccbench/internal/agent/wire"
	"ccbench/internal/carrier"
	"ccbench/internal/experiment"
	"ccbench/internal/link"
	"ccbench/internal/plan"
	"ccbench/internal/result"
)

type filesOf = []*os.File

// end is one agent of a path, with what it says of its own accord.
type end struct {
	*carrier.Agent
	nsid   int
	closed chan struct{} // its window has closed
	failed chan error    // it broke between requests
}

// path is the agents of one trial.
type path struct {
	trial    plan.Trial
	limits   deadlines
	token    wire.Token
	sender   *end
	receiver *end
	relay    *end // nil: engine direct
}

// start starts the trial's agents, all at once. The path is returned also on
// error, to be closed.
func (b *Testbed) start(ctx context.Context, t plan.Trial, progress func(Progress)) (*path, error) {
	p := &path{trial: t, limits: deadlinesOf(t)}
	rand.Read(p.token[:]) // never fails
	ctx, cancel := within(ctx, p.limits.Step, "starting the agents")
	defer cancel()
	files, all, err := pathSockets(t.Path.Engine)
	defer closeAll(all) // the agents have their own copies
	if err != nil {
		return p, err
	}
	var wait sync.WaitGroup
	errs := make([]error, 3)
	for i, a := range []struct {
		role wire.Role
		into **end
	}{{wire.RoleSender, &p.sender}, {wire.RoleReceiver, &p.receiver}, {wire.RolePath, &p.relay}} {
		if a.role == wire.RolePath && t.Path.Engine != experiment.Userspace {
			continue
		}
		wait.Go(func() { *a.into, errs[i] = b.startEnd(ctx, a.role, files[a.role], progress) })
	}
	wait.Wait()
	for _, e := range p.ends() {
		b.opt.Started(Agent{Role: e.Role(), PID: e.PID(), NSID: e.nsid})
	}
	return p, errors.Join(errs...)
}

// startEnd starts one agent and gives its namespace an id in ours, by which
// its end can be seen (ip netns list-id).
func (b *Testbed) startEnd(ctx context.Context, role wire.Role, files filesOf, progress func(Progress)) (*end, error) {
	e := &end{closed: make(chan struct{}), failed: make(chan error, 1)}
	agent, err := carrier.Start(ctx, b.spec(role, files, e.listen(progress)))
	if err != nil {
		return nil, err
	}
	e.Agent = agent
	if e.nsid, err = link.AssignNSID(agent.PID()); err != nil {
		return e, fmt.Errorf("naming the %s's namespace: %w", role, err)
	}
	return e, nil
}

// listen returns the end's event handler, which never blocks.
func (e *end) listen(progress func(Progress)) func(wire.Message) {
	var once sync.Once
	return func(m wire.Message) {
		switch m.Method {
		case wire.EventWindowClosed:
			once.Do(func() { close(e.closed) })
		case wire.EventProgress:
			var p wire.Progress
			if json.Unmarshal(m.Body, &p) == nil { // a bad heartbeat is no measurement
				progress(Progress{Elapsed: time.Duration(p.Elapsed * float64(time.Second)), Bytes: p.Bytes})
			}
		case wire.EventFailed:
			e.fail(m)
		}
	}
}

func (e *end) fail(m wire.Message) {
	failure := &wire.Error{Code: wire.CodeFailed}
	if err := json.Unmarshal(m.Body, failure); err != nil {
		failure.Message = "it failed, and its reason cannot be read: " + err.Error()
	}
	select {
	case e.failed <- failure:
	default: // the first failure is the cause of the others
	}
}

// errAgent marks that an agent died or failed of itself.
var errAgent = errors.New("an agent failed")

// guard returns a context that ends when any of the agents dies or fails,
// whichever is being spoken to.
func (p *path) guard(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	for _, e := range p.ends() {
		go e.watch(ctx, cancel)
	}
	return ctx, func() { cancel(nil) }
}

func (e *end) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	select {
	case <-e.Gone():
		cancel(fmt.Errorf("%w: %w", errAgent, e.Death()))
	case err := <-e.failed:
		cancel(fmt.Errorf("%w: %s: %w", errAgent, e.Role(), err))
	case <-ctx.Done():
	}
}

// notice is how long after its effects an agent's death may be seen.
const notice = 300 * time.Millisecond

// blame replaces an error by its cause when that is an agent's death: the
// others then fail with it, in their own words and often earlier.
func blame(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	select {
	case <-ctx.Done():
	case <-time.After(notice):
	}
	if cause := context.Cause(ctx); errors.Is(cause, errAgent) && !errors.Is(err, errAgent) {
		return fmt.Errorf("%w (seen as: %v)", cause, err)
	}
	return err
}

// pathSockets makes the sockets through which the ends pass their TUN
// descriptors to the path agent: the files of each role, and all of them.
func pathSockets(engine experiment.Engine) (map[wire.Role]filesOf, filesOf, error) {
	files := map[wire.Role]filesOf{}
	var all filesOf
	if engine != experiment.Userspace {
		return files, nil, nil
	}
	for _, role := range []wire.Role{wire.RoleSender, wire.RoleReceiver} {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, all, fmt.Errorf("making the %s's path socket: %w", role, err)
		}
		near, far := os.NewFile(uintptr(pair[0]), string(role)), os.NewFile(uintptr(pair[1]), "path")
		all = append(all, near, far)
		files[role] = filesOf{near}
		files[wire.RolePath] = append(files[wire.RolePath], far)
	}
	return files, all, nil
}

func closeAll(files filesOf) {
	for _, f := range files {
		_ = f.Close() // a socket nobody has written to
	}
}

// ends are the agents there are.
func (p *path) ends() []*end {
	var ends []*end
	for _, e := range []*end{p.sender, p.relay, p.receiver} {
		if e != nil {
			ends = append(ends, e)
		}
	}
	return ends
}

// close ends all agents at once and waits for them.
func (p *path) close() error {
	return together(p.ends(), func(e *end) error { return e.Close() })
}

// together does the same with several ends at once.
func together(ends []*end, do func(*end) error) error {
	errs := make([]error, len(ends))
	var wait sync.WaitGroup
	for i, e := range ends {
		wait.Go(func() { errs[i] = do(e) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

// build makes the path out of the agents: devices, emulator, sysctls.
func (p *path) build(ctx context.Context, record *result.Trial) error {
	ctx, cancel := within(ctx, p.limits.Step, "building the path")
	defer cancel()
	if p.relay == nil {
		if err := p.veth(); err != nil {
			return err
		}
	}
	// All at once: the path agent waits for the ends' descriptors.
	return together(p.ends(), func(e *end) error {
		if e == p.relay {
			return e.Call(ctx, wire.MethodEmulate, emulateRequest(p.trial), nil)
		}
		return e.Call(ctx, wire.MethodSetup, p.setupRequest(e.Role()), nil)
	})
}

// veth lays a cable between the two namespaces; it is never in ours.
func (p *path) veth() error {
	return link.CreateVeth(link.VethConfig{
		A:   link.VethEnd{PID: p.sender.PID(), Name: deviceName},
		B:   link.VethEnd{PID: p.receiver.PID(), Name: deviceName},
		MTU: p.trial.Path.MTU, TxQueueLen: txQueueLen(p.trial),
	})
}

func emulateRequest(t plan.Trial) wire.EmulateRequest {
	return wire.EmulateRequest{
		MTU: t.Path.MTU, Rate: int64(t.Path.Rate), Buffer: int64(t.Path.Buffer.Bytes),
		Overhead: t.Path.Overhead, Delay: t.Path.RTT / 2, Warmup: t.Warmup, Duration: t.Duration,
	}
}

func (p *path) setupRequest(role wire.Role) wire.SetupRequest {
	address := senderPrefix
	if role == wire.RoleReceiver {
		address = receiverPrefix
	}
	return wire.SetupRequest{
		Sysctl: sysctls(p.trial), SysctlIfPresent: optionalSysctls(),
		Device: wire.Device{
			TUN: p.relay != nil, Name: deviceName, MTU: p.trial.Path.MTU, Address: address,
			TxQueueLen: txQueueLen(p.trial), Offloads: offloads(p.trial),
		},
	}
}
