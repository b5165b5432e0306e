package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/pyjson"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/weights"
)

// Folder is a model of several parts, each in a folder of its own beside
// model_index.json, as the library diffusers lays them out: networks, a tokenizer, a
// noise schedule.
type Folder struct {
	Path     string
	Pipeline string // class of the whole, or empty
	Parts    []Part // by name
	// Undecided says that neither the file of a whole model nor the settings beside it say
	// whether its network predicts noise or velocities. The scheduler is then one for noise.
	Undecided bool

	assumed bool // nothing says it of a single file that is taken for one of noise
}

// Part is one part of a [Folder].
type Part struct {
	Name  string // of its folder; empty for a folder that is itself one network
	Class string // for instance UNet2DConditionModel, or empty
	Path  string
	// Settings is the file that describes the part, JSON or the YAML of a classifier, or
	// empty.
	Settings string
	// Weights are files with its weights, one after the other in the order in which
	// they are preferred; none for a part that is no network, or that is incomplete.
	Weights []string
	there   bool // its folder is

	// Of a part of a file with a whole model: its settings, where they are no file, and its
	// tensors.
	text []byte
	open func() (*weights.StateDict, error)
}

// The files of a folder.
const (
	indexFile    = "model_index.json"
	maxSettings  = 1 << 20
	maxParts     = 64
	maxPartFiles = 4096
)

// settingsFiles are the names that settings have, the first that is there counts.
var settingsFiles = []string{"config.json", "scheduler_config.json", "preprocessor_config.json", "tokenizer_config.json"}

// weightFiles are the names that weights have without a variant, in the order in which
// they are preferred.
var weightFiles = []string{
	"diffusion_pytorch_model.safetensors", "model.safetensors",
	"diffusion_pytorch_model.safetensors.index.json", "model.safetensors.index.json",
	"diffusion_pytorch_model.bin", "pytorch_model.bin",
	"diffusion_pytorch_model.bin.index.json", "pytorch_model.bin.index.json",
}

// checkpoints are the names of the weights of classifiers as their trainings leave them.
var checkpoints = []string{"checkpoints_latent_classifier/best_latent_classifier.pt", "checkpoints_classifier/best_classifier.pt"}

// errNoFolder is matched by the error for a folder that holds no model of this layout.
var errNoFolder = errors.New("no folder of a model")

