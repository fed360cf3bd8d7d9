package near

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	names := []string{"reno", "cubic", "bbr", "repetitions", "duration"}
	for written, want := range map[string]string{
		"cubik": "cubic", "cubci": "cubic", "cubic2": "cubic", "repetition": "repetitions", "bbr2": "bbr",
		"vegas": "", "": "", "xx": "", "bb": "bbr", "br": "bbr", "duratoin": "duration",
		"bbrr": "bbr", "rbb": "", "brb": "bbr", "erno": "reno", "onre": "",
		strings.Repeat("c", 1<<20): "",
	} {
		if got := Name(written, names); got != want {
			t.Errorf("%.20q: got %q, want %q", written, got, want)
		}
	}
	if got := Name("cubic", nil); got != "" {
		t.Errorf("of no names: got %q", got)
	}
}
