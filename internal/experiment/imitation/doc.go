// Package imitation trains diffusion policies of any robot on what people showed it: data sets of
// LeRobot, from which a folder of a policy is made that the library and this program run.
//
// What is learned is numbers alone: the state of the robot and that of its environment.
package imitation
