package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// processor writes the functions that ask the processor what it is, and the system which
// registers it keeps.
func processor() {
	TEXT("cpuid", NOSPLIT, "func(leaf, part uint32) (a, b, c, d uint32)")
	Load(Param("leaf"), reg.EAX)
	Load(Param("part"), reg.ECX)
	CPUID()
	Store(reg.EAX, Return("a"))
	Store(reg.EBX, Return("b"))
	Store(reg.ECX, Return("c"))
	Store(reg.EDX, Return("d"))
	RET()

	TEXT("xgetbv", NOSPLIT, "func() (low, high uint32)")
	XORL(reg.ECX, reg.ECX)
	XGETBV()
	Store(reg.EAX, Return("low"))
	Store(reg.EDX, Return("high"))
	RET()
}
