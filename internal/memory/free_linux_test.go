package memory

import "testing"

func TestAvailable(t *testing.T) {
	for text, want := range map[string]float64{
		"MemTotal:       2048 kB\nMemFree:        1 kB\nMemAvailable:   1024 kB\n": 1 << 20, "MemFree: 1 kB\n": -1, "MemAvailable: much\n": -1, "": -1,
	} {
		if got, known := available(text); known != (want >= 0) || known && got != want {
			t.Errorf("available(%q) = %v, %v; want %v", text, got, known, want)
		}
	}
	if bytes, known := free(); !known || bytes < 1<<20 {
		t.Errorf("this machine has %v bytes free (known: %v)", bytes, known)
	}
}

func TestContainersHaveTheirLimit(t *testing.T) {
	for limit, want := range map[string]float64{"max\n": 1000, "500\n": 500, "9223372036854771712\n": 1000, "": 1000} {
		if got := least(1000, limit); got != want {
			t.Errorf("1000 bytes with the limit %q: %v, want %v", limit, got, want)
		}
	}
}
