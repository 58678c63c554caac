# The steps of .ci/run and .ci/all, which source this file: first how steps are run and
# counted, then what each does. A step that takes long has its size as an argument.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec < /dev/null
export LC_ALL=C GOWORK=off
unset GOOS GOARCH
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export PATH=$PATH:$work/bin # for wazero
passed=0 failed=0 skipped=0 failures=() reasons=() began=$SECONDS

# step NAME COMMAND…: runs the command, which stops at its first error, and
# counts it. Exit code 77 is a skip; its reason is the last line that the
# command wrote to $reason.
step() {
  local name=$1 from=$SECONDS code
  shift
  printf '\n== %s\n' "$name"
  set +e # a subshell tested by if or || would run without -e
  (set -euo pipefail; "$@")
  code=$?
  set -e
  count "$name" "$code" $((SECONDS - from))
}

count() {
  case $2 in
    0) passed=$((passed + 1)); printf -- '-- %s: passed, %d s\n' "$1" "$3" ;;
    77) skipped=$((skipped + 1)); reasons+=("$1: $(tail -n 1 "$reason")")
      printf -- '-- %s: skipped, %d s\n' "$1" "$3" ;;
    *) failed=$((failed + 1)); failures+=("$1")
      printf -- '-- %s: FAILED (exit %d), %d s\n' "$1" "$2" "$3" ;;
  esac
}

