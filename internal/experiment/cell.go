package experiment

import (
	"context"
	"encoding/json"

	"github.com/go-pcd/pcd/internal/manifest"
)

// Spec says which cells an evaluation has. It is written to manifests as JSON.
type Spec[C any] interface {
	// Cells lists the cells in a fixed order. Its errors are mistakes of the caller.
	Cells() ([]C, error)
}

// Cell is the piece of an evaluation that is computed at once. C is the type
// itself. Its fields are all that its numbers depend on, besides the model and
// what its names stand for.
type Cell[C any] interface {
	// Name identifies a cell among those of its evaluation; it is the name of its
	// file, without the ending.
	Name() string
	// Sized returns the cell with the amounts of another, such as its number of
	// trials, as far as a result of one amount is the beginning of a result of more.
	Sized(like C) C
	// Settings returns what the names in the cell stand for, such as that of a preset.
	Settings() (any, error)
}

// Used is implemented by cells whose files may hold more settings than their numbers depend
// on.
type Used interface {
	// Used returns what the numbers of the cell depend on, of settings in a file.
	Used(settings json.RawMessage) (any, error)
}

// Result is what a cell gave so far; it is written to the cell's file as JSON.
// R embeds a [Header].
type Result[C any] interface {
	Head() *Header[C]
	// Progress says how much of a cell is done.
	Progress(of C) (done, total int)
	// Check returns an error when the numbers of the result do not hang together. It
	// stands between files and everything else.
	Check() error
}

// Header begins every result: the cell, and who computed it with what.
type Header[C any] struct {
	Cell C `json:"cell"`
	// Settings are those of the cell, in full.
	Settings json.RawMessage `json:"settings,omitempty"`
	// Digests are nil in results from before there were any: their models are known
	// by their cards alone.
	Digests *Digests         `json:"digests,omitempty"`
	Model   json.RawMessage  `json:"model,omitempty"` // its card
	Machine manifest.Machine `json:"machine"`         // that computed last
	Version string           `json:"version"`
}

// Head implements part of [Result].
func (h *Header[C]) Head() *Header[C] { return h }

// Digests identify what a result depends on.
type Digests struct {
	Model    string `json:"model,omitempty"`
	Settings string `json:"settings"` // of the cell without its amounts, and of its settings
}

// Model is what computes the numbers of a cell.
type Model struct {
	Card   any    // what it says of itself; nil when the cell needs no model
	Digest string // see modelfile.Digest
}

// Work computes a cell.
type Work[R any] struct {
	Model Model
	// Run adds to a result what it lacks, and calls after whenever it has grown.
	// Errors of after end the run.
	Run func(ctx context.Context, r R, workers int, after func() error) error
}

// Experiment is all that the commands need to know of an experiment: what its
// specs, cells and results are, how a cell is computed and how results are shown.
type Experiment[S Spec[C], C Cell[C], R Result[C]] struct {
	Name string // "nav2d"
	Unit string // what progress counts: "trials"
	// New returns an empty result.
	New func() R
	// Prepare opens what a cell needs. It is called for every cell before anything is
	// computed.
	Prepare func(c C) (Work[R], error)
	// Tables puts results beside the published ones.
	Tables func(results map[string]R) (Report, error)
	// Figures draw results.
	Figures []Figure[R]
}
