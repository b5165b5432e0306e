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
func productNarrow12AVX512(t *tile)

//go:noescape
func productNarrow8AVX512(t *tile)

//go:noescape
func productNarrow4AVX512(t *tile)

//go:noescape
func product6AVX2(t *tile)

//go:noescape
func product4AVX2(t *tile)

//go:noescape
func product2AVX2(t *tile)

//go:noescape
func transposed12AVX512(t *outer)

//go:noescape
func transposed8AVX512(t *outer)

//go:noescape
func transposed4AVX512(t *outer)

//go:noescape
func transposedNarrow16AVX512(t *outer)

//go:noescape
func transposedNarrow12AVX512(t *outer)

//go:noescape
func transposedNarrow8AVX512(t *outer)

//go:noescape
func transposedNarrow4AVX512(t *outer)

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
func transposed6AVX2(t *outer)

//go:noescape
func transposed4AVX2(t *outer)

//go:noescape
func transposed2AVX2(t *outer)

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

//go:noescape
func planarWeightsAVX512(p *planarRun)

//go:noescape
func planarCotangentsAVX512(p *planarRun)

//go:noescape
func planarTapsAVX512(p *planarRun)

//go:noescape
func planarWeightsAVX2(p *planarRun)

//go:noescape
func planarCotangentsAVX2(p *planarRun)

//go:noescape
func planarTapsAVX2(p *planarRun)

//go:noescape
func planarPixelsAVX512(p *planarRun)

//go:noescape
func planarPixelsAVX2(p *planarRun)

//go:noescape
func planarProductsAVX512(p *planarRun)

//go:noescape
func planarProductsAVX2(p *planarRun)

//go:noescape
func planarProductsAddAVX512(p *planarRun)

//go:noescape
func planarProductsAddAVX2(p *planarRun)

//go:noescape
func transposeAVX512(t *transposeRun)

//go:noescape
func transposeAVX2(t *transposeRun)

//go:noescape
func prefetchLines(p *byte, lines int)

//go:noescape
func widenHalfAVX512(dst *float32, src *byte, n int)

//go:noescape
func widenHalfAVX2(dst *float32, src *byte, n int)

//go:noescape
func widenBrainAVX512(dst *float32, src *byte, n int)

//go:noescape
func widenBrainAVX2(dst *float32, src *byte, n int)

//go:noescape
func geluAVX512(s *sweep)

//go:noescape
func geluAVX2(s *sweep)

//go:noescape
func geluGradAVX512(s *sweep)

//go:noescape
func geluGradAVX2(s *sweep)

//go:noescape
func quickGELUAVX512(s *sweep)

//go:noescape
func quickGELUAVX2(s *sweep)

//go:noescape
func quickGELUGradAVX512(s *sweep)

//go:noescape
func quickGELUGradAVX2(s *sweep)

//go:noescape
func gegluAVX512(s *sweep)

//go:noescape
func gegluAVX2(s *sweep)

//go:noescape
func gegluGradAVX512(s *sweep)

//go:noescape
func gegluGradAVX2(s *sweep)

//go:noescape
func normSiLUAVX512(s *sweep)

//go:noescape
func normSiLUAVX2(s *sweep)

//go:noescape
func normSiLUGradAVX512(s *sweep)

//go:noescape
func normSiLUGradAVX2(s *sweep)

//go:noescape
func scaleAVX512(s *sweep)

//go:noescape
func scaleAVX2(s *sweep)

//go:noescape
func scaleGradAVX512(s *sweep)

//go:noescape
func rectifyAVX512(s *sweep)

//go:noescape
func rectifyGradAVX512(s *sweep)

//go:noescape
func largerAVX512(s *sweep)

//go:noescape
func largerGradAVX512(s *sweep)

//go:noescape
func scaleGradAVX2(s *sweep)

//go:noescape
func rectifyAVX2(s *sweep)

//go:noescape
func rectifyGradAVX2(s *sweep)

//go:noescape
func largerAVX2(s *sweep)

//go:noescape
func largerGradAVX2(s *sweep)

//go:noescape
func rowSumAVX512(r *rowRun)

//go:noescape
func rowSumAVX2(r *rowRun)

//go:noescape
func rowSquaresAVX512(r *rowRun)

//go:noescape
func rowSquaresAVX2(r *rowRun)

//go:noescape
func rowNormalizeAVX512(r *rowRun)

//go:noescape
func rowNormalizeAVX2(r *rowRun)

//go:noescape
func rowLayerSumsAVX512(r *rowRun)

//go:noescape
func rowLayerSumsAVX2(r *rowRun)

//go:noescape
func rowLayerPartsAVX512(r *rowRun)

//go:noescape
func rowLayerPartsAVX2(r *rowRun)

//go:noescape
func rowLayerSlopeAVX512(r *rowRun)

//go:noescape
func rowLayerSlopeAVX2(r *rowRun)

//go:noescape
func rowSlopeAVX512(r *rowRun)

//go:noescape
func rowSlopeAVX2(r *rowRun)

//go:noescape
func rowMultiplyAVX512(r *rowRun)

//go:noescape
func rowMultiplyAVX2(r *rowRun)

//go:noescape
func rowDotAVX512(r *rowRun)

//go:noescape
func rowDotAVX2(r *rowRun)

//go:noescape
func softmaxAVX512(s *softmaxRun)

//go:noescape
func softmaxAVX2(s *softmaxRun)

//go:noescape
func splitLeftAVX512(s *splitRun)

//go:noescape
func splitRightAVX512(s *splitRun)

//go:noescape
func amxProduct(t *tileRun)
