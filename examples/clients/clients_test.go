package clients

import (
	"os/exec"
	"testing"
)

// The client in Go is in order, although patterns leave it out. Package serve runs all
// clients.
func TestGoClient(t *testing.T) {
	for _, words := range [][]string{{"gofmt", "-l", "plan.go"}, {"go", "vet", "plan.go"}} {
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %v\n%s", words, err, out)
		}
	}
}
