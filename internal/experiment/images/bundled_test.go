package images_test

import (
	_ "github.com/go-pcd/pcd/internal/pair/bundled"
)
