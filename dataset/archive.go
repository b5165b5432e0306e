package dataset

import (
	"archive/zip"
	"io/fs"
	"path"
	"strings"

	"github.com/go-pcd/pcd/internal/regular"
)

// OpenReplayArchive reads the replay buffer in a zip archive: the first folder that is
// a zarr store of one. Other entries are not looked at. By default the arrays may take
// up memory in proportion to what the chosen ones take up in the archive.
func OpenReplayArchive(file string, opts ReplayOptions) (*ReplayBuffer, error) {
	f, err := regular.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, &FormatError{File: file, Reason: "not a zip archive", Err: err}
	}
	if err := checkOverlap(z, info.Size()); err != nil {
		return nil, &FormatError{File: file, Err: err}
	}
	root, err := replayFolder(z)
	if err != nil {
		return nil, &FormatError{File: file, Err: err}
	}
	b, err := readReplayZarr(root, opts)
	if err != nil {
		return nil, &FormatError{File: file, Err: err}
	}
	return b, nil
}

// replayFolder finds the replay buffer in an archive.
func replayFolder(z *zip.Reader) (fs.FS, error) {
	const mark = replayEnds + "/" + zarrArrayFile
	for _, f := range z.File {
		if root, ok := strings.CutSuffix(f.Name, mark); ok {
			return fs.Sub(z, path.Clean("./"+root))
		}
	}
	return nil, &FormatError{Reason: "no replay buffer, want a folder with " + mark}
}
