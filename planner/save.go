package planner

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
)

// Folder receives the files of an outcome. They are made beside their places, and
// take them together when all of them are there: a run that ends early leaves what
// was there before.
type Folder struct {
	path     string
	manifest *manifest.Manifest
}

// OpenFolder makes a folder, and finds out whether it can be written, before any
// compute. command is for the manifest. An error is an [*atomicfile.WriteError].
func OpenFolder(path string, command []string) (*Folder, error) {
	if err := atomicfile.MkdirAll(path); err != nil {
		return nil, err
	}
	if err := atomicfile.CheckFolder(path); err != nil {
		return nil, err
	}
	return &Folder{path: path, manifest: manifest.New(command, 0, nil)}, nil
}

// part is a file to be written.
type part struct {
	name string
	save func(path string) error
}

// paths returns the files that Save writes to a folder, in their order.
func (o *Outcome[S]) paths(folder string, gif bool) []string {
	var out []string
	for _, name := range o.names(gif) {
		out = append(out, filepath.Join(folder, name))
	}
	return append(out, filepath.Join(folder, manifest.FileName))
}

// names lists the files but the manifest.
func (o *Outcome[S]) names(gif bool) []string {
	names := []string{o.Name + ".json", o.arraysName, o.Name + ".png", o.Name + ".html"}
	if gif {
		names = append(names, o.Name+".gif")
	}
	return names
}

// Save writes the summary, the arrays, a figure, an animated page, a GIF if asked
// for, and a manifest with their digests.
func (o *Outcome[S]) Save(f *Folder, gif bool) error {
	o.setFiles(o.paths(f.path, gif))
	figure, err := o.Figure()
	if err != nil {
		return err
	}
	animation, err := o.Animation()
	if err != nil {
		return err
	}
	save := map[string]func(path string) error{
		o.Name + ".json": func(path string) error { return atomicfile.WriteJSON(path, o.Summary) },
		o.arraysName:     func(path string) error { return dataset.WriteNPZ(path, o.Arrays...) },
		o.Name + ".png":  figure.Save,
		o.Name + ".html": animation.Save,
		o.Name + ".gif":  animation.Save,
	}
	var parts []part
	for _, name := range o.names(gif) {
		parts = append(parts, part{name, save[name]})
	}
	f.manifest.Seed, f.manifest.Settings = o.Seed, o.Settings
	for name, in := range o.Inputs {
		f.manifest.Input(name, in)
	}
	if err := f.write(parts); err != nil {
		return &atomicfile.WriteError{Path: f.path, Err: err}
	}
	return nil
}

// write makes all files in the staging folder and moves them to their places.
func (f *Folder) write(parts []part) error {
	temp, err := atomicfile.MkdirTemp(f.path)
	if err != nil {
		return err
	}
	defer temp.Remove()
	dir := temp.Path
	for _, p := range parts {
		if err := p.save(filepath.Join(dir, p.name)); err != nil {
			return err
		}
		if err := f.manifest.Add(dir, p.name); err != nil {
			return err
		}
	}
	if err := f.manifest.Write(dir); err != nil {
		return err
	}
	return temp.Move(func() error {
		var errs []error
		for _, p := range append(parts, part{name: manifest.FileName}) {
			errs = append(errs, os.Rename(filepath.Join(dir, p.name), filepath.Join(f.path, p.name)))
		}
		return errors.Join(errs...)
	})
}
