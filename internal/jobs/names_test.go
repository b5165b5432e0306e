package jobs

import "testing"

// No word leads out of the folder of a job, also not as a part of a list.
func TestWords(t *testing.T) {
	for word, want := range map[string]bool{
		"eval": true, "0.1,0.2": true, "scene.yaml": true, "shared/model.safetensors": true, "-1": true, "a=b": true, "": true, "100,400,256,200,0.5": true, "..x": true,
		"/etc/passwd": false, "../x": false, "a/../../x": false, "a,/etc/passwd": false, "a=/etc/passwd": false, "~/x": false, `..\x`: false, "a, ../x": false, "..": false, "x\x00": false,
	} {
		if err := CheckWord(word); (err == nil) != want {
			t.Errorf("CheckWord(%q) = %v, want it good: %v", word, err, want)
		}
	}
}
