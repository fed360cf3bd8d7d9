package droprule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// fake is a machine with one filter table, enough to hold a rule. It fails at
// the command with number failAt (from 1; 0: never).
type fake struct {
	input, chain []string
	exists       bool
	ran          []string
	failAt       int
	killed       bool // the failing command is done, then killed: no exit status
	nft, legacy  []string
	saved        string // what iptables-legacy-save prints
	policy       string
}

var errKilled = errors.New("signal: killed")

func (f *fake) NFTables() ([]string, error)         { return f.nft, nil }
func (f *fake) LegacyTables(bool) ([]string, error) { return f.legacy, nil }

func (f *fake) Run(_ context.Context, argv []string) (Output, error) {
	f.ran = append(f.ran, strings.Join(argv, " "))
	failing := len(f.ran) == f.failAt
	if failing && !f.killed {
		return Output{Status: 1, Stderr: "iptables: it failed\n"}, nil
	}
	if strings.HasSuffix(argv[0], "-legacy-save") {
		return Output{Stdout: f.saved}, nil
	}
	out := f.do(argv[3:]) // after iptables -w 5
	if failing {
		return Output{}, errKilled
	}
	return out, nil
}

func (f *fake) do(args []string) Output {
	rest := strings.Join(args[1:], " ")
	switch args[0] {
	case "-N":
		f.exists = true
	case "-A":
		f.chain = append(f.chain, "-A "+rest)
	case "-I":
		f.input = slices.Insert(f.input, 0, "-A INPUT "+strings.TrimPrefix(rest, "INPUT 1 "))
	case "-D":
		at := slices.Index(f.input, "-A "+rest)
		if at < 0 {
			return Output{Status: 1, Stderr: "iptables: Bad rule (does a matching rule exist in that chain?).\n"}
		}
		f.input = slices.Delete(f.input, at, at+1)
	case "-F":
		f.chain = nil
	case "-X":
		if len(f.chain) > 0 || len(f.input) > 0 {
			return Output{Status: 1, Stderr: "iptables: Too many links.\n"}
		}
		f.exists = false
	case "-S":
		return Output{Stdout: f.list()}
	default:
		panic(fmt.Sprintf("the fake does not know %q", args))
	}
	return Output{}
}

func (f *fake) list() string {
	policy := f.policy
	if policy == "" {
		policy = "ACCEPT"
	}
	lines := append([]string{"-P INPUT " + policy}, f.input...)
	return strings.Join(append(lines, f.chain...), "\n") + "\n"
}

// clean says whether nothing of a rule is left.
func (f *fake) clean() bool { return !f.exists && len(f.input) == 0 && len(f.chain) == 0 }
