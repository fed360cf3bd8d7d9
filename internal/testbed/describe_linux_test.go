package testbed

import (
	"bufio"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"ccbench/internal/plan"
)

// Every line does for a shell what it says, in namespaces of the test's own.
func TestDescribedLinesWork(t *testing.T) {
	needRoot(t)
	for _, tool := range []string{"unshare", "nsenter", "ip", "tc", "sysctl", "iptables"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the lines cannot be tried: %v", err)
		}
	}
	for name, text := range map[string]string{
		"userspace": "version: 1\nalgorithms: [reno]\ndrop: {mode: nth, every: 9, first: 4}\n",
		"direct":    "version: 1\nalgorithms: [reno]\npath: {engine: direct, mtu: 9000}\ndrop: {mode: random, probability: 1%}\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, "x.yaml", text)
			sender, receiver := hold(t), hold(t)
			vars := fmt.Sprintf("set -e; PORT=5001 SENDER=%d RECEIVER=%d\n", sender, receiver)
			for _, step := range Describe(p)[0].Steps {
				in := map[string]int{"ccbench": sender, "path": sender, "sender": sender, "receiver": receiver}[step.Namespace]
				inside(t, in, vars+strings.Join(runnable(step), "\n"))
			}
			checkMade(t, receiver, p.Trials[0])
		})
	}
}

// runnable are a step's lines, without that of a tool that is not there.
func runnable(s plan.Step) []string {
	var lines []string
	for _, line := range s.Lines {
		if _, err := exec.LookPath("ethtool"); err == nil || !strings.HasPrefix(line, "ethtool ") {
			lines = append(lines, line)
		}
	}
	return lines
}

func checkMade(t *testing.T, receiver int, tr plan.Trial) {
	t.Helper()
	for command, want := range map[string]string{
		"ip -o link show ccb0":                   fmt.Sprintf("mtu %d qdisc pfifo", tr.Path.MTU),
		"ip -o addr show ccb0":                   "inet 198.18.0.2/30",
		"tc qdisc show dev ccb0":                 fmt.Sprintf("limit %dp", txQueueLen(tr)),
		"sysctl -n net.ipv4.tcp_rmem":            strconv.Itoa(int(bufferMax(tr))),
		"iptables -S INPUT":                      "--dport 5001 -j ccbench-trial1",
		"iptables -S " + "ccbench-trial1":        "-j DROP",
		"sysctl -n net.ipv4.tcp_no_metrics_save": "1",
	} {
		if got := inside(t, receiver, command); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %q in it", command, got, want)
		}
	}
}

// hold starts a process in a network namespace of its own, which ends with the test.
func hold(t *testing.T) (pid int) {
	t.Helper()
	cmd := exec.Command("unshare", "-n", "sh", "-c", "echo ready; exec cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the namespace's holder said %q: %v", line, err)
	}
	return cmd.Process.Pid // unshare becomes the shell, and the shell cat
}

func inside(t *testing.T, pid int, script string) string {
	t.Helper()
	out, err := exec.Command("nsenter", "-t", strconv.Itoa(pid), "-n", "sh", "-c", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v: %s", script, err, out)
	}
	return string(out)
}
