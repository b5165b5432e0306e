package serve

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The client in Go is in order, although patterns leave it out.
func TestGoClient(t *testing.T) {
	if testing.Short() {
		t.Skip("what it starts is not this program")
	}
	file := filepath.Join("..", "examples", "clients", "plan.go")
	for _, words := range [][]string{{"gofmt", "-l", file}, {"go", "vet", file}} {
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %v\n%s", words, err, out)
		}
	}
}

// The clients of other languages get what they ask for, where their interpreters are.
func TestClients(t *testing.T) {
	if testing.Short() {
		t.Skip("what it starts is not this program")
	}
	url := withJobs(t, Config{})
	dir, err := filepath.Abs(filepath.Join("..", "examples", "clients"))
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	syntax := "import ast, sys; ast.parse(open(sys.argv[1]).read()); print('a program')"
	for name, c := range map[string]struct {
		needs string
		words []string
		want  []string
	}{
		"shell":  {"curl", []string{"sh", file("plan.sh"), url}, []string{`"certified":true`, `"state":"done"`, "words.txt"}},
		"Python": {"python3", []string{"python3", file("plan.py"), url}, []string{"\ncertified\n", "meets"}},
		"Go":     {"go", []string{"go", "run", file("plan.go"), url}, []string{"certified: true", "ada is at (9.00, 5.00)"}},
		"ROS 2":  {"python3", []string{"python3", "-c", syntax, file("ros2_node.py")}, []string{"a program"}},
	} {
		if _, err := exec.LookPath(c.needs); err != nil {
			t.Logf("%s: no %s here", name, c.needs)
			continue
		}
		run := exec.CommandContext(t.Context(), c.words[0], c.words[1:]...)
		run.Env = append(run.Environ(), "no_proxy=*", "NO_PROXY=*")
		out, err := run.CombinedOutput()
		text := strings.ReplaceAll(string(out), `": `, `":`)
		for _, want := range c.want {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s: %v, no %q in\n%s", name, err, want, out)
			}
		}
	}
}
