package portrait_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/env/portrait"
)

func render(p portrait.Photo, size int) []float32 {
	out := make([]float32, size*size*3)
	p.Render(out, size)
	return out
}

// rms returns the root of the mean squared difference.
func rms(a, b []float32) float64 {
	var sum float64
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(a)))
}

func TestAlbumIsAFunctionOfSeedAndNumber(t *testing.T) {
	a, b := portrait.Album{Seed: 3}, portrait.Album{Seed: 4}
	if a.At(17) != a.At(17) {
		t.Error("photo 17 differs from itself")
	}
	if a.At(17) == a.At(18) || a.At(17) == b.At(17) {
		t.Error("photos of different numbers or seeds are equal")
	}
	if !slices.Equal(render(a.At(17), 64), render(a.At(17), 64)) {
		t.Error("two renderings of one photo differ")
	}
}

// TestPicturesOfDifferentSizesShowTheSame averages a large picture and compares it
// with a small one. Pixels agree but for the curvature of colours inside them.
func TestPicturesOfDifferentSizesShowTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many pictures")
	}
	const small, factor = 64, 4
	for i := range uint64(20) {
		p := portrait.Album{Seed: 1}.At(i)
		large, want := render(p, small*factor), make([]float32, small*small*3)
		for y := range small * factor {
			for x := range small * factor {
				for c := range 3 {
					want[(y/factor*small+x/factor)*3+c] += large[(y*small*factor+x)*3+c] / (factor * factor)
				}
			}
		}
		if d := rms(render(p, small), want); d > 0.02 {
			t.Errorf("photo %d: rms difference %.4f between sizes", i, d)
		}
	}
}

// TestOnlyAgeChangesWithAge checks that the same person at two ages differs on the
// head and nowhere else.
func TestOnlyAgeChangesWithAge(t *testing.T) {
	const size = 64
	for i := range uint64(20) {
		p := portrait.Album{Seed: 2}.At(i)
		young, old := p, p
		young.Age, old.Age = 22, 80
		a, b := render(young, size), render(old, size)
		if d := rms(a, b); d < 0.01 {
			t.Errorf("photo %d: 58 years change a picture by %.4f only", i, d)
		}
		for x := range size { // shirt and wall at the lower edge and in the upper corners
			for _, y := range []int{0, size - 1} {
				if y == 0 && x > 8 && x < size-8 {
					continue
				}
				at := (y*size + x) * 3
				if y == size-1 && x > size/3 && x < 2*size/3 || slices.Equal(a[at:at+3], b[at:at+3]) {
					continue
				}
				t.Fatalf("photo %d: pixel (%d, %d) changes with age", i, x, y)
			}
		}
	}
}

// TestAgeingOnlyGrows checks that no sign of age goes away.
func TestAgeingOnlyGrows(t *testing.T) {
	for i := range uint64(100) {
		p := portrait.Album{Seed: 5}.At(i).Person
		before := p.Ageing(portrait.Youngest)
		for age := portrait.Youngest; age <= portrait.Oldest; age++ {
			a := p.Ageing(age)
			for _, pair := range [][2]float64{
				{before.Grey, a.Grey}, {before.Recession, a.Recession}, {before.Folds, a.Folds}, {before.Sag, a.Sag},
				{before.Droop, a.Droop}, {before.Loss, a.Loss}, {before.Pallor, a.Pallor},
			} {
				if pair[1] < pair[0] || pair[1] > 1 || pair[0] < 0 {
					t.Fatalf("person %d at %v: a sign of age goes from %v to %v", i, age, pair[0], pair[1])
				}
			}
			before = a
		}
	}
}

func TestClassesAreBalanced(t *testing.T) {
	const n = 4000
	var men, old int
	for i := range uint64(n) {
		p := portrait.Album{Seed: 6}.At(i)
		if p.Gender == portrait.Male {
			men++
		}
		if portrait.IsOld(portrait.GroupOf(p.Age)) {
			old++
		}
		if p.Age < portrait.Youngest || p.Age > portrait.Oldest {
			t.Fatalf("photo %d: age %v", i, p.Age)
		}
	}
	for name, k := range map[string]int{"men": men, "old people": old} {
		if math.Abs(float64(k)-n/2) > 4*math.Sqrt(n)/2 { // four standard deviations
			t.Errorf("%d %s of %d", k, name, n)
		}
	}
}

func TestGroupOf(t *testing.T) {
	for _, c := range []struct {
		age  float64
		want string
	}{{0, "0-2"}, {2.9, "0-2"}, {18, "15-19"}, {20, "20-29"}, {49.9, "40-49"}, {50, "50-69"}, {90, "70-120"}} {
		if got := portrait.AgeGroups[portrait.GroupOf(c.age)].Name; got != c.want {
			t.Errorf("GroupOf(%v) = %s, want %s", c.age, got, c.want)
		}
	}
	if portrait.IsOld(portrait.GroupOf(49.9)) || !portrait.IsOld(portrait.GroupOf(portrait.Old)) {
		t.Error("the split of young and old is not at 50")
	}
}

// FuzzRender draws people with any numbers: pixels are colours.
func FuzzRender(f *testing.F) {
	f.Add(uint64(1), uint64(2), 40.0, 0.5, 8)
	f.Add(uint64(1), uint64(2), -1e9, 1e9, 1)
	f.Add(uint64(9), uint64(0), 1e300, -3.0, 33)
	f.Fuzz(func(t *testing.T, seed, i uint64, age, yaw float64, size int) {
		if math.IsNaN(age) || math.IsNaN(yaw) || math.Abs(yaw) > 1e9 {
			return
		}
		p := portrait.Album{Seed: seed}.At(i)
		p.Age, p.Setting.Yaw = age, yaw
		for k, v := range render(p, 1+int(uint(size)%100)) {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("number %d is %v", k, v)
			}
		}
	})
}

func TestRenderPanicsOnTheWrongSize(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	portrait.Photo{}.Render(make([]float32, 10), 2)
}

func BenchmarkRender(b *testing.B) {
	out := make([]float32, 128*128*3)
	for i := uint64(0); b.Loop(); i++ {
		portrait.Album{Seed: 1}.At(i).Render(out, 128)
	}
}

func Example() {
	p := portrait.Album{Seed: 1}.At(17)
	p.Setting = portrait.Plain()
	for _, age := range []float64{25, 75} {
		p.Age = age
		picture := make([]float32, 64*64*3)
		p.Render(picture, 64)
		fmt.Printf("%s, %s, grey %.2f\n", p.Gender, portrait.AgeGroups[portrait.GroupOf(age)].Name, p.Person.Ageing(age).Grey)
	}
	// Output:
	// male, 20-29, grey 0.00
	// male, 70-120, grey 1.00
}
