package parallel

// pause tells the processor that the goroutine looks at the same place again and again.
//
//go:noescape
func pause()
