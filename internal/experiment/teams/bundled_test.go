package teams_test

import (
	_ "github.com/go-pcd/pcd/plan/bundled"
)
