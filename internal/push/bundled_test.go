package push_test

import (
	_ "github.com/go-pcd/pcd/internal/push/bundled"
)
