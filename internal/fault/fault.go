// Package fault is where the attack interferes with the disk: the program calls [Point]
// before every change, and a build with the tag attack ends there, or finds the disk full.
// Other builds do nothing.
package fault

// Op is a kind of change.
type Op string

// The changes of a disk.
const (
	Create Op = "create" // a file or a folder
	Write  Op = "write"
	Sync   Op = "sync"
	Link   Op = "link"
	Rename Op = "rename"
	Remove Op = "remove"
)

// Variable names the environment variable of the attack: "kill N" ends the program before
// its change number N, as SIGKILL does; "full N" fails that change and all that follow, as
// far as they need room, as a full disk does.
const Variable = "PCD_FAULT"
