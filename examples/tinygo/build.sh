#!/bin/sh
# Builds the modules into a folder and prints their sizes:
#
#	sh examples/tinygo/build.sh FOLDER
#
# TinyGo builds fit.wasm and minvol.wasm; Go builds fit.go.wasm and minvol.go.wasm as WASI
# reactors, from the same source. TinyGo 0.41 supports Go up to 1.26.
set -eu
[ $# -eq 1 ] || { echo 'usage: sh build.sh FOLDER' >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
command -v tinygo > /dev/null || { echo 'there is no tinygo (0.41 or later is needed, and for 0.41 Go up to 1.26)' >&2; exit 1; }

small() {
  tinygo build -o "$out/$1.wasm" -target=wasm-unknown -opt=z -no-debug -panic=trap -tags "$2" .
}
reactor() {
  GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -trimpath -ldflags='-s -w' -tags "$2" -o "$out/$1.go.wasm" .
}
small fit nominvol
small minvol ''
reactor fit nominvol
reactor minvol ''

bytes() { echo $(($(wc -c))); }
for name in fit minvol fit.go minvol.go; do
  printf '%-15s %8d bytes, %7d with gzip\n' "$name.wasm" "$(bytes < "$out/$name.wasm")" "$(gzip -9 -c "$out/$name.wasm" | bytes)"
done
