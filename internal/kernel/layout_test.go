//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Fields that only assembly reads.
var _ = []any{ChainLink{}.g, tileRun{}.leftAt, tileRun{}.toAt, ahead{}.at}

// TestGeneratorKnowsTheLayout compares the offsets that the assembly was written with to
// the structs.
func TestGeneratorKnowsTheLayout(t *testing.T) {
	src, err := os.ReadFile("asm/layout.go")
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string]reflect.Type{}
	for _, v := range []any{tile{}, outer{}, sweep{}, adam{}, normalRun{}, clampRun{}, filterRun{}, planarRun{}, transposeRun{}, rowRun{},
		softmaxRun{}, ChainLink{}, Chains{}, span{}, tileRun{}, splitRun{}, ahead{}, dotsRun{}} {
		structs[reflect.TypeOf(v).Name()] = reflect.TypeOf(v)
	}
	rows := regexp.MustCompile(`(?m)^\s*\w+\s*= (\d+)\s*// (?:size of )?(\w+)(?:\.(\w+))?`).FindAllStringSubmatch(string(src), -1)
	if len(rows) < 130 {
		t.Errorf("asm/layout.go has %d offsets", len(rows))
	}
	for _, row := range rows {
		of, ok := structs[row[2]]
		if !ok {
			t.Errorf("asm/layout.go: there is no struct %s", row[2])
			continue
		}
		want := of.Size()
		if field, ok := of.FieldByName(row[3]); ok {
			want = field.Offset
		} else if row[3] != "" {
			t.Errorf("asm/layout.go: %s has no field %s", row[2], row[3])
		}
		if row[1] != fmt.Sprint(want) {
			t.Errorf("asm/layout.go: %s.%s is at %s, want %d: run go generate", row[2], row[3], row[1], want)
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
