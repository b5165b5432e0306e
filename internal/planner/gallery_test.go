package planner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every example is in the gallery, with a small picture.
func TestGalleryShowsEveryExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/gallery.md")
	if err != nil {
		t.Fatal(err)
	}
	scenes, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(scenes) < 10 {
		t.Fatalf("%d examples, %v", len(scenes), err)
	}
	for _, scene := range scenes {
		name := strings.TrimSuffix(filepath.Base(scene), ".yaml")
		picture, err := os.Stat("../../docs/gallery/" + name + ".png")
		if err != nil || picture.Size() > 150_000 {
			t.Errorf("picture of %s: %v", name, err)
		}
		for _, link := range []string{"(gallery/" + name + ".png)", "(../examples/" + name + ".yaml)"} {
			if !strings.Contains(string(page), link) {
				t.Errorf("the gallery has no link %s", link)
			}
		}
	}
}
