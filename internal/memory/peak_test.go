package memory

import (
	"runtime"
	"testing"
)

func TestPeak(t *testing.T) {
	if runtime.GOOS != "linux" {
		if Peak() != 0 {
			t.Error("a peak where nobody tells")
		}
		return
	}
	const size = 64 << 20
	ForgetPeak()
	before := Peak()
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i)
	}
	if rise := Peak() - before; before <= 0 || rise < size/2 {
		t.Errorf("the peak was %d and rose by %d bytes when %d were taken", before, rise, size)
	}
	runtime.KeepAlive(b)
}
