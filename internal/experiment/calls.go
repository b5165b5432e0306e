package experiment

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
)

// call is the record of one call of an evaluation: a manifest of its own, which
// neither a later call nor another shard overwrites.
type call struct {
	manifest *manifest.Manifest
	files    *store
	path     string
	cells    []string // the files of its shard
}

// callSettings are the settings in the manifest of a call.
type callSettings struct {
	Spec     any            `json:"spec"`
	Shard    Shard          `json:"shard"`
	Settings map[string]any `json:"settings,omitempty"` // of the cells, in full, by cell; those that are as the first one's are left out
}

// beginCall writes the manifest of a call that begins to compute.
func beginCall[C Cell[C], R any](files *store, m *manifest.Manifest, settings callSettings, jobs []job[C, R]) (*call, error) {
	for _, dir := range []string{files.dir, filepath.Join(files.dir, callsDir)} {
		if err := atomicfile.MkdirAll(dir); err != nil {
			return nil, err
		}
	}
	c := &call{manifest: m, files: files, path: filepath.Join(files.dir, callsDir, callName(m, settings.Shard))}
	var err error
	if settings.Settings, err = settingsOf(jobs); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		if digest := j.work.Model.Digest; digest != "" {
			m.Input("model "+digest[:min(12, len(digest))], manifest.Input{SHA256: digest})
		}
		c.cells = append(c.cells, j.name+cellEnding)
		if !j.finished {
			m.Writing = append(m.Writing, j.name+cellEnding)
		}
	}
	m.Settings, m.Status = settings, manifest.Running
	return c, m.WriteFile(c.path)
}

// settingsOf returns the settings of the first cell, and of those that have others.
func settingsOf[C Cell[C], R any](jobs []job[C, R]) (map[string]any, error) {
	out := map[string]any{}
	first := ""
	for i, j := range jobs {
		s, err := j.cell.Settings()
		if err != nil {
			return nil, err
		}
		digest, err := digestOf(s)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = digest
		}
		if s != nil && (i == 0 || digest != first) {
			out[j.name] = s
		}
	}
	return out, nil
}

// callName names the manifest of a call so that names sort by time and no two calls
// share one.
func callName(m *manifest.Manifest, s Shard) string {
	var unique [4]byte
	_, _ = rand.Read(unique[:]) // never fails
	return fmt.Sprintf("%s-shard-%d-of-%d-%s.json", m.Started.Format("20060102T150405.000Z"), s.Index, max(s.Count, 1), hex.EncodeToString(unique[:]))
}

// end writes the manifest of a call that has ended with err.
func (c *call) end(err error) error {
	c.manifest.Status, c.manifest.Writing = manifest.StatusOf(err), nil
	for _, name := range c.cells {
		if _, err := os.Stat(filepath.Join(c.files.dir, name)); err != nil {
			continue // it did not come that far, or lies in the archive
		}
		if err := c.manifest.Add(c.files.dir, name); err != nil {
			return err
		}
	}
	return c.manifest.WriteFile(c.path)
}

// Missing says which cells of the evaluations that were begun in a store are not
// there, and which are not finished. It is empty when nothing is known to be missing.
func (x *Experiment[S, C, R]) Missing(path string) ([]string, error) {
	s, err := openStore(path)
	if err != nil {
		return nil, err
	}
	results, err := x.readStore(s)
	if err != nil {
		return nil, err
	}
	want, err := x.asked(s)
	if err != nil {
		return nil, err
	}
	for name, r := range results {
		if _, ok := want[name]; !ok {
			want[name] = r.Head().Cell
		}
	}
	var out []string
	for name, c := range want {
		r, ok := results[name]
		if !ok {
			out = append(out, name)
		} else if done, total := r.Progress(c); done < total {
			out = append(out, fmt.Sprintf("%s (%d of %d %s)", name, done, total, x.Unit))
		}
	}
	slices.Sort(out)
	return out, nil
}

// asked returns the cells that the calls of a store asked for, as the last one did.
func (x *Experiment[S, C, R]) asked(s *store) (map[string]C, error) {
	calls, err := s.calls()
	if err != nil {
		return nil, err
	}
	out := map[string]C{}
	for _, name := range calls {
		data, path, err := s.read(name)
		if err != nil {
			return nil, err
		}
		cells, err := x.cellsOfCall(data, strings.HasPrefix(name, callsDir))
		if err != nil {
			return nil, &FileError{Path: path, Err: err}
		}
		for _, c := range cells {
			out[c.Name()] = c
		}
	}
	return out, nil
}

// cellsOfCall lists the cells that the manifest of a call asks for. Manifests from
// before every call had one hold the spec itself as their settings.
func (x *Experiment[S, C, R]) cellsOfCall(manifest []byte, current bool) ([]C, error) {
	var m struct{ Settings json.RawMessage }
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, err
	}
	spec := m.Settings
	if current {
		var settings struct{ Spec json.RawMessage }
		if err := json.Unmarshal(m.Settings, &settings); err != nil {
			return nil, err
		}
		spec = settings.Spec
	}
	var s S
	if err := json.Unmarshal(spec, &s); err != nil {
		return nil, err
	}
	return s.Cells()
}
