package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"ccbench/internal/experiment"
)

// hashed is what a plan's hash is taken over: all that decides what is
// measured. It is written out, and not simply a Trial, so that a new field
// there does not change the hash of an old file. Names of files, descriptions,
// and which values were defaults are left out.
type hashed struct {
	Index    int               `json:"index"`
	Block    int               `json:"block"`
	Labels   map[string]string `json:"labels"`
	Flows    []string          `json:"flows"` // algorithms, as the kernel knows them
	Duration int64             `json:"duration"`
	Warmup   int64             `json:"warmup"`
	Interval int64             `json:"interval"`
	Path     hashedPath        `json:"path"`
	Drop     *hashedDrop       `json:"drop"`
	Sysctl   map[string]string `json:"sysctl"`
}

type hashedPath struct {
	Engine   string `json:"engine"`
	Rate     int64  `json:"rate"`
	RTT      int64  `json:"rtt"`
	Buffer   int64  `json:"buffer"`
	MTU      int    `json:"mtu"`
	Overhead int    `json:"overhead"`
}

type hashedDrop struct {
	Mode        string  `json:"mode"`
	Every       int     `json:"every"`
	First       int     `json:"first"`
	Probability float64 `json:"probability"`
	Unit        string  `json:"unit"`
}

// hash is the SHA-256, in hex, of the trials as lines of JSON. encoding/json
// sorts the keys of maps, and times are in ns, so equal plans have equal texts.
func hash(trials []Trial) (string, error) {
	sum := sha256.New()
	lines := json.NewEncoder(sum)
	for _, t := range trials {
		if err := lines.Encode(digest(t)); err != nil {
			return "", fmt.Errorf("hashing trial %d of the plan: %w", t.Index, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func digest(t Trial) hashed {
	h := hashed{
		Index:    t.Index,
		Block:    t.Block,
		Labels:   t.Labels,
		Duration: t.Duration.Nanoseconds(),
		Warmup:   t.Warmup.Nanoseconds(),
		Interval: t.Interval.Nanoseconds(),
		Path:     digestPath(t.Path),
		Sysctl:   t.Sysctl,
	}
	for _, f := range t.Flows {
		h.Flows = append(h.Flows, f.Kernel)
	}
	if d := t.Drop; d != nil {
		h.Drop = &hashedDrop{string(d.Mode), d.Every, d.First, d.Probability, d.Unit}
	}
	return h
}

func digestPath(p experiment.Path) hashedPath {
	return hashedPath{
		Engine:   string(p.Engine),
		Rate:     int64(p.Rate),
		RTT:      p.RTT.Nanoseconds(),
		Buffer:   int64(p.Buffer.Bytes),
		MTU:      p.MTU,
		Overhead: p.Overhead,
	}
}
