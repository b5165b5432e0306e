package pusht

import "github.com/go-pcd/pcd/geom"

// AgentRadius is the radius of the agent in pixels.
const AgentRadius = agentRadius

// Outline returns the parts of the block, convex polygons in its own frame.
func Outline() []geom.Polygon {
	out := make([]geom.Polygon, parts)
	for i, corners := range outline {
		out[i] = append(geom.Polygon(nil), corners[:]...)
	}
	return out
}
