// Package metric holds what every table of measures is made of: estimates with
// an interval that says how much they can be trusted, divergences of samples and
// distances of paths. What is measured is the subject of the packages beneath:
// internal/metric/nav2d and internal/metric/pusht.
//
// Measures are computed in float64 from the stored float32 samples. A rate or a
// mean over samples that share a trial is not as certain as their number suggests;
// its interval is that of [ClusteredRate] or [ClusteredMean], which know the
// trials. Rates over independent trials use [Wilson].
package metric
