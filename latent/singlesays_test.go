package latent

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/weights"
)

// TestFileOfNoiseWithoutSignal takes what a file says about the end of its noise over to the sampler, and refuses
// settings beside it that say otherwise.
func TestFileOfNoiseWithoutSignal(t *testing.T) {
	settings := maps.Clone(tinySettings["family 2"])
	settings["scheduler"] = publishedSchedulers["zero SNR"]
	beside := t.TempDir() // without the scheduler
	for _, part := range []string{"unet", "vae", "text_encoder"} {
		write(t, []byte(settings[part]), beside, part+".config.json")
	}
	file := filepath.Join(beside, "model.safetensors")
	writeSingle(t, must(modelfile.OpenFolder(tinyFolder(t, settings, dtype.F16)))(t), file)
	m := must(Open(file))(t)
	d := fmt.Sprint(must(m.Dynamics(Sampler{Steps: 4, Method: Published}))(t))
	if want := "Euler, scaled-linear(1000, 0.00085, 0.012), 4 steps, trailing, zero terminal SNR"; d != want || m.Noise.Prediction != schedule.V {
		t.Errorf("the file is sampled by %s and predicts %v, want %s", d, m.Noise.Prediction, want)
	}
	write(t, []byte(publishedSchedulers["SD 2.1-v"]), beside, "scheduler_config.json")
	var denied *modelfile.Error
	if _, err := Open(file); !errors.As(err, &denied) || !strings.Contains(err.Error(), "ztsnr") || !strings.Contains(err.Error(), "rescale_betas_zero_snr") {
		t.Errorf("a scheduler that leaves signal: %v, want an error that names both", err)
	}
}

// TestVelocitiesOfFamilyOne takes a file of the first family for one that predicts noise where nothing says otherwise,
// and somebody's word for it where somebody says so; not against the metadata.
func TestVelocitiesOfFamilyOne(t *testing.T) {
	settings := tinySettings["family 1"]
	beside := t.TempDir() // without the scheduler
	for _, part := range []string{"unet", "vae", "text_encoder"} {
		write(t, []byte(settings[part]), beside, part+".config.json")
	}
	said, silent := filepath.Join(beside, "said.safetensors"), filepath.Join(beside, "silent.safetensors")
	writeSingle(t, must(modelfile.OpenFolder(tinyFolder(t, settings, dtype.F16)))(t), said)
	sd := must(weights.Open(said, weights.Options{}))(t)
	defer sd.Close()
	var b bytes.Buffer
	if err := weights.WriteSafetensors(&b, sd, nil); err != nil {
		t.Fatal(err)
	}
	write(t, b.Bytes(), silent)
	for file, want := range map[string]schedule.Kind{said: schedule.Epsilon, silent: schedule.V} {
		f := must(modelfile.OpenFolder(file))(t)
		if n := must(NoiseOf(f))(t); n.Prediction != schedule.Epsilon || f.Undecided {
			t.Errorf("%s predicts %v, undecided %v", filepath.Base(file), n.Prediction, f.Undecided)
		}
		if err := f.Decide(true); err != nil {
			t.Fatal(err)
		}
		if n := must(NoiseOf(f))(t); n.Prediction != want {
			t.Errorf("%s, said to predict velocities, predicts %v, want %v", filepath.Base(file), n.Prediction, want)
		}
	}
}

// TestFolderThatCannotBeWritten names the file of a converted folder that has no place.
func TestFolderThatCannotBeWritten(t *testing.T) {
	f := must(modelfile.OpenFolder(tinyFolder(t, tinySettings["without a middle"], dtype.F16)))(t)
	for _, taken := range []string{"unet", filepath.Join("unet", "config.json"), filepath.Join("unet", "diffusion_pytorch_model.safetensors")} {
		dir := t.TempDir()
		if filepath.Dir(taken) == "." {
			write(t, nil, dir, taken) // a file in the place of a folder
		} else if err := os.MkdirAll(filepath.Join(dir, taken), 0o755); err != nil {
			t.Fatal(err)
		}
		var lost *atomicfile.WriteError
		if _, _, err := f.WriteParts(dir); !errors.As(err, &lost) || !strings.HasPrefix(lost.Path, filepath.Join(dir, taken)) {
			t.Errorf("with %s taken: %v, want a *WriteError that names it", taken, err)
		}
	}
}
