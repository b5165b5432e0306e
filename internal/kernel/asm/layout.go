package main

// Byte offsets of the argument structs of package kernel, each with its field. The command
// in offsets reads them from the structs and writes the numbers.
const (
	tileA        = 0   // tile.a
	tileB        = 8   // tile.b
	tileC        = 16  // tile.c
	tileBias     = 24  // tile.bias
	tileK        = 32  // tile.k
	tileAdd      = 40  // tile.add
	tileMask     = 48  // tile.mask
	tileWords    = 56  // tile.words
	tileARow     = 64  // tile.aRow
	tileCRow     = 160 // tile.cRow
	tileSegments = 256 // tile.segments
	tileJump     = 264 // tile.jump
	tileAhead    = 272 // tile.ahead

	outerA        = 0  // outer.a
	outerB        = 8  // outer.b
	outerC        = 16 // outer.c
	outerARow     = 24 // outer.aRow
	outerAJump    = 32 // outer.aJump
	outerBRow     = 40 // outer.bRow
	outerBJump    = 48 // outer.bJump
	outerCRow     = 56 // outer.cRow
	outerLength   = 64 // outer.length
	outerSegments = 72 // outer.segments
	outerAdd      = 80 // outer.add
	outerMask     = 88 // outer.mask
	outerWords    = 96 // outer.words

	sweepRows   = 0   // sweep.rows
	sweepCols   = 8   // sweep.cols
	sweepMask   = 16  // sweep.mask
	sweepWords  = 24  // sweep.words
	sweepMatrix = 32  // sweep.m: pointer and row stride of dst, x, y and two more
	sweepVector = 112 // sweep.v: pointers to vectors of one number per column

	clampDst     = 0   // clampRun.dst
	clampX       = 8   // clampRun.x
	clampTurns   = 16  // clampRun.turns
	clampLo      = 24  // clampRun.lo
	clampHi      = 28  // clampRun.hi
	clampOutside = 32  // clampRun.outside
	clampLowest  = 40  // clampRun.lowest
	clampHighest = 104 // clampRun.highest

	filterSrc       = 0  // filterRun.src
	filterDst       = 8  // filterRun.dst
	filterBias      = 16 // filterRun.bias
	filterSrcRow    = 24 // filterRun.srcRow
	filterDstRow    = 32 // filterRun.dstRow
	filterSkip      = 40 // filterRun.skip
	filterTurns     = 48 // filterRun.turns
	filterTileCount = 56 // filterRun.tiles

	planarSrc    = 0  // planarRun.src
	planarDst    = 8  // planarRun.dst
	planarWork   = 16 // planarRun.work
	planarBias   = 24 // planarRun.bias
	planarSrcRow = 32 // planarRun.srcRow
	planarDstRow = 40 // planarRun.dstRow
	planarSkip   = 48 // planarRun.skip
	planarTurns  = 56 // planarRun.turns
	planarCount  = 64 // planarRun.count
	planarLeast  = 72 // planarRun.least
	planarAt     = 80 // planarRun.at: 36 pointers

	transposeSrc    = 0  // transposeRun.src
	transposeDst    = 8  // transposeRun.dst
	transposeDstRow = 16 // transposeRun.dstRow
	transposeBlocks = 24 // transposeRun.blocks
	transposeRows   = 32 // transposeRun.rows: 16 byte offsets

	rowMatrix = 0  // rowRun.m
	rowTurns  = 32 // rowRun.turns: four pointers
	rowScalar = 40 // rowRun.scalar
	rowLanes  = 56 // rowRun.lanes: four numbers, two sums of 16 parts

	dotsWeights = 0  // dotsRun.weights: four pointers
	dotsRows    = 32 // dotsRun.rows: four pointers
	dotsTurns   = 64 // dotsRun.turns
	dotsSums    = 72 // dotsRun.sums: 16

	softmaxScores = 0  // softmaxRun.scores
	softmaxStride = 8  // softmaxRun.stride
	softmaxRows   = 16 // softmaxRun.rows
	softmaxTurns  = 24 // softmaxRun.turns
	softmaxScale  = 32 // softmaxRun.scale
	softmaxMost   = 40 // softmaxRun.most
	softmaxSum    = 48 // softmaxRun.sum
	softmaxShrink = 56 // softmaxRun.shrink

	normalDst     = 0   // normalRun.dst
	normalTurns   = 8   // normalRun.turns
	normalCounter = 16  // normalRun.counter: four words of eight blocks
	normalStep    = 272 // normalRun.step: what a turn adds to each word
	normalKey     = 304 // normalRun.key: two words per round

	adamMatrix = 0  // adam.p: parameters, gradient, first and second moment
	adamN      = 32 // adam.n
	adamMask   = 40 // adam.mask
	adamWords  = 48 // adam.words
	adamScalar = 56 // adam.scalar

	linkSize    = 480 // size of ChainLink
	linkP       = 0   // ChainLink.X
	linkF       = 64  // ChainLink.FX
	linkD       = 128 // ChainLink.DX: two vectors each
	linkU       = 192 // ChainLink.UX
	linkAcross  = 256 // ChainLink.Across
	linkV       = 288 // ChainLink.v
	linkG       = 352 // ChainLink.g: two and three
	linkRounded = 448 // ChainLink.RoundedX: two of half the size

	chainsLinks    = 0   // Chains.links
	chainsN        = 8   // Chains.n
	chainsLimit    = 16  // Chains.Limit
	chainsInverse  = 48  // Chains.Inverse
	chainsSoftest  = 80  // Chains.Softest
	chainsFloor    = 112 // Chains.Floor
	chainsSprings  = 144 // Chains.Springs
	chainsDone     = 176 // Chains.Done
	chainsSquares  = 208 // Chains.Squares
	chainsTight    = 240 // Chains.Tight
	chainsScale    = 272 // Chains.Scale
	chainsWorst    = 304 // Chains.worst
	chainsSum      = 336 // Chains.sum
	chainsSquare   = 368 // Chains.Square
	chainsReach    = 400 // Chains.Reach
	chainsFailed   = 432 // Chains.Failed
	chainsSquare32 = 464 // Chains.Square32

	tilesLeft    = 0   // tileRun.left
	tilesRight   = 8   // tileRun.right
	tilesDst     = 16  // tileRun.dst
	tilesTo      = 24  // tileRun.to
	tilesBias    = 32  // tileRun.bias
	tilesRows    = 40  // tileRun.rows
	tilesBlocks  = 48  // tileRun.blocks
	tilesAdd     = 56  // tileRun.add
	tilesMask    = 64  // tileRun.mask
	tilesScratch = 72  // tileRun.scratch
	tilesConfig  = 80  // tileRun.config
	tilesAhead   = 88  // tileRun.ahead: twice
	aheadAt      = 8   // ahead.at
	aheadLines   = 16  // ahead.lines
	aheadSize    = 24  // size of ahead
	tilesLeftAt  = 136 // tileRun.leftAt
	tilesToAt    = 144 // tileRun.toAt
	splitSrc     = 0   // splitRun.src
	splitFrom    = 8   // splitRun.from
	splitDst     = 16  // splitRun.dst
	splitRows    = 24  // splitRun.rows
	splitBlocks  = 32  // splitRun.blocks
	splitGroup   = 40  // splitRun.group
	splitMask    = 48  // splitRun.mask
	splitAhead   = 56  // splitRun.ahead

	spanTurns = 0  // span.turns
	spanX     = 8  // span.x
	spanOut   = 16 // span.out
	spanV     = 24 // span.v
	spanBase  = 32 // span.base
	spanP     = 40 // span.p
	spanW     = 64 // span.w
	spanSums  = 88 // span.sums
)
