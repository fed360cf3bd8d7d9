package link

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func TestNSIDLivesAsLongAsTheNamespace(t *testing.T) {
	enterNamespace(t)
	pid, kill := startProcess(t)
	if _, err := NSIDOf(pid); !errors.Is(err, ErrNoNSID) {
		t.Fatalf("before: got %v, want ErrNoNSID", err)
	}
	id, err := AssignNSID(pid)
	if err != nil {
		t.Fatal(err)
	}
	again, err := AssignNSID(pid)
	if err != nil || again != id {
		t.Errorf("assigned again: got %d, %v, want %d", again, err, id)
	}
	if ids := list(t); !slices.Equal(ids, []int{id}) {
		t.Errorf("got ids %v, want %d alone", ids, id)
	}
	kill()
	// A namespace is taken down by a kernel worker some time after its last process.
	for deadline := time.Now().Add(10 * time.Second); len(list(t)) > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("10 s after the process the ids are %v", list(t))
		}
		time.Sleep(time.Millisecond) // between looks, not in place of one
	}
}

func TestNSIDsAreListedInOrder(t *testing.T) {
	enterNamespace(t)
	var want []int
	for range 3 {
		pid, _ := startProcess(t)
		id, err := AssignNSID(pid)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, id)
	}
	slices.Sort(want)
	if got := list(t); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func list(t *testing.T) []int {
	t.Helper()
	ids, err := ListNSIDs()
	if err != nil {
		t.Fatal(err)
	}
	return ids
}
