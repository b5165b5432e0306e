// Package cputime tells how long the processors have worked for this process, which
// does not depend on what else the machine does.
package cputime

import "time"

// Process returns the time that all processors together have worked for this process;
// where the system does not tell, the time since the first call.
func Process() time.Duration { return process() }

// Clock returns [Process] as a time, for what wants to be told one. Only differences
// mean something.
func Clock() time.Time { return time.Unix(0, int64(Process())) }
