package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ccbench/internal/agent"
	"ccbench/internal/agent/wire"
	"ccbench/internal/carrier"
	"ccbench/internal/plan"
	"ccbench/internal/probe"
	"ccbench/internal/result"
	"ccbench/internal/runner"
	"ccbench/internal/testbed"
)

// agentCommand is how ccbench runs itself at the ends of a path.
func (a *app) agentCommand() *cobra.Command {
	var role string
	c := &cobra.Command{
		Use:    "agent --stdio --role sender|receiver|path",
		Short:  "Be one end of a path, led over standard input and output",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return agent.Stdio(wire.Role(role), version)
		},
	}
	c.Flags().Bool("stdio", false, "speak over standard input and output")
	c.Flags().StringVar(&role, "role", "", "sender, receiver or path")
	return c
}

// enterNamespace gets the run the privilege it needs. As root there is nothing
// to do; otherwise ccbench runs itself again as root of a user namespace, and
// done says that the run is over, with its status.
func (a *app) enterNamespace() (status int, done bool, err error) {
	if a.lifeline {
		go a.endWithParent()
		return 0, false, nil
	}
	privileged, err := carrier.Privileged()
	if privileged || err != nil {
		return 0, false, err
	}
	signals := make(chan os.Signal, 8)
	signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	args := append([]string{"ccbench", "--lifeline"}, os.Args[1:]...)
	status, err = carrier.AsNamespaceRoot(args, signals)
	if err != nil {
		return 0, true, namespaceRefusal(err)
	}
	return status, true, nil
}

// errParentGone is why a run ends whose first process was killed.
var errParentGone = errors.New("the ccbench that started this one is gone")

// endWithParent ends the run when the process that was started by the user has
// been killed: nobody could stop this one any more.
func (a *app) endWithParent() {
	carrier.AwaitParentEnd()
	a.interrupt(errParentGone)
}

// hinted is an error with a cure.
type hinted struct {
	error
	hint string
}

func (h hinted) Hint() string  { return h.hint }
func (h hinted) Unwrap() error { return h.error }

// namespaceRefusal says which knob forbids user namespaces.
func namespaceRefusal(err error) error {
	const asRoot = "run ccbench as root"
	reason, cure := probe.UserNamespaces("/")
	if reason == "" {
		return hinted{fmt.Errorf("not root, and %w", err), asRoot}
	}
	return hinted{fmt.Errorf("not root, and %w: %s", err, reason), cure + " (as root), or " + asRoot}
}

// lab joins the testbed to the runner.
type lab struct{ bed *testbed.Testbed }

func (a *app) newLab() runner.Lab {
	return lab{testbed.New(testbed.Options{Version: version, Started: a.showAgent})}
}

func (a *app) showAgent(g testbed.Agent) {
	enter := fmt.Sprintf("nsenter -t %d -n", g.PID)
	if a.lifeline {
		enter = fmt.Sprintf("nsenter -t %d -U -n --preserve-credentials", g.PID)
	}
	a.ui.Detail("  %s: pid %d, nsid %d: %s", g.Role, g.PID, g.NSID, enter)
}

func (l lab) Check(ctx context.Context, p *plan.Plan) ([]result.Host, error) {
	return l.bed.Check(ctx, p)
}

func (l lab) Trial(ctx context.Context, t plan.Trial, progress func(runner.Progress)) (*result.Trial, []result.Series, error) {
	record, series, err := l.bed.Trial(ctx, t, rateOf(progress))
	if errors.Is(err, testbed.ErrAlgorithm) {
		err = fmt.Errorf("%w: %w", runner.ErrArm, err)
	}
	return record, series, err
}

// rateOf makes rates of the differences between heartbeats.
func rateOf(progress func(runner.Progress)) func(testbed.Progress) {
	var last testbed.Progress
	return func(p testbed.Progress) {
		span := p.Elapsed - last.Elapsed
		if span <= 0 {
			return
		}
		rate := 8 * float64(p.Bytes-last.Bytes) / span.Seconds()
		last = p
		progress(runner.Progress{Elapsed: p.Elapsed.Truncate(time.Millisecond), Rate: rate})
	}
}