# beside NAME COMMAND…: a step that runs beside one other of its kind, because most
# keep one processor busy. finish waits for them, and prints and counts them in order.
reason=$work/reason
names=()
beside() {
  local n=${#names[@]}
  names+=("$1")
  shift
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n || true; done
  (
    reason=$work/reason.$n from=$SECONDS
    set +e
    (set -euo pipefail; "$@") > "$work/log.$n" 2>&1
    code=$?
    echo "$code $((SECONDS - from))" > "$work/code.$n"
    echo ".. ${names[n]}: exit $code after $((SECONDS - from)) s"
  ) &
}

finish() {
  local n code seconds
  wait
  for n in "${!names[@]}"; do
    printf '\n== %s\n' "${names[n]}"
    cat "$work/log.$n"
    read -r code seconds < "$work/code.$n"
    reason=$work/reason.$n
    count "${names[n]}" "$code" "$seconds"
  done
  reason=$work/reason
  names=()
}

skip() {
  echo "$1" | tee "$reason"
  exit 77
}

# script NAME ARGUMENTS…: a script of this folder, whose last line tells why it skips.
script() {
  local code=0 log=$work/script.$1
  bash ".ci/$1" "${@:2}" > "$log" 2>&1 || code=$?
  cat "$log"
  [ "$code" != 77 ] || skip "$(tail -n 1 "$log")"
  return "$code"
}

fail() {
  echo "$1"
  exit 1
}

# summary counts, prints the total time, and is the exit code.
summary() {
  local r f
  printf '\n'
  for r in "${reasons[@]+"${reasons[@]}"}"; do
    echo "skipped: $r"
  done
  for f in "${failures[@]+"${failures[@]}"}"; do
    echo "FAILED: $f"
  done
  printf 'in all %d min %02d s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60))
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}

# some LEAST ARGUMENTS…: go test with these arguments, by which at least so many tests of
# the package must pass: a pattern of names that are gone would test nothing.
some() {
  local least=$1 n log
  shift
  log=$(mktemp -p "$work")
  go test -v "$@" > "$log" 2>&1 || { grep -vE '^ *(=== |--- PASS)' "$log" | grep -E -B 20 -A 20 -- '--- FAIL|^panic|^fatal|^FAIL' | head -n 300; exit 1; }
  n=$(grep -c '^--- PASS' "$log" || true)
  echo "$n tests pass"
  [ "$n" -ge "$least" ] || fail "only $n tests match: go test $*"
}

# room prints the space that is free for the build cache, which a run fills with several GB,
# and empties the cache if less than 12 GB are free.
room() {
  local cache
  cache=$(go env GOCACHE)
  mkdir -p "$cache"
  free() { df -Pk "$cache" | awk 'NR == 2 { print int($4 / 2 ^ 20) }'; }
  [ "$(free)" -ge 12 ] || { echo 'the build cache is emptied'; go clean -cache -fuzzcache || true; } # or as far as it is not in use
  echo "$(free) GB are free"
}

readme_tests() {
  grep -qx 'go test \./\.\.\.' README.md || fail 'the README does not name this command'
  go test ./...
}

formatted() {
  local files
  files=$(gofmt -l .)
  [ -z "$files" ] || fail "not formatted:
$files"
}

# The tests in their full sizes, which go test ./... has no time for.
complete() {
  local total
  SOFTKMEANS_LONG=1 go test -timeout 30m ./cmd/... ./internal/... ./proof
  SOFTKMEANS_LONG=1 go test -timeout 30m -coverprofile="$work/cover" .
  go tool cover -func="$work/cover" > "$work/functions"
  total=$(awk '$1 == "total:" { sub("%", "", $NF); print $NF }' "$work/functions")
  echo "coverage of the root package: $total %; at least 90 are wanted"
  awk -v t="$total" 'BEGIN { exit !(t + 0 >= 90) }' || {
    echo 'the least covered functions:'
    grep -v '^total:' "$work/functions" | sort -t '	' -k 4 | awk '{ print $NF, $0 }' | sort -n | head -n 20
    exit 1
  }
}

# race [all]: what runs on several goroutines, or every test.
race() {
  [ "$(go env CGO_ENABLED)" = 1 ] || skip 'the race detector needs cgo, and there is no C compiler'
  if [ "${1-}" = all ]; then
    go test -race -short -timeout 30m ./...
    return
  fi
  some 10 -race -short -run 'Worker|Tasks|Blocks|Cancel|ErrorsArrive|Soak' .
  some 5 -race -short -run 'Progress|Signals|SameOutputAtOnce|Stream$|PredictWarns|Pipe|InterruptedOpen' ./cmd/softkmeans
  some 5 -race -short -run 'Reader' ./internal/table
}

# By which power of n, d and k each call grows, and how late it hears its context: to be read.
growth() { SOFTKMEANS_GROWTH=. go test -run 'TestGrowth|TestLate' -timeout 60m -v ./internal/costs | grep -vE '^ *(===|---)'; }
# claims TIMES: so many times the draws of go test in the search for false claims, with new seeds.
claims() {
  SOFTKMEANS_CLAIMS=$1 go test -v -run '^(TestClaims|TestReturnedPair)$' -timeout 60m . ./proof | grep -vE '^(=== |ok)'
}

# The calls of weeks at a server.
soaked() { SOFTKMEANS_SOAK=1 go test -run TestSoak -timeout 60m -v . | tail -n 30; }

# The faults of the proofs' terms, and faults drawn at random, other ones with every commit.
mutants() {
  local seed
  seed=$(git rev-list --count HEAD 2> /dev/null || echo 1)
  (cd internal/mutants && go vet . && go test . && go run . -terms terms.txt && go run . -n 150 -seed "$seed")
}

# builds compiles everything for other targets. There vet checks types and assignments alone: its other rules
# do not depend on the target.
targets=(js/wasm wasip1/wasm linux/arm64 linux/386 windows/amd64 plan9/amd64)

builds() {
  local t
  for t in "${targets[@]}"; do
    echo "$t"
    GOOS=${t%/*} GOARCH=${t#*/} CGO_ENABLED=0 go build -buildvcs=false ./...
    GOOS=${t%/*} GOARCH=${t#*/} CGO_ENABLED=0 go vet -assign ./...
  done
}

# What depends on the size of an int, the order of bytes, or how a processor rounds.
machinery='Binary|Bounds$|Forged|Damage|Allocate|Seed|Random|Kernels|Norm2|AddRows|Strip|Matrix|HugeK|BeyondInt|AnySize|Addressable|Limits|SizesOfK|SumDepth|Entr'

# narrow [all]: tests where an int has 32 bits; all are those of the command and what it
# reads with, as the machine 386 has the root's.
narrow() {
  [ "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" = linux/amd64 ] || skip 'this machine does not run linux/386'
  export GOARCH=386 CGO_ENABLED=0
  echo 'package main; func main() {}' > "$work/nothing.go"
  go build -o "$work/nothing" "$work/nothing.go"
  if ! "$work/nothing" 2> /dev/null; then # a kernel without programs of 32 bits
    installed qemu-i386-static qemu-user-static
    export GOFLAGS=-exec=qemu-i386-static GODEBUG=asyncpreemptoff=1 # whose signals it does not take
  fi
  if [ "${1-}" = all ]; then
    go test ./cmd/... ./internal/...
    return
  fi
  some 20 -short -run "$machinery" .
  go vet ./cmd/... ./internal/...
  some 10 -short -run 'Limit|Memory|Reader|Header|Sizes|Wide|Long|Draw|Sniff|Find' ./internal/...
}

# oldest [all]: the oldest Go that go.mod allows.
oldest() {
  toolchain go1.24.0
  if [ "${1-}" = all ]; then
    go vet ./...
    go test -short ./...
    return
  fi
  go build ./...
  go vet .
  go test -short .
}

# toolchain VERSION: that Go for what follows, or a skip.
toolchain() {
  export GOTOOLCHAIN=$1
  go version > "$work/toolchain" 2>&1 || { cat "$work/toolchain"; skip "$1 cannot be fetched here"; }
}

# vectors [all]: the build with vectors, and without any in the same binary (simd=0). It
# runs what is made of vectors, or every test.
vectors() {
  local t chosen=()
  [ "${1-}" = all ] || chosen=(-run 'Kernel|Strip|Combined|Products|LeadingEigen|Rank|Norm2|AddRows|PageEnd')
  toolchain go1.27.4
  export GOEXPERIMENT=simd
  for t in amd64 arm64; do
    GOARCH=$t CGO_ENABLED=0 go vet .
  done
  GOOS=js GOARCH=wasm CGO_ENABLED=0 go vet .
  GODEBUG=simd=0 some 5 -short -run 'Kernels|Strips|Combined|Products|LeadingEigen' .
  some 10 -short "${chosen[@]+"${chosen[@]}"}" .
  go run ./cmd/softkmeans version | grep -E ', (SIMD of (128|256|512) bits|plain arithmetic)$'
}

# wide [all]: the kernels with registers of 512 bits, and with 256 bits on the same processor. If this
# processor has no such registers, all emulates one that has.
wide() {
  if ! grep -qsw avx512vl /proc/cpuinfo; then
    [ "${1-}" = all ] || skip 'this processor has no registers of 512 bits; .ci/all emulates one that has'
    script avx512
    return
  fi
  echo 'this processor has registers of 512 bits'
  toolchain go1.27.4
  export GOEXPERIMENT=simd
  go run ./cmd/softkmeans version | grep ', SIMD of 512 bits$'
  some 5 -count=1 -short -run 'Kernels|Strips|Lanes|Products|LeadingEigen|Worker' .
  GODEBUG=cpu.avx512f=off some 5 -count=1 -short -run 'Kernels|Strips|Lanes|Products|LeadingEigen|Worker' .
}

# installed PROGRAM PACKAGE…: the program, from Debian's packages if it is not here.
installed() {
  local program=$1
  shift
  command -v "$program" > /dev/null && return
  command -v apt-get > /dev/null && [ "$(id -u)" = 0 ] || skip "there is no $program, nor a way to install it"
  (
    flock 9 # beside another step
    export DEBIAN_FRONTEND=noninteractive
    [ -e "$work/updated" ] || apt-get update -qq && touch "$work/updated"
    apt-get install -y -qq --no-install-recommends "$@"
  ) 9> "$work/apt.lock" > "$work/apt.$program" 2>&1 || { tail -n 5 "$work/apt.$program"; skip "$* cannot be installed here"; }
}

# What machines that this one is not are run by.
tools() {
  local wazero=github.com/tetratelabs/wazero/cmd/wazero@v1.12.0
  (installed qemu-s390x-static qemu-user-static) || true
  (installed node nodejs) || true
  if ! bash .ci/tinygo > "$work/tinygo.log" 2>&1; then
    tail -n 5 "$work/tinygo.log"
    echo 'TinyGo cannot be installed here'
  fi
  command -v wazero > /dev/null || GOBIN=$work/bin go install "$wazero" || echo "$wazero cannot be fetched here"
  go build -o "$work/everywhere" ./examples/everywhere
  "$work/everywhere" -list
}

# machine NAME [FLAG…]: on a machine the same program as everywhere, its gaps and labels,
# and the package's tests as the flags of examples/everywhere say.
machine() {
  local name=$1 code=0
  shift
  "$work/everywhere" "$@" "$name" > "$work/row.$name" 2> "$work/said.$name" || code=$?
  cat "$work/said.$name" "$work/row.$name"
  [ $code != 77 ] || skip "$(tail -n 1 "$work/said.$name")"
  return $code
}

# The modules for any WASM host: sizes, and a host that checks their answers.
modules() {
  command -v tinygo > /dev/null || skip 'there is no TinyGo'
  command -v node > /dev/null || skip 'there is no Node'
  sh examples/tinygo/build.sh "$work/wasm"
  [ "$(wc -c < "$work/wasm/fit.wasm")" -le 132500 ] || fail 'fit.wasm is above 132.5 kB'
  [ "$(wc -c < "$work/wasm/minvol.wasm")" -le 212000 ] || fail 'minvol.wasm is above 212 kB'
  node --no-warnings examples/tinygo/run.mjs "$work"/wasm/*.wasm
}

# The page, built by Go and by TinyGo, for the tests in a browser.
pages() {
  go run ./examples/browser/serve -o "$work/page"
  command -v tinygo > /dev/null || skip 'there is no TinyGo: the page is built by Go alone'
  go run ./examples/browser/serve -tinygo -o "$work/page-tinygo"
}

# browser [all]: the pages in a browser. One test takes every number of every set through them,
# others read the tables of the trade; all are also of keys, colors, errors, large tables.
browser() {
  local chosen=(-run 'TestNumbers|TestErrors|TestCancel|TestTrade|TestKnown')
  [ "${1-}" != all ] || chosen=()
  installed chromium chromium
  cd examples/browser/e2e
  if ! go mod download > "$work/download.e2e" 2>&1; then
    cat "$work/download.e2e"
    skip 'the modules of the browser tests cannot be fetched here'
  fi
  go vet ./...
  export SOFTKMEANS_PAGES=$work
  go test -v -timeout 90m "${chosen[@]+"${chosen[@]}"}" ./... > "$work/e2e" 2>&1 || { tail -n 100 "$work/e2e"; exit 1; }
  grep -vE '^=== ' "$work/e2e"
}

# The package stands on the standard library alone, on every target.
bare() {
  local t bad
  if grep -nE '^[[:space:]]*(require|replace)([[:space:](]|$)' go.mod; then
    fail 'go.mod has a requirement'
  fi
  for t in "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" "${targets[@]}"; do
    export GOOS=${t%/*} GOARCH=${t#*/}
    go list -f '{{join .Imports "\n"}}' . > "$work/imports"
    [ -s "$work/imports" ] || fail "$t: no imports were listed"
    if grep -nxE 'fmt|reflect|unsafe|C|encoding/json' "$work/imports"; then
      fail "$t: the root package must not import these"
    fi
    go list -deps -f '{{if not .Standard}}{{.ImportPath}}{{end}}' . > "$work/deps"
    [ "$(grep -c . "$work/deps")" = 1 ] || fail "$t: the root package needs more than the standard library:
$(cat "$work/deps")"
    go list -deps -f '{{if not .Standard}}{{with .Module}}{{.Path}}{{end}}{{end}}' ./... > "$work/modules"
    bad=$(grep . "$work/modules" | sort -u)
    [ "$bad" = "$(go list -m)" ] || fail "$t: other modules are used: $bad"
    go list -f '{{join .CgoFiles "\n"}}{{join .CFiles "\n"}}{{join .SFiles "\n"}}{{join .HFiles "\n"}}' . > "$work/other"
    if grep . "$work/other"; then
      fail "$t: files that are not plain Go"
    fi
  done
  sort -u "$work/imports" | tr '\n' ' '
  echo
}

