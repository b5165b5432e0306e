// Package messages writes motions of teams as robots and their tools read them: tables (CSV),
// ROS 2 messages as YAML, recordings for viewers (MCAP with the JSON schemas of Foxglove) and
// orders of VDA 5050.
//
// A [Team] is what all of them are made of. [Team.CSV], [Team.ROSPath], [Team.ROSTrajectory]
// and [Team.MCAP] write where robots are at a chosen rate; [Team.VDA5050] makes orders, whose
// robots have no clock: they are released by who goes first.
//
// Every file but a table, which has no place for it, says of which scene and plan it was made:
// by their SHA-256 digests.
//
// Sources: RFC 4180; nav_msgs, geometry_msgs and trajectory_msgs of ROS 2, and rosidl_runtime_py
// for what "ros2 topic pub" reads; the MCAP specification; foxglove-sdk, schemas/jsonschema;
// VDA 5050, json_schemas of 2.1.0 and 3.0.0.
package messages
