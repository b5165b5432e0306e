package metamorph

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/internal/metamorph/scenes"
)

// asked is the variable that makes this program write digests of results instead: of the scenes
// that it reads and, where it is "all", of other requests.
const asked = "METAMORPH_DIGEST"

// The kernels avx2 and avx512 give the same plans and samples.
func TestVectorKernelsAgree(t *testing.T) {
	if of := os.Getenv(asked); of != "" {
		writeDigests(t, os.Stdin, os.Stdout, of == "all")
		return
	}
	var tasks []scenes.Scene
	r := rand.New(rand.NewPCG(*seed, 1))
	for range *cases {
		tasks = append(tasks, scenes.Draw(r))
	}
	for i, line := range disagreement(t, "all", tasks) {
		if i >= len(tasks) {
			t.Errorf("seed %d: %s", *seed, line)
			continue
		}
		if line == "" {
			continue
		}
		small := scenes.Reduced(tasks[i], func(s scenes.Scene) bool { return disagreement(t, "scenes", []scenes.Scene{s})[0] != "" })
		t.Errorf("case %d of seed %d: %s of\n%s", i, *seed, line, small.Text())
		write(t, fmt.Sprintf("kernels-%d-%d.yaml", *seed, i), small.Text())
	}
}

// disagreement returns how the kernels differ in each request, "" where they do not. It is that
// of no request where this processor has only one of them.
func disagreement(t *testing.T, of string, tasks []scenes.Scene) []string {
	t.Helper()
	var texts []string
	for _, s := range tasks {
		texts = append(texts, s.Text())
	}
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for _, kind := range []string{kernel.AVX2.String(), kernel.AVX512.String()} {
		c := exec.Command(os.Args[0], "-test.run", "^TestVectorKernelsAgree$", fmt.Sprintf("-metamorph.seed=%d", *seed), fmt.Sprintf("-metamorph.cases=%d", *cases))
		c.Env, c.Stdin = append(os.Environ(), asked+"="+of, kernel.Variable+"="+kind), bytes.NewReader(in)
		out, err := c.CombinedOutput()
		if strings.Contains(string(out), kernel.Variable+"=") {
			t.Logf("this processor has no %s", kind)
			return make([]string, len(tasks))
		}
		if err != nil {
			t.Fatalf("%s: %v, %s", kind, err, out)
		}
		digests, _, _ := strings.Cut(string(out), "PASS")
		lines = append(lines, strings.Split(strings.TrimSpace(digests), "\n"))
	}
	if len(lines[0]) != len(lines[1]) || len(lines[0]) < len(tasks) {
		t.Fatalf("%d digests and %d", len(lines[0]), len(lines[1]))
	}
	all := make([]string, len(tasks), len(lines[0]))
	for i, a := range lines[0] {
		switch b := lines[1][i]; {
		case a != b && i < len(tasks):
			all[i] = a + " and " + b
		case a != b:
			all = append(all, a+" and "+b)
		}
	}
	return all
}

// writeDigests writes a line with the digest of what each request gives.
func writeDigests(t *testing.T, in io.Reader, out io.Writer, all bool) {
	t.Helper()
	var texts []string
	if err := json.NewDecoder(in).Decode(&texts); err != nil {
		t.Fatal(err)
	}
	line := func(name string, numbers ...[]float32) {
		h := sha256.New()
		for _, x := range numbers {
			if err := binary.Write(h, binary.LittleEndian, x); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(out, "%s %.8x\n", name, h.Sum(nil))
	}
	for i, text := range texts {
		var numbers [][]float32
		a := ask(t, text, nil)
		for _, x := range slices.Concat(a.robots, a.samples) {
			numbers = append(numbers, x.Data)
		}
		line(fmt.Sprintf("scene %d %s", i, a.verdict), numbers...)
	}
	if !all {
		return
	}
	for i := range *cases {
		p, err := drawProblem(rand.New(rand.NewPCG(*seed, 100+uint64(i))))
		if err != nil {
			t.Fatal(err)
		}
		var numbers [][]float32
		for _, x := range samples(t, p, pcd.Options{Samples: 9}) {
			numbers = append(numbers, x.Data)
		}
		line(fmt.Sprint("problem ", i), numbers...)
	}
	for i := range (*cases + 2) / 3 {
		for k, kind := range []string{"push", "pair", "toy"} {
			d, err := drawJob(rand.New(rand.NewPCG(*seed, 900+uint64(3*i+k))), kind).do(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var numbers [][]float32
			for _, k := range slices.Sorted(maps.Keys(d.pairs)) {
				for _, name := range slices.Sorted(maps.Keys(d.pairs[k])) {
					numbers = append(numbers, d.pairs[k][name])
				}
			}
			line(fmt.Sprint(kind, " ", i), numbers...)
		}
	}
}
