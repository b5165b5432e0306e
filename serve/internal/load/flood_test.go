package load

import (
	"flag"
	"net/http"
	"strings"
	"testing"
	"time"
)

var flooded = flag.Int("flood", 0, "connections that are opened at a time")

// A hundred thousand connections at a time are told to come back, in little memory, and a client that comes back
// as it is told gets its answers.
func TestFlood(t *testing.T) {
	if *flooded == 0 {
		t.Skip("takes a minute: ask for it with -flood 100000")
	}
	s := startWithin(t, 2<<30)
	asked, stop := make(chan struct{}), make(chan struct{})
	told, longest := 0, time.Duration(0)
	go func() {
		defer close(asked)
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			took, again := askUntilAnswered(t, s.url)
			told, longest = told+again, max(longest, took)
		}
	}()
	began := time.Now()
	processes, all := flooding(t, *flooded, strings.TrimPrefix(s.url, "http://"))
	took, memory, files := time.Since(began), s.memory()>>20, s.files()
	close(stop)
	<-asked
	processes.end()
	t.Logf("%d connections open at a time, within %v: %d told to come back, %d waited for, without a word %v; the service had %d MiB and %d files; a client asked %d times again, %v at most for an answer",
		*flooded, took.Round(time.Second), all.Told, all.Silent, all.Failed, memory, files, told, longest.Round(time.Millisecond))
	if len(all.Failed) > 0 {
		t.Errorf("connections have ended without a word: %v", all.Failed)
	}
	// So many have room until they have been waited for, and others wait before the service, in a queue of the system.
	const room = 4096
	if most := room * int(2+took/patience); all.Silent > most || all.Told == 0 {
		t.Errorf("%d were told to come back and %d had room, which is there for %d", all.Told, all.Silent, most)
	}
	if memory > 1024 {
		t.Errorf("the service took %d MiB", memory)
	}
	if took, again := askUntilAnswered(t, s.url); again > 0 {
		t.Errorf("afterwards it was told to come back %d times within %v", again, took)
	}
}

// askUntilAnswered asks for what there is until there is an answer, and returns how long that took, and how
// often it was told to come back.
func askUntilAnswered(t *testing.T, url string) (took time.Duration, again int) {
	began := time.Now()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	for ; ; again++ {
		status, err := call(c, url, "", "PlanService/Models", map[string]any{}, nil)
		switch {
		case err == nil && status == http.StatusOK:
			return time.Since(began), again
		case err != nil || status != http.StatusServiceUnavailable || time.Since(began) > time.Minute:
			t.Errorf("%d %v", status, err)
			return time.Since(began), again
		}
		time.Sleep(100 * time.Millisecond)
	}
}
