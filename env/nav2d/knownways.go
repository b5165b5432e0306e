package nav2d

import (
	"slices"
	"sync"

	"github.com/go-pcd/pcd/geom"
)

// A plan asks for the shortest ways of its robots again and again: to check that there is time enough, to choose the
// time to begin with, to compare what it found. Ways that were searched for are kept with the map.

// keptWays is how many ways are kept at least: those of the largest teams. At most twice as many are.
const keptWays = 2048

// wayKey is what a way depends on, beside the obstacles.
type wayKey struct {
	distance    float64
	within      geom.Box
	start, goal geom.Vec2
}

// knownWays are ways among the same obstacles, those asked for lately. The zero value holds none.
type knownWays struct {
	mutex       sync.Mutex
	now, before map[wayKey][]geom.Vec2 // before are forgotten when there are enough now
}

// find returns a way, found by a search where it is not known. Whoever gets it may change it. Nil keeps none.
func (k *knownWays) find(key wayKey, search func() []geom.Vec2) []geom.Vec2 {
	if k == nil {
		return search()
	}
	way, known := k.get(key)
	if !known {
		way = search()
		k.keep(key, way)
	}
	return slices.Clone(way)
}

func (k *knownWays) get(key wayKey) (way []geom.Vec2, known bool) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if way, known = k.now[key]; known {
		return way, true
	}
	if way, known = k.before[key]; known {
		k.put(key, way)
	}
	return way, known
}

func (k *knownWays) keep(key wayKey, way []geom.Vec2) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.put(key, way)
}

func (k *knownWays) put(key wayKey, way []geom.Vec2) {
	if len(k.now) >= keptWays {
		k.now, k.before = nil, k.now
	}
	if k.now == nil {
		k.now = map[wayKey][]geom.Vec2{}
	}
	k.now[key] = way
}
