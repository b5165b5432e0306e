// Package bundled makes the model of portraits that ships part of a program
// that imports it:
//
//	import _ "github.com/go-pcd/pcd/internal/pair/bundled"
package bundled

import (
	"embed"

	"github.com/go-pcd/pcd/modelfile"
)

//go:embed models
var files embed.FS

func init() { modelfile.Register(modelfile.Bundle{Kind: "pair", Files: files}) }
