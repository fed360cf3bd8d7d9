package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
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
	var stdio bool
	c := &cobra.Command{
		Use:    "agent --stdio --role sender|receiver|path",
		Short:  "Be one end of a path, led over standard input and output",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !stdio {
				return usageError(errors.New("--stdio is the only way an agent can be spoken to: ccbench starts its agents itself"))
			}
			return agent.Stdio(wire.Role(role), version)
		},
	}
	c.Flags().BoolVar(&stdio, "stdio", false, "speak over standard input and output")
	c.Flags().StringVar(&role, "role", "", "sender, receiver or path")
	return c
}

// enterNamespace gets the run the privilege it needs. As root there is nothing
// to do; otherwise ccbench runs itself again as root of a user namespace, and
// done says that the run is over, with its status.
func (a *app) enterNamespace() (status int, done bool, err error) {
	if a.lifeline {
		return 0, false, nil
	}
	privileged, err := carrier.Privileged()
	if privileged || err != nil {
		return 0, false, err
	}
	signals := make(chan os.Signal, 8)
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
func endWithParent(interrupt context.CancelCauseFunc) {
	carrier.AwaitParentEnd()
	interrupt(errParentGone)
}

// writable refuses a folder in which no file can be made; one that is not
// there yet is judged by the nearest that is.
func writable(dir string) error {
	dir = existing(dir)
	const wOK, xOK = 2, 1
	if err := syscall.Access(dir, wOK|xOK); err != nil {
		return hinted{fmt.Errorf("results file: no file can be made in %s: %w", dir, err), "choose another place with -o"}
	}
	return nil
}

// existing is the folder itself, or the nearest above it that is there.
func existing(dir string) string {
	for !exists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// namespaceRefusal says which knob forbids user namespaces.
func namespaceRefusal(err error) error {
	who, instead := "not root", "run ccbench as root"
	if os.Geteuid() == 0 {
		who, instead = "root without CAP_SYS_ADMIN and CAP_NET_ADMIN", "give it these two (docker run --cap-add)"
	}
	err = fmt.Errorf("%s, and %w", who, err)
	reason, cure := probe.UserNamespaces("/")
	if reason == "" {
		return hinted{err, instead}
	}
	return hinted{fmt.Errorf("%w: %s", err, reason), cure + " (as the machine's root), or " + instead}
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
