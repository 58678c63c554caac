#!/bin/sh
# Builds module.wasm, which git does not have:
#
#	sh js/build.sh
#
# TinyGo 0.41 with Go up to 1.26 gives the same bytes every time.
set -eu
cd "$(dirname "$0")"
command -v tinygo > /dev/null || { echo 'there is no tinygo (0.41 or later is needed, and for 0.41 Go up to 1.26)' >&2; exit 1; }
(cd module && tinygo build -o ../module.wasm -target=wasm-unknown -opt=z -no-debug -panic=trap -gc=conservative .)
printf 'module.wasm: %d bytes\n' "$(wc -c < module.wasm)"
