package probe

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ModuleState says where the code of a kernel module is.
type ModuleState int

// The states.
const (
	ModuleUnknown ModuleState = iota // files do not tell
	ModuleThere                      // in the kernel: loaded, or built in
	ModuleOnDisk                     // not loaded: asking the kernel for it may load it
	ModuleNowhere                    // neither; asking finds nothing
)

// Modules is what files tell of the kernel's modules, without loading any.
type Modules struct {
	root    under
	fixed   bool            // the kernel loads none: what it lacks it cannot get
	listed  bool            // onDisk and builtin are complete
	onDisk  map[string]bool // name with _ for -
	builtin map[string]bool
}

// ReadModules reads the modules of the running kernel's release: modules.dep
// and modules.builtin (depmod(8)), or the folder where they are missing.
func ReadModules(root string) Modules {
	at := under(root)
	m := Modules{root: at, onDisk: map[string]bool{}, builtin: map[string]bool{}}
	_, err := os.Stat(filepath.Join(root, "proc/modules"))
	m.fixed = os.IsNotExist(err) && at.text("proc/sys/kernel/osrelease") != "" ||
		at.text("proc/sys/kernel/modules_disabled") == "1"
	dir := filepath.Join("lib/modules", at.text("proc/sys/kernel/osrelease"))
	for line := range strings.Lines(at.text(filepath.Join(dir, "modules.builtin"))) {
		m.builtin[moduleName(line)] = true
	}
	files := strings.Split(at.text(filepath.Join(dir, "modules.dep")), "\n")
	if files[0] == "" {
		files = at.moduleFiles(dir)
	}
	for _, line := range files {
		file, _, _ := strings.Cut(line, ":")
		if strings.Contains(file, ".ko") {
			m.onDisk[moduleName(file)] = true
		}
	}
	m.listed = len(m.onDisk) > 0
	return m
}

// moduleFiles walks a folder of modules; what cannot be read has none.
func (u under) moduleFiles(dir string) []string {
	var found []string
	_ = filepath.WalkDir(filepath.Join(string(u), dir), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		found = append(found, path)
		return nil
	})
	return found
}

// moduleName is that of kernel/net/ipv4/tcp_vegas.ko.xz: tcp_vegas.
func moduleName(file string) string {
	name, _, _ := strings.Cut(path.Base(strings.TrimSpace(file)), ".ko")
	return strings.ReplaceAll(name, "-", "_")
}

// State says where a module is.
func (m Modules) State(name string) ModuleState {
	_, err := os.Stat(filepath.Join(string(m.root), "sys/module", name))
	switch {
	case err == nil, m.builtin[name]:
		return ModuleThere
	case m.fixed && !m.onDisk[name]:
		return ModuleUnknown // it may be built in without a trace
	case m.onDisk[name]:
		return ModuleOnDisk
	case m.listed:
		return ModuleNowhere
	}
	return ModuleUnknown
}

// MayAsk says whether the kernel can be asked for what a module does without
// loading it.
func (m Modules) MayAsk(name string) bool {
	return m.fixed && !m.onDisk[name] || m.State(name) == ModuleThere
}

// named lists the modules on disk whose name has a prefix.
func (m Modules) named(prefix string) []string {
	var found []string
	for name := range m.onDisk {
		if strings.HasPrefix(name, prefix) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}
