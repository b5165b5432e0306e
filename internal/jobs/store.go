package jobs

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/regular"
)

// Store is a folder with the files of jobs. Several servers may share it.
//
//	STORE/shared/            files of the operator, which commands may name
//	STORE/jobs/FOLDER/work/  where a command runs, with the files of its request
//	STORE/jobs/FOLDER/work/out/  what it writes
//	STORE/jobs/FOLDER/printed, log, began.json, progress.json, outcome.json, lock
//	STORE/id                 tells it from other stores
type Store struct{ dir, id string }

// OpenStore opens a store, and makes it where there is none.
func OpenStore(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, sub := range []string{"jobs", SharedName} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	id, err := identity(filepath.Join(dir, "id"))
	return &Store{dir, id}, err
}

// identity returns what a file says that is written once, by whoever comes first.
func identity(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "id-*")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(strings.ToLower(rand.Text()))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Link(f.Name(), path)
	}
	err = errors.Join(skipThere(err), os.Remove(f.Name()))
	if err != nil {
		return "", err
	}
	id, err := regular.ReadFile(path, 100)
	return string(id), err
}

// skipThere goes on where a file is there already.
func skipThere(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// ID returns a word that no other store has, of small letters and digits.
func (s *Store) ID() string { return s.id }

// Dir returns the path of the store.
func (s *Store) Dir() string { return s.dir }

// Folder returns the folder of a job.
func (s *Store) Folder(name string) *Folder { return &Folder{filepath.Join(s.dir, "jobs", name)} }

// Create makes the folder of a job with the files that it reads. inputs are folders of jobs
// by the names that the command has for them. That under [OutName] is copied: the command goes on with it.
func (s *Store) Create(files []File, inputs map[string]string) (name string, err error) {
	name = rand.Text()
	f := s.Folder(name)
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Remove())
		}
	}()
	if err := os.MkdirAll(f.Work(), 0o700); err != nil {
		return "", err
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(f.Work(), file.Name), file.Content, 0o600); err != nil {
			return "", err
		}
	}
	links := map[string]string{SharedName: filepath.Join("..", "..", "..", SharedName)}
	for as, folder := range inputs {
		if as == OutName {
			if err := copyResults(filepath.Join(f.Work(), OutName), filepath.Join(s.Folder(folder).Work(), OutName)); err != nil {
				return "", err
			}
			continue
		}
		links[as] = filepath.Join("..", "..", folder, "work", OutName)
	}
	for as, to := range links {
		if err := os.Symlink(to, filepath.Join(f.Work(), as)); err != nil {
			return "", err
		}
	}
	return name, nil
}

// copyResults copies the files beneath a folder, and nothing that is no file.
func copyResults(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if path == from && errors.Is(err, fs.ErrNotExist) {
			return nil // the job has written nothing
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		return copyFile(filepath.Join(to, name), path)
	})
}

func copyFile(to, from string) error {
	in, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Needs returns the bytes that [Store.Create] writes.
func (s *Store) Needs(files []File, inputs map[string]string) (n int64, err error) {
	for _, f := range files {
		n += int64(len(f.Content))
	}
	if folder, ok := inputs[OutName]; ok {
		copied, err := sizeOf(filepath.Join(s.Folder(folder).Work(), OutName))
		return n + copied, err
	}
	return n, nil
}

// Size returns the bytes of all files in the store.
func (s *Store) Size() (int64, error) { return sizeOf(s.dir) }

// sizeOf returns the bytes of all files beneath a folder, 0 where there is none.
func sizeOf(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return skipGone(err)
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return skipGone(err)
	})
	return n, err
}

// skipGone goes on where a file has gone in the meantime.
func skipGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Sweep removes the folders of jobs that nobody knows any more, unless they are younger than
// an age: those may belong to a job that is about to be known.
func (s *Store) Sweep(known map[string]bool, age time.Duration) error {
	all, err := os.ReadDir(filepath.Join(s.dir, "jobs"))
	for _, d := range all {
		info, infoErr := d.Info()
		if known[d.Name()] || infoErr != nil || time.Since(info.ModTime()) < age {
			continue
		}
		err = errors.Join(err, s.Folder(d.Name()).Remove())
	}
	return err
}

// Folder is the folder of a job.
type Folder struct{ dir string }

// Work returns where the command runs.
func (f *Folder) Work() string { return filepath.Join(f.dir, "work") }

func (f *Folder) file(name string) string { return filepath.Join(f.dir, name) }

// Remove removes everything.
func (f *Folder) Remove() error { return os.RemoveAll(f.dir) }

// Outcome is how a command ended. Whoever finds one does not run the job again.
type Outcome struct {
	State    State     `json:"state"`
	ExitCode int       `json:"exit_code"`
	Message  string    `json:"message,omitempty"`
	Ended    time.Time `json:"ended"`
}

// The names of the files beside the folder of the command.
const (
	beganFile    = "began.json"
	outcomeFile  = "outcome.json"
	progressFile = "progress.json"
	printedFile  = "printed"
	logFile      = "log"
	lockFile     = "lock"
)

// Outcome returns how the command ended, nil if it has not.
func (f *Folder) Outcome() (*Outcome, error) {
	o := new(Outcome)
	if err := f.read(outcomeFile, o); err != nil {
		return nil, skipGone(err)
	}
	return o, nil
}

// End writes how the command ended, once.
func (f *Folder) End(o Outcome) error { return f.write(outcomeFile, o) }

// Begin writes when the job was begun first.
func (f *Folder) Begin() error {
	began, err := f.Began()
	if err != nil || !began.IsZero() {
		return err
	}
	return f.write(beganFile, time.Now())
}

// Began returns when the job was begun first, zero if it was not.
func (f *Folder) Began() (t time.Time, err error) {
	err = skipGone(f.read(beganFile, &t))
	return t, err
}

// Progress returns how far the command is.
func (f *Folder) Progress() (p Progress, err error) {
	err = skipGone(f.read(progressFile, &p))
	return p, err
}

// Tell writes how far the command is.
func (f *Folder) Tell(p Progress) error { return f.write(progressFile, p) }

// Print opens the file for what the command prints, and the one for what it says on the way.
func (f *Folder) Print() (printed, log *os.File, err error) {
	if printed, err = os.Create(f.file(printedFile)); err != nil {
		return nil, nil, err
	}
	if log, err = os.OpenFile(f.file(logFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		printed.Close() // nothing was written
		return nil, nil, err
	}
	return printed, log, nil
}

// mostRecord bounds the files that are read at once.
const mostRecord = 16 << 20

func (f *Folder) read(name string, v any) error {
	file, err := os.Open(f.file(name))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := json.NewDecoder(io.LimitReader(file, mostRecord)).Decode(v); err != nil {
		return fmt.Errorf("jobs: %s: %w", file.Name(), err)
	}
	return nil
}

func (f *Folder) write(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(f.file(name), data)
}
