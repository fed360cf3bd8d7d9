package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// MachineRoot says whether a process that has capabilities has them over the
// machine, and not in a user namespace only (user_namespaces(7)).
func MachineRoot(root string) bool {
	f := strings.Fields(under(root).text("proc/self/uid_map"))
	return len(f) == 3 && f[0] == "0" && f[1] == "0" && f[2] == "4294967295"
}

// Privilege says how a run gets the privilege to make network namespaces: it
// has it, or makes a user namespace; refused is why it could not make one.
func Privilege(privileged bool, refused error) Fact {
	const name = "privilege"
	switch {
	case privileged:
		return yes(name, Required, "root, or CAP_SYS_ADMIN and CAP_NET_ADMIN")
	case refused != nil:
		return Failure(name, Required, refused, "run ccbench as root")
	}
	return yes(name, Required, "that of a user namespace: not root, and it need not be")
}

// UserNamespace says whether ordinary users can run ccbench. One was made when
// tried; what files tell is all that root knows.
func UserNamespace(root string, tried bool, refused error) Fact {
	const name = "user_namespaces"
	reason, cure := UserNamespaces(root)
	switch {
	case tried && refused == nil:
		return yes(name, Required, "one was made")
	case tried && reason != "":
		return no(name, Required, reason, cure)
	case tried:
		return Failure(name, Required, refused, "run ccbench as root")
	case reason != "":
		return no(name, Info, reason+"; root does without", cure)
	}
	if _, err := os.Stat(filepath.Join(root, "proc/self/ns/user")); err != nil {
		return no(name, Info, "this kernel has none; root does without", "a kernel with CONFIG_USER_NS")
	}
	limit := under(root).text("proc/sys/user/max_user_namespaces")
	if limit == "" {
		return unknown(name, Info, "not tried: root does without", "/proc/sys/user/max_user_namespaces cannot be read")
	}
	return yes(name, Info, fmt.Sprintf("nothing forbids them to ordinary users (user.max_user_namespaces is %s); root does without", limit))
}
