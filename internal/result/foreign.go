package result

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// foreign is what is wrong with a file, or a line of it, that this package did
// not write.
type foreign struct{ problem, hint string }

func (e *foreign) Error() string { return e.problem }

// Hint says what may have happened.
func (e *foreign) Hint() string { return e.hint }

var (
	errYAML = &foreign{"not a results file: it starts like YAML, not like JSON",
		"is it an experiment? those are for ccbench run"}
	errGzip      = &foreign{"not a results file as it is: it is compressed with gzip", "gunzip it first"}
	errRewritten = &foreign{`broken line: lines start with {"type":" without white space, as ccbench writes them`,
		"was the file rewritten by another program?"}
)

// yamlStart is how experiment files start: a comment, a key or a document.
var yamlStart = regexp.MustCompile(`^(#|%YAML|---\s*$|[a-z]+:(\s|$))`)

// recognised says what a first line that is not ours is the start of; nil when that is not known.
func recognised(line []byte) error {
	switch {
	case bytes.HasPrefix(line, []byte("\x1f\x8b")): // RFC 1952
		return errGzip
	case isYAML(line):
		return errYAML
	}
	return nil
}

func isYAML(line []byte) bool { return yamlStart.Match(line) }

// rewritten says whether a line has a record that is not in ccbench's own
// form: an object of JSON with a type, or the start of one over several lines.
func (r *Reader) rewritten(line []byte) bool {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	if string(line) == "{" {
		return !r.header
	}
	return bytes.HasPrefix(line, []byte("{")) && bytes.Contains(line, []byte(`"type"`)) && json.Valid(line)
}
