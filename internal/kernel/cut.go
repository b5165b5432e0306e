package kernel

// An operation ends with its last task, and so the goroutines that have none left wait: as long as a
// task of five takes, where two goroutines share them. So tasks are of about one length, and as many
// of them as give each goroutine the same number.

// ranges cuts n items into ranges of whole grains, but the last, whose lengths differ by one grain at most.
type ranges struct{ n, grain, count int }

// cut cuts n items into ranges: as many as asked for, or as there are grains.
func cut(n, count, grain int) ranges {
	return ranges{n, grain, max(1, min(count, ceil(n, grain)))}
}

// at returns the first item of a range and how many it has.
func (r ranges) at(i int) (first, n int) {
	grains := ceil(r.n, r.grain)
	first = i * grains / r.count * r.grain
	return first, min((i+1)*grains/r.count*r.grain, r.n) - first
}

// ceil returns n / m rounded up.
func ceil(n, m int) int { return (n + m - 1) / m }

// blocking cuts a product into tasks: ranges of its rows, or tiles, by ranges of its panels.
type blocking struct{ rows, panels ranges }

func (b blocking) tasks() int { return b.rows.count * b.panels.count }

// at returns the block of a task. Tasks of the same rows follow one another.
func (b blocking) at(task int) (row, rows, panel, panels int) {
	row, rows = b.rows.at(task / b.panels.count)
	panel, panels = b.panels.at(task % b.panels.count)
	return row, rows, panel, panels
}

// even returns the least number from n on of which the goroutines can have equally many when
// there are so many of each.
func (c *Crew) even(n, each int) int {
	for n*each%c.Size() != 0 {
		n++
	}
	return n
}
