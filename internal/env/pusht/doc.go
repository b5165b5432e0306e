// Package pusht is the PushT world: a disk, the agent, pushes a T-shaped block in
// a walled square until it covers its goal.
//
// # Coordinates
//
// Everything is in pixels of a window of 512 by 512, x to the right and y down;
// angles are in radians and are not reduced to one turn. An action is the place
// that the agent shall move to. Actions come at 10 Hz; the physics runs at 100 Hz.
//
// # Physics
//
// The world repeats that of the published task, oddities included: contacts have
// neither friction nor bounce, the block stops as soon as nothing pushes it, its
// inertia and its centre of gravity are not those of its shape, and setting a
// state takes one step of the physics. Contacts are solved in the order of the
// reference, so that whole rollouts agree with it even when the block is caught
// between agent and walls. The first contact of a pair differs from a lasting one,
// so a world remembers more than its [State].
//
// # Use
//
// [World] is a single world. [Vector] runs many, with the conventions of the
// policies: chunks of actions, pairs of observations, episodes that end, and a
// [Recording]. [InitialConditions] and [RandomStarts] are the published starts.
// [Replay] repeats a demonstration and says how far it strays.
//
// # Memory and concurrency
//
// Worlds hold no pointers and allocate nothing when they step. A [Vector] uses
// several goroutines; its results do not depend on their number.
//
// # Errors
//
// States and actions that make no sense are refused before anything moves:
// [StateError], [TargetError], [LengthError], [OptionError],
// [DemonstrationError], [ErrNotStarted].
//
// Source: Chi et al., "Diffusion Policy" (RSS 2023), after Florence et al.,
// "Implicit Behavioral Cloning" (CoRL 2021).
package pusht
