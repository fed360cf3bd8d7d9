package main

import "strings"

// shellWord writes a path as one word of a shell line, and so that no command
// takes it for a flag.
func shellWord(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	if path != "" && strings.Trim(path, plainInShells) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// plainInShells are the characters that mean themselves in every shell, at any
// place of a word.
const plainInShells = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:@%+"
