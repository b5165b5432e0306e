package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/internal/jobs"
	"github.com/go-pcd/pcd/plan/session"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// A request as curl makes it, unless it is told which type it sends, is refused in words; so is one of a type for other calls.
func TestOtherTypes(t *testing.T) {
	_, url := start(t, Config{})
	for call, types := range map[string][2]string{"Plan": {"application/x-www-form-urlencoded", "application/json"}, "PlanStream": {"application/json", "application/connect+json"}} {
		r, err := http.Post(url+"/pcd.v1.PlanService/"+call, types[0], strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ Code, Message string }
		err = json.NewDecoder(r.Body).Decode(&answer)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusUnsupportedMediaType || answer.Code != "invalid_argument" || !strings.Contains(answer.Message, types[1]) {
			t.Errorf("%s: %d %+v %v", call, r.StatusCode, answer, err)
		}
	}
}

// Messages say what is wrong with a scene in words for people.
func TestMessagesOfScenes(t *testing.T) {
	_, url := start(t, Config{})
	_, answer := post(t, url, "Plan", `{"scene": {"bounds": {"min": [0, 0], "max": [10, 10]}, "robots": [{"name": "ada", "start": [1, 5], "goal": [9, 5], "speed": -1}]}}`)
	if text, _ := answer["message"].(string); !strings.HasPrefix(text, "robots[0] (ada).speed is -1, want ") {
		t.Errorf("%q", text)
	}
	_, answer = post(t, url, "Plan", `{"map": {"name": "motorway"}}`)
	if text, _ := answer["message"].(string); !strings.HasPrefix(text, `task is "motorway": no map `) {
		t.Errorf("%q", text)
	}
	if got := text(&session.UpdateError{What: "steps", Value: -1, Reason: "want 0 or more"}); got != "steps: -1, want 0 or more" {
		t.Errorf("%q", got)
	}
	if err := refuse(fmt.Errorf("plan: %w", context.DeadlineExceeded)); err.Error() != "deadline_exceeded: there was no answer within the time that the call gave" {
		t.Errorf("a call without time: %v", err)
	}
}

// down are jobs that cannot be reached.
type down struct{}

var errDown = errors.New("jobs: failed to connect to user=pcd at 10.0.0.7")

func (down) Submit(context.Context, string, jobs.Spec) (*jobs.Job, error)       { return nil, errDown }
func (down) Get(context.Context, string, string) (*jobs.Job, error)             { return nil, errDown }
func (down) Cancel(context.Context, string, string) (*jobs.Job, error)          { return nil, errDown }
func (down) List(context.Context, string, string, int) ([]*jobs.Job, error)     { return nil, errDown }
func (down) Results(context.Context, string, string) (_ *jobs.Results, _ error) { return nil, errDown }

// Where the jobs cannot be reached clients learn that they may come back, and not where the database is.
func TestJobsThatAreDown(t *testing.T) {
	_, url := start(t, Config{Jobs: down{}})
	c := pcdv1connect.NewJobServiceClient(http.DefaultClient, url)
	_, submit := c.Submit(t.Context(), connect.NewRequest(&pb.SubmitRequest{Command: []string{"plan"}}))
	_, get := c.Get(t.Context(), connect.NewRequest(&pb.GetRequest{Id: "1"}))
	_, cancel := c.Cancel(t.Context(), connect.NewRequest(&pb.CancelRequest{Id: "1"}))
	_, list := c.List(t.Context(), connect.NewRequest(&pb.ListRequest{}))
	_, result := c.Result(t.Context(), connect.NewRequest(&pb.ResultRequest{Id: "1"}))
	for name, err := range map[string]error{"submit": submit, "get": get, "cancel": cancel, "list": list, "result": result} {
		var told *connect.Error
		if !errors.As(err, &told) || told.Code() != connect.CodeUnavailable || told.Meta().Get("Retry-After") == "" || strings.Contains(err.Error(), "10.0.0.7") {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err := http.Get(url + "/jobs/1/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if said, err := io.ReadAll(r.Body); err != nil || r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" || !strings.Contains(string(said), "the jobs cannot be reached") {
		t.Errorf("a file: %d %q %v", r.StatusCode, said, err)
	}
}

// A client that has left, or whose time is over, is no sign of jobs that cannot be reached, whatever their database says of it.
func TestJobsOfClientsThatLeave(t *testing.T) {
	s, _ := start(t, Config{Jobs: down{}})
	called := context.WithValue(t.Context(), callKey{}, new(call))
	left, leave := context.WithCancel(called)
	leave()
	late, end := context.WithTimeout(called, 0)
	defer end()
	for ctx, want := range map[context.Context]connect.Code{left: connect.CodeCanceled, late: connect.CodeDeadlineExceeded} {
		if _, err := (jobService{s}).Get(ctx, connect.NewRequest(&pb.GetRequest{Id: "1"})); connect.CodeOf(err) != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
}
