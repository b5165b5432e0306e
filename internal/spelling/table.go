package spelling

// Table says what words stand for, in the order in which they are listed.
type Table[N ~string, T any] []struct {
	Word N
	What T
}

// Words lists the words.
func (t Table[N, T]) Words() (all []N) {
	for _, row := range t {
		all = append(all, row.Word)
	}
	return all
}

// Of returns what a word stands for; known is false, and what is zero, where it stands for nothing.
func (t Table[N, T]) Of(word N) (what T, known bool) {
	for _, row := range t {
		if row.Word == word {
			return row.What, true
		}
	}
	return what, false
}
