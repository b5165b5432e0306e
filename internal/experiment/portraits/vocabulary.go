package portraits

import (
	"encoding/json"
	"strings"
)

// tokens is how many numbers a prompt becomes: start, five words, end, and one to spare.
const tokens = 8

// The special tokens and the mark of a word's end, as the published vocabulary of CLIP
// writes them.
const (
	startToken = "<|startoftext|>"
	endToken   = "<|endoftext|>"
	wordEnd    = "</w>"
)

// vocabulary returns the files of the tokenizer by name: the letters that stand for
// bytes, and the merges that make every word of the prompts one token.
func vocabulary() (map[string][]byte, error) {
	merges := mergesOf(words())
	ids := map[string]int{}
	add := func(token string) {
		if _, ok := ids[token]; !ok {
			ids[token] = len(ids)
		}
	}
	for _, letter := range letters() {
		add(letter)
	}
	for _, letter := range letters() {
		add(letter + wordEnd)
	}
	lines := []string{"#version: 0.2"}
	for _, pair := range merges {
		add(pair[0] + pair[1])
		lines = append(lines, pair[0]+" "+pair[1])
	}
	add(startToken)
	add(endToken)
	vocab, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	config, err := settings(map[string]any{
		"model_max_length": tokens, "do_lower_case": true, "tokenizer_class": "CLIPTokenizer",
		"bos_token": startToken, "eos_token": endToken, "unk_token": endToken, "pad_token": endToken,
	})
	return map[string][]byte{
		"vocab.json": vocab, "merges.txt": []byte(strings.Join(lines, "\n") + "\n"), "tokenizer_config.json": config,
	}, err
}

// letters returns what files write for the 256 bytes: visible characters of Latin-1 for
// themselves, and for the others, in order, those from U+0100 on. Source: Radford et
// al., "Language models are unsupervised multitask learners" (2019).
func letters() (all []string) {
	hidden := rune(256)
	for b := range rune(256) {
		if b >= '!' && b <= '~' || b >= '¡' && b <= '¬' || b >= '®' {
			all = append(all, string(b))
			continue
		}
		all = append(all, string(hidden))
		hidden++
	}
	return all
}

// mergesOf learns byte-pair encoding until every word is one token: the most frequent
// pair first, and of equals the first in the words. Source: Sennrich, Haddow and Birch,
// "Neural machine translation of rare words with subword units" (2016), algorithm 1.
func mergesOf(words []string) (merges [][2]string) {
	pieces := make([][]string, len(words))
	for i, w := range words {
		pieces[i] = strings.Split(w, "")
		pieces[i][len(pieces[i])-1] += wordEnd
	}
	for {
		pair, ok := mostFrequent(pieces)
		if !ok {
			return merges
		}
		merges = append(merges, pair)
		for i := range pieces {
			pieces[i] = merged(pieces[i], pair)
		}
	}
}

// mostFrequent returns the pair of neighbours that occurs most often.
func mostFrequent(pieces [][]string) (best [2]string, ok bool) {
	count := map[[2]string]int{}
	var order [][2]string
	for _, p := range pieces {
		for i := range len(p) - 1 {
			pair := [2]string{p[i], p[i+1]}
			if count[pair] == 0 {
				order = append(order, pair)
			}
			count[pair]++
		}
	}
	for _, pair := range order {
		if !ok || count[pair] > count[best] {
			best, ok = pair, true
		}
	}
	return best, ok
}

// merged joins a pair wherever it occurs.
func merged(pieces []string, pair [2]string) (out []string) {
	for i := 0; i < len(pieces); i++ {
		if i+1 < len(pieces) && pieces[i] == pair[0] && pieces[i+1] == pair[1] {
			out = append(out, pair[0]+pair[1])
			i++
			continue
		}
		out = append(out, pieces[i])
	}
	return out
}
