package pair

import (
	"math"
	"testing"
)

// What a method does not do costs nothing, and pairs and steps count once each.
func TestEstimate(t *testing.T) {
	of := func(change func(*Request)) Estimate {
		r := whole(t, PCD)
		change(&r)
		e, err := r.Estimate(t.Context())
		check(t, err)
		return e
	}
	all := of(func(*Request) {})
	if all.Encode <= 0 || all.Denoise <= 0 || all.Couple <= 0 || all.Decode <= 0 || all.Rate <= 0 || all.Seconds <= 0 {
		t.Fatalf("estimate %+v", all)
	}
	if e := of(func(r *Request) { r.Method = SD }); e.Encode != 0 || e.Couple != 0 || e.Denoise != all.Denoise {
		t.Errorf("sd: %+v, of %+v", e, all)
	}
	if e := of(func(r *Request) { r.Pairs, r.Steps = 6, 18 }); e.Denoise != 6*all.Denoise || e.Decode != 2*all.Decode || e.Encode != all.Encode {
		t.Errorf("twice the pairs in three times the steps: %+v, of %+v", e, all)
	}
	if e := of(func(r *Request) { r.Undecoded = true }); e.Decode != 0 {
		t.Errorf("undecoded: %+v", e)
	}
	if e := of(func(r *Request) { r.Method = PCDPS }); e.Denoise != 2*all.Denoise || e.Couple != all.Couple {
		t.Errorf("pcd-ps: %+v, of %+v", e, all)
	}
	// The anchor passes the network twice, and the other image three times; the decoder is
	// passed once and twice. The model listens to no text, so that guidance has one half.
	anchored := of(func(r *Request) { r.Method = Sync })
	steps := float64(request(t, Sync).Steps)
	if math.Abs(anchored.Denoise/all.Denoise-2.5) > 1e-9 || anchored.Couple < 1.5*steps*all.Decode {
		t.Errorf("sync: %+v, of %+v", anchored, all)
	}
	if e := of(func(r *Request) { r.Method, r.SyncTogether = Sync, true }); math.Abs(e.Denoise/all.Denoise-3) > 1e-9 || e.Couple < anchored.Couple+0.5*steps*all.Decode-1 {
		t.Errorf("sync that moves both images: %+v, of one %+v", e, anchored)
	}
	r := request(t, PCD)
	r.Gamma = -1
	if _, err := r.Estimate(t.Context()); err == nil {
		t.Error("a negative strength: no error")
	}
}
