package droprule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// undoTimeout bounds the undoing, which goes on when the caller's context has ended.
const undoTimeout = 20 * time.Second

// Installed is a rule in force.
type Installed struct {
	exec Executor
	rule Rule
}

// Install puts the rule in force and lists it back. It refuses to where the
// network namespace of the calling thread has any other firewall rule, in
// either backend (ForeignError): two rules on a path compound, and one before
// ours may hide packets from it. What it did before a failure it undoes, in
// reverse.
func Install(ctx context.Context, exec Executor, r Rule) (*Installed, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := checkForeign(ctx, exec, r); err != nil {
		return nil, err
	}
	steps := r.steps()
	for n, s := range steps {
		if _, err := run(ctx, exec, s.do); err != nil {
			return nil, undone(ctx, exec, steps[:n+reached(err)], fmt.Errorf("installing the drop rule: %w", err))
		}
	}
	i := &Installed{exec: exec, rule: r}
	if err := i.verify(ctx); err != nil {
		return nil, undone(ctx, exec, steps, err)
	}
	return i, nil
}

// reached is 1 for a step that may have been done though it failed: one that
// was killed. One that gave an exit status, or never started, was not.
func reached(err error) int {
	var status *CommandError
	var missing *MissingError
	if errors.As(err, &status) || errors.As(err, &missing) {
		return 0
	}
	return 1
}

// undone undoes the steps and adds to the cause what went wrong with that.
func undone(ctx context.Context, exec Executor, steps []step, cause error) error {
	if err := undo(ctx, exec, steps); err != nil {
		return errors.Join(cause, fmt.Errorf("and undoing it: %w", err))
	}
	return cause
}

// undo undoes all steps in reverse; one that fails does not keep it from the others.
func undo(ctx context.Context, exec Executor, steps []step) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	var errs []error
	for n := len(steps) - 1; n >= 0; n-- {
		if steps[n].undo == nil {
			continue
		}
		_, err := run(ctx, exec, steps[n].undo)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Remove takes the rule away, also when ctx has ended.
func (i *Installed) Remove(ctx context.Context) error {
	if err := undo(ctx, i.exec, i.rule.steps()); err != nil {
		return fmt.Errorf("removing the drop rule: %w", err)
	}
	return nil
}

// verify lists the filter table back: it must hold the rule, in the first
// place of INPUT, and nothing else.
func (i *Installed) verify(ctx context.Context) error {
	out, err := run(ctx, i.exec, i.rule.command("-S"))
	if err != nil {
		return fmt.Errorf("listing the drop rule back: %w", err)
	}
	got := appended(out)
	want := i.rule.listing()
	if !strings.Contains(out, "-P INPUT ACCEPT\n") || !sameRules(want, got) {
		return fmt.Errorf("the drop rule was installed, but %s lists back\n%s\nand not the policy ACCEPT for INPUT with exactly\n%s",
			i.rule.tool(), strings.TrimSpace(out), strings.Join(want, "\n"))
	}
	return nil
}

// ForeignError says that the network namespace has firewall rules of others.
type ForeignError struct{ Rules []string }

func (e *ForeignError) Error() string {
	shown := e.Rules
	more := ""
	if n := len(shown) - 3; n > 0 {
		shown, more = shown[:3], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("the receiver's network namespace has firewall rules already: %s%s; the drop rule must be the only one",
		strings.Join(shown, "; "), more)
}

// Hint says what to do about it.
func (e *ForeignError) Hint() string { return "remove them, or use another namespace" }

// checkForeign looks at both backends, whichever the iptables here uses: each
// is blind to the other's rules, but both are in force.
func checkForeign(ctx context.Context, exec Executor, r Rule) error {
	rules, err := exec.NFTables()
	if err != nil {
		return fmt.Errorf("looking for other rules of nf_tables: %w", err)
	}
	legacy, err := legacyRules(ctx, exec, r.Destination.Is6())
	if err != nil {
		return fmt.Errorf("looking for other rules of ip_tables: %w", err)
	}
	if rules = append(rules, legacy...); len(rules) > 0 {
		return &ForeignError{Rules: rules}
	}
	return nil
}

// legacyRules runs the older tool only where tables exist: most often none
// do, and asking for one would create it.
func legacyRules(ctx context.Context, exec Executor, ipv6 bool) ([]string, error) {
	tables, err := exec.LegacyTables(ipv6)
	if err != nil || len(tables) == 0 {
		return nil, err
	}
	out, err := run(ctx, exec, []string{tool(ipv6) + "-legacy-save"})
	if err != nil {
		return nil, fmt.Errorf("there are tables (%s), but their rules cannot be listed: %w", strings.Join(tables, ", "), err)
	}
	var rules []string
	for _, line := range appended(out) {
		rules = append(rules, tool(ipv6)+"-legacy "+line)
	}
	return rules, nil
}
