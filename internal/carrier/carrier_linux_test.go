package carrier

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccbench/internal/agent/wire"
	"ccbench/internal/link"
)

// testVersion is that of the agents below.
const testVersion = "test"

// TestMain makes this binary the agents that the tests start, and a
// coordinator that a test can kill.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 5 && os.Args[1] == "agent":
		fakeAgent(wire.Role(os.Args[4]))
		os.Exit(0)
	case len(os.Args) == 2 && os.Args[1] == "privileged":
		privileged, err := Privileged()
		if err != nil {
			fmt.Print(err)
		}
		fmt.Print(privileged)
		os.Exit(0)
	case len(os.Args) == 2 && os.Args[1] == "coordinator":
		coordinator()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeAgent behaves as its role says.
func fakeAgent(role wire.Role) {
	w := wire.NewWriter(os.Stdout)
	version := testVersion
	if role == "stranger" {
		version = "other"
	}
	body, _ := wire.Encode(wire.Hello{Protocol: wire.Protocol, Version: version, Role: role, PID: os.Getpid()})
	if role == "mute" {
		os.Exit(3)
	}
	w.Write(wire.Message{Kind: wire.Event, Method: wire.EventHello, Body: body})
	r := wire.NewReader(os.Stdin)
	for {
		m, err := r.Read()
		if err != nil {
			return
		}
		switch role {
		case "fragile":
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 2*tailSize)+"\nout of luck")
			os.Exit(7)
		case "babbler":
			os.Stdout.WriteString("this is not a frame")
			time.Sleep(time.Hour)
		}
		w.Write(wire.Message{Kind: wire.Event, Method: wire.EventWindowClosed})
		w.Write(wire.Message{Kind: wire.Reply, ID: m.ID})
	}
}

// coordinator starts three agents, prints their pids and waits to be killed.
func coordinator() {
	for _, role := range []wire.Role{"a", "b", "c"} {
		agent, err := Start(context.Background(), Spec{Role: role, Version: testVersion})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(agent.PID())
	}
	time.Sleep(time.Hour)
}

// needRoot skips where namespaces cannot be made.
func needRoot(t *testing.T) {
	t.Helper()
	privileged, err := Privileged()
	if err != nil {
		t.Fatal(err)
	}
	if privileged != (os.Geteuid() == 0) {
		t.Fatalf("uid %d and privileged is %v", os.Geteuid(), privileged)
	}
	if !privileged {
		t.Skip("needs CAP_SYS_ADMIN and CAP_NET_ADMIN: run as root")
	}
}

func start(t *testing.T, role wire.Role, onEvent func(wire.Message)) *Agent {
	t.Helper()
	agent, err := Start(context.Background(), Spec{Role: role, Version: testVersion, OnEvent: onEvent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := agent.Close(); err != nil {
			t.Error(err)
		}
	})
	return agent
}

// eventually polls until done holds; namespaces end in the background.
func eventually(t *testing.T, limit time.Duration, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

func hasNSID(t *testing.T, nsid int) bool {
	t.Helper()
	ids, err := link.ListNSIDs()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Contains(ids, nsid)
}

func TestAgentLivesInANamespaceOfItsOwn(t *testing.T) {
	needRoot(t)
	events := make(chan wire.Message, 1)
	agent := start(t, "sender", func(m wire.Message) { events <- m })
	nsid, err := link.AssignNSID(agent.PID())
	if err != nil {
		t.Fatal(err)
	}
	theirs, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", agent.PID()))
	ours, _ := os.Readlink("/proc/self/ns/net")
	if theirs == "" || theirs == ours {
		t.Errorf("agent in %q, this process in %q", theirs, ours)
	}
	if err := agent.Call(context.Background(), wire.MethodStart, nil, nil); err != nil {
		t.Error(err)
	}
	if m := <-events; m.Method != wire.EventWindowClosed {
		t.Errorf("got event %q: is it the hello?", m.Method)
	}
	if err := agent.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, 2*time.Second, "the namespace has ended", func() bool { return !hasNSID(t, nsid) })
}