// OpenFolder lists the parts of a model folder. It reads no weights. A folder without
// model_index.json is one with a single part, if it has a config.json, or the YAML file of
// a classifier. A file is taken for a whole model: see [OpenSingle].
func OpenFolder(dir string) (*Folder, error) {
	if info, err := os.Stat(dir); err == nil && info.Mode().IsRegular() {
		return OpenSingle(dir, filepath.Dir(dir))
	}
	f := &Folder{Path: filepath.Clean(dir)}
	classes, err := f.readIndex()
	if errors.Is(err, fs.ErrNotExist) {
		return f.single()
	}
	if err != nil {
		return nil, err
	}
	for name, class := range classes {
		p := Part{Name: name, Class: class, Path: filepath.Join(f.Path, name)}
		if err := p.list(); err != nil {
			return nil, err
		}
		f.Parts = append(f.Parts, p)
	}
	if !slices.ContainsFunc(f.Parts, func(p Part) bool { return p.there }) {
		return nil, &Error{Path: f.Path, Reason: fmt.Sprintf("has no folder of the parts that %s names: %s", indexFile, quote.List(slices.Sorted(maps.Keys(classes)), maxParts)) + inOneFile(f.Path), Err: fs.ErrNotExist}
	}
	slices.SortFunc(f.Parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	return f, nil
}

// readIndex returns the classes of the parts by name.
func (f *Folder) readIndex() (classes map[string]string, err error) {
	path := filepath.Join(f.Path, indexFile)
	var index map[string]json.RawMessage
	if err = readSettings(path, &index); err != nil {
		return nil, err
	}
	classes = map[string]string{}
	for name, raw := range index {
		if name == "_class_name" {
			if f.Pipeline, err = pipelineName(raw); err != nil {
				return nil, &Error{Path: path, Reason: "_class_name is no text", Err: err}
			}
			continue
		}
		var part []*string // library and class, or neither
		if strings.HasPrefix(name, "_") || json.Unmarshal(raw, &part) != nil {
			continue // a setting of the pipeline
		}
		if len(part) != 2 || part[0] == nil || part[1] == nil {
			continue // a part that this model does without
		}
		if !filepath.IsLocal(name) || filepath.Base(name) != name {
			return nil, &Error{Path: path, Reason: fmt.Sprintf("%s is not the name of a folder beside it", quote.Text(name))}
		}
		classes[name] = *part[1]
	}
	if len(classes) == 0 || len(classes) > maxParts {
		return nil, &Error{Path: path, Reason: fmt.Sprintf("names %d parts, want 1 to %d", len(classes), maxParts)}
	}
	return classes, nil
}

// pipelineName reads the class of the whole, which is behind the name of its file where somebody wrote
// it for one model.
func pipelineName(raw json.RawMessage) (name string, err error) {
	var pair []string
	if json.Unmarshal(raw, &pair) == nil && len(pair) > 0 {
		return pair[len(pair)-1], nil
	}
	err = json.Unmarshal(raw, &name)
	return name, err
}

// single makes a folder with the files of one network a model of one part.
func (f *Folder) single() (*Folder, error) {
	p := Part{Path: f.Path}
	if err := p.list(); err != nil {
		return nil, err
	}
	if !p.there {
		return nil, &Error{Path: f.Path, Reason: "cannot be read", Err: fs.ErrNotExist}
	}
	if filepath.Base(p.Settings) != settingsFiles[0] && !isYAML(p.Settings) {
		if of := snapshots(f.Path); len(of) > 0 {
			return nil, &Error{Path: f.Path, Reason: fmt.Sprintf("is where a download keeps its files: the model is %s", quote.List(of, maxParts)), Err: errNoFolder}
		}
		return nil, &Error{Path: f.Path, Reason: fmt.Sprintf("has neither %s nor %s nor one YAML file", indexFile, settingsFiles[0]) + inOneFile(f.Path), Err: errNoFolder}
	}
	if isYAML(p.Settings) { // of the authors of a model in one file, as they publish it
		if file := inOneFile(f.Path); file != "" {
			return nil, &Error{Path: f.Path, Reason: "holds no classifier, whose settings are YAML" + file, Err: errNoFolder}
		}
	}
	var err error
	if p.Class, err = p.readClass(); err != nil {
		return nil, err
	}
	f.Parts = []Part{p}
	return f, nil
}

// snapshots lists the folders of models in that of a download of the Hugging Face Hub, models--owner--name, which links
// to them by their commits, or in its folder of snapshots.
func snapshots(dir string) (models []string) {
	const commits = "snapshots"
	if filepath.Base(dir) != commits {
		dir = filepath.Join(dir, commits)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		model := filepath.Join(dir, e.Name())
		if _, err := os.Lstat(filepath.Join(model, indexFile)); err == nil {
			models = append(models, model)
		}
	}
	return models
}

// readClass returns the class that settings name, or that they describe.
func (p *Part) readClass() (string, error) {
	if isYAML(p.Settings) {
		return classifierClass, nil
	}
	var settings struct {
		Class         string          `json:"_class_name"`
		Architectures []string        `json:"architectures"`
		Heads         json.RawMessage `json:"heads"`
	}
	err := readSettings(p.Settings, &settings)
	switch {
	case settings.Class != "":
		return settings.Class, err
	case len(settings.Architectures) > 0:
		return settings.Architectures[0], err
	case settings.Heads != nil:
		return classifierClass, err
	}
	return "", err
}

// list finds the files of a part.
func (p *Part) list() error {
	entries, err := os.ReadDir(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a part that is not there is missed by who wants it
	}
	if err != nil {
		return &Error{Path: p.Path, Reason: "cannot be read", Err: err}
	}
	p.there = true
	if len(entries) > maxPartFiles {
		return &Error{Path: p.Path, Reason: fmt.Sprintf("has %d files, want at most %d", len(entries), maxPartFiles)}
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = !e.IsDir()
	}
	p.Settings = p.settingsAmong(names)
	for _, variant := range variants {
		for _, name := range weightFiles {
			for _, name := range withVariant(name, variant) {
				if names[name] {
					p.Weights = append(p.Weights, filepath.Join(p.Path, name))
				}
			}
		}
	}
	p.Weights = downloaded(p.Weights)
	for _, name := range checkpoints {
		for _, place := range []string{filepath.Base(name), filepath.FromSlash(name)} {
			if info, err := os.Stat(filepath.Join(p.Path, place)); err == nil && !info.IsDir() {
				p.Weights = append(p.Weights, filepath.Join(p.Path, place))
			}
		}
	}
	return nil
}

// settingsAmong returns the file of settings among names: the first published one, or
// the only YAML file.
func (p *Part) settingsAmong(names map[string]bool) string {
	for _, name := range settingsFiles {
		if names[name] {
			return filepath.Join(p.Path, name)
		}
	}
	var found []string
	for name, file := range names {
		if file && isYAML(name) {
			found = append(found, filepath.Join(p.Path, name))
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// variants are the names of other forms of the same weights, in the order in which they are
// preferred.
var variants = []string{"", "fp16", "bf16", "non_ema"}

// withVariant puts the name of a variant, such as fp16, into that of a file: before the
// ending that says what kind of file it is, and, for the index of shards, also before the
// last ending, where newer libraries put it.
func withVariant(name, variant string) []string {
	if variant == "" {
		return []string{name}
	}
	stem, ending, _ := strings.Cut(name, ".")
	names := []string{stem + "." + variant + "." + ending}
	if kind, index := strings.CutSuffix(ending, ".index.json"); index {
		names = append(names, stem+"."+kind+".index."+variant+".json", stem+"."+kind+"."+variant+".index.json")
	}
	return names
}

// Part returns the part with a name. The error for another one lists those there are.
func (f *Folder) Part(name string) (*Part, error) {
	var names []string
	for i := range f.Parts {
		if f.Parts[i].Name == name {
			return &f.Parts[i], nil
		}
		names = append(names, f.Parts[i].Name)
	}
	if len(names) == 1 && names[0] == "" {
		return nil, &Error{Path: f.Path, Reason: fmt.Sprintf("is one network, %s, and has no part %s: want the folder of a whole model, with %s%s", quote.Text(f.Parts[0].Class), quote.Text(name), indexFile, around(f.Path)), Err: fs.ErrNotExist}
	}
	return nil, &Error{Path: f.Path, Reason: fmt.Sprintf("has no part %s; its parts are %s", quote.Text(name), quote.List(names, maxParts)), Err: fs.ErrNotExist}
}

// around names the folder of the model that a folder of one network is a part of, where it is one.
func around(dir string) string {
	whole := filepath.Join(dir, "..")
	if _, err := os.Stat(filepath.Join(whole, indexFile)); err != nil {
		return ""
	}
	return ", such as " + quote.Text(whole)
}

// ReadSettings returns the text that describes the part: a JSON value, or YAML.
func (p *Part) ReadSettings() ([]byte, error) {
	if p.text != nil {
		return p.text, nil
	}
	if !p.there {
		return nil, &Error{Path: p.Path, Reason: fmt.Sprintf("is not there, although %s names it: want the whole folder of the model", indexFile), Err: fs.ErrNotExist}
	}
	if p.Settings == "" {
		return nil, &Error{Path: p.Path, Reason: "has none of the files " + strings.Join(settingsFiles, ", ") + ", nor one YAML file", Err: fs.ErrNotExist}
	}
	if isYAML(p.Settings) {
		return readText(p.Settings)
	}
	var raw json.RawMessage
	err := readSettings(p.Settings, &raw)
	return raw, err
}

// Open opens the weights of the part. The caller closes them.
func (p *Part) Open() (*weights.StateDict, error) {
	if p.open != nil {
		return p.open()
	}
	if len(p.Weights) == 0 {
		return nil, &Error{Path: p.Path, Reason: fmt.Sprintf("has no weights: want %s or another published name", weightFiles[0]), Err: fs.ErrNotExist}
	}
	return Open(p.Weights[0])
}

// readSettings reads a JSON file of limited length.
func readSettings(path string, v any) error {
	data, err := readText(path)
	if err != nil {
		return err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // as some editors begin text
	if err := json.Unmarshal(pyjson.Standard(data), v); err != nil {
		return &Error{Path: path, Reason: "is not the JSON that is expected", Err: err}
	}
	return nil
}

// readText reads a file of limited length.
func readText(path string) ([]byte, error) {
	data, err := regular.ReadFile(path, maxSettings)
	if err != nil {
		return nil, &Error{Path: path, Reason: "cannot be read", Err: err}
	}
	return data, nil
}
