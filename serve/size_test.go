package serve

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// A request that is too large is told so, with the limit, in every protocol and whether it says how long it is or not.
func TestTooLarge(t *testing.T) {
	s, url := start(t, Config{Bytes: 1 << 16})
	body := `{"yaml": "` + strings.Repeat("#", 1<<20) + `"}`
	for name, of := range map[string]io.Reader{"of a length": strings.NewReader(body), "in chunks": struct{ io.Reader }{strings.NewReader(body)}} {
		r, err := http.Post(url+pcdv1connect.PlanServicePlanProcedure, "application/json", of)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusRequestEntityTooLarge || !bytes.Contains(text, []byte(`"code":"resource_exhausted","message":"the request is larger than 65536 bytes`)) ||
			!bytes.Contains(text, []byte(`"class":"usage"`)) {
			t.Errorf("%s: %d %.300s %v", name, r.StatusCode, text, err)
		}
	}
	for name, c := range clients(url) {
		request := &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: strings.Repeat("# seventy times seven\n", 50000)}}
		if name == "grpc-web" { // what it sends is small, and what that becomes is not
			request = &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: strings.Repeat("#", 1<<20)}}
		}
		if _, err := c.Plan(t.Context(), connect.NewRequest(request)); connect.CodeOf(err) != connect.CodeResourceExhausted || !strings.Contains(err.Error(), "65536") {
			t.Errorf("%s: %v", name, err)
		}
		all, err := c.PlanStream(t.Context(), connect.NewRequest(request))
		if err == nil {
			all.Receive()
			err = all.Err()
		}
		if connect.CodeOf(err) != connect.CodeResourceExhausted || !strings.Contains(err.Error(), "65536") {
			t.Errorf("%s, as a stream: %v", name, err)
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.WriteString(z, body)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+pcdv1connect.PlanServicePlanProcedure, &packed)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}
	r, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("in gzip: %d", r.StatusCode)
	}
	text := counted(t, s, 11)
	for _, want := range []string{`pcd_requests_total{call="Plan",code="resource_exhausted"} 7`, `pcd_requests_total{call="PlanStream",code="resource_exhausted"} 4`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// What becomes too large is not unpacked to its end.
func TestUnpacksNoFurther(t *testing.T) {
	small := bytes.NewReader(bomb(t))
	all := small.Len()
	u := &unpacked{most: 1 << 20}
	if err := u.Reset(small); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(u)
	var told *connect.Error
	if !errors.As(err, &told) || told.Code() != connect.CodeResourceExhausted || len(text) > 1<<20 || small.Len() < all*9/10 {
		t.Errorf("%d bytes, %d of %d unread, %v", len(text), small.Len(), all, err)
	}
	packed := new(bytes.Buffer)
	z := gzip.NewWriter(packed)
	_, err = z.Write(make([]byte, 1<<20))
	if err := errors.Join(err, z.Close(), u.Reset(packed)); err != nil {
		t.Fatal(err)
	}
	if text, err = io.ReadAll(u); err != nil || len(text) != 1<<20 {
		t.Errorf("the largest message: %d bytes, %v", len(text), err)
	}
}
