package nav2d_test

import (
	_ "github.com/go-pcd/pcd/plan/bundled"
)
