// Package terminal lays text out for the width that it is read at: paragraphs, lists,
// summaries and tables. What is not read on a terminal is laid out for [Standard] columns.
//
// A space is where a line may be broken; a no-break space (U+00A0) is printed as a space
// and never breaks. All functions are safe for concurrent use and keep nothing.
package terminal
