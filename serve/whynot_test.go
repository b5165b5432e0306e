package serve

import (
	"context"
	"errors"
	"testing"
)

// Whoever drives reads why there is no better plan, in words and not in those of a package.
func TestNoTimeIsSaidInWords(t *testing.T) {
	const said = "no certified plan was found in the time that there was"
	if got := whyNot(context.DeadlineExceeded); got != said {
		t.Errorf("%q, want %q", got, said)
	}
	if got := whyNot(errors.Join(errors.New("plan: ada is late"), context.DeadlineExceeded)); got != "ada is late\n"+said {
		t.Errorf("%q", got)
	}
}
