package recorded

import (
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/regular"
)

// ModelArgs is the part of a published model's args.yaml that says how to build
// and sample it.
type ModelArgs struct {
	DatasetSubdir       string `yaml:"dataset_subdir" json:"dataset_subdir"`
	DiffusionModelClass string `yaml:"diffusion_model_class" json:"diffusion_model_class"`
	IncludeVelocity     bool   `yaml:"include_velocity" json:"include_velocity"`
	NDiffusionSteps     int    `yaml:"n_diffusion_steps" json:"n_diffusion_steps"`
	PredictEpsilon      bool   `yaml:"predict_epsilon" json:"predict_epsilon"`
	UNetDimMultsOption  *int   `yaml:"unet_dim_mults_option" json:"unet_dim_mults_option,omitempty"` // nil where the file does not say
	UNetInputDim        int    `yaml:"unet_input_dim" json:"unet_input_dim"`                         // 0 where the file does not say
	UseEMA              bool   `yaml:"use_ema" json:"use_ema"`
	VarianceSchedule    string `yaml:"variance_schedule" json:"variance_schedule"`
}

// ReadModelArgs reads args.yaml in the folder of a published model, and returns
// the path of the checkpoint that its authors load: the moving average of the
// weights when use_ema is set.
func ReadModelArgs(dir string) (args ModelArgs, checkpoint string, err error) {
	if _, err := os.Stat(filepath.Join(dir, "args.yaml")); err != nil {
		return args, "", err
	}
	if err := readYAML(regular.DirFS(dir), "args.yaml", &args); err != nil {
		return args, "", err
	}
	name := "model_current_state_dict.pth"
	if args.UseEMA {
		name = "ema_" + name
	}
	return args, filepath.Join(dir, "checkpoints", name), nil
}
