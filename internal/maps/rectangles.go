package maps

import (
	"cmp"
	"slices"
)

// Rectangle is a block of cells: columns Left to Right and rows Low to Top, the last of
// each excluded.
type Rectangle struct{ Left, Low, Right, Top int }

func (r Rectangle) area() int { return (r.Right - r.Left) * (r.Top - r.Low) }

// Rectangles returns rectangles whose union is exactly the blocked cells of a grid of some
// width. They are few, and may overlap: seams within walls would push robots to and fro.
//
// Runs of equal length in neighbouring rows are joined, once with rows and once with
// columns; the fewer rectangles are taken. Each then grows over blocked cells as far as it
// can, the larger ones first, and those whose own cells others have covered are left out.
// Time and memory are linear in the cells.
func Rectangles(blocked []bool, width int) []Rectangle {
	if width == 0 {
		return nil
	}
	height := len(blocked) / width
	rows := joinRuns(func(i, j int) bool { return blocked[j*width+i] }, width, height)
	columns := joinRuns(func(i, j int) bool { return blocked[i*width+j] }, height, width)
	if len(columns) < len(rows) {
		rows = columns
		for k, r := range rows {
			rows[k] = Rectangle{r.Low, r.Left, r.Top, r.Right}
		}
	}
	return grow(rows, newSums(blocked, width, height), width, height)
}

// joinRuns cuts the blocked cells of every row into runs, and joins those of the same
// columns in rows that follow each other.
func joinRuns(blocked func(i, j int) bool, width, height int) (out []Rectangle) {
	open := make([]int, width) // by the column in which it begins: one more than the rectangle that ends at this row
	for j := range height {
		for i := 0; i < width; i++ {
			if !blocked(i, j) {
				continue
			}
			end := i + 1
			for end < width && blocked(end, j) {
				end++
			}
			if k := open[i] - 1; k >= 0 && out[k].Top == j && out[k].Right == end {
				out[k].Top++
			} else {
				out = append(out, Rectangle{i, j, end, j + 1})
				open[i] = len(out)
			}
			i = end
		}
	}
	return out
}

// sums counts blocked cells in rectangles by a table of prefix sums.
type sums struct {
	table  []int32
	stride int
}

func newSums(blocked []bool, width, height int) sums {
	s := sums{make([]int32, (width+1)*(height+1)), width + 1}
	for j := range height {
		row := int32(0)
		for i := range width {
			if blocked[j*width+i] {
				row++
			}
			s.table[(j+1)*s.stride+i+1] = s.table[j*s.stride+i+1] + row
		}
	}
	return s
}

// full reports whether all cells of a rectangle are blocked.
func (s sums) full(r Rectangle) bool {
	t := s.table
	return int(t[r.Top*s.stride+r.Right]-t[r.Low*s.stride+r.Right]-t[r.Top*s.stride+r.Left]+t[r.Low*s.stride+r.Left]) == r.area()
}

// grown returns the rectangle moved outwards on every side as far as cells are blocked.
func (s sums) grown(r Rectangle, width, height int) Rectangle {
	for r.Left > 0 && s.full(Rectangle{r.Left - 1, r.Low, r.Left, r.Top}) {
		r.Left--
	}
	for r.Right < width && s.full(Rectangle{r.Right, r.Low, r.Right + 1, r.Top}) {
		r.Right++
	}
	for r.Low > 0 && s.full(Rectangle{r.Left, r.Low - 1, r.Right, r.Low}) {
		r.Low--
	}
	for r.Top < height && s.full(Rectangle{r.Left, r.Top, r.Right, r.Top + 1}) {
		r.Top++
	}
	return r
}

// markShare bounds the cells that are marked twice, as a multiple of all: growth beyond
// stops, so that time stays linear.
const markShare = 4

// grow grows rectangles, the larger ones first, and leaves out those that are covered.
func grow(parts []Rectangle, s sums, width, height int) (out []Rectangle) {
	slices.SortStableFunc(parts, func(a, b Rectangle) int { return cmp.Compare(b.area(), a.area()) })
	covered := make([]bool, width*height)
	left := markShare * width * height
	for _, own := range parts {
		if allOf(covered, own, width) {
			continue
		}
		r := s.grown(own, width, height)
		if left -= r.area(); left < 0 {
			r = own
		}
		for j := r.Low; j < r.Top; j++ {
			for i := r.Left; i < r.Right; i++ {
				covered[j*width+i] = true
			}
		}
		out = append(out, r)
	}
	return out
}

// allOf reports whether all cells of a rectangle are marked.
func allOf(marked []bool, r Rectangle, width int) bool {
	for j := r.Low; j < r.Top; j++ {
		if slices.Contains(marked[j*width+r.Left:j*width+r.Right], false) {
			return false
		}
	}
	return true
}
