// Package plan turns a task for several robots into coordinated trajectories,
// sampled jointly from models of a single robot.
//
// A [Team] is what is to be done: a map, and robots with start, goal, radius, speed
// limit and model. [Run] samples it with a [Method], judges every joint sample and makes
// one [Plan]: repaired until it is certified in continuous time, if the settings say so,
// or refused with what came nearest to it. A [Model] is a trained network with everything
// needed to use it; [Bundled] returns those that ship with the program, [OpenModel]
// reads others, the published checkpoints included.
//
// The methods that search ([PP], [MMDCBS] and its kin) sample one robot at a time instead and
// resolve conflicts by planning again under constraints; they return one joint
// sample, or a status that says why there is none. Speed limits do not enter them,
// and of the settings only noise scale, clipping, pinned goals and velocities do.
// Their distances are the published multiples of the radius; between different
// robots the mean of the two radii counts.
//
// # Presets
//
// The methods leave much open: where noise is scaled, when the goal is let go, how
// gradients are clipped. [Settings] name every such choice; [SettingsByName] returns
// those of the reference implementation ("mmd"), the same with exact and certified
// projections and the obstacle weights of the paper ("paper"), and ours ("default").
// [Settings.Differences] lists how two differ, for the manifest.
//
// # Units
//
// Samplers work in the normalised coordinates of the models. Everything that leaves
// this package is in map coordinates, the square [-1, 1]², and seconds. Speed limits
// of published tasks are in normalised units per second.
package plan
