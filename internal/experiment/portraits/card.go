package portraits

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/published"
)

// save writes the card as text and as JSON.
func (c *Card) save(dir string) error {
	return errors.Join(writeFile(dir, "card.md", []byte(c.text())), writeSettings(dir, "card.json", c))
}

// Named is the accuracy of a classifier with its name.
type Named struct {
	Name string
	Accuracy
}

// Classifiers returns the accuracies of all classifiers that there are.
func (c *Card) Classifiers() []Named {
	all := []Named{{"classifier of latents", c.Classifier}, {"judge of pictures", c.Judge}}
	if c.Guide != nil {
		all = append(all, Named{"guide of pictures", *c.Guide})
	}
	return all
}

// text is the card as a page.
func (c *Card) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Portraits\n\nA latent diffusion model of drawn portraits, %d × %d pixels. The pictures that it learned from\nare drawn by the program: they show nobody. The folder has the layout of Stable Diffusion.\n\n",
		c.Parts[Autoencoder].Recipe.Size, c.Parts[Autoencoder].Recipe.Size)
	fmt.Fprintf(&b, "![Samples](%s)\n\nRows: %s. %d steps of DDIM, guidance 2.\n\n", samplesFile, strings.Join(samplePrompts, ", "), c.steps)
	b.WriteString("## Parts\n\n| part | parameters | portraits | steps | batch | loss, held out |\n|---|---|---|---|---|---|\n")
	for _, p := range Parts {
		d, ok := c.Parts[p]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %.5f |\n", p, d.Parameters, d.Recipe.Photos-d.Recipe.HeldOut, d.Steps, d.Recipe.Train.Batch, d.Loss)
	}
	fmt.Fprintf(&b, "\nEach part learned from people of its own. The text encoder has random weights of seed %d and is\nnot trained. The files of the parts have %.2f MiB in all, in half precision.\n\n", textSeed, float64(c.Bytes)/(1<<20))
	b.WriteString("## Measured on held-out portraits, with the files as shipped\n\n")
	fmt.Fprintf(&b, "Reconstruction: PSNR %.2f dB in the mean, %.2f dB at least, of %d portraits.", c.PSNR.Mean, c.PSNR.Min, c.PSNR.Images)
	if c.PSNR.Chroma != 0 {
		fmt.Fprintf(&b, " Of the variance of colours, %.1f %%\ncome back (R² of blue and red less brightness).", 100*c.PSNR.Chroma)
	}
	fmt.Fprintf(&b, " Latents are scaled by %.5f.\n\n", c.Scale)
	b.WriteString("| right about | age group | old or not | gender | of |\n|---|---|---|---|---|\n")
	for _, r := range c.Classifiers() {
		fmt.Fprintf(&b, "| %s | %.2f %% | %.2f %% | %.2f %% | %d |\n", r.Name, 100*r.AgeGroup, 100*r.Old, 100*r.Gender, r.Images)
	}
	if c.Frechet != nil {
		c.Frechet.write(&b, c.steps)
	}
	writeKept(&b, c.Kept)
	if e := c.Edges; e != nil {
		fmt.Fprintf(&b, "\nSteered by the edges of %d portraits, %.0f %% of these edges are within two pixels of one that is drawn;\nfrom the same noise without them, %.0f %%, and fewer for %.0f %% of the portraits. Of what the autoencoder\nreturns of them, %.0f %%. %d steps of DDIM, eta %g, scale %g.\n\n![Portraits, edges, drawn along them, drawn without](%s)\n",
			e.Images, 100*e.Steered, 100*e.Plain, 100*e.Better, 100*e.Returned, c.steps, published.ControlEta, published.ControlScale, steeredFile)
	}
	return b.String()
}

// write writes how far samples of so many steps are from portraits, and shares of them.
func (f *Frechet) write(b *strings.Builder, steps int) {
	fmt.Fprintf(b, "\nFréchet distance by the features of the judge, which compares with no other network's, of %d samples from as many\nheld-out portraits; of as many others it is %.3f, of what the autoencoder returns of them %.3f:\n\n", f.Images, f.Portraits, f.Returned)
	fmt.Fprintf(b, "| samples | told nothing | told what the network would be about these portraits, guidance 1 |\n|---|---|---|\n")
	rows := []struct {
		by string
		Drawn
	}{{fmt.Sprintf("DDIM, %d steps", steps), f.Drawn}, {fmt.Sprintf("DPM++ 2M, levels of Karras, %d steps", fasterThan(steps).Steps), *f.Faster}}
	for _, r := range rows {
		fmt.Fprintf(b, "| %s | %.3f | %.3f |\n", r.by, r.Samples, r.Told)
	}
	b.WriteString("\nShares of the held-out portraits, of what the judge takes these and samples for by the mean of its probabilities:\n\n")
	b.WriteString("| | really | by the judge | DDIM, told nothing | told | DPM++ 2M, told nothing | told |\n|---|---|---|---|---|---|---|\n")
	for k, s := range f.Shares {
		fmt.Fprintf(b, "| %s | %.1f %% | %.1f %% |", s.Class, 100*s.Labels, 100*s.Portraits)
		for _, r := range rows {
			fmt.Fprintf(b, " %.1f %% | %.1f %% |", 100*r.Shares[k].Samples, 100*r.SharesTold[k].Samples)
		}
		b.WriteByte('\n')
	}
}

// writeKept writes what the judge says before and after the autoencoder.
func writeKept(b *strings.Builder, all []Kept) {
	if len(all) == 0 {
		return
	}
	b.WriteString("\nHow often the judge is right about portraits that no part learned from, and about what the autoencoder\nreturns of them, by thirds of the scale of skins and by age:\n\n")
	b.WriteString("| skin | age | of | old or not | returned | age group | returned |\n|---|---|---|---|---|---|---|\n")
	for _, k := range all {
		fmt.Fprintf(b, "| %s | %s | %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", k.Tone, k.Group, k.Images, 100*k.Before.Old, 100*k.After.Old, 100*k.Before.AgeGroup, 100*k.After.AgeGroup)
	}
	fmt.Fprintf(b, "\nAbout who is old it is right less often afterwards by %.1f percentage points at most.\n", 100*lost(all))
}
