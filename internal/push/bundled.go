package push

import "github.com/go-pcd/pcd/modelfile"

// kind is the one of the policies that package push/bundled registers.
const kind = "internal/push"

// BundledName is the name of the policy that ships with the program.
const BundledName = "pusht"

// Bundled returns the policy that ships, where package push/bundled is imported.
func Bundled() (*Model, error) {
	sd, err := modelfile.Bundled(kind).Open(BundledName)
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	return fromStateDict(BundledName, sd)
}
