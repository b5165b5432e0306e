package pair

import "github.com/go-pcd/pcd/tensor"

// Result is what a request gives.
type Result struct {
	Request     Request // with its defaults
	Choices     Choices // in the place of its zeros
	Groups      [][]int // classes of the attribute that count as one answer
	Members     []Drawn
	Timesteps   []int // of the steps, first to last
	Frames      []Frame
	Certificate Certificate
	Seconds     Seconds
	StepSeconds []StepSeconds // of every step
}

// Drawn are the images of one member.
type Drawn struct {
	Name      string
	Exemplars tensor.Batch // latents, [M, channels, height, width]; none when the method does not project
	Latents   tensor.Batch // [pairs, channels, height, width]
	Images    tensor.Batch // [pairs, 3, height, width], about in [-1, 1]
	// Weights are the convex weights after every step, as stored: [steps, pairs, M],
	// first step first. Those of steps that were not projected are not a number. nil
	// when the method does not project.
	Weights []float32
	// Opinions are those of the judge, nil where there is none.
	Opinions []Opinion
}

// WeightsAt returns the weights of a pair after a step, counted from 0, by its place in
// the result.
func (d *Drawn) WeightsAt(step, pair int) []float32 {
	m := d.Exemplars.N
	at := (step*d.Latents.N + pair) * m
	return d.Weights[at : at+m]
}

// Final returns the weights of a pair in the end.
func (d *Drawn) Final(pair int) []float32 {
	return d.WeightsAt(len(d.Weights)/(d.Exemplars.N*d.Latents.N)-1, pair)
}

// Frame is a step whose latents are kept.
type Frame struct {
	Step     int            // finished steps less one
	Timestep int            // of that step
	Latents  []tensor.Batch // by member
}

// Seconds says where the time of a run went, in seconds of wall-clock time that add up
// to Total.
type Seconds struct {
	Encode     float64 `json:"encode"` // exemplars
	Network    float64 `json:"network"`
	Coupling   float64 `json:"coupling"`
	Projection float64 `json:"projection"`
	Decode     float64 `json:"decode"`
	Judge      float64 `json:"judge"`
	Other      float64 `json:"other"` // arithmetic of steps, certificates
	Total      float64 `json:"total"`
}

// Add adds the times of another run.
func (s *Seconds) Add(o Seconds) {
	s.Encode += o.Encode
	s.Network += o.Network
	s.Coupling += o.Coupling
	s.Projection += o.Projection
	s.Decode += o.Decode
	s.Judge += o.Judge
	s.Other += o.Other
	s.Total += o.Total
}

// StepSeconds says where the time of one step went, as the published table of runtimes
// divides it.
type StepSeconds struct {
	Network    float64 `json:"network"`
	Coupling   float64 `json:"coupling"`
	Projection float64 `json:"projection"`
	Other      float64 `json:"other"`
	Total      float64 `json:"total"`
}
