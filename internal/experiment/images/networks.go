package images

import (
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/manifest"
	imagemetric "github.com/go-pcd/pcd/internal/metric/images"
	"github.com/go-pcd/pcd/internal/pair"
)

// NetworkFiles are files of the published networks; "" is the judge of the model.
type NetworkFiles struct {
	CLIP      string // ViT-B/32
	VGG       string // trunk of LPIPS
	LPIPS     string // its heads
	Inception string
}

// ByJudge stands for the judge in the place of a network.
const ByJudge = "judge"

// Networks say what images were measured with: the name of a network, [ByJudge] or a
// published one.
type Networks struct {
	Similarity string `json:"similarity"` // or CLIP
	Distance   string `json:"distance"`   // or LPIPS
	Frechet    string `json:"frechet"`    // or Inception
}

// opened are networks that images can be measured with.
type opened struct {
	imagemetric.Set
	names   Networks
	digests map[string]string // of the files
}

// Pixels of the program's judges are from -1 to 1.
const judgeLow, judgeHigh = -1, 1

// open opens the networks, those without files as the judge of a model.
func (f NetworkFiles) open(m *pair.Model) (*opened, error) {
	if m.Judge == nil {
		return nil, &pair.NeedsError{What: "a judge of pictures for an evaluation", Remedy: "it wants the part judge in the folder of the model: pcd image train-classifier --part judge trains one"}
	}
	if (f.VGG == "") != (f.LPIPS == "") {
		return nil, &experiment.SpecError{Err: errors.New("LPIPS needs two files, the trunk of VGG-16 and its heads: give both or neither")}
	}
	judge := imagemetric.NewJudge(m.Judge.Net, judgeLow, judgeHigh)
	o := &opened{Set: imagemetric.Set{Similarity: judge, Distance: judge, Frechet: judge}, names: Networks{ByJudge, ByJudge, ByJudge}, digests: map[string]string{}}
	for _, step := range []struct {
		name  string
		files []string
		open  func() error
	}{
		{"CLIP", []string{f.CLIP}, func() (err error) {
			o.names.Similarity = "CLIP"
			o.Similarity, err = imagemetric.OpenCLIP(f.CLIP)
			return err
		}},
		{"LPIPS", []string{f.VGG, f.LPIPS}, func() (err error) {
			o.names.Distance = "LPIPS"
			o.Distance, err = imagemetric.OpenLPIPS(f.VGG, f.LPIPS)
			return err
		}},
		{"Inception", []string{f.Inception}, func() (err error) {
			o.names.Frechet = "Inception"
			o.Frechet, err = imagemetric.OpenInception(f.Inception)
			return err
		}},
	} {
		if step.files[0] == "" {
			continue
		}
		if err := o.add(step.name, step.files, step.open); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// add opens a network and notes the digests of its files.
func (o *opened) add(name string, files []string, open func() error) error {
	if err := open(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i, path := range files {
		digest, err := manifest.DigestFile(path)
		if err != nil {
			return err
		}
		o.digests[fmt.Sprintf("%s %d", name, i)] = digest
	}
	return nil
}
