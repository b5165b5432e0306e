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

	"github.com/go-pcd/pcd/env/pusht"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/push"
)

// Run continues a cell from a result of fewer conditions, or from nil, up to its
// number of conditions. After is called with the result after each condition, and
// may be nil; its error ends the run.
func (c Cell) Run(ctx context.Context, from *CellResult, model *push.Model, workers int, after func(*CellResult) error) (*CellResult, error) {
	settings, err := push.SettingsByName(c.Preset)
	if err != nil {
		return nil, err
	}
	run := push.Run{Options: push.Options{
		Method: c.Method, Gamma: c.Gamma, VMax: c.Limit, Settings: settings, Respacing: c.Respacing, Seed: c.Seed, Workers: workers,
	}}
	states := pusht.InitialConditions(c.Conditions, c.ConditionSeed)
	r := c.begin(from, model)
	for i := len(r.Judged); i < len(states); i++ {
		result, err := push.Do(ctx, model, push.Starts(i, states[i], c.Pairs), run)
		if err != nil {
			return r, fmt.Errorf("%s, condition %d: %w", c.Name(), i, err)
		}
		if err := r.add(result); err != nil {
			return r, fmt.Errorf("%s, condition %d: %w", c.Name(), i, err)
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
	// Progress is called as the conditions of a cell finish.
	Progress func(done, total int)
}

// Run computes the conditions that are missing in its cells. When the context is
// cancelled, the condition in progress is lost and nothing else.
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
	done := before != nil && len(before.Judged) >= c.Conditions
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
			e.Progress(len(r.Judged), c.Conditions)
		}
		return experiment.WriteJSON(path, r)
	})
	return err
}

// unfinished returns the result of a cell so far, nil when it was not begun. One of
// another cell of the same name is an error; the number of conditions may differ.
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
