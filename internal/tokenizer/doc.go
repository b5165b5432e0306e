// Package tokenizer turns text into the numbers that the text encoder of CLIP reads:
// byte-level byte-pair encoding of words, between a start and an end token, cut or
// padded to a fixed length.
//
//	t, err := tokenizer.Open("model/tokenizer")
//	ids, total := t.Encode("a photo of a cat") // 77 numbers; 7 before padding
//
// [Open] reads the files that published models keep: vocab.json, merges.txt, and, where
// they are there, special_tokens_map.json, tokenizer_config.json and added_tokens.json; or
// tokenizer.json, which current libraries write in place of the first two. The vocabulary
// is not part of the program.
//
// # Text
//
// Letters become lower case and white space separates words. Tokens that are registered
// as special, or were added to the vocabulary, are split off wherever they stand in the
// text; Stable Diffusion 2 pads
// with "!" and registers it, so that every "!" is a token of its own, with number 0.
// Letters and the marks that follow them are composed first (Unicode's normalisation form
// C), as the published tokenizer does: what another program took apart is the same word.
//
// # Errors
//
// Files that make no vocabulary are a [FileError] with the file and the line or the
// token. Encoding cannot fail: whatever the text, every byte has a token, if need be the
// unknown one.
//
// Source: Sennrich, Haddow and Birch, "Neural machine translation of rare words with
// subword units" (2016); Radford et al., "Language models are unsupervised multitask
// learners" (2019), section 2.2, for bytes; Radford et al., "Learning transferable
// visual models from natural language supervision" (2021), section 2.4.
package tokenizer
