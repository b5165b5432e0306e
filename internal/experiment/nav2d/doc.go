// Package nav2d is the multi-robot experiment: demonstrations of the motion
// patterns, models trained on them, and the published tables.
//
// [Generate] makes demonstrations in parts, so that it can be stopped and resumed;
// [NewTraining] fits the single-robot model of a map to them. [New] is the
// evaluation behind the tables, as a value of package experiment.
package nav2d
