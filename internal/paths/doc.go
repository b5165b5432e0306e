// Package paths reads timed paths of robots, whoever made them: plan.json of this program,
// tables (CSV), ROS messages as YAML, states and orders of VDA 5050, TUM trajectories and
// results of multi-agent path finding.
//
// A [Path] is a motion on the clock: straight between its points or, where the file gives
// velocities, on the cubics through positions and velocities. Numbers are taken as float64.
// What a file may claim is bounded by its size. Every error about the content of a file is a
// [FormatError].
//
// Sources: RFC 4180; nav_msgs, trajectory_msgs and geometry_msgs of ROS 2; the JSON schemas
// of VDA 5050, 2.1.0 and 3.0.0; the formats of the TUM RGB-D benchmark and of LaCAM3.
package paths
