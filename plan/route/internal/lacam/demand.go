package lacam

import "slices"

// demand sends a robot to a place, in the next configuration, beside what it extends. A search
// keeps millions of them: each holds one robot and shares the others.
type demand struct {
	before *demand // nil is none
	robot  int32
	place  int32
	size   int32 // robots that are sent, this one included
}

// extend adds the demands that send one robot more than d, if there is room.
func (s *Search[P]) extend(at *configuration[P], d *demand) {
	if d.sent() == len(at.order) {
		return
	}
	robot := at.order[d.sent()]
	moves := s.Crowd.Moves(s.moves[:0], robot, at.places[robot])
	s.moves = moves
	if !s.Room.Take(s.DemandBytes * len(moves)) {
		return
	}
	s.Draw.Shuffle(len(moves), func(a, b int) { moves[a], moves[b] = moves[b], moves[a] })
	all := make([]demand, len(moves))
	for k, place := range moves {
		all[k] = demand{d, robot, place, int32(d.sent() + 1)}
		at.tree = append(at.tree, &all[k])
	}
}

// sent is how many robots a demand sends.
func (d *demand) sent() int {
	if d == nil {
		return 0
	}
	return int(d.size)
}

// all returns the robots that are sent and their places, the first one first, in the memory of
// another list.
func (d *demand) all(dst Demand) Demand {
	dst.Robots, dst.Places = dst.Robots[:0], dst.Places[:0]
	for at := d; at != nil; at = at.before {
		dst.Robots, dst.Places = append(dst.Robots, at.robot), append(dst.Places, at.place)
	}
	slices.Reverse(dst.Robots)
	slices.Reverse(dst.Places)
	return dst
}
