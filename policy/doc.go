// Package policy runs the diffusion policies that people have: folders of the library
// LeRobot, whose networks turn what a robot has seen into what it does next.
//
//	p, err := policy.Open(dir, policy.Options{})
//	condition, err := p.Condition(ctx, history)             // raw observations, oldest first
//	plan, err := p.Plan(ctx, condition, policy.Sampling{})  // actions in the units of the robot
//
// [Open] reads a folder of any of the three published layouts ([Vintage]). A robot is driven
// by an [Actor]: it keeps the observations that the policy is told, asks for a plan when the
// one in force is used up, and keeps hard [Limits] on every command.
//
// # Units
//
// Observations and actions are in the units of the data set that the policy learned from,
// images as bytes. What the networks take is the policy's own business: [Policy.Condition]
// normalises, [Policy.Plan] takes it back. Whoever samples with the engine, to couple several
// policies, uses [Policy.Bind], [Policy.Dynamics] and [Policy.Unnormalize].
//
// # Safety
//
// Files may come from anywhere. Every key of a configuration is read or refused by name;
// tensors are compared with the configuration by name, shape and count before memory is
// made for them; statistics that a feature needs and that are missing are an error, never an
// identity. Nothing is executed. The names of other files in a folder may not lead out of it.
//
// # Memory
//
// Weights stay as the file has them, so that those of half precision need half the memory;
// [Options].Half rounds those of float32. A policy may be used concurrently; an [Actor] is
// one robot's.
//
// # Errors
//
// [ConfigError], [StatisticsError] and [FileError] for a folder, [ObservationError] for what a
// policy is told, [LimitError] and [StartError] for limits, all with the value that is wrong
// and what is wanted. Nothing panics.
//
// Source: Chi et al., "Diffusion policy: visuomotor policy learning via action diffusion"
// (RSS 2023), in the form of the library LeRobot, 2024 to 0.6.
package policy
