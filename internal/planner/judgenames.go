package planner

import (
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/internal/messages"
	"github.com/go-pcd/pcd/internal/paths"
)

// callBySerials gives paths the names of the scene where they have those that files of these robots
// are exported with: serial numbers and topics have no room for "amr 1".
func (t *JudgeTask) callBySerials(robots []judge.Robot, ways []paths.Path) {
	var names []string
	for _, r := range robots {
		names = append(names, r.Name)
	}
	serials := messages.Serials(names)
	has := func(name string) bool {
		return slices.ContainsFunc(ways, func(p paths.Path) bool { return p.Robot == name })
	}
	note := ""
	for k := range ways {
		p := &ways[k]
		i := slices.Index(serials, p.Robot)
		if slices.Contains(names, p.Robot) || i < 0 || has(names[i]) {
			continue
		}
		if note == "" {
			note = fmt.Sprintf("robots are called as in files that are exported: %s is %s", quoted(p.Robot), quoted(names[i]))
		}
		p.Robot = names[i]
	}
	if note != "" {
		t.notes = append(t.notes, note)
	}
}
