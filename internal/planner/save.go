package planner

import (
	"path/filepath"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
)

// Folder receives the files of an outcome. They are made beside their places, and take
// them together when all of them are there: a run that ends early leaves what was there
// before. A file that the run before wrote and this one does not is removed; a file that
// somebody has changed or added stays, under another name where a new one takes its place.
type Folder struct{ out *manifest.Folder }

// OpenFolder finds out, before any compute, whether a folder can receive files, and makes
// it when there are any. command is for the manifest; names are those of the files, as
// the task lists them. An error is an [*atomicfile.WriteError] or a
// [*manifest.UnfinishedError].
func OpenFolder(path string, command []string, names ...string) (*Folder, error) {
	out, err := manifest.Open(path, manifest.New(command, 0, nil), names...)
	if err != nil {
		return nil, err
	}
	return &Folder{out}, nil
}

// Report says what became of the folder.
func (f *Folder) Report() *manifest.Report { return &f.out.Report }

// part is a file to be written.
type part struct {
	name string
	save func(path string) error
}

// writeTo writes the files of an outcome and a manifest with their digests. Without a
// folder it does nothing.
func (o *Outcome[S]) writeTo(f *Folder) error {
	if f == nil {
		return nil
	}
	parts, err := o.parts()
	if err != nil {
		return err
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	o.setFiles(f.paths(names))
	f.out.Seed, f.out.Settings = o.Seed, o.Settings
	for name, in := range o.Inputs {
		f.out.Input(name, in)
	}
	if o.pieces != nil {
		f.out.Pieces = o.pieces.Pieces
	}
	if err := f.deliver(o.Name, parts); err != nil {
		return o.pieces.failed(err)
	}
	if o.saved != nil {
		o.saved()
	}
	return nil
}

// deliver makes files and gives them their places.
func (f *Folder) deliver(verb string, parts []part) error {
	defer f.out.Close()
	f.out.Verb = verb
	for _, p := range parts {
		if err := f.out.Add(p.name, p.save); err != nil {
			return err
		}
	}
	return f.out.Deliver()
}

// paths returns the paths of files and of the manifest.
func (f *Folder) paths(names []string) (all []string) {
	for _, name := range append(names, manifest.FileName) {
		all = append(all, f.out.Path(name))
	}
	return all
}

// The names of the arrays of outcomes.
const (
	planArraysFile = "samples.npz"
	pushArraysFile = "runs.npz"
)

// animatedFiles lists the files of a task with a figure and an animation: the summary, the
// arrays, a figure, an animated page and a GIF if asked for.
func animatedFiles(name, arrays string, gif bool) []string {
	all := []string{name + ".json", arrays, name + ".png", name + ".html"}
	if gif {
		all = append(all, name+".gif")
	}
	return all
}

// animatedParts makes them.
func (o *Outcome[S]) animatedParts(names []string) ([]part, error) {
	figure, err := o.Pictures.Figure()
	if err != nil {
		return nil, err
	}
	animation, err := o.Pictures.Animation()
	if err != nil {
		return nil, err
	}
	save := map[string]func(path string) error{
		".json": func(path string) error { return atomicfile.WriteJSON(path, o.Summary) },
		".npz":  func(path string) error { return dataset.WriteNPZ(path, o.Arrays...) },
		".png":  figure.Save,
		".html": animation.Save,
		".gif":  animation.Save,
	}
	var parts []part
	for _, name := range names {
		parts = append(parts, part{name, save[filepath.Ext(name)]})
	}
	return parts, nil
}
