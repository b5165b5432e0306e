// Package cells finds ways for crowds on a grid of cells: every robot stands in the middle of
// a cell and, in the same unit of time as all others, moves to one of the four beside it
// or stays.
//
// [Team.Search] is LaCAM, a search over configurations of the whole crowd whose next
// configuration is proposed by PIBT, priority inheritance with backtracking: it finds ways where
// there are any, sooner or later. [Team.Improve] makes them shorter, a few robots at a time.
// Both count what they do and the bytes that they take, so that the same task with the same
// budget has the same outcome on any machine.
//
// # What keeps disks apart
//
// No two robots are in one cell at one time, and none change places. Then the middles of two of
// them are at least the side of a cell apart, but for one case: where one follows
// another one that turns off at a right angle they are 1/√2 of it apart half-way. Disks whose radii
// sum up to more than that are a pair for which [Team.Tight] holds, and do not follow each
// other round corners.
package cells
