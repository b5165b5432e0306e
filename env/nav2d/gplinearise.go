package nav2d

// linearise fills the normal equations of a Gauss-Newton step at the current
// states: the system with JᵀJ, the step with -Jᵀr. Unknown h-1 is waypoint h.
func (s *smoother) linearise() {
	clear(s.system.diag)
	clear(s.system.upper)
	clear(s.step)
	for h := 1; h < len(s.states); h++ {
		s.addPrior(h)
		if h < len(s.states)-1 {
			s.addFollow(h)
		}
		for k := 1; k <= wallPoints; k++ {
			s.addWalls(h, float64(k)/wallPoints)
		}
	}
}

// at returns the diagonal block and the right-hand side of waypoint h, nil for
// the fixed ends.
func (s *smoother) at(h int) (*block, *state) {
	if h == 0 || h == len(s.states)-1 {
		return nil, nil
	}
	return &s.system.diag[h-1], &s.step[h-1]
}

// addPrior adds the constant-velocity factor between the waypoints h-1 and h,
// whose error b - Φ a is linear: per axis ep = b_p - a_p - dt a_v, ev = b_v - a_v.
func (s *smoother) addPrior(h int) {
	before, rhsBefore := s.at(h - 1)
	after, rhsAfter := s.at(h)
	for p := range 2 {
		v := p + 2
		ep, ev := priorError(&s.states[h-1], &s.states[h], p)
		fp, fv := priorPP*ep+priorPV*ev, priorPV*ep+priorVV*ev // Q⁻¹ e
		if after != nil {
			after[p][p] += priorPP
			after[p][v] += priorPV
			after[v][p] += priorPV
			after[v][v] += priorVV
			rhsAfter[p] -= fp
			rhsAfter[v] -= fv
		}
		if before != nil { // Φᵀ Q⁻¹ Φ and Φᵀ Q⁻¹ e with Φ = [1 dt; 0 1]
			before[p][p] += priorPP
			before[p][v] += Step*priorPP + priorPV
			before[v][p] += Step*priorPP + priorPV
			before[v][v] += Step*Step*priorPP + 2*Step*priorPV + priorVV
			rhsBefore[p] += fp
			rhsBefore[v] += Step*fp + fv
		}
		if before != nil && after != nil { // -Φᵀ Q⁻¹
			u := &s.system.upper[h-2]
			u[p][p] -= priorPP
			u[p][v] -= priorPV
			u[v][p] -= Step*priorPP + priorPV
			u[v][v] -= Step*priorPV + priorVV
		}
	}
}

// addFollow adds the factor that ties waypoint h to the reference.
func (s *smoother) addFollow(h int) {
	diag, rhs := s.at(h)
	offset := position(s.states[h]).Sub(s.reference[h])
	diag[0][0] += followWeight
	diag[1][1] += followWeight
	rhs[0] -= followWeight * offset.X
	rhs[1] -= followWeight * offset.Y
}

// addWalls adds the margin factors at fraction t of the segment from waypoint
// h-1 to h: residual max(0, depth) with derivative -(1-t) out and -t out.
func (s *smoother) addWalls(h int, t float64) {
	before, rhsBefore := s.at(h - 1)
	after, rhsAfter := s.at(h)
	for _, w := range s.walls(h, position(s.states[h-1]).Lerp(position(s.states[h]), t)) {
		if w.depth == 0 {
			continue
		}
		out := [2]float64{w.out.X, w.out.Y}
		for i := range 2 {
			for j := range 2 {
				nn := wallWeight * out[i] * out[j]
				if before != nil {
					before[i][j] += (1 - t) * (1 - t) * nn
				}
				if after != nil {
					after[i][j] += t * t * nn
				}
				if before != nil && after != nil {
					s.system.upper[h-2][i][j] += (1 - t) * t * nn
				}
			}
			if before != nil {
				rhsBefore[i] += wallWeight * (1 - t) * w.depth * out[i]
			}
			if after != nil {
				rhsAfter[i] += wallWeight * t * w.depth * out[i]
			}
		}
	}
}
