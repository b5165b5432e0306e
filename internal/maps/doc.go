// Package maps reads the maps that robots use: occupancy grids of ROS map servers, grids
// and trials of the MovingAI benchmarks, buildings and route graphs of Open-RMF, outlines
// in GeoJSON and route graphs of Nav2.
//
// A [Map] is what they have in common: convex obstacles that cover what is blocked, the
// bounds of the workspace, named places. Nothing that a file blocks is lost: a path that
// keeps a distance from the obstacles keeps it from everything the file blocks. Obstacles
// are grown by the rounding of their corners, about 1e-15 of the coordinates, and by
// nothing else.
//
// Files are asked for by name through an [Open], so that whoever calls decides which may
// be read. What a file may claim is bounded before memory is taken for it. Every error
// about the content of a file is a [FormatError] with its name and, where there is one, the
// line; errors of an Open are returned as they are, wrapped.
//
// Sources: navigation2, nav2_map_server/src/map_io.cpp; the grid benchmarks of
// movingai.com; rmf_traffic_editor, rmf_building_map_tools; RFC 7946.
package maps
