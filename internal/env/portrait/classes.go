package portrait

// AgeGroups are the classes of age in the published order, by their first year.
// Source: FFHQ-Aging, as the image experiment uses it.
var AgeGroups = [...]AgeGroup{
	{"0-2", 0}, {"3-6", 3}, {"7-9", 7}, {"10-14", 10}, {"15-19", 15},
	{"20-29", 20}, {"30-39", 30}, {"40-49", 40}, {"50-69", 50}, {"70-120", 70},
}

// GroupNames returns the names of the age groups, in their order.
func GroupNames() (names []string) {
	for _, g := range AgeGroups {
		names = append(names, g.Name)
	}
	return names
}

// AgeGroup is a class of age.
type AgeGroup struct {
	Name  string
	First float64 // youngest age of the class, in years
}

// GroupOf returns the number of the age group of an age in years.
func GroupOf(age float64) int {
	group := 0
	for i, g := range AgeGroups {
		if age >= g.First {
			group = i
		}
	}
	return group
}

// IsOld reports whether an age group counts as old.
func IsOld(group int) bool { return AgeGroups[group].First >= Old }
