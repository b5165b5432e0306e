// Package attack looks for files, command lines and moments that end the program in
// a way it does not promise.
//
// Mutators change well-formed files where their structure gives a reader something to
// believe: numbers, lengths, names, nesting, compression. The tests send the files
// through every reader, in a process with little memory, and command lines with
// unlikely values through the program itself; and they kill it while it writes. What
// must hold:
//
//   - nothing dies: no panic, no exhausted memory at 2 GiB of address space, no exit
//     code but those of "pcd help";
//   - nothing hangs for ten seconds, and interrupts end everything;
//   - no file is half-written, and what was interrupted continues to the same end.
//
// A short attack is part of the tests. A long one runs until a time is over:
//
//	go test ./internal/attack -attack.long 1h -attack.seed 7 -timeout 0 -v
//
// Every case depends on the seed and its number alone. The counts are printed.
package attack
