//go:build amd64 && !purego

package kernel

// features are the instructions that kernels use, where the processor has them and the
// system keeps their registers.
type features struct{ avx2, fma, f16c, avx512, amx bool }

// The bits of the answers of the processor and of the system.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID and XCR0.
const (
	hasFMA, hasOSXSAVE, hasAVX, hasF16C = 1 << 12, 1 << 27, 1 << 28, 1 << 29 // leaf 1, C
	hasAVX2, hasAVX512F                 = 1 << 5, 1 << 16                    // leaf 7, B
	hasAMXBF16, hasAMXTile              = 1 << 22, 1 << 24                   // leaf 7, D

	keepsYMM, keepsZMM, keepsTiles = 0x6, 0xe6, 0x60000
)

// identify asks the processor and the system.
func identify() features {
	var f features
	highest, _, _, _ := cpuid(0, 0)
	if highest < 7 {
		return f
	}
	_, _, one, _ := cpuid(1, 0)
	if !all(one, hasOSXSAVE|hasAVX) {
		return f
	}
	kept, _ := xgetbv()
	if !all(kept, keepsYMM) {
		return f
	}
	_, b, _, d := cpuid(7, 0)
	f.fma, f.f16c, f.avx2 = all(one, hasFMA), all(one, hasF16C), all(b, hasAVX2)
	f.avx512 = all(kept, keepsZMM) && all(b, hasAVX512F)
	f.amx = all(kept, keepsTiles) && all(d, hasAMXBF16|hasAMXTile)
	return f
}

// all reports whether all bits of a mask are set.
func all(word, mask uint32) bool { return word&mask == mask }

// cpuid asks the processor; it is written in assembly.
func cpuid(leaf, part uint32) (a, b, c, d uint32)

// xgetbv returns which registers the system keeps.
func xgetbv() (low, high uint32)
