package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/go-pcd/pcd/serve"
)

// A plan for a scene, asked for in plain JSON.
func Example() {
	s, err := serve.New(serve.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	answer, err := http.Post(server.URL+"/pcd.v1.PlanService/Plan", "application/json", strings.NewReader(`{
		"scene": {
			"bounds": {"min": [0, 0], "max": [10, 10]},
			"robots": [
				{"name": "ada", "start": [1, 5], "goal": [9, 5], "radius": 0.4, "speed": 4},
				{"name": "bob", "start": [5, 1], "goal": [5, 9], "radius": 0.4, "speed": 4}
			]
		}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	var plan struct {
		Plan struct {
			Robots      []struct{ Name string }
			Certificate struct{ Certified bool }
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&plan); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.StatusCode, plan.Plan.Robots[0].Name, plan.Plan.Robots[1].Name, plan.Plan.Certificate.Certified)
	// Output: 200 ada bob true
}
