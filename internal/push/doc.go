// Package push samples pairs of distinct manipulation trajectories for PushT from
// one diffusion policy: coupled by a cost that drives them apart, and within a
// speed limit.
//
// # Use
//
// [OpenModel] reads a policy. [Do] runs pairs in the simulator to the end of their
// episodes: both members of a pair start alike, plan together and act each in its
// own world. [Policy] plans without a simulator. [Method] lists the ten ways to
// plan, [Settings] the choices that they leave open, under the names of published
// variants.
//
// # Strength
//
// Three conventions of the coupling strength γ are in use, and the same number means
// different things in them. Every [Settings] names its own, with the strengths that
// go with it.
//
// # Randomness
//
// The noise of a pair depends on the seed, the number of its condition and its own
// number. What else is sampled with it does not matter, bit for bit, unless
// [Settings].EarlyAccept is set, a published rule about the whole batch.
//
// # Errors
//
// [OptionError], [ModelError], the errors of package env/pusht for states, and those
// of the sampler.
//
// Source: PCD, the PushT experiment; Chi et al., "Diffusion Policy" (RSS 2023).
package push
