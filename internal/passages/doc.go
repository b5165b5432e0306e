// Package passages keeps a team free of contact when its robots are late.
//
// A plan says where every robot is at what time. Robots that execute it are late, stop,
// and start late, each on its own way. An [Order] says, for every place where the ways of
// two robots meet, who goes first: the one that the plan lets go first. While it is kept
// nobody touches anybody, at whatever speed they go, and everybody arrives; on time nobody
// waits. An [Execution] follows the progress of the robots and says how far each may go.
//
// Progress counts waypoints, with fractions: 12.5 is half-way along span 12 as the motion
// has it, not by length. It grows and never falls. Lengths are those of the motions.
//
// Sources: W. Hönig et al., "Multi-agent path finding with kinematic constraints" (ICAPS
// 2016), for the order of a plan; the same in the space of the progresses of two robots,
// for disks on any curves, is described in docs/adr/0041-late-robots.md.
package passages
