package metamorph

import (
	"crypto/sha256"
	"encoding/binary"
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
	"github.com/go-pcd/pcd/tensor"
)

// Samples are the same for any chunk, number of goroutines, number of samples and shard.
func TestProblems(t *testing.T) {
	for i := range *cases * 20 {
		r := rand.New(rand.NewPCG(*seed, 100+uint64(i)))
		p, err := drawProblem(r)
		if err != nil {
			t.Fatal(err)
		}
		n, at := 3+r.IntN(30), uint64(i)
		want := samples(t, p, pcd.Options{Samples: n, Seed: at})
		for name, o := range map[string]pcd.Options{
			"chunks":     {Samples: n, Seed: at, ChunkSize: 1 + r.IntN(n)},
			"goroutines": {Samples: n, Seed: at, Workers: 1 + r.IntN(7)},
			"more":       {Samples: n + r.IntN(20), Seed: at},
		} {
			for v, x := range samples(t, p, o) {
				if !slices.Equal(x.Data[:len(want[v].Data)], want[v].Data) {
					t.Errorf("problem %d of seed %d, %s: variable %d differs with %+v", i, *seed, name, v, o)
				}
			}
		}
		first := 1 + r.IntN(n-1)
		for v, x := range samples(t, p, pcd.Options{Samples: n - first, First: first, Seed: at}) {
			if tail := want[v].Data[first*want[v].Shape.Size():]; !slices.Equal(x.Data, tail) {
				t.Errorf("problem %d of seed %d: variable %d differs in a shard from sample %d", i, *seed, v, first)
			}
		}
	}
}

func samples(t *testing.T, p pcd.Problem, o pcd.Options) []tensor.Batch {
	t.Helper()
	r, err := pcd.Sample(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Certificate.MaxViolation > 0 { // without sets there is nothing to certify
		t.Errorf("a result is not certified: %+v", r.Certificate)
	}
	return r.Samples
}

// asked is the variable that makes this program write digests of results instead.
const asked = "METAMORPH_DIGEST"

// The kernels avx2 and avx512 give the same plans and samples.
func TestVectorKernelsAgree(t *testing.T) {
	if os.Getenv(asked) != "" {
		writeDigest(t, os.Stdout)
		return
	}
	digests := map[string][]string{}
	for _, kind := range []string{kernel.AVX2.String(), kernel.AVX512.String()} {
		c := exec.Command(os.Args[0], "-test.run", "^TestVectorKernelsAgree$", fmt.Sprintf("-metamorph.seed=%d", *seed), fmt.Sprintf("-metamorph.cases=%d", *cases))
		c.Env = append(os.Environ(), asked+"=1", kernel.Variable+"="+kind)
		out, err := c.CombinedOutput()
		if strings.Contains(string(out), kernel.Variable+"=") {
			continue // this processor has none
		}
		if err != nil {
			t.Fatalf("%s: %v, %s", kind, err, out)
		}
		digest, _, _ := strings.Cut(string(out), "\n")
		digests[digest] = append(digests[digest], kind)
	}
	if len(digests) > 1 {
		t.Errorf("results differ: %v", digests)
	}
}

// writeDigest writes a digest of what a few random requests give.
func writeDigest(t *testing.T, w io.Writer) {
	t.Helper()
	h := sha256.New()
	r := rand.New(rand.NewPCG(*seed, 1))
	for i := range *cases {
		results := ask(t, drawScene(r), nil).robots
		p, err := drawProblem(rand.New(rand.NewPCG(*seed, 100+uint64(i))))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range append(results, samples(t, p, pcd.Options{Samples: 9})...) {
			if err := binary.Write(h, binary.LittleEndian, x.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, kind := range []string{"push", "pair", "toy"} {
		d, err := drawJob(rand.New(rand.NewPCG(*seed, 900+uint64(i))), kind).do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range slices.Sorted(maps.Keys(d.pairs)) {
			for _, name := range slices.Sorted(maps.Keys(d.pairs[k])) {
				if err := binary.Write(h, binary.LittleEndian, d.pairs[k][name]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	fmt.Fprintf(w, "%x\n", h.Sum(nil))
}
