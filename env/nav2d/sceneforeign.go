package nav2d

import (
	"regexp"
	"strings"
)

// foreign is a kind of file that people have instead of a scene.
type foreign struct {
	is    func(text string) bool
	words string // what it is, and what to do with it today
}

// foreigners are tried in turn.
var foreigners = []foreign{
	{matches(`(?m)^"?image"?:`, `(?m)^"?resolution"?:`),
		"this describes a ROS map, whose walls are the dark pixels of an image, which are not read; " +
			"put the walls as boxes and polygons, in metres, into a scene whose bounds.min is x and y of its origin, and the robots with them"},
	{isImage,
		"this is an image, and walls are not read from pixels; put them as boxes, circles and polygons into a scene, and the robots with them"},
	{matches(`(?m)^levels:`, `(?m)^\s+(vertices|walls|lanes):`),
		"this is a building or a route graph of a traffic editor, which is not read; put its walls as boxes and polygons into a scene, and the robots with them"},
	{matches(`\Atype octile`),
		"this is a grid map of a path-finding benchmark, which is not read; put its blocked cells, joined to boxes, into a scene, and the robots with them"},
	{matches(`\Aversion 1(\.0)?\s`),
		"these are the trials of a path-finding benchmark, which are not read; put starts and goals as robots into a scene, with the blocked cells of the map as boxes"},
	{matches(`"type"\s*:\s*"(FeatureCollection|Feature|Polygon|MultiPolygon)"`),
		"this is GeoJSON, which is not read; put its outlines as convex polygons, in metres, into a scene, and the robots with them"},
	{isTable,
		"this is a table of numbers, which says nothing of obstacles and limits; put its starts and goals as robots into a scene " +
			"(robots: [{start: [x, y], goal: [x, y]}]), and paths that others drive as traffic ([seconds, x, y])"},
}

// matches returns whether a text matches all patterns.
func matches(patterns ...string) func(string) bool {
	var all []*regexp.Regexp
	for _, p := range patterns {
		all = append(all, regexp.MustCompile(p))
	}
	return func(text string) bool {
		for _, p := range all {
			if !p.MatchString(text) {
				return false
			}
		}
		return true
	}
}

// isImage knows the first bytes of images.
func isImage(text string) bool {
	for _, first := range []string{"\x89PNG", "\xff\xd8\xff", "GIF8", "P1\n", "P2\n", "P4\n", "P5\n", "P5 ", "P6\n"} {
		if strings.HasPrefix(text, first) {
			return true
		}
	}
	return false
}

// tableRow matches a row of two numbers or more.
var tableRow = regexp.MustCompile(`^\s*[-+]?[\d.]+(e[-+]?\d+)?(\s*[,;\t]\s*[^,;\t]*)+$`)

// isTable reports whether one of the first two rows holds numbers between separators, and
// none what a scene has.
func isTable(text string) bool {
	rows := strings.SplitN(strings.TrimSpace(text), "\n", 3)
	found := false
	for _, row := range rows[:min(2, len(rows))] {
		if strings.ContainsAny(row, ":[{") {
			return false
		}
		found = found || tableRow.MatchString(strings.TrimSpace(row))
	}
	return found
}

// recognised says in words what a file is that is no scene, "" where nobody knows.
func recognised(text string) string {
	for _, f := range foreigners {
		if f.is(text) {
			return f.words
		}
	}
	return ""
}
