package geom

// Length returns the length of a polyline, 0 of less than two points.
func Length(p []Vec2) float64 {
	sum := 0.0
	for h := 1; h < len(p); h++ {
		sum += p[h].Dist(p[h-1])
	}
	return sum
}
