package push

import (
	"fmt"
	"slices"
	"strings"
)

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

// The parts of the names.
const (
	psSuffix  = "-ps"
	cdPrefix  = "cd-"
	pcdPrefix = "pcd-"
	projected = "-proj"
)

// Methods lists the methods in the order of the published tables.
func Methods() []Method {
	return []Method{DP, DPProj, CDDPP, CDDPPPS, CDLB, CDLBPS, PCDDPP, PCDDPPPS, PCDLB, PCDLBPS}
}

// ParseMethod returns a method by its name; the error for an unknown one lists
// the known.
func ParseMethod(name string) (Method, error) {
	if m := Method(name); slices.Contains(Methods(), m) {
		return m, nil
	}
	var names []string
	for _, m := range Methods() {
		names = append(names, string(m))
	}
	return "", fmt.Errorf("push: unknown method %q; the methods are %s", name, strings.Join(names, ", "))
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
func (m Method) Coupling() Coupling {
	name := strings.TrimSuffix(string(m), psSuffix)
	for _, prefix := range []string{pcdPrefix, cdPrefix} {
		if cost, ok := strings.CutPrefix(name, prefix); ok {
			return Coupling(cost)
		}
	}
	return Uncoupled
}

// Posterior reports whether the coupling is judged on the estimate of the clean
// actions and pulled back through the network.
func (m Method) Posterior() bool { return strings.HasSuffix(string(m), psSuffix) }

// Projected reports whether the method keeps the speed limit.
func (m Method) Projected() bool {
	return strings.HasPrefix(string(m), pcdPrefix) || strings.HasSuffix(string(m), projected)
}

// Plain returns the method without posterior sampling.
func (m Method) Plain() Method { return Method(strings.TrimSuffix(string(m), psSuffix)) }
