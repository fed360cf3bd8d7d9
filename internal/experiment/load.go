package experiment

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxSize is the size of the longest file that is read, in bytes.
const maxSize = 1 << 20

// Load reads an experiment file from r. name is the file's name: it stands in
// messages, and without its extension it is the experiment's default name.
//
// Each override is key=value: a dotted key (path.rtt, sysctl.net.ipv4.tcp_ecn)
// and the YAML that is to be its value. It replaces what the file has there, or
// adds it, and is held to the same rules.
//
// A file that is read but wrong, or an override that is, gives Errors.
func Load(name string, r io.Reader, overrides ...string) (*Experiment, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("reading the experiment file %s: %w", name, err)
	}
	return Parse(name, text, overrides...)
}

// Parse is Load for a text already in memory. Its error is always Errors.
func Parse(name string, text []byte, overrides ...string) (*Experiment, error) {
	d := &decoder{file: name, sets: map[*yaml.Node]int{}}
	e := d.parse(text, overrides)
	if len(d.errs) > 0 {
		return nil, d.errs.sorted()
	}
	e.Text, e.Overrides = text, overrides
	return e, nil
}

// parse goes as far as the text lets it: characters, then YAML, then meaning.
// The last is not looked for while an override is unreadable: what it would
// have changed is not known.
func (d *decoder) parse(text []byte, overrides []string) *Experiment {
	read := d.overrides(overrides)
	if isResults(text) {
		d.reportAt(1, 1, "", "a results file, not an experiment; print it with ccbench compare")
		return nil
	}
	if !d.checkText(text) {
		return nil
	}
	root := d.document(text)
	if root == nil || len(read) < len(overrides) {
		return nil
	}
	for _, o := range read {
		d.apply(o, root)
	}
	d.checkTree(root, "", 0)
	return d.experiment(root)
}

// isResults says whether text starts like a results file, whoever wrote the
// blanks in it.
func isResults(text []byte) bool {
	const start, blanks = `{"type":"header"`, 64
	text = text[:min(len(text), len(start)+blanks)]
	return bytes.HasPrefix(bytes.Join(bytes.Fields(text), nil), []byte(start))
}

// checkText refuses what is no YAML text at all, with the place that the YAML
// library would not give.
func (d *decoder) checkText(text []byte) bool {
	if len(text) > maxSize {
		d.reportAt(1, 0, "", fmt.Sprintf("the file is longer than %d bytes; this cannot be an experiment", maxSize))
		return false
	}
	line, column := 1, 1
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if problem := badRune(r, size); problem != "" {
			d.reportAt(line, column, "", problem)
			return false
		}
		text, column = text[size:], column+1
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return true
}

// badRune says what is wrong with a character, "" if nothing is. The set is
// YAML 1.2's c-printable.
func badRune(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return "not UTF-8 text; save the file as UTF-8"
	case r == '\uFEFF':
		return "a byte order mark; save the file as UTF-8 without one"
	case r < ' ' && r != '\t' && r != '\n' && r != '\r',
		r >= 0x7F && r < 0xA0 && r != 0x85, r == '\uFFFE', r == '\uFFFF':
		return fmt.Sprintf("the character %U, which YAML does not allow; remove it", r)
	}
	return ""
}
