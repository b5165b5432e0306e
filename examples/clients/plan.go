//go:build ignore

// Plan asks a service for a plan:
//
//	go run examples/clients/plan.go [http://127.0.0.1:8080]
//
// PCD_TOKEN is the token, where the service asks for one. Clients of gRPC are generated from
// proto/pcd/v1.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

// scene has the keys of a scene file.
const scene = `{
	"bounds": {"min": [0, 0], "max": [10, 10]},
	"circles": [{"center": [5, 5], "radius": 1}],
	"robots": [
		{"name": "ada", "start": [1, 5], "goal": [9, 5], "radius": 0.4, "speed": 2.5},
		{"name": "bob", "start": [5, 1], "goal": [5, 9], "radius": 0.4, "speed": 2.5}
	]
}`

// plan is what is read of an answer.
type plan struct {
	Times  []float64
	Robots []struct {
		Name string
		X, Y []float64
	}
	Certificate struct{ Certified bool }
}

// refusal is what the service says instead of an answer.
type refusal struct {
	Code, Message string
	Details       []struct{ Debug json.RawMessage }
}

func main() {
	log.SetFlags(0)
	url := "http://127.0.0.1:8080"
	if len(os.Args) > 1 {
		url = os.Args[1]
	}
	p, err := ask(url)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range p.Robots {
		last := len(r.X) - 1
		fmt.Printf("%s is at (%.2f, %.2f) after %.1f s\n", r.Name, r.X[last], r.Y[last], p.Times[last])
	}
	fmt.Println("certified:", p.Certificate.Certified)
}

// ask returns a plan, or what the service says instead.
func ask(url string) (*plan, error) {
	body := fmt.Sprintf(`{"scene": %s, "brief": true, "settings": {"seed": "7"}}`, scene)
	request, err := http.NewRequest(http.MethodPost, url+"/pcd.v1.PlanService/Plan", bytes.NewBufferString(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if token := os.Getenv("PCD_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		var r refusal
		if err := json.NewDecoder(answer.Body).Decode(&r); err != nil {
			return nil, fmt.Errorf("%s: %w", answer.Status, err)
		}
		return nil, fmt.Errorf("%s: %s %s", r.Code, r.Message, r.Details)
	}
	var got struct{ Plan plan }
	err = json.NewDecoder(answer.Body).Decode(&got)
	return &got.Plan, err
}
