package policy

import (
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
)

// ConfigError says which setting of a folder cannot be used.
type ConfigError struct {
	File string // for instance config.json
	Key  string
	Got  string
	Want string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("policy: %s: %s is %s, want %s", quote.Text(e.File), quote.Text(e.Key), quote.Text(e.Got), e.Want)
}

// StatisticsError says which statistics of the training data are not there or cannot be used.
type StatisticsError struct {
	Feature   string // for instance observation.state
	Statistic string // for instance max
	Reason    string
}

func (e *StatisticsError) Error() string {
	return fmt.Sprintf("policy: %s of %s: %s", quote.Text(e.Statistic), quote.Text(e.Feature), e.Reason)
}

// FileError says which file of a folder cannot be used.
type FileError struct {
	Path   string
	Reason string
	Err    error // cause, or nil
}

func (e *FileError) Error() string {
	s := "policy: " + quote.Text(e.Path) + ": " + e.Reason
	if e.Err != nil {
		s += ": " + strings.TrimPrefix(e.Err.Error(), "weights: ")
	}
	return s
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// ObservationError says what is wrong with an observation.
type ObservationError struct {
	Feature string
	Step    int // of the history; the oldest is 0
	Got     string
	Want    string
}

func (e *ObservationError) Error() string {
	return fmt.Sprintf("policy: observation %d: %s is %s, want %s", e.Step, quote.Text(e.Feature), quote.Text(e.Got), e.Want)
}

// SamplingError says which choice of a [Sampling] the policy does not have.
type SamplingError struct{ Option, Got, Want string }

func (e *SamplingError) Error() string {
	return fmt.Sprintf("policy: %s is %s, want %s", e.Option, quote.Text(e.Got), e.Want)
}
