package nn

import "fmt"

// blocks makes the parts of a network with the names of its state dict.
type blocks struct {
	p              *params
	kernel, groups int
	condition      int       // width of the condition
	inner          [2]string // names of the convolution blocks of a residual block
	norm           int       // index of the normalisation in one
	modulation     string    // name of the map from the condition
	scaled         bool      // the condition scales, too
	between        bool      // the map comes before the second block
	change, conv   string    // names of a change of resolution, and of its convolution
}

// block makes a convolution block for sequences of the given length.
func (b blocks) block(name string, in, out, length int) convBlock {
	return convBlock{
		conv: newConv1d(b.p, name+".block.0", in, out, b.kernel, 1).minimal(length),
		norm: newGroupNorm(b.p, fmt.Sprintf("%s.block.%d", name, b.norm), b.groups, out, epsilon),
	}
}

func (b blocks) residual(name string, in, out, length int) *residual {
	l := &residual{name: name, scaled: b.scaled}
	width := out
	if b.scaled {
		width *= 2
	}
	modulate := func() { l.modulation = newLinear(b.p, name+"."+b.modulation, b.condition, width, true) }
	l.first = b.block(name+"."+b.inner[0], in, out, length)
	if b.between {
		modulate()
	}
	l.second = b.block(name+"."+b.inner[1], out, out, length)
	if !b.between {
		modulate()
	}
	if in != out {
		l.skip = newConv1d(b.p, name+".residual_conv", in, out, 1, 1)
	}
	return l
}

// down makes the way down from state numbers to the widths; horizon is the length of
// the sequences at the first.
func (b blocks) down(u *unet, name string, state, horizon int, widths []int) {
	in := state
	for i, out := range widths {
		l := level{name: fmt.Sprintf("%s.%d", name, i)}
		l.change = l.name + b.change
		l.first, l.second = b.residual(l.name+".0", in, out, horizon>>i), b.residual(l.name+".1", out, out, horizon>>i)
		if i < len(widths)-1 {
			l.resample = newConv1d(b.p, l.change+b.conv, out, out, 3, 2)
		}
		u.down = append(u.down, l)
		in = out
	}
}

// middle makes the two blocks at the lowest resolution, with the names given.
func (b blocks) middle(u *unet, name string, from, horizon int, widths []int) {
	last := widths[len(widths)-1]
	for i := range u.mid {
		u.mid[i] = b.residual(fmt.Sprintf(name, from+i), last, last, horizon>>(len(widths)-1))
	}
}

// up makes the way up to the first width but one: every level takes the output of
// the one below and that of its own resolution on the way down.
func (b blocks) up(u *unet, name string, horizon int, widths []int) {
	for i := range len(widths) - 1 {
		low, length := widths[len(widths)-1-i], horizon>>(len(widths)-1-i)
		out := widths[len(widths)-2-i]
		l := level{name: fmt.Sprintf("%s.%d", name, i)}
		l.change = l.name + b.change
		l.first, l.second = b.residual(l.name+".0", 2*low, out, length), b.residual(l.name+".1", out, out, length)
		l.resample = newTransposed1d(b.p, l.change+b.conv, out, out, 4)
		u.up = append(u.up, l)
	}
}

// end makes the block before the last convolution, which may have groups of its own, and that.
func (b blocks) end(u *unet, width, state, horizon int) {
	u.head = b.block("final_conv.0", width, width, horizon)
	u.last = newConv1d(b.p, "final_conv.1", width, state, 1, 1)
}

// The largest sizes of a network. They are far beyond any that can be run, and keep
// products of sizes from overflowing.
const (
	maxLevels = 16
	maxLength = 1 << 20
	maxTaps   = 1 << 10
	maxWidth  = 1 << 20
)

// checkUNet returns an error for sizes that make no network.
func checkUNet(network string, horizon, state, kernel, groups, timeDim int, widths []int) error {
	bad := func(field string, got any, want string) error {
		return &ConfigError{Network: network, Field: field, Got: fmt.Sprint(got), Want: want}
	}
	if len(widths) < 2 || len(widths) > maxLevels {
		return bad("levels", len(widths), fmt.Sprintf("2 to %d", maxLevels))
	}
	step := 1 << (len(widths) - 1)
	switch {
	case horizon < step || horizon > maxLength || horizon%step != 0:
		return bad("Horizon", horizon, fmt.Sprintf("a positive multiple of %d up to %d, because every level but the last halves it", step, maxLength))
	case state < 1 || state > maxWidth:
		return bad("StateDim", state, fmt.Sprintf("1 to %d", maxWidth))
	case kernel < 1 || kernel > maxTaps || kernel%2 == 0:
		return bad("Kernel", kernel, fmt.Sprintf("an odd number up to %d", maxTaps))
	case timeDim < 4 || timeDim > maxWidth || timeDim%2 != 0:
		return bad("TimeDim", timeDim, fmt.Sprintf("an even number from 4 to %d", maxWidth))
	case groups < 1:
		return bad("Groups", groups, "at least 1")
	}
	for _, c := range widths {
		if c < 1 || c > maxWidth || c%groups != 0 {
			return bad("widths", widths, fmt.Sprintf("positive multiples of the %d groups up to %d", groups, maxWidth))
		}
	}
	return nil
}
