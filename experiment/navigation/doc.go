// Package navigation is the multi-robot experiment: demonstrations of the motion
// patterns, models trained on them, and the published tables.
//
// [Generate] makes demonstrations in parts, so that it can be stopped and resumed;
// [Train] fits the single-robot model of a map to them.
package navigation
