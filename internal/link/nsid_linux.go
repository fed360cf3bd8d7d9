package link

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// autoNSID asks the kernel to choose (NETNSA_NSID_NOT_ASSIGNED of linux/net_namespace.h).
const autoNSID = -1

// AssignNSID gives the network namespace of a process an id in the caller's
// namespace and returns it. The id goes when the namespace does, so it proves
// the namespace's end, where the absence of a process proves nothing.
func AssignNSID(pid int) (int, error) {
	err := netlink.SetNetNsIdByPid(pid, autoNSID)
	if err != nil && !errors.Is(err, unix.EEXIST) { // it may have one already
		return 0, fmt.Errorf("give the namespace of pid %d an id: %w", pid, err)
	}
	return NSIDOf(pid)
}

// NSIDOf returns the id of a process's network namespace, or ErrNoNSID.
func NSIDOf(pid int) (int, error) {
	id, err := netlink.GetNetNsIdByPid(pid)
	if err != nil {
		return 0, fmt.Errorf("id of the namespace of pid %d: %w", pid, err)
	}
	if id < 0 {
		return 0, fmt.Errorf("pid %d: %w", pid, ErrNoNSID)
	}
	return id, nil
}

// ListNSIDs returns all ids of the caller's namespace in ascending order, as
// `ip netns list-id` does.
func ListNSIDs() ([]int, error) {
	const attempts = 5 // a list interrupted by a change may lack some
	for range attempts - 1 {
		ids, err := listNSIDs()
		if !errors.Is(err, netlink.ErrDumpInterrupted) {
			return ids, err
		}
	}
	return listNSIDs()
}

func listNSIDs() ([]int, error) {
	request := nl.NewNetlinkRequest(unix.RTM_GETNSID, unix.NLM_F_DUMP)
	request.AddData(nl.NewRtGenMsg())
	messages, err := request.Execute(unix.NETLINK_ROUTE, unix.RTM_NEWNSID)
	if err != nil {
		return nil, fmt.Errorf("list namespace ids: %w", err)
	}
	var ids []int
	for _, m := range messages {
		attrs, err := nl.ParseRouteAttr(m[nl.DeserializeRtGenMsg(m).Len():])
		if err != nil {
			return nil, fmt.Errorf("list namespace ids: %w", err)
		}
		for _, a := range attrs {
			if a.Attr.Type == netlink.NETNSA_NSID {
				ids = append(ids, int(int32(nl.NativeEndian().Uint32(a.Value))))
			}
		}
	}
	slices.Sort(ids)
	return ids, nil
}
