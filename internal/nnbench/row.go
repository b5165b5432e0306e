package nnbench

import "github.com/go-pcd/pcd/nn"

// Row is one measurement.
type Row struct {
	Kernel   string  `json:"kernel"`
	Network  string  `json:"network"`
	Op       string  `json:"op"` // forward, vjp or train
	Batch    int     `json:"batch"`
	Threads  int     `json:"threads"`
	MS       float64 `json:"ms"`       // of one operation on the batch
	GFLOPS   float64 `json:"gflops"`   // by the definition of the networks; minimal filtering does fewer
	Peak     float64 `json:"peak"`     // GFLOP/s of the kernels on registers, measured beside it
	Fraction float64 `json:"fraction"` // GFLOPS of Peak; may exceed 1
	Allocs   float64 `json:"allocs"`   // allocations of one operation
	Peer     string  `json:"peer,omitempty"`
	PeerMS   float64 `json:"peer_ms,omitempty"`
	Ratio    float64 `json:"ratio,omitempty"` // PeerMS of MS: how many times faster we are
}

// Case is what a row measures.
type Case struct {
	Network string // one of Networks
	Op      nn.Operation
	Batch   int
}

// Cases returns every operation on the published networks at the batch sizes of
// their experiments.
func Cases() []Case {
	var cases []Case
	add := func(network string, op nn.Operation, batches ...int) {
		for _, b := range batches {
			cases = append(cases, Case{network, op, b})
		}
	}
	for _, network := range []string{"temporal-1-2-4", "temporal-1-2-4-8"} {
		add(network, nn.Forward, 128, 512)
		add(network, nn.VJP, 128, 512)
		add(network, nn.Train, 32, 128)
	}
	for _, network := range []string{"conditional-64-128-256", "conditional-256-512-1024"} {
		add(network, nn.Forward, 128)
		add(network, nn.VJP, 128)
	}
	return cases
}
