package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/modelfile"
)

// partFiles are patterns of names that files of parts have.
var partFiles = []string{"*config.json", "vocab.json", "*.yaml", "*.yml", "*.safetensors", "*.bin", "*.pt", "*.pth", "*.gguf"}

// unnamedFolders lists the folders of parts in that of a model which model_index.json does not name.
func unnamedFolders(f *modelfile.Folder) (names []string) {
	if len(f.Parts) > 0 && f.Parts[0].Name == "" { // one network
		return nil
	}
	entries, err := os.ReadDir(f.Path)
	if err != nil { // a file
		return nil
	}
	for _, e := range entries {
		named := slices.ContainsFunc(f.Parts, func(p modelfile.Part) bool { return p.Name == e.Name() })
		if !named && (holdsPart(filepath.Join(f.Path, e.Name())) || e.IsDir() && slices.Contains(pair.Beside, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

// holdsPart reports whether there is something in a folder that parts of models have.
func holdsPart(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return slices.ContainsFunc(partFiles, func(pattern string) bool {
			fits, _ := filepath.Match(pattern, e.Name())
			return fits && !e.IsDir()
		})
	})
}

// unnamedPart opens the folder of a part that model_index.json does not name as one of the model.
func unnamedPart(f *modelfile.Folder, name string) (*modelfile.Part, error) {
	alone, err := modelfile.OpenFolder(filepath.Join(f.Path, name))
	if err != nil {
		return nil, err
	}
	if len(alone.Parts) != 1 || alone.Parts[0].Name != "" {
		return nil, &modelfile.Error{Path: alone.Path, Reason: "is a model of its own"}
	}
	p := alone.Parts[0]
	p.Name = name
	return &p, nil
}

// takeAlong makes parts that are read although model_index.json does not name them parts of the model, so that they are
// written with it. It returns the names of the others.
func takeAlong(f *modelfile.Folder, unnamed []string) (others []string) {
	for _, name := range unnamed {
		p, err := unnamedPart(f, name)
		if err != nil || !slices.Contains(pair.Beside, name) {
			others = append(others, name)
			continue
		}
		f.Parts = append(f.Parts, *p)
	}
	return others
}

// lacks lists what of a folder its file does not hold, beside what it is read otherwise without: parts that are read beside it,
// unless they lie there, and others.
func (s *convertSummary) lacks(f *modelfile.Folder, unnamed []string) {
	for _, p := range f.Parts {
		if _, err := os.Stat(p.Path); err == nil && !slices.Contains([]string{"unet", "vae", "text_encoder", "scheduler", "tokenizer"}, p.Name) {
			unnamed = append(unnamed, p.Name)
		}
	}
	slices.Sort(unnamed)
	for _, name := range unnamed {
		if !slices.Contains(pair.Beside, name) {
			s.Left = append(s.Left, name)
		} else if _, err := os.Stat(filepath.Join(filepath.Dir(s.Output), name)); err != nil {
			s.Beside = append(s.Beside, name)
		}
	}
}

// inspectUnnamed adds the parts of a model that are read although model_index.json does not name them, and returns what is wrong
// with them. It names them, and the folders of parts that are not read.
func inspectUnnamed(s *modelfile.FolderSummary) (read, others []string, wrong error) {
	f, err := modelfile.OpenFolder(s.Path)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range unnamedFolders(f) {
		if !slices.Contains(pair.Beside, name) {
			others = append(others, name)
			continue
		}
		read = append(read, name)
		of, err := modelfile.InspectFolder(filepath.Join(s.Path, name))
		if err == nil {
			err = of.Err()
		}
		p := modelfile.PartSummary{}
		if of != nil && len(of.Parts) == 1 {
			p = of.Parts[0]
		} else if taesd(filepath.Join(s.Path, name)) { // in the names of its author, which is read, too
			err = nil
		} else if err != nil {
			p.Problem = err.Error()
		}
		p.Name = name
		s.Parts = append(s.Parts, p)
		wrong = errors.Join(wrong, err)
	}
	return read, others, wrong
}

// taesd reports whether a folder has a tiny decoder in the names of its author.
func taesd(dir string) bool {
	for _, ending := range []string{".safetensors", ".pth"} {
		if _, err := os.Stat(filepath.Join(dir, "taesd_decoder"+ending)); err == nil {
			return true
		}
	}
	return false
}
