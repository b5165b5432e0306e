package memory

import "context"

type askedKey struct{}

// Asked returns a context for work in pieces whose room was asked for before the first of
// them: what one leaves behind until it is collected is the room of the next, and is no
// longer free by then.
func Asked(ctx context.Context) context.Context { return context.WithValue(ctx, askedKey{}, true) }

// IsAsked says whether a context is of [Asked].
func IsAsked(ctx context.Context) bool { return ctx.Value(askedKey{}) != nil }
