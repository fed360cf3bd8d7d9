package experiment

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"ccbench/internal/unit"
)

// override is one --set: a key of the file, and the value that it has instead
// of, or beside, what is written there.
type override struct {
	number int      // 1-based, in the order given
	keys   []string // from the root down; a sysctl's name is one of them
	value  *yaml.Node
}

const overrideForm = "write key=value, such as path.rtt=10ms"

// overrides reads all of the texts. What is wrong with their form is reported;
// what they mean is not looked at.
func (d *decoder) overrides(texts []string) []override {
	var all []override
	for i, text := range texts {
		o := override{number: i + 1}
		if d.override(&o, text) {
			d.checkLater(o, all)
			all = append(all, o)
		}
	}
	return all
}

// override reads one text, and says whether it could.
func (d *decoder) override(o *override, text string) bool {
	key, value, found := strings.Cut(text, "=")
	if !found {
		d.reportSet(o.number, "", unit.Quote(text)+" has no =; "+overrideForm)
		return false
	}
	o.keys = splitKey(key)
	if problem := keyProblem(key, o.keys); problem != "" {
		d.reportSet(o.number, join("", key), problem)
		return false
	}
	o.value = d.overrideValue(*o, value)
	return o.value != nil
}

// splitKey splits a dotted key. The dots in the name of a sysctl, and of what a
// matrix varies, are its own.
func splitKey(key string) []string {
	for _, whole := range []string{"sysctl", "matrix"} {
		if name, found := strings.CutPrefix(key, whole+"."); found {
			return []string{whole, name}
		}
	}
	return strings.Split(key, ".")
}

// keyProblem says why a key cannot be one, "" if it can. Whether there is such
// a key is for the schema to say.
func keyProblem(key string, keys []string) string {
	list, _, indexed := strings.Cut(keys[0], "[")
	switch {
	case key == "":
		return "an empty key; " + overrideForm
	case slices.Contains(keys, ""):
		return "a part of the key is empty; " + overrideForm
	case list == "arms" && (indexed || len(keys) > 1):
		return "an arm cannot be set in part; set them all, such as arms=[{name: a, algorithm: cubic}]"
	case indexed || keys[0] == "algorithms" && len(keys) > 1:
		return "an item of a list cannot be set; set the whole list, such as algorithms=[newreno, cubic]"
	}
	return ""
}

// overrideValue reads the YAML of a value, nil once it has reported why not.
func (d *decoder) overrideValue(o override, text string) *yaml.Node {
	fail := func(problem string) *yaml.Node {
		d.reportSet(o.number, o.key(), problem)
		return nil
	}
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if problem := badRune(r, size); problem != "" {
			return fail(problem)
		}
		rest = rest[size:]
	}
	docs, err := documents([]byte(text))
	switch {
	case err != nil:
		return fail("not YAML: " + syntaxMessage(err))
	case len(docs) > 1:
		return fail("several documents; write one value")
	case len(docs) == 0:
		return fail("has no value; write one after the =")
	}
	return docs[0].Content[0]
}

// checkLater reports an override that leaves nothing of one before it.
func (d *decoder) checkLater(o override, before []override) {
	for _, b := range before {
		if len(b.keys) >= len(o.keys) && slices.Equal(b.keys[:len(o.keys)], o.keys) {
			d.reportSet(o.number, o.key(), fmt.Sprintf("replaces %s, which --set #%d has set; keep one", b.key(), b.number))
			return
		}
	}
}

func (o override) key() string { return dotted(o.keys) }

func dotted(keys []string) string {
	key := ""
	for _, k := range keys {
		key = join(key, k)
	}
	return key
}

// apply puts an override's value into the tree of the file, before anything is
// judged there: what it replaces needs not have been right.
func (d *decoder) apply(o override, root *yaml.Node) {
	d.own(o.value, o.number)
	d.assign(root, o.keys, o.value, o.value)
}

// assign gives the key under root the value, and makes the mappings that it
// needs. What goes wrong, and what is made, is where the node at is.
func (d *decoder) assign(root *yaml.Node, keys []string, value, at *yaml.Node) {
	in := root
	for i, key := range keys[:len(keys)-1] {
		in = d.descend(in, key, at)
		if i == 0 {
			in = onlyRule(key, in)
		}
		if in.Kind != yaml.MappingNode {
			d.report(at, dotted(keys), fmt.Sprintf("%s is %s %s, which has no keys; set %s as a whole",
				key, kindName(in), d.place(in), key))
			return
		}
	}
	d.put(in, keys[len(keys)-1], value, at)
}

// onlyRule is the one rule in a list of drop rules.
func onlyRule(key string, n *yaml.Node) *yaml.Node {
	if key == "drop" && n.Kind == yaml.SequenceNode && len(n.Content) == 1 {
		return n.Content[0]
	}
	return n
}

// descend is the value of a key, a new mapping where there is none.
func (d *decoder) descend(in *yaml.Node, key string, at *yaml.Node) *yaml.Node {
	if _, found := entry(in, key); found != nil && !isNull(found) {
		return found
	}
	empty := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	d.locate(empty, at)
	d.put(in, key, empty, at)
	return empty
}

// entry is a key of a mapping and its value, as written last; nil without it.
func entry(in *yaml.Node, key string) (name, value *yaml.Node) {
	for k, v := range pairs(in) {
		if isKey(k, key) {
			name, value = k, v
		}
	}
	return name, value
}

// locate says that n is where at is.
func (d *decoder) locate(n, at *yaml.Node) {
	n.Line, n.Column = at.Line, at.Column
	if number := d.sets[at]; number > 0 {
		d.sets[n] = number
	}
}

// put gives a mapping's key a value, in the place of the first that was
// written; others of the same name go.
func (d *decoder) put(in *yaml.Node, key string, value, at *yaml.Node) {
	name := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}
	d.locate(name, at)
	var content []*yaml.Node
	done := false
	for k, v := range pairs(in) {
		switch {
		case !isKey(k, key):
			content = append(content, k, v)
		case !done:
			content, done = append(content, name, value), true
		}
	}
	if !done {
		content = append(content, name, value)
	}
	in.Content = content
}

func isKey(k *yaml.Node, key string) bool {
	return k.Kind == yaml.ScalarNode && k.Tag != "!!merge" && k.Value == key
}

// own marks a node, and all below it, as an override's.
func (d *decoder) own(n *yaml.Node, number int) {
	d.sets[n] = number
	for _, part := range n.Content {
		d.own(part, number)
	}
}

// place says in a message where something is.
func (d *decoder) place(n *yaml.Node) string {
	if number := d.sets[n]; number > 0 {
		return fmt.Sprintf("in --set #%d", number)
	}
	return fmt.Sprintf("on line %d", n.Line)
}

// places says where several things are: lines 2 and 3.
func (d *decoder) places(nodes ...*yaml.Node) string {
	all := make([]string, len(nodes))
	ours := false
	for i, n := range nodes {
		all[i] = fmt.Sprintf("line %d", n.Line)
		if number := d.sets[n]; number > 0 {
			all[i], ours = fmt.Sprintf("--set #%d", number), true
		}
	}
	together := strings.Join(all, " and ")
	if !ours && len(nodes) > 1 {
		together = "lines " + strings.ReplaceAll(together, "line ", "")
	}
	return together
}
