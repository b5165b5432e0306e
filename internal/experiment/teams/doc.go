// Package teams is the experiment on safe teams: how many plans are certified free of
// contact in continuous time, what was done to samples for it, what paths are like and
// what they cost, for teams of 4 to 1024 robots and for any method of package plan.
//
// A cell is a method with a number of robots on a map, or with a swap of a ring. All
// methods are given the same trials. Every plan is judged twice: by its certificate, and
// by [internal/metric/nav2d.Continuous], which shares no code with it; rows count the trials on
// which the two differ. [New] is the evaluation as a value of package experiment, and
// [Measure] computes rows without files.
package teams
