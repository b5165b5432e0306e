package planner

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/tokenizer"
	"github.com/go-pcd/pcd/internal/torchfile"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/train"
	"github.com/go-pcd/pcd/weights"
)

// isContent recognises what a file holds that is not what it was given for, whoever reads
// it: a mistake of the caller. That the system did not let it be read is none.
func isContent(err error) bool {
	var system syscall.Errno
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &system) && system != syscall.EISDIR {
		return false
	}
	return isA[*dataset.FormatError](err) || isA[*weights.FormatError](err) || isA[*weights.LoadError](err) || isA[*torchfile.GlobalError](err) || isA[*torchfile.LimitError](err) ||
		isA[*policy.ConfigError](err) || isA[*policy.StatisticsError](err) || isA[*policy.FileError](err) || isA[*policy.RecordingError](err) ||
		isA[*modelfile.Error](err) || isA[*nn.ArchitectureError](err) || isA[*nn.ConfigError](err) || isA[*tokenizer.FileError](err) ||
		isA[*train.CheckpointError](err) || isA[*pusht.DemonstrationError](err)
}
