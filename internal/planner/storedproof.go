package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/internal/paths"
	"github.com/go-pcd/pcd/internal/told"
)

// StoredProof is what was found of the proof in the file of a plan, its rows about robots that are late included.
type StoredProof struct {
	Rows  int    `json:"rows"`
	Holds bool   `json:"holds"`           // every row holds, and all of the time is proven, also for robots that are late as the file says
	Fault string `json:"fault,omitempty"` // the first that does not hold
}

// verifyStored checks the proof that the file of a plan has, if it is the only file. One that does not
// hold is a contradiction.
func (s *JudgeSummary) verifyStored(ctx context.Context, t *JudgeTask) error {
	if len(t.files) != 1 || t.Request.Motion != "" {
		return nil
	}
	c := t.files[0].Claim
	if c == nil || c.Proof == nil {
		if c != nil && c.Certified {
			s.Notes = append(s.Notes, t.Request.Paths[0].Name+" has no proof; it is judged without")
		}
		return nil
	}
	s.StoredProof = &StoredProof{Rows: len(c.Proof.Pairs) + len(c.Proof.Obstacles) + len(c.Proof.Late)}
	rows, err := t.rowsOf(c.Proof)
	if err == nil {
		err = t.world.Verify(ctx, rows)
	}
	if err == nil {
		err = t.verifyLate(ctx, c)
	}
	var fault *judge.ProofError
	switch {
	case err == nil:
		s.StoredProof.Holds = true
		return nil
	case errors.As(err, &fault):
		other := fmt.Sprintf("obstacle %d", fault.Other)
		if !fault.Obstacle {
			other, _ = t.other(judge.Separation, fault.Other)
		}
		err = fmt.Errorf("%s and %s from %s to %s s: %s", t.world.Robots[fault.Robot].Name, other, told.Seconds(fault.From), told.Seconds(fault.To), fault.Reason)
	case ctx.Err() != nil:
		return err
	}
	s.StoredProof.Fault = err.Error()
	s.Contradictions = append(s.Contradictions, t.Request.Paths[0].Name+" has a proof that does not hold: "+s.StoredProof.Fault)
	return nil
}

// verifyLate checks the rows about robots that are late by as much as the file says.
func (t *JudgeTask) verifyLate(ctx context.Context, c *paths.Claim) error {
	if c.Lateness > c.Proof.Lateness*(1+1e-9) {
		return fmt.Errorf("the file says that it is certified for robots up to %.4g s late, and its proof is about %.4g s", c.Lateness, c.Proof.Lateness)
	}
	if c.Proof.Lateness == 0 && len(c.Proof.Late) == 0 {
		return nil
	}
	numbers, err := t.numbersOf(c.Proof)
	if err != nil {
		return err
	}
	var rows []judge.LateRow
	for k, r := range c.Proof.Late {
		i, err := number(k, r[0], len(c.Proof.Robots))
		if err != nil {
			return err
		}
		j, err := number(k, r[1], len(numbers))
		if err != nil {
			return err
		}
		row := judge.LateRow{Row: judge.Row{Robot: numbers[i], Other: numbers[j], From: r[2], To: r[3], N: geom.Vec2{X: r[6], Y: r[7]}}, There: [2]float64{r[4], r[5]}}
		if row.Robot > row.Other {
			row.Robot, row.Other, row.N = row.Other, row.Robot, row.N.Scale(-1)
			row.From, row.To, row.There = row.There[0], row.There[1], [2]float64{row.From, row.To}
		}
		rows = append(rows, row)
	}
	return t.world.VerifyLate(ctx, rows, c.Proof.Lateness)
}

// numbersOf returns the numbers that the robots of a proof have here, then those of its traffic.
func (t *JudgeTask) numbersOf(p *paths.Proof) (numbers []int, err error) {
	w := t.world
	for k, name := range slices.Concat(p.Robots, p.Traffic) {
		among, from := w.Robots, 0
		if k >= len(p.Robots) {
			among, from = w.Traffic, len(w.Robots)
		}
		i := slices.IndexFunc(among, func(r judge.Robot) bool { return r.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("it is about %s, which is not here", quoted(name))
		}
		numbers = append(numbers, from+i)
	}
	return numbers, nil
}

// number returns a number of row k, which counts what there is below so many.
func number(k int, v float64, below int) (int, error) {
	if i := int(v); float64(i) == v && i >= 0 && i < below {
		return i, nil
	}
	return 0, fmt.Errorf("row %d is about number %v, want one of %d", k, v, below)
}

// rowsOf returns the rows of a proof with the numbers that bodies have here.
func (t *JudgeTask) rowsOf(p *paths.Proof) (*judge.Proof, error) {
	numbers, err := t.numbersOf(p)
	if err != nil {
		return nil, err
	}
	out := &judge.Proof{}
	for k, r := range p.Pairs {
		i, err := number(k, r[0], len(p.Robots))
		if err != nil {
			return nil, err
		}
		j, err := number(k, r[1], len(numbers))
		if err != nil {
			return nil, err
		}
		row := judge.Row{Robot: numbers[i], Other: numbers[j], From: r[2], To: r[3], N: geom.Vec2{X: r[4], Y: r[5]}}
		if row.Robot > row.Other {
			row.Robot, row.Other, row.N = row.Other, row.Robot, row.N.Scale(-1)
		}
		out.Pairs = append(out.Pairs, row)
	}
	for k, r := range p.Obstacles {
		i, err := number(k, r[0], len(p.Robots))
		if err != nil {
			return nil, err
		}
		o, err := number(k, r[1], len(t.world.Obstacles))
		if err != nil {
			return nil, err
		}
		out.Obstacles = append(out.Obstacles, judge.Row{Robot: numbers[i], Other: o, From: r[2], To: r[3], N: geom.Vec2{X: r[4], Y: r[5]}})
	}
	return out, nil
}
