package images

import (
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/metric/lens"
	"github.com/go-pcd/pcd/pair"
)

// LensFiles are files of the published networks; "" is the judge of the model.
type LensFiles struct {
	CLIP      string // ViT-B/32
	VGG       string // trunk of LPIPS
	LPIPS     string // its heads
	Inception string
}

// ByJudge is the name of the judge as a lens.
const ByJudge = "judge"

// Lenses say what images were measured with: the name of a network, [ByJudge] or a
// published one.
type Lenses struct {
	Similarity string `json:"similarity"` // or CLIP
	Distance   string `json:"distance"`   // or LPIPS
	Frechet    string `json:"frechet"`    // or Inception
}

// opened are lenses that can be looked through.
type opened struct {
	lens.Set
	names   Lenses
	digests map[string]string // of the files
}

// Pixels of the program's judges are from -1 to 1.
const judgeLow, judgeHigh = -1, 1

// open opens the lenses, those without files as the judge of a model.
func (f LensFiles) open(m *pair.Model) (*opened, error) {
	if m.Judge == nil {
		return nil, &pair.NeedsError{What: "a judge of pictures for an evaluation", Remedy: "it wants the part judge in the folder of the model"}
	}
	if (f.VGG == "") != (f.LPIPS == "") {
		return nil, &experiment.SpecError{Err: errors.New("LPIPS needs two files, the trunk of VGG-16 and its heads: give both or neither")}
	}
	judge := lens.NewJudge(m.Judge.Net, judgeLow, judgeHigh)
	o := &opened{Set: lens.Set{Similarity: judge, Distance: judge, Frechet: judge}, names: Lenses{ByJudge, ByJudge, ByJudge}, digests: map[string]string{}}
	for _, step := range []struct {
		name  string
		files []string
		open  func() error
	}{
		{"CLIP", []string{f.CLIP}, func() (err error) {
			o.names.Similarity = "CLIP"
			o.Similarity, err = lens.OpenCLIP(f.CLIP)
			return err
		}},
		{"LPIPS", []string{f.VGG, f.LPIPS}, func() (err error) {
			o.names.Distance = "LPIPS"
			o.Distance, err = lens.OpenLPIPS(f.VGG, f.LPIPS)
			return err
		}},
		{"Inception", []string{f.Inception}, func() (err error) {
			o.names.Frechet = "Inception"
			o.Frechet, err = lens.OpenInception(f.Inception)
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

// add opens a lens and notes the digests of its files.
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
