package load

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	killed   = flag.Bool("killed", false, "kill services in the middle of their jobs")
	database = flag.String("database", "", "address of a PostgreSQL database: two services share it, one is killed")
	restart  = flag.String("restart", "", "command that restarts PostgreSQL")
)

// jobOf is a job as the service tells it.
type jobOf struct {
	ID       string
	State    string
	Message  string
	Attempts int
}

// commands are eight jobs of a second or some, with files of results that have no times in them.
var commands = map[string]string{
	"plan highways --robots 3 --seed 1": "samples.npz", "plan conveyor --robots 4 --seed 2": "samples.npz", "toy --pairs 20000": "pairs.npz", "toy --pairs 40000 --seed 1": "pairs.npz",
	"plan dropregion --method cd-shd --seed 3 --samples 8": "samples.npz", "toy --pairs 30000 --seed 2": "pairs.npz", "plan empty --robots 4 --seed 4": "samples.npz",
	"eval nav2d --maps highways --robots 2 --methods pcd-shd --vmax 0.7 --trials 6 --samples 4": "highways-n2-pcd-shd-v0.7-g0.2.json",
}

// times of every command.
const times = 5

// Of forty jobs none is lost and none is done twice, though services are killed in their
// middle, and the database is restarted; what they write is what the commands write.
func TestKilled(t *testing.T) {
	if !*killed {
		t.Skip("takes minutes: ask for it with -killed")
	}
	store := t.TempDir()
	args, env := []string{"--store", store, "--jobs", "2"}, []string{}
	if *database != "" {
		env = append(env, "PCD_DATABASE="+*database)
	}
	first := start(t, env, args...)
	asked := first
	if *database != "" {
		asked = start(t, env, args...)
	}
	mark := fmt.Sprint(time.Now().UnixNano())
	ids := map[string]string{}
	for line := range commands {
		for n := range times {
			key := fmt.Sprint(mark, line, n)
			ids[submit(t, asked.url, line, key)] = line
			if n == 0 && submit(t, asked.url, line, key) == "" { // the same again
				t.Fatal("no job")
			}
		}
	}
	if len(ids) != times*len(commands) {
		t.Fatalf("%d jobs, want %d", len(ids), times*len(commands))
	}
	waitFor(t, asked.url, ids, len(ids)/5)
	began := time.Now()
	first.kill()
	if asked == first {
		asked = start(t, env, args...)
	}
	waitFor(t, asked.url, ids, len(ids)/2)
	if *restart != "" {
		words := strings.Fields(*restart)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	all := waitFor(t, asked.url, ids, len(ids))
	attempts := 0
	for id, j := range all {
		attempts += j.Attempts - 1
		if j.State != "done" {
			t.Errorf("%s: %+v", ids[id], j)
		}
	}
	t.Logf("%d jobs were done %v after the kill; %d were begun again", len(all), time.Since(began).Round(time.Second), attempts)
	compare(t, asked.url, ids)
}

// submit submits a job and returns its id.
func submit(t *testing.T, url, line, key string) string {
	t.Helper()
	var j jobOf
	status, err := call(http.DefaultClient, url, "", "JobService/Submit", map[string]any{"command": strings.Fields(line), "key": key}, &j)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %v", line, status, err)
	}
	return j.ID
}

// waitFor waits until so many jobs have ended. An answer that fails is asked for again: the
// database may be away.
func waitFor(t *testing.T, url string, ids map[string]string, ended int) map[string]jobOf {
	t.Helper()
	for {
		all, n := map[string]jobOf{}, 0
		for id := range ids {
			var j jobOf
			if status, err := call(http.DefaultClient, url, "", "JobService/Get", map[string]any{"id": id}, &j); err != nil || status != http.StatusOK {
				continue
			}
			all[id] = j
			if j.State == "done" || j.State == "failed" || j.State == "cancelled" {
				n++
			}
		}
		if n >= ended {
			return all
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// compare compares what jobs have written with what the commands write.
func compare(t *testing.T, url string, ids map[string]string) {
	t.Helper()
	want := map[string][]byte{}
	for line, file := range commands {
		dir := t.TempDir()
		c := exec.Command(program(t), append(strings.Fields(line), "-o", "out")...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		data, err := os.ReadFile(filepath.Join(dir, "out", file))
		if err != nil {
			t.Fatal(err)
		}
		want[line] = untimed(t, file, data)
	}
	for id, line := range ids {
		r, err := http.Get(url + "/jobs/" + id + "/" + commands[line])
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v", line, r.StatusCode, err)
		}
		if got = untimed(t, commands[line], got); !bytes.Equal(got, want[line]) {
			t.Errorf("job %s, %s: %s differs from that of the command", id, line, commands[line])
		}
	}
}

// untimed returns a cell without what was measured with a clock, and other files as they are.
func untimed(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	if filepath.Ext(name) != ".json" {
		return data
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(without(v))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if strings.Contains(k, "second") || strings.Contains(k, "time") || k == "machine" {
				delete(v, k)
				continue
			}
			v[k] = without(v[k])
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return v
}
