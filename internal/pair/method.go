package pair

import (
	"context"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/internal/spelling"
)

// Method is a way to draw a pair of images.
type Method string

// The methods, under their names on the command line.
const (
	SD        Method = "sd"          // the model alone
	CNetXS    Method = "cnet-xs"     // steered by the edges of the mean exemplar
	SDP       Method = "sd-p"        // projected on the hulls
	Sync      Method = "sync"        // SyncDiffusion: moved by a classifier of decoded estimates
	SDC       Method = "sd-c"        // coupled
	SDCPrompt Method = "sd-c-prompt" // coupled, and told what to draw
	PCD       Method = "pcd"         // projected and coupled
	PCDPS     Method = "pcd-ps"      // the same, with the coupling at the clean estimate
)

// traits say what a method does.
type traits struct {
	about     string
	projected bool    // latents are projected on the hulls
	coupled   bool    // by the classifier of latents
	estimate  bool    // the coupling is judged on the estimate of the clean latent
	prompted  bool    // the models are told a prompt
	guided    bool    // by a classifier of pictures that is not the judge
	steered   bool    // by the edges of exemplars, with an adapter
	guidance  float64 // how far a prompt is exaggerated unless the request says; 0 is 1
	// adapt, if not nil, changes the problem before it is sampled: its dynamics, its
	// models, what moves the states before a step ([pcd.Problem.Before]).
	adapt func(ctx context.Context, s *setup, p *pcd.Problem) error
}

// methods is the table of all methods, in the order of the published tables.
var methods = spelling.Table[Method, traits]{
	{SD, traits{about: "the model alone"}},
	{CNetXS, traits{about: "ControlNet-XS on the edges of the mean exemplar", prompted: true, steered: true, guidance: published.ControlGuidance, adapt: steer}},
	{SDP, traits{about: "projected on the hulls", projected: true}},
	{Sync, traits{about: "SyncDiffusion with the coupling cost", prompted: true, guided: true, guidance: published.SyncGuidance, adapt: synchronize}},
	{SDC, traits{about: "coupled", coupled: true}},
	{SDCPrompt, traits{about: "coupled and prompted", coupled: true, prompted: true}},
	{PCD, traits{about: "projected and coupled", projected: true, coupled: true}},
	{PCDPS, traits{about: "projected, coupled at the clean estimate", projected: true, coupled: true, estimate: true}},
}

// traits returns what the method does; an unknown one does nothing, and is refused
// before it is run.
func (m Method) traits() traits {
	what, _ := methods.Of(m)
	return what
}

// Methods lists the methods in the order of the published tables.
func Methods() []Method { return methods.Words() }

// ParseMethod returns a method by its name; the error for an unknown one lists the
// known.
func ParseMethod(name string) (Method, error) {
	return spelling.OneOf("pair", "method", name, Methods())
}

// About says in a few words what the method does.
func (m Method) About() string { return m.traits().about }

// Projected reports whether latents are projected on the hulls.
func (m Method) Projected() bool { return m.traits().projected }

// Coupled reports whether the classifier of latents couples the images.
func (m Method) Coupled() bool { return m.traits().coupled }

// Guided reports whether a classifier of pictures moves the latents, as in SyncDiffusion.
func (m Method) Guided() bool { return m.traits().guided }

// Steered reports whether images are drawn along the edges of exemplars.
func (m Method) Steered() bool { return m.traits().steered }

// Prompted reports whether the models are told a prompt.
func (m Method) Prompted() bool { return m.traits().prompted }
