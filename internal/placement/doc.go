// Package placement compares two places where projections act: on the noisy states after
// steps, as published, and on the estimates of the clean samples before them. It runs the four
// experiments of the paper with the same noise, models and couplings, under several samplers.
package placement
