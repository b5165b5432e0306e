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

// nameIt says how a map comes into a scene.
const nameIt = "name it in a scene (map: {file: NAME}), and the robots with it"

// foreigners are tried in turn.
var foreigners = []foreign{
	{matches(`(?m)^"?image"?:`, `(?m)^"?resolution"?:`), "this describes a ROS map; " + nameIt},
	{isImage, "this is an image; " + strings.Replace(nameIt, "it", "the YAML file that says its resolution and origin", 1)},
	{matches(`(?m)^levels:`, `(?m)^\s+(vertices|walls|lanes):`), "this is a building or a route graph of a traffic editor; " + nameIt},
	{matches(`\Atype octile`), "this is a grid map of a path-finding benchmark; " + nameIt},
	{matches(`\Aversion 1(\.0)?\s`),
		"these are the trials of a path-finding benchmark; name them in a scene, beside their map (map: {file: NAME}, team: {file: NAME, count: 50, radius: 0.3, speed: 2})"},
	{matches(`"type"\s*:\s*"(FeatureCollection|Feature|Polygon|MultiPolygon)"`), "this is GeoJSON; " + nameIt},
	{isTable,
		"this is a table of numbers, which says nothing of obstacles and limits; put its starts and goals as robots into a scene " +
			"(robots: [{start: [x, y], goal: [x, y]}], or team: {file: NAME} for a table with a header), and paths that others drive as traffic ([seconds, x, y])"},
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
