package modelfile

import (
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/nn"
)

// PartSummary describes a part of a folder.
type PartSummary struct {
	Name     string         `json:"name"`
	Class    string         `json:"class,omitempty"`
	Settings string         `json:"settings,omitempty"`
	Weights  string         `json:"weights,omitempty"`
	Others   []string       `json:"other_weights,omitempty"`
	Format   string         `json:"format,omitempty"`
	Tensors  int            `json:"tensors,omitempty"`
	Elements int            `json:"elements,omitempty"`
	Bytes    int64          `json:"bytes,omitempty"`
	Types    map[string]int `json:"types,omitempty"` // tensors by element type
	// Expected is what the settings describe: tensors and numbers of a network, tokens
	// of a vocabulary.
	Expected string `json:"expected,omitempty"`
	// Problem says what is wrong with the part, or nothing.
	Problem string `json:"problem,omitempty"`

	err error
}

// FolderSummary describes a folder.
type FolderSummary struct {
	Path     string        `json:"path"`
	Pipeline string        `json:"pipeline,omitempty"`
	Parts    []PartSummary `json:"parts"`
}

// Err returns what is wrong with the parts, or nil.
func (s *FolderSummary) Err() error {
	var all []error
	for _, p := range s.Parts {
		all = append(all, p.err)
	}
	return errors.Join(all...)
}

// InspectFolder describes the parts of a model folder and compares their weights with
// their settings. It decodes no weights.
func InspectFolder(dir string) (*FolderSummary, error) {
	f, err := OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	s := &FolderSummary{Path: f.Path, Pipeline: f.Pipeline}
	for i := range f.Parts {
		s.Parts = append(s.Parts, f.inspect(&f.Parts[i]))
	}
	return s, nil
}

// inspect describes a part.
func (f *Folder) inspect(p *Part) PartSummary {
	s := PartSummary{Name: p.Name, Class: p.Class, Settings: p.Settings}
	net, err := f.network(p)
	if net != nil {
		s.Expected = expected(net)
	}
	if err == nil && p.Class == "CLIPTokenizer" {
		err = s.tokens(p)
	}
	if err == nil && p.Settings != "" {
		var raw []byte
		raw, err = p.ReadSettings()
		s.nameScheduler(p, raw)
	}
	if len(p.Weights) > 0 {
		s.Weights, s.Others = p.Weights[0], p.Weights[1:]
	}
	if net != nil || len(p.Weights) > 0 {
		if e := s.tensors(p, net); err == nil {
			err = e
		}
	}
	if s.err = err; err != nil {
		s.Problem = err.Error()
	}
	return s
}

// nameScheduler names the class of a scheduler as its file does, which counts, where model_index.json names another.
func (s *PartSummary) nameScheduler(p *Part, raw []byte) {
	if name, err := className(raw); p.Name == schedulerPart && err == nil && name != "" && name != p.Class {
		s.Class = fmt.Sprintf("%s, in model_index.json %s", name, p.Class)
	}
}

// expected says what a network is made of, and what a classifier answers.
func expected(net Parameters) string {
	n := 0
	for _, q := range net.Params() {
		n += q.Shape.Size()
	}
	text := fmt.Sprintf("%d tensors, %d parameters", len(State(net)), n)
	if c, ok := net.(*nn.Classifier); ok {
		for _, h := range c.Config().Heads {
			text += fmt.Sprintf(", %.40s of %d", h.Name, len(h.Classes))
		}
	}
	return text
}

// tokens describes a vocabulary.
func (s *PartSummary) tokens(p *Part) error {
	t, err := p.Tokenizer()
	if err != nil {
		return err
	}
	s.Expected = fmt.Sprintf("%d tokens, texts of %d", t.Vocabulary(), t.Length())
	return nil
}

// tensors describes the weights of a part and compares them with its network.
func (s *PartSummary) tensors(p *Part, net Parameters) error {
	sd, err := p.Open()
	if err != nil {
		return err
	}
	defer sd.Close()
	s.Format, s.Tensors, s.Bytes, s.Types = sd.Format, sd.Len(), sd.FileBytes(), map[string]int{}
	for _, t := range sd.Tensors() {
		s.Elements += t.Elements()
		s.Types[t.DType.String()]++
	}
	if net == nil {
		return nil
	}
	return p.check(net, sd)
}

// Title names the part as it is printed.
func (s *PartSummary) Title() string {
	name := s.Name
	if name == "" {
		name = "."
	}
	return quote.Text(name)
}
