package portraits

import table "github.com/go-pcd/pcd/internal/settings"

// The numbers of a recipe: what its check, the flags and their help read. Without them a part
// has its own.
var (
	RecipeSize    = table.Number{Name: "size", Low: 32, High: 512, Whole: true, Unit: "pixels", Help: "pixels of a side of the pictures (default 128)"}
	RecipePhotos  = table.Number{Name: "photos", Low: 2, High: 1 << 22, Whole: true, Help: "portraits (default: the part's own)"}
	RecipeHeldOut = table.Number{Name: "held-out", Low: 1, High: 1 << 22, Whole: true, Help: "portraits that are not learned from (default: the part's own)"}
	RecipeNoisy   = table.Number{Name: "noisy", High: 100, Whole: true, Help: "noisy copies of every latent that the classifier also learns from"}
)

// Numbers that have no flag. The published autoencoders have latents of 4 to 32 channels, their
// networks up to 2048; what is far above would fill the memory before anything is said of it.
var (
	recipeLatent   = table.Number{Low: 1, High: 256, Whole: true}
	recipeWidth    = table.Number{Low: 1, High: 1 << 12, Whole: true}
	recipeLevels   = table.Number{Low: 1, High: 8, Whole: true}
	recipeTerminal = table.Number{High: 0.068} // about the share of the signal at the last level of the published noise
)
