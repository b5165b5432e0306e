//go:build !linux

package weights

// forget leaves to the system what it does with pages.
func (m *mapping) forget([]byte) {}
