package experiment_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/experiment/toy"
)

// Two shards evaluate the special cases of the toy example into one folder, which is
// packed then.
func ExampleExperiment_Evaluate() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	results := filepath.Join(dir, "toy")

	spec := toy.PublishedSpec()
	spec.Seeds, spec.Samples = 2, 1000
	special := toy.New()
	for i := range 2 {
		o := experiment.Options{Dir: results, Shard: experiment.Shard{Index: i, Count: 2}}
		s, err := special.Evaluate(context.Background(), spec, o)
		if err != nil {
			log.Fatal(err)
		}
		missing, err := special.Missing(results)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("shard %v: %d of %d cells; missing %v\n", o.Shard, s.Finished, s.Cells, missing)
	}
	archive, err := special.Pack(results)
	if err != nil {
		log.Fatal(err)
	}
	cells, err := special.Read(archive)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d seeds of pcd-cg in %s\n", len(cells["pcd-cg"].Divergences), filepath.Base(archive))
	// Output:
	// shard 0/2: 2 of 3 cells; missing [pcd-pd]
	// shard 1/2: 3 of 3 cells; missing []
	// 2 seeds of pcd-cg in toy.jsonl.gz
}
