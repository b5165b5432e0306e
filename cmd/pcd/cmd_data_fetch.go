package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/download"
	"github.com/go-pcd/pcd/internal/regular"
)

const fetchSource = `The demonstrations of PushT were recorded by the authors of "Diffusion Policy" (RSS
2023), who distribute them under the MIT licence as the archive
  https://diffusion-policy.cs.columbia.edu/data/training/pusht.zip
in which the folder pusht_cchi_v7_replay.zarr holds 206 episodes with 25 650 steps.`

func newDataFetchCommand() *cobra.Command {
	var sum, out string
	c := &cobra.Command{
		Use:   "fetch pusht [URL|FILE]",
		Short: "Import the archive of the PushT demonstrations",
		Long: fetchSource + `

This command takes the archive from an address or a file, checks it, and writes the
arrays that training needs, without the images, as an npz file. It never runs
anything of the archive. A server that says nothing for a minute is given up.

` + exitCodeHelp,
		Example: "  pcd data fetch pusht \\\n    https://diffusion-policy.cs.columbia.edu/data/training/pusht.zip \\\n    --sha256 SUM -o pusht.npz",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] != "pusht" {
				return usageError{fmt.Errorf("%q cannot be fetched, want pusht", args[0])}
			}
			if len(args) == 1 {
				return usageError{fmt.Errorf("name the address or the file of the archive\n%s", fetchSource)}
			}
			if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size {
				return usageError{fmt.Errorf("--sha256 is %q, want the 64 hexadecimal digits of the archive's checksum", sum)}
			}
			if err := fetchPushT(cmd.Context(), args[1], strings.ToLower(sum), out, newProgress(cmd.ErrOrStderr(), "fetching, KiB")); err != nil {
				return err
			}
			printWritten(cmd.OutOrStdout(), out)
			return nil
		},
	}
	c.Flags().StringVar(&sum, "sha256", "", "checksum of the archive")
	c.Flags().StringVarP(&out, "output", "o", "pusht.npz", "npz file")
	return c
}

// fetchPushT checks an archive and writes its demonstrations.
func fetchPushT(ctx context.Context, source, sum, out string, progress func(done, total int)) error {
	if _, err := os.Stat(filepath.Dir(out)); err != nil {
		return &atomicfile.WriteError{Path: out, Err: err} // before the download
	}
	if err := atomicfile.Check(out); err != nil {
		return err
	}
	archive := source
	if isAddress(source) {
		dir, err := atomicfile.MkdirTemp(os.TempDir())
		if err != nil {
			return err
		}
		defer dir.Remove()
		archive = filepath.Join(dir.Path, "archive.zip")
		if err := fetchArchive(ctx, source, archive, progress); err != nil {
			return err
		}
	}
	if err := checkSum(ctx, archive, sum); err != nil {
		return err
	}
	b, err := dataset.OpenReplayArchive(archive, dataset.ReplayOptions{Keys: []string{"action", "keypoint", "state"}})
	if err != nil {
		if isAddress(source) {
			err = fmt.Errorf("%s: %w", source, err)
		}
		return err
	}
	return b.WriteNPZ(out)
}

func isAddress(source string) bool {
	return strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://")
}

// largestArchive bounds what is downloaded; the official archive has 31 MB.
const largestArchive = 1 << 30

// fetchArchive copies what is at an address to a file.
func fetchArchive(ctx context.Context, address, file string, progress func(done, total int)) error {
	f, err := os.Create(file)
	if err != nil {
		return &atomicfile.WriteError{Path: file, Err: err}
	}
	err = download.Copy(ctx, f, address, download.Patient(largestArchive), func(done, total int64) { progress(int(done>>10), int(total>>10)) })
	return errors.Join(err, f.Close())
}

// checkSum compares the checksum of a file.
func checkSum(ctx context.Context, file, want string) error {
	f, err := regular.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, cancellable{ctx, f}); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return usageError{fmt.Errorf("the archive has the checksum %s, want %s: it is damaged or another one", got, want)}
	}
	return nil
}

// cancellable is a reader that fails when its context is cancelled.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

// Read implements [io.Reader].
func (c cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
