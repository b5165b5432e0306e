package planner

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/manifest"
)

// saved plans a request and returns the folder with its files.
func saved(t *testing.T, r PlanRequest) (dir string, o *Outcome[PlanSummary]) {
	t.Helper()
	dir = t.TempDir()
	folder, err := OpenFolder(dir, []string{"pcd", "plan"})
	if err != nil {
		t.Fatal(err)
	}
	o, err = Do(t.Context(), &PlanTask{Request: r}, Watch{}, folder)
	if err != nil {
		t.Fatal(err)
	}
	return dir, o
}

// TestManifestOfPlan: the manifest says what was read, all settings behind the preset
// and the kernels, and covers the whole computation.
func TestManifestOfPlan(t *testing.T) {
	scene := crossing(1, "")
	dir, o := saved(t, PlanRequest{Task: "s.yaml", Scene: scene, Samples: new(2)})
	var m manifest.Manifest
	if err := json.Unmarshal([]byte(contents(t, dir)[manifest.FileName]), &m); err != nil {
		t.Fatal(err)
	}
	if in := m.Inputs["scene"]; in.Text != *scene || in.Path != "s.yaml" || in.SHA256 != manifest.DigestBytes([]byte(*scene)) {
		t.Errorf("scene: %+v", in)
	}
	if in := m.Inputs["model empty"]; len(in.SHA256) != 64 {
		t.Errorf("inputs: %+v, want the digest of the model", m.Inputs)
	}
	settings, err := json.Marshal(m.Settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"noise_scale":0.5`, `"exact_projection":true`, `"reference_distances":false`, `"project_every":1`} {
		if !bytes.Contains(settings, []byte(key)) {
			t.Errorf("settings %s lack %s", settings, key)
		}
	}
	if m.Machine.Kernel == "" || m.Status != manifest.Finished || m.Seconds < o.Summary.Seconds.Total || len(m.Files) != 5 {
		t.Errorf("manifest %+v", m)
	}
}

// TestArraysOfPlan: what samples.npz holds.
func TestArraysOfPlan(t *testing.T) {
	dir, _ := saved(t, PlanRequest{Task: "s.yaml", Scene: crossing(1, ""), Samples: new(3)})
	arrays, err := dataset.ReadNPZ(filepath.Join(dir, "samples.npz"), dataset.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, a := range arrays {
		text, err := json.Marshal(a.Shape)
		if err != nil {
			t.Fatal(err)
		}
		got[a.Name] = string(text)
	}
	for name, shape := range map[string]string{"trajectories": "[2,3,64,4]", "limits": "[2]", "starts": "[2,2]", "goals": "[2,2]", "times": "[64]", "origin": "[2]"} {
		if got[name] != shape {
			t.Errorf("%s has shape %s, want %s", name, got[name], shape)
		}
	}
}

// TestPageDataIsJSON: what the page shows, the plan and the samples, can be had without
// the page.
func TestPageDataIsJSON(t *testing.T) {
	dir, o := saved(t, PlanRequest{Task: "s.yaml", Scene: crossing(1, ""), Samples: new(2)})
	a, err := o.Pictures.Animation()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := a.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var page struct {
		Title string   `json:"title"`
		Takes []string `json:"takes"`
		Data  struct {
			Frames int `json:"frames"`
		} `json:"data"`
	}
	if err := json.Unmarshal(b.Bytes(), &page); err != nil || page.Data.Frames != 4*63+1 || len(page.Takes) != 3 || !strings.Contains(page.Title, "crossing") {
		t.Errorf("page %+v, error %v", page, err)
	}
	if html := contents(t, dir)["plan.html"]; !strings.Contains(html, page.Title) {
		t.Error("the page has another title")
	}
}
