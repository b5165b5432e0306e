// Package metric judges samples: the measures of the published tables, each with
// an interval that says how much it can be trusted.
//
// Measures are computed in float64 from the stored float32 samples. A rate or a
// mean over samples that share a trial is not as certain as their number suggests;
// its interval is that of [ClusteredRate] or [ClusteredMean], which know the
// trials. Rates over independent trials use [Wilson].
package metric
