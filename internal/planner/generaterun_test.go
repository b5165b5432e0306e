package planner

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/fault"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/latent"
)

// imageTask returns the task of so many images of a small model, which are drawn in groups
// of eight.
func imageTask(t *testing.T, images int) *GenerateTask {
	t.Helper()
	task := &GenerateTask{model: untrainedPortraits(t), together: 8, inputs: map[string]manifest.Input{"model": {SHA256: "1"}}}
	task.draw = latent.Request{Images: images, Seed: 4, Sampler: latent.Sampler{Method: "euler-ancestral", Steps: 3, NoiseScale: 1}}
	return task
}

// drawTo draws the images of a task to a folder.
func drawTo(ctx context.Context, t *testing.T, task *GenerateTask, w Watch, dir string) (*Outcome[GenerateSummary], error) {
	t.Helper()
	folder, err := OpenFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return task.Run(ctx, w, folder)
}

// interrupted draws images to a folder until so many of them are done, and the next group is
// begun.
func interrupted(t *testing.T, images, done int, dir string) *KeptError {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := drawTo(ctx, t, imageTask(t, images), Watch{Progress: func(_ string, at, of int) {
		if at > of/images*done {
			cancel()
		}
	}}, dir)
	var kept *KeptError
	if !errors.Is(err, context.Canceled) || ClassOf(err) != Interrupted || !errors.As(err, &kept) || kept.Done != done {
		t.Fatalf("interrupted: %v", err)
	}
	return kept
}

// drawn returns the files of images that were drawn without an interruption.
func drawn(t *testing.T, images int) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	if _, err := drawTo(t.Context(), t, imageTask(t, images), Watch{}, dir); err != nil {
		t.Fatal(err)
	}
	return filesIn(t, dir)
}

