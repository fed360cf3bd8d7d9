package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// document returns the root of the one document in text, nil once it has
// reported why there is none.
func (d *decoder) document(text []byte) *yaml.Node {
	docs, err := documents(text)
	if err != nil {
		line := syntaxLine(text, err)
		column, what := syntaxColumn(text, line), syntaxMessage(err)
		if tabAt(text, line, column) {
			what = "a tab indents; YAML indents with spaces"
		}
		d.reportAt(line, column, "", "not YAML: "+what)
		return nil
	}
	if len(docs) > 1 {
		d.report(docs[1], "", "a second document starts here; a file holds one experiment")
	}
	if len(docs) == 0 || isNull(docs[0].Content[0]) {
		d.reportAt(1, 1, "", "the file is empty; it needs at least version, and algorithms or arms")
		return nil
	}
	root := docs[0].Content[0]
	if root.Kind != yaml.MappingNode {
		d.report(root, "", "the file is "+kindName(root)+"; it must be a mapping of keys, such as version: 1")
		return nil
	}
	return root
}

func documents(text []byte) ([]*yaml.Node, error) {
	var docs []*yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		err := in.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, &doc)
	}
}

// syntaxMessage is the library's message without its prefix and line.
func syntaxMessage(err error) string {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, found := strings.CutPrefix(message, "line "); found {
		if _, after, found := strings.Cut(rest, ": "); found {
			return after
		}
	}
	return message
}

// syntaxLine finds the line of a syntax error: the first one up to which the
// text already fails in the same way. The library names a line for some of its
// errors only, and for most of them the one before, or that where the
// surrounding block began.
func syntaxLine(text []byte, err error) int {
	message := syntaxMessage(err)
	lines := bytes.SplitAfter(bytes.TrimRight(text, "\r\n"), []byte("\n"))
	const most = 5 << 20 // each step reads the text once more: half a second in all
	if len(lines)*len(text) > most {
		return yamlLine(err)
	}
	n := len(lines)
	for n > 1 {
		_, before := documents(bytes.Join(lines[:n-1], nil))
		if before == nil || syntaxMessage(before) != message {
			break
		}
		n--
	}
	return n
}

// syntaxColumn is where a line's text begins, or the tab before it: the library
// tells no column.
func syntaxColumn(text []byte, line int) int {
	content := lineOf(text, line)
	return len(content) - len(bytes.TrimLeft(content, " ")) + 1
}

func tabAt(text []byte, line, column int) bool {
	content := lineOf(text, line)
	return column <= len(content) && content[column-1] == '\t'
}

func lineOf(text []byte, line int) []byte {
	lines := bytes.Split(text, []byte("\n"))
	if line > len(lines) {
		return nil
	}
	return lines[line-1]
}

// yamlLine is the line in the library's own message, 1 without one.
func yamlLine(err error) int {
	line := 1
	if _, scanErr := fmt.Sscanf(err.Error(), "yaml: line %d:", &line); scanErr != nil {
		return 1
	}
	return line
}
