package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var sample = []file{{"pcd", []byte("program"), true}, {"LICENSE", []byte("terms"), false}}

func TestArchivesHoldTheirFiles(t *testing.T) {
	when := time.Unix(1_700_000_000, 0).UTC()
	packed, err := tarred("pcd-v1", sample, when)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := tarred("pcd-v1", sample, when); !bytes.Equal(again, packed) {
		t.Error("two archives of the same files differ")
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	for _, want := range sample {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || h.Name != "pcd-v1/"+want.name || h.Mode != want.mode() || !h.ModTime.Equal(when) || !bytes.Equal(got, want.data) {
			t.Errorf("%s: mode %o of %v with %q, %v", h.Name, h.Mode, h.ModTime, got, err)
		}
	}

	packed, err = zipped("pcd-v1", sample, when)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(opened.File) != len(sample) || opened.File[0].Name != "pcd-v1/pcd" {
		t.Errorf("the zip archive: %v", err)
	}
}

func TestPlatforms(t *testing.T) {
	if all, err := choose(""); err != nil || len(all) != len(platforms) {
		t.Errorf("all: %v, %v", all, err)
	}
	if some, err := choose("darwin-arm64,linux-amd64"); err != nil || len(some) != 2 || some[0].arch != "arm64" {
		t.Errorf("two: %v, %v", some, err)
	}
	if _, err := choose("plan9-386"); err == nil || !strings.Contains(err.Error(), "plan9-386") {
		t.Errorf("a platform that there is not: %v", err)
	}
}

// The program of this test names what it is made of, like the one that is published.
func TestMaterials(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m, err := readMaterials(self)
	if err != nil {
		t.Fatal(err)
	}
	m.modules = append(m.modules, module{"golang.org/x/sys", "v0.49.0", ""})
	notices, err := m.notices(t.Context())
	if err != nil || !bytes.Contains(notices, []byte("golang.org/x/sys v0.49.0")) || !bytes.Contains(notices, []byte("The Go Authors")) {
		t.Errorf("notices: %v, %.200s", err, notices)
	}
	bill, err := m.bill()
	var read struct {
		BOMFormat  string `json:"bomFormat"`
		Components []struct{ Name, Version, PURL string }
	}
	if err != nil || json.Unmarshal(bill, &read) != nil || read.BOMFormat != "CycloneDX" || len(read.Components) != len(m.modules)+1 {
		t.Errorf("bill: %v, %s", err, bill)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "code.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := addTerms(new(bytes.Buffer), "a module", dir); err == nil {
		t.Error("a module without a licence was taken")
	}
}
