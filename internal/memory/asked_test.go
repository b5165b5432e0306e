package memory

import "testing"

func TestAsked(t *testing.T) {
	if IsAsked(t.Context()) || !IsAsked(Asked(t.Context())) {
		t.Error("a context does not say whether its work has asked")
	}
}
