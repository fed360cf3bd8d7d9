package main

import (
	"os/exec"
	"testing"
)

// A shell reads back what was written for it; of a path like a flag, the same file.
func TestShellWord(t *testing.T) {
	for path, want := range map[string]string{
		"results/a-1.jsonl": "results/a-1.jsonl", "my file.jsonl": "my file.jsonl", "it's $HOME`": "it's $HOME`",
		"~/a*": "~/a*", "": "", "-o": "./-o", "a#b;c": "a#b;c", "größe": "größe",
	} {
		got, err := exec.Command("sh", "-c", "printf %s "+shellWord(path)).Output()
		if err != nil || string(got) != want {
			t.Errorf("%q is written %s: a shell reads %q, error %v", path, shellWord(path), got, err)
		}
	}
	if got := shellWord("results/a-1.jsonl"); got != "results/a-1.jsonl" {
		t.Errorf("quoted without need: %s", got)
	}
}