// filesIn returns the files of a folder but its manifest.
func filesIn(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range names(t, dir) {
		if name == manifest.FileName {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = raw
	}
	return out
}

// wantFiles fails the test unless a folder has those files, and no others.
func wantFiles(t *testing.T, when, dir string, want map[string][]byte) {
	t.Helper()
	got := filesIn(t, dir)
	for name := range want {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("%s: %s differs from that of a run that was not interrupted", when, name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", when, len(got), len(want))
	}
}

// Images are those of a model that draws all of them together.
func TestGroupsChangeNoImage(t *testing.T) {
	task := imageTask(t, 20)
	together, err := task.model.Generate(t.Context(), task.draw)
	if err != nil {
		t.Fatal(err)
	}
	d, err := task.drawing(Watch{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	groups := d.missing()
	if want := []group{{0, 8}, {8, 16}, {16, 20}}; !slices.Equal(groups, want) {
		t.Fatalf("groups %v, want %v", groups, want)
	}
	if err := d.draw(t.Context(), groups); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.latents.Data, together.Latents.Data) {
		t.Error("latents differ")
	}
	for k, p := range d.pictures {
		if !bytes.Equal(p.Pix, together.Pictures[k].Pix) {
			t.Errorf("image %d differs", k)
		}
	}
}

// An interrupted run keeps the images that are done, and continues to the same files.
func TestImagesAreKept(t *testing.T) {
	want, dir := drawn(t, 20), t.TempDir()
	kept := interrupted(t, 20, 8, dir)
	if kept.Total != 20 || kept.What != "image" {
		t.Fatalf("kept: %+v", kept)
	}
	for k := range 8 {
		if raw, err := os.ReadFile(filepath.Join(kept.Path, imageFile(k))); err != nil || !bytes.Equal(raw, want[imageFile(k)]) {
			t.Errorf("image %d is not kept as a file: %v", k, err)
		}
	}
	var told []int
	var last, total int
	out, err := drawTo(t.Context(), t, imageTask(t, 20), Watch{
		Progress: func(_ string, done, of int) {
			if done < last || done > of {
				t.Errorf("%d of %d steps after %d", done, of, last)
			}
			last, total = done, of
		},
		Kept: func(what string, done, of int, _ string) { told = append(told, done, of) },
	}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, []int{8, 20}) || last != total || total%12 != 0 {
		t.Errorf("told %v, ended at step %d of %d of the other 12 images", told, last, total)
	}
	wantFiles(t, "continued", dir, want)
	if out.Summary.Images != 20 || out.Summary.Seconds <= 0 {
		t.Errorf("summary %+v", out.Summary)
	}
}

// An interruption while the files are written ends between two of them.
func TestImagesAreKeptWhileFilesAreWritten(t *testing.T) {
	want, dir := drawn(t, 20), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	fault.Hook = func(_ fault.Op, path string) error {
		if strings.Contains(path, ".pcd-unfinished-") && strings.HasSuffix(path, imageFile(3)) {
			cancel()
		}
		return nil
	}
	_, err := drawTo(ctx, t, imageTask(t, 20), Watch{}, dir)
	fault.Hook = nil
	var kept *KeptError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &kept) || kept.Done != 20 {
		t.Fatalf("interrupted: %v", err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("files %v beside the pieces", got)
	}
	if _, err := drawTo(t.Context(), t, imageTask(t, 20), Watch{}, dir); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, "continued", dir, want)
}

// More images than before are drawn beside those that are kept, and fewer leave the others
// where they are. Pictures that somebody takes away are in the piece, too; a piece that is
// damaged is drawn again.
func TestKeptImagesOfOtherRuns(t *testing.T) {
	more, fewer := drawn(t, 20), drawn(t, 11)
	for name, c := range map[string]struct {
		images  int
		disturb func(kept string) error
		want    map[string][]byte
		left    bool
	}{
		"more":    {20, func(string) error { return nil }, more, false},
		"fewer":   {11, func(string) error { return nil }, fewer, true},
		"taken":   {20, func(kept string) error { return os.Remove(filepath.Join(kept, "image-003.png")) }, more, false},
		"painted": {20, func(kept string) error { return os.WriteFile(filepath.Join(kept, "image-003.png"), nil, 0o644) }, more, false},
		"cut":     {20, func(kept string) error { return os.Truncate(filepath.Join(kept, "images-000008.npz"), 500) }, more, false},
		"half":    {20, func(kept string) error { return os.Remove(filepath.Join(kept, "images-000000.json")) }, more, false},
	} {
		dir := t.TempDir()
		kept := interrupted(t, 19, 16, dir)
		if err := c.disturb(kept.Path); err != nil {
			t.Fatal(err)
		}
		if _, err := drawTo(t.Context(), t, imageTask(t, c.images), Watch{}, dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(kept.Path, "images-000008.npz")); (err == nil) != c.left {
			t.Errorf("%s: the second piece: %v", name, err)
		}
		if c.left {
			if err := os.RemoveAll(kept.Path); err != nil {
				t.Fatal(err)
			}
		}
		wantFiles(t, name, dir, c.want)
	}
}

// Images of other settings are not begun beside those that are kept, and it is said which
// settings differ.
func TestKeptImagesOfOtherSettings(t *testing.T) {
	dir := t.TempDir()
	kept := interrupted(t, 20, 8, dir)
	for name, change := range map[string]func(*GenerateTask){
		"seed: 4 instead of 5":             func(task *GenerateTask) { task.draw.Seed = 5 },
		`prompt: none instead of "a cat"`:  func(task *GenerateTask) { task.draw.Prompt = "a cat" },
		`inputs.model: "1" instead of "2"`: func(task *GenerateTask) { task.inputs["model"] = manifest.Input{SHA256: "2"} },
		`sampler: "euler-ancestral" instead of "ddpm"; width: 16 i`: func(task *GenerateTask) {
			task.draw.Method = "ddpm"
			task.Request.Width = new(32)
			task.draw.Width = 32
		},
		"first: 0 instead of 8": func(task *GenerateTask) { task.draw.First = 8 },
	} {
		task := imageTask(t, 20)
		change(task)
		_, err := drawTo(t.Context(), t, task, Watch{}, dir)
		var other *manifest.OtherPiecesError
		if !errors.As(err, &other) || ClassOf(err) != Usage || !strings.Contains(err.Error(), name) || other.Path != kept.Path {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("files %v", got)
	}
}

// A disk that is full leaves what was finished, and says so; the same task continues when
// there is room.
func TestImagesOnFullDisks(t *testing.T) {
	want := drawn(t, 20)
	for _, file := range []string{"image-010.png", "images-000008.npz", "images-000016.json", gridFile} {
		dir := t.TempDir()
		isFull := false
		fault.Hook = func(op fault.Op, path string) error {
			isFull = isFull || strings.HasSuffix(path, file)
			if isFull && op.NeedsRoom() {
				return syscall.ENOSPC
			}
			return nil
		}
		_, err := drawTo(t.Context(), t, imageTask(t, 20), Watch{}, dir)
		fault.Hook = nil
		var kept *KeptError
		if !errors.Is(err, syscall.ENOSPC) || ClassOf(err) != Runtime || !errors.As(err, &kept) || kept.Done < 8 {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for k := range kept.Done {
			if p, err := dataset.ReadPicture(filepath.Join(kept.Path, imageFile(k))); err != nil || p.Width != 16 {
				t.Errorf("%s: image %d of %d: %v", file, k, kept.Done, err)
			}
		}
		if _, err := drawTo(t.Context(), t, imageTask(t, 20), Watch{}, dir); err != nil {
			t.Errorf("%s: continued: %v", file, err)
		}
		wantFiles(t, file, dir, want)
	}
}

// A preview shows the first images, in whatever group they are and however many of them are
// kept, and nothing when they are finished.
func TestPreviewAcrossGroups(t *testing.T) {
	for _, c := range []struct {
		images int
		at     []int
	}{{3, []int{1, 2}}, {20, []int{1, 2, 3}}} {
		task := imageTask(t, c.images)
		var at []int
		of, sheet := 0, &dataset.Picture{}
		task.Preview = func(done, total int, s *dataset.Picture) error {
			at, of, sheet = append(at, done), total, s
			return nil
		}
		d, err := task.drawing(Watch{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		groups := d.missing()
		if err := d.draw(t.Context(), groups); err != nil {
			t.Fatal(err)
		}
		shown := min(c.images, previewed)
		if !slices.Equal(at, c.at) || of != 3*len(groups) || sheet.Width != shown*(16+gridGap)+gridGap {
			t.Errorf("%d images: shown at %v of %d steps, %d pixels wide", c.images, at, of, sheet.Width)
		}
	}
	task := imageTask(t, 20)
	p := preview{&images{task: task, pictures: make([]*dataset.Picture, 20), steps: 10}, []group{{1, 3}, {5, 6}}}
	var sizes []int
	task.Preview = func(_, _ int, s *dataset.Picture) error { sizes = append(sizes, s.Width); return nil }
	black := dataset.NewPicture(16, 16)
	p.pictures[0], p.pictures[3] = black, black
	if err := errors.Join(p.begin(), p.of(0).Show(1, 10, []*dataset.Picture{black, black}), p.drawn(0)); err != nil {
		t.Fatal(err)
	}
	if width := func(n int) int { return n*20 + 4 }; p.of(1) != nil || p.of(0).Images != 2 || !slices.Equal(sizes, []int{width(2), width(4), width(2)}) {
		t.Errorf("sheets %v pixels wide", sizes)
	}
}

// Images that the memory has no room for are refused by their number, whatever a group has.
func TestImagesWithoutRoom(t *testing.T) {
	task := imageTask(t, 100_000)
	task.Request.Height, task.Request.Width = new(1<<14), new(1<<14)
	err := task.room()
	if runtime.GOOS == "linux" && (ClassOf(err) != Usage || strings.Count(err.Error(), "100000 of 16384 x 16384 pixels") != 2) {
		t.Errorf("a hundred thousand large images: %v", err)
	}
	task = imageTask(t, 100)
	if err := task.room(); err != nil {
		t.Errorf("a hundred small ones: %v", err)
	}
}
