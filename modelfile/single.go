package modelfile

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/pyjson"
	"github.com/go-pcd/pcd/internal/singlefile"
	"github.com/go-pcd/pcd/weights"
)

// The parts of a model that are no networks.
const (
	schedulerPart = "scheduler"
	tokenizerPart = "tokenizer"
)

// OpenSingle lists the parts of a latent diffusion model that is one file under the names of
// its authors: Stable Diffusion 1 and 2, as safetensors, PyTorch checkpoint or GGUF. They are
// those of a folder, under the names of a folder.
//
// What such a file does not hold is looked for in a folder, that of the file for instance: the tokenizer in
// the folder tokenizer, and settings, which stand in for those that follow from the shapes
// of tensors and from the family, in unet/config.json or unet.config.json, likewise for vae and
// text_encoder, and in scheduler/scheduler_config.json or scheduler_config.json.
func OpenSingle(path, beside string) (*Folder, error) {
	path = filepath.Clean(path)
	m, sd, err := openSingle(path)
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	f := &Folder{Path: path, Pipeline: m.Family.String()}
	for name := range m.Parts {
		p := Part{Name: name, Class: singlefile.Class(name), Path: path, Weights: []string{path}, Settings: path, there: true}
		p.open = func() (*weights.StateDict, error) { return openSingleSection(path, name) }
		if err := p.settle(beside, name+".config.json", filepath.Join(name, settingsFiles[0]), func() ([]byte, error) { return m.Settings(name) }); err != nil {
			return nil, err
		}
		f.Parts = append(f.Parts, p)
	}
	if err := f.addScheduler(m, beside); err != nil {
		return nil, err
	}
	if err := f.addTokenizer(beside); err != nil {
		return nil, err
	}
	slices.SortFunc(f.Parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	return f, nil
}

// openSingle opens a file and divides it. The caller closes it.
func openSingle(path string) (*singlefile.Model, *weights.StateDict, error) {
	sd, err := weights.Open(path, weights.Options{SkipObjects: true})
	if err != nil {
		return nil, nil, &Error{Path: path, Reason: "cannot be read", Err: err}
	}
	m, err := singlefile.Parse(sd)
	if err != nil {
		sd.Close() // the first error says more
		return nil, nil, &Error{Path: path, Reason: "is no model that can be used", Err: err}
	}
	return m, sd, nil
}

// openSingleSection opens a file and returns the tensors of one part, which own the file.
func openSingleSection(path, name string) (*weights.StateDict, error) {
	m, sd, err := openSingle(path)
	if err != nil {
		return nil, err
	}
	part := m.Parts[name]
	if part == nil { // the file is another one than before
		sd.Close()
		return nil, &Error{Path: path, Reason: "has no part " + name, Err: fs.ErrNotExist}
	}
	return part, nil
}

// settle takes the first of two files in a folder as the settings of a part, and made ones
// where there is neither.
func (p *Part) settle(folder, one, other string, otherwise func() ([]byte, error)) (err error) {
	for _, name := range []string{one, other} {
		file := filepath.Join(folder, name)
		if _, err := os.Stat(file); err != nil {
			continue
		}
		var raw json.RawMessage
		p.Settings = file
		err := readSettings(file, &raw)
		p.text = raw
		return err
	}
	if p.text, err = otherwise(); err != nil {
		return &Error{Path: p.Path, Reason: "its settings cannot be told", Err: err}
	}
	return nil
}

func (f *Folder) addScheduler(m *singlefile.Model, beside string) error {
	p := Part{Name: schedulerPart, Path: f.Path, Settings: f.Path, there: true}
	err := p.settle(beside, "scheduler_config.json", filepath.Join(schedulerPart, "scheduler_config.json"), func() ([]byte, error) {
		f.Undecided, f.assumed = m.Prediction == "", m.Assumed
		return singlefile.Scheduler(m.Prediction, m.ZeroSNR)
	})
	if err != nil {
		return err
	}
	if p.Settings != f.Path {
		said, err := p.training()
		if err != nil {
			return err
		}
		if err := m.CheckSettings(said.Prediction, said.ZeroSNR); err != nil {
			return &Error{Path: p.Settings, Reason: "denies what " + f.Path + " says", Err: err}
		}
	}
	if p.Class, err = className(p.text); err != nil {
		return &Error{Path: p.Settings, Reason: "is not the JSON that is expected", Err: err}
	}
	f.Parts = append(f.Parts, p)
	return nil
}

// className returns the class that settings name.
func className(text []byte) (string, error) {
	var named struct {
		Class string `json:"_class_name"`
	}
	err := json.Unmarshal(pyjson.Standard(text), &named)
	return named.Class, err
}

func (f *Folder) addTokenizer(beside string) error {
	dir := filepath.Join(beside, tokenizerPart)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil // nothing can be said to the model then
	}
	p := Part{Name: tokenizerPart, Class: "CLIPTokenizer", Path: dir}
	if err := p.list(); err != nil {
		return err
	}
	f.Parts = append(f.Parts, p)
	return nil
}

// Decide says what the network predicts where nothing of the folder does: where it is undecided, and where a
// file of Stable Diffusion 1 is taken for one that predicts noise.
func (f *Folder) Decide(velocity bool) error {
	p, err := f.Part(schedulerPart)
	if err != nil || !f.Undecided && !f.assumed {
		return err
	}
	prediction := singlefile.Epsilon
	if velocity {
		prediction = singlefile.Velocity
	}
	ofFamily1 := f.assumed
	f.Undecided, f.assumed = false, false
	if p.text, err = singlefile.Scheduler(prediction, false); err != nil {
		return err
	}
	if p.Class, err = className(p.text); err != nil || !velocity || ofFamily1 {
		return err
	}
	return f.enlarge()
}

// enlarge lets the settings of the denoising network, unless they are a file, be those of one that
// predicts velocities.
func (f *Folder) enlarge() error {
	p, err := f.Part(singlefile.UNet)
	if err != nil || p.Settings != f.Path {
		return err
	}
	p.text, err = singlefile.OfVelocity(p.text)
	return err
}
