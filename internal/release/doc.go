// Command release makes what is published of a version: a static program for every
// platform, in an archive with its licence, the notices of the modules in it and its bill
// of materials, and the digests of all archives.
//
//	go run ./internal/release -o dist
//
// With -check it looks instead for what does not compile on the platforms.
//
// The same commit gives the same digests anywhere: paths are trimmed, the archives carry
// the time of the commit, and the version is the one that Go stamps from the tag.
package main
