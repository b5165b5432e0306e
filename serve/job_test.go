package serve

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/internal/jobs"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// kept are jobs that are done at once: their results are their words, in a file.
type kept struct {
	store  *jobs.Store
	mu     sync.Mutex
	jobs   []*jobs.Job
	owners []string
	folder []string
}

func (k *kept) Submit(_ context.Context, owner string, s jobs.Spec) (*jobs.Job, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(s.Command) == 0 || s.Command[0] != "plan" {
		return nil, &jobs.SpecError{Field: "command", Value: strings.Join(s.Command, " "), Reason: "want plan"}
	}
	if len(k.jobs) == 5 {
		return nil, &jobs.FullError{What: "jobs", Have: 5, Max: 5}
	}
	folder, err := k.store.Create(s.Files, nil)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(k.store.Folder(folder).Work(), jobs.OutName)
	if err := os.Mkdir(out, 0o700); err != nil {
		return nil, err
	}
	text := []byte(strings.Repeat(strings.Join(s.Command, " ")+"\n", 100000))
	j := &jobs.Job{ID: strconv.Itoa(len(k.jobs) + 1), Command: s.Command, State: jobs.Done, Progress: jobs.Progress{Stage: "sampling", Done: 1, Total: 1}}
	k.jobs, k.owners, k.folder = append(k.jobs, j), append(k.owners, owner), append(k.folder, folder)
	return j, os.WriteFile(filepath.Join(out, "words.txt"), text, 0o600)
}

func (k *kept) find(owner, id string) (job *jobs.Job, folder string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n, err := strconv.Atoi(id); err == nil && n > 0 && n <= len(k.jobs) && k.owners[n-1] == owner {
		return k.jobs[n-1], k.folder[n-1], nil
	}
	return nil, "", &jobs.NotFoundError{What: "job", Name: id}
}

func (k *kept) Get(_ context.Context, owner, id string) (*jobs.Job, error) {
	j, _, err := k.find(owner, id)
	return j, err
}

func (k *kept) Cancel(ctx context.Context, owner, id string) (*jobs.Job, error) {
	return k.Get(ctx, owner, id)
}

func (k *kept) List(_ context.Context, owner, _ string, most int) (all []*jobs.Job, _ error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, j := range k.jobs {
		if k.owners[i] == owner && len(all) < most {
			all = append(all, j)
		}
	}
	return all, nil
}

func (k *kept) Results(_ context.Context, owner, id string) (*jobs.Results, error) {
	_, folder, err := k.find(owner, id)
	if err != nil {
		return nil, err
	}
	return k.store.Folder(folder).Results()
}

// withJobs returns a server of jobs, and its address.
func withJobs(t *testing.T, c Config) string {
	t.Helper()
	store, err := jobs.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.Jobs = &kept{store: store}
	_, url := start(t, c)
	return url
}

