package plan

import (
	"context"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// standIn is another runtime: it is filled from the parameters of an opened model, and
// counts what it is asked.
type standIn struct {
	modelfile.Denoiser
	rows int
}

func (s *standIn) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	s.rows += x.N
	return s.Denoiser.Predict(ctx, dst, x, t)
}

// A model runs on whatever computes its network: a stand-in that was filled from the
// parameters predicts in its place, and the digest is that of the same model.
func TestAnotherRuntimeStandsIn(t *testing.T) {
	m, err := Bundled("empty")
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.NewNetwork(2)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range m.Net.Params() {
		copy(other.Params()[i].Data, p.Data)
	}
	other.Refresh()
	runtime := &standIn{Denoiser: other}
	stood, err := m.With(runtime)
	if err != nil {
		t.Fatal(err)
	}
	x, got, want := tensor.New(2, 64, 4), tensor.New(2, 64, 4), tensor.New(2, 64, 4)
	for i := range x.Data {
		x.Data[i] = float32(i%17)/8 - 1
	}
	if err := stood.Net.Predict(t.Context(), got, x, 5); err != nil {
		t.Fatal(err)
	}
	if err := m.Net.Predict(t.Context(), want, x, 5); err != nil {
		t.Fatal(err)
	}
	if runtime.rows != 2 || !slices.Equal(got.Data, want.Data) {
		t.Errorf("%d rows in the stand-in, and other predictions", runtime.rows)
	}
	a, errA := m.Digest()
	b, errB := stood.Digest()
	if errA != nil || errB != nil || a != b || len(a) != 64 {
		t.Errorf("digests %q, %v and %q, %v", a, errA, b, errB)
	}
	short, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{Horizon: 32, DimMults: []int{1, 2, 4}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.With(short); err == nil {
		t.Error("a network of another horizon: no error")
	}
}
