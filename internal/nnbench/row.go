package nnbench

import (
	"github.com/go-pcd/pcd/internal/spelling"
	"github.com/go-pcd/pcd/nn"
)

// Row is one measurement.
type Row struct {
	Kernel   string  `json:"kernel"`
	Network  string  `json:"network"`
	Op       string  `json:"op"` // forward, vjp or train
	Batch    int     `json:"batch"`
	Threads  int     `json:"threads"`
	MS       float64 `json:"ms"`       // of one operation on the batch
	CPUMS    float64 `json:"cpu_ms"`   // processor time of one, all threads together; wall time where the system does not tell
	GFLOPS   float64 `json:"gflops"`   // by the definition of the networks; minimal filtering does fewer
	Peak     float64 `json:"peak"`     // GFLOP/s of the kernels on registers, measured beside it
	Fraction float64 `json:"fraction"` // GFLOPS of Peak; may exceed 1
	Allocs   float64 `json:"allocs"`   // allocations of one operation
	// Memory is the most that the process had resident meanwhile, weights included, in bytes;
	// 0 where the system does not tell.
	Memory int64    `json:"memory"`
	Peers  []Beside `json:"peers,omitempty"` // in the order of the options
}

// Case is what a row measures.
type Case struct {
	Network string // a kind and its numbers, such as temporal-1-2-4
	Op      nn.Operation
	Batch   int
}

// Group is a name for networks that are measured together.
type Group string

// The groups.
const (
	Sequences       Group = "sequences" // the networks of teams and pairs of robots
	Images          Group = "images"    // small images, and the published classifier of latents
	Policies        Group = "policies"  // a LeRobot policy of the published size, with 1 GB of weights in either program
	StableDiffusion Group = "sd"        // Stable Diffusion 2.1, with 3.5 GB of weights in either program
	Pictures        Group = "pictures"  // the same from noise to pictures of 512×512, by three samplers
)

// Groups returns all groups.
func Groups() []Group { return []Group{Sequences, Images, Policies, StableDiffusion, Pictures} }

// ParseGroup returns the group with a name.
func ParseGroup(name string) (Group, error) {
	return spelling.OneOf("nnbench", "group", name, Groups())
}

// Cases returns the operations of groups at the batch sizes of the experiments.
func Cases(groups ...Group) []Case {
	var l list
	for _, g := range groups {
		switch g {
		case Sequences:
			l.sequences()
		case Images:
			l.images()
		case Policies:
			l.policies()
		case StableDiffusion:
			l.stableDiffusion()
		case Pictures:
			l.pictures()
		}
	}
	return l
}

// list collects cases.
type list []Case

func (l *list) add(network string, op nn.Operation, batches ...int) {
	for _, b := range batches {
		*l = append(*l, Case{network, op, b})
	}
}

func (l *list) sequences() {
	for _, network := range []string{"temporal-1-2-4", "temporal-1-2-4-8"} {
		l.add(network, nn.Forward, 128, 512)
		l.add(network, nn.VJP, 128, 512)
		l.add(network, nn.Train, 32, 128)
	}
	for _, network := range []string{"conditional-64-128-256", "conditional-256-512-1024"} {
		l.add(network, nn.Forward, 128)
		l.add(network, nn.VJP, 128)
	}
}

func (l *list) images() {
	for _, network := range []string{"image-unet-4", "image-unet-8"} {
		for _, op := range []nn.Operation{nn.Forward, nn.VJP, nn.Train} {
			l.add(network, op, 32)
		}
	}
	l.add("latent-classifier-64", nn.VJP, 25)
}

func (l *list) policies() {
	l.add("policy-eye-84", nn.Forward, 2)
	for _, kind := range []string{"policy", "policy-half"} {
		l.add(kind+"-pass-1", nn.Forward, 1)
		l.add(kind+"-plan-10", nn.Forward, 1)
	}
}

func (l *list) stableDiffusion() {
	l.add("sd21-unet-64", nn.Forward, 1, 2)
	l.add("sd21-decoder-256", nn.Forward, 1)
	l.add("sd21-decoder-512", nn.Forward, 1)
	l.add("tiny-decoder-512", nn.Forward, 1)
}

func (l *list) pictures() {
	for _, network := range []string{"sd21-turbo-64-1", "sd21-dpm-64-15", "sd21-ddim-64-50"} {
		l.add(network, nn.Forward, 1)
	}
}
