package weights_test

import (
	"fmt"

	"github.com/go-pcd/pcd/weights"
)

// A training checkpoint holds the model twice; the moving average is the one to
// use. Its configuration object and pickled functions are passed over.
func ExampleOpen() {
	sd, err := weights.Open("testdata/checkpoint.ckpt", weights.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sd.Close()
	for _, t := range sd.Sub("state_dicts.ema_model.").Tensors() {
		fmt.Println(t.Name, t.DType, t.Shape)
	}
	// Output:
	// model.weight float32 [3 4]
	// normalizer.params_dict.action.scale float32 [2]
	// _dummy_variable float32 [0]
}

// A load says everything that does not fit at once.
func ExampleLoad() {
	var sd weights.StateDict
	if err := sd.Add(weights.New("model.weight", []int{2, 2}, make([]float32, 4)), weights.New("betas", []int{25}, make([]float32, 25))); err != nil {
		fmt.Println(err)
		return
	}
	network := []weights.Target{
		{Name: "weight", Shape: []int{2, 3}, Data: make([]float32, 6)},
		{Name: "bias", Shape: []int{2}, Data: make([]float32, 2)},
	}
	err := weights.Load(network, &sd, weights.LoadOptions{Keys: weights.KeyMap{weights.StripPrefix("model.")}})
	fmt.Println(err)
	// Output:
	// weights: the file does not fit the network: 1 missing, 1 unexpected, 1 of another shape, 0 of another type, 0 not finite
	//   missing bias [2]
	//   unexpected betas [25]
	//   weight is [2 2], want [2 3]
}
