package droprule

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Whoever made a rule, and by which tool, a second one is refused, and what
// was there stays.
func TestSeesRulesOfOthers(t *testing.T) {
	for _, made := range []string{
		"iptables-nft -A OUTPUT -p udp",
		"iptables-legacy -A INPUT -p udp",
		"iptables-legacy -t mangle -A PREROUTING -p udp",
		"nft add table inet other; add chain inet other c; add rule inet other c counter",
	} {
		for _, b := range backends {
			t.Run(b.name+"/"+made, func(t *testing.T) {
				b.need(t)
				argv := strings.Fields(made)
				if argv[0] == "nft" {
					argv = []string{"nft", strings.TrimPrefix(made, "nft ")}
				}
				if _, err := lookPath(argv[0]); err != nil {
					t.Skip(err)
				}
				namespace(t)
				_, err := run(t.Context(), System{}, argv)
				must(t, err)
				_, err = Install(t.Context(), b, overLoopback("127.0.0.1", "127.0.0.2", 2, 1))
				var foreign *ForeignError
				if !errors.As(err, &foreign) || len(foreign.Rules) != 1 {
					t.Errorf("got %v, want one foreign rule", err)
				}
			})
		}
	}
}

func TestSecondRuleIsRefused(t *testing.T) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			b.need(t)
			namespace(t)
			r := overLoopback("127.0.0.1", "127.0.0.2", 2, 1)
			i := install(t, b, r)
			r.Tag = "another"
			var foreign *ForeignError
			if _, err := Install(t.Context(), b, r); !errors.As(err, &foreign) || len(foreign.Rules) != 4 {
				t.Errorf("got %v, want the four rules of the first", err)
			}
			must(t, i.Remove(t.Context()))
			must(t, install(t, b, r).Remove(t.Context()))
		})
	}
}

func TestReadNoticesAnotherRule(t *testing.T) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			b.need(t)
			namespace(t)
			i := install(t, b, overLoopback("127.0.0.1", "127.0.0.2", 2, 1))
			_, err := run(t.Context(), b, []string{"iptables", "-I", i.rule.Chain(), "-p", "tcp"})
			must(t, err)
			if c, err := i.Read(t.Context()); err == nil {
				t.Errorf("a rule was added to the chain, and Read says %+v", c)
			}
		})
	}
}

func TestReadVersion(t *testing.T) {
	for _, b := range backends {
		b.need(t)
		v, err := ReadVersion(t.Context(), b)
		if want := map[string]string{"nft": "nf_tables", "legacy": "legacy"}[b.name]; err != nil || v.Backend != want {
			t.Errorf("%s: got %+v and error %v, want backend %s", b.name, v, err, want)
		}
	}
}

func TestSystemRun(t *testing.T) {
	var missing *MissingError
	if _, err := (System{}).Run(t.Context(), []string{"ccbench-no-such-program"}); !errors.As(err, &missing) {
		t.Errorf("a program that is not there: got %v, want a MissingError", err)
	}
	out, err := System{}.Run(t.Context(), []string{"sh", "-c", "echo out; echo err >&2; exit 4"})
	if want := (Output{Status: 4, Stdout: "out\n", Stderr: "err\n"}); err != nil || out != want {
		t.Errorf("got %+v and error %v, want %+v", out, err, want)
	}
	if out, err := (System{}).Run(t.Context(), []string{"sh", "-c", "kill -KILL $$"}); err == nil {
		t.Errorf("a command that was killed: got %+v and no error", out)
	}
}

// As an ordinary user, root only in a user namespace, all of it works too. The
// machine's lock file is out of reach there.
func TestOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to become another user")
	}
	const nobody = 65534
	const tests = "TestDropsExactlyTheNth|TestCountsOnlyData|TestSeesRulesOfOthers"
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^("+tests+")$", "-test.v")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: nobody, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: nobody, Size: 1}},
		Credential:  &syscall.Credential{Uid: 0, Gid: 0, NoSetGroups: true},
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("as an ordinary user: %v\n%s", err, out)
	}
	for test := range strings.SplitSeq(tests, "|") {
		if want := fmt.Sprintf("--- PASS: %s ", test); !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// The machine's lock is neither waited for nor made.
func TestMachinesLockIsLeftAlone(t *testing.T) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			b.need(t)
			namespace(t)
			r := overLoopback("127.0.0.1", "127.0.0.2", 2, 1)
			installed, err := Install(t.Context(), b, r)
			must(t, err)
			must(t, installed.Remove(t.Context()))
			if _, err := os.Lstat(lockFile); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s was made, or %v", lockFile, err)
			}
			held, err := os.Create(lockFile)
			must(t, err)
			defer held.Close()
			must(t, unix.Flock(int(held.Fd()), unix.LOCK_EX))
			if _, err := Install(t.Context(), b, r); err != nil {
				t.Errorf("while another holds the machine's lock: %v", err)
			}
		})
	}
}

// TestMain makes this binary a process that runs a command, to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "run" {
		System{}.Run(context.Background(), []string{"sh", "-c", os.Args[2]})
		return
	}
	os.Exit(m.Run())
}

// A command does not outlive the process that runs it.
func TestCommandEndsWithItsCaller(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	cmd := exec.Command("/proc/self/exe", "run", "echo $$ >"+file+".new && mv "+file+".new "+file+" && exec sleep 100")
	must(t, cmd.Start())
	pid := ""
	eventually(t, "the command starts", func() bool {
		text, err := os.ReadFile(file)
		pid = strings.TrimSpace(string(text))
		return err == nil
	})
	must(t, cmd.Process.Kill())
	cmd.Wait()
	eventually(t, "the command ends", func() bool {
		_, err := os.Readlink("/proc/" + pid + "/exe") // a zombie has none
		return err != nil
	})
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	const limit = 5 * time.Second
	for deadline := time.Now().Add(limit); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}
