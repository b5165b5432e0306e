package plan

import "github.com/go-pcd/pcd/internal/spelling"

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

// traits say what a method does.
type traits struct {
	coupling  Coupling // of robots that are sampled together
	projected bool     // keeps speed limits
	search    searchKind
	soft      bool // the paths of the others are soft constraints of a search
	warm      bool // replans of a search start from the batch before
}

// searchKind is the way to resolve conflicts of robots that are planned one by one.
type searchKind int

const (
	noSearch searchKind = iota
	byPriority
	byConflicts
)

// methods is the table of all methods, in the order of the published tables.
var methods = spelling.Table[Method, traits]{
	{Diffuser, traits{}},
	{DiffuserProj, traits{projected: true}},
	{CDLB, traits{coupling: LogBarrier}},
	{CDSHD, traits{coupling: SquaredHinge}},
	{PCDLB, traits{coupling: LogBarrier, projected: true}},
	{PCDSHD, traits{coupling: SquaredHinge, projected: true}},
	{MMDCBS, traits{search: byConflicts}},
	{PP, traits{search: byPriority}},
	{ECBS, traits{search: byConflicts, soft: true}},
	{XCBS, traits{search: byConflicts, warm: true}},
	{XECBS, traits{search: byConflicts, soft: true, warm: true}},
}

// traits returns what the method does; an unknown one does nothing, and is refused
// before it is run.
func (m Method) traits() traits {
	what, _ := methods.Of(m)
	return what
}

// Methods lists all methods.
func Methods() []Method { return methods.Words() }

// ParseMethod returns a method by its name; the error for an unknown one lists
// the known.
func ParseMethod(name string) (Method, error) {
	return spelling.OneOf("plan", "method", name, Methods())
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
func (m Method) Coupling() Coupling { return m.traits().coupling }

// Projected reports whether the method keeps speed limits.
func (m Method) Projected() bool { return m.traits().projected }

// Searches reports whether the method plans robot by robot.
func (m Method) Searches() bool { return m.traits().search != noSearch }
