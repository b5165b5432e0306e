package load

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var lasts = flag.Duration("load", 0, "time of the test under load")

// clients is how many ask at a time.
const clients = 64

// mixed are requests of all kinds: small and large, with a time, and some that are refused.
func mixed(r *rand.Rand) (request map[string]any, refused bool) {
	seed := map[string]any{"seed": fmt.Sprint(r.IntN(1000)), "samples": 1}
	scene := func(robots int, radius float64) map[string]any {
		var team []any
		for i := range robots {
			y := 1 + 8*float64(i)/float64(max(robots-1, 1))
			team = append(team, map[string]any{"start": []any{1, y}, "goal": []any{9, 10 - y}, "radius": radius, "speed": 2.5})
		}
		return map[string]any{"bounds": map[string]any{"min": []any{0, 0}, "max": []any{10, 10}}, "duration": 12,
			"circles": []any{map[string]any{"center": []any{5, 5}, "radius": 0.5 + r.Float64()/2}}, "robots": team}
	}
	switch r.IntN(10) {
	case 0:
		return map[string]any{"map": map[string]any{"name": "highways", "robots": 8}, "settings": seed, "brief": true}, false
	case 1:
		return map[string]any{"scene": scene(4, 0.3), "settings": seed, "within": 0.3, "brief": true}, false
	case 2:
		return map[string]any{"scene": scene(2, -1)}, true
	case 3, 4:
		return map[string]any{"map": map[string]any{"name": []string{"empty", "conveyor", "dropregion"}[r.IntN(3)]}, "settings": seed}, false
	}
	return map[string]any{"scene": scene(2+r.IntN(5), 0.25), "settings": seed, "brief": true}, false
}

// tally counts answers.
type tally struct {
	mu     sync.Mutex
	codes  map[int]int
	took   []time.Duration
	broken []string
}

func (a *tally) add(status int, took time.Duration, refused bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.codes[status]++
	if status == http.StatusOK {
		a.took = append(a.took, took)
	}
	switch {
	case err != nil:
		a.broken = append(a.broken, err.Error())
	case refused && status != http.StatusBadRequest && status != http.StatusTooManyRequests,
		!refused && status != http.StatusOK && status != http.StatusTooManyRequests:
		a.broken = append(a.broken, fmt.Sprintf("status %d", status))
	}
}

// Under load from many clients every request has an answer: a plan, or 429; what is wrong is
// refused. Memory does not grow.
func TestLoad(t *testing.T) {
	if *lasts == 0 {
		t.Skip("takes minutes: ask for it with -load 3m")
	}
	tokens := filepath.Join(t.TempDir(), "tokens")
	var text strings.Builder
	for i := range clients {
		fmt.Fprintf(&text, "client%d %s\n", i, token(i))
	}
	if err := os.WriteFile(tokens, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, nil, "--tokens", tokens)
	all := &tally{codes: map[int]int{}}
	end := time.Now().Add(*lasts)
	var asked sync.WaitGroup
	for i := range clients {
		asked.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			c := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
			for time.Now().Before(end) {
				request, refused := mixed(r)
				began := time.Now()
				status, err := call(c, s.url, token(i), "PlanService/Plan", request, nil)
				all.add(status, time.Since(began), refused, err)
				if status == http.StatusTooManyRequests {
					time.Sleep(time.Duration(200+r.IntN(400)) * time.Millisecond)
				}
			}
		})
	}
	var memory []int64
	for time.Now().Before(end) {
		time.Sleep(*lasts / 12)
		memory = append(memory, s.memory()>>20)
	}
	asked.Wait()
	slices.Sort(all.took)
	t.Logf("%d clients for %v: answers by status %v, p50 %v, p99 %v, %d plans a second; memory in MiB %v", clients, *lasts, all.codes,
		part(all.took, 0.5), part(all.took, 0.99), int(float64(len(all.took))/lasts.Seconds()), memory)
	if len(all.broken) > 0 {
		t.Errorf("%d answers are not as they should be, such as %q", len(all.broken), all.broken[:min(len(all.broken), 5)])
	}
	if n := len(memory); n > 4 && slices.Max(memory[n/2:]) > 2*slices.Max(memory[:n/2]) {
		t.Errorf("memory grows: %v MiB", memory)
	}
}

// token returns the token of a client.
func token(i int) string { return fmt.Sprintf("token-of-client-%04d", i) }

// part returns the time within which a part of the answers came.
func part(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(p*float64(len(sorted)-1))].Round(time.Millisecond)
}
