package attributes

import "github.com/go-pcd/pcd/internal/settings"

// The numbers of a recipe.
var (
	RecipeWidth   = settings.Number{Name: "width", Default: 64, Low: 1, High: 512, Whole: true, Help: "channels at the highest resolution"}
	RecipeNoisy   = settings.Number{Name: "noisy", High: 100, Whole: true, Help: "noisy copies of every latent that the classifier also learns from"}
	RecipeHeldOut = settings.Number{Name: "held-out", Default: 0.1, High: 0.9, Above: true, Help: "share of the pictures that are not learned from"}
)
