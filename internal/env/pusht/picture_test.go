package pusht

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
)

const frames = "../../../policy/testdata/lerobot/pusht_image/frames.npz"

// bytesOf returns a part of an array of bytes.
func bytesOf(all []float64, i, n int) []uint8 {
	out := make([]uint8, n)
	for k, v := range all[i*n : (i+1)*n] {
		out[k] = uint8(v)
	}
	return out
}

// TestPicturesAgainstPublished draws recorded scenes and compares every pixel of the window and
// of what a policy sees.
func TestPicturesAgainstPublished(t *testing.T) {
	a := golden.Open(t, frames)
	agents, bars, stems := a.Float64("agent"), a.Float64("bar_vertices"), a.Float64("stem_vertices")
	contacts, counts := a.Float64("contacts"), a.Ints("n_contacts")
	screens := map[string][]float64{"": a.Float64("screen"), "_2_6": a.Float64("screen_2_6")}
	seen := map[string][]float64{"": a.Float64("obs"), "_2_6": a.Float64("obs_2_6")}
	point := func(v []float64, i int) geom.Vec2 { return geom.Vec2{X: v[2*i], Y: v[2*i+1]} }
	for i := range counts {
		s := scene{agent: point(agents, i)}
		for k := range 4 {
			s.block[bar][k], s.block[stem][k] = point(bars, 4*i+k), point(stems, 4*i+k)
		}
		for k := range counts[i] {
			s.contacts = append(s.contacts, [2]geom.Vec2{point(contacts, 2*(6*i+k)), point(contacts, 2*(6*i+k)+1)})
		}
		for suffix, since26 := range map[string]bool{"": false, "_2_6": true} {
			c := newCanvas()
			c.since26 = since26
			s.draw(c)
			same(t, fmt.Sprint("window", suffix, " of scene ", i), c.pix, bytesOf(screens[suffix], i, 3*Size*Size), Size)
			same(t, fmt.Sprint("picture", suffix, " of scene ", i), c.reduce(nil), bytesOf(seen[suffix], i, 3*PictureSize*PictureSize), PictureSize)
		}
	}
}

// same reports the first pixels that differ.
func same(t *testing.T, what string, got, want []uint8, size int) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	bad, first := 0, -1
	for i := range got {
		if got[i] != want[i] {
			bad++
			if first < 0 {
				first = i
			}
		}
	}
	t.Errorf("%s: %d of %d numbers differ; first at x %d, y %d: got %d, want %d", what, bad, len(got), first/3%size, first/3/size, got[first], want[first])
}

// TestScenesOfWorlds places worlds as recorded and compares what they show with the recording:
// the same vertices, and the same number of contacts.
func TestScenesOfWorlds(t *testing.T) {
	a := golden.Open(t, frames)
	agents, origins, angles := a.Float64("agent"), a.Float64("block_origin"), a.Float64("block_angle")
	bars := a.Float64("bar_vertices")
	for i, angle := range angles {
		w := NewWorld()
		w.agent.position = geom.Vec2{X: agents[2*i], Y: agents[2*i+1]}
		w.block.turnTo(angle)
		w.block.moveTo(geom.Vec2{X: origins[2*i], Y: origins[2*i+1]})
		s := w.scene()
		for k, p := range s.block[bar] {
			if math.Hypot(p.X-bars[8*i+2*k], p.Y-bars[8*i+2*k+1]) > 1e-9 {
				t.Errorf("scene %d: corner %d of the bar is %v, want %v", i, k, p, bars[8*i+2*k:8*i+2*k+2])
			}
		}
		if p := w.ObservePicture(nil); len(p) != 3*PictureSize*PictureSize {
			t.Errorf("a picture has %d bytes", len(p))
		}
	}
}

// TestContactsAreShown pushes the block and wants the mark of the contact where the agent meets it.
func TestContactsAreShown(t *testing.T) {
	w := NewWorld()
	if err := w.Place(State{Agent: geom.Vec2{X: 256, Y: 250}, Block: Pose{Position: geom.Vec2{X: 256, Y: 300}}}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := w.Step(geom.Vec2{X: 256, Y: 330}); err != nil {
			t.Fatal(err)
		}
	}
	s := w.scene()
	if len(s.contacts) != 1 {
		t.Fatalf("%d contacts are shown, want 1", len(s.contacts))
	}
	for _, p := range s.contacts[0] {
		if d := p.Sub(s.agent).Norm(); math.Abs(d-agentRadius) > 2*contactMark {
			t.Errorf("the mark of the contact is %g px from the middle of the agent, want about %g", d, agentRadius)
		}
	}
}
