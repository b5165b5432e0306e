package portraits

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/tensor"
)

func TestPrompt(t *testing.T) {
	for want, got := range map[string]string{
		"portrait of an old woman":   Prompt(8, portrait.Female),
		"portrait of an elderly man": Prompt(9, portrait.Male),
		"portrait of a young person": Prompt(5, -1),
		"portrait of a woman":        Prompt(-1, portrait.Female),
		"portrait of a person":       Prompt(-1, -1),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Every prompt becomes as many tokens as it has words between start and end, fits, and
// differs from the others; so do its rows of context.
func TestPromptsTokenise(t *testing.T) {
	text, err := ownText()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := contexts(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[tokens]int]string{}
	for _, p := range append(prompts(), "") {
		ids, total := text.Tokens.Encode(p)
		if want := len(strings.Fields(p)) + 2; total != want || total > tokens || len(ids) != tokens {
			t.Errorf("%q has %d tokens in %d numbers, want %d", p, total, len(ids), want)
		}
		if other, ok := seen[[tokens]int(ids)]; ok {
			t.Errorf("%q and %q have the same tokens", p, other)
		}
		seen[[tokens]int(ids)] = p
		for other, r := range rows {
			if other != p && slices.Equal(r, rows[p]) {
				t.Errorf("%q and %q have the same rows of context", p, other)
			}
		}
		if len(rows[p]) != tokens*textWidth {
			t.Errorf("%q has %d numbers of context", p, len(rows[p]))
		}
	}
	if _, total := text.Tokens.Encode("a zebra's ÄÖ 猫"); total < 8 {
		t.Errorf("words that were never seen have only %d tokens", total)
	}
}

// The denoising network is told who is in the picture, and sometimes less.
func TestPromptsOfPhotos(t *testing.T) {
	album := portrait.Album{Seed: 2}
	counts := map[string]int{}
	for i := range 80 {
		photo := album.At(uint64(i))
		got := promptOf(photo, i)
		full := Prompt(portrait.GroupOf(photo.Age), photo.Gender)
		switch i % 8 {
		case 0:
			if got != Prompt(-1, photo.Gender) {
				t.Errorf("photo %d: %q", i, got)
			}
		case 1:
			if got != Prompt(portrait.GroupOf(photo.Age), -1) {
				t.Errorf("photo %d: %q", i, got)
			}
		default:
			if got != full {
				t.Errorf("photo %d: %q, want %q", i, got, full)
			}
		}
		if !slices.Contains(prompts(), got) {
			t.Errorf("%q has no rows of context", got)
		}
		counts[got]++
	}
	if len(counts) < 10 {
		t.Errorf("80 photos have only the prompts %v", counts)
	}
}

func TestPSNR(t *testing.T) {
	x := tensor.New(1, 3, 4, 4)
	y := x.Clone()
	for i := range y.Data {
		y.Data[i] = 0.2
	}
	if got := psnr(x.Data, y.Data); got < 19.99 || got > 20.01 { // a tenth of the range
		t.Errorf("an error of a tenth of the range is %v dB, want 20", got)
	}
}
