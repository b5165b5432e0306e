package maps

import (
	"math"
	"strings"
	"testing"
)

// Files as people have them: of other editors, hands and converters.
func TestOddFiles(t *testing.T) {
	ros := func(old, new string) string { return strings.Replace(rosText, old, new, 1) }
	const grey = "P5 2 1 255\n\x00\xfe" // the left cell is blocked
	ring := func(points string) string { return `{"type": "Polygon", "coordinates": [` + points + `]}` }
	const square = "[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]"
	for name, c := range map[string]struct {
		text, image string
		area        float64 // of what is blocked
	}{
		"lines of Windows":                 {strings.ReplaceAll(rosText, "\n", "\r\n"), grey, 0.25},
		"a mark of the order of bytes":     {"\xef\xbb\xbf" + rosText, grey, 0.25},
		"numbers as text":                  {ros("0.5", "5e-1"), grey, 0.25},
		"truth in words":                   {ros("negate: 0", "negate: False"), grey, 0.25},
		"negated":                          {ros("negate: 0", "negate: yes"), grey, 0.25},
		"more keys, a comment, a document": {"---\n# saved by hand\nfloor: 3\n" + rosText, grey, 0.25},
		"keys in quotes":                   {ros("image: a.pgm", "\"image\": 'a.pgm'"), grey, 0.25},
		"a mode in capitals":               {rosText + "mode: Trinary\n", grey, 0.25},
		"an origin over lines":             {ros("[0, 0, 0]", "\n- -10.000000\n- -5\n- 0.0"), grey, 0.25},
		"comments of an image":             {rosText, "P5\n# CREATOR: GIMP\n2 1 # two\n#one\n255\n\x00\xfe", 0.25},
		"a first pixel that looks blank":   {rosText, "P5\n2 1\n255\n\x0a\xfe", 0.25},
		"sixteen bits":                     {rosText, "P5 2 1 65535\n\x00\xff\xfe\xfe", 0.25},
		"twelve bits":                      {rosText, "P5 2 1 4095\n\x00\x00\x0f\xff", 0.25},
		"more bytes than pixels":           {rosText, grey + "\n\n", 0.25},
		"a plain image on one line":        {rosText, "P2 2 1 255 0 254", 0.25},

		"clockwise":              {ring("[[0, 0], [0, 4], [4, 4], [4, 0], [0, 0]]"), "", 16},
		"a hole the same way":    {ring(square + ", [[1, 1], [2, 1], [2, 2], [1, 2], [1, 1]]"), "", 15},
		"a hole the other way":   {ring(square + ", [[1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]"), "", 15},
		"a hole at the edge":     {ring(square + ", [[0, 1], [1, 1], [1, 2], [0, 2], [0, 1]]"), "", 15},
		"a hole at a corner":     {ring(square + ", [[0, 0], [1, 0.5], [0.5, 1], [0, 0]]"), "", 16 - 0.375},
		"nothing but a hole":     {ring(square + ", " + square), "", 0},
		"points that repeat":     {ring("[[0, 0], [0, 0], [4, 0], [4, 0], [4, 4], [2, 4], [0, 4], [0, 0]]"), "", 16},
		"heights":                {ring("[[0, 0, 7], [4, 0, 7.5], [4, 4, 8], [0, 4, 7], [0, 0, 7]]"), "", 16},
		"an edge there and back": {ring("[[0, 0], [6, 0], [4, 0], [4, 4], [0, 4], [0, 0]]"), "", 16},
		"nothing said of others": {`{"type": "FeatureCollection", "name": "x", "crs": null, "features": [{"type": "Feature", "geometry": null, "properties": null},
			{"type": "Feature", "id": 7, "properties": null, "geometry": {"type": "GeometryCollection", "geometries": [` + ring(square) + `]}}]}`, "", 16},
		"overlaps": {`{"type": "MultiPolygon", "coordinates": [[` + square + `], [[[2, 2], [6, 2], [6, 6], [2, 6], [2, 2]]]]}`, "", 28},
	} {
		m, err := Read(of(map[string]string{"m": c.text, "a.pgm": c.image}), "m", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if area := unionArea(m.Obstacles); math.Abs(area-c.area) > 1e-9 {
			t.Errorf("%s: %v is blocked, want %v", name, area, c.area)
		}
	}
}
