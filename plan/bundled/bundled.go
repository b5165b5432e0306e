// Package bundled makes the models of robots that ship part of a program
// that imports it:
//
//	import _ "github.com/go-pcd/pcd/plan/bundled"
package bundled

import (
	"embed"

	"github.com/go-pcd/pcd/modelfile"
)

//go:embed models
var files embed.FS

func init() { modelfile.Register(modelfile.Bundle{Kind: "plan", Files: files}) }
