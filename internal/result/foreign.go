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
	errRewritten = &foreign{`broken line: lines start with {"type":" without white space, as ccbench writes them`,
		"was the file rewritten by another program?"}
)

// yamlStart is how experiment files start: a comment, a key or a document.
var yamlStart = regexp.MustCompile(`^(#|%YAML|---\s*$|[a-z]+:(\s|$))`)

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
