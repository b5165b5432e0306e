package push

import (
	"embed"

	"github.com/go-pcd/pcd/modelfile"
)

//go:embed models
var files embed.FS

// bundle holds the policies that ship with the program.
var bundle = modelfile.Bundle{Files: files}

// BundledName is the name of the policy that ships with the program.
const BundledName = "pusht"

// Bundled returns the policy that ships with the program.
func Bundled() (*Model, error) {
	sd, err := bundle.Open(BundledName)
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	return fromStateDict(BundledName, sd)
}