# The first way of docs/platforms.md to use the package: its files, copied into a folder of
# a module that has another name. Its tests pass there; a leaf beside it needs one import
# rewritten; Go and, where it is here, TinyGo build a program on it.
copied() {
  local f leaf host=$work/host compiler rewrite
  rewrite='s#^((import )?[[:space:]]*([A-Za-z_.]+ )?)"softkmeans(/[^"]*)?"$#\1"example.org/host/internal/mixtures\4"#'
  mkdir -p "$host/internal/mixtures"
  cp ./*.go "$host/internal/mixtures/"
  cp -r testdata "$host/internal/mixtures/"
  printf 'module example.org/host\n\n%s\n' "$(grep '^go ' go.mod)" > "$host/go.mod"
  for leaf in $(leaves); do
    mkdir -p "$host/internal/mixtures/$leaf"
    for f in "$leaf"/*.go; do
      case $f in
        *_test.go) ;;
        *) sed -E "$rewrite" "$f" > "$host/internal/mixtures/$f" ;;
      esac
    done
  done
  cat > "$host/main.go" <<-'END'
	package main

	import (
		"context"
		"fmt"
		"os"

		softkmeans "example.org/host/internal/mixtures"
	)

	func main() {
		x := softkmeans.NewMatrix(4, 2, []float64{0, 0, 1, 0, 0, 1, 4, 5})
		m, err := softkmeans.Fit(context.Background(), x, 2, nil)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Printf("%d centers, objective %.6f, floor %.6f\n", m.Centers.Rows, m.Objective, m.Floor)
	}
	END
  cd "$host"
  export GOPROXY=off GOFLAGS=-mod=mod
  # Tests and examples from outside of the package name its path.
  sed -i -E "$rewrite" internal/mixtures/*_test.go
  go vet ./...
  some 100 -short ./internal/mixtures
  for compiler in go tinygo; do
    case $compiler in
      go) go build -buildvcs=false -o "$work/hosted" . ;;
      tinygo) command -v tinygo > /dev/null || { echo 'without TinyGo, which is not here'; continue; }
        tinygo build -o "$work/hosted" . ;;
    esac
    "$work/hosted" | tee "$work/said"
    # The scatter about the mean is 10.75 and 17, off the diagonal 12.5: its
    # smaller eigenvalue is (27.75 − √(6.25² + 25²))/2.
    grep -qx '2 centers, objective 0.990295, floor 0.990295' "$work/said" || fail 'that is not the minimum, 0.990295'
  done
}

# leaves lists the packages beside the root that are for others, and what they import of the
# module.
leaves() {
  go list -f '{{if ne .Name "main"}}{{.ImportPath}}{{end}}' ./... | grep -vE '^softkmeans(/(internal|cmd|examples|js)(/.*)?)?$' |
    xargs go list -deps -f '{{if not .Standard}}{{.ImportPath}}{{end}}' | sed -n 's#^softkmeans/##p'
}

# renamed COMMAND: the third way of docs/platforms.md: the same folder under another path,
# of which the go command builds or vets everything.
renamed() {
  local lines how=$1
  lines=$(sed -n '/^ *go mod edit -module /,/^ *```$/p' docs/platforms.md | sed '$d')
  [ -n "$lines" ] || fail 'docs/platforms.md has no such lines'
  mkdir "$work/renamed"
  tar c --exclude .git . | tar x -C "$work/renamed"
  cd "$work/renamed"
  bash -euo pipefail -c "$lines"
  go "$how" ./...
  if grep -rn --include='*.go' '"softkmeans["/]' . | grep -v '^./\(bench\|examples/beam\|examples/browser/e2e\)/' | grep -E 'import|^[^:]*:[0-9]*:[[:space:]]*"'; then
    fail 'these imports have the old path'
  fi
}

# The README's main command, its output read back.
main_command() {
  local data=testdata/iris.csv
  grep -qxF "go run ./cmd/softkmeans fit -k 3 $data" README.md || fail 'the README does not name this command'
  go run ./cmd/softkmeans fit -v -k 3 "$data" > "$work/report"
  cat "$work/report"
  awk '$1 == "objective" { o = $2 } $1 == "floor" { f = $2 }
    END { exit f < 15.2046 || f >= 15.2047 || o < f || o > 1.25 * f }' "$work/report" ||
    fail 'the floor is not 15.2046…, or the objective not within a quarter above it'
  go run ./cmd/softkmeans fit -v -k 3 -method global "$data" > "$work/global"
  grep '^Certified' "$work/global" || fail 'the global fit is not certified'
  awk '$1 == "objective" || $1 == "floor" { n++; if ($2 < 15.2046 || $2 >= 15.2047) bad = 1 }
    END { exit n != 2 || bad }' "$work/global" || fail 'the global objective and floor are not 15.2046…'
  go run ./cmd/softkmeans fit -k 3 -o "$work/memberships.csv" "$data" > "$work/again"
  awk -F , 'NR > 1 {
      s = 0
      for (i = 2; i <= 4; i++) { if ($i < 0) bad = 1; s += $i }
      if (NF != 7 || s - 1 > 1e-12 || 1 - s > 1e-12) { print "line " NR ": " $0; bad = 1 }
    }
    END { exit NR != 151 || bad }' "$work/memberships.csv" || fail 'the memberships are not a header and 150 mixtures'
  echo "$(wc -l < "$work/memberships.csv" | tr -d ' ') lines of memberships, each adding up to 1"
  if go run ./cmd/softkmeans fit -k 3 "$work/no/such/file.csv" 2> "$work/error"; then
    fail 'a file that does not exist is no error'
  fi
  grep -q '^softkmeans: ' "$work/error" || fail 'the error does not name the program'
}

# The commands that the pages show, and the figures beside them; then every subcommand after
# the other on real data, as a program: what fit writes is read back, by certify, predict and
# evaluate, and by Python where it is here.
subcommands() {
  local set k scale options sk=$work/softkmeans here=$PWD
  SOFTKMEANS_LONG=1 some 2 -run '^Test(Commands|Figures)$' ./internal/layout
  go build -buildvcs=false -o "$sk" ./cmd/softkmeans
  "$sk" version
  mkdir "$work/subcommands"
  cd "$work/subcommands"
  while read -r set k scale options; do
    echo "$set"
    local data=$here/testdata/$set.csv classes=$here/testdata/$set.labels.csv
    "$sk" floors -scale "$scale" -json "$data" > floors.json
    "$sk" fit -k "$k" -method global -scale "$scale" -o memberships.csv -centers centers.csv -model model.json -json "$data" > fit.json
    gzip -c "$data" > data.csv.gz
    "$sk" certify -scale "$scale" -centers centers.csv -memberships memberships.csv "$data" | grep '^Certified'
    "$sk" certify -model model.json -memberships memberships.csv -json data.csv.gz > certify.json
    "$sk" predict -model model.json - < "$data" > predicted.csv
    "$sk" evaluate memberships.csv predicted.csv > same.txt
    grep -q '^  ACC  *1\.0000' same.txt || fail 'predict does not give the rows their labels'
    "$sk" evaluate "$classes" memberships.csv | grep '^  ACC'
    if command -v python3 > /dev/null; then
      python3 "$here/.ci/readback.py" "$data" centers.csv memberships.csv model.json fit.json certify.json
    else
      echo '(without Python, which is not here)'
    fi
    # shellcheck disable=SC2086 # the options are words
    "$sk" report -k "$k" -scale "$scale" $options -classes "$classes" -o "$set.html" "$data"
    grep -q '(proved)' "$set.html" || fail 'the page does not say so'
  done <<-END
	iris 3 none
	wine 3 zscore
	digits 10 none -image 8x8
	breast_cancer 2 zscore
	END
  ls -l ./*.html
}

# larger FORMAT…: a file larger than the memory that fitting it takes.
larger() {
  local format
  for format in "$@"; do
    go run ./examples/outofcore -size 256MB -limit 100MB -format "$format"
  done
}

# benchmarks REGEXP PACKAGE…: once each, to see that they run; -short leaves out one of
# minutes.
benchmarks() {
  go test -run '^$' -bench "$1" -benchtime 1x -short "${@:2}"
}

# fuzzed TIME: every fuzz target for so long, in a copy: an input that is found here must not
# fail the steps that run the tests beside this one.
fuzzed() {
  mkdir "$work/fuzzed"
  tar c --exclude .git . | tar x -C "$work/fuzzed"
  cd "$work/fuzzed"
  bash .ci/fuzz "$1"
}

# fetched FOLDER: what the module in that folder needs is here, or the step is skipped.
fetched() {
  local log=$work/download.${1//\//-}
  cd "$1"
  go mod download > "$log" 2>&1 && return
  head -n 5 "$log"
  # A wrong checksum or a broken go.mod is not a matter of the network.
  if grep -qiE 'checksum|SECURITY|go\.sum|errors parsing|invalid' "$log"; then
    exit 1
  fi
  skip "the modules of $1 cannot be fetched here"
}

# peers [all]: gonum as oracle and peer, a module of its own that needs one from outside.
peers() {
  fetched bench
  go vet ./...
  go test -v ./... > "$work/peers" 2>&1 || { grep -vE '^ *(=== |--- PASS)' "$work/peers" | tail -n 100; exit 1; }
  grep -E 'worst|^(ok|PASS)' "$work/peers"
  [ "${1-}" != all ] || go test -run '^$' -bench . -benchtime 1x ./...
}

# The adapter to gonum, the example that draws with gonum/plot, and the program that reads
# other formats: modules of their own.
around() {
  local top=$PWD m
  for m in gonumx examples/gonum convert; do
    cd "$top"
    fetched "$m"
    go vet ./...
    go test ./...
  done
}

# beam FUZZTIME: the example for many machines, a module of its own, on the runner that needs
# none: its tests, and the program on small shards, with Beam and without.
beam() {
  local data=$work/shards s
  fetched examples/beam
  go vet ./...
  go test ./...
  bash ../../.ci/fuzz "$1"
  go build -buildvcs=false -o "$work/beam" .
  "$work/beam" -generate "$data" -shards 4 -rows 2000
  "$work/beam" -k 5 -out "$work/beamed" "$data/shard-*.csv"
  "$work/beam" -k 5 -out "$work/plain" -plain -manifest "$data/manifest.csv" | grep '^Certified'
  for s in "$data"/shard-*.csv; do
    s=${s##*/}
    paste -d , "$work/beamed/memberships/$s" "$work/plain/memberships/$s" | awk -F , 'NR > 1 {
        for (i = 1; i <= NF/2; i++) { off = $i - $(i + NF/2); if (off > 1e-9 || off < -1e-9) bad = 1 }
      }
      END { exit NF != 12 || NR != 2001 || bad }' || fail "$s: with Beam and without it the memberships differ"
  done
  # Cut in the middle of a row.
  head -c 100000 "$data/shard-0002.csv" > "$work/cut" && mv "$work/cut" "$data/shard-0002.csv"
  if "$work/beam" -k 5 -out "$work/none" "$data/shard-*.csv" 2> "$work/error"; then
    fail 'a shard that was cut is no error'
  fi
  cat "$work/error"
  tail -n 1 "$work/error" | grep -q "^beam: $data/shard-0002.csv:" || fail 'the error does not name the shard'
  [ ! -e "$work/none" ] || fail 'there is a result without one'
}
