// Package guard keeps a server of HTTP alive among strangers: who may ask, how many
// connections there are, and how long the other side may take to read and to write.
package guard
