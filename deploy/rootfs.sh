#!/bin/sh
# Lays out the files of the container in a folder: the program, linked statically, its
# licence and those of the modules in it, the certificates by which pcd data fetch knows
# servers, and the folder for temporary files, which models that ship are opened from.
#
#   deploy/rootfs.sh FOLDER
#
# CERTIFICATES names another file of certificates, FLAGS others for go build.
set -eu
root=$1
mkdir -p "$root/tmp" "$root/etc/ssl/certs" "$root/licenses/go"
root=$(cd "$root" && pwd)
cd "$(dirname "$0")/.."
chmod 1777 "$root/tmp"
# shellcheck disable=SC2086 # flags are several words
CGO_ENABLED=0 go build ${FLAGS--trimpath} -o "$root/pcd" ./cmd/pcd
cp "${CERTIFICATES:-/etc/ssl/certs/ca-certificates.crt}" "$root/etc/ssl/certs/ca-certificates.crt"
cp LICENSE "$root/LICENSE"
cp "$(go env GOROOT)/LICENSE" "$root/licenses/go/LICENSE"
CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/pcd | sort -u |
  while read -r module dir; do
    mkdir -p "$root/licenses/$module"
    find "$dir" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) -exec cp {} "$root/licenses/$module" \;
  done
