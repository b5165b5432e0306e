package push

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/go-pcd/pcd/weights"
)

// bundle holds the policies that ship with the program.
//
//go:embed models
var bundle embed.FS

// BundledName is the name of the policy that ships with the program.
const BundledName = "pusht"

// Bundled returns the policy that ships with the program.
func Bundled() (*Model, error) {
	data, err := bundle.ReadFile("models/" + BundledName + ".safetensors")
	if err != nil {
		return nil, &ModelError{Path: BundledName, Reason: "it does not ship with this build; train one with \"pcd train pusht\"", Err: fs.ErrNotExist}
	}
	sd, err := weights.Parse(data, weights.Options{})
	if err != nil {
		return nil, fmt.Errorf("push: the bundled policy: %w", err)
	}
	defer sd.Close()
	return fromStateDict(BundledName, sd)
}
