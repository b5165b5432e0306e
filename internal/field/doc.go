// Package field answers for the distance to many solids at once: an [Index] looks them up
// by place and gives the distances of their union, a [Grid] has them sampled in float32, as
// the published distance fields do.
//
// Both are read-only once made, safe for concurrent use, and have no errors.
package field