// Every protocol submits a job, finds it and reads its files to the last byte.
func TestJobCalls(t *testing.T) {
	url := withJobs(t, Config{})
	for name, c := range map[string]pcdv1connect.JobServiceClient{
		"json": pcdv1connect.NewJobServiceClient(http.DefaultClient, url, connect.WithProtoJSON()),
		"grpc": pcdv1connect.NewJobServiceClient(overHTTP2(), url, connect.WithGRPC()),
	} {
		j, err := c.Submit(t.Context(), connect.NewRequest(&pb.SubmitRequest{Command: []string{"plan", name}}))
		if err != nil {
			t.Fatal(name, err)
		}
		id := j.Msg.GetId()
		got, err := c.Get(t.Context(), connect.NewRequest(&pb.GetRequest{Id: id}))
		if err != nil || got.Msg.GetState() != "done" || got.Msg.GetProgress().GetStage() != "sampling" || !slices.Equal(got.Msg.GetCommand(), []string{"plan", name}) {
			t.Errorf("%s: %v %v", name, got, err)
		}
		if _, err := c.Cancel(t.Context(), connect.NewRequest(&pb.CancelRequest{Id: id})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var content []byte
		for {
			part, err := c.Result(t.Context(), connect.NewRequest(&pb.ResultRequest{Id: id, File: "words.txt", Offset: int64(len(content))}))
			if err != nil {
				t.Fatal(name, err)
			}
			if content = append(content, part.Msg.GetContent()...); int64(len(content)) == part.Msg.GetSize() {
				break
			}
		}
		if want := strings.Repeat("plan "+name+"\n", 100000); string(content) != want {
			t.Errorf("%s: %d bytes, want %d", name, len(content), len(want))
		}
	}
	r, err := http.Get(url + "/jobs/1/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || r.StatusCode != http.StatusOK || !strings.HasPrefix(string(text), "plan ") || r.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("%d, %d bytes, %v", r.StatusCode, len(text), err)
	}
}

// What is wrong with jobs is told by codes.
func TestJobRefusals(t *testing.T) {
	url, none := withJobs(t, Config{}), ""
	_, none = start(t, Config{})
	c := pcdv1connect.NewJobServiceClient(http.DefaultClient, url)
	code := func(err error) connect.Code { return connect.CodeOf(err) }
	for range 5 {
		if _, err := c.Submit(t.Context(), connect.NewRequest(&pb.SubmitRequest{Command: []string{"plan"}})); err != nil {
			t.Fatal(err)
		}
	}
	result := func(id, file string, offset int64) error {
		_, err := c.Result(t.Context(), connect.NewRequest(&pb.ResultRequest{Id: id, File: file, Offset: offset}))
		return err
	}
	_, full := c.Submit(t.Context(), connect.NewRequest(&pb.SubmitRequest{Command: []string{"plan"}}))
	_, other := c.Submit(t.Context(), connect.NewRequest(&pb.SubmitRequest{Command: []string{"serve"}}))
	_, missing := c.Get(t.Context(), connect.NewRequest(&pb.GetRequest{Id: "6"}))
	_, many := c.List(t.Context(), connect.NewRequest(&pb.ListRequest{Most: 1000}))
	_, without := pcdv1connect.NewJobServiceClient(http.DefaultClient, none).List(t.Context(), connect.NewRequest(&pb.ListRequest{}))
	for name, w := range map[string]struct {
		err  error
		want connect.Code
	}{
		"a job too many": {full, connect.CodeResourceExhausted}, "another command": {other, connect.CodeInvalidArgument}, "none": {missing, connect.CodeNotFound},
		"a long page": {many, connect.CodeInvalidArgument}, "without a store": {without, connect.CodeUnimplemented},
		"a file above": {result("1", "../../words.txt", 0), connect.CodeNotFound}, "a file elsewhere": {result("1", "/etc/hostname", 0), connect.CodeNotFound},
		"before the beginning": {result("1", "words.txt", -1), connect.CodeInvalidArgument}, "an offset of no file": {result("1", "", 5), connect.CodeInvalidArgument},
	} {
		if code(w.err) != w.want {
			t.Errorf("%s: %v, want %v", name, w.err, w.want)
		}
	}
	for path, want := range map[string]int{"/jobs/1/..%2f..%2fwords.txt": 404, "/jobs/9/words.txt": 404, "/jobs/1/%2fetc%2fhostname": 404, "/jobs/1/": 404} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, r.StatusCode, want)
		}
	}
}

// A client sees its own jobs, and files only with its token.
func TestJobsOfClients(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte("ada 0123456789abcdef\nbob fedcba9876543210\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := withJobs(t, Config{Tokens: path})
	ask := func(token, method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	const ada, bob = "0123456789abcdef", "fedcba9876543210"
	if status, text := ask(ada, "POST", pcdv1connect.JobServiceSubmitProcedure, `{"command": ["plan"]}`); status != 200 {
		t.Fatal(status, text)
	}
	for _, c := range []struct {
		token, method, path, body string
		want                      int
	}{
		{ada, "POST", pcdv1connect.JobServiceGetProcedure, `{"id": "1"}`, 200}, {bob, "POST", pcdv1connect.JobServiceGetProcedure, `{"id": "1"}`, 404},
		{ada, "GET", "/jobs/1/words.txt", "", 200}, {bob, "GET", "/jobs/1/words.txt", "", 404}, {"nobody", "GET", "/jobs/1/words.txt", "", 401},
	} {
		if status, text := ask(c.token, c.method, c.path, c.body); status != c.want {
			t.Errorf("%s %s: %d %.200s, want %d", c.token, c.path, status, text, c.want)
		}
	}
	if _, text := ask(bob, "POST", pcdv1connect.JobServiceListProcedure, `{}`); strings.Contains(text, `"id"`) {
		t.Errorf("bob sees %s", text)
	}
}