func TestAgentsEndWithAKilledCoordinator(t *testing.T) {
	needRoot(t)
	cmd := exec.Command(Self, "coordinator")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var nsids []int
	lines := bufio.NewScanner(out)
	for len(nsids) < 3 && lines.Scan() {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the coordinator says %q", lines.Text())
		}
		nsid, err := link.AssignNSID(pid)
		if err != nil {
			t.Fatal(err)
		}
		nsids = append(nsids, nsid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if len(nsids) != 3 {
		t.Fatalf("%d agents, want 3", len(nsids))
	}
	eventually(t, 2*time.Second, "the agents' namespaces have ended", func() bool {
		return !slices.ContainsFunc(nsids, func(n int) bool { return hasNSID(t, n) })
	})
}

func TestAgentThatDies(t *testing.T) {
	needRoot(t)
	agent := start(t, "fragile", nil)
	err := agent.Call(context.Background(), wire.MethodSetup, nil, nil)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"fragile agent", "setup", "exit status 7", "out of luck"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %.200s", want, err)
		}
	}
	if len(err.Error()) > tailSize+500 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
	<-agent.Gone()
}

func TestAgentThatBabblesIsEnded(t *testing.T) {
	needRoot(t)
	agent := start(t, "babbler", nil)
	err := agent.Call(context.Background(), wire.MethodSetup, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "protocol error") || !strings.Contains(err.Error(), "killed") {
		t.Errorf("got %v", err)
	}
	<-agent.Gone()
}

func TestAgentThatIsNotOurs(t *testing.T) {
	needRoot(t)
	for role, want := range map[wire.Role]string{"stranger": "version other", "mute": "exit status 3"} {
		_, err := Start(context.Background(), Spec{Role: role, Version: testVersion})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", role, err, want)
		}
	}
}

func TestStartThatCannot(t *testing.T) {
	needRoot(t)
	_, err := Start(context.Background(), Spec{Role: "sender", Program: "/nonexistent/ccbench"})
	if err == nil || !strings.Contains(err.Error(), "sender agent") {
		t.Errorf("got %v", err)
	}
}

func TestStartErrorsSayWhatHelps(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.ENOSPC: "user.max_net_namespaces", syscall.EPERM: "forbidden", syscall.EINVAL: "CONFIG_NET_NS", syscall.ENOENT: "",
	} {
		err := &StartError{Role: "path", Err: &os.PathError{Op: "fork/exec", Path: Self, Err: errno}}
		if !errors.Is(err, errno) || !strings.Contains(err.Hint(), want) || (err.Hint() == "") != (want == "") {
			t.Errorf("%v: hint %q, want %q", errno, err.Hint(), want)
		}
	}
}

// Root of a user namespace that has no network namespace of its own has all
// capabilities and none of use.
func TestPrivilegedKnowsWhoseTheNetworkIs(t *testing.T) {
	needRoot(t)
	for flags, want := range map[uintptr]string{
		syscall.CLONE_NEWUSER: "false", syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET: "true",
	} {
		cmd := exec.Command(Self, "privileged")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  flags,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
		}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("clone flags %#x: got %q, %v; want %s", flags, out, err, want)
		}
	}
}

func TestCheckHello(t *testing.T) {
	good := wire.Hello{Protocol: wire.Protocol, Version: "1", Role: wire.RolePath}
	message := func(method wire.Method, h wire.Hello) wire.Message {
		body, _ := json.Marshal(h)
		return wire.Message{Kind: wire.Event, Method: method, Body: body}
	}
	if err := checkHello(message(wire.EventHello, good), wire.RolePath, "1"); err != nil {
		t.Error(err)
	}
	for name, m := range map[string]wire.Message{
		"another event":    message(wire.EventFailed, good),
		"another protocol": message(wire.EventHello, wire.Hello{Protocol: 99, Version: "1", Role: wire.RolePath}),
		"another version":  message(wire.EventHello, wire.Hello{Protocol: wire.Protocol, Version: "2", Role: wire.RolePath}),
		"another role":     message(wire.EventHello, wire.Hello{Protocol: wire.Protocol, Version: "1", Role: wire.RoleSender}),
		"no body":          {Kind: wire.Event, Method: wire.EventHello},
	} {
		if err := checkHello(m, wire.RolePath, "1"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTail(t *testing.T) {
	var last tail
	for i := range 3000 {
		fmt.Fprintf(&last, "%d\n", i)
	}
	io.WriteString(&last, "end")
	got := last.String()
	if len(got) != tailSize || !strings.HasSuffix(got, "2999\nend") {
		t.Errorf("%d bytes, ending %q", len(got), got[len(got)-10:])
	}
}

// A signal's status is what a shell would make of it.
func TestWaitStatus(t *testing.T) {
	for script, want := range map[string]int{"exit 5": 5, "kill -TERM $$": 128 + int(syscall.SIGTERM), "true": 0} {
		cmd := exec.Command("sh", "-c", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if got, err := wait(cmd, nil); got != want || err != nil {
			t.Errorf("%s: got %d, %v; want %d", script, got, err, want)
		}
	}
}
