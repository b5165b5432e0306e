// Package mmd searches paths of a team robot by robot, as multi-robot motion planning
// diffusion does (Shaoul et al., 2025): a planner of one robot draws batches of paths, and a
// search over all robots resolves conflicts by planning again under constraints, by
// conflict-based search or in an order of priorities. It knows robots by their names and
// radii, and conflicts at waypoints only. Lengths are in map units.
package mmd
