package pusht

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// outlineOf samples the outline of a part.
func outlineOf(p *part, each int) (points []geom.Vec2) {
	for k, c := range p.corner {
		for i := range each {
			points = append(points, p.corner[(k+3)%4].Lerp(c, float64(i)/float64(each)))
		}
	}
	return points
}

func randomBlock(r *rand.Rand) block {
	return blockAt(Pose{Position: geom.Vec2{X: 700*r.Float64() - 100, Y: 700*r.Float64() - 100}, Angle: 7 * r.Float64()})
}

func TestNearestAgainstSampling(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	inside := 0
	for range 300 {
		b := randomBlock(r)
		p := &b.parts[r.IntN(parts)]
		q := p.corner[r.IntN(4)].Add(geom.Vec2{X: 40 * (r.Float64() - 0.5), Y: 40 * (r.Float64() - 0.5)})
		on, into, distance := p.nearest(q)
		want := math.Inf(1)
		for _, s := range outlineOf(p, 4000) {
			want = min(want, q.Dist(s))
		}
		if geom.Polygon(p.corner[:]).Contains(q) {
			want, inside = -want, inside+1
		}
		if math.Abs(distance-want) > 0.02 { // outlines are sampled every 0.03 px
			t.Fatalf("nearest(%v) of %v: distance %v, want %v", q, p.corner, distance, want)
		}
		if back := q.Add(into.Scale(distance)); back.Dist(on) > 1e-9 || math.Abs(into.Norm()-1) > 1e-12 {
			t.Fatalf("nearest(%v): %v along %v does not lead to %v", q, distance, into, on)
		}
	}
	if inside < 30 {
		t.Errorf("only %d points inside", inside)
	}
}

func TestWallDistanceAgainstSampling(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	compared, corners := 0, 0
	for range 400 {
		b := randomBlock(r)
		k, i := r.IntN(parts), r.IntN(walls)
		p := &b.parts[k]
		n, d := p.fromWall(i)
		for range 20 { // bring the part near the wall, where the distance is exact
			if d > 0 && d <= wallRadius {
				break
			}
			b.moveTo(b.origin.Sub(n.Scale(d - wallRadius*r.Float64())))
			n, d = p.fromWall(i)
		}
		if !(d > 0 && d <= wallRadius) {
			continue
		}
		compared++
		want := math.Inf(1)
		for _, s := range outlineOf(p, 4000) {
			want = min(want, wall[i].Distance(s))
		}
		if math.Abs(d-want) > 0.02 || math.Abs(n.Norm()-1) > 1e-12 {
			t.Fatalf("distance of %v from wall %d = %v along %v, want %v", p.corner, i, d, n, want)
		}
		if parallel := 1 - 1e-9; math.Abs(n.Dot(wallNormal[i])) < parallel && math.Abs(n.Dot(p.normal[0])) < parallel && math.Abs(n.Dot(p.normal[1])) < parallel {
			corners++
		}
	}
	if compared < 200 || corners < 5 {
		t.Errorf("compared %d parts, %d of them corner against end", compared, corners)
	}
}

// Whatever moves, no pair whose boxes overlap is missed, and none is named twice.
func TestBroadPhaseFindsEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	w := NewWorld()
	var found candidates
	for i := range 20000 {
		if i%50 == 0 {
			w.block.turnTo(7 * r.Float64())
			w.block.moveTo(geom.Vec2{X: 512 * r.Float64(), Y: 512 * r.Float64()})
		}
		w.block.velocity.linear = geom.Vec2{X: 300 * r.NormFloat64(), Y: 300 * r.NormFloat64()}
		w.block.velocity.angular = r.NormFloat64()
		w.agent.velocity = geom.Vec2{X: 300 * r.NormFloat64(), Y: 300 * r.NormFloat64()}
		w.agent.velocity = w.agent.velocity.Add(w.block.centre.Sub(w.agent.position).Scale(3))
		w.agent.move()
		w.block.move()
		b, bounds := &w.block, w.agent.bounds()
		w.broad.update(barLeaf, b.parts[bar].bounds, b.velocity.linear)
		w.broad.update(stemLeaf, b.parts[stem].bounds, b.velocity.linear)
		w.broad.update(agentLeaf, bounds, w.agent.velocity)
		w.broad.collect(&found)

		seen := map[candidate]int{}
		for _, c := range found.pair[:found.n] {
			seen[c]++
		}
		for part := range parts {
			for other := range 1 + walls {
				box := bounds
				if other > 0 {
					box = wallBounds[other-1]
				}
				n := seen[candidate{other: int8(other), part: int8(part)}]
				if n > 1 || (n == 0 && overlap(box, b.parts[part].bounds)) {
					t.Fatalf("substep %d: pair of part %d and %d found %d times", i, part, other, n)
				}
			}
		}
	}
}
