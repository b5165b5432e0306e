package portraits

import (
	"context"

	"github.com/go-pcd/pcd/internal/encoded"
	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Kept is how often the judge is right about portraits of a tone of the skin and an age
// group, and about what the autoencoder returns of them.
type Kept struct {
	Tone   string `json:"tone"`
	Group  string `json:"age_group"`
	Images int    `json:"images"`
	Before Right  `json:"before"`
	After  Right  `json:"after"`
}

// Right is how often a classifier is right.
type Right struct {
	AgeGroup float64 `json:"age_group"`
	Old      float64 `json:"old"`
}

// lost returns by how much less often the judge is right afterwards about who is old: the
// most over the tones and age groups, 0 if it is nowhere.
func lost(all []Kept) (most float64) {
	for _, k := range all {
		most = max(most, k.Before.Old-k.After.Old)
	}
	return most
}

// tones are the thirds of the scale of skins.
var tones = [...]string{"light", "medium", "dark"}

func toneOf(p portrait.Person) int { return min(int(p.Melanin*float64(len(tones))), len(tones)-1) }

// keptPerHeld is how many portraits are looked at for each that was held out from the judge.
const keptPerHeld = 16

// kept asks the judge about portraits that no part learned from, by tone and age group.
func kept(ctx context.Context, codec latent.Codec, judge *nn.Classifier, size, held int) ([]Kept, error) {
	n := keptPerHeld * held
	p := Photos{Album: portrait.Album{Seed: uint64(len(Parts)) + 1}, Size: size, N: n, Held: n, Labels: true}
	groups := len(portrait.AgeGroups)
	cells := make([]Kept, len(tones)*groups)
	err := heldOut(ctx, p, func(first int, x tensor.Batch) error {
		y, err := comeBackOf(ctx, codec, x)
		if err != nil {
			return err
		}
		before, err := answers(ctx, judge, x)
		if err != nil {
			return err
		}
		after, err := answers(ctx, judge, y)
		if err != nil {
			return err
		}
		for k := range x.N {
			photo := p.Album.At(uint64(first + k))
			group := portrait.GroupOf(photo.Age)
			c := &cells[toneOf(photo.Person)*groups+group]
			c.Images++
			c.Before.count(before[k], group)
			c.After.count(after[k], group)
		}
		return nil
	})
	var all []Kept
	for i, c := range cells {
		if c.Images == 0 {
			continue // nobody is drawn that young
		}
		c.Tone, c.Group = tones[i/groups], portrait.AgeGroups[i%groups].Name
		c.Before.share(c.Images)
		c.After.share(c.Images)
		all = append(all, c)
	}
	return all, err
}

// count adds an answer.
func (r *Right) count(said, group int) {
	r.AgeGroup += float64(indicator(said == group))
	r.Old += float64(indicator(portrait.IsOld(said) == portrait.IsOld(group)))
}

// share turns counts into shares.
func (r *Right) share(n int) {
	r.AgeGroup, r.Old = r.AgeGroup/float64(n), r.Old/float64(n)
}

// answers returns the likeliest age group of every picture.
func answers(ctx context.Context, judge *nn.Classifier, x tensor.Batch) ([]int, error) {
	logits := tensor.New(x.N, len(portrait.AgeGroups)+2)
	if err := judge.Apply(ctx, logits, x); err != nil {
		return nil, err
	}
	said := make([]int, x.N)
	for k := range said {
		said[k] = answer(judge, 0, logits.Sample(k))
	}
	return said, nil
}

// comeBackOf returns what an autoencoder makes of pictures, as they are shown.
func comeBackOf(ctx context.Context, codec latent.Codec, x tensor.Batch) (tensor.Batch, error) {
	z, err := codec.Encode(ctx, x, nil, nil)
	if err != nil {
		return tensor.Batch{}, err
	}
	y, err := codec.Decode(ctx, z, nil)
	if err != nil {
		return tensor.Batch{}, err
	}
	for i, v := range y.Data {
		y.Data[i] = min(max(v, -1), 1)
	}
	return y, nil
}

// comeBack returns what the autoencoder makes of n held-out portraits.
func comeBack(ctx context.Context, codec latent.Codec, p Photos, first, n int) (tensor.Batch, error) {
	x, err := encoded.Draw(ctx, p, p.N-p.Held+first, n)
	if err != nil {
		return tensor.Batch{}, err
	}
	return comeBackOf(ctx, codec, x)
}
