package nn

import "strings"

// A Source says where the values of a parameter are in a file that names tensors in
// another way.
type Source struct {
	Name      string
	First     int  // rows to leave out: the parameter has some of the tensor's
	Transpose bool // the tensor is [in, out]
}

// OpenAIVision returns where the original archive of CLIP keeps a parameter of
// [CLIPVision]: it stacks the maps of queries, keys and values, and multiplies the
// projection from the right.
func (n *CLIPVision) OpenAIVision(p *Param) Source {
	const layer = "vision_model.encoder.layers."
	rest, inLayer := strings.CutPrefix(p.Name, layer)
	if !inLayer {
		s, ok := openAINames[p.Name]
		if !ok { // weight and bias of a normalisation
			at := strings.LastIndexByte(p.Name, '.')
			s = Source{Name: openAINames[p.Name[:at]].Name + p.Name[at:]}
		}
		return s
	}
	number, part, _ := strings.Cut(rest, ".")
	at := strings.LastIndexByte(part, '.')
	s := openAINames[part[:at]]
	s.First *= n.config.Width
	s.Name = "visual.transformer.resblocks." + number + "." + s.Name
	if strings.HasSuffix(s.Name, "in_proj") {
		s.Name += "_" + part[at+1:]
	} else {
		s.Name += part[at:]
	}
	return s
}

// openAINames has the names of the original archive; First counts parts of a stack.
var openAINames = map[string]Source{
	"vision_model.embeddings.class_embedding":           {Name: "visual.class_embedding"},
	"vision_model.embeddings.patch_embedding.weight":    {Name: "visual.conv1.weight"},
	"vision_model.embeddings.position_embedding.weight": {Name: "visual.positional_embedding"},
	"visual_projection.weight":                          {Name: "visual.proj", Transpose: true},
	"vision_model.pre_layrnorm":                         {Name: "visual.ln_pre"},
	"vision_model.post_layernorm":                       {Name: "visual.ln_post"},
	"self_attn.q_proj":                                  {Name: "attn.in_proj"},
	"self_attn.k_proj":                                  {Name: "attn.in_proj", First: 1},
	"self_attn.v_proj":                                  {Name: "attn.in_proj", First: 2},
	"self_attn.out_proj":                                {Name: "attn.out_proj"},
	"layer_norm1":                                       {Name: "ln_1"},
	"layer_norm2":                                       {Name: "ln_2"},
	"mlp.fc1":                                           {Name: "mlp.c_fc"},
	"mlp.fc2":                                           {Name: "mlp.c_proj"},
}

// Read copies the values of a parameter from a tensor in the file's layout.
func (s Source) Read(p *Param, tensor []float32) {
	p.allocate()
	if !s.Transpose {
		copy(p.Data, tensor[s.First*(len(p.Data)/p.Shape[0]):])
		return
	}
	rows, cols := p.Shape[0], p.Shape[1]
	for i := range rows {
		for j := range cols {
			p.Data[i*cols+j] = tensor[j*rows+i]
		}
	}
}
