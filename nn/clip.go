package nn

import "fmt"

// clipLayer is a layer of the towers of CLIP: attention and two linear maps, each after a
// normalisation and around an addition. Source: Radford et al., "Learning transferable
// visual models from natural language supervision" (ICML 2021).
type clipLayer struct {
	norm1, norm2  *layerNorm
	heads         *multiHead
	first, second *conv
}

// clipSize says how the layers of a tower are made.
type clipSize struct {
	width, hidden, heads, layers int
	eps                          float64
	act                          activation
}

// newClipLayers makes layers with the names of the library transformers.
func newClipLayers(p *params, name string, s clipSize) []*clipLayer {
	var layers []*clipLayer
	for i := range s.layers {
		name := fmt.Sprintf("%s.layers.%d", name, i)
		project := func(part string) *conv { return newLinear(p, name+".self_attn."+part, s.width, s.width, true) }
		layers = append(layers, &clipLayer{
			heads:  &multiHead{heads: s.heads, k: project("k_proj"), v: project("v_proj"), q: project("q_proj"), out: project("out_proj")},
			norm1:  newLayerNorm(p, name+".layer_norm1", s.width, s.eps),
			first:  newLinear(p, name+".mlp.fc1", s.width, s.hidden, true),
			second: newLinear(p, name+".mlp.fc2", s.hidden, s.width, true),
			norm2:  newLayerNorm(p, name+".layer_norm2", s.width, s.eps),
		})
	}
	return layers
}

// clipLayer lays out a layer.
func (g *graph) clipLayer(l *clipLayer, act activation, causal bool, x *signal) *signal {
	n := g.layerNorm(l.norm1, x)
	q, k, v := g.conv(l.heads.q, n), g.conv(l.heads.k, n), g.conv(l.heads.v, n)
	x = g.convPlus(l.heads.out, g.attend(l.heads.heads, causal, q, k, v), x)
	h := g.conv(l.first, g.layerNorm(l.norm2, x))
	return g.convPlus(l.second, g.activate(act, h), x)
}

// activation returns the activation of the layers of a published configuration.
func (d *document) activation() string {
	const key = "hidden_act"
	act := d.text(key, "quick_gelu")
	if act != "gelu" && act != "quick_gelu" {
		d.fail(key, act, "gelu or quick_gelu")
	}
	return act
}

func activationOf(name string) activation {
	if name == "gelu" {
		return gelu
	}
	return quick
}

// checkTower returns an error for sizes that make no tower.
func checkTower(network string, width, hidden, heads, layers int, eps float64, act string) error {
	bad := func(field string, got any, want string) error {
		return &ConfigError{network, field, fmt.Sprint(got), want}
	}
	switch {
	case width < 1 || hidden < 1 || width > maxSize || hidden > maxSize:
		return bad("hidden_size", fmt.Sprintf("%d, intermediate_size %d", width, hidden), fmt.Sprintf("between 1 and %d", maxSize))
	case layers < 1 || layers > maxCount:
		return bad("num_hidden_layers", layers, fmt.Sprintf("between 1 and %d", maxCount))
	case heads < 1 || width%heads != 0:
		return bad("num_attention_heads", heads, fmt.Sprintf("a divisor of the width %d", width))
	case !(eps > 0 && eps < 1):
		return bad("layer_norm_eps", eps, "between 0 and 1")
	case act != "gelu" && act != "quick_gelu":
		return bad("hidden_act", act, "gelu or quick_gelu")
	}
	return nil
}
