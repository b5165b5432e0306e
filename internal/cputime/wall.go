package cputime

import (
	"sync"
	"time"
)

var start = sync.OnceValue(time.Now)

func sinceStart() time.Duration { return time.Since(start()) }
