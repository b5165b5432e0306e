package portraits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// startFrom gives an autoencoder the weights of the one in a folder, and returns their
// digest. Where its latents have more channels, the others keep the weights that they have,
// and nothing looks at them yet: pictures come back as they did.
func startFrom(net *nn.AutoencoderKL, dir string) (digest string, err error) {
	given, _, err := given[*nn.AutoencoderKL](dir)
	if err != nil {
		return "", err
	}
	from, to := given.Config(), net.Config()
	if from.LatentChannels > to.LatentChannels {
		return "", &experiment.SpecError{Err: fmt.Errorf("images: the autoencoder of %s has %d channels of latents, which does not start one of %d", dir, from.LatentChannels, to.LatentChannels)}
	}
	w := widening{from.LatentChannels, to.LatentChannels}
	old := given.Params()
	for i, p := range net.Params() {
		if !w.fits(old[i].Shape, p.Shape) {
			return "", &experiment.SpecError{Err: fmt.Errorf("images: %s is %v in the autoencoder of %s, want %v: one of other widths does not start it", p.Name, old[i].Shape, dir, p.Shape)}
		}
		w.copy(p, old[i])
		w.quieten(p)
	}
	net.Refresh()
	return modelfile.Digest(nil, old)
}

// given returns the network in the folder of a part, and what it says of itself.
func given[N modelfile.Parameters](dir string) (N, Description, error) {
	return openAt(dir, whole[N], func(err error) error { return err })
}

// goOnFrom gives a denoising network the weights of the one in a folder, and returns their
// digest. Both are of the same widths and predict the same.
func goOnFrom(net *nn.UNet2DCondition, dir string) (digest string, err error) {
	given, d, err := given[*nn.UNet2DCondition](dir)
	if err != nil {
		return "", err
	}
	old, now := given.Params(), net.Params()
	same := len(old) == len(now) && d.Recipe.kind() == net.Kind()
	for i := 0; same && i < len(now); i++ {
		same = now[i].Name == old[i].Name && slices.Equal(now[i].Shape, old[i].Shape)
		copy(now[i].Data, old[i].Data)
	}
	if !same {
		return "", &experiment.SpecError{Err: fmt.Errorf("images: the denoiser of %s, which predicts %v with %v, does not start one that predicts %v with %v", dir, d.Recipe.kind(), given.Config(), net.Kind(), net.Config())}
	}
	net.Refresh()
	return modelfile.Digest(nil, old)
}

// widening is from how many to how many channels latents grow.
type widening struct{ from, to int }

// fits reports whether a parameter differs by the channels of latents at most.
func (w widening) fits(old, now tensor.Shape) bool {
	if len(old) != len(now) {
		return false
	}
	for i := range old {
		if old[i] != now[i] && (i > 1 || (old[i] != w.from || now[i] != w.to) && (old[i] != 2*w.from || now[i] != 2*w.to)) {
			return false
		}
	}
	return true
}

// copy writes the weights of a parameter. What the old channels are made of does not
// include new ones.
func (w widening) copy(p, old *nn.Param) {
	rows, columns := old.Shape[0], 1
	if len(old.Shape) > 1 {
		columns = old.Shape[1]
	}
	moments := strings.HasPrefix(p.Name, "quant_conv") || strings.HasPrefix(p.Name, "encoder.conv_out")
	each := len(old.Data) / (rows * columns)
	wide := len(p.Data) / (p.Shape[0] * each) // columns of the new
	for i := range rows {
		to := w.place(i, moments)
		clear(p.Data[to*wide*each : (to+1)*wide*each])
		for j := range columns {
			at := to*wide + w.place(j, strings.HasPrefix(p.Name, "quant_conv"))
			copy(p.Data[at*each:(at+1)*each], old.Data[(i*columns+j)*each:])
		}
	}
}

// newVariance is the logarithm of the variance of new channels at the start. With that of
// random weights, about 0, there is more noise in them than anything to be learned.
const newVariance = -5

// quieten sets the variance of the new channels.
func (w widening) quieten(p *nn.Param) {
	each := len(p.Data) / p.Shape[0]
	for i := w.to + w.from; i < 2*w.to; i++ {
		switch p.Name {
		case "quant_conv.weight":
			clear(p.Data[i*each : (i+1)*each])
		case "quant_conv.bias":
			p.Data[i] = newVariance
		}
	}
}

// place returns where a channel goes. Of moments, the second half are variances.
func (w widening) place(i int, moments bool) int {
	if moments && i >= w.from {
		return i - w.from + w.to
	}
	return i
}
