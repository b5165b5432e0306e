package attack

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// everyday are short command lines of every verb, in a folder of [everydayPlace].
var everyday = []string{
	"plan empty --robots 2 --samples 2 -o out/plan", "push --pairs 1 --method dp --sampling-steps 1 -o out/push", "pair --pairs 1 --sampling-steps 2 -o out/pair", "toy --pairs 100 -o out/toy",
	"image generate --model images --sampling-steps 1 -o out/drawn", "image encode --model images picture.png --size 8 -o latents.npz", "image decode --model images latents.npz -o out/decoded", "image convert images -o out/converted", "image convert images -o out/converted.safetensors",
	"data gen empty --contexts 2 -o out/data", "data gen images --portraits 2 --size 16 -o out/portraits",
	"train nav2d empty --steps 2 --batch 2 --data moving.npz -o out/model", "train images judge --steps 2 --batch 2 --photos 16 --held-out 8 --size 32 -o out/parts",
	"eval nav2d --trials 1 --samples 2 --robots 2 --maps empty --methods diffuser -o out/results", "table nav2d out/results",
	"eval images --methods sd --pairs 2 --seeds 1 --sampling-steps 2 --exemplars 2 -o out/images", "eval toy --samples 1000 -o out/blocks", "plot nav2d methods empty --robots 1 --samples 1 --methods diffuser -o out/methods.png",
	"weights convert model.safetensors out/converted.safetensors", "weights inspect model.safetensors", "data info empty moving.npz", "bench toy --pairs 100", "doctor",
}

// everydayPlace returns a folder with what those command lines read.
func everydayPlace(t *testing.T) string {
	t.Helper()
	dir := workplace(t)
	placeImages(t, dir)
	placeMoving(t, dir)
	return dir
}

// foreign are folders of others, by what is in them, that look like those of the program.
var foreign = []string{
	"pcd-model-mine/weights.safetensors", "tokenizer/vocab.json", "tokenizer123/vocab.json", "pcd-fetch-1/archive.zip", "pcd/notes.txt",
	".unfinished-1/plan.json", "unfinished-0123456789ab/pairs-000000.npz",
	".pcd-unfinished-mine/notes.txt", ".pcd-unfinished-0123456789abcdef/notes.txt",
}

// Folders that the program has not made stay where they are, in the folder for temporary
// files and beside the outputs, whatever is run.
func TestForeignFoldersStay(t *testing.T) {
	thorough.Test(t)
	dir := everydayPlace(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	places := []string{temporary}
	for _, line := range everyday {
		if _, out, ok := strings.Cut(line, "-o "); ok && filepath.Ext(out) == "" {
			places = append(places, filepath.Join(dir, out))
		}
	}
	for _, place := range places {
		for _, name := range foreign {
			path := filepath.Join(place, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(path), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, line := range everyday {
		if code, _, stderr := finish(t, dir, line); code != 0 {
			t.Errorf("pcd %s: exit code %d, %s", line, code, stderr)
		}
	}
	for _, place := range places {
		for _, name := range foreign {
			path := filepath.Join(place, name)
			if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, []byte(path)) {
				t.Errorf("%s holds %q, %v", path, b, err)
			}
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > len(foreign) {
		t.Errorf("%v, %v: more than before in the folder for temporary files", left, err)
	}
}

// finish runs a command to its end, with more of an environment.
func finish(t *testing.T, dir, line string, environment ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()
	var out, errs strings.Builder
	c := capped(ctx, dir, program, strings.Fields(line)...)
	c.Stdout, c.Stderr, c.Env = &out, &errs, append(os.Environ(), environment...)
	err := c.Run()
	if wrong := verdict(err, out.String(), errs.String()); wrong != "" {
		t.Errorf("pcd %s: %s", line, wrong)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}
