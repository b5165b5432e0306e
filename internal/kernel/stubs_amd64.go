//go:build amd64 && !purego

package kernel

// Assembly written by the generator in asm.

//go:noescape
func product12AVX512(t *tile)

//go:noescape
func product8AVX512(t *tile)

//go:noescape
func product4AVX512(t *tile)

//go:noescape
func product6AVX2(t *tile)

//go:noescape
func product4AVX2(t *tile)

//go:noescape
func product2AVX2(t *tile)

//go:noescape
func transposedAVX512(t *outer)

//go:noescape
func gatherAVX512(dst, src *float32, index *int32, n int)

//go:noescape
func adamAVX512(a *adam)

//go:noescape
func normals1AVX512(n *normalRun)

//go:noescape
func normals4AVX512(n *normalRun)

func peakAVX512(turns int)

//go:noescape
func sumsAVX512(s *sweep)

//go:noescape
func squaresAVX512(s *sweep)

//go:noescape
func normMishAVX512(s *sweep)

//go:noescape
func normMishShiftAVX512(s *sweep)

//go:noescape
func normMishFilmAVX512(s *sweep)

//go:noescape
func normMishAddAVX512(s *sweep)

//go:noescape
func normMishGradAVX512(s *sweep)

//go:noescape
func normMishShiftGradAVX512(s *sweep)

//go:noescape
func normMishFilmGradAVX512(s *sweep)

//go:noescape
func affineAVX512(s *sweep)

//go:noescape
func addAVX512(s *sweep)

//go:noescape
func expAVX512(s *sweep)

//go:noescape
func mishAVX512(s *sweep)

//go:noescape
func mishGradAVX512(s *sweep)

//go:noescape
func siluAVX512(s *sweep)

//go:noescape
func siluGradAVX512(s *sweep)

//go:noescape
func transposedAVX2(t *outer)

//go:noescape
func gatherAVX2(dst, src *float32, index *int32, n int)

//go:noescape
func adamAVX2(a *adam)

func peakAVX2(turns int)

//go:noescape
func sumsAVX2(s *sweep)

//go:noescape
func squaresAVX2(s *sweep)

//go:noescape
func normMishAVX2(s *sweep)

//go:noescape
func normMishShiftAVX2(s *sweep)

//go:noescape
func normMishFilmAVX2(s *sweep)

//go:noescape
func normMishAddAVX2(s *sweep)

//go:noescape
func normMishGradAVX2(s *sweep)

//go:noescape
func normMishShiftGradAVX2(s *sweep)

//go:noescape
func normMishFilmGradAVX2(s *sweep)

//go:noescape
func affineAVX2(s *sweep)

//go:noescape
func addAVX2(s *sweep)

//go:noescape
func expAVX2(s *sweep)

//go:noescape
func mishAVX2(s *sweep)

//go:noescape
func mishGradAVX2(s *sweep)

//go:noescape
func siluAVX2(s *sweep)

//go:noescape
func siluGradAVX2(s *sweep)

//go:noescape
func clampAVX512(c *clampRun)

//go:noescape
func clampAVX2(c *clampRun)

//go:noescape
func chainSurveyAVX2(c *Chains)

//go:noescape
func chainRelaxAVX2(c *Chains)

//go:noescape
func chainPredictAVX2(c *Chains)

//go:noescape
func chainStepAVX2(c *Chains)

//go:noescape
func chainRoundAVX2(c *Chains)

//go:noescape
func centerAVX2(s *span)

//go:noescape
func dot3AVX2(s *span)

//go:noescape
func combine3AVX2(s *span)

//go:noescape
func apartAVX2(s *span)

//go:noescape
func filterWeightsAVX512(f *filterRun)

//go:noescape
func filterWeightsAVX2(f *filterRun)

//go:noescape
func filterInputAVX512(f *filterRun)

//go:noescape
func filterInputAVX2(f *filterRun)

//go:noescape
func filterOutputAVX512(f *filterRun)

//go:noescape
func filterOutputAVX2(f *filterRun)

//go:noescape
func filterOutputAddAVX512(f *filterRun)

//go:noescape
func filterOutputAddAVX2(f *filterRun)
