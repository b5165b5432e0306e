package scenes

// Reduced leaves out robots and obstacles as long as the scene fails.
func Reduced(s Scene, fails func(Scene) bool) Scene {
	for shrunk := true; shrunk; {
		shrunk = false
		for _, smaller := range s.smaller() {
			if len(smaller.Robots) > 0 && fails(smaller) {
				s, shrunk = smaller, true
				break
			}
		}
	}
	return s
}

// smaller lists the scenes with one thing less.
func (s Scene) smaller() (all []Scene) {
	for i := range s.Robots {
		c := s.Clone()
		c.Robots = append(c.Robots[:i], c.Robots[i+1:]...)
		all = append(all, c)
	}
	for i := range s.Boxes {
		c := s.Clone()
		c.Boxes = append(c.Boxes[:i], c.Boxes[i+1:]...)
		all = append(all, c)
	}
	for i := range s.Circles {
		c := s.Clone()
		c.Circles = append(c.Circles[:i], c.Circles[i+1:]...)
		all = append(all, c)
	}
	return all
}
