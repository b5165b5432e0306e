//go:build amd64 && !purego

package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// TestGeneratorKnowsTheLayout compares the offsets that the generator was written
// with to the structs.
func TestGeneratorKnowsTheLayout(t *testing.T) {
	src, err := os.ReadFile("asm/layout.go")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\s*([\w, ]+?)\s*=\s*([\d, ]+?)\s*(//.*)?$`).FindAllStringSubmatch(string(src), -1) {
		names, values := regexp.MustCompile(`\w+`).FindAllString(m[1], -1), regexp.MustCompile(`\d+`).FindAllString(m[2], -1)
		for i, n := range names {
			got[n], _ = strconv.Atoi(values[i])
		}
	}
	var ti tile
	var o outer
	var s sweep
	var a adam
	var n normalRun
	var cl clampRun
	var fr filterRun
	var pl planarRun
	var tr transposeRun
	var row rowRun
	var sm softmaxRun
	var l ChainLink
	var ch Chains
	var sp span
	var product tileRun
	var apart splitRun
	for name, want := range map[string]uintptr{
		"tilesLeft": unsafe.Offsetof(product.left), "tilesRight": unsafe.Offsetof(product.right), "tilesDst": unsafe.Offsetof(product.dst),
		"tilesTo": unsafe.Offsetof(product.to), "tilesBias": unsafe.Offsetof(product.bias), "tilesRows": unsafe.Offsetof(product.rows),
		"tilesBlocks": unsafe.Offsetof(product.blocks), "tilesAdd": unsafe.Offsetof(product.add), "tilesMask": unsafe.Offsetof(product.mask),
		"tilesScratch": unsafe.Offsetof(product.scratch), "tilesConfig": unsafe.Offsetof(product.config), "tilesAhead": unsafe.Offsetof(product.ahead), "aheadAt": unsafe.Offsetof(product.ahead[0].at), "aheadLines": unsafe.Offsetof(product.ahead[0].lines), "aheadSize": unsafe.Sizeof(product.ahead[0]), "tilesLeftAt": unsafe.Offsetof(product.leftAt), "tilesToAt": unsafe.Offsetof(product.toAt),
		"splitSrc": unsafe.Offsetof(apart.src), "splitFrom": unsafe.Offsetof(apart.from), "splitDst": unsafe.Offsetof(apart.dst),
		"splitRows": unsafe.Offsetof(apart.rows), "splitBlocks": unsafe.Offsetof(apart.blocks), "splitGroup": unsafe.Offsetof(apart.group),
		"splitMask": unsafe.Offsetof(apart.mask), "splitAhead": unsafe.Offsetof(apart.ahead),
		"tileA": unsafe.Offsetof(ti.a), "tileB": unsafe.Offsetof(ti.b), "tileC": unsafe.Offsetof(ti.c),
		"tileBias": unsafe.Offsetof(ti.bias), "tileK": unsafe.Offsetof(ti.k), "tileAdd": unsafe.Offsetof(ti.add),
		"tileMask": unsafe.Offsetof(ti.mask), "tileWords": unsafe.Offsetof(ti.words),
		"tileARow": unsafe.Offsetof(ti.aRow), "tileCRow": unsafe.Offsetof(ti.cRow),
		"tileSegments": unsafe.Offsetof(ti.segments), "tileJump": unsafe.Offsetof(ti.jump),
		"outerA": unsafe.Offsetof(o.a), "outerB": unsafe.Offsetof(o.b), "outerC": unsafe.Offsetof(o.c),
		"outerARow": unsafe.Offsetof(o.aRow), "outerAJump": unsafe.Offsetof(o.aJump),
		"outerBRow": unsafe.Offsetof(o.bRow), "outerBJump": unsafe.Offsetof(o.bJump),
		"outerCRow": unsafe.Offsetof(o.cRow), "outerLength": unsafe.Offsetof(o.length),
		"outerSegments": unsafe.Offsetof(o.segments), "outerAdd": unsafe.Offsetof(o.add),
		"outerMask": unsafe.Offsetof(o.mask), "outerWords": unsafe.Offsetof(o.words),
		"sweepRows": unsafe.Offsetof(s.rows), "sweepCols": unsafe.Offsetof(s.cols),
		"sweepMask": unsafe.Offsetof(s.mask), "sweepWords": unsafe.Offsetof(s.words),
		"sweepMatrix": unsafe.Offsetof(s.m), "sweepVector": unsafe.Offsetof(s.v),
		"adamMatrix": unsafe.Offsetof(a.p), "adamN": unsafe.Offsetof(a.n), "adamMask": unsafe.Offsetof(a.mask),
		"adamWords": unsafe.Offsetof(a.words), "adamScalar": unsafe.Offsetof(a.scalar),
		"clampDst": unsafe.Offsetof(cl.dst), "clampX": unsafe.Offsetof(cl.x), "clampTurns": unsafe.Offsetof(cl.turns),
		"clampLo": unsafe.Offsetof(cl.lo), "clampHi": unsafe.Offsetof(cl.hi), "clampOutside": unsafe.Offsetof(cl.outside),
		"clampLowest": unsafe.Offsetof(cl.lowest), "clampHighest": unsafe.Offsetof(cl.highest),
		"filterSrc": unsafe.Offsetof(fr.src), "filterDst": unsafe.Offsetof(fr.dst), "filterBias": unsafe.Offsetof(fr.bias),
		"filterSrcRow": unsafe.Offsetof(fr.srcRow), "filterDstRow": unsafe.Offsetof(fr.dstRow),
		"filterSkip": unsafe.Offsetof(fr.skip), "filterTurns": unsafe.Offsetof(fr.turns),
		"filterTileCount": unsafe.Offsetof(fr.tiles),
		"planarSrc":       unsafe.Offsetof(pl.src), "planarDst": unsafe.Offsetof(pl.dst), "planarWork": unsafe.Offsetof(pl.work),
		"planarBias": unsafe.Offsetof(pl.bias), "planarSrcRow": unsafe.Offsetof(pl.srcRow), "planarDstRow": unsafe.Offsetof(pl.dstRow),
		"planarSkip": unsafe.Offsetof(pl.skip), "planarTurns": unsafe.Offsetof(pl.turns), "planarCount": unsafe.Offsetof(pl.count),
		"planarAt": unsafe.Offsetof(pl.at), "transposeSrc": unsafe.Offsetof(tr.src), "transposeDst": unsafe.Offsetof(tr.dst),
		"transposeDstRow": unsafe.Offsetof(tr.dstRow), "transposeBlocks": unsafe.Offsetof(tr.blocks), "transposeRows": unsafe.Offsetof(tr.rows),
		"rowMatrix": unsafe.Offsetof(row.m), "rowTurns": unsafe.Offsetof(row.turns),
		"rowScalar": unsafe.Offsetof(row.scalar), "rowLanes": unsafe.Offsetof(row.lanes),
		"softmaxScores": unsafe.Offsetof(sm.scores), "softmaxStride": unsafe.Offsetof(sm.stride),
		"softmaxRows": unsafe.Offsetof(sm.rows), "softmaxTurns": unsafe.Offsetof(sm.turns), "softmaxScale": unsafe.Offsetof(sm.scale),
		"softmaxMost": unsafe.Offsetof(sm.most), "softmaxSum": unsafe.Offsetof(sm.sum), "softmaxShrink": unsafe.Offsetof(sm.shrink),
		"normalDst": unsafe.Offsetof(n.dst), "normalTurns": unsafe.Offsetof(n.turns),
		"normalCounter": unsafe.Offsetof(n.counter), "normalStep": unsafe.Offsetof(n.step), "normalKey": unsafe.Offsetof(n.key),
		"linkSize": unsafe.Sizeof(l), "linkP": unsafe.Offsetof(l.X), "linkF": unsafe.Offsetof(l.FX),
		"linkD": unsafe.Offsetof(l.DX), "linkU": unsafe.Offsetof(l.UX), "linkAcross": unsafe.Offsetof(l.Across),
		"linkV": unsafe.Offsetof(l.v), "linkG": unsafe.Offsetof(l.g), "linkRounded": unsafe.Offsetof(l.RoundedX),
		"chainsLinks": unsafe.Offsetof(ch.links), "chainsN": unsafe.Offsetof(ch.n),
		"chainsLimit": unsafe.Offsetof(ch.Limit), "chainsInverse": unsafe.Offsetof(ch.Inverse),
		"chainsSoftest": unsafe.Offsetof(ch.Softest), "chainsFloor": unsafe.Offsetof(ch.Floor),
		"chainsSprings": unsafe.Offsetof(ch.Springs), "chainsDone": unsafe.Offsetof(ch.Done),
		"chainsSquares": unsafe.Offsetof(ch.Squares), "chainsTight": unsafe.Offsetof(ch.Tight),
		"chainsScale": unsafe.Offsetof(ch.Scale), "chainsWorst": unsafe.Offsetof(ch.worst),
		"chainsSum": unsafe.Offsetof(ch.sum), "chainsSquare": unsafe.Offsetof(ch.Square),
		"chainsReach": unsafe.Offsetof(ch.Reach), "chainsFailed": unsafe.Offsetof(ch.Failed),
		"chainsSquare32": unsafe.Offsetof(ch.Square32),
		"spanTurns":      unsafe.Offsetof(sp.turns), "spanX": unsafe.Offsetof(sp.x), "spanOut": unsafe.Offsetof(sp.out),
		"spanV": unsafe.Offsetof(sp.v), "spanBase": unsafe.Offsetof(sp.base), "spanP": unsafe.Offsetof(sp.p),
		"spanW": unsafe.Offsetof(sp.w), "spanSums": unsafe.Offsetof(sp.sums),
	} {
		if at, ok := got[name]; !ok || at != int(want) {
			t.Errorf("asm/layout.go: %s = %d (present: %v), want %d", name, at, ok, want)
		}
	}
}

// TestAVX2KernelsRunWithoutAVX512 looks for registers that only AVX-512 has, which the
// generator hands out when it runs out of the others.
func TestAVX2KernelsRunWithoutAVX512(t *testing.T) {
	files, err := filepath.Glob("*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("assembly: %v, %v", files, err)
	}
	beyond := regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K[1-7])\b`)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range strings.Split(string(src), "\nTEXT ")[1:] {
			name, body, _ := strings.Cut(text, "(SB)")
			if r := beyond.FindString(body); strings.HasSuffix(name, "AVX2") && r != "" {
				t.Errorf("%s: %s uses %s", file, name, r)
			}
		}
	}
}
