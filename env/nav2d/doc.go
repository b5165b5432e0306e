// Package nav2d is the navigation world: disk robots in a flat workspace with
// obstacles, the motion patterns they are expected to follow, the trials they are
// judged on, and demonstrations to train single-robot models with.
//
// # Coordinates
//
// A [Map] lives in the square [-1, 1]², the coordinates of the models. A [Scene]
// describes a workspace of any size in the user's units; its [Frame] maps one to
// the other. A trajectory is [Waypoints] waypoints of (x, y, vx, vy), [Step]
// seconds apart, stored as float32.
//
// # Two distances
//
// [Map.Occupied] and the costs look distances up in a grid of float32 cells
// without interpolation, because published results depend on it;
// [Map.Clearance] is the exact distance, for planning and for certificates.
//
// # Randomness
//
// [Trials] reproduces the generator behind the published trials.
// [Generate] addresses its randomness by context and trajectory number: the same
// numbers give the same trajectories for any range and any number of workers.
//
// # Errors
//
// A scene that cannot be used is refused before anything is computed, with an
// error that names the robot and the amount ([SceneError], [PlacementError],
// [SeparationError], [UnreachableError]).
package nav2d
