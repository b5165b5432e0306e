package guard

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Loopback reports whether an address for a listener can be reached from this machine only.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && localHost(host)
}

// localHost reports whether a name is that of this machine, to itself.
func localHost(host string) bool {
	a, err := netip.ParseAddr(host)
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") || err == nil && a.IsLoopback()
}

// OnlyLocal refuses requests for other hosts than this machine, so that a page from
// elsewhere, whose name leads here, cannot ask in the name of whoever looks at it.
func OnlyLocal(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !localHost(host) {
			http.Error(w, "this service answers to localhost only: other names need a token (--tokens)", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
