#!/usr/bin/env bash
# Checks the Kubernetes files against the published schemas. Needs Go and the module
# proxy.
set -euo pipefail
cd "$(dirname "$0")/../.."
GOFLAGS="" go run sigs.k8s.io/kubectl-validate@v0.0.4 deploy/kubernetes
