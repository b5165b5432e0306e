package portraits

import (
	"strings"

	"github.com/go-pcd/pcd/internal/env/portrait"
)

// ages are the words for the age groups.
var ages = [len(portrait.AgeGroups)]string{
	"newborn", "small", "little", "growing", "teenage",
	"young", "grown", "mature", "old", "elderly",
}

// genders are the words for the genders.
var genders = [...]string{portrait.Male: "man", portrait.Female: "woman"}

// anybody is the word for people of either gender.
const anybody = "person"

// Prompt returns the text for somebody of an age group and a gender, such as "portrait
// of an old woman". A negative group or gender leaves the age or the gender open.
func Prompt(group int, gender portrait.Gender) string {
	words := []string{"portrait of a"}
	if group >= 0 {
		if strings.ContainsRune("aeiou", rune(ages[group][0])) {
			words[0] = "portrait of an"
		}
		words = append(words, ages[group])
	}
	if gender >= 0 {
		return strings.Join(append(words, genders[gender]), " ")
	}
	return strings.Join(append(words, anybody), " ")
}

// unsaid is how often a prompt leaves the age open, and how often the gender: one time
// in so many. The network then learns what the words mean alone.
const unsaid = 8

// promptOf returns what the denoising network is told about photo i of an album.
func promptOf(p portrait.Photo, i int) string {
	group, gender := portrait.GroupOf(p.Age), p.Gender
	switch i % unsaid {
	case 0:
		group = -1
	case 1:
		gender = -1
	}
	return Prompt(group, gender)
}

// prompts returns all texts that the network learns from.
func prompts() (all []string) {
	for group := -1; group < len(ages); group++ {
		for gender := portrait.Gender(-1); int(gender) < len(genders); gender++ {
			all = append(all, Prompt(group, gender))
		}
	}
	return all
}

// words returns every word of the prompts once.
func words() (all []string) {
	seen := map[string]bool{}
	for _, p := range prompts() {
		for _, w := range strings.Fields(p) {
			if !seen[w] {
				seen[w] = true
				all = append(all, w)
			}
		}
	}
	return all
}
