package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"ccbench/internal/carrier"
	"ccbench/internal/plan"
	"ccbench/internal/probe"
	"ccbench/internal/testbed"
)

// examine finds out about this machine; p is nil for any experiment.
func (a *app) examine(p *plan.Plan) ([]probe.Fact, error) {
	privileged, err := carrier.Privileged()
	if err != nil {
		return nil, err
	}
	before := probe.Now("/")
	var survey testbed.Survey
	var refused error
	if privileged {
		survey, err = a.survey(p)
	} else {
		survey, refused, err = surveyAsNamespaceRoot(p)
	}
	if err != nil {
		return nil, err
	}
	facts := []probe.Fact{probe.Privilege(privileged, refused)}
	if p == nil || !privileged {
		facts = append(facts, probe.UserNamespace("/", !privileged, refused))
	}
	facts = append(facts, survey.Facts(p != nil)...)
	facts = append(facts, resultsFolder(), probe.Steal(before, probe.Now("/")))
	if p == nil {
		facts = append(facts, surroundings(privileged)...)
	}
	return describeAlgorithms(append(facts, resources(p)...)), nil
}

// survey tries things as the user that this process is.
func (a *app) survey(p *plan.Plan) (testbed.Survey, error) {
	ctx, stop := a.interruptible()
	defer stop()
	bed := testbed.New(testbed.Options{Version: version})
	survey := bed.Survey(ctx, p)
	return survey, context.Cause(ctx)
}

// surveyInside is what doctor does in the user namespace: it tries, and hands
// what it found to the one outside, which sees more of the machine.
func (a *app) surveyInside(p *plan.Plan) error {
	survey, err := a.survey(p)
	if err != nil {
		return err
	}
	return json.NewEncoder(a.ui.out).Encode(survey)
}

// surveyAsNamespaceRoot has this program, run again as root of a user
// namespace, try things. refused is why there could be none.
func surveyAsNamespaceRoot(p *plan.Plan) (survey testbed.Survey, refused, err error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	var found bytes.Buffer
	args := append([]string{"ccbench", "--lifeline"}, os.Args[1:]...)
	status, err := carrier.OutputAsNamespaceRoot(args, &found, signals)
	switch {
	case err != nil:
		return testbed.NotTried(p), namespaceRefusal(err), nil
	case status != exitOK:
		return survey, nil, entered(status, nil)
	}
	if err := json.Unmarshal(found.Bytes(), &survey); err != nil {
		return survey, nil, fmt.Errorf("reading what was found in the user namespace: %w", err)
	}
	return survey, nil, nil
}

// resultsDir is where run's file goes without -o.
const resultsDir = "results"

func resultsFolder() probe.Fact {
	const name = "results_folder"
	if err := writable(resultsDir); err != nil {
		return probe.Failure(name, probe.Required, err, "")
	}
	return probe.Fact{Name: name, Need: probe.Required, Answer: probe.Yes, Detail: "a file can be made in " + resultsDir}
}

// errForeign is why an ordinary user's report does not count the rules.
var errForeign = errors.New("only root may list the machine's rules")

// surroundings are facts that no single experiment asks for.
func surroundings(privileged bool) []probe.Fact {
	foreign := probe.ForeignRules(0, 0, errForeign)
	if privileged {
		foreign = testbed.ForeignRules(context.Background(), "/")
	}
	loads := privileged && probe.MachineRoot("/")
	facts := probe.UnloadedAlgorithms("/", probe.ReadModules("/"), loads)
	return append(facts, foreign, probe.MPTCP("/"))
}

// resources are facts about how much there is of what.
func resources(p *plan.Plan) []probe.Fact {
	const root = "/"
	cpus := runtime.NumCPU()
	facts := []probe.Fact{probe.Kernel(root), probe.CPUs(root, cpus)}
	memory, disk := probe.MinMemory, probe.MinDisk
	if p != nil {
		memory, disk = testbed.Demand(p)
		facts = append(facts, testbed.Relay(p, cpus)...)
	}
	folder := existing(resultsDir)
	left, err := probe.Free(folder)
	if whole, unknown := filepath.Abs(folder); unknown == nil {
		folder = whole
	}
	return append(facts, probe.ClockSource(root), probe.Governor(root), probe.Load(root, cpus),
		probe.Memory(root, memory), probe.Disk(folder, left, err, disk))
}

// describeAlgorithms adds what files tell of them to what trying told.
func describeAlgorithms(facts []probe.Fact) []probe.Fact {
	m := probe.ReadModules("/")
	for i := range facts {
		if f := &facts[i]; f.Name == probe.AlgorithmName && f.Subject != "" {
			f.Algorithm = probe.DescribeAlgorithm("/", m, f.Subject)
		}
	}
	return facts
}
