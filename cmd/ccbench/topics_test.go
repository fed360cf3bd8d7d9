package main

import (
	"bytes"
	"strings"
	"testing"

	"ccbench/internal/experiment"
	"ccbench/internal/metric"
)

// What help says of an experiment file is what README says.
func TestFileTopicIsReadme(t *testing.T) {
	told := ""
	for line := range strings.Lines(fileTopic) {
		if rest, ok := strings.CutPrefix(line, "    "); ok {
			told += rest
		}
	}
	all := blocks(t, "../../README.md", "yaml")
	if want := strings.Join(all, ""); told != want {
		t.Errorf("help has\n%s\nREADME has\n%s", told, want)
	}
	if _, err := experiment.Parse("x.yaml", []byte(all[0])); err != nil {
		t.Errorf("the whole file: %v", err)
	}
}

func TestTopicsAreShown(t *testing.T) {
	for topic, want := range map[string]string{"experiment-file": "repetitions: 5 ", "metrics": "\nqueue_delay_p95 (s, lower is better)\n"} {
		var out, err bytes.Buffer
		if status := run([]string{"help", topic}, &out, &err); status != 0 || err.Len() > 0 || !strings.Contains(out.String(), want) {
			t.Errorf("help %s: status %d, %s%s", topic, status, &out, &err)
		}
	}
	for _, m := range metric.Definitions() {
		if !strings.Contains(metricsTopic(), "\n"+m.Name+" ("+m.Unit) {
			t.Errorf("no metric %s", m.Name)
		}
	}
	var out, err bytes.Buffer
	if run([]string{"--help"}, &out, &err); !strings.Contains(out.String(), "ccbench experiment-file") {
		t.Errorf("the help does not list the topics:\n%s", out.String())
	}
}
