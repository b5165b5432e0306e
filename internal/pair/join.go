package pair

import (
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// Join puts results of one request together, which are of successive pairs, drawn in
// pieces by a [Session] and not finished yet. It panics when there are none.
func Join(parts ...*Result) *Result {
	first := parts[0]
	out := *first
	out.Members, out.Frames, out.StepSeconds = nil, nil, nil
	out.Certificate, out.Seconds = Certificate{}, Seconds{}
	out.Request.Pairs = 0
	for _, p := range parts {
		if p.Request.First != first.Request.First+out.Request.Pairs {
			panic(fmt.Sprintf("pair: pairs from %d on, want from %d on", p.Request.First, first.Request.First+out.Request.Pairs))
		}
		out.Request.Pairs += p.Request.Pairs
		out.Certificate = out.Certificate.merge(p.Certificate)
		out.Seconds.Add(p.Seconds)
		out.StepSeconds = append(out.StepSeconds, p.StepSeconds...)
	}
	for i, d := range first.Members {
		d.Latents = stack(parts, func(r *Result) tensor.Batch { return r.Members[i].Latents })
		d.Weights = nil
		if m := d.Exemplars.N; m > 0 {
			for step := range first.Timesteps {
				for _, p := range parts {
					size := p.Request.Pairs * m
					d.Weights = append(d.Weights, p.Members[i].Weights[step*size:(step+1)*size]...)
				}
			}
		}
		out.Members = append(out.Members, d)
	}
	for k, f := range first.Frames {
		f.Latents = nil
		for i := range first.Members {
			f.Latents = append(f.Latents, stack(parts, func(r *Result) tensor.Batch { return r.Frames[k].Latents[i] }))
		}
		out.Frames = append(out.Frames, f)
	}
	return &out
}

// stack joins batches of samples of one shape.
func stack(parts []*Result, of func(*Result) tensor.Batch) tensor.Batch {
	out := of(parts[0])
	out.Data, out.N = nil, 0
	for _, p := range parts {
		b := of(p)
		out.Data, out.N = append(out.Data, b.Data...), out.N+b.N
	}
	return out
}
