package nn

// resnet2d is the residual block of the image networks: two convolutions, each after a
// group normalisation with SiLU, and between them a shift that comes from the timestep,
// if the network has one.
type resnet2d struct {
	norm1, norm2 *groupNorm
	conv1, conv2 *conv
	time         *conv // nil without a timestep
	shortcut     *conv // nil for the identity
}

// normal says how the normalisations of a network are made.
type normal struct {
	groups int
	eps    float64
}

// newResnet2d makes a block; time is the width of the time embedding, 0 for none.
func newResnet2d(p *params, name string, in, out, time int, n normal) *resnet2d {
	l := &resnet2d{
		norm1: newGroupNorm(p, name+".norm1", n.groups, in, n.eps),
		conv1: newConv2d(p, name+".conv1", in, out, same(3, 1)),
	}
	if time > 0 {
		l.time = newLinear(p, name+".time_emb_proj", time, out, true)
	}
	l.norm2 = newGroupNorm(p, name+".norm2", n.groups, out, n.eps)
	l.conv2 = newConv2d(p, name+".conv2", out, out, same(3, 1))
	if in != out {
		l.shortcut = newConv2d(p, name+".conv_shortcut", in, out, same(1, 1))
	}
	return l
}

// resnet lays out a block. time is the activated time embedding, or nil.
func (g *graph) resnet(l *resnet2d, x, time *signal) *signal {
	h := g.groupNorm(l.norm1, x, true)
	if l.time != nil {
		h = g.convPlus(l.conv1, h, g.ofTime(l.time, time))
	} else {
		h = g.conv(l.conv1, h)
	}
	h = g.groupNorm(l.norm2, h, true)
	if l.shortcut != nil {
		x = g.conv(l.shortcut, x)
	}
	return g.convPlus(l.conv2, h, x)
}

// ofTime lays out a linear map of what depends on the timestep alone.
func (g *graph) ofTime(l *conv, time *signal) *signal {
	return g.onceFor(time, func() *signal { return g.conv(l, time) })
}
