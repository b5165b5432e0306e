package dataset

import (
	"fmt"
	"sort"

	"github.com/go-pcd/pcd/tensor"
)

// WindowOptions says how windows lie in an episode of L rows: their first rows
// run from -PadBefore to L - Length + PadAfter.
//
// Source: Chi et al., "Diffusion Policy" (RSS 2023), where Length is the
// prediction horizon, PadBefore the observation steps less one and PadAfter the
// action steps less one.
type WindowOptions struct {
	Length    int // rows of a window
	PadBefore int // rows that may lie before the episode, below Length
	PadAfter  int // rows that may lie after the episode, below Length
	// Keep selects episodes by number; nil selects all.
	Keep []bool
}

// windowError says which option of [NewWindows] cannot be used.
type windowError struct {
	Option string
	Value  int
	Want   string
}

func (e *windowError) Error() string {
	return fmt.Sprintf("dataset: windows: %s is %d, want %s", e.Option, e.Value, e.Want)
}

// Windows are all windows of a replay buffer's episodes. They are numbered
// episode by episode and computed when asked for.
type Windows struct {
	length, padBefore int
	episodes          []episodeWindows
}

type episodeWindows struct {
	lo, hi int // rows
	first  int // number of its first window
	count  int
}

// NewWindows lists the windows of episodes with the given ends. Episodes that are
// too short for a window have none.
func NewWindows(ends []int64, opts WindowOptions) (*Windows, error) {
	switch {
	case opts.Length < 1:
		return nil, &windowError{"Length", opts.Length, "at least 1"}
	case opts.PadBefore < 0 || opts.PadBefore >= opts.Length:
		return nil, &windowError{"PadBefore", opts.PadBefore, fmt.Sprintf("0 to %d", opts.Length-1)}
	case opts.PadAfter < 0 || opts.PadAfter >= opts.Length:
		return nil, &windowError{"PadAfter", opts.PadAfter, fmt.Sprintf("0 to %d", opts.Length-1)}
	case opts.Keep != nil && len(opts.Keep) != len(ends):
		return nil, &windowError{"len(Keep)", len(opts.Keep), fmt.Sprintf("%d, one for each episode", len(ends))}
	}
	b := ReplayBuffer{EpisodeEnds: ends}
	if err := b.Check(); err != nil {
		return nil, err
	}
	w := &Windows{length: opts.Length, padBefore: opts.PadBefore}
	for i := range ends {
		lo, hi := b.Episode(i)
		count := hi - lo - opts.Length + opts.PadAfter + opts.PadBefore + 1
		if count <= 0 || opts.Keep != nil && !opts.Keep[i] {
			continue
		}
		w.episodes = append(w.episodes, episodeWindows{lo: lo, hi: hi, first: w.Len(), count: count})
	}
	return w, nil
}

// Len returns the number of windows.
func (w *Windows) Len() int {
	if len(w.episodes) == 0 {
		return 0
	}
	last := w.episodes[len(w.episodes)-1]
	return last.first + last.count
}

// At returns window i: the row it would start with, and the rows [lo, hi) of its
// episode, to which rows outside are brought.
func (w *Windows) At(i int) (start, lo, hi int) {
	if i < 0 || i >= w.Len() {
		panic(fmt.Sprintf("dataset: window %d of %d", i, w.Len()))
	}
	k := sort.Search(len(w.episodes), func(k int) bool { return w.episodes[k].first > i }) - 1
	e := w.episodes[k]
	return e.lo - w.padBefore + i - e.first, e.lo, e.hi
}

// Gather copies window i of rows to dst, which holds Length rows. The first and
// the last row of the episode are repeated where the window reaches outside.
func (w *Windows) Gather(dst []float32, rows tensor.Batch, i int) {
	start, lo, hi := w.At(i)
	size := rows.Size()
	if len(dst) != w.length*size {
		panic(fmt.Sprintf("dataset: %d places for a window of %d rows of %d", len(dst), w.length, size))
	}
	for h := range w.length {
		row := max(lo, min(hi-1, start+h))
		copy(dst[h*size:(h+1)*size], rows.Sample(row))
	}
}
