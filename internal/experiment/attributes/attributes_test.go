package attributes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/latent"
)

// model is the folder of one whose images have 128 pixels a side.
const model = "../../pair/bundled/models/portraits"

// album draws portraits, dark ones of men and bright ones of women, with a table of what they
// show: the age of every fourth is left out.
func album(t *testing.T, n int) (images, labels string) {
	t.Helper()
	images = t.TempDir()
	var table strings.Builder
	table.WriteString("gender,name,file,age\n")
	drawn := portrait.Album{Seed: 3}
	for i := range n {
		photo := drawn.At(uint64(i))
		p := dataset.NewPicture(64, 64)
		pixels := make([]float32, 3*64*64)
		photo.Render(pixels, 64)
		gender, by := "male", float32(60)
		if i%2 == 1 {
			gender, by = "F", 250
		}
		for j, v := range pixels {
			p.Pix[j] = uint8(v * by)
		}
		file := fmt.Sprintf("%s/%d.png", gender, i)
		if err := os.MkdirAll(filepath.Join(images, gender), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := p.WritePNG(filepath.Join(images, file)); err != nil {
			t.Fatal(err)
		}
		age := fmt.Sprint(photo.Age)
		if i%4 == 3 {
			age = ""
		}
		fmt.Fprintf(&table, "%s,nobody,%s,%s\n", gender, file, age)
	}
	return images, write(t, table.String())
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "labels.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestClassifiersOfOwnPictures trains a classifier of latents and a judge of pictures, finds that
// they tell the dark from the bright, and that pairs of images find them beside a model.
func TestClassifiersOfOwnPictures(t *testing.T) {
	thorough.Test(t)
	m, err := latent.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	images, labels := album(t, 40)
	height, width := m.Size()
	a, err := ReadAlbum(t.Context(), images, labels, height, width, 0.2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.Len() != 40 || a.HeldOut() != 8 || a.Shape()[1] != 128 || len(a.Heads()) != 2 || a.Heads()[0].Name != "gender" {
		t.Fatalf("%d pictures of %v, %d held out, heads %v", a.Len(), a.Shape(), a.HeldOut(), a.Heads())
	}
	whole := t.TempDir()
	if err := os.CopyFS(whole, os.DirFS(model)); err != nil {
		t.Fatal(err)
	}
	for _, part := range []Part{Classifier, Judge} {
		dir := filepath.Join(whole, string(part))
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		r := DefaultRecipe(part, 60)
		r.Width, r.HeldOut, r.Train.Batch, r.Train.Rate = 8, 0.2, 8, 3e-3
		if part == Classifier {
			r.Noisy = 1
		}
		w, err := New(t.Context(), dir, r, m, a, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Run(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		right, err := w.Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if right[0].Head != "gender" || right[0].Images != 8 || right[0].Right < 0.9 || right[0].Common > 0.8 || right[1].Images >= 8 {
			t.Errorf("%s: %+v", part, right)
		}
	}
	p, err := pair.Open(whole)
	if err != nil {
		t.Fatal(err)
	}
	if p.Classifier == nil || p.Judge == nil || p.Classifier.Net.Config().Heads[1].Name != "age_group" {
		t.Error("a pair does not find its classifiers")
	}
}

// TestLabelsAreRefused reads tables of which nothing can be learned, or not what they say.
func TestLabelsAreRefused(t *testing.T) {
	for what, c := range map[string]struct {
		text, want string
		line       int
	}{
		"nothing":        {"", "header", 0},
		"no file":        {"path,age\na,3\n", "no column file", 1},
		"no questions":   {"file,name\na,b\n", "none of the columns", 1},
		"twice":          {"file,age,age_group\na,3,3-6\n", "once more", 1},
		"age":            {"file,age\na,old\nb,3\n", "want years", 2},
		"ages":           {"file,age\na,4\nb,-3\n", "want years", 3},
		"not a number":   {"file,age\na,NaN\nb,3\n", "want years", 2},
		"group":          {"file,age_group\na,0-2\nb,3-5\n", "want one of 0-2", 3},
		"gender":         {"file,gender\na,f\nb,x\n", "male or female", 3},
		"outside":        {"file,gender\n../a,f\nb,m\n", "below the folder", 2},
		"absolute":       {"file,gender\n/a,f\nb,m\n", "below the folder", 2},
		"twice the same": {"file,gender\na,f\na,m\n", "was on line 2", 3},
		"one":            {"file,gender\na,f\n", "at least 2", 0},
		"all the same":   {"file,gender\na,f\nb,female\nc,\n", "nothing can be learned", 0},
		"ragged":         {"file,gender\na,f\nb\n", "is no table", 0},
		"semicolons":     {"file;gender\na;f\nb;m\n", "one column, file;gender, want columns divided by commas", 1},
		"UTF-16":         {"\xff\xfef\x00i\x00", "UTF-8", 1},
		"UTF-16, big":    {"\xfe\xff\x00f\x00i", "UTF-8", 1},
		"another byte":   {" \xfe,gender\na,f\n", "no column file", 1},
	} {
		_, _, err := readLabels(write(t, c.text), t.TempDir())
		var bad *LabelError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || bad.Line != c.line {
			t.Errorf("%s: %v, want %q on line %d", what, err, c.want, c.line)
		}
	}
	path := write(t, "file,gender\nnone.png,f\nb.png,m\nc.png,f\nd.png,m\n")
	if _, err := ReadAlbum(t.Context(), filepath.Join(t.TempDir(), "none"), path, 32, 32, 0, nil); !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), "line") {
		t.Errorf("a folder that is not there: %v", err)
	}
	if _, err := ReadAlbum(t.Context(), path, path, 32, 32, 0, nil); !errors.As(err, new(*LabelError)) || !strings.Contains(err.Error(), "want the folder") {
		t.Errorf("a file for the folder: %v", err)
	}
	if _, err := ReadAlbum(t.Context(), t.TempDir(), path, 32, 32, 0, nil); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path+", line ") {
		t.Errorf("pictures that are not there: %v, want their lines", err)
	}
	var bad *LabelError
	if _, err := ReadAlbum(t.Context(), t.TempDir(), path, 32, 32, 0.75, nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), "hold out fewer") {
		t.Errorf("all but one picture held out: %v, want a *LabelError", err)
	}
}

// TestMarkedTable reads what spreadsheets write: text with a mark before a quoted header.
func TestMarkedTable(t *testing.T) {
	all, heads, err := readLabels(write(t, "\ufeff\"file\",\"gender\"\r\n\"a.png\",\"f\"\r\n\"b.png\",\"m\"\r\n"), "dir")
	if err != nil || len(all) != 2 || len(heads) != 1 || all[1].path != filepath.Join("dir", "b.png") {
		t.Errorf("%v, %v, %v, want two pictures and gender", all, heads, err)
	}
}

// TestTinyAutoencodersAreRefused wants a model without a full autoencoder to be told whose classifier it can have.
func TestTinyAutoencodersAreRefused(t *testing.T) {
	_, err := New(t.Context(), t.TempDir(), DefaultRecipe(Classifier, 10), &latent.Model{}, &Album{}, nil)
	var refused *latent.SettingError
	if !errors.As(err, &refused) || !strings.Contains(refused.Want, "distilled from") {
		t.Errorf("%v, want a *latent.SettingError that names another model", err)
	}
}

// TestRecipesAreChecked refuses what makes no training.
func TestRecipesAreChecked(t *testing.T) {
	for what, spoil := range map[string]func(*Recipe){
		"part":  func(r *Recipe) { r.Part = "poet" },
		"noise": func(r *Recipe) { r.Part, r.Noisy = Judge, 2 },
		"width": func(r *Recipe) { r.Width = 0 },
		"none":  func(r *Recipe) { r.HeldOut = 0 },
	} {
		r := DefaultRecipe(Classifier, 10)
		spoil(&r)
		if r.Check() == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}
