package maps

import (
	"strconv"
)

// ofPGM reads a grey map, plain (P2) or raw (P5), of up to 16 bits.
func (r reading) ofPGM(name string, data []byte, g *Grid) (weak int, err error) {
	p := &pgm{data: data, at: 2}
	plain := data[1] == '2'
	var header [3]int
	for k, what := range []string{"width", "height", "largest value"} {
		if header[k], err = p.number(); err != nil {
			return 0, broken(name, "the %s of the image cannot be read: %v", what, err)
		}
	}
	most := header[2]
	if most < 1 || most > 65535 {
		return 0, broken(name, "the largest value of the image is %d, want 1 to 65535", most)
	}
	bytes := 1
	if most > 255 {
		bytes = 2
	}
	p.at++ // one byte of white space, and no comment, before the raster
	if rest := len(data) - p.at; !plain && (header[0] > maxSide || header[1] > maxSide || rest < header[0]*header[1]*bytes) ||
		plain && (header[0] > maxSide || header[1] > maxSide || rest < 2*header[0]*header[1]-1) {
		return 0, broken(name, "the image ends early: %d by %d pixels do not fit into the %d bytes of its raster", header[0], header[1], max(rest, 0))
	}
	if err := g.setSize(name, header[0], header[1]); err != nil {
		return 0, err
	}
	states := make([]int8, most+1)
	for v := range states {
		states[v] = r.state(greyPixel(float64(v) / float64(most)))
	}
	unknown := -1
	if most == 255 {
		unknown = savedUnknown
	}
	for k := range g.Cells {
		v, err := p.sample(plain, bytes)
		if err != nil {
			return 0, broken(name, "pixel %d of the image cannot be read: %v", k, err)
		}
		if v > most {
			return 0, broken(name, "pixel %d of the image is %d, above the largest value %d", k, v, most)
		}
		row, i := k/g.Width, k%g.Width
		g.Cells[(g.Height-1-row)*g.Width+i] = states[v]
		if v == unknown && states[v] == Free {
			weak++
		}
	}
	return weak, nil
}

// pgm reads the tokens of a grey map.
type pgm struct {
	data []byte
	at   int
}

// sample returns the next pixel.
func (p *pgm) sample(plain bool, bytes int) (int, error) {
	if plain {
		return p.number()
	}
	v := int(p.data[p.at])
	if bytes == 2 {
		v = v<<8 | int(p.data[p.at+1])
	}
	p.at += bytes
	return v, nil
}

// number returns the next number, beyond white space and comments.
func (p *pgm) number() (int, error) {
	for comment := false; p.at < len(p.data); p.at++ {
		switch c := p.data[p.at]; {
		case c == '\n' || c == '\r':
			comment = false
		case c == '#':
			comment = true
		case !comment && c != ' ' && c != '\t' && c != '\v' && c != '\f':
			begin := p.at
			for p.at < len(p.data) && p.data[p.at] >= '0' && p.data[p.at] <= '9' {
				p.at++
			}
			if p.at-begin > 9 || p.at == begin {
				return 0, strconv.ErrSyntax
			}
			return strconv.Atoi(string(p.data[begin:p.at]))
		}
	}
	return 0, errEnds
}
