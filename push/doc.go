// Package push samples pairs of distinct manipulation trajectories for PushT from
// one diffusion policy: coupled by a cost that drives them apart, and within a
// speed limit.
package push
