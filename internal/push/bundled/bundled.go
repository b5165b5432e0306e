// Package bundled makes the policy that ships part of a program
// that imports it:
//
//	import _ "github.com/go-pcd/pcd/internal/push/bundled"
package bundled

import (
	"embed"

	"github.com/go-pcd/pcd/modelfile"
)

//go:embed models
var files embed.FS

func init() { modelfile.Register(modelfile.Bundle{Kind: "internal/push", Files: files}) }
