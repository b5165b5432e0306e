package nnbench

import (
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/nn"
)

var quick = Options{
	Cases: []Case{{"temporal-1-2", nn.Forward, 2}, {"temporal-1-2", nn.VJP, 2}, {"conditional-8-16", nn.Train, 2},
		{"image-unet-1", nn.Train, 2}, {"latent-classifier-32", nn.VJP, 2}},
	Threads: 1, Rounds: 1, Repeat: 1,
}

func collect(t *testing.T, o Options) ([]Row, error) {
	t.Helper()
	var rows []Row
	err := Run(t.Context(), o, Listener{Row: func(r Row) error { rows = append(rows, r); return nil }})
	return rows, err
}

func TestRowsAreFilled(t *testing.T) {
	rows, err := collect(t, quick)
	if err != nil || len(rows) != len(quick.Cases) {
		t.Fatalf("Run = %d rows, %v", len(rows), err)
	}
	for i, r := range rows {
		c := quick.Cases[i]
		if r.Network != c.Network || r.Op != c.Op.String() || r.Batch != 2 || r.Threads != 1 || r.Kernel == "" {
			t.Errorf("row %+v does not describe %+v", r, c)
		}
		if r.MS <= 0 || r.GFLOPS <= 0 || r.Peak <= 0 || r.Fraction != r.GFLOPS/r.Peak || len(r.Peers) != 0 {
			t.Errorf("row %+v has impossible numbers", r)
		}
	}
}

func TestUnknownNetworks(t *testing.T) {
	for _, name := range []string{"", "resnet-1", "temporal", "temporal-1-x", "temporal-1-0", "image-unet-0", "image-unet-4-4", "sd21-decoder-4", "sd21-unet-0", "sd21-ddim-64", "sd21-turbo-4-1", "sd21-dpm-64-0"} {
		if _, err := collect(t, Options{Cases: []Case{{name, nn.Forward, 1}}, Rounds: 1}); err == nil {
			t.Errorf("Run(%q) = nil, want an error", name)
		}
	}
}

// TestNetworksAreThePublished compares with what PyTorch counts of the same networks.
func TestNetworksAreThePublished(t *testing.T) {
	all := map[string][2]int{ // parameters, multiplications of a forward pass
		"temporal-1-2-4":       {997_124, 0},
		"image-unet-4":         {3_433_988, 216_129_536},
		"image-unet-8":         {3_438_600, 217_309_184},
		"latent-classifier-64": {11_379_468, 151_456_512},
		"policy-eye-84":        {11_197_088, 0},
		"policy-pass-1":        {251_511_938, 0},
		"policy-plan-10":       {262_709_026, 0},
		"sd21-unet-8":          {865_910_724, 7_305_937_920},
		"sd21-decoder-64":      {49_490_199, 19_380_438_016},
		"tiny-decoder-64":      {1_222_531, 0},
		"sd21-turbo-8-1":       {865_910_724 + 1_222_531, 0},
		"sd21-dpm-8-15":        {865_910_724 + 49_490_199, 30*7_305_937_920 + 19_380_438_016},
	}
	for name, want := range thorough.Named(all, "temporal-1-2-4", "image-unet-4", "image-unet-8", "latent-classifier-64", "policy-eye-84", "tiny-decoder-64") {
		s, err := makeSubject(Case{name, nn.Forward, 1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.parameters(); got != want[0] {
			t.Errorf("%s has %d parameters, want %d", name, got, want[0])
		}
		if got := s.multiplyAdds; want[1] != 0 && got != want[1] {
			t.Errorf("a forward pass of %s is %d multiplications, want %d", name, got, want[1])
		}
	}
}

func TestCases(t *testing.T) {
	seen := map[Case]bool{}
	for _, group := range Groups() {
		cases := Cases(group)
		if len(cases) == 0 {
			t.Errorf("no cases of %s", group)
		}
		for _, c := range cases {
			if seen[c] {
				t.Errorf("%+v is there twice", c)
			}
			seen[c] = true
			if _, _, err := parse(c.Network); err != nil || c.Batch < 1 {
				t.Errorf("%+v is no case: %v", c, err)
			}
		}
	}
	for _, c := range []Case{
		{"temporal-1-2-4-8", nn.Train, 128}, {"conditional-256-512-1024", nn.VJP, 128},
		{"image-unet-4", nn.Forward, 32}, {"image-unet-8", nn.Train, 32}, {"latent-classifier-64", nn.VJP, 25},
		{"sd21-unet-64", nn.Forward, 1}, {"sd21-unet-64", nn.Forward, 2}, {"sd21-decoder-256", nn.Forward, 1}, {"sd21-decoder-512", nn.Forward, 1},
	} {
		if !seen[c] {
			t.Errorf("%+v is missing", c)
		}
	}
	if _, err := ParseGroup("sequence"); err == nil {
		t.Error("ParseGroup takes what is no group")
	}
}

func TestOnlySomeNetworksTrain(t *testing.T) {
	if _, err := collect(t, Options{Cases: []Case{{"latent-classifier-32", nn.Train, 1}}, Rounds: 1}); err == nil {
		t.Error("Run measures a training step that is not defined")
	}
}
