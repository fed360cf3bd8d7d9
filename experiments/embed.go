// Package experiments has the experiment files of this folder built in, so that
// a program carries them wherever it goes.
package experiments

import "embed"

// Files are the experiment files, NAME.yaml each. The first line of a file is a
// comment that says what it asks.
//
//go:embed *.yaml
var Files embed.FS
