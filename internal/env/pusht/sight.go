package pusht

// Sight is what policies of the published environment are told about one moment: the place of
// the agent, the corners of the block and the picture.
type Sight struct {
	Agent   [2]float32
	Corners [16]float32 // x and y of the bar's four and then the stem's, px
	Picture []uint8     // [PictureSize, PictureSize, 3]; nil unless pictures are drawn
}

// watch keeps what is to be seen of the world now.
func (e *episode) watch() { e.scenes[0], e.scenes[1] = e.scenes[1], e.world.scene() }

// sight returns what is seen of a scene.
func (s *scene) sight(picture bool) (out Sight) {
	out.Agent = [2]float32{float32(s.agent.X), float32(s.agent.Y)}
	for i, corners := range s.block {
		for k, p := range corners {
			out.Corners[8*i+2*k], out.Corners[8*i+2*k+1] = float32(p.X), float32(p.Y)
		}
	}
	if picture {
		out.Picture = s.draw(newCanvas()).reduce(nil)
	}
	return out
}

// Sights returns the last two sights of every environment, oldest first, with pictures on
// demand: what [Vector.Observe] returns in another form. The vector must have been made with
// [VectorOptions].Sights.
func (v *Vector) Sights(pictures bool) [][ObservationSteps]Sight {
	out := make([][ObservationSteps]Sight, len(v.episodes))
	v.each(func(i int) {
		for k := range out[i] {
			out[i][k] = v.episodes[i].scenes[k].sight(pictures)
		}
	})
	return out
}
