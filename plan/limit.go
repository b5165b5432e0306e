package plan

import (
	"context"
	"time"
)

// A run may have a limit of time. What it tries ends then, and the best that is certified is delivered: it is judged and
// proven under the context of the run itself, which has no limit.

// wholeKey is the key of the context of a run in that of what it tries.
type wholeKey struct{}

// limited returns the context of what a run tries, which ends after some time; 0 is never.
func limited(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	if after <= 0 {
		return ctx, func() {}
	}
	trying, cancel := context.WithTimeout(ctx, after)
	return context.WithValue(trying, wholeKey{}, ctx), cancel
}

// whole returns the context of a run without its limit of time.
func whole(ctx context.Context) context.Context {
	if run, ok := ctx.Value(wholeKey{}).(context.Context); ok {
		return run
	}
	return ctx
}

// timeIsUp reports whether the limit of time has ended what a run tries, and nobody has ended the run.
func timeIsUp(ctx context.Context) bool { return ctx.Err() != nil && whole(ctx).Err() == nil }

// unlessUp returns an error unless it is that of the limit of time, after which what there is will do.
func unlessUp(ctx context.Context, err error) error {
	if timeIsUp(ctx) {
		return nil
	}
	return err
}

// tell says what is tried next.
func (o Options) tell(what string) {
	if o.Trying != nil {
		o.Trying(what)
	}
}
