package main

// Byte offsets of the argument structs of package kernel; a test there compares
// them with the structs.
const (
	tileA, tileB, tileC, tileBias = 0, 8, 16, 24
	tileK, tileAdd                = 32, 40
	tileMask, tileWords           = 48, 56
	tileARow, tileCRow            = 64, 160
	tileSegments, tileJump        = 256, 264

	outerA, outerB, outerC     = 0, 8, 16
	outerARow, outerAJump      = 24, 32
	outerBRow, outerBJump      = 40, 48
	outerCRow                  = 56
	outerLength, outerSegments = 64, 72
	outerAdd                   = 80
	outerMask, outerWords      = 88, 96

	sweepRows, sweepCols  = 0, 8
	sweepMask, sweepWords = 16, 24
	sweepMatrix           = 32  // pointer and row stride of dst, x, y and two more
	sweepVector           = 112 // pointers to vectors of one number per column

	clampDst, clampX, clampTurns = 0, 8, 16
	clampLo, clampHi             = 24, 28
	clampOutside                 = 32
	clampLowest, clampHighest    = 40, 104

	filterSrc, filterDst, filterBias = 0, 8, 16
	filterSrcRow, filterDstRow       = 24, 32
	filterSkip                       = 40
	filterTurns, filterTileCount     = 48, 56

	planarSrc, planarDst, planarWork, planarBias = 0, 8, 16, 24
	planarSrcRow, planarDstRow                   = 32, 40
	planarSkip, planarTurns, planarCount         = 48, 56, 64
	planarAt                                     = 72 // 36 pointers

	transposeSrc, transposeDst       = 0, 8
	transposeDstRow, transposeBlocks = 16, 24
	transposeRows                    = 32 // 16 byte offsets

	rowMatrix, rowTurns = 0, 32  // four pointers
	rowScalar, rowLanes = 40, 56 // four numbers, two sums of 16 parts

	softmaxScores, softmaxStride            = 0, 8
	softmaxRows, softmaxTurns, softmaxScale = 16, 24, 32
	softmaxMost, softmaxSum, softmaxShrink  = 40, 48, 56

	normalDst, normalTurns = 0, 8
	normalCounter          = 16  // four words of eight blocks
	normalStep             = 272 // what a turn adds to each word
	normalKey              = 304 // two words per round

	adamMatrix          = 0 // parameters, gradient, first and second moment
	adamN               = 32
	adamMask, adamWords = 40, 48
	adamScalar          = 56

	linkSize            = 480
	linkP, linkF, linkD = 0, 64, 128 // two vectors each
	linkU, linkAcross   = 192, 256
	linkV, linkG        = 288, 352 // two and three
	linkRounded         = 448      // two of half the size

	chainsLinks, chainsN                      = 0, 8
	chainsLimit, chainsInverse, chainsSoftest = 16, 48, 80
	chainsFloor, chainsSprings, chainsDone    = 112, 144, 176
	chainsSquares, chainsTight, chainsScale   = 208, 240, 272
	chainsWorst, chainsSum                    = 304, 336
	chainsSquare, chainsReach, chainsFailed   = 368, 400, 432
	chainsSquare32                            = 464

	tilesLeft, tilesRight, tilesDst, tilesTo = 0, 8, 16, 24
	tilesBias, tilesRows, tilesBlocks        = 32, 40, 48
	tilesAdd, tilesMask                      = 56, 64
	tilesScratch, tilesConfig                = 72, 80
	tilesAhead                               = 88 // twice
	aheadAt, aheadLines, aheadSize           = 8, 16, 24
	tilesLeftAt, tilesToAt                   = 136, 144
	splitSrc, splitFrom, splitDst            = 0, 8, 16
	splitRows, splitBlocks, splitGroup       = 24, 32, 40
	splitMask, splitAhead                    = 48, 56

	spanTurns, spanX, spanOut = 0, 8, 16
	spanV, spanBase, spanP    = 24, 32, 40
	spanW, spanSums           = 64, 88
)
