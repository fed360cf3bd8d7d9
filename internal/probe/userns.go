package probe

// UserNamespaces says why an ordinary user cannot make a user namespace, with a
// network namespace in it, here, and what would change that; "" when no reason can be found.
func UserNamespaces(root string) (reason, cure string) {
	at := under(root)
	switch {
	case at.text("proc/sys/user/max_user_namespaces") == "0":
		return "user.max_user_namespaces is 0", "sysctl -w user.max_user_namespaces=10000"
	case at.text("proc/sys/user/max_net_namespaces") == "0":
		return "user.max_net_namespaces is 0", "sysctl -w user.max_net_namespaces=10000"
	case at.text("proc/sys/kernel/unprivileged_userns_clone") == "0":
		return "kernel.unprivileged_userns_clone is 0", "sysctl -w kernel.unprivileged_userns_clone=1"
	case at.text("proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
		return "AppArmor restricts them (kernel.apparmor_restrict_unprivileged_userns is 1)",
			"sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
	}
	return "", ""
}
