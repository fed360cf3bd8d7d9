package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The house rules of ARCHITECTURE.md, held by tests over the module's packages.

// wings says which part of the house a package is in, by its name under internal/.
var wings = map[string]string{
	"experiment": "measuring", "plan": "measuring", "runner": "measuring", "testbed": "measuring",
	"carrier": "measuring", "agent": "measuring", "agent/wire": "measuring", "link": "measuring",
	"emulator": "measuring", "droprule": "measuring", "loadgen": "measuring", "tcpinfo": "measuring",
	"sysctl": "measuring", "probe": "measuring", "near": "measuring", "hostlock": "measuring",
	"ccbench/experiments": "measuring", // the built-in files: text alone

	"unit": "corridor", "metric": "corridor", "result": "corridor", "validity": "corridor",
	"stats": "reading", "compare": "reading", "report": "reading",
}

// mayEnter says through which packages a third party's module comes in; "" is cmd/ccbench.
var mayEnter = map[string][]string{
	"gopkg.in/yaml.v3":                  {"experiment"},
	"github.com/spf13/cobra":            {""},
	"github.com/cheggaaa/pb/v3":         {""},
	"golang.org/x/term":                 {""},
	"github.com/vishvananda/netlink":    {"link"},
	"github.com/vishvananda/netns":      {"link"},
	"github.com/agnivade/levenshtein":   {"near"},
	"gonum.org/v1/gonum/stat":           {"stats"},
	"github.com/olekukonko/tablewriter": {"report"},
}

// onlyImportedBy lists the packages that have few doors.
var onlyImportedBy = map[string][]string{
	// testbed takes from droprule the text of a rule, for a plan, and the list of
	// the machine's own, for doctor; it is the agent that installs one.
	"droprule": {"agent", "testbed"},
	"loadgen":  {"agent"}, "sysctl": {"agent"}, "emulator": {"agent"},
	"tcpinfo": {"agent", "loadgen"},
	// The files are text like any other to all but the command line.
	"ccbench/experiments": {},
}

// mayImport lists packages that may know few others.
var mayImport = map[string][]string{
	"runner": {"plan", "metric", "result", "validity", "unit"},
	"unit":   {}, "result": {}, "ccbench/experiments": {},
}

type goPackage struct {
	ImportPath   string
	Dir          string
	Imports      []string
	GoFiles      []string
	IgnoredFiles []string `json:"IgnoredGoFiles"`
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles,IgnoredGoFiles", "ccbench/...")
	cmd.Env = append(os.Environ(), "GOOS=linux")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < len(wings) {
		t.Fatalf("%d packages, want at least %d", len(all), len(wings))
	}
	return all
}

// short is a package's name under internal/; "" for cmd/ccbench, the whole path for others.
func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "ccbench/cmd/ccbench"), "ccbench/internal/")
}

func TestWingsStayApart(t *testing.T) {
	for _, p := range packages(t) {
		from := short(p.ImportPath)
		if from == "" {
			continue
		}
		wing, known := wings[from]
		if !known {
			t.Errorf("%s is in no wing: add it to ARCHITECTURE.md and here", p.ImportPath)
		}
		for _, path := range p.Imports {
			if !strings.HasPrefix(path, "ccbench/") {
				continue
			}
			to := short(path)
			if w := wings[to]; w != wing && w != "corridor" {
				t.Errorf("%s (%s) imports %s (%s)", from, wing, to, w)
			}
			if few, ok := onlyImportedBy[to]; ok && !slices.Contains(few, from) {
				t.Errorf("%s imports %s, which only %v may", from, to, few)
			}
			if few, ok := mayImport[from]; ok && !slices.Contains(few, to) {
				t.Errorf("%s imports %s; it may know only %v", from, to, few)
			}
		}
	}
}

// It looks at files behind build tags too, such as the manual's.
func TestThirdPartiesEnterByOneDoor(t *testing.T) {
	parsed(t, func(p goPackage, name string, f *ast.File) {
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			first, _, _ := strings.Cut(path, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(path, "golang.org/x/sys/unix") {
				continue
			}
			if doors := doorsOf(path); !slices.Contains(doors, short(p.ImportPath)) {
				t.Errorf("%s/%s imports %s, which may enter only through %q", p.ImportPath, name, path, doors)
			}
		}
	})
}

// doorsOf are the doors of the module that a package path is in.
func doorsOf(path string) []string {
	for module, doors := range mayEnter {
		if path == module || strings.HasPrefix(path, module+"/") {
			return doors
		}
	}
	return nil
}

// parsed calls visit with each non-test file of the module, whatever system it is for.
func parsed(t *testing.T, visit func(p goPackage, name string, f *ast.File)) {
	t.Helper()
	for _, p := range packages(t) {
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			visit(p, name, f)
		}
	}
}

func TestSystemCallsAreInLinuxFiles(t *testing.T) {
	parsed(t, func(p goPackage, name string, f *ast.File) {
		for _, i := range f.Imports {
			if i.Path.Value != `"golang.org/x/sys/unix"` {
				continue
			}
			if wings[short(p.ImportPath)] != "measuring" || !strings.HasSuffix(name, "_linux.go") {
				t.Errorf("%s/%s imports x/sys/unix", p.ImportPath, name)
			}
		}
	})
}

// doorway are the calls that belong to cmd/ccbench alone.
var doorway = map[string][]string{
	"os":     {"Exit", "Getenv", "LookupEnv", "Environ", "ExpandEnv"},
	"fmt":    {"Print", "Println", "Printf"},
	"log":    {"Fatal", "Fatalf", "Fatalln", "Print", "Printf", "Println", "Panic", "Panicf"},
	"flag":   {"Parse", "String", "Int", "Bool"},
	"signal": {"Notify", "NotifyContext"},
}

func TestOnlyTheDoorwaySpeaks(t *testing.T) {
	parsed(t, func(p goPackage, name string, f *ast.File) {
		if short(p.ImportPath) == "" {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(doorway[x.Name], s.Sel.Name) {
				t.Errorf("%s/%s uses %s.%s", p.ImportPath, name, x.Name, s.Sel.Name)
			}
			return true
		})
	})
}

func TestOnePackageComment(t *testing.T) {
	comments := map[string]int{}
	parsed(t, func(p goPackage, _ string, f *ast.File) {
		comments[p.ImportPath] += 0
		if f.Doc != nil {
			comments[p.ImportPath]++
		}
	})
	for path, n := range comments {
		if n != 1 {
			t.Errorf("%s has %d package comments", path, n)
		}
	}
}

func TestModuleReplacesNothing(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "replace") {
			t.Errorf("go.mod: %s", line)
		}
	}
}
