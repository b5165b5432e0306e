package main

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/pusht"
	"github.com/go-pcd/pcd/experiment/manipulation"
)

// infoPushT describes a file of demonstrations of PushT.
func infoPushT(w io.Writer, file string, asJSON bool) error {
	d, err := pusht.ReadDemonstrations(file)
	if err != nil {
		return err
	}
	s, err := manipulation.Describe(d)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(w, s)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "episodes\t%d with %d steps\n", s.Episodes, s.Steps)
	fmt.Fprintf(t, "length\t%.1f ± %.1f, %d to %d steps\n", s.Lengths.Mean, s.Lengths.Std, s.Lengths.Min, s.Lengths.Max)
	fmt.Fprintf(t, "actions\tx %.4g to %.4g, y %.4g to %.4g px\n", s.ActionMin[0], s.ActionMax[0], s.ActionMin[1], s.ActionMax[1])
	fmt.Fprintf(t, "mirror images\tof %d episodes are motions too\n", s.Mirrored)
	r := s.Replay
	fmt.Fprintf(t, "replayed, block\tstrays by at most %.2g px in half of the episodes, %.2g in 90 %%, %.2g in 99 %%, %.2g in all\n", r.Errors[0], r.Errors[1], r.Errors[2], r.Errors[3])
	fmt.Fprintf(t, "replayed, agent\tstrays by at most %.2g px\n", r.Agent)
	fmt.Fprintf(t, "goal covered\tin the last recorded state of %d episodes, replayed of %d, after the last action of %d\n", r.Recorded, r.Replayed, r.Finally)
	return t.Flush()
}

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
anything of the archive.

` + exitCodeHelp,
		Example: "  pcd data fetch pusht https://diffusion-policy.cs.columbia.edu/data/training/pusht.zip --sha256 SUM -o pusht.npz",
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
			if err := fetchPushT(cmd.Context(), args[1], sum, out); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "wrote", out)
			return err
		},
	}
	c.Flags().StringVar(&sum, "sha256", "", "checksum of the archive")
	c.Flags().StringVarP(&out, "output", "o", "pusht.npz", "npz file")
	return c
}

// fetchPushT checks an archive and writes its demonstrations.
func fetchPushT(ctx context.Context, source, sum, out string) error {
	archive := source
	if strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://") {
		dir, err := os.MkdirTemp("", "pcd-fetch-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		archive = filepath.Join(dir, "archive.zip")
		if err := download(ctx, source, archive); err != nil {
			return err
		}
	}
	if err := checkSum(archive, sum); err != nil {
		return err
	}
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("%s is not a zip archive: %w", source, err)
	}
	defer z.Close()
	root, err := replayFolder(&z.Reader)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	b, err := dataset.ReadReplayZarr(root, dataset.ReplayOptions{Keys: []string{"action", "keypoint", "state"}})
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return b.WriteNPZ(out)
}

// largestArchive bounds what is downloaded; the official archive has 31 MB.
const largestArchive = 4 << 30

func download(ctx context.Context, url, file string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return usageError{err}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.LimitReader(response.Body, largestArchive))
	return errors.Join(err, f.Close())
}

// checkSum compares the checksum of a file.
func checkSum(file, want string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); !strings.EqualFold(got, want) {
		return fmt.Errorf("the archive has the checksum %s, want %s: it is damaged or another one", got, want)
	}
	return nil
}

// replayFolder finds the replay buffer in an archive.
func replayFolder(z *zip.Reader) (fs.FS, error) {
	const mark = "meta/episode_ends/.zarray"
	for _, f := range z.File {
		if root, ok := strings.CutSuffix(f.Name, mark); ok {
			return fs.Sub(z, path.Clean("./"+root))
		}
	}
	return nil, fmt.Errorf("the archive holds no replay buffer, want a folder with %s", mark)
}
