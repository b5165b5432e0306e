package pair

import "testing"

// What a method does not do costs nothing, and pairs and steps count once each.
func TestEstimate(t *testing.T) {
	of := func(change func(*Request)) Estimate {
		r := request(t, PCD)
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
	r := request(t, PCD)
	r.Gamma = -1
	if _, err := r.Estimate(t.Context()); err == nil {
		t.Error("a negative strength: no error")
	}
}
