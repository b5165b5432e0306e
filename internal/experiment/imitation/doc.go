// Package imitation trains diffusion policies of any robot on what people showed it: data sets of
// LeRobot, from which a folder of a policy is made that the library and this program run.
//
// What is learned from is the state of the robot with the pictures of its cameras, the state of
// its environment, or both.
package imitation
