package tokenizer

// wordEnd marks tokens that end a word, in vocab.json and merges.txt.
const wordEnd = "</w>"

// alphabet are the letters that files write for bytes: visible characters of Latin-1
// for themselves, and for the others, in order, those from U+0100 on.
var alphabet = makeAlphabet()

func makeAlphabet() (letters [256]string) {
	hidden := rune(256)
	for b := range rune(256) {
		visible := b >= '!' && b <= '~' || b >= '¡' && b <= '¬' || b >= '®'
		if visible {
			letters[b] = string(b)
			continue
		}
		letters[b] = string(hidden)
		hidden++
	}
	return letters
}
