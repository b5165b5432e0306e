package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/go-pcd/pcd/internal/env/pusht"
)

// row is a frame as the library writes it.
type row struct {
	Picture struct {
		Bytes []byte `parquet:"bytes,optional"`
		Path  string `parquet:"path,optional"`
	} `parquet:"observation.image"`
	State   []float32 `parquet:"observation.state,list"`
	Action  []float32 `parquet:"action,list"`
	Frame   int64     `parquet:"frame_index"`
	Episode int64     `parquet:"episode_index"`
}

// writeData writes demonstrations in layout 3.0, pictures in the rows.
func writeData(dir string, n int, blank bool) error {
	var rows []row
	for e := range n {
		r, err := demonstrate(e, blank)
		if err != nil {
			return err
		}
		for k := range frames {
			r.Frame = int64(k)
			rows = append(rows, r)
		}
	}
	var table bytes.Buffer
	w := parquet.NewGenericWriter[row](&table)
	if _, err := w.Write(rows); err != nil {
		return err
	}
	vector := map[string]any{"dtype": "float32", "shape": []int{2}}
	info, err := json.MarshalIndent(map[string]any{
		"codebase_version": "v3.0", "total_episodes": n, "total_frames": len(rows), "fps": pusht.ActionsPerSecond,
		"features": map[string]any{
			cameraKey: map[string]any{"dtype": "image", "shape": []int{pusht.PictureSize, pusht.PictureSize, 3}, "names": []string{"height", "width", "channels"}},
			stateKey:  vector, "action": vector,
		},
	}, "", "  ")
	return errors.Join(err, w.Close(), save(filepath.Join(dir, "meta", "info.json"), info),
		save(filepath.Join(dir, "data", "chunk-000", "file-000.parquet"), table.Bytes()))
}

func save(path string, raw []byte) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, raw, 0o666))
}

// demonstrate returns a scene. Nothing moves in its episode, so that no speed tells where the
// block is.
func demonstrate(episode int, blank bool) (r row, err error) {
	w, err := begin(uint32(trainSeed + episode))
	if err != nil {
		return r, err
	}
	s := w.State()
	to := s.Block.Position
	r.Episode, r.State, r.Action = int64(episode), []float32{float32(s.Agent.X), float32(s.Agent.Y)}, []float32{float32(to.X), float32(to.Y)}
	r.Picture.Bytes, err = encode(shown(w, blank))
	return r, err
}

// encode returns a picture as PNG.
func encode(pixels []uint8) ([]byte, error) {
	m := image.NewRGBA(image.Rect(0, 0, pusht.PictureSize, pusht.PictureSize))
	for i := range pusht.PictureSize * pusht.PictureSize {
		copy(m.Pix[4*i:], pixels[3*i:3*i+3])
		m.Pix[4*i+3] = 255
	}
	var b bytes.Buffer
	err := png.Encode(&b, m)
	return b.Bytes(), err
}
