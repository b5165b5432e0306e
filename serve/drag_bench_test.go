package serve

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/cputime"
)

// draggedScene is a scene of six robots of which the first is dragged: so many places, one after the other.
func draggedScene(place int) string {
	var robots []string
	for i := range 6 {
		x := 1.0
		if i == 0 {
			x += 0.6 * float64(place%40) / 40
		}
		robots = append(robots, fmt.Sprintf(`{"name": "robot %d", "start": [%g, %g], "goal": [9, %g], "radius": 0.3, "speed": 2}`, i+1, x, 1.5+1.4*float64(i), 8.5-1.4*float64(i)))
	}
	return `{"duration": 14, "bounds": {"min": [0, 0], "max": [10, 10]}, "circles": [{"center": [5, 5], "radius": 0.8}], "robots": [` + strings.Join(robots, ", ") + `]}`
}

// BenchmarkDrag measures the plans that the drawing board asks for while a robot is dragged, of one
// joint sample, and those when it is let go, also in processor time.
func BenchmarkDrag(b *testing.B) {
	_, url := start(b, Config{})
	for _, c := range []struct{ name, settings string }{{"dragged", `{"samples": 1}`}, {"let go", `{}`}} {
		b.Run(c.name, func(b *testing.B) {
			began, place := cputime.Process(), 0
			for b.Loop() {
				place++
				answer, err := http.Post(url+"/pcd.v1.PlanService/Plan", "application/json", strings.NewReader(`{"brief": true, "settings": `+c.settings+`, "scene": `+draggedScene(place)+`}`))
				if err != nil {
					b.Fatal(err)
				}
				text, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil || answer.StatusCode != http.StatusOK {
					b.Fatal(err, string(text))
				}
			}
			b.ReportMetric((cputime.Process()-began).Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
}
