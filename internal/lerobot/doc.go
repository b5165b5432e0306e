// Package lerobot reads data sets of the library LeRobot, what robots saw and were told to do:
//
//	d, err := lerobot.Open(dir)
//	frames, err := d.Read("observation.state", "action")
//
// A data set is a folder with meta/info.json, which lists its features, and parquet files under
// data/: one for each episode in the layouts 2.0 and 2.1, several episodes in one since 3.0.
// Both say in columns which episode a row belongs to, and that is what is read. Pictures lie in
// the rows, or in files that the rows name. Videos are refused.
//
// # Memory and safety
//
// Files may come from anywhere. Sizes are compared with info.json and with the machine before
// memory is made; what the parquet library panics at is an error. Nothing is executed.
//
// # Errors
//
// [Error] says which file, and what is wrong with it.
package lerobot
