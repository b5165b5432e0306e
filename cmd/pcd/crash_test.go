package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/parallel"
)

// report recovers from a panic as run does and returns what is printed.
func report(explode func()) (text string) {
	defer func() {
		var b bytes.Buffer
		reportPanic(&b, recover())
		text = b.String()
	}()
	explode()
	return ""
}

func TestPanicReportsAreShort(t *testing.T) {
	elsewhere := func(_, i int) error { var none []int; none[i] = 1; return nil }
	for name, text := range map[string]string{
		"here":                 report(func() { panic(strings.Repeat("long", 1000)) }),
		"on another goroutine": report(func() { _ = parallel.For(t.Context(), 2, 2, elsewhere) }),
	} {
		if n := strings.Count(text, "\n"); n < 3 || n > mostFrames+2 || len(text) > 1000 {
			t.Errorf("%s: the report has %d lines:\n%s", name, n, text)
		}
		first, _, _ := strings.Cut(text[strings.Index(text, "\n")+1:], "\n")
		if !strings.HasPrefix(text, "pcd: internal error: ") || !regexp.MustCompile(`cmd/pcd/crash_test\.go:\d+$`).MatchString(first) {
			t.Errorf("%s: the report does not begin with the place of the panic:\n%s", name, text)
		}
	}
}
