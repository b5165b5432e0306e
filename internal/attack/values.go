package attack

import (
	"math/rand/v2"
	"strings"
)

// numbers are values that a reader may take for a size.
var numbers = []string{
	"0", "-0", "1", "-1", "2", "0.5", "-0.5", "1.5", "70", "255", "256", "4096", "4097", "65535", "65536", "1048576", "10000000", "1000000000",
	"2147483647", "2147483648", "4294967295", "4294967296", "8000000000", "1099511627776", "4611686018427387904",
	"9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775808",
	"1e-300", "1e-45", "1e9", "1e38", "1e39", "1e90", "1e300", "1e308", "-1e308", "1e999", "-1e999", "5e-324", "1.7976931348623157e308",
}

// words are texts that a reader may print, look up or follow.
var words = []string{
	"", " ", "a", "\x1b[2J\x1b[31m", "a\nok", "\r", "\x00", "\xff\xfe", "../../../etc/passwd", "/", ".", "..", "NaN", "nan", "Infinity", "-Infinity", ".inf", "null", "~",
	"true", "no", "<<", "*a", "&a", "%s%n", "\u202egnp.exe", "f32", "F64", "BF16", "I64", "U8", "empty", "highways", "model", "__metadata__", strings.Repeat("long ", 2000),
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// often is true in most of the cases.
func often(r *rand.Rand) bool { return r.IntN(4) > 0 }

// Generator returns the random numbers of a case.
func Generator(seed, number uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, number)) }
