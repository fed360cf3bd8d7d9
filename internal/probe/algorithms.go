package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Algorithm is what files tell of a congestion control; null is not told.
type Algorithm struct {
	Available *bool `json:"available"` // in the kernel now
	Allowed   *bool `json:"allowed"`   // to who has no privilege over the network namespace
	Loadable  *bool `json:"loadable"`  // a module of the running kernel has it, loaded or not
}

// notAlgorithms are modules whose names begin as those of congestion controls do.
var notAlgorithms = []string{"tcp_diag"}

// Available are the congestion controls that the kernel has now: asking for
// one of them loads nothing.
func Available(root string) []string {
	return strings.Fields(under(root).text(availableFile))
}

const (
	availableFile = "proc/sys/net/ipv4/tcp_available_congestion_control"
	allowedFile   = "proc/sys/net/ipv4/tcp_allowed_congestion_control"
)

// UnloadedAlgorithms has a fact for each congestion control that is in a module
// of the running kernel, but not in the kernel. loads says that the kernel
// would load it for this user: for the machine's root, and no other.
func UnloadedAlgorithms(root string, m Modules, loads bool) []Fact {
	available := Available(root)
	if len(available) == 0 {
		return []Fact{unknown(AlgorithmName, Some, "not told", "/"+availableFile+" cannot be read")}
	}
	var facts []Fact
	for _, module := range m.named("tcp_") {
		name := strings.TrimPrefix(module, "tcp_")
		if slices.Contains(available, name) || slices.Contains(notAlgorithms, module) {
			continue
		}
		f := m.unloaded(AlgorithmName, module, loads)
		f.Subject, f.Algorithm = name, DescribeAlgorithm(root, m, name)
		facts = append(facts, f)
	}
	return facts
}

// AlgorithmName is the name of the facts about congestion controls.
const AlgorithmName = "congestion_control"

// DescribeAlgorithm looks one up.
func DescribeAlgorithm(root string, m Modules, name string) *Algorithm {
	a := &Algorithm{
		Available: listedIn(root, availableFile, name), Allowed: listedIn(root, allowedFile, name),
	}
	if m.fixed || m.listed {
		a.Loadable = new(!m.fixed && m.onDisk["tcp_"+name])
	}
	return a
}

func listedIn(root, file, name string) *bool {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil
	}
	return new(slices.Contains(strings.Fields(string(text)), name))
}

// unloaded is the fact of something whose module is on disk only. It is not
// tried, since trying it would load the module; whoever may load one has a
// kernel that probably would.
func (m Modules) unloaded(name, module string, loads bool) Fact {
	detail := module + " is on disk, not loaded"
	switch {
	case m.fixed:
		return no(name, Some, detail+", and this kernel loads no module any more",
			"after the next boot, before kernel.modules_disabled is set: modprobe -a "+module)
	case loads: // the module is the last word, as a reader may merge several
		return unknown(name, Some, detail, "not tried, as that would load it, as a run does that asks for it; to find out, as root: modprobe -a "+module)
	}
	return no(name, Some, detail+", and only the machine's root can have that done",
		fmt.Sprintf("as root: modprobe -a %s", module))
}
