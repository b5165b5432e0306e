// Package fault is where tests interfere with the disk: the program calls [Point] before
// every change.
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

// NeedsRoom says whether a full disk refuses a change. Names take the room of others.
func (o Op) NeedsRoom() bool { return o == Create || o == Write || o == Sync }

// Hook is called by [Point], and its error is that of the change. It is nil but for tests,
// which set it while nothing else runs.
var Hook func(op Op, path string) error

// Volatile says that files need not outlive the machine: tests that write many of them do
// not wait for the disk.
var Volatile bool

// Point is called before a change of what lies at path. The change must not be made when
// it returns an error.
func Point(op Op, path string) error {
	if Hook == nil {
		return nil
	}
	return Hook(op, path)
}
