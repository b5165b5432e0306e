package push

import "github.com/go-pcd/pcd/internal/spelling"

// Method is a way to sample a pair of trajectories.
type Method string

// The methods, under their names on the command line: the policy twice; coupled
// (CD), by a determinantal point process (DPP) or a log barrier (LB); projected and
// coupled (PCD). PS stands for posterior sampling: the coupling is judged on the
// estimate of the clean actions.
const (
	DP       Method = "dp"
	DPProj   Method = "dp-proj"
	CDDPP    Method = "cd-dpp"
	CDDPPPS  Method = "cd-dpp-ps"
	CDLB     Method = "cd-lb"
	CDLBPS   Method = "cd-lb-ps"
	PCDDPP   Method = "pcd-dpp"
	PCDDPPPS Method = "pcd-dpp-ps"
	PCDLB    Method = "pcd-lb"
	PCDLBPS  Method = "pcd-lb-ps"
)

// traits say what a method does.
type traits struct {
	coupling  Coupling
	posterior bool   // the coupling is judged on the estimate of the clean actions
	projected bool   // keeps the speed limit
	plain     Method // the same without posterior sampling
}

// methods is the table of all methods, in the order of the published tables.
var methods = spelling.Table[Method, traits]{
	{DP, traits{plain: DP}},
	{DPProj, traits{plain: DPProj, projected: true}},
	{CDDPP, traits{plain: CDDPP, coupling: Determinantal}},
	{CDDPPPS, traits{plain: CDDPP, coupling: Determinantal, posterior: true}},
	{CDLB, traits{plain: CDLB, coupling: LogBarrier}},
	{CDLBPS, traits{plain: CDLB, coupling: LogBarrier, posterior: true}},
	{PCDDPP, traits{plain: PCDDPP, coupling: Determinantal, projected: true}},
	{PCDDPPPS, traits{plain: PCDDPP, coupling: Determinantal, posterior: true, projected: true}},
	{PCDLB, traits{plain: PCDLB, coupling: LogBarrier, projected: true}},
	{PCDLBPS, traits{plain: PCDLB, coupling: LogBarrier, posterior: true, projected: true}},
}

// traits returns what the method does; an unknown one does nothing, and is refused
// before it is run.
func (m Method) traits() traits {
	what, known := methods.Of(m)
	if !known {
		what.plain = m
	}
	return what
}

// Methods lists the methods in the order of the published tables.
func Methods() []Method { return methods.Words() }

// ParseMethod returns a method by its name; the error for an unknown one lists
// the known.
func ParseMethod(name string) (Method, error) {
	return spelling.OneOf("push", "method", name, Methods())
}

// Coupling is the kind of cost between the members of a pair.
type Coupling string

// The kinds of coupling.
const (
	Uncoupled     Coupling = ""
	Determinantal Coupling = "dpp"
	LogBarrier    Coupling = "lb"
)

// Coupling returns the cost that the method couples a pair with.
func (m Method) Coupling() Coupling { return m.traits().coupling }

// Posterior reports whether the coupling is judged on the estimate of the clean
// actions and pulled back through the network.
func (m Method) Posterior() bool { return m.traits().posterior }

// Projected reports whether the method keeps the speed limit.
func (m Method) Projected() bool { return m.traits().projected }

// Plain returns the method without posterior sampling.
func (m Method) Plain() Method { return m.traits().plain }
