//go:build !man

package main

import "github.com/spf13/cobra"

// hiddenCommands are those that help does not list.
func (a *app) hiddenCommands() []*cobra.Command { return []*cobra.Command{a.agentCommand()} }
