package experiment

// Once returns a function that opens every name once, as long as that succeeds.
func Once[M any](open func(name string) (M, error)) func(name string) (M, error) {
	known := map[string]M{}
	return func(name string) (M, error) {
		if m, ok := known[name]; ok {
			return m, nil
		}
		m, err := open(name)
		if err == nil {
			known[name] = m
		}
		return m, err
	}
}
