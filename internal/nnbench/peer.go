package nnbench

import "context"

// peer is another program that has the networks, too.
type peer interface {
	title() string   // for people: PyTorch
	version() string // for rows: 1.13.0
	has(Case) bool
	// measure returns the fastest of some runs of a case.
	measure(ctx context.Context, s *subject, c Case, repeat int) (times, error)
	close()
}

// times are those of a run of a peer.
type times struct {
	MS    float64 `json:"ms"`
	CPUMS float64 `json:"cpu_ms"`
}

// Beside is a row of a peer, beside ours.
type Beside struct {
	Peer     string  `json:"peer"`    // PyTorch or ONNX Runtime
	Version  string  `json:"version"` // of the package
	MS       float64 `json:"ms"`
	CPUMS    float64 `json:"cpu_ms"`
	Ratio    float64 `json:"ratio"`     // MS of ours: how many times faster we are
	CPURatio float64 `json:"cpu_ratio"` // the same of processor times, which other programs disturb less
}

// compare enters a time, if it is the least so far.
func (b *Beside) compare(t times) {
	if b.MS == 0 || t.MS < b.MS {
		b.MS = t.MS
	}
	if b.CPUMS == 0 || t.CPUMS < b.CPUMS {
		b.CPUMS = t.CPUMS
	}
}

// over states the ratios to a row of ours.
func (b *Beside) over(r *Row) {
	b.Ratio = b.MS / r.MS
	if r.CPUMS > 0 {
		b.CPURatio = b.CPUMS / r.CPUMS
	}
}

// Beside returns the row of a peer by its name, zero where it lacks the network.
func (r Row) Beside(peer string) Beside {
	for _, b := range r.Peers {
		if b.Peer == peer {
			return b
		}
	}
	return Beside{}
}

// Peers names the other programs of the options.
func (o Options) Peers() (names []string) {
	if o.Peer != "" {
		names = append(names, torchTitle)
	}
	if o.ONNX != "" {
		names = append(names, onnxTitle)
	}
	return names
}

// peers starts the programs of the options. What has been started when one fails is closed.
func (o Options) peers(ctx context.Context) (all []peer, built *Build, err error) {
	if o.Peer == "" {
		if o.ONNX != "" {
			return nil, nil, &PeerError{Program: onnxTitle, Command: nodeCommand, Detail: "no PyTorch, which writes the files that it runs", Remedy: "name a Python interpreter with PyTorch, too (--peer)"}
		}
		return nil, nil, nil
	}
	t, err := startTorch(ctx, o.Peer, o.Threads)
	if err != nil {
		return nil, nil, err
	}
	if o.ONNX == "" {
		return []peer{t}, &t.build, nil
	}
	r, err := startONNX(ctx, t, o.ONNX, o.Threads)
	if err != nil {
		t.close()
		return nil, nil, err
	}
	return []peer{t, r}, &t.build, nil
}
