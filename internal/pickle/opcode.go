package pickle

// The instructions of protocols 2 to 5 that Python's pickler writes. The text
// instructions of protocols 0 and 1 have no entry and are refused.
const (
	opMark            = '('
	opStop            = '.'
	opPop             = '0'
	opPopMark         = '1'
	opDup             = '2'
	opBinInt          = 'J'
	opBinInt1         = 'K'
	opBinInt2         = 'M'
	opNone            = 'N'
	opBinPersID       = 'Q'
	opReduce          = 'R'
	opBinString       = 'T'
	opShortBinString  = 'U'
	opBinUnicode      = 'X'
	opAppend          = 'a'
	opBuild           = 'b'
	opGlobal          = 'c'
	opAppends         = 'e'
	opBinGet          = 'h'
	opLongBinGet      = 'j'
	opSetItem         = 's'
	opTuple           = 't'
	opSetItems        = 'u'
	opBinPut          = 'q'
	opLongBinPut      = 'r'
	opEmptyDict       = '}'
	opEmptyList       = ']'
	opEmptyTuple      = ')'
	opBinFloat        = 'G'
	opBinBytes        = 'B'
	opShortBinBytes   = 'C'
	opProto           = 0x80
	opNewObj          = 0x81
	opTuple1          = 0x85
	opTuple2          = 0x86
	opTuple3          = 0x87
	opNewTrue         = 0x88
	opNewFalse        = 0x89
	opLong1           = 0x8a
	opLong4           = 0x8b
	opShortBinUnicode = 0x8c
	opBinUnicode8     = 0x8d
	opBinBytes8       = 0x8e
	opEmptySet        = 0x8f
	opAddItems        = 0x90
	opFrozenSet       = 0x91
	opNewObjEx        = 0x92
	opStackGlobal     = 0x93
	opMemoize         = 0x94
	opFrame           = 0x95
	opByteArray8      = 0x96
)

// The protocols whose pickles are read.
const minProtocol, maxProtocol = 2, 5
