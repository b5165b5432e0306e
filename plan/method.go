package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Method is a way to plan for a team.
type Method string

// The methods, under their names on the command line.
const (
	Diffuser     Method = "diffuser"      // every robot by itself
	DiffuserProj Method = "diffuser-proj" // every robot by itself, within its speed limit
	CDLB         Method = "cd-lb"         // coupled by a log barrier
	CDSHD        Method = "cd-shd"        // coupled by squared hinges of the distance
	PCDLB        Method = "pcd-lb"        // coupled by a log barrier, within speed limits
	PCDSHD       Method = "pcd-shd"       // coupled by squared hinges, within speed limits

	MMDCBS Method = "mmd-cbs" // robot by robot, conflicts resolved by search
	PP     Method = "pp"      // robot by robot, each away from those before it
	ECBS   Method = "ecbs"    // as mmd-cbs, with the paths of the others as soft constraints
	XCBS   Method = "xcbs"    // as mmd-cbs, replanning from the paths before
	XECBS  Method = "xecbs"   // both
)

// JointMethods lists the methods that sample all robots at once, in the order of
// the published tables.
func JointMethods() []Method {
	return []Method{Diffuser, DiffuserProj, CDLB, CDSHD, PCDLB, PCDSHD}
}

// SearchMethods lists the methods that plan robot by robot. Speed limits do not
// enter them.
func SearchMethods() []Method { return []Method{MMDCBS, PP, ECBS, XCBS, XECBS} }

// Methods lists all methods.
func Methods() []Method { return slices.Concat(JointMethods(), SearchMethods()) }

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
	return "", fmt.Errorf("plan: unknown method %q; the methods are %s", name, strings.Join(names, ", "))
}

// Coupling is the kind of cost between robots.
type Coupling string

// The kinds of coupling.
const (
	Uncoupled    Coupling = ""
	LogBarrier   Coupling = "lb"
	SquaredHinge Coupling = "shd"
)

// Coupling returns the cost that the method couples robots with.
func (m Method) Coupling() Coupling {
	switch m {
	case CDLB, PCDLB:
		return LogBarrier
	case CDSHD, PCDSHD:
		return SquaredHinge
	default:
		return Uncoupled
	}
}

// Projected reports whether the method keeps speed limits.
func (m Method) Projected() bool { return m == DiffuserProj || m == PCDLB || m == PCDSHD }

// Searches reports whether the method plans robot by robot.
func (m Method) Searches() bool { return slices.Contains(SearchMethods(), m) }
