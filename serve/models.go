package serve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-pcd/pcd/plan"
	_ "github.com/go-pcd/pcd/plan/bundled" // the models that ship
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// models are those that requests may name. A name is never that of a file.
type models map[string]*plan.Model

// modelNameError says that there is no model of a name.
type modelNameError struct {
	Name  string
	Known []string
}

func (e *modelNameError) Error() string {
	return fmt.Sprintf("serve: no model %q; there are %s", e.Name, strings.Join(e.Known, ", "))
}

// shipped opens the models that ship, once for all servers of a process: they stay as they are.
var shipped = sync.OnceValues(func() (models, error) {
	all := models{}
	for _, name := range plan.BundledNames() {
		m, err := plan.Bundled(name)
		if err != nil {
			return nil, err
		}
		all[name] = m
	}
	return all, nil
})

// openModels opens the models that ship, and others by their names.
func openModels(others map[string]string) (models, error) {
	ours, err := shipped()
	if err != nil {
		return nil, err
	}
	all := maps.Clone(ours)
	for name, path := range others {
		if name == "" {
			return nil, &ConfigError{"Models", path, "and has no name"}
		}
		m, err := plan.OpenModel(path)
		if err != nil {
			return nil, err
		}
		all[name] = m
	}
	return all, nil
}

// find returns the model of a name. The path of a request is not looked at: requests have
// none.
func (m models) find(_, name string) (*plan.Model, error) {
	if model := m[name]; model != nil {
		return model, nil
	}
	return nil, &modelNameError{name, m.names()}
}

func (m models) names() []string { return slices.Sorted(maps.Keys(m)) }

// describe lists the models for clients.
func (m models) describe() ([]*pb.Model, error) {
	var all []*pb.Model
	for _, name := range m.names() {
		digest, err := m[name].Digest()
		if err != nil {
			return nil, err
		}
		all = append(all, &pb.Model{Name: name, Trained: m[name].Card.Data, Waypoints: int32(m[name].Network.Horizon), Sha256: digest})
	}
	return all, nil
}
