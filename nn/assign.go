package nn

// assign gives every signal a slot of scratch that nobody else uses from its first
// operation to its last.
func (g *graph) assign() {
	last := map[*signal]int{}
	for i, u := range g.ops {
		for _, s := range u.signals {
			last[s] = i
		}
	}
	for _, s := range g.kept {
		last[s] = len(g.ops)
	}
	var free []int
	for i, u := range g.ops {
		for _, s := range u.signals {
			if s.place == scratch && s.slot < 0 {
				free = g.slot(s, free)
			}
		}
		for j, s := range u.signals {
			if s.place == scratch && last[s] == i && !contains(u.signals[:j], s) {
				free = append(free, s.slot)
			}
		}
	}
}

func contains(list []*signal, s *signal) bool {
	for _, t := range list {
		if t == s {
			return true
		}
	}
	return false
}

// slot gives a signal the free slot that fits best, grows the largest one, or makes a
// new one. It returns the slots that stay free.
func (g *graph) slot(s *signal, free []int) []int {
	size, sizes := s.size(), g.sizes[scratch]
	best := -1
	for i, slot := range free {
		switch {
		case best < 0:
			best = i
		case sizes[slot] >= size && (sizes[free[best]] < size || sizes[slot] < sizes[free[best]]):
			best = i
		case sizes[slot] < size && sizes[free[best]] < size && sizes[slot] > sizes[free[best]]:
			best = i
		}
	}
	if best < 0 {
		g.place(s, scratch)
		return free
	}
	s.slot = free[best]
	sizes[s.slot] = max(sizes[s.slot], size)
	return append(free[:best], free[best+1:]...)
}

// assignApart gives every signal of a network whose samples are shared out a slot. Slots are
// used again for signals of the same geometry only, so that the zeros around sequences stay.
// In a training, whose forward pass is over for all samples before the way back begins, what
// both use and what gradients are added up from is kept for all samples.
func (g *graph) assignApart() {
	first, last := map[*signal]int{}, map[*signal]int{}
	for i, u := range g.ops {
		for _, s := range u.signals {
			if _, used := first[s]; !used {
				first[s] = i
			}
			last[s] = i
		}
	}
	free := map[[3]int][]int{}
	for i, u := range g.ops {
		for _, s := range u.signals {
			if s.place == scratch && s.slot < 0 {
				g.slotApart(s, free, g.whole[s] || g.purpose == training && first[s] < g.back && last[s] >= g.back)
			}
		}
		for j, s := range u.signals {
			if s.place == scratch && last[s] == i && !contains(u.signals[:j], s) && g.purpose != observing {
				free[s.geometry()] = append(free[s.geometry()], s.slot)
			}
		}
	}
}

// geometry is what signals in one slot have in common.
func (s *signal) geometry() [3]int { return [3]int{s.length, s.channels, s.pad} }

func (g *graph) slotApart(s *signal, free map[[3]int][]int, whole bool) {
	slots := free[s.geometry()]
	switch n := len(slots); {
	case whole:
		g.place(s, kept)
	case n == 0:
		g.place(s, scratch)
	default:
		s.slot, free[s.geometry()] = slots[n-1], slots[:n-1]
	}
}
