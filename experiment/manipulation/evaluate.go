package manipulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/go-pcd/pcd/env/pusht"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/push"
)

// batchPairs is how many pairs run together where that does not change what they
// do. One core plans for 40 pairs at 1.6 times the rate of 16.
const batchPairs = 40

// Run continues a cell from a result of fewer pairs, or from nil, up to its
// conditions and its pairs of each. After is called with the result as pairs
// finish, and may be nil; its error ends the run.
func (c Cell) Run(ctx context.Context, from *CellResult, model *push.Model, workers int, after func(*CellResult) error) (*CellResult, error) {
	settings, err := push.SettingsByName(c.Preset)
	if err != nil {
		return nil, err
	}
	run := push.Run{Options: push.Options{
		Method: c.Method, Gamma: c.Gamma, VMax: c.Limit, Settings: settings, Respacing: c.Respacing, Seed: c.Seed, Workers: workers,
	}}
	batch := batchPairs
	if settings.EarlyAccept {
		batch = c.Pairs // one condition, as published: its pairs depend on each other
	}
	r := c.begin(from, model)
	for starts := range slices.Chunk(c.missing(r), batch) {
		result, err := push.Do(ctx, model, starts, run)
		if err == nil {
			err = r.add(result)
		}
		if err != nil {
			return r, fmt.Errorf("%s, from condition %d on: %w", c.Name(), starts[0].Condition, err)
		}
		if after == nil {
			continue
		}
		if err := after(r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// missing lists the pairs that a result lacks, by condition.
func (c Cell) missing(r *CellResult) []push.Start {
	var out []push.Start
	for i, state := range pusht.InitialConditions(c.Conditions, c.ConditionSeed) {
		done := 0
		if i < len(r.Judged) {
			done = len(r.Judged[i])
		}
		out = append(out, push.Starts(i, state, c.Pairs)[min(done, c.Pairs):]...)
	}
	return out
}

// Evaluation computes the cells of a spec into a directory, one file each.
type Evaluation struct {
	Dir     string
	Spec    Spec
	Shard   int // this process computes every Shards-th cell from this one on
	Shards  int // 0 is 1
	Workers int
	Model   *push.Model
	// Cell is called before a cell is computed, or found finished.
	Cell func(c Cell, number, of int, finished bool)
	// Progress is called as the pairs of a cell finish.
	Progress func(done, total int)
}

// Run computes the pairs that are missing in its cells. When the context is
// cancelled, the pairs in progress are lost and nothing else.
func (e Evaluation) Run(ctx context.Context) error {
	cells, err := e.Spec.Cells()
	if err != nil {
		return err
	}
	shards := max(e.Shards, 1)
	if e.Shard < 0 || e.Shard >= shards {
		return fmt.Errorf("manipulation: shard %d of %d, want 0 to %d", e.Shard, shards, shards-1)
	}
	if err := os.MkdirAll(e.Dir, 0o755); err != nil {
		return err
	}
	for i := e.Shard; i < len(cells); i += shards {
		if err := e.cell(ctx, cells[i], i, len(cells)); err != nil {
			return err
		}
	}
	return nil
}

func (e Evaluation) cell(ctx context.Context, c Cell, number, of int) error {
	path := filepath.Join(e.Dir, c.Name()+".json")
	before, err := unfinished(path, c)
	if err != nil {
		return err
	}
	done := before != nil && len(c.missing(before)) == 0
	if e.Cell != nil {
		e.Cell(c, number, of, done)
	}
	if done {
		return nil
	}
	if before != nil && !reflect.DeepEqual(before.Model, e.Model.Card) {
		return fmt.Errorf("manipulation: %s was begun with another model (%+v instead of %+v); choose another directory", path, before.Model, e.Model.Card)
	}
	_, err = c.Run(ctx, before, e.Model, e.Workers, func(r *CellResult) error {
		if e.Progress != nil {
			e.Progress(c.Conditions*c.Pairs-len(c.missing(r)), c.Conditions*c.Pairs)
		}
		return experiment.WriteJSON(path, r)
	})
	return err
}

// unfinished returns the result of a cell so far, nil when it was not begun. One of
// another cell of the same name is an error. The number of conditions may differ,
// and that of pairs where pairs do not depend on each other.
func unfinished(path string, c Cell) (*CellResult, error) {
	r, err := readCell(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	other := r.Cell
	other.Conditions = c.Conditions
	if settings, err := push.SettingsByName(c.Preset); err == nil && !settings.EarlyAccept {
		other.Pairs = c.Pairs
	}
	if !reflect.DeepEqual(other, c) {
		return nil, fmt.Errorf("manipulation: %s was computed with other settings (%+v instead of %+v); choose another directory", path, r.Cell, c)
	}
	return r, nil
}

func readCell(path string) (*CellResult, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(CellResult)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("manipulation: %s: %w", path, err)
	}
	return r, nil
}

// ReadResults reads the cells of a directory, by name.
func ReadResults(dir string) (map[string]*CellResult, error) {
	files, err := filepath.Glob(filepath.Join(dir, "pusht-*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("manipulation: %s holds no cells: %w", dir, fs.ErrNotExist)
	}
	out := map[string]*CellResult{}
	for _, f := range files {
		r, err := readCell(f)
		if err != nil {
			return nil, err
		}
		out[r.Cell.Name()] = r
	}
	return out, nil
}
